//! The call, its clock, and everybody around it.

use core::time::Duration;
use std::{collections::BTreeMap, sync::LazyLock};

use mrtr_core::{
    Action, Actions, Binding, Claims, Clocks, Event, Instant, Invocation, InvocationId, LegId,
    Limits, Misuse, Outcome, Phase, Reply, Request,
    wire::{Method, RawJson, Response},
};
use serde_json::value::RawValue;

use super::{
    How, Op, SENTINEL, Says, WhichLeg, WhichQuestion, WhichRound,
    record::{Next, Record, form_claims},
    script::{HOSTILE, PARAMS, QUESTIONS, STATE_BYTES_MAX, STATES, asking},
};

/// The spans by which time moves, in milliseconds: about as long as each clock of the world, and
/// mostly short.
const SPANS: [u64; 12] = [0, 1, 1, 249, 250, 500, 600, 600, 1_000, 1_000, 9_999, 119_000];

/// The legs that the call of a world sends, if it lives so long.
static LEGS: LazyLock<Vec<LegId>> = LazyLock::new(|| all_legs("w"));

/// The legs of another call.
static FOREIGN_LEGS: LazyLock<Vec<LegId>> = LazyLock::new(|| all_legs("other"));

/// Is one call, and all that happens to it.
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
        let claims = match setup >> 5 {
            6 => Claims::none(),
            7 => Claims::none().with_retries(),
            _ => form_claims(),
        };
        let clocks = Clocks {
            leg: Duration::from_secs(10),
            execution: (setup & 8 != 0).then_some(Duration::from_secs(15)),
            interaction: Duration::from_secs(120),
            pause_max: Duration::from_millis(600),
            ..Clocks::default()
        };
        let limits = Limits {
            rounds_max: u32::from(setup & 7),
            state_bytes_max: STATE_BYTES_MAX,
            clocks,
            ..Limits::default()
        };
        let now = Instant::from_millis(1_000_000);
        let (call, actions) = Invocation::start(now, request("w"), claims, limits.clone()).unwrap();
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
            Reply::Error(_) | Reply::Unreadable(_) => None,
        };
        self.deliver_reply(leg, reply, None, state);
        self.check();
    }

    /// Says no to everything that is asked.
    pub fn decline_all(&mut self) {
        for key in self.record.open_keys() {
            let (round, response) = (self.record.round, Response::Decline);
            self.deliver_answer(round, key, response, Some(r#"{"action":"decline"}"#.into()));
            self.check();
        }
    }

    /// Tells whether the call has its outcome.
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
        let leg = match leg {
            WhichLeg::Last => self.last_leg(),
            WhichLeg::First => LEGS.first().cloned().unwrap(),
            WhichLeg::Unsent => LEGS.get(self.legs_sent()).cloned().unwrap(),
            WhichLeg::Foreign => FOREIGN_LEGS.first().cloned().unwrap(),
        };
        let (reply, next, state) = self.line(says);
        self.deliver_reply(leg, reply, Some(next), state);
    }

    /// Writes what a server says, what must come of it, and the state that goes back.
    fn line(&self, says: Says) -> (Reply, Next, Option<String>) {
        let result = |text: &str| Reply::Result(RawJson::parse(text).unwrap());
        match says {
            Says::Complete => (result(r#"{"content":["hunter2"]}"#), Next::Complete, None),
            Says::Error => {
                let error = r#"{"code":-32603,"message":"hunter2","data":"hunter2"}"#;
                (Reply::Error(RawJson::parse(error).unwrap()), Next::Error, None)
            }
            Says::Hostile(index) => (result(pick::<&str>(&HOSTILE, index)), Next::Fault, None),
            Says::StateOnly(index) => {
                let state = *pick::<&str>(&STATES, index);
                (result(&asking(&[], Some(state))), self.record.next(vec![]), Some(state.into()))
            }
            Says::Ask { questions, with_state } => {
                // No question at all would be no such result.
                let chosen: Vec<_> = QUESTIONS
                    .iter()
                    .enumerate()
                    .filter(|(bit, _)| questions.max(1) >> bit & 1 == 1)
                    .map(|(_, question)| question)
                    .collect();
                let keys = chosen.iter().map(|question| question.key.into()).collect();
                let state = with_state.then(|| *pick::<&str>(&STATES, questions));
                (result(&asking(&chosen, state)), self.record.next(keys), state.map(Into::into))
            }
        }
    }

    fn deliver_reply(
        &mut self,
        leg: LegId,
        reply: Reply,
        next: Option<Next>,
        state: Option<String>,
    ) {
        let is_ours = LEGS.iter().take(self.legs_sent()).any(|sent| *sent == leg);
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
        let question = match question {
            WhichQuestion::Open(index) => {
                let open = self.record.open_keys();
                let key = open.get(usize::from(index) % open.len().max(1));
                let question =
                    QUESTIONS.iter().find(|known| Some(known.key) == key.map(String::as_str));
                question.unwrap_or(pick(&QUESTIONS, index))
            }
            WhichQuestion::Any(index) => pick(&QUESTIONS, index),
        };
        let round = match round {
            WhichRound::Last => self.record.round,
            WhichRound::Before => self.record.round.saturating_sub(1),
            WhichRound::After => self.record.round + 1,
        };
        let (response, sent) = match how {
            How::Right => (Response::Accept((question.right)()), Some(question.sent)),
            How::Wrong => (Response::Accept((question.wrong)()), None),
            How::Decline => (Response::Decline, Some(r#"{"action":"decline"}"#)),
            How::Dismiss => (Response::Dismiss, Some(r#"{"action":"cancel"}"#)),
        };
        self.deliver_answer(round, question.key.into(), response, sent.map(Into::into));
    }

    /// Hands an answer over. `sent` is what goes to the server for it, if it is a right one.
    fn deliver_answer(
        &mut self,
        round: u32,
        key: String,
        response: Response,
        sent: Option<String>,
    ) {
        let counts = round == self.record.round && self.record.is_open(&key);
        match self.deliver(Event::Answer { round, key: key.clone(), response }) {
            Ok(actions) => {
                assert!(counts, "an answer counts only for what is asked");
                self.record.answered(&key, sent.unwrap(), actions.as_slice());
            }
            Err(misuse) => {
                let is_invalid = matches!(misuse, Misuse::Invalid(_));
                assert_eq!(counts, is_invalid, "what is asked can be answered");
                assert!(!is_invalid || sent.is_none(), "an answer that fits is taken");
            }
        }
    }

    /// Ends the call by something that is no reply.
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
                if let Some(step) = actions.transition() {
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
        assert!(!self.keeps_secrets || !shown.contains(SENTINEL), "a secret is shown: {shown}");
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

fn pick<T>(choices: &[T], index: u8) -> &T {
    choices.iter().cycle().nth(index.into()).unwrap()
}

fn binding(same: bool) -> Binding {
    Binding::new(if same { "server-1" } else { "server-2" })
}

fn request(id: &str) -> Request {
    let id = InvocationId::new(id).unwrap();
    Request::new(id, Method::ToolsCall, RawJson::parse(PARAMS).unwrap(), binding(true))
}

/// Returns the legs of a call that is asked to be called again as long as it may. Only a call makes
/// the name of a leg.
fn all_legs(id: &str) -> Vec<LegId> {
    let mut now = Instant::from_millis(0);
    let retries = Claims::none().with_retries();
    let (mut call, mut actions) =
        Invocation::start(now, request(id), retries, Limits::default()).unwrap();
    let mut legs = Vec::new();
    while let [Action::Send(sent)] = actions.as_slice() {
        let leg = sent.leg.clone();
        legs.push(leg.clone());
        let result =
            RawJson::parse(r#"{"resultType":"input_required","requestState":""}"#).unwrap();
        let paused = call.handle(now, Event::Reply { leg, reply: Reply::Result(result) }).unwrap();
        assert!(paused.as_slice().len() <= 1);
        now = call.deadline().unwrap_or(now);
        actions = call.handle(now, Event::Tick).unwrap();
    }
    legs
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
