//! The call, its clock, and everybody around it.

use core::time::Duration;

use mrtr_core::{
    Clocks, Instant, Limits, Phase,
    client::{Action, Event, Invocation, LegId, LegRequest, Misuse, Outcome, Reply, Report},
    wire::InputResponse,
};

use super::{
    ClientOp, WhichLeg, WhichQuestion, WhichRound,
    claims::CLAIM_SETS,
    expected::NextOfCall,
    hostile::STATE_BYTES_MAX,
    legs::{FOREIGN_LEGS, LEGS, binding, request},
    model::{CallModel, CallStage},
    script::{QUESTIONS, ScriptQuestion, Unfit, pick},
    server::line,
};

use crate::{
    faults::ClientLie,
    invariants::{Checked, Invariant, Violation, shows_nothing_secret},
};

/// The spans by which time moves, in milliseconds: about as long as each clock of the world, and
/// mostly short.
const SPANS: [u64; 12] = [0, 1, 1, 249, 250, 500, 600, 600, 1_000, 1_000, 9_999, 119_000];

/// One call, and all that happens to it.
///
/// ```
/// use mrtr_proptests::invocation::{ClientOp, ClientWorld, ops};
///
/// let mut world = ClientWorld::new(0);
/// for op in ops(&[4, 0, 1, 9, 0, 0, 4, 0, 0]) {
///     world.apply(op);
/// }
/// assert!(world.is_settled());
/// ```
#[derive(Clone, Debug)]
pub struct ClientWorld {
    call: Invocation,
    lie: ClientLie,
    now: Instant,
    model: CallModel,
    /// The first request.
    first: LegRequest,
    /// Whether all that was put in has the sentinel in secrets only.
    keeps_secrets: bool,
}

impl ClientWorld {
    /// Starts a call. The bits of `setup` choose its claims and limits.
    #[must_use]
    pub fn new(setup: u8) -> Self {
        Self::of(ClientLie::HONEST, setup)
    }

    /// Starts a call that lies.
    ///
    /// # Panics
    ///
    /// Never: each set of claims and limits starts a call.
    #[must_use]
    pub fn of(lie: ClientLie, setup: u8) -> Self {
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
        let taken = limits.clone().rounds_max(limits.rounds_max + lie.rounds_more);
        let (call, actions) = Invocation::start(now, request, (claims.claims)(), taken).unwrap();
        let [Action::Send(first)] = actions.as_slice() else { panic!("a call starts by sending") };
        let (model, first) = (CallModel::new(now, claims, limits, first), first.clone());
        Self { call, lie, now, model, first, keeps_secrets: true }
    }

    /// Lets one thing happen, and checks what comes of it.
    ///
    /// # Panics
    ///
    /// If an invariant is broken.
    pub fn apply(&mut self, op: ClientOp) {
        if let Err(violation) = self.try_apply(op) {
            panic!("{violation}\nafter {op:?}");
        }
    }

    /// Lets one thing happen, and checks what comes of it.
    ///
    /// # Errors
    ///
    /// The first violation.
    pub fn try_apply(&mut self, op: ClientOp) -> Checked {
        match op {
            ClientOp::Tick => self.tick()?,
            ClientOp::Wait(span) => {
                self.now = Instant::from_millis(self.millis() + pick(&SPANS, span))
            }
            ClientOp::Back(span) => {
                self.now = Instant::from_millis(self.millis().saturating_sub(*pick(&SPANS, span)));
            }
            ClientOp::Rest if self.call.phase() != Phase::Pausing => {}
            ClientOp::Rest => self.run_out(false)?,
            ClientOp::RunOut { early } => self.run_out(early)?,
            ClientOp::Reply { leg, says } => {
                let (reply, next, state) = line(&self.model, says);
                self.reply(self.leg(leg), reply, Some(next), state)?;
            }
            ClientOp::Answer { round, question, how } => {
                let question = self.question(question);
                let (response, expected) = question.answer(how);
                self.answer(self.round(round), question.key.into(), response, expected)?;
            }
            ClientOp::Fail { round, question } => self.fail(round, question)?,
            ClientOp::Progress { leg } => self.progress(self.leg(leg))?,
            ClientOp::Bound { same: true } => self.nothing(Event::BindingChanged(binding(true)))?,
            ClientOp::Bound { same: false } => self.end(Event::BindingChanged(binding(false)))?,
            ClientOp::Lost => self.end(Event::ConnectionLost)?,
            ClientOp::Stop => self.end(Event::Stop)?,
        }
        self.check()
    }

    /// Lets the server answer the last leg with bytes that nobody has written before.
    ///
    /// # Panics
    ///
    /// If an invariant is broken.
    pub fn serve(&mut self, message: &[u8]) {
        // Whether a text of a stranger holds the sentinel is the stranger's business.
        self.keeps_secrets = false;
        let leg = self.model.watch.last_leg().clone();
        let reply = Reply::read(&leg, message);
        self.reply(leg, reply, None, None).unwrap();
        self.check().unwrap();
    }

    /// Declines all questions, and gives the smallest answer where a question cannot be declined.
    ///
    /// # Panics
    ///
    /// If an invariant is broken.
    pub fn decline_all(&mut self) {
        for (key, kind) in self.model.open_kinds() {
            let (response, sent) = kind.least();
            self.answer(self.model.watch.round(), key, response, Ok(sent)).unwrap();
            self.check().unwrap();
        }
    }

    /// Returns what happened that not every life gets to.
    pub fn seen(&self) -> impl Iterator<Item = &'static str> {
        self.model.seen.iter().copied()
    }

    /// Returns whether the call has its outcome.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.model.watch.is_settled()
    }

    /// Returns the outcome of the call, once it has one.
    #[must_use]
    pub const fn outcome(&self) -> Option<&Outcome> {
        self.model.outcome.as_ref()
    }

    /// Returns the JSON-RPC id of the leg that was sent last.
    #[must_use]
    pub fn leg_id(&self) -> String {
        self.model.watch.last_leg().to_string()
    }

    /// Returns how many legs were sent.
    #[must_use]
    pub fn legs_sent(&self) -> usize {
        self.model.watch.legs().len()
    }

    /// Checks what holds between any two events.
    fn check(&self) -> Checked {
        let phase = self.call.phase();
        let deadline = (self.lie.deadline)(phase, self.call.deadline());
        self.model.watch.check_told(phase, (self.lie.open)(phase, self.call.open()), deadline)?;
        self.model.check_deadline(deadline)?;
        let pauses = self.model.place() == CallStage::Pausing;
        Invariant::Contract.same("that a call pauses", &(phase == Phase::Pausing), &pauses)?;
        self.shows_nothing_secret(&format!("{:?}", self.call))
    }

    fn run_out(&mut self, early: bool) -> Checked {
        let Some(at) = self.call.deadline() else { return Ok(()) };
        let at = Instant::from_millis(millis(at).saturating_sub(early.into()));
        self.now = self.now.max(at);
        self.tick()
    }

    fn tick(&mut self) -> Checked {
        let due = self.model.due().filter(|(at, _)| *at <= self.now).map(|(_, clock)| clock);
        let (before, open) = (self.model.place(), self.model.open_keys());
        let actions = self.handle(Event::Tick, None)?.map_err(|misuse| refused(&misuse))?;
        self.model.ticked(due, before, &open, &actions)
    }

    fn leg(&self, leg: WhichLeg) -> LegId {
        match leg {
            WhichLeg::Last => self.model.watch.last_leg().clone(),
            WhichLeg::First => LEGS.first().cloned().unwrap(),
            WhichLeg::Unsent => LEGS.get(self.legs_sent()).cloned().unwrap(),
            WhichLeg::Foreign => FOREIGN_LEGS.first().cloned().unwrap(),
        }
    }

    fn reply(
        &mut self,
        leg: LegId,
        reply: Reply,
        next: Option<NextOfCall>,
        state: Option<String>,
    ) -> Checked {
        if !self.counts(&leg) {
            return self.late(&leg.clone(), Event::Reply { leg, reply });
        }
        let round = self.model.watch.round();
        let actions = self.handle(Event::Reply { leg, reply }, None)?;
        let actions = actions.map_err(|misuse| refused(&misuse))?;
        if next.is_some() && self.model.watch.round() > round {
            let found = self.model.watch.state().map(Into::into);
            Invariant::AsRequired.same("the state of a round", &found, &state)?;
        }
        self.model.replied(next, &actions)
    }

    fn question(&self, question: WhichQuestion) -> &'static ScriptQuestion {
        match question {
            WhichQuestion::Open(index) => {
                let open = self.model.open_keys();
                let key = open.get(usize::from(index) % open.len().max(1));
                let question =
                    QUESTIONS.iter().find(|known| Some(known.key) == key.map(String::as_str));
                question.unwrap_or(pick(&QUESTIONS, index))
            }
            WhichQuestion::Any(index) => pick(&QUESTIONS, index),
        }
    }

    fn round(&self, round: WhichRound) -> u32 {
        let last = self.model.watch.round();
        match round {
            WhichRound::Last => last,
            WhichRound::Before => last.saturating_sub(1),
            WhichRound::After => last + 1,
        }
    }

    /// Hands an answer over. `expected` is what goes to the server for it, or why nothing does.
    fn answer(
        &mut self,
        round: u32,
        key: String,
        response: InputResponse,
        expected: Result<&str, Unfit>,
    ) -> Checked {
        let counts = self.is_asked(round, &key);
        let event = Event::Answer { round, key: key.clone(), response };
        match (self.handle(event, expected.ok())?, expected) {
            (Ok(actions), Ok(_)) if counts => self.model.answered(&key, &actions),
            (Err(misuse), Err(unfit)) if counts => {
                let is_so = unfit.is_said_by(&misuse);
                Invariant::AsRequired.holds_or(is_so, || format!("{misuse:?} for {unfit:?}"))?;
                self.model.seen.insert(match unfit {
                    Unfit::Kind => "an answer of a wrong kind is refused",
                    Unfit::Form => "an answer that does not fit is refused",
                    Unfit::Shape => "an answer without its shape is refused",
                });
                Ok(())
            }
            (Err(misuse), _) if !counts => is_not_asked(&misuse),
            (found, _) => Err(Invariant::AsRequired.broken(format!("{found:?} for {expected:?}"))),
        }
    }

    fn fail(&mut self, round: WhichRound, question: WhichQuestion) -> Checked {
        let (round, key) = (self.round(round), self.question(question).key);
        let counts = self.is_asked(round, key);
        let (before, open) = (self.model.place(), self.model.open_keys());
        match self.handle(Event::Failed { round, key: key.into() }, None)? {
            Ok(actions) if counts => {
                let outcome = self.model.ended(before, &open, &actions)?;
                Invariant::AsRequired.same("an end", &outcome, &Outcome::Unanswerable)
            }
            Err(misuse) if !counts => is_not_asked(&misuse),
            found => Err(Invariant::AsRequired.broken(format!("{found:?} for a failure"))),
        }
    }

    fn progress(&mut self, leg: LegId) -> Checked {
        if !self.counts(&leg) {
            return self.late(&leg.clone(), Event::Progress { leg });
        }
        let actions = self.handle(Event::Progress { leg }, None)?;
        let actions = actions.map_err(|misuse| refused(&misuse))?;
        self.model.progressed();
        Invariant::AsRequired.same("progress", &actions, &Vec::new())
    }

    /// Ends the call by something other than a reply.
    fn end(&mut self, event: Event) -> Checked {
        if self.is_settled() {
            return self.nothing(event);
        }
        let is_stop = event == Event::Stop;
        let (before, open) = (self.model.place(), self.model.open_keys());
        let actions = self.handle(event, None)?.map_err(|misuse| refused(&misuse))?;
        let outcome = self.model.ended(before, &open, &actions)?;
        Invariant::AsRequired.same("a stop", &(outcome == Outcome::Stopped), &is_stop)
    }

    /// Hands over what concerns a leg that is over, or that was never sent.
    fn late(&mut self, leg: &LegId, event: Event) -> Checked {
        if self.model.watch.legs().contains(leg) {
            return self.nothing(event);
        }
        match self.handle(event, None)? {
            Err(Misuse::UnknownLeg | Misuse::WrongInvocation) => Ok(()),
            found => Err(Invariant::AsRequired.broken(format!("{found:?} for another's leg"))),
        }
    }

    fn nothing(&mut self, event: Event) -> Checked {
        let before = self.call.clone();
        let found = self.handle(event, None)?;
        Invariant::AsRequired.same("what has nothing to do", &found, &Ok(Vec::new()))?;
        Invariant::Contract.holds(before == self.call, "what is ignored changes nothing")
    }

    /// Hands an event over, to two calls that are equal. `sent` is what goes to the server, if the
    /// event is an answer that is taken.
    fn handle(
        &mut self,
        event: Event,
        sent: Option<&str>,
    ) -> Result<Result<Vec<Action>, Misuse>, Violation> {
        let rule = Invariant::Contract;
        self.shows_nothing_secret(&format!("{event:?}"))?;
        let (before, place) = (self.call.clone(), self.model.place());
        let mut twin = before.clone();
        let result = self.call.handle(self.now, event.clone());
        let is_same = twin.handle(self.now, event.clone()) == result && twin == self.call;
        rule.holds(is_same, "equal calls do the same and stay equal")?;
        let actions = match result {
            Ok(actions) => actions,
            Err(misuse) => {
                self.shows_nothing_secret(&format!("{misuse:?} {misuse}"))?;
                rule.holds(before == self.call, "what is refused changes nothing")?;
                return Ok(Err(misuse));
            }
        };
        let mut list = actions.as_slice().to_vec();
        (self.lie.acts)(&event, before.phase(), &self.first, &mut list);
        let mut shown = format!("{list:?}");
        if let Some(Action::Send(request)) = list.first() {
            shown += &(self.lie.logs)(request);
        }
        self.shows_nothing_secret(&shown)?;
        let phases = [before.phase(), self.call.phase()];
        let [Report::Moved(step)] = actions.reports() else {
            rule.holds(before == self.call, "a change is reported")?;
            if !list.is_empty() {
                self.model.watch.see(&event, sent, phases, &list)?;
            }
            return Ok(Ok(list));
        };
        let is_told = [step.from, step.to] == phases && step.open == self.call.open();
        rule.holds(is_told, "a report says what changed")?;
        self.model.tell(self.now);
        self.model.watch.see(&event, sent, phases, &list)?;
        let is_sent = list.iter().any(|action| matches!(action, Action::Send(_)));
        if self.model.place() != place || is_sent {
            self.model.turn(place);
        }
        Ok(Ok(list))
    }

    fn shows_nothing_secret(&self, shown: &str) -> Checked {
        if self.keeps_secrets { shows_nothing_secret(shown) } else { Ok(()) }
    }

    /// Returns whether a leg is the one in flight.
    fn counts(&self, leg: &LegId) -> bool {
        self.model.watch.is_in_flight() && leg == self.model.watch.last_leg()
    }

    fn is_asked(&self, round: u32, key: &str) -> bool {
        round == self.model.watch.round() && self.model.watch.is_open(key)
    }

    fn millis(&self) -> u64 {
        millis(self.now)
    }
}

fn millis(at: Instant) -> u64 {
    at.since_epoch().as_millis().try_into().unwrap()
}

fn refused(misuse: &Misuse) -> Violation {
    Invariant::AsRequired.broken(format!("{misuse:?} for what is to be taken"))
}

/// Checks that a refusal says that nothing of the kind is asked.
fn is_not_asked(misuse: &Misuse) -> Checked {
    let is_said = matches!(
        misuse,
        Misuse::WrongRound | Misuse::UnknownKey | Misuse::Answered | Misuse::Closed
    );
    Invariant::AsRequired.holds_or(is_said, || format!("{misuse:?} for what is not asked"))
}
