//! The call, its clock, and everybody around it.

use crate::invariants::SECRET;
use core::time::Duration;
use std::collections::BTreeMap;

use mrtr_core::{
    Clocks, Instant, Limits, Phase,
    client::{Action, Actions, Event, Invocation, LegId, Misuse, Outcome, Reply, Report},
    wire::{InputResponse, RawJson},
};
use serde_json::value::RawValue;

use super::{
    How, Op, Says, WhichLeg, WhichQuestion, WhichRound,
    claims::CLAIM_SETS,
    expected::Next,
    hostile::STATE_BYTES_MAX,
    legs::{FOREIGN_LEGS, LEGS, binding, request},
    record::Record,
    script::{QUESTIONS, Question, Unfit, pick},
    server::line,
};

/// The spans by which time moves, in milliseconds: about as long as each clock of the world, and
/// mostly short.
const SPANS: [u64; 12] = [0, 1, 1, 249, 250, 500, 600, 600, 1_000, 1_000, 9_999, 119_000];

/// One call, and all that happens to it.
///
/// ```
/// use mrtr_proptests::invocation::{Op, World, ops};
///
/// let mut world = World::new(0);
/// for op in ops(&[4, 0, 1, 9, 0, 0, 4, 0, 0]) {
///     world.apply(op);
/// }
/// assert!(world.is_settled());
/// ```
#[derive(Clone, Debug)]
pub struct World {
    call: Invocation,
    now: Instant,
    record: Record,
    /// Whether all that was put in has the sentinel in secrets only.
    keeps_secrets: bool,
}

impl World {
    /// Starts a call. The bits of `setup` choose its claims and limits.
    #[must_use]
    pub fn new(setup: u8) -> Self {
        // Most lives can be asked anything.
        let claims = match setup >> 4 {
            3 => 12,
            high => high.saturating_sub(4),
        };
        let claims = pick(&CLAIM_SETS, claims);
        let clocks = Clocks::default()
            .leg(Duration::from_secs(10))
            .leg_max((setup & 8 != 0).then_some(Duration::from_secs(25)))
            .execution((setup & 4 != 0).then_some(Duration::from_secs(15)))
            .interaction(Duration::from_secs(120))
            .pause_max(Duration::from_millis(600));
        let limits = Limits::default()
            .rounds_max(*pick(&[0, 1, 4, 7], setup & 3))
            .state_bytes_max(STATE_BYTES_MAX)
            .clocks(clocks);
        let now = Instant::from_millis(1_000_000);
        let request = request("w").with_revision(claims.revision());
        let (call, actions) =
            Invocation::start(now, request, (claims.claims)(), limits.clone()).unwrap();
        let [Action::Send(first)] = actions.as_slice() else { panic!("a call starts by sending") };
        let record = Record::new(now, claims, limits, first);
        Self { call, now, record, keeps_secrets: true }
    }

    /// Lets one thing happen, and checks what comes of it.
    pub fn apply(&mut self, op: Op) {
        match op {
            Op::Tick => self.tick(),
            Op::Wait(span) => self.now = Instant::from_millis(self.millis() + pick(&SPANS, span)),
            Op::Back(span) => {
                self.now = Instant::from_millis(self.millis().saturating_sub(*pick(&SPANS, span)));
            }
            Op::Rest if self.call.phase() != Phase::Pausing => {}
            Op::Rest => self.run_out(false),
            Op::RunOut { early } => self.run_out(early),
            Op::Reply { leg, says } => self.reply(leg, says),
            Op::Answer { round, question, how } => self.answer(round, question, how),
            Op::Fail { round, question } => self.fail(round, question),
            Op::Progress { leg } => self.progress(leg),
            Op::Bound { same: true } => self.expect_nothing(Event::BindingChanged(binding(true))),
            Op::Bound { same: false } => self.end(Event::BindingChanged(binding(false))),
            Op::Lost => self.end(Event::ConnectionLost),
            Op::Stop => self.end(Event::Stop),
        }
        self.check();
    }

    /// Lets the server answer the last leg with bytes that nobody has written before.
    pub fn serve(&mut self, message: &[u8]) {
        // Whether a text of a stranger holds the sentinel is the stranger's business.
        self.keeps_secrets = false;
        let leg = self.last_leg();
        let reply = Reply::read(&leg, message);
        let state = match &reply {
            Reply::Result(result) => state_of(result),
            _ => None,
        };
        self.deliver_reply(leg, reply, None, state);
        self.check();
    }

    /// Declines all questions, and gives the smallest answer where a question cannot be declined.
    pub fn decline_all(&mut self) {
        let open: Vec<_> =
            self.record.open_kinds().map(|(key, kind)| (key.clone(), kind)).collect();
        for (key, kind) in open {
            let (response, sent) = kind.least();
            self.deliver_answer(self.record.round, key, response, Ok(sent));
            self.check();
        }
    }

    /// Returns what happened that not every life gets to.
    pub fn seen(&self) -> impl Iterator<Item = &'static str> {
        self.record.seen.iter().copied()
    }

    /// Returns whether the call has its outcome.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.record.is_settled()
    }

    /// Returns the outcome of the call, once it has one.
    #[must_use]
    pub const fn outcome(&self) -> Option<&Outcome> {
        self.record.outcome.as_ref()
    }

    /// Returns the JSON-RPC id of the leg that was sent last.
    #[must_use]
    pub fn leg_id(&self) -> String {
        self.last_leg().to_string()
    }

    /// Returns how many legs were sent.
    #[must_use]
    pub fn legs_sent(&self) -> usize {
        self.record.legs_sent()
    }

    /// Checks what holds between any two events.
    pub fn check(&self) {
        self.record.check(&self.call);
        self.assert_keeps_secrets(&format!("{:?}", self.call));
    }

    fn run_out(&mut self, early: bool) {
        let Some(at) = self.call.deadline() else { return };
        let at = Instant::from_millis(millis(at).saturating_sub(early.into()));
        self.now = self.now.max(at);
        self.tick();
    }

    fn tick(&mut self) {
        let due = self.record.deadline().is_some_and(|at| at <= self.now);
        let actions = self.deliver(Event::Tick).unwrap();
        self.record.ticked(due, actions.as_slice());
    }

    fn reply(&mut self, leg: WhichLeg, says: Says) {
        let (reply, next, state) = line(&self.record, says);
        self.deliver_reply(self.leg(leg), reply, Some(next), state);
    }

    fn leg(&self, leg: WhichLeg) -> LegId {
        match leg {
            WhichLeg::Last => self.last_leg(),
            WhichLeg::First => LEGS.first().cloned().unwrap(),
            WhichLeg::Unsent => LEGS.get(self.legs_sent()).cloned().unwrap(),
            WhichLeg::Foreign => FOREIGN_LEGS.first().cloned().unwrap(),
        }
    }

    fn deliver_reply(
        &mut self,
        leg: LegId,
        reply: Reply,
        next: Option<Next>,
        state: Option<String>,
    ) {
        let is_ours = self.is_sent(&leg);
        let counts = self.record.is_in_flight() && leg == self.last_leg();
        let before = self.call.clone();
        match self.deliver(Event::Reply { leg, reply }) {
            Err(misuse) => {
                assert!(!is_ours);
                assert!(matches!(misuse, Misuse::UnknownLeg | Misuse::WrongInvocation));
            }
            Ok(actions) if counts => {
                self.record.replied(next, state, actions.as_slice(), &self.call);
            }
            Ok(actions) => {
                assert!(is_ours);
                assert_eq!(actions, Actions::default(), "a late reply does nothing");
                assert!(before == self.call, "a late reply changes nothing");
            }
        }
    }

    fn answer(&mut self, round: WhichRound, question: WhichQuestion, how: How) {
        let question = self.question(question);
        let (response, expected) = question.answer(how);
        self.deliver_answer(self.round(round), question.key.into(), response, expected);
    }

    fn question(&self, question: WhichQuestion) -> &'static Question {
        match question {
            WhichQuestion::Open(index) => {
                let open = self.record.open_keys();
                let key = open.get(usize::from(index) % open.len().max(1));
                let question =
                    QUESTIONS.iter().find(|known| Some(known.key) == key.map(String::as_str));
                question.unwrap_or(pick(&QUESTIONS, index))
            }
            WhichQuestion::Any(index) => pick(&QUESTIONS, index),
        }
    }

    fn round(&self, round: WhichRound) -> u32 {
        match round {
            WhichRound::Last => self.record.round,
            WhichRound::Before => self.record.round.saturating_sub(1),
            WhichRound::After => self.record.round + 1,
        }
    }

    /// Hands an answer over. `expected` is what goes to the server for it, or why nothing does.
    fn deliver_answer(
        &mut self,
        round: u32,
        key: String,
        response: InputResponse,
        expected: Result<&str, Unfit>,
    ) {
        let counts = round == self.record.round && self.record.is_open(&key);
        match (self.deliver(Event::Answer { round, key: key.clone(), response }), expected) {
            (Ok(actions), Ok(sent)) => {
                assert!(counts, "an answer counts only for what is asked");
                self.record.answered(&key, sent.into(), actions.as_slice());
            }
            (Err(misuse), Err(unfit)) if counts => {
                assert!(unfit.is_said_by(&misuse), "{misuse:?} for {unfit:?}");
                self.record.seen.insert(match unfit {
                    Unfit::Kind => "an answer of a wrong kind is refused",
                    Unfit::Form => "an answer that does not fit is refused",
                    Unfit::Shape => "an answer without its shape is refused",
                });
            }
            (Err(misuse), _) => {
                assert!(!counts, "what is asked can be answered");
                assert_not_asked(&misuse);
            }
            (Ok(_), Err(unfit)) => panic!("an answer is taken in spite of {unfit:?}"),
        }
    }

    fn fail(&mut self, round: WhichRound, question: WhichQuestion) {
        let (round, key) = (self.round(round), self.question(question).key);
        let counts = round == self.record.round && self.record.is_open(key);
        match self.deliver(Event::Failed { round, key: key.into() }) {
            Ok(actions) => {
                assert!(counts, "only what is asked can fail");
                let outcome = self.record.ended(actions.as_slice());
                assert_eq!(*outcome, Outcome::Unanswerable);
            }
            Err(misuse) => {
                assert!(!counts, "what is asked can fail");
                assert_not_asked(&misuse);
            }
        }
    }

    fn progress(&mut self, leg: WhichLeg) {
        let leg = self.leg(leg);
        let is_ours = self.is_sent(&leg);
        let counts = self.record.is_in_flight() && leg == self.last_leg();
        if !counts && is_ours {
            return self.expect_nothing(Event::Progress { leg });
        }
        match self.deliver(Event::Progress { leg }) {
            Ok(actions) => {
                assert!(counts, "only what is sent is worked on");
                assert_eq!(actions.as_slice(), []);
                self.record.progressed();
            }
            Err(misuse) => {
                assert!(!is_ours);
                assert!(matches!(misuse, Misuse::UnknownLeg | Misuse::WrongInvocation));
            }
        }
    }

    /// Ends the call by something other than a reply.
    fn end(&mut self, event: Event) {
        let is_stop = event == Event::Stop;
        if self.record.is_settled() {
            self.record.stopped |= is_stop;
            return self.expect_nothing(event);
        }
        let actions = self.deliver(event).unwrap();
        let outcome = self.record.ended(actions.as_slice());
        if is_stop {
            assert_eq!(*outcome, Outcome::Stopped);
            self.record.stopped = true;
        } else {
            assert!(matches!(outcome, Outcome::Lost | Outcome::OutcomeUnknown));
        }
    }

    fn expect_nothing(&mut self, event: Event) {
        let before = self.call.clone();
        assert_eq!(self.deliver(event), Ok(Actions::default()));
        assert!(before == self.call);
    }

    /// Hands an event over, twice, to two calls that are equal. Invariant 1, and that what is
    /// refused changes nothing.
    fn deliver(&mut self, event: Event) -> Result<Actions, Misuse> {
        self.assert_keeps_secrets(&format!("{event:?}"));
        let before = self.call.clone();
        let mut twin = before.clone();
        let result = self.call.handle(self.now, event.clone());
        assert_eq!(twin.handle(self.now, event), result, "equal calls do the same");
        assert!(twin == self.call, "equal calls stay equal");
        match &result {
            Ok(actions) => {
                self.assert_keeps_secrets(&format!("{actions:?}"));
                assert!(!self.record.is_settled() || actions.as_slice().is_empty());
                if let [Report::Moved(step)] = actions.reports() {
                    assert_eq!((step.from, step.to), (before.phase(), self.call.phase()));
                    assert_eq!(step.open, self.call.open());
                    self.record.told(self.now);
                } else {
                    assert!(before == self.call, "a change is reported");
                }
            }
            Err(misuse) => {
                self.assert_keeps_secrets(&format!("{misuse:?} {misuse}"));
                assert!(before == self.call, "what is refused changes nothing");
            }
        }
        result
    }

    /// Invariant 11.
    fn assert_keeps_secrets(&self, shown: &str) {
        assert!(!self.keeps_secrets || !shown.contains(SECRET), "a secret is shown: {shown}");
    }

    fn is_sent(&self, leg: &LegId) -> bool {
        LEGS.iter().take(self.legs_sent()).any(|sent| sent == leg)
    }

    fn last_leg(&self) -> LegId {
        LEGS.get(self.legs_sent() - 1).cloned().unwrap()
    }

    fn millis(&self) -> u64 {
        millis(self.now)
    }
}

fn millis(at: Instant) -> u64 {
    at.since_epoch().as_millis().try_into().unwrap()
}

/// Asserts that a refusal says that nothing of the kind is asked.
fn assert_not_asked(misuse: &Misuse) {
    let is_said = matches!(
        misuse,
        Misuse::WrongRound | Misuse::UnknownKey | Misuse::Answered | Misuse::Closed
    );
    assert!(is_said, "{misuse:?} for what is not asked");
}

/// Returns the text of the state that a result carries, if it is one that asks for input.
fn state_of(result: &RawJson) -> Option<String> {
    if !result.as_str().starts_with('{') {
        return None;
    }
    // A member's name that is no Unicode ends the call: there is no state of it.
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(result.as_str()).ok()?;
    let state = members.get("requestState")?.get();
    (state != "null").then(|| state.into())
}
