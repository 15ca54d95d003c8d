//! The client's invocation alone: the server, the person, the caller and the clock do what they like.

use crate::faults::ClientLie;
use crate::invariants::{Invariant, SECRET, Violation, shows_nothing_secret};
use crate::watch::{ClientWatch, response_text};
mod scene;

use core::{fmt, time::Duration};

use mrtr_core::{
    Clock, Instant, Phase,
    client::{Action, Binding, Event, Invocation, Outcome, Report},
};

pub use scene::{Asks, CallScope};
use scene::{CallScene, answer};

use super::{Fixed, Label, Place, Searched, Seen, Stage, What, snake};

/// One call, and what has come out of it.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Calling {
    scene: Fixed<CallScene>,
    call: Invocation,
    now: Instant,
    /// When the call came to its phase.
    since: Instant,
    /// How many steps of time may still be taken.
    steps: u32,
    watch: ClientWatch,
}

/// A thing that can happen.
pub enum CallStep {
    /// Time passes until something is due. The tick comes later, and anything may come before it.
    Pass,
    /// Time passes, and nothing is due.
    Step,
    /// Something else happens.
    Happen(&'static str, Event),
}

impl fmt::Debug for CallStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass => f.write_str("time passes until something is due"),
            Self::Step => f.write_str("time passes"),
            Self::Happen(name, event) => write!(f, "{name}: {event:?}"),
        }
    }
}

impl Calling {
    /// Starts a call, and tells that it began.
    #[must_use]
    pub fn start(setup: CallScope) -> (Self, Seen) {
        let (call, first) = scene::start("call", &setup);
        let (now, steps) = (Instant::from_millis(0), setup.steps.1);
        let watch = ClientWatch::new(&first, setup.rounds_max);
        let scene = Fixed::new(CallScene::new(setup));
        let calling = Self { scene, call, now, since: now, steps, watch };
        let what = What::Began(vec![Label::new("Send", "")]);
        let seen = Seen { event: "start", from: None, to: calling.place(), what };
        (calling, seen)
    }

    fn place(&self) -> Place {
        let phase = self.call.phase();
        let is_asked = phase == Phase::AwaitingInteraction;
        Place { phase, stage: if is_asked { Stage::Shown } else { Stage::None } }
    }

    fn lie(&self) -> &ClientLie {
        &self.scene.setup.lie
    }

    /// Returns what the call tells of its deadline.
    fn deadline(&self) -> Option<Instant> {
        (self.lie().deadline)(self.call.phase(), self.call.deadline())
    }

    fn events(&self) -> Vec<(&'static str, Event)> {
        let scene = &*self.scene;
        let last = self.watch.last_leg();
        let mut events = vec![
            ("tick", Event::Tick),
            ("the caller stops", Event::Stop),
            ("the connection drops", Event::ConnectionLost),
            ("another binding", Event::BindingChanged(Binding::new("SENTINEL"))),
            ("the same binding", Event::BindingChanged(Binding::new("server"))),
            ("progress", Event::Progress { leg: last.clone() }),
        ];
        let round = usize::try_from(self.watch.round()).unwrap();
        let replies = scene.replies.get(round).or(scene.replies.last()).unwrap();
        for (event, reply) in replies {
            events.push((event, Event::Reply { leg: last.clone(), reply: reply.clone() }));
        }
        let (_, result) = &replies[0];
        let legs = self.watch.legs();
        let late = &legs[..legs.len() - 1];
        for leg in late.iter().chain([&scene.foreign]) {
            events
                .push(("a late result", Event::Reply { leg: leg.clone(), reply: result.clone() }));
            events.push(("late progress", Event::Progress { leg: leg.clone() }));
        }
        events
    }

    fn answers(&self) -> Vec<(&'static str, Event)> {
        let mut events = Vec::new();
        let first = if self.scene.setup.is_wide { 1 } else { self.watch.round().max(2) - 1 };
        for round in first..=self.watch.round() + 1 {
            for kind in self.scene.kinds() {
                let key = kind.key().to_owned();
                let is_open = round == self.watch.round() && self.watch.is_open(&key);
                // A key of a round that is over, or of this one, that is not open has its answer.
                let was_asked = round < self.watch.round() || self.watch.asked().contains_key(&key);
                let name = if was_asked && !is_open { "a second answer" } else { "an answer" };
                // What is refused for its round or key is refused whatever it says.
                let some = if is_open { usize::MAX } else { 1 };
                for response in kind.answers().into_iter().take(some) {
                    events.push((name, answer(round, kind, response)));
                }
                for response in kind.unfit().into_iter().take(some) {
                    let name = "an answer that does not fit";
                    events.push((name, answer(round, kind, response)));
                }
                events.push(("nobody can be asked", Event::Failed { round, key }));
            }
        }
        events
    }

    /// Returns what is shown of actions.
    fn shown(&self, list: &[Action]) -> String {
        let mut shown = format!("{list:?}");
        if let Some(Action::Send(request)) = list.first() {
            shown += &(self.lie().logs)(request);
        }
        shown
    }

    fn label(action: &Action) -> Label {
        let plain = |key: &str| key.replace(&format!("{SECRET} "), "");
        match action {
            Action::Send(_) => Label::new("Send", ""),
            Action::CancelLeg { .. } => Label::new("CancelLeg", ""),
            Action::Ask { key, .. } => Label::new("Ask", plain(key)),
            Action::Retract { key, why, .. } => {
                Label::new("Retract", format!("{} ({})", plain(key), snake(&format!("{why:?}"))))
            }
            Action::Settle(outcome) => Label::new("Settle", code(outcome)),
        }
    }

    fn refused(
        &self,
        next: &Self,
        event: &'static str,
        misuse: &mrtr_core::client::Misuse,
    ) -> Result<(Option<Self>, Vec<Seen>), Violation> {
        Invariant::Contract.holds(next.call == self.call, "what is refused changes nothing")?;
        shows_nothing_secret(&format!("{misuse} {misuse:?}"))?;
        if !self.scene.setup.is_told {
            return Ok((None, Vec::new()));
        }
        let what = What::Refused(snake(&format!("{misuse:?}")));
        Ok((None, vec![Seen { event, from: Some(self.place()), to: self.place(), what }]))
    }

    /// Checks what a tick does: nothing before the deadline, and at it what the place is there for.
    fn check_tick(&self, at: Instant) -> Result<(), Violation> {
        let rule = Invariant::ClocksRunWhereTheyBelong;
        let mut call = self.call.clone();
        if let Some(early) = at.since_epoch().checked_sub(Duration::from_millis(1)) {
            let actions = call.handle(Instant::from_epoch(early), Event::Tick).unwrap();
            let is_idle = actions.as_slice().is_empty() && call == self.call;
            Invariant::Contract.holds(is_idle, "a tick that is not due does nothing")?;
        }
        let actions = call.handle(at, Event::Tick).unwrap();
        let in_flight = self.watch.is_in_flight();
        let is_asked = self.watch.open().next().is_some();
        match actions.as_slice().last() {
            Some(Action::Settle(Outcome::TimedOut(Clock::Leg | Clock::Execution))) => {
                rule.holds(in_flight && !is_asked, "a leg is in flight when its clock runs")
            }
            Some(Action::Settle(Outcome::TimedOut(Clock::Interaction))) => {
                rule.holds(is_asked && !in_flight, "somebody is asked when their clock runs")
            }
            Some(Action::Send(_)) => {
                rule.holds(!is_asked && !in_flight, "nothing is waited for in a pause")
            }
            _ => rule.holds(false, "what is due comes with the tick"),
        }
    }
}

fn code(outcome: &Outcome) -> String {
    match outcome {
        Outcome::TimedOut(clock) => {
            format!("{} ({})", outcome.code(), snake(&format!("{clock:?}")))
        }
        _ => outcome.code().into(),
    }
}

impl Searched for Calling {
    type Op = CallStep;

    fn ops(&self) -> Vec<CallStep> {
        let due = self.deadline().filter(|at| *at > self.now);
        let mut ops: Vec<_> = due.iter().map(|_| CallStep::Pass).collect();
        let step = self.scene.setup.steps.0;
        if self.steps > 0 && due.is_some_and(|at| self.now + step < at) {
            ops.push(CallStep::Step);
        }
        let events = self.events().into_iter().chain(self.answers());
        ops.extend(events.map(|(name, event)| CallStep::Happen(name, event)));
        ops
    }

    fn step(&self, op: &CallStep) -> Result<(Option<Self>, Vec<Seen>), Violation> {
        let mut next = self.clone();
        let (name, event) = match op {
            CallStep::Pass => {
                next.now = self.deadline().unwrap();
                return Ok((Some(next), Vec::new()));
            }
            CallStep::Step => {
                next.now = self.now + self.scene.setup.steps.0;
                next.steps -= 1;
                return Ok((Some(next), Vec::new()));
            }
            CallStep::Happen(name, event) => (*name, event),
        };
        let actions = match next.call.handle(self.now, event.clone()) {
            Err(misuse) => return self.refused(&next, name, &misuse),
            Ok(actions) => actions,
        };
        let [Report::Moved(transition)] = actions.reports() else {
            let is_idle = actions.as_slice().is_empty() && next.call == self.call;
            Invariant::Contract.holds(is_idle, "what is ignored changes nothing")?;
            return Ok((None, Vec::new()));
        };
        let transition = transition.clone();
        let (from, to) = (self.place(), next.place());
        let is_told = (transition.from, transition.to) == (from.phase, to.phase);
        Invariant::Contract.holds(is_told, "a transition says what changed")?;
        if from != to {
            next.since = self.now;
        }
        let mut list = actions.into_iter().collect();
        (self.lie().acts)(event, from.phase, &self.scene.first, &mut list);
        shows_nothing_secret(&format!("{} {transition:?} {event:?}", self.shown(&list)))?;
        let sent = match event {
            Event::Answer { response, .. } => Some(response_text(response)),
            _ => None,
        };
        next.watch.see(event, sent.as_deref(), [from.phase, to.phase], &list)?;
        if !self.scene.setup.is_told {
            return Ok((Some(next), Vec::new()));
        }
        let due = self.deadline().filter(|_| *event == Event::Tick);
        let after = due.map(|at| at.since(self.since));
        let labels = list.iter().map(Self::label).collect();
        let what = What::Moved { by: transition.cause, actions: labels, after };
        Ok((Some(next), vec![Seen { event: name, from: Some(from), to, what }]))
    }

    fn check(&self) -> Result<(), Violation> {
        let deadline = self.deadline();
        let phase = self.call.phase();
        self.watch.check_told(phase, (self.lie().open)(phase, self.call.open()), deadline)?;
        shows_nothing_secret(&format!("{:?}", self.call))?;
        deadline.map_or(Ok(()), |at| self.check_tick(at))
    }
}
