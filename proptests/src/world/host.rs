//! What a world lets happen to its host, and what becomes of what the host does.

use crate::invariants::{Checked, Invariant, SECRET, failed, shows_nothing_secret};
use mrtr_core::{
    host::{Action, ConnectionId, Outcome, ProviderFrame},
    wire::RawJson,
};
use serde_json::Value;

use super::{
    Says,
    ledger::{Given, LedgerCall},
    line::{Line, Read},
    plan::{self, PLANS},
    provider::Provider,
    setup::PROVIDER_OF,
    whole::World,
};
use crate::broker::{self, Host, session};

impl<H: Host> World<H> {
    /// Lets something happen to the host alone.
    pub(super) fn host_op(&mut self, op: broker::HostOp) -> Checked {
        self.host.try_apply(op)?;
        self.deliver()
    }

    /// The model of a session calls a tool.
    pub(super) fn call(&mut self, session: u8, registration: u8, plan: u8) -> Checked {
        let server = usize::from(registration) % PROVIDER_OF.len();
        let what = u8::try_from(server).unwrap_or_default();
        let plan = usize::from(plan) % (PLANS.len() + 2);
        let number = self.ledger.calls.len();
        let request = format!(
            r#"{{"name":"tool-{server}","arguments":{{"call":{number},"key":"{SECRET}"}}}}"#
        );
        let request = RawJson::parse(&request).unwrap();
        let begun = self.host.begin(session, registration / 3, what, request)?;
        if let Some(invocation) = begun {
            let session = session % 3;
            let called = LedgerCall { invocation, session, plan, server, ended: None };
            self.ledger.calls.push(called);
        }
        self.deliver()
    }

    /// Carries out what the host does: its frames go on their lines, its outcomes to the model.
    pub(super) fn deliver(&mut self) -> Checked {
        for action in self.host.take_done() {
            self.check_shown(&action)?;
            match action {
                Action::Deliver { connection, frame } => {
                    self.check_text(&(self.lies.provider.logs)(&frame))?;
                    let mut lines = self.lines.iter_mut();
                    if let Some(line) = lines.find(|line| line.connection == connection) {
                        line.write(false, frame.to_json());
                    }
                }
                Action::Settle { invocation, outcome } => {
                    let Some((number, called)) = self.ledger.called(&invocation) else {
                        return Err(Invariant::AnswersReachWhoAsked.broken(format!("{invocation}")));
                    };
                    let is_first = called.ended.replace(outcome.code().into()).is_none();
                    Invariant::OneOutcome.holds_or(is_first, || format!("{invocation} again"))?;
                    self.ended(number, &outcome)?;
                }
                Action::Store(_) | Action::Project(_) => {}
            }
        }
        Ok(())
    }

    /// The model hears how a call ended: a result is the one of its call.
    fn ended(&mut self, number: usize, outcome: &Outcome) -> Checked {
        let said = match outcome {
            Outcome::TimedOut(clock) => format!("settled timed_out {clock:?}"),
            other => format!("settled {}", other.code()),
        };
        self.note(&said);
        if let Outcome::Complete(result) = outcome {
            let result: Value = serde_json::from_str(result.as_str()).unwrap_or_default();
            let call = result.get("call").and_then(Value::as_u64);
            let is_its = call.and_then(|call| usize::try_from(call).ok()) == Some(number);
            Invariant::AnswersReachWhoAsked
                .holds_or(is_its, || format!("call {number} gets {call:?}"))?;
        }
        Ok(())
    }

    /// One side of a line reads what came.
    pub(super) fn carry(&mut self, at: usize, to_host: bool) -> Checked {
        let Some(line) = self.lines.get_mut(at) else { return Ok(()) };
        let (connection, provider) = (line.connection, line.provider);
        match line.read(to_host) {
            Read::Nothing => Ok(()),
            Read::Line(text) if to_host => {
                let frame = ProviderFrame::decode(text.as_bytes()).map_err(failed)?;
                self.host.came(connection, frame)?;
                self.deliver()
            }
            Read::Line(text) => self.hear(provider, &text),
            Read::End if to_host => {
                self.host.disconnected(connection)?;
                self.deliver()
            }
            Read::End => self.give_all_up(provider),
        }
    }

    /// A provider that is not connected connects, and registers all that it executes. If there is
    /// none, one may register something again.
    pub(super) fn connect(&mut self, provider: usize, again: u8) -> Checked {
        let gone = (0..self.providers.len()).find(|provider| self.line_of(*provider).is_none());
        let provider = gone.unwrap_or(provider % self.providers.len());
        if let Some(line) = self.line_of(provider) {
            // What has not noticed that it is cut cannot register.
            if !line.is_cut && again / 4 % 4 == 3 {
                let connection = line.connection;
                let what = again / 16 % 3;
                if PROVIDER_OF.get(usize::from(what)) == Some(&provider) {
                    self.note("something is registered again");
                    self.host.registered(what, connection)?;
                }
            }
            return self.deliver();
        }
        self.connections += 1;
        let connection = ConnectionId::new(self.connections);
        self.lines.push(Line::new(connection, provider));
        self.host.connected(connection)?;
        self.deliver()?;
        for what in 0..3 {
            if PROVIDER_OF.get(usize::from(what)) == Some(&provider) {
                self.host.registered(what, connection)?;
                self.deliver()?;
            }
        }
        Ok(())
    }

    /// A line is cut. A provider that is gone with it forgets all that it did.
    pub(super) fn cut(&mut self, at: u8, keeps: u8, crashes: bool) -> Checked {
        let whole = self.lines.iter_mut().filter(|line| !line.is_cut);
        let mut whole: Vec<_> = whole.collect();
        let Some(at) = usize::from(at).checked_rem(whole.len()) else { return Ok(()) };
        let Some(line) = whole.get_mut(at) else { return Ok(()) };
        line.cut(usize::from(keeps % 4));
        line.to_provider.is_read |= crashes;
        let provider = line.provider;
        let what = if crashes { "a provider crashes" } else { "a line is cut" };
        let live = self.providers.get(provider).into_iter().flat_map(Provider::live);
        let phases: Vec<_> =
            live.map(|(_, live)| format!("{what} in {:?}", live.phase())).collect();
        phases.iter().for_each(|phase| self.note(phase));
        if crashes {
            self.providers.get_mut(provider).unwrap().calls.clear();
        }
        Ok(())
    }

    /// Restarts the host. What it was told and had not read is gone.
    pub(super) fn restart_host(&mut self, forgets: bool) -> Checked {
        for phase in self.phases() {
            self.note(&format!("the host restarts while {phase}"));
        }
        self.host.try_apply(broker::HostOp::Restart { forgets })?;
        for line in &mut self.lines {
            line.is_cut = true;
            line.to_host.is_read = true;
        }
        for called in self.ledger.calls.iter_mut().filter(|called| called.ended.is_none()) {
            called.ended = Some("host_restarted".into());
        }
        self.deliver()
    }

    /// Returns how far the live calls are, as the host has it.
    fn phases(&self) -> Vec<String> {
        let host = self.host.host();
        let live = host.invocations().into_iter().filter_map(|id| host.phase(&id));
        live.map(|phase| format!("{phase:?}")).collect()
    }

    /// Somebody answers what a surface shows.
    pub(super) fn answer_shown(&mut self, surface: u8, question: u8, says: Says) -> Checked {
        let (own, shown) = self.host.screen(surface);
        let own = own.clone();
        let Some(shown) = broker::pick(&shown, question) else { return Ok(()) };
        let interaction = shown.interaction.id;
        let owner = shown.interaction.owner.invocation.clone();
        let question = plan::number_shown(shown);
        let known = question.and_then(|question| self.ledger.questions.get(question).cloned());
        let (Some(number), Some(known)) = (question, known) else {
            return Err(Invariant::AnswersReachWhoAsked.broken("nobody asked what is shown"));
        };
        let is_its = self
            .ledger
            .calls
            .get(known.call)
            .is_some_and(|called| called.invocation == owner && session(called.session) == own);
        Invariant::AnswersReachWhoAsked
            .holds_or(is_its, || format!("{interaction} is shown to {own}"))?;
        let session = says.pretends.map_or(own, session);
        let at = self.ledger.answers.len();
        let (response, decision, json) = plan::answer(known.kind, says.how, at);
        let is_taken =
            self.host.answered(interaction, session.clone(), response, decision, json)?;
        self.note(if is_taken { "an answer is taken" } else { "an answer is refused" });
        let question = number;
        self.ledger.answers.push(Given { session, question, json, is_taken });
        self.deliver()
    }

    /// A surface cannot show a question.
    pub(super) fn unanswerable(&mut self, surface: u8, question: u8) -> Checked {
        let (_, shown) = self.host.screen(surface);
        let Some(shown) = broker::pick(&shown, question) else { return Ok(()) };
        let interaction = shown.interaction.id;
        self.host.unanswerable(interaction)?;
        self.deliver()
    }

    /// Checks that an operator sees no secret.
    pub(super) fn check_shown(&self, shown: &impl core::fmt::Debug) -> Checked {
        self.check_text(&format!("{shown:?}"))
    }

    /// Looks for what stands in states, keys, answers and params, and for the states themselves.
    pub(super) fn check_text(&self, shown: &str) -> Checked {
        shows_nothing_secret(shown)?;
        let mut tokens = self.ledger.sealed.keys().filter_map(|token| token.get(..24));
        let is_shown = tokens.any(|token| shown.contains(token));
        Invariant::NothingSecretIsShown.holds(!is_shown, "a state is shown")
    }
}
