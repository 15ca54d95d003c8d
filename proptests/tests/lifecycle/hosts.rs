//! The host's broker, durable and volatile: one call with everything that can happen to it, or two
//! calls of two providers in one session.

use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet};

use form_model::{Content, Form};
use mrtr_core::{
    Broker, Clock, Clocks, Instant, InvocationId, Phase, RegistrationId, SessionId, ToolCallId,
    TurnId,
    broker::{
        Action, Actions, Call, ConnectionId, Decision, Ending, Epoch, Event, HostFrame,
        InteractionId, Limits, Outcome, ProviderFrame, Question, Record, RecordId, RecordKind,
        Report, Requester, Scope, What as Shows,
    },
    wire::{RawJson, Response, WireError},
};

use super::{
    calls::snake,
    explore::{Label, Place, Seen, Stage, What, World},
};

/// Says which broker, and what may happen to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Setup {
    pub(crate) is_durable: bool,
    pub(crate) calls: usize,
    /// The time that the legs of a call have together.
    pub(crate) execution: Option<Duration>,
}

/// Is a broker, and what has come out of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hosting {
    setup: Setup,
    broker: Broker,
    now: Instant,
    calls: BTreeMap<String, Called>,
}

/// Is what is known of one call.
#[derive(Clone, Debug, PartialEq)]
struct Called {
    invocation: InvocationId,
    number: usize,
    connection: ConnectionId,
    /// The call's place, and when it came there.
    place: Place,
    since: Instant,
    /// The answer that was taken, as the provider gets it, and whether it got it.
    answer: Option<RawJson>,
    is_delivered: bool,
}

pub(crate) enum Op {
    /// Time passes until something is due. The tick comes later, and anything may come before it.
    Pass,
    /// Time passes, and the tick comes at once.
    PassAndTick,
    Call(usize),
    Happen {
        event: &'static str,
        /// The one call that it can move; `None`: it may move several.
        of: Option<usize>,
        happened: Event,
    },
}

fn connection(number: usize) -> ConnectionId {
    ConnectionId::new(number as u64)
}

fn registration(number: usize) -> RegistrationId {
    RegistrationId::new(&format!("registration-{number}")).unwrap()
}

fn turn(number: usize) -> TurnId {
    TurnId::new(&format!("turn-{number}")).unwrap()
}

fn session() -> SessionId {
    SessionId::new("session").unwrap()
}

fn invocation(number: usize) -> InvocationId {
    InvocationId::new(&format!("1.{number}")).unwrap()
}

fn interaction(number: usize) -> InteractionId {
    InteractionId::parse(&format!("1.{number}.1")).unwrap()
}

fn json(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

fn yes() -> Response {
    Response::Accept(Content::new().with_flag("sure", true))
}

fn question() -> Question {
    let form = r#"{"type":"object","properties":{"sure":{"type":"boolean"}}}"#;
    let form = Form::from_schema(form).unwrap();
    Question::form("Sure?", form, Requester::new("files", "github", "deploy"))
}

impl Hosting {
    pub(crate) fn start(setup: Setup) -> Self {
        let clocks = Clocks { execution: setup.execution, ..Clocks::default() };
        let limits = Limits { interactions_max: 1, clocks, ..Limits::default() };
        let now = Instant::from_millis(0);
        let mut broker = if setup.is_durable {
            Broker::durable(Epoch::new(1), limits, []).unwrap().0
        } else {
            Broker::volatile(Epoch::new(1), limits)
        };
        for number in [1, 2] {
            let _ = broker.handle(now, Event::Connected(connection(number))).unwrap();
        }
        for number in 1..=setup.calls {
            let (registration, connection) = (registration(number), connection(number));
            let _ = broker.handle(now, Event::Registered { registration, connection }).unwrap();
        }
        Self { setup, broker, now, calls: BTreeMap::new() }
    }

    /// What a call's own provider, surface and store can say, and what concerns it alone.
    fn ops_of(&self, number: usize) -> Vec<Op> {
        let call = invocation(number);
        let frame = |frame| Event::Frame { connection: connection(number), frame };
        let answer = |response| Event::Answer {
            interaction: interaction(number),
            session: session(),
            response,
        };
        let ask = |interaction| ProviderFrame::ask(call.clone(), interaction, &question());
        let held = |kind| RecordId { interaction: interaction(number), kind };
        let taken = self.calls.get(call.as_str()).is_some_and(|called| called.answer.is_some());
        let an_answer = if taken { "a second answer" } else { "an answer" };
        let mut events = vec![
            ("accepted", frame(ProviderFrame::Accepted { invocation: call.clone() })),
            ("a question", frame(ask(1))),
            (
                "a result",
                frame(ProviderFrame::Result { invocation: call.clone(), result: json("{}") }),
            ),
            (an_answer, answer(yes())),
            ("the question is held", Event::Stored(held(RecordKind::Requested))),
            ("the answer is held", Event::Stored(held(RecordKind::Answered))),
            ("the answer is not held", Event::StoreFailed(held(RecordKind::Answered))),
            ("the caller stops", Event::Stop(Scope::Invocation(call.clone()))),
        ];
        if self.setup.calls == 1 {
            let rejected = ProviderFrame::Rejected { invocation: call.clone(), error: json("{}") };
            let failed = ProviderFrame::Failed { invocation: call.clone(), error: json("{}") };
            let result = ProviderFrame::Result { invocation: call.clone(), result: json("{}") };
            let unfit = Response::Accept(Content::new().with_text("sure", "no flag"));
            events.extend([
                ("another question", frame(ask(2))),
                ("progress", frame(ProviderFrame::Progress { invocation: call.clone() })),
                ("rejected", frame(rejected)),
                ("failed", frame(failed)),
                ("released", frame(ProviderFrame::Released { invocation: call.clone() })),
                (
                    "a frame of another connection",
                    Event::Frame { connection: connection(2), frame: result },
                ),
                (
                    "what is no frame",
                    Event::Unreadable {
                        connection: connection(1),
                        error: WireError::NotJson.into(),
                    },
                ),
                (an_answer, answer(Response::Decline)),
                ("an answer that does not fit", answer(unfit)),
                (
                    "an answer of another session",
                    Event::Answer {
                        interaction: interaction(number),
                        session: SessionId::new("other").unwrap(),
                        response: yes(),
                    },
                ),
                ("nobody can be asked", Event::Unanswerable(interaction(number))),
                ("the question is not held", Event::StoreFailed(held(RecordKind::Requested))),
                ("the end is held", Event::Stored(held(RecordKind::Closed))),
                ("the end is not held", Event::StoreFailed(held(RecordKind::Closed))),
            ]);
        }
        let of = Some(number);
        events.into_iter().map(|(event, happened)| Op::Happen { event, of, happened }).collect()
    }

    /// What may end several calls at once.
    fn ops_of_all(&self) -> Vec<Op> {
        let scope = |scope| ("a scope is stopped", Event::Stop(scope));
        let mut events = vec![scope(Scope::Session(session()))];
        for number in 1..=self.setup.calls {
            events.push(("the connection drops", Event::Disconnected(connection(number))));
        }
        if self.setup.calls == 1 {
            events.extend([
                scope(Scope::Turn(session(), turn(1))),
                scope(Scope::Turn(session(), turn(2))),
                scope(Scope::All),
                ("the turn ends", Event::TurnEnded { session: session(), turn: turn(1) }),
                ("the connection drops", Event::Disconnected(connection(2))),
                ("the registration is retired", Event::Retired(registration(1))),
                ("tick", Event::Tick),
            ]);
        }
        // Once: each registration is another, and there would be no end to the states.
        if self.setup.calls == 1
            && self.broker.registered_on(&registration(1)) == Some(connection(1))
        {
            let (registration, connection) = (registration(1), connection(2));
            let replaces = Event::Registered { registration, connection };
            events.push(("something else is registered", replaces));
        }
        let of = None;
        events.into_iter().map(|(event, happened)| Op::Happen { event, of, happened }).collect()
    }

    fn call(&mut self, number: usize) -> Vec<Seen> {
        let before = self.broker.clone();
        let call = Call {
            session: session(),
            turn: turn(number),
            tool_call: ToolCallId::new("tool-call").unwrap(),
            registration: registration(number),
            request: json("{}"),
        };
        let on = self.broker.registered_on(&call.registration);
        let Ok((invocation, actions)) = self.broker.call(self.now, call) else {
            assert!(on.is_none() && self.broker == before, "it is called where it is registered");
            return Vec::new();
        };
        let to = Place { phase: self.broker.phase(&invocation).unwrap(), stage: Stage::None };
        let called = Called {
            number,
            connection: on.unwrap(),
            place: to,
            since: self.now,
            answer: None,
            is_delivered: false,
            invocation: invocation.clone(),
        };
        self.calls.insert(invocation.as_str().into(), called);
        let actions = actions.as_slice().iter().map(|action| self.note(None, action)).collect();
        vec![Seen { event: "call", from: None, to, what: What::Began(actions) }]
    }

    /// A frame that is refused changes nothing but how many were.
    fn refused(&mut self, from: &Self, at: &Event, why: String) -> Option<What> {
        let mut counted = from.broker.clone();
        if let Event::Frame { connection, .. } | Event::Unreadable { connection, .. } = at {
            let unreadable =
                Event::Unreadable { connection: *connection, error: WireError::NotJson.into() };
            let _ = counted.handle(self.now, unreadable).unwrap();
        }
        assert_eq!(self.broker, counted, "what is refused changes nothing");
        // Without the count, or there would be no end to the states.
        *self = from.clone();
        Some(What::Refused(why))
    }

    /// Sees what became of each call that moved.
    fn seen(
        &mut self,
        event: &'static str,
        happened: &Event,
        due: Option<Instant>,
        actions: &Actions,
    ) -> Vec<Seen> {
        let from = self.calls.clone();
        let mut labels: BTreeMap<String, Vec<Label>> = BTreeMap::new();
        for action in actions.as_slice() {
            let of = invocation_of(action);
            labels.entry(of).or_default().push(self.note(Some(happened), action));
        }
        let mut seen = Vec::new();
        for report in actions.reports() {
            let Report::Moved(moved) = report else { panic!("{report:?} beside a change") };
            let key = moved.invocation.as_str();
            let actions = labels.remove(key).unwrap_or_default();
            let before = &from[key];
            assert_eq!(moved.from, before.place.phase);
            let called = self.calls.get_mut(key).unwrap();
            called.place = Place { phase: moved.to, stage: stage(moved.to, &actions) };
            let due = due.filter(|_| *happened == Event::Tick);
            let after = due.map(|at| at.since(before.since));
            if called.place != before.place {
                called.since = self.now;
            }
            seen.push(Seen {
                event,
                from: Some(before.place),
                to: called.place,
                what: What::Moved { by: moved.cause, actions, after },
            });
        }
        assert!(labels.is_empty(), "an action is of a call that moved");
        seen
    }

    /// Takes note of an action, and checks it against what came before. Invariants 1, 6, 10.
    fn note(&mut self, after: Option<&Event>, action: &Action) -> Label {
        let is_durable = self.setup.is_durable;
        let called = self.calls.get_mut(&invocation_of(action)).unwrap();
        assert_ne!(called.place.phase, Phase::Settled, "nothing follows an outcome");
        match action {
            Action::Deliver { connection, frame } => {
                assert_eq!(*connection, called.connection, "it goes to who was called");
                let HostFrame::InteractionResult { result, .. } = frame else {
                    let (kind, detail) = match frame {
                        HostFrame::Call { .. } => ("call", String::new()),
                        HostFrame::InteractionRefused { code, .. } => ("refusal", code.clone()),
                        HostFrame::Cancel { why, .. } => ("cancel", format!("({why})")),
                        HostFrame::InteractionResult { .. } => unreachable!(),
                    };
                    return Label::new(format!("Deliver {kind}"), detail);
                };
                let id = interaction(called.number);
                let held = RecordId { interaction: id, kind: RecordKind::Answered };
                match after {
                    Some(Event::Stored(record)) => assert!(is_durable && *record == held),
                    Some(Event::Answer { interaction, .. }) => {
                        assert!(!is_durable && *interaction == id && called.answer.is_none());
                        called.answer = Some(result.clone());
                    }
                    other => panic!("an answer is delivered after {other:?}"),
                }
                assert_eq!(called.answer.as_ref(), Some(result), "what is held is delivered");
                assert!(!called.is_delivered, "an answer is delivered once");
                called.is_delivered = true;
                Label::new("Deliver answer", "")
            }
            Action::Store(record) => match record {
                Record::Requested(_) => Label::new("Store question", ""),
                Record::Answered { result, .. } => {
                    assert_eq!(
                        called.answer.replace(result.clone()),
                        None,
                        "the first answer wins"
                    );
                    Label::new("Store answer", "")
                }
                Record::Closed { why, .. } => {
                    assert!(!called.is_delivered, "what was delivered is answered, and not closed");
                    Label::new("Store end", format!("({why})"))
                }
            },
            Action::Project(change) => {
                assert_eq!(change.session, session());
                match &change.what {
                    Shows::Opened(_) => Label::new("Project opened", ""),
                    Shows::Taken { decision, .. } => {
                        Label::new("Project taken", format!("({})", code_of(*decision)))
                    }
                    Shows::Ended { how: Ending::Answered(decision), .. } => {
                        Label::new("Project ended", format!("({})", code_of(*decision)))
                    }
                    Shows::Ended { how: Ending::Closed(why), .. } => {
                        Label::new("Project ended", format!("({why})"))
                    }
                }
            }
            Action::Settle { outcome, .. } => {
                called.place.phase = Phase::Settled;
                let code = match outcome {
                    Outcome::TimedOut(clock) => format!("timed_out ({})", name(*clock)),
                    _ => outcome.code().into(),
                };
                Label::new("Settle", code)
            }
        }
    }
}

fn name(clock: Clock) -> String {
    snake(&format!("{clock:?}"))
}

fn code_of(decision: Decision) -> String {
    snake(&format!("{decision:?}"))
}

/// Tells from outside what a question waits for.
fn stage(phase: Phase, actions: &[Label]) -> Stage {
    let does = |kind| actions.iter().any(|label| label.kind == kind);
    match phase {
        Phase::AwaitingInteraction if does("Store question") => Stage::QuestionAtStore,
        Phase::AwaitingInteraction if does("Store answer") => Stage::AnswerAtStore,
        Phase::AwaitingInteraction => Stage::Shown,
        _ => Stage::None,
    }
}

/// Returns the id of the invocation that an action is of.
fn invocation_of(action: &Action) -> String {
    let of = |id: &InteractionId| id.to_string().rsplit_once('.').unwrap().0.to_owned();
    match action {
        Action::Deliver { frame, .. } => frame.invocation().as_str().into(),
        Action::Store(record) => of(&record.id().interaction),
        Action::Project(change) => match &change.what {
            Shows::Opened(shown) => of(&shown.id),
            Shows::Taken { interaction, .. } | Shows::Ended { interaction, .. } => of(interaction),
        },
        Action::Settle { invocation, .. } => invocation.as_str().into(),
    }
}

impl World for Hosting {
    type Op = Op;

    fn ops(&self) -> Vec<Op> {
        let made = self.calls.len();
        let mut ops: Vec<_> =
            (made < self.setup.calls).then_some(Op::Call(made + 1)).into_iter().collect();
        ops.extend((1..=made).flat_map(|number| self.ops_of(number)));
        ops.extend(self.ops_of_all());
        if self.broker.deadline().is_some_and(|at| at > self.now) {
            ops.push(if self.setup.calls == 1 { Op::Pass } else { Op::PassAndTick });
        }
        ops
    }

    fn apply(&mut self, op: Op) -> Vec<Seen> {
        let (event, of, happened) = match op {
            Op::Pass => {
                self.now = self.broker.deadline().unwrap();
                return Vec::new();
            }
            Op::PassAndTick => {
                self.now = self.broker.deadline().unwrap();
                ("tick", None, Event::Tick)
            }
            Op::Call(number) => return self.call(number),
            Op::Happen { event, of, happened } => (event, of, happened),
        };
        let before = self.clone();
        let refused = match self.broker.handle(self.now, happened.clone()) {
            Err(misuse) => {
                assert_eq!(self.broker, before.broker, "what is refused changes nothing");
                Some(What::Refused(format!("{misuse:?}")))
            }
            Ok(actions) => match actions.reports() {
                [Report::Refused { why, .. }] => {
                    self.refused(&before, &happened, why.code().into())
                }
                _ => {
                    let seen = self.seen(event, &happened, before.broker.deadline(), &actions);
                    let own = of.map(|number| self.calls.get(invocation(number).as_str()));
                    let others = self.calls.values().filter(|called| Some(Some(*called)) != own);
                    for called in others.filter(|_| of.is_some()) {
                        let key = called.invocation.as_str();
                        assert_eq!(
                            before.calls.get(key),
                            Some(called),
                            "another call is as it was"
                        );
                    }
                    return seen;
                }
            },
        };
        let of = of.and_then(|number| self.calls.get(invocation(number).as_str()));
        let seen = of.zip(refused).map(|(called, what)| Seen {
            event,
            from: Some(called.place),
            to: called.place,
            what,
        });
        seen.into_iter().collect()
    }

    /// Invariants 3 and 9, and that a tick that is not due does nothing.
    fn check(&self) {
        let live: BTreeSet<_> = self.broker.invocations().map(InvocationId::as_str).collect();
        let mut shown = 0;
        for (key, called) in &self.calls {
            let is_settled = called.place.phase == Phase::Settled;
            assert_eq!(live.contains(key.as_str()), !is_settled);
            if !is_settled {
                assert_eq!(self.broker.phase(&called.invocation), Some(called.place.phase));
            }
            shown += usize::from(matches!(called.place.stage, Stage::Shown | Stage::AnswerAtStore));
        }
        let snapshot = self.broker.snapshot(&session());
        assert_eq!(snapshot.open.len(), shown, "exactly what waits is shown");
        let Some(at) = self.broker.deadline() else {
            assert!(live.is_empty(), "a call that is not over has a clock");
            return;
        };
        let mut broker = self.broker.clone();
        if let Some(early) = at.since_epoch().checked_sub(Duration::from_millis(1)) {
            let actions = broker.handle(Instant::from_epoch(early), Event::Tick).unwrap();
            assert!(actions.as_slice().is_empty() && broker == self.broker, "it is not due");
        }
        let actions = broker.handle(at, Event::Tick).unwrap();
        let settled = actions.as_slice().iter().filter_map(|action| match action {
            Action::Settle { invocation, outcome } => Some((invocation, outcome)),
            _ => None,
        });
        for (invocation, outcome) in settled {
            let Place { phase, stage } = self.calls[invocation.as_str()].place;
            match outcome {
                Outcome::TimedOut(Clock::Leg | Clock::Execution) => assert!(phase.is_in_flight()),
                Outcome::TimedOut(Clock::Interaction) => assert_eq!(stage, Stage::Shown),
                Outcome::StoreFailed => {
                    assert!(matches!(stage, Stage::QuestionAtStore | Stage::AnswerAtStore));
                }
                other => panic!("{other:?} when a clock ran out"),
            }
        }
    }
}
