//! A call that a client made, with the expectations that checks use.

use core::time::Duration;

use super::{
    call::{Call, ProgramExit},
    json::{Json, Text},
    scripted_server::Received,
};
use crate::check::{Problem, cut};

/// The result of a check: a short summary, or why it did not pass.
pub(crate) type CheckResult = Result<String, Problem>;

/// The number of characters of a message that are shown.
const MESSAGE_CHARS_MAX: usize = 1500;

/// A call that a client made to the scripted server.
#[derive(Debug)]
pub(crate) struct PlayedCall {
    pub(crate) call: Call,
    /// Every message that the scripted server received, in order.
    pub(crate) seen: Vec<Received>,
    pub(crate) ended: ProgramExit,
}

impl PlayedCall {
    /// Returns the legs of the call. A request that follows a redirect is no new leg.
    pub(crate) fn legs(&self) -> Vec<&Received> {
        let is_leg = |seen: &&Received| {
            !seen.elsewhere
                && seen.http.as_ref().is_none_or(|http| http.path == "/mcp")
                && seen.method().as_deref() == Some(self.call.method)
        };
        self.seen.iter().filter(is_leg).collect()
    }

    /// Returns a leg. The first is 0.
    pub(crate) fn leg(&self, index: usize) -> Result<&Received, Problem> {
        let legs = self.legs();
        let missing = || self.fails(format!("{} legs, and none after them", legs.len()));
        legs.get(index).copied().ok_or_else(missing)
    }

    /// Returns a member of the parameters of a leg.
    pub(crate) fn param(&self, leg: usize, name: &str) -> Result<Option<&Json>, Problem> {
        Ok(self.leg(leg)?.params().and_then(|params| params.get(name)))
    }

    /// Returns the answers of a leg, which must be an object.
    pub(crate) fn answers(&self, leg: usize) -> Result<&[(Text, Json)], Problem> {
        match self.param(leg, "inputResponses")? {
            Some(Json::Object(answers)) => Ok(answers),
            Some(other) => Err(self.fails(format!("inputResponses: {other}"))),
            None => Err(self.fails(format!("leg {} has no inputResponses", leg + 1))),
        }
    }

    /// Returns the answer under a key of a leg.
    pub(crate) fn answer(&self, leg: usize, key: &str) -> Result<&Json, Problem> {
        let answers = self.answers(leg)?;
        let found = answers.iter().find(|(known, _)| known == key);
        let missing = || self.fails(format!("no answer under {:?}: {}", key, list(answers)));
        found.map(|(_, answer)| answer).ok_or_else(missing)
    }

    /// Expects answers under exactly these keys.
    pub(crate) fn expect_keys(&self, leg: usize, keys: &[&str]) -> Result<(), Problem> {
        let answers = self.answers(leg)?;
        let has_all = keys.iter().all(|key| answers.iter().any(|(known, _)| known == *key));
        if has_all && answers.len() == keys.len() {
            return Ok(());
        }
        Err(self.fails(format!("answers under the keys {}", list(answers))))
    }

    /// Expects a leg to have this state, as JSON, or none.
    pub(crate) fn expect_state(&self, leg: usize, state: Option<&str>) -> Result<(), Problem> {
        let found = self.param(leg, "requestState")?;
        let expected = state.and_then(|state| Json::parse(state.as_bytes()).ok());
        if found == expected.as_ref() {
            return Ok(());
        }
        let found = found.map_or("none".into(), |state| cut(&state.to_string(), 300));
        let expected = expected.map_or("none".into(), |state| cut(&state.to_string(), 300));
        let leg = leg + 1;
        Err(self.fails(format!("leg {leg} has the requestState {found}, and not {expected}")))
    }

    /// Expects a value to be equal to a document.
    pub(crate) fn expect_equal(&self, found: &Json, expected: &str) -> Result<(), Problem> {
        let expected = Json::parse(expected.as_bytes())
            .map_err(|fault| self.fails(format!("the check is wrong: {fault}")))?;
        found.same(&expected).map_err(|differs| self.fails(format!("{found} differs {differs}")))
    }

    /// Expects this number of legs.
    pub(crate) fn expect_legs(&self, count: usize) -> Result<(), Problem> {
        let legs = self.legs();
        if let Some(more) = legs.get(count) {
            let more = retried(more);
            return Err(self.fails(format!("request {} was sent, with {more}", count + 1)));
        }
        match legs.len() {
            legs if legs == count => Ok(()),
            legs => Err(self.fails(format!("{legs} requests were sent, and not {count}"))),
        }
    }

    /// Returns the outcome that the client printed.
    pub(crate) fn outcome(&self) -> Result<Json, Problem> {
        let missing = || self.fails(format!("no outcome; {}", self.how_it_ended()));
        self.ended.outcome().ok_or_else(missing)
    }

    /// Expects the call to be complete with a text.
    pub(crate) fn expect_complete(&self, text: &str) -> Result<(), Problem> {
        let outcome = self.outcome()?;
        let is_complete =
            outcome.get("outcome").and_then(Json::text).as_deref() == Some("complete");
        if is_complete && outcome.get("text").and_then(Json::text).as_deref() == Some(text) {
            return Ok(());
        }
        Err(self.fails(outcome.to_string()))
    }

    /// Expects the call to end in an error.
    pub(crate) fn expect_error(&self) -> Result<(), Problem> {
        let outcome = self.outcome()?;
        if outcome.get("outcome").and_then(Json::text).as_deref() == Some("error") {
            return Ok(());
        }
        Err(self.fails(outcome.to_string()))
    }

    /// Expects one leg and then an error.
    pub(crate) fn expect_refused(&self) -> CheckResult {
        self.expect_legs(1)?;
        self.expect_error()?;
        Ok(format!("one leg, then {}", self.said()))
    }

    /// Returns the outcome as it was printed.
    pub(crate) fn said(&self) -> String {
        cut(self.ended.last_line(), 200)
    }

    /// Returns the time from the first message to the end of the program.
    pub(crate) fn took(&self) -> Duration {
        let started = self.seen.first().map_or(self.ended.at, |seen| seen.at);
        self.ended.at.saturating_duration_since(started)
    }

    /// Describes how the program ended.
    pub(crate) fn how_it_ended(&self) -> String {
        let end = match (self.ended.was_stopped, self.ended.code) {
            (true, _) => format!("it did not end within {} s", self.call.patience.as_secs()),
            (false, Some(code)) => format!("exit code {code}"),
            (false, None) => "it was killed by a signal".into(),
        };
        let last = [self.ended.last_line(), self.ended.stderr.trim()].join(" ");
        format!("{end}: {}", cut(last.trim(), 300))
    }

    /// Makes a failure, with what was sent.
    pub(crate) fn fails(&self, came_back: impl Into<String>) -> Problem {
        let legs = self.legs();
        let answered = legs.iter().filter_map(|seen| seen.answered.as_ref());
        let answers: Vec<&str> = answered.map(|(_, answer)| answer.as_str()).take(3).collect();
        let answers = cut(&answers.join(" then "), MESSAGE_CHARS_MAX);
        let mut came_back = came_back.into();
        if !came_back.contains("\"outcome\"") {
            came_back = format!("{came_back}; in the end {}", self.said());
        }
        Problem::Failed {
            sent: format!("{} <- {answers}", cut(&self.call.shown(), MESSAGE_CHARS_MAX)),
            came_back: cut(&came_back, MESSAGE_CHARS_MAX),
        }
    }

    /// Writes all messages, for a person who looks into a verdict.
    pub(crate) fn transcript(&self) -> String {
        let mut lines = vec![self.call.shown()];
        for seen in &self.seen {
            let head = seen.http.as_ref().map_or("line".into(), |http| {
                format!("{} {} {:?}", http.method, http.path, http.headers)
            });
            let place = if seen.elsewhere { "elsewhere" } else { "server" };
            lines.push(format!("-> {place} {head}\n   {}", cut(&seen.text(), MESSAGE_CHARS_MAX)));
            if let Some((_, answer)) = &seen.answered {
                lines.push(format!("<- {}", cut(answer, MESSAGE_CHARS_MAX)));
            }
        }
        lines.push(self.how_it_ended());
        lines.push(cut(&self.ended.stderr, MESSAGE_CHARS_MAX));
        lines.join("\n")
    }
}

/// Writes the answers and the state of a retry.
fn retried(leg: &Received) -> String {
    let member = |name: &str| {
        let found = leg.params()?.get(name)?;
        Some(format!("{name} {}", cut(&found.to_string(), 300)))
    };
    let members: Vec<String> =
        ["inputResponses", "requestState"].into_iter().filter_map(member).collect();
    if members.is_empty() { "neither answers nor a state".into() } else { members.join(", ") }
}

fn list(answers: &[(Text, Json)]) -> String {
    let keys: Vec<String> = answers.iter().map(|(key, _)| key.to_string()).collect();
    cut(&keys.join(", "), 300)
}
