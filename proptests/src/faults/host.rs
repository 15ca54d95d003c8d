//! What a host may do otherwise than it should.

use core::{fmt, time::Duration};
use std::sync::Arc;

use mrtr_core::{
    Instant, InvocationId, Phase,
    host::{
        Action, Broker, Call, Change, ChangeKind, CloseReason, ConnectionId, Epoch, EpochReused,
        Event, HostFrame, Limits, Misuse, Outcome, Owner, PendingInteraction, ProviderFrame,
        Record, RecordId, RegistrationId, Report, SessionId, Snapshot,
    },
    wire::RawJson,
};

use super::{Driver, Fault, Lie};
use crate::{
    broker::{Host, Out},
    explore::{FOREIGN, HOST, TWO},
    invariants::{Invariant, SECRET},
};

/// The hook between a broker and its world: what the world sees instead of what the broker said.
#[derive(Clone, Copy, Debug)]
pub struct HostLie {
    /// Changes what comes of an event.
    pub acts: fn(&HostSight<'_>, &mut Out),
    /// Changes what comes of a call.
    pub called: fn(&mut Out),
    /// Changes a refusal of the caller.
    pub misuse: fn(Misuse) -> Misuse,
    /// Changes a snapshot.
    pub snapshot: fn(&mut Snapshot),
    /// Changes when to come back.
    pub deadline: fn(&Broker, Option<Instant>) -> Option<Instant>,
    /// Changes a phase.
    pub phase: fn(Option<Phase>) -> Option<Phase>,
    /// Writes more of an action into a log than the broker does.
    pub logs: fn(&Action) -> String,
    /// Whether the broker forgets its store when it starts.
    pub forgets_store: bool,
    /// Whether the broker closes nothing when it restarts.
    pub starts_dirty: bool,
    /// Whether a refusal connects somebody.
    pub refuses_and_changes: bool,
}

/// What a lie knows of an event.
#[derive(Clone, Copy, Debug)]
pub struct HostSight<'a> {
    /// The broker before the event.
    pub before: &'a Broker,
    /// The broker after it.
    pub after: &'a Broker,
    /// The time.
    pub now: Instant,
    /// The event.
    pub event: &'a Event,
}

impl HostLie {
    /// No lie.
    pub const HONEST: Self = Self {
        acts: |_, _| {},
        called: |_| {},
        misuse: |misuse| misuse,
        snapshot: |_| {},
        deadline: |_, deadline| deadline,
        phase: |phase| phase,
        logs: |_| String::new(),
        forgets_store: false,
        starts_dirty: false,
        refuses_and_changes: false,
    };

    const fn acts(acts: fn(&HostSight<'_>, &mut Out)) -> Self {
        Self { acts, ..Self::HONEST }
    }
}

/// A broker behind a lie.
#[derive(Clone)]
pub struct Liar {
    broker: Broker,
    lie: HostLie,
}

impl Liar {
    /// Makes a kind of host, of which a world begins lives.
    #[must_use]
    pub fn new(lie: HostLie) -> Self {
        Self { broker: Broker::volatile(Epoch::new(0), Limits::default()), lie }
    }
}

impl PartialEq for Liar {
    fn eq(&self, other: &Self) -> bool {
        self.broker == other.broker
    }
}

impl fmt::Debug for Liar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.broker.fmt(f)
    }
}

impl Host for Liar {
    fn anew(
        &self,
        epoch: Epoch,
        limits: Limits,
        held: Option<Vec<RecordId>>,
    ) -> Result<(Self, Out), EpochReused> {
        let lie = self.lie;
        let held = held.filter(|_| !lie.forgets_store);
        let (broker, mut out) = self.broker.anew(epoch, limits, held)?;
        if lie.starts_dirty {
            out.actions.clear();
        }
        Ok((Self { broker, lie }, out))
    }

    fn call(&mut self, now: Instant, call: Call) -> Result<(InvocationId, Out), Misuse> {
        let (id, mut out) = Host::call(&mut self.broker, now, call)?;
        (self.lie.called)(&mut out);
        Ok((id, out))
    }

    fn handle(&mut self, now: Instant, event: Event) -> Result<Out, Misuse> {
        let before = self.broker.clone();
        match Host::handle(&mut self.broker, now, event.clone()) {
            Ok(mut out) => {
                let (before, after, event) = (&before, &self.broker, &event);
                (self.lie.acts)(&HostSight { before, after, now, event }, &mut out);
                Ok(out)
            }
            Err(misuse) => {
                if self.lie.refuses_and_changes {
                    let somebody = Event::Connected(ConnectionId::new(99));
                    drop(Host::handle(&mut self.broker, now, somebody));
                }
                Err((self.lie.misuse)(misuse))
            }
        }
    }

    fn deadline(&self) -> Option<Instant> {
        (self.lie.deadline)(&self.broker, self.broker.deadline())
    }

    fn snapshot(&self, session: &SessionId) -> Snapshot {
        let mut snapshot = self.broker.snapshot(session);
        (self.lie.snapshot)(&mut snapshot);
        snapshot
    }

    fn phase(&self, invocation: &InvocationId) -> Option<Phase> {
        (self.lie.phase)(self.broker.phase(invocation))
    }

    fn owner(&self, invocation: &InvocationId) -> Option<&Owner> {
        self.broker.owner(invocation)
    }

    fn invocations(&self) -> Vec<InvocationId> {
        Host::invocations(&self.broker)
    }

    fn refused(&self, connection: ConnectionId) -> Option<u64> {
        self.broker.refused(connection)
    }

    fn registered_on(&self, registration: &RegistrationId) -> Option<ConnectionId> {
        self.broker.registered_on(registration)
    }

    fn logs(&self, action: &Action) -> String {
        (self.lie.logs)(action)
    }
}

/// Lists the faults of a host.
pub(super) fn rows() -> Vec<Fault> {
    use Driver::{Lives, Search, World};
    use Invariant::*;
    let honest = HostLie::HONEST;
    let row = |name, breaks, says, lie, found_by: &[Driver]| Fault {
        name,
        breaks,
        says,
        lie: Lie::Host(lie),
        found_by: found_by.into(),
    };
    let acts = HostLie::acts;
    vec![
        row(
            "an outcome comes twice",
            OneOutcome,
            "follow",
            acts(|_, out| twice(out, |action| matches!(action, Action::Settle { .. }))),
            &[Search(HOST), Lives, World],
        ),
        row(
            "a provider is called twice",
            OneOutcome,
            "gets",
            HostLie { called: repeat, ..honest },
            &[Lives],
        ),
        row(
            "an answer comes with its question",
            OneThingAtATime,
            "",
            acts(answers_unasked),
            &[Search(HOST)],
        ),
        row(
            "a provider is called again while it works",
            OneThingAtATime,
            "",
            acts(calls_again),
            &[Search(HOST)],
        ),
        row(
            "the clock of a provider runs on while the question is shown",
            ClocksRunWhereTheyBelong,
            "",
            HostLie { deadline: runs_on, ..honest },
            &[Search(HOST), Lives, World],
        ),
        row(
            "no clock runs",
            ClocksRunWhereTheyBelong,
            "",
            HostLie { deadline: |_, _| None, ..honest },
            &[Search(HOST), Lives, World],
        ),
        row(
            "the store is not told of an end",
            EveryAskHasAnEnd,
            "",
            acts(|sight, out| {
                if !matches!(sight.event, Event::Frame { .. }) {
                    out.actions.retain(|action| !is_closed(action));
                }
            }),
            &[Search(HOST)],
        ),
        row(
            "the surfaces are not told of an end",
            NoQuestionWithoutInvocation,
            "",
            acts(|_, out| {
                if out.actions.iter().any(|action| matches!(action, Action::Settle { .. })) {
                    out.actions.retain(|action| !is_ended(action));
                }
            }),
            &[Search(HOST)],
        ),
        row(
            "a question has no end for those who see it",
            EveryAskHasAnEnd,
            "",
            acts(|_, out| out.actions.retain(|action| !is_ended(action))),
            &[Lives],
        ),
        row(
            "a question is shown twice",
            EveryAskHasAnEnd,
            "",
            acts(|_, out| asks_again(out)),
            &[Lives],
        ),
        row(
            "a frame goes to another connection",
            AnswersReachWhoAsked,
            "",
            acts(|sight, out| delivers(out, |to, _| *to = other_connection(sight, *to))),
            &[Search(HOST), Search(TWO), Lives],
        ),
        row(
            "a refusal goes to another connection",
            AnswersReachWhoAsked,
            "",
            acts(|sight, out| {
                delivers(out, |to, frame| {
                    if matches!(frame, HostFrame::InteractionRefused { .. }) {
                        *to = other_connection(sight, *to);
                    }
                });
            }),
            &[Search(HOST), Search(FOREIGN), Lives],
        ),
        row(
            "a question that cannot be read is refused in silence",
            AnswersReachWhoAsked,
            "who is refused hears of it",
            acts(|sight, out| {
                if matches!(sight.event, Event::Unreadable { .. }) {
                    out.actions.clear();
                }
            }),
            &[Search(FOREIGN)],
        ),
        row(
            "an answer goes to another invocation",
            AnswersReachWhoAsked,
            "",
            acts(answers_another),
            &[Search(TWO)],
        ),
        row(
            "a refusal is of another question",
            AnswersReachWhoAsked,
            "",
            acts(|_, out| {
                delivers(out, |_, frame| {
                    if let HostFrame::InteractionRefused { interaction, .. } = frame {
                        *interaction = interaction.wrapping_add(1);
                    }
                });
            }),
            &[Search(TWO), Lives],
        ),
        row(
            "an answer has another number than the question",
            AnswersReachWhoAsked,
            "number",
            acts(|_, out| {
                delivers(out, |_, frame| {
                    if let HostFrame::InteractionResult { interaction, .. } = frame {
                        *interaction += 1;
                    }
                });
            }),
            &[Lives],
        ),
        row(
            "a change goes to another session",
            AnswersReachWhoAsked,
            "",
            acts(|_, out| {
                changes(out, |change| change.session = SessionId::new("another").unwrap());
            }),
            &[Search(HOST), Lives, World],
        ),
        row(
            "a question is shown as that of another session",
            AnswersReachWhoAsked,
            "owner",
            acts(|_, out| {
                opens(out, |opened| {
                    let owner = Arc::make_mut(&mut opened.owner);
                    owner.session = SessionId::new("another").unwrap();
                });
            }),
            &[Lives],
        ),
        row(
            "an answer goes on for who has stopped",
            NothingIsSentAfterStop,
            "",
            acts(answers_after_stop),
            &[Search(HOST)],
        ),
        row(
            "an invocation is cancelled twice",
            NothingIsSentAfterStop,
            "",
            acts(|_, out| twice(out, is_cancel)),
            &[Lives],
        ),
        row(
            "an outcome is of an invocation that never was",
            NoQuestionWithoutInvocation,
            "Settle",
            acts(|_, out| {
                for action in &mut out.actions {
                    if let Action::Settle { invocation, .. } = action {
                        *invocation = InvocationId::new("7.4242").unwrap();
                    }
                }
            }),
            &[Lives],
        ),
        row(
            "an invocation settles with its question open",
            NoQuestionWithoutInvocation,
            "",
            acts(|_, out| {
                out.actions.retain(|action| !is_ended(action) && !is_closed(action));
            }),
            &[Lives, World],
        ),
        row(
            "a snapshot shows nothing",
            NoQuestionWithoutInvocation,
            "",
            HostLie { snapshot: |snapshot| snapshot.open.clear(), ..honest },
            &[Lives],
        ),
        row(
            "a question of an earlier life is not closed",
            NoQuestionWithoutInvocation,
            "",
            HostLie { starts_dirty: true, ..honest },
            &[Search(HOST), Lives, World],
        ),
        row(
            "an answer is delivered when it is taken",
            StoredThenDelivered,
            "",
            acts(|sight, out| {
                goes_ahead(sight, out, |record| matches!(record, Record::Answered { .. }));
            }),
            &[Search(HOST), Lives],
        ),
        row(
            "a question is shown before it is stored",
            StoredThenDelivered,
            "",
            acts(|sight, out| {
                goes_ahead(sight, out, |record| matches!(record, Record::Requested(_)));
            }),
            &[Search(HOST), Lives],
        ),
        row(
            "a second answer takes the place of the first",
            StoredThenDelivered,
            "",
            acts(|_, out| {
                let answered = |action: &Action| match action {
                    Action::Store(Record::Answered { interaction, .. }) => Some(*interaction),
                    _ => None,
                };
                let second = out.actions.iter().find_map(answered).map(|interaction| {
                    let result = json(r#"{"action":"decline"}"#);
                    Action::Store(Record::Answered { interaction, result })
                });
                out.actions.extend(second);
            }),
            &[Search(HOST), Lives],
        ),
        row(
            "an answer is delivered otherwise than it was given",
            StoredThenDelivered,
            "an answer",
            acts(|_, out| {
                delivers(out, |_, frame| {
                    if let HostFrame::InteractionResult { result, .. } = frame {
                        *result = json(r#"{"action":"accept","content":{"x":1}}"#);
                    }
                });
            }),
            &[Lives],
        ),
        row(
            "a restarted host forgets that it has a store",
            StoredThenDelivered,
            "",
            HostLie { forgets_store: true, ..honest },
            &[Lives, World],
        ),
        row(
            "a record is written twice",
            StoredThenDelivered,
            "again",
            acts(|_, out| twice(out, |action| matches!(action, Action::Store(_)))),
            &[Lives],
        ),
        row(
            "a record is logged as it is stored",
            NothingSecretIsShown,
            "",
            HostLie {
                logs: |action| match action {
                    Action::Store(record) => record.to_json(),
                    _ => String::new(),
                },
                ..honest
            },
            &[Search(HOST), Lives],
        ),
        row(
            "a record is logged byte by byte",
            NothingSecretIsShown,
            "",
            HostLie {
                logs: |action| match action {
                    Action::Store(record) => format!("{:?}", record.to_json().as_bytes()),
                    _ => String::new(),
                },
                ..honest
            },
            &[Search(HOST), Lives],
        ),
        row(
            "a refusal tells a secret",
            NothingSecretIsShown,
            "",
            acts(|_, out| {
                delivers(out, |_, frame| {
                    if let HostFrame::InteractionRefused { code, .. } = frame {
                        *code = SECRET.into();
                    }
                });
            }),
            &[Lives],
        ),
        row(
            "a change follows one that never was",
            Contract,
            "after",
            acts(|_, out| {
                changes(out, |change| change.after = change.after.map(|after| after + 1_000));
            }),
            &[Lives],
        ),
        row(
            "a refusal changes the host",
            Contract,
            "changes the host",
            HostLie { refuses_and_changes: true, ..honest },
            &[Lives, World],
        ),
        row("a provider of one name is favoured", Contract, "", acts(favours), &[Lives]),
        row(
            "the second surface is shown nothing",
            Contract,
            "",
            HostLie { snapshot: forgets_the_second, ..honest },
            &[Lives],
        ),
        row(
            "another mistake is told",
            AsRequired,
            "NotStoring for",
            HostLie { misuse: |_| Misuse::NotStoring, ..honest },
            &[Lives],
        ),
        row(
            "a refusal is not reported",
            AsRequired,
            "[] for one of",
            acts(|_, out| out.reports.retain(|report| !matches!(report, Report::Refused { .. }))),
            &[Lives],
        ),
        row(
            "a refusal is not told",
            AsRequired,
            "frames",
            acts(|_, out| {
                let is_refusal = |action: &Action| {
                    matches!(
                        action,
                        Action::Deliver { frame: HostFrame::InteractionRefused { .. }, .. }
                    )
                };
                out.actions.retain(|action| !is_refusal(action));
            }),
            &[Lives],
        ),
        row(
            "a question is closed for another reason",
            AsRequired,
            "records",
            acts(|_, out| {
                for action in &mut out.actions {
                    if let Action::Store(Record::Closed { why, .. }) = action {
                        *why = CloseReason::Retired;
                    }
                }
            }),
            &[Lives],
        ),
        row(
            "surfaces do not hear what was decided",
            AsRequired,
            "changes",
            acts(|_, out| out.actions.retain(|action| !is_taken(action))),
            &[Lives],
        ),
        row(
            "another outcome is told",
            AsRequired,
            "outcomes",
            acts(|_, out| {
                for action in &mut out.actions {
                    if let Action::Settle { outcome, .. } = action {
                        *outcome = Outcome::Released;
                    }
                }
            }),
            &[Lives],
        ),
        row(
            "a change of phase is not reported",
            AsRequired,
            "moves",
            acts(|_, out| out.reports.retain(|report| !matches!(report, Report::Moved(_)))),
            &[Lives],
        ),
        row(
            "no phase is told",
            AsRequired,
            "phase",
            HostLie { phase: |_| None, ..honest },
            &[Lives],
        ),
    ]
}

fn json(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

fn repeat(out: &mut Out) {
    let again = out.actions.clone();
    out.actions.extend(again);
}

fn twice(out: &mut Out, which: fn(&Action) -> bool) {
    let again = |action: Action| {
        let again = which(&action).then(|| action.clone());
        [Some(action), again].into_iter().flatten()
    };
    out.actions = core::mem::take(&mut out.actions).into_iter().flat_map(again).collect();
}

const fn is_cancel(action: &Action) -> bool {
    matches!(action, Action::Deliver { frame: HostFrame::Cancel { .. }, .. })
}

const fn is_closed(action: &Action) -> bool {
    matches!(action, Action::Store(Record::Closed { .. }))
}

const fn is_taken(action: &Action) -> bool {
    matches!(action, Action::Project(Change { kind: ChangeKind::Taken { .. }, .. }))
}

const fn is_ended(action: &Action) -> bool {
    matches!(action, Action::Project(Change { kind: ChangeKind::Ended { .. }, .. }))
}

fn delivers(out: &mut Out, mut lie: impl FnMut(&mut ConnectionId, &mut HostFrame)) {
    for action in &mut out.actions {
        if let Action::Deliver { connection, frame } = action {
            lie(connection, frame);
        }
    }
}

fn changes(out: &mut Out, lie: fn(&mut Change)) {
    for action in &mut out.actions {
        if let Action::Project(change) = action {
            lie(change);
        }
    }
}

fn opens(out: &mut Out, lie: fn(&mut PendingInteraction)) {
    for action in &mut out.actions {
        if let Action::Project(Change { kind: ChangeKind::Opened(opened), .. }) = action {
            lie(Arc::make_mut(opened));
        }
    }
}

/// Returns another connection that is there: that of another invocation, or one made up.
fn other_connection(sight: &HostSight<'_>, this: ConnectionId) -> ConnectionId {
    let owners = sight.before.invocations().filter_map(|id| sight.before.owner(id));
    let mut others = owners.map(|owner| owner.connection).filter(|other| *other != this);
    others.next().unwrap_or(ConnectionId::new(this.number() + 1))
}

/// Opens a question twice, as two changes.
fn asks_again(out: &mut Out) {
    twice(out, |action| {
        matches!(action, Action::Project(Change { kind: ChangeKind::Opened(_), .. }))
    });
    let mut last = None;
    for action in &mut out.actions {
        if let Action::Project(change) = action {
            if last == Some(change.number) {
                change.after = last;
                change.number += 1;
            }
            last = Some(change.number);
        }
    }
}

/// Answers a question as it is shown.
fn answers_unasked(_: &HostSight<'_>, out: &mut Out) {
    let shown = out.actions.iter().find_map(|action| match action {
        Action::Project(Change { kind: ChangeKind::Opened(shown), .. }) => Some(shown.clone()),
        _ => None,
    });
    out.actions.extend(shown.map(|shown| {
        let (connection, invocation) = (shown.owner.connection, shown.owner.invocation.clone());
        let (interaction, result) = (1, json(r#"{"action":"decline"}"#));
        let frame = HostFrame::InteractionResult { invocation, interaction, result };
        Action::Deliver { connection, frame }
    }));
}

/// Calls a provider that has just said that it executes.
fn calls_again(sight: &HostSight<'_>, out: &mut Out) {
    if let Event::Frame { connection, frame: ProviderFrame::Accepted { invocation } } = sight.event
        && sight.after != sight.before
    {
        let frame = HostFrame::Call { invocation: invocation.clone(), request: json("{}") };
        out.actions.push(Action::Deliver { connection: *connection, frame });
    }
}

/// Sends an answer to another live invocation.
fn answers_another(sight: &HostSight<'_>, out: &mut Out) {
    delivers(out, |connection, frame| {
        let HostFrame::InteractionResult { invocation, .. } = frame else { return };
        let mut others = sight.before.invocations().filter(|other| *other != invocation);
        if let Some(owner) = others.next().and_then(|other| sight.before.owner(other)) {
            (*invocation, *connection) = (owner.invocation.clone(), owner.connection);
        }
    });
}

/// Answers what was asked by who is stopped.
fn answers_after_stop(sight: &HostSight<'_>, out: &mut Out) {
    let is_settled = out.actions.iter().any(|action| matches!(action, Action::Settle { .. }));
    let is_asked = |id: &&InvocationId| sight.before.phase(id) == Some(Phase::AwaitingInteraction);
    let asked = sight.before.invocations().find(is_asked);
    if let (true, true, Some(owner)) = (
        matches!(sight.event, Event::Stop(_)),
        is_settled,
        asked.and_then(|id| sight.before.owner(id)),
    ) {
        let (interaction, result) = (1, json(r#"{"action":"cancel"}"#));
        let invocation = owner.invocation.clone();
        let frame = HostFrame::InteractionResult { invocation, interaction, result };
        out.actions.insert(0, Action::Deliver { connection: owner.connection, frame });
    }
}

/// Goes on as if the store held at once what it was just asked to hold.
fn goes_ahead(sight: &HostSight<'_>, out: &mut Out, which: fn(&Record) -> bool) {
    let ahead = out.actions.iter().find_map(|action| match action {
        Action::Store(record) if which(record) => Some(Event::Stored(record.id())),
        _ => None,
    });
    if let Some(ahead) = ahead {
        let said = sight.after.clone().handle(sight.now, ahead).unwrap();
        out.actions.extend(said);
    }
}

/// Lets the provider's clock run on while somebody is asked.
fn runs_on(broker: &Broker, due: Option<Instant>) -> Option<Instant> {
    let is_asked =
        broker.invocations().any(|id| broker.phase(id) == Some(Phase::AwaitingInteraction));
    let sooner = |due: Instant| {
        Instant::from_epoch(due.since_epoch().saturating_sub(Duration::from_secs(1)))
    };
    if is_asked { due.map(sooner) } else { due }
}

/// Shows nothing to the second surface, which looks at a session right after the first.
fn forgets_the_second(snapshot: &mut Snapshot) {
    use std::sync::Mutex;
    static LAST: Mutex<Option<SessionId>> = Mutex::new(None);
    let last = LAST.lock().unwrap().replace(snapshot.session.clone());
    if last.is_some_and(|last| last == snapshot.session) {
        snapshot.open.clear();
    }
}

/// Does nothing for a provider of another name.
fn favours(sight: &HostSight<'_>, out: &mut Out) {
    if let Event::Frame { frame: ProviderFrame::InteractionRequest { request, .. }, .. } =
        sight.event
        && request.as_str().contains("mallory")
    {
        out.reports.clear();
    }
}
