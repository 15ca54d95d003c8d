//! The machine of the client role.

use alloc::{string::String, vec::Vec};
use core::fmt;

use super::{
    Action, Actions, Claims, Event, Fault, Misuse, Outcome, Reply, Report, Request, StartError,
    request::Template,
    round::{Question, Round},
};
use crate::{
    Clock, Instant, InvocationId, Limits, Phase, Transition, Trigger,
    id::LegId,
    lifecycle,
    lifecycle::Step,
    timer::{Due, Timer},
    wire::{CallResult, InputResponse, RawJson, RpcError},
};

/// A call of a tool, prompt or resource over many requests, from the first leg to the one outcome.
///
/// Events and the time go in, and actions come out of the same call. The machine is plain data: it
/// does nothing between two calls.
///
/// ```
/// use form_model::Content;
/// use mrtr_core::client::{Action, Binding, Claims, Event, Invocation, Outcome, Reply, Request};
/// use mrtr_core::wire::{InputResponse, Method, RawJson};
/// use mrtr_core::{Instant, InvocationId, Limits, Phase};
///
/// let now = Instant::from_millis(0);
/// let params = RawJson::parse(r#"{"name":"deploy","arguments":{"artifact":"build-42"}}"#)?;
/// let id = InvocationId::new("call-7")?;
/// let request = Request::new(id, Method::ToolsCall, params, Binding::new("connection-1"));
/// // A person can fill in a form here, so the call claims forms.
/// let claims = Claims::none().with_form();
/// let (mut call, actions) = Invocation::start(now, request, claims, Limits::default())?;
/// let [Action::Send(first)] = actions.as_slice() else { unreachable!() };
/// assert_eq!(first.leg.to_string(), "call-7.1");
///
/// // The server asks a question.
/// let result = RawJson::parse(
///     r#"{"resultType":"input_required","requestState":"opaque","inputRequests":{"target":
///         {"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":
///             {"type":"object","properties":{"confirm":{"type":"boolean"}}}}}}}"#,
/// )?;
/// let reply = Event::Reply { leg: first.leg.clone(), reply: Reply::Result(result) };
/// let actions = call.handle(now, reply)?;
/// let [Action::Ask { round: 1, key, .. }] = actions.as_slice() else { unreachable!() };
/// assert_eq!(call.phase(), Phase::AwaitingInteraction);
///
/// // The person answers, at once or minutes later. The retry has the answer and the server's state.
/// let response = InputResponse::Accept(Content::new().with_flag("confirm", true));
/// let answer = Event::Answer { round: 1, key: key.clone(), response };
/// let actions = call.handle(now, answer)?;
/// let [Action::Send(retry)] = actions.as_slice() else { unreachable!() };
/// let answers = r#""inputResponses":{"target":{"action":"accept","content":{"confirm":true}}}"#;
/// assert!(retry.params.as_str().contains(answers));
/// assert!(retry.params.as_str().contains(r#""requestState":"opaque""#));
///
/// // The server is done.
/// let done = Event::Reply { leg: retry.leg.clone(), reply: Reply::Result(RawJson::parse("{}")?) };
/// let actions = call.handle(now, done)?;
/// assert!(matches!(actions.as_slice(), [Action::Settle(Outcome::Complete(_))]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Hash)]
pub struct Invocation {
    template: Template,
    claims: Claims,
    limits: Limits,
    phase: Phase,
    timer: Timer,
    /// The number of the last leg that was sent.
    leg: u32,
    /// The number of the last round; 0 before the first.
    rounds: u32,
    /// The current round. It is `Some` exactly in `AwaitingInteraction` and `Pausing`.
    round: Option<Round>,
}

/// The meaning of an event whose content was checked.
enum Input {
    /// The leg asks questions, or only to be called again.
    Asked(Round),
    Answered {
        key: String,
        answer: RawJson,
        last: bool,
    },
    PauseOver,
    Progressed,
    /// The leg asks for input, and all legs together have reached their time limit.
    Spent,
    Ended(Outcome),
    Late,
}

impl Input {
    fn trigger(&self) -> Trigger {
        match self {
            Self::Asked(round) if round.questions.is_empty() => Trigger::StateOnly,
            Self::Asked(_) => Trigger::Asked,
            Self::Answered { last: false, .. } => Trigger::Answered,
            Self::Answered { last: true, .. } => Trigger::RoundAnswered,
            Self::PauseOver => Trigger::PauseOver,
            Self::Progressed => Trigger::Progressed,
            Self::Spent => Trigger::TimedOut,
            Self::Ended(outcome) => outcome.trigger(),
            Self::Late => Trigger::Late,
        }
    }
}

impl Invocation {
    /// Starts a call. The action sends its first leg.
    ///
    /// # Errors
    ///
    /// Returns [`StartError`] if the params are malformed, or have members that only a retry has. A
    /// call of revision 2026-07-28 cannot start if the `_meta` of its params has a capability of
    /// input requests or another protocol version. A call of an earlier revision cannot start if it
    /// claims anything.
    pub fn start(
        now: Instant,
        request: Request,
        claims: Claims,
        limits: Limits,
    ) -> Result<(Self, Actions), StartError> {
        let template = Template::new(request, claims)?;
        let first = template.first_leg();
        let call = Self {
            template,
            claims,
            timer: Timer::new(now),
            limits,
            phase: Phase::Running,
            leg: 1,
            rounds: 0,
            round: None,
        };
        call.check();
        Ok((call, Action::Send(first).into()))
    }

    /// Takes an event, and returns the actions that follow from it.
    ///
    /// Late and repeated input from the network does nothing. A mistake of the server is an
    /// outcome, not an error.
    ///
    /// # Errors
    ///
    /// Returns [`Misuse`] if the caller made a mistake, such as an answer that does not fit its
    /// question. The call is unchanged.
    pub fn handle(&mut self, now: Instant, event: Event) -> Result<Actions, Misuse> {
        let Some(input) = self.read(now, event)? else { return Ok(Actions::default()) };
        let trigger = input.trigger();
        match lifecycle::step(self.phase, trigger) {
            Step::Ignore => Ok(Actions::default()),
            Step::Refuse => Err(Misuse::Closed),
            Step::Go(to) => {
                let from = self.phase;
                self.timer.tell(now);
                let list = self.apply(to, input);
                let transition = Transition {
                    invocation: self.template.id.clone(),
                    leg: self.leg,
                    round: self.rounds,
                    from,
                    to,
                    cause: trigger,
                    open: self.open(),
                };
                self.check();
                Ok(Actions { list, reports: [Report::Moved(transition)].into() })
            }
        }
    }

    /// Returns when to come back with [`Event::Tick`] if no other event comes before; `None` if the
    /// call has settled.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.timer.due(self.phase, &self.limits.clocks).map(|(at, _)| at)
    }

    /// Returns the phase.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns the id.
    #[must_use]
    pub const fn id(&self) -> &InvocationId {
        &self.template.id
    }

    /// Returns the number of questions that wait for an answer.
    #[must_use]
    pub fn open(&self) -> usize {
        self.round.as_ref().map_or(0, |round| round.open_keys().count())
    }

    /// Checks the content of an event. `None`: the event changes nothing.
    fn read(&self, now: Instant, event: Event) -> Result<Option<Input>, Misuse> {
        let lost =
            || if self.phase.is_in_flight() { Outcome::OutcomeUnknown } else { Outcome::Lost };
        Ok(match event {
            Event::Reply { leg, reply } => Some(self.read_reply(now, &leg, reply)?),
            Event::Answer { round, key, response } => Some(self.read_answer(round, key, response)?),
            Event::Failed { round, key } => {
                self.open_question(round, &key)?;
                Some(Input::Ended(Outcome::Unanswerable))
            }
            Event::Progress { leg } => {
                Some(if self.is_in_flight(&leg)? { Input::Progressed } else { Input::Late })
            }
            Event::BindingChanged(binding) if binding == self.template.binding => None,
            Event::BindingChanged(_) | Event::ConnectionLost => Some(Input::Ended(lost())),
            Event::Stop => Some(Input::Ended(Outcome::Stopped)),
            Event::Tick => {
                self.timer.ran_out(now, self.phase, &self.limits.clocks).map(|due| match due {
                    Due::Pause => Input::PauseOver,
                    Due::Clock(clock) => Input::Ended(Outcome::TimedOut(clock)),
                })
            }
        })
    }

    fn read_reply(&self, now: Instant, leg: &LegId, reply: Reply) -> Result<Input, Misuse> {
        if !self.is_in_flight(leg)? {
            return Ok(Input::Late);
        }
        let input = self.read_outcome(now, reply);
        Ok(input.unwrap_or_else(|fault| Input::Ended(Outcome::Fault(fault))))
    }

    /// Returns whether a leg of this call is the one in flight.
    fn is_in_flight(&self, leg: &LegId) -> Result<bool, Misuse> {
        if leg.invocation() != &self.template.id {
            return Err(Misuse::WrongInvocation);
        }
        if leg.number() > self.leg || leg.number() == 0 {
            return Err(Misuse::UnknownLeg);
        }
        Ok(leg.number() == self.leg && self.phase.is_in_flight())
    }

    fn read_outcome(&self, now: Instant, reply: Reply) -> Result<Input, Fault> {
        let result = match reply {
            Reply::Result(result) => result,
            Reply::Error(error) => {
                let error = RpcError::decode(error.as_json(), self.limits.error_bytes_max)?;
                return Ok(Input::Ended(Outcome::Error(error)));
            }
            Reply::Unreadable(error) => return Err(error.into()),
        };
        match CallResult::decode(result.as_json(), &self.template.extension_types)? {
            CallResult::Complete => Ok(Input::Ended(Outcome::Complete(result))),
            CallResult::InputRequired { requests, state } => {
                let number = self.rounds.saturating_add(1);
                let round = Round::new(number, requests, state, self.claims, &self.limits)?;
                // No question is asked if the retry would have no time left.
                let is_spent = self.timer.is_spent(now, &self.limits.clocks);
                Ok(if is_spent { Input::Spent } else { Input::Asked(round) })
            }
        }
    }

    fn read_answer(
        &self,
        round: u32,
        key: String,
        response: InputResponse,
    ) -> Result<Input, Misuse> {
        let (round, question) = self.open_question(round, &key)?;
        let answer = question.request.expected().check(response)?.encode(&self.limits.form)?;
        let last = round.open_keys().count() == 1;
        Ok(Input::Answered { key, answer, last })
    }

    /// Finds a question that waits for an answer.
    fn open_question(&self, round: u32, key: &str) -> Result<(&Round, &Question), Misuse> {
        if round != self.rounds || round == 0 {
            return Err(Misuse::WrongRound);
        }
        let round = self.round.as_ref().ok_or(Misuse::Closed)?;
        if round.questions.is_empty() {
            return Err(Misuse::Closed);
        }
        let question = round.questions.get(key).ok_or(Misuse::UnknownKey)?;
        if question.answer.is_some() { Err(Misuse::Answered) } else { Ok((round, question)) }
    }

    /// Changes the machine, and returns the actions.
    fn apply(&mut self, to: Phase, input: Input) -> Vec<Action> {
        let from = core::mem::replace(&mut self.phase, to);
        self.timer.turn(from, to, &self.limits.clocks);
        match input {
            Input::Asked(round) => {
                let asks = asks(&round);
                self.rounds = round.number;
                self.round = Some(round);
                asks
            }
            Input::Answered { key, answer, last } => {
                let questions = self.round.as_mut().map(|round| &mut round.questions);
                if let Some(question) = questions.and_then(|questions| questions.get_mut(&key)) {
                    question.answer = Some(answer);
                }
                if last { self.retry() } else { Vec::new() }
            }
            Input::PauseOver => self.retry(),
            Input::Progressed => {
                self.timer.extend(&self.limits.clocks);
                Vec::new()
            }
            Input::Spent => self.settle(Outcome::TimedOut(Clock::Execution)),
            Input::Ended(outcome) => {
                let gives_up = matches!(outcome, Outcome::TimedOut(_) | Outcome::Stopped);
                let mut actions = self.settle(outcome);
                if from.is_in_flight() && gives_up {
                    let leg = LegId::new(self.template.id.clone(), self.leg);
                    actions.insert(0, Action::CancelLeg { leg });
                }
                actions
            }
            Input::Late => Vec::new(),
        }
    }

    /// Sends the retry of the current round, which ends the round.
    fn retry(&mut self) -> Vec<Action> {
        let Some(round) = self.round.take() else { return Vec::new() };
        self.leg = self.leg.saturating_add(1);
        [Action::Send(self.template.retry(self.leg, &round))].into()
    }

    /// Takes back the open questions, and reports the outcome.
    fn settle(&mut self, outcome: Outcome) -> Vec<Action> {
        let mut actions = Vec::new();
        if let Some(round) = self.round.take() {
            actions.extend(round.open_keys().map(|key| Action::Retract {
                round: round.number,
                key: key.clone(),
                why: outcome.close_reason(),
            }));
        }
        actions.push(Action::Settle(outcome));
        actions
    }

    /// Asserts what holds between any two events.
    fn check(&self) {
        let waits = matches!(self.phase, Phase::AwaitingInteraction | Phase::Pausing);
        debug_assert_eq!(self.round.is_some(), waits, "a round is kept exactly while it is on");
        debug_assert_eq!(
            self.open() > 0,
            self.phase == Phase::AwaitingInteraction,
            "somebody is asked exactly while the call awaits an answer"
        );
        debug_assert!(self.leg.saturating_sub(1) <= self.limits.rounds_max, "the round cap holds");
        debug_assert_eq!(self.deadline().is_none(), self.phase == Phase::Settled, "a call can end");
    }
}

fn asks(round: &Round) -> Vec<Action> {
    let ask = |(key, question): (&String, &Question)| Action::Ask {
        round: round.number,
        key: key.clone(),
        request: question.request.clone(),
    };
    round.questions.iter().map(ask).collect()
}

/// The output leaves out the target, the binding and the params: the URI of a resource can hold a
/// token.
impl fmt::Debug for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invocation")
            .field("id", &self.template.id)
            .field("phase", &self.phase)
            .field("leg", &self.leg)
            .field("rounds", &self.rounds)
            .field("round", &self.round)
            .finish_non_exhaustive()
    }
}
