//! The providers of a world: each executes what its host calls, and leaves every question to it.

use crate::invariants::{Checked, Invariant, failed};
use std::collections::{BTreeMap, VecDeque};

use mrtr_core::{
    InvocationId,
    client::{Action, Binding, Event, Invocation, LegRequest, Outcome, Reply, Request},
    host::{HostFrame, ProviderFrame, Question, Requester},
    wire::{Elicitation, InputRequest, InputResponse, Method, RawJson},
};
use serde_json::Value;

use super::{
    ledger::salient,
    line::Line,
    network,
    plan::{self, REJECTED, RELEASED},
    setup::{claims, limits},
    whole::World,
};
use crate::{
    broker::Host,
    invocation::{CallModel, CallSight},
};

/// A provider.
#[derive(Clone, Debug, Default)]
pub(super) struct Provider {
    /// The calls that it executes, and those that are over: something may still come for them.
    pub(super) calls: BTreeMap<InvocationId, ProvidedCall>,
    /// How often it has connected to each server.
    pub(super) connections: [u32; super::setup::SERVERS],
}

/// A call that a provider executes.
#[derive(Clone, Debug)]
pub(super) struct ProvidedCall {
    call: Invocation,
    model: CallModel,
    last: LegRequest,
    server: usize,
    /// What the host is still to be asked.
    queue: VecDeque<QueuedQuestion>,
    asking: Option<QueuedQuestion>,
    /// How many questions the host was asked.
    number: u64,
    /// Whether the host wants to hear of it.
    is_wanted: bool,
}

/// A question of a round.
#[derive(Clone, Debug)]
struct QueuedQuestion {
    round: u32,
    key: String,
    elicitation: Elicitation,
}

impl ProvidedCall {
    pub(super) fn is_over(&self) -> bool {
        self.model.watch().is_settled()
    }

    pub(super) fn deadline(&self) -> Option<mrtr_core::Instant> {
        self.call.deadline()
    }

    pub(super) fn phase(&self) -> mrtr_core::Phase {
        self.call.phase()
    }

    pub(super) fn server(&self) -> usize {
        self.server
    }

    pub(super) fn leg(&self) -> mrtr_core::client::LegId {
        self.last.leg.clone()
    }
}

impl Provider {
    pub(super) fn binding(&self, server: usize) -> Binding {
        let number = self.connections.get(server).copied().unwrap_or_default();
        Binding::new(&format!("server-{server}#{number}"))
    }

    /// Returns the calls that are not over.
    pub(super) fn live(&self) -> impl Iterator<Item = (&InvocationId, &ProvidedCall)> {
        self.calls.iter().filter(|(_, live)| !live.is_over())
    }
}

impl<H: Host> World<H> {
    /// A provider reads what its host says.
    pub(super) fn hear(&mut self, provider: usize, line: &str) -> Checked {
        let frame = HostFrame::decode(line.as_bytes()).map_err(failed)?;
        self.check_shown(&frame)?;
        let id = frame.invocation().clone();
        match frame {
            HostFrame::Call { request, .. } => self.begin(provider, &id, request),
            HostFrame::InteractionResult { interaction, result, .. } => {
                let id = if self.lies.provider.mixes_up_calls {
                    let live = self.providers.get(provider).into_iter().flat_map(Provider::live);
                    let mut asking =
                        live.filter(|(other, live)| **other != id && live.asking.is_some());
                    asking.next().map_or(id, |(other, _)| other.clone())
                } else {
                    id
                };
                self.answer(provider, &id, interaction, &result)
            }
            HostFrame::InteractionRefused { interaction, .. } => {
                self.note("a question is refused");
                match self.take_asked(provider, &id, interaction) {
                    Some(QueuedQuestion { round, key, .. }) => {
                        self.tell(provider, &id, Event::Failed { round, key })
                    }
                    None => Ok(()),
                }
            }
            HostFrame::Cancel { .. } if self.lies.provider.ignores_cancel => Ok(()),
            HostFrame::Cancel { .. } => self.give_up(provider, &id),
        }
    }

    /// Starts a call of the MCP server.
    fn begin(&mut self, provider: usize, id: &InvocationId, params: RawJson) -> Checked {
        let read: Value = serde_json::from_str(params.as_str()).unwrap_or_default();
        let called = self.ledger.call_of(&salient(&read)).map(|(_, called)| called.clone());
        let Some(called) = called.filter(|called| called.invocation == *id) else {
            return Err(
                Invariant::AnswersReachWhoAsked.broken(format!("{id} is called for another"))
            );
        };
        let invocation = id.clone();
        let error = RawJson::parse(r#"{"code":"busy"}"#).unwrap();
        match called.plan {
            REJECTED => {
                return self.say(provider, ProviderFrame::Rejected { invocation, error });
            }
            RELEASED => return self.say(provider, ProviderFrame::Released { invocation }),
            _ => {}
        }
        let (now, allowed) = (self.host.now, limits(self.setup));
        let mut taken = allowed.clone();
        taken.rounds_max += self.lies.client.rounds_more;
        let binding = self.providers.get(provider).unwrap().binding(called.server);
        let request = Request::new(id.clone(), Method::ToolsCall, params, binding);
        let (call, actions) = Invocation::start(now, request, claims(), taken).map_err(failed)?;
        let [Action::Send(first)] = actions.as_slice() else {
            return Err(Invariant::AsRequired.broken(format!("{actions:?}")));
        };
        let live = ProvidedCall {
            model: CallModel::new(now, allowed, first),
            last: first.clone(),
            call,
            server: called.server,
            queue: VecDeque::new(),
            asking: None,
            number: 0,
            is_wanted: true,
        };
        let first = first.clone();
        self.providers.get_mut(provider).unwrap().calls.insert(id.clone(), live);
        self.say(provider, ProviderFrame::Accepted { invocation })?;
        self.send(provider, &first)
    }

    /// Hands over what came of a question.
    fn answer(
        &mut self,
        provider: usize,
        id: &InvocationId,
        number: u64,
        result: &RawJson,
    ) -> Checked {
        let number = if self.lies.provider.mixes_up_calls {
            let live = self.providers.get(provider).and_then(|provider| provider.calls.get(id));
            live.map_or(number, |live| live.number)
        } else {
            number
        };
        let Some(asked) = self.take_asked(provider, id, number) else { return Ok(()) };
        let response =
            InputResponse::decode(result.as_json(), &limits(self.setup).form).map_err(failed)?;
        let response = match (response, &asked.elicitation) {
            (InputResponse::Accept(_), Elicitation::Url(_)) => InputResponse::Consent,
            (response, _) => response,
        };
        let QueuedQuestion { round, key, .. } = asked;
        self.tell_answer(
            provider,
            id,
            Event::Answer { round, key, response },
            Some(result.as_str()),
        )
    }

    fn take_asked(
        &mut self,
        provider: usize,
        id: &InvocationId,
        number: u64,
    ) -> Option<QueuedQuestion> {
        let live = self.providers.get_mut(provider)?.calls.get_mut(id)?;
        live.asking.take_if(|_| live.number == number)
    }

    /// Stops what nobody wants to hear of any more.
    fn give_up(&mut self, provider: usize, id: &InvocationId) -> Checked {
        let calls = self.providers.get_mut(provider).map(|provider| &mut provider.calls);
        let Some(live) = calls.and_then(|calls| calls.get_mut(id)) else { return Ok(()) };
        live.is_wanted = false;
        self.tell(provider, id, Event::Stop)
    }

    /// Stops everything: the host is gone.
    pub(super) fn give_all_up(&mut self, provider: usize) -> Checked {
        let live = self.providers.get(provider).into_iter().flat_map(Provider::live);
        let live: Vec<_> = live.map(|(id, _)| id.clone()).collect();
        live.iter().try_for_each(|id| self.give_up(provider, id))
    }

    /// Brings a response to the call that waits for it, or did.
    pub(super) fn reply(&mut self, response: &network::Response, is_garbled: bool) -> Checked {
        let network::Sender { provider, leg } = response.to.clone();
        let bytes = if is_garbled { b"<html>" } else { response.message.as_bytes() };
        let reply = Reply::read(&leg, bytes);
        let id = leg.invocation().clone();
        self.tell(provider, &id, Event::Reply { leg, reply })
    }

    pub(super) fn tell(&mut self, provider: usize, id: &InvocationId, event: Event) -> Checked {
        self.tell_answer(provider, id, event, None)
    }

    /// Tells a call what happened, checks what it makes of it, and carries that out. `answer` is
    /// what goes to the server, if the event is an answer.
    fn tell_answer(
        &mut self,
        provider: usize,
        id: &InvocationId,
        event: Event,
        answer: Option<&str>,
    ) -> Checked {
        let now = self.host.now;
        let calls = &mut self.providers.get_mut(provider).unwrap().calls;
        // A provider that crashed knows nothing of it.
        let Some(mut live) = calls.remove(id) else { return Ok(()) };
        let before = live.call.phase();
        let result = live.call.handle(now, event.clone());
        self.check_shown(&(&event, &result, &live.call))?;
        let misuse = result.as_ref().err().map(|misuse| format!("{misuse}"));
        self.check_text(misuse.as_deref().unwrap_or_default())?;
        let actions = result.unwrap_or_default();
        let is_moved = !actions.reports().is_empty();
        let mut actions: Vec<_> = actions.into_iter().collect();
        (self.lies.client.acts)(&event, before, &live.last, &mut actions);
        // The host has checked it, and the question is open.
        let is_refused = matches!(event, Event::Answer { .. }) && misuse.is_some();
        Invariant::AsRequired.holds_or(!is_refused, || format!("{id}: {misuse:?}"))?;
        let was_over = live.is_over();
        let leads = match &event {
            Event::Reply { reply, .. } => Some(live.model.read(reply)),
            _ => None,
        };
        let sight = CallSight {
            now,
            event: &event,
            sent: answer,
            phases: [before, live.call.phase()],
            is_moved,
            actions: &actions,
        };
        live.model.see(sight, leads)?;
        let deadline = (self.lies.client.deadline)(live.call.phase(), live.call.deadline());
        let open = (self.lies.client.open)(live.call.phase(), live.call.open());
        live.model.check(live.call.phase(), open, deadline)?;
        if let Some(Action::Send(request)) = actions.first() {
            self.check_text(&(self.lies.client.logs)(request))?;
        }
        if was_over && matches!(event, Event::Reply { .. }) {
            self.note("a reply comes after the end");
        }
        let calls = &mut self.providers.get_mut(provider).unwrap().calls;
        calls.insert(id.clone(), live);
        for action in actions {
            self.carry_out(provider, id, action)?;
        }
        self.ask_next(provider, id)
    }

    fn carry_out(&mut self, provider: usize, id: &InvocationId, action: Action) -> Checked {
        let live = self.providers.get_mut(provider).unwrap().calls.get_mut(id).unwrap();
        match action {
            Action::Send(request) => {
                live.last = request.clone();
                self.note("a retry is sent");
                self.send(provider, &request)?;
            }
            Action::CancelLeg { .. } => self.note("a leg is cancelled"),
            Action::Ask { round, key, request } => {
                let InputRequest::Elicitation(elicitation) = request else {
                    return Err(Invariant::AsRequired.broken(format!("{request:?} is asked")));
                };
                let server = live.server;
                live.queue.push_back(QueuedQuestion {
                    round,
                    key: key.clone(),
                    elicitation: elicitation.clone(),
                });
                self.check_asked(id, server, &key, &elicitation)?;
            }
            Action::Retract { round, key, .. } => {
                let is_it = |asked: &QueuedQuestion| asked.round == round && asked.key == key;
                live.queue.retain(|asked| !is_it(asked));
                live.asking.take_if(|asked| is_it(asked));
            }
            Action::Settle(outcome) => {
                let is_wanted = live.is_wanted;
                let left = live.queue.len() + usize::from(live.asking.is_some());
                Invariant::NoQuestionWithoutInvocation
                    .holds_or(left == 0, || format!("{id} leaves {left}"))?;
                self.check_text(&format!("{outcome}"))?;
                self.note(&format!("call {}", outcome_said(&outcome)));
                if is_wanted {
                    self.say(provider, ending(id.clone(), outcome))?;
                }
            }
        }
        Ok(())
    }

    /// Checks that what is asked was asked by the server of the call, for it.
    fn check_asked(
        &self,
        id: &InvocationId,
        server: usize,
        key: &str,
        elicitation: &Elicitation,
    ) -> Checked {
        let question = plan::number(elicitation).and_then(|at| self.ledger.questions.get(at));
        let is_its = question.is_some_and(|question| {
            let call = self.ledger.calls.get(question.call);
            let is_of_it = call.is_some_and(|call| call.invocation == *id);
            is_of_it && question.server == server && question.key == key
        });
        Invariant::AnswersReachWhoAsked
            .holds_or(is_its, || format!("{id} asks what is not its own"))
    }

    /// Asks the host the next question, if it is not asked one.
    fn ask_next(&mut self, provider: usize, id: &InvocationId) -> Checked {
        let live = self.providers.get_mut(provider).unwrap().calls.get_mut(id).unwrap();
        if live.asking.is_some() {
            return Ok(());
        }
        let Some(asked) = live.queue.pop_front() else { return Ok(()) };
        live.number += 1;
        let requester = Requester::new("SENTINEL a", "SENTINEL b", "SENTINEL c");
        let question = Question::new(asked.elicitation.clone(), requester);
        let frame = ProviderFrame::ask(id.clone(), live.number, &question);
        live.asking = Some(asked);
        self.say(provider, frame)
    }

    /// Sends a request, over the connection that its call is bound to: the call was told of any other.
    fn send(&mut self, provider: usize, request: &LegRequest) -> Checked {
        let (leg, from) = (request.leg.clone(), self.providers.get(provider).unwrap());
        let server = from.calls.get(leg.invocation()).map_or(0, |live| live.server);
        Invariant::AnswersReachWhoAsked.same(
            "a binding",
            &request.binding,
            &from.binding(server),
        )?;
        let request = network::Request {
            server,
            principal: format!("provider-{provider}"),
            message: request.to_json(),
            from: Some(network::Sender { provider, leg }),
        };
        self.network.overheard.push(network::Request { from: None, ..request.clone() });
        self.network.requests.push(request);
        Ok(())
    }

    /// Sends a frame to the host, if there is one.
    pub(super) fn say(&mut self, provider: usize, mut frame: ProviderFrame) -> Checked {
        (self.lies.provider.says)(&mut frame);
        self.check_shown(&frame)?;
        if let Some(line) = self.line_of(provider) {
            line.write(true, frame.to_json());
        }
        Ok(())
    }

    /// Returns the connection of a provider, as far as it knows.
    pub(super) fn line_of(&mut self, provider: usize) -> Option<&mut Line> {
        let mut lines = self.lines.iter_mut();
        lines.find(|line| line.provider == provider && !line.to_provider.is_read)
    }
}

/// Makes the frame that says how a call ended.
fn ending(invocation: InvocationId, outcome: Outcome) -> ProviderFrame {
    let said = outcome_said(&outcome);
    match outcome {
        Outcome::Complete(result) => ProviderFrame::Result { invocation, result },
        _ => {
            let error = serde_json::json!({ "code": said });
            ProviderFrame::Failed { invocation, error: RawJson::from_value(&error).unwrap() }
        }
    }
}

/// Names how a call ended, with its cause.
fn outcome_said(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Error(error) => format!("error {}", error.code),
        Outcome::Fault(fault) => {
            let what = format!("{fault:?}");
            let what = what.split(['(', ' ', '{']).next().unwrap_or_default().to_owned();
            format!("fault {what}")
        }
        Outcome::TimedOut(clock) => format!("timed_out {clock:?}"),
        other => other.code().into(),
    }
}
