//! A scripted call, and the checks of its result.

use super::{
    call::{self, Call, Server},
    json::Json,
    played_call::{CheckResult, PlayedCall},
    script::{Script, Step},
    scripted_server::ScriptedServer,
};
use crate::check::{Check, Level, Problem, Verdict, cut};

type Judge = Box<dyn Fn(&PlayedCall) -> CheckResult + Send + Sync>;

/// A scripted call and its checks.
pub(crate) struct Case {
    pub(crate) call: Call,
    pub(crate) script: Script,
    /// Paths of client capabilities. If the client does not declare them, the checks are not offered.
    needs: &'static [&'static [&'static str]],
    /// Whether a client that sends no leg can pass.
    needs_no_leg: bool,
    pub(crate) items: Vec<CaseCheck>,
}

/// A check of a scripted call.
pub(crate) struct CaseCheck {
    pub(crate) id: &'static str,
    pub(crate) level: Level,
    pub(crate) source: &'static str,
    pub(crate) about: &'static str,
    judge: Judge,
}

/// The capabilities that a case may need.
pub(crate) mod needs {
    pub(crate) const URL: &[&[&str]] = &[&["elicitation", "url"]];
    pub(crate) const SAMPLING: &[&[&str]] = &[&["sampling"]];
    pub(crate) const ROOTS: &[&[&str]] = &[&["roots"]];
    pub(crate) const ALL: &[&[&str]] = &[&["elicitation"], &["sampling"], &["roots"]];
}

impl Case {
    /// Makes a case in which the server answers one leg after another. The last answer repeats.
    pub(crate) fn new(call: Call, legs: impl Into<Vec<Step>>) -> Self {
        let script = Script { legs: legs.into(), others: Vec::new() };
        Self { call, script, needs: &[], needs_no_leg: false, items: Vec::new() }
    }

    /// Replaces the correct answer to another method.
    pub(crate) fn with_other(mut self, method: &'static str, step: Step) -> Self {
        self.script.others.push((method, step));
        self
    }

    /// Offers the checks only to a client that declares these capabilities.
    pub(crate) fn needs(self, needs: &'static [&'static [&'static str]]) -> Self {
        Self { needs, ..self }
    }

    /// Lets a client pass that sends no leg.
    pub(crate) fn without_leg(self) -> Self {
        Self { needs_no_leg: true, ..self }
    }

    /// Adds a check.
    pub(crate) fn check(
        mut self,
        id: &'static str,
        level: Level,
        source: &'static str,
        about: &'static str,
        judge: impl Fn(&PlayedCall) -> CheckResult + Send + Sync + 'static,
    ) -> Self {
        self.items.push(CaseCheck { id, level, source, about, judge: Box::new(judge) });
        self
    }

    /// Plays the call.
    pub(crate) fn play(&self, command: &[String]) -> Result<PlayedCall, String> {
        let Call { method, name, is_stdio, .. } = &self.call;
        let server = ScriptedServer::start(self.script.clone(), method, name, *is_stdio)
            .map_err(|error| error.to_string())?;
        let relay = call::relay(server.address());
        let url = server.url();
        let address = if *is_stdio { Server::Command(&relay) } else { Server::Url(&url) };
        let ended = call::run(command, &self.call, &address)
            .map_err(|error| format!("{command:?} did not start: {error}"))?;
        Ok(PlayedCall { call: self.call.clone(), seen: server.seen(), ended })
    }

    /// Judges the call.
    pub(crate) fn judge(&self, play: &Result<PlayedCall, String>) -> Vec<Check> {
        self.items.iter().map(|item| item.check(self.found(item, play))).collect()
    }

    fn found(&self, item: &CaseCheck, play: &Result<PlayedCall, String>) -> CheckResult {
        let play = play.as_ref().map_err(|why| Problem::NotOffered(why.clone()))?;
        if self.call.is_stdio && play.seen.is_empty() {
            let why = format!("it starts no server over stdio: {}", play.how_it_ended());
            return Err(Problem::NotOffered(why));
        }
        let legs = play.legs();
        if let Some(first) = legs.first() {
            let claimed = first.params().and_then(|params| params.at(CAPABILITIES));
            let is_claimed = |path: &&&[&str]| claimed.is_some_and(|it| it.at(path).is_some());
            if let Some(missing) = self.needs.iter().find(|path| !is_claimed(path)) {
                let claimed = claimed.map_or("nothing".into(), Json::to_string);
                let why = format!("it claims no {}: {}", missing.join("."), cut(&claimed, 200));
                return Err(Problem::NotOffered(why));
            }
        }
        if legs.is_empty() && !self.needs_no_leg {
            return Err(match self.needs {
                [] => play.fails(format!("no {}; {}", self.call.method, play.how_it_ended())),
                _ => Problem::NotOffered(format!("it does not call: {}", play.said())),
            });
        }
        if play.ended.was_stopped || play.ended.code != Some(0) {
            return Err(play.fails(play.how_it_ended()));
        }
        play.outcome()?;
        (item.judge)(play)
    }
}

/// The path of the client's capabilities in the params of a request.
pub(crate) const CAPABILITIES: &[&str] = &["_meta", "io.modelcontextprotocol/clientCapabilities"];

impl CaseCheck {
    fn check(&self, found: CheckResult) -> Check {
        let Self { id, level, source, about, .. } = *self;
        Check { id, level, source, about, verdict: verdict(level, found) }
    }
}

/// Makes a verdict. An INFO check cannot fail.
pub(crate) fn verdict(level: Level, found: CheckResult) -> Verdict {
    match found {
        Err(Problem::Failed { came_back, .. }) if level == Level::Info => {
            Verdict::Passed { seen: format!("otherwise: {came_back}") }
        }
        found => found.into(),
    }
}
