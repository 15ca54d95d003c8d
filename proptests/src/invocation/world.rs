//! The call, its clock, and everybody around it.

use core::time::Duration;
use std::collections::BTreeSet;

use mrtr_core::{
    Clock, Clocks, Instant, Limits, Phase,
    client::{
        Action, Actions, Event, Invocation, LegId, LegRequest, Misuse, Outcome, Reply, Report,
    },
    wire::InputResponse,
};

use super::{
    ClientOp, Says, WhichLeg, WhichQuestion, WhichRound,
    claims::{CLAIM_SETS, ClaimSet},
    hostile::STATE_BYTES_MAX,
    legs::{FOREIGN_LEGS, LEGS, binding, request},
    model::{AskedKind, CallModel, CallSight, NextOfCall},
    script::{QUESTIONS, Refusal, ScriptQuestion, least, pick},
    server::line,
};

use crate::{
    faults::ClientLie,
    invariants::{Checked, Invariant, Violation, shows_nothing_secret},
    watch::{ClientWatch, members},
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
    claims: &'static ClaimSet,
    model: CallModel,
    /// The first request.
    first: LegRequest,
    outcome: Option<Outcome>,
    /// What happened that not every life gets to.
    seen: BTreeSet<&'static str>,
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
        claims.assert_first(&members(first.params.as_str()));
        Self {
            lie,
            now,
            claims,
            model: CallModel::new(now, limits, first),
            first: first.clone(),
            outcome: None,
            seen: BTreeSet::new(),
            keeps_secrets: true,
            call,
        }
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
            ClientOp::Tick => self.tell(Event::Tick)?,
            ClientOp::Wait(span) => {
                self.now = Instant::from_millis(self.millis() + pick(&SPANS, span));
            }
            ClientOp::Back(span) => {
                self.now = Instant::from_millis(self.millis().saturating_sub(*pick(&SPANS, span)));
            }
            ClientOp::Rest if self.call.phase() != Phase::Pausing => {}
            ClientOp::Rest => self.run_out(false)?,
            ClientOp::RunOut { early } => self.run_out(early)?,
            ClientOp::Reply { leg, says } => self.reply(self.leg(leg), says)?,
            ClientOp::Answer { round, question, how } => {
                let question = self.question(question);
                let (response, expected) = question.answer(how);
                self.answer(self.round(round), question.key.into(), response, expected)?;
            }
            ClientOp::Fail { round, question } => {
                let (round, key) = (self.round(round), self.question(question).key.into());
                self.tell(Event::Failed { round, key })?;
            }
            ClientOp::Progress { leg } => self.tell(Event::Progress { leg: self.leg(leg) })?,
            ClientOp::Bound { same } => self.tell(Event::BindingChanged(binding(same)))?,
            ClientOp::Lost => self.tell(Event::ConnectionLost)?,
            ClientOp::Stop => self.tell(Event::Stop)?,
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
        let leg = self.watch().last_leg().clone();
        let reply = Reply::read(&leg, message);
        self.tell(Event::Reply { leg, reply }).unwrap();
        self.check().unwrap();
    }

    /// Declines all questions, and gives the smallest answer where a question cannot be declined.
    ///
    /// # Panics
    ///
    /// If an invariant is broken.
    pub fn decline_all(&mut self) {
        let kinds = self.model.kinds().clone();
        for (key, kind) in kinds {
            if self.watch().is_open(&key) {
                let (response, sent) = least(kind);
                self.answer(self.watch().round(), key, response, Ok(sent)).unwrap();
                self.check().unwrap();
            }
        }
    }

    /// Returns what happened that not every life gets to.
    pub fn seen(&self) -> impl Iterator<Item = &'static str> {
        self.seen.iter().copied()
    }

    /// Returns whether the call has its outcome.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.watch().is_settled()
    }

    /// Returns the outcome of the call, once it has one.
    #[must_use]
    pub const fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Returns the JSON-RPC id of the leg that was sent last.
    #[must_use]
    pub fn leg_id(&self) -> String {
        self.watch().last_leg().to_string()
    }

    /// Returns how many legs were sent.
    #[must_use]
    pub fn legs_sent(&self) -> usize {
        self.watch().legs().len()
    }

    /// Checks what holds between any two events.
    fn check(&self) -> Checked {
        let phase = self.call.phase();
        let deadline = (self.lie.deadline)(phase, self.call.deadline());
        self.model.check(phase, (self.lie.open)(phase, self.call.open()), deadline)?;
        self.shows_nothing_secret(&format!("{:?}", self.call))
    }

    fn run_out(&mut self, early: bool) -> Checked {
        let Some(at) = self.call.deadline() else { return Ok(()) };
        let at = Instant::from_millis(millis(at).saturating_sub(early.into()));
        self.now = self.now.max(at);
        self.tell(Event::Tick)
    }

    fn leg(&self, leg: WhichLeg) -> LegId {
        match leg {
            WhichLeg::Last => self.watch().last_leg().clone(),
            WhichLeg::First => LEGS.first().cloned().unwrap(),
            WhichLeg::Unsent => LEGS.get(self.legs_sent()).cloned().unwrap(),
            WhichLeg::Foreign => FOREIGN_LEGS.first().cloned().unwrap(),
        }
    }

    fn question(&self, question: WhichQuestion) -> &'static ScriptQuestion {
        match question {
            WhichQuestion::Open(index) => {
                let open: Vec<_> = self.watch().open().collect();
                let key = open.get(usize::from(index) % open.len().max(1));
                let question =
                    QUESTIONS.iter().find(|known| key.is_some_and(|key| *key == known.key));
                question.unwrap_or(pick(&QUESTIONS, index))
            }
            WhichQuestion::Any(index) => pick(&QUESTIONS, index),
        }
    }

    fn round(&self, round: WhichRound) -> u32 {
        let last = self.watch().round();
        match round {
            WhichRound::Last => last,
            WhichRound::Before => last.saturating_sub(1),
            WhichRound::After => last + 1,
        }
    }

    /// Answers a leg with what a server of the script says.
    fn reply(&mut self, leg: LegId, says: Says) -> Checked {
        let (reply, next, state) = line(self.claims, self.model.is_last_round(), says);
        let round = self.watch().round();
        self.happen(Event::Reply { leg, reply }, Ok(None), Some(next))?;
        let found = (self.watch().round() > round).then(|| self.watch().state().map(Into::into));
        found.map_or(Ok(()), |found| Invariant::AsRequired.same("a state", &found, &state))
    }

    /// Hands an answer over. `expected` is what goes to the server for it, or why nothing does.
    fn answer(
        &mut self,
        round: u32,
        key: String,
        response: InputResponse,
        expected: Result<&str, Refusal>,
    ) -> Checked {
        let kind = self.model.kinds().get(&key).copied();
        let is_asked = self.is_asked(round, &key);
        self.happen(Event::Answer { round, key, response }, expected.map(Some), None)?;
        self.seen.extend(kind.filter(|_| is_asked).map(|kind| match (expected, kind) {
            (Err(Refusal::Form), _) => "an answer that does not fit is refused",
            (Err(Refusal::Shape), _) => "an answer without its shape is refused",
            (Err(_), _) => "an answer of a wrong kind is refused",
            (Ok(_), AskedKind::Form) => "a form is answered",
            (Ok(_), AskedKind::Url) => "a URL is answered",
            (Ok(_), AskedKind::Sampling) => "a model answers",
            (Ok(_), AskedKind::Roots) => "roots are listed",
        }));
        Ok(())
    }

    /// Hands over what is neither a reply nor an answer.
    fn tell(&mut self, event: Event) -> Checked {
        self.happen(event, Ok(None), None)
    }

    /// Returns why an event must be refused.
    fn refusal(&self, event: &Event) -> Option<Refusal> {
        match event {
            Event::Reply { leg, .. } | Event::Progress { leg } => {
                (!self.watch().legs().contains(leg)).then_some(Refusal::Leg)
            }
            Event::Answer { round, key, .. } | Event::Failed { round, key } => {
                (!self.is_asked(*round, key)).then_some(Refusal::NotAsked)
            }
            _ => None,
        }
    }

    /// Hands an event over, and checks what comes of it. `answer` is what goes to the server, or why
    /// an answer that is asked for is refused; `leads` is what a reply must lead to. Without it, all
    /// that may come is right.
    fn happen(
        &mut self,
        event: Event,
        answer: Result<Option<&str>, Refusal>,
        leads: Option<NextOfCall>,
    ) -> Checked {
        let rule = Invariant::AsRequired;
        let before = self.call.phase();
        let refusal = self.refusal(&event).or(answer.err());
        let result = self.handle(&event)?;
        let actions = match (result, refusal) {
            (Err(misuse), Some(refusal)) if refusal.is_said_by(&misuse) => return Ok(()),
            (Err(misuse), refusal) => {
                return Err(rule.broken(format!("{misuse:?} for {event:?}, expected {refusal:?}")));
            }
            (Ok(actions), _) => actions,
        };
        let is_moved = !actions.reports().is_empty();
        let mut list: Vec<_> = actions.into_iter().collect();
        (self.lie.acts)(&event, before, &self.first, &mut list);
        let mut shown = format!("{list:?}");
        if let Some(Action::Send(request)) = list.first() {
            shown += &(self.lie.logs)(request);
        }
        self.shows_nothing_secret(&shown)?;
        let due = self.model.due();
        let sight = CallSight {
            now: self.now,
            event: &event,
            sent: answer.ok().flatten(),
            phases: [before, self.call.phase()],
            is_moved,
            actions: &list,
        };
        self.model.see(sight, leads)?;
        rule.holds_or(refusal.is_none(), || format!("{event:?} is taken, expected {refusal:?}"))?;
        self.take_note(&event, due, &list);
        Ok(())
    }

    /// Remembers what happened that not every life gets to. `due` is what was due before.
    fn take_note(&mut self, event: &Event, due: Option<(Instant, Option<Clock>)>, list: &[Action]) {
        if let Some(Action::Settle(outcome)) = list.last() {
            self.outcome = Some(outcome.clone());
        }
        let kinds: BTreeSet<_> = self.model.kinds().values().collect();
        self.seen.extend((kinds.len() == 4).then_some("all kinds are asked"));
        let is_longer = matches!(event, Event::Progress { .. })
            && due.is_some_and(|(_, clock)| clock == Some(Clock::Leg))
            && self.model.due() > due;
        self.seen.extend(is_longer.then_some("a leg has more time"));
    }

    /// Hands an event over to two calls that are equal, and checks the contract of a machine.
    fn handle(&mut self, event: &Event) -> Result<Result<Actions, Misuse>, Violation> {
        let rule = Invariant::Contract;
        self.shows_nothing_secret(&format!("{event:?}"))?;
        let before = self.call.clone();
        let mut twin = before.clone();
        let result = self.call.handle(self.now, event.clone());
        let is_same = twin.handle(self.now, event.clone()) == result && twin == self.call;
        rule.holds(is_same, "equal calls do the same and stay equal")?;
        match &result {
            Ok(actions) => match actions.reports() {
                [Report::Moved(step)] => {
                    let phases = [before.phase(), self.call.phase()];
                    let is_told = [step.from, step.to] == phases && step.open == self.call.open();
                    rule.holds(is_told, "a report says what changed")?;
                }
                _ => rule.holds(before == self.call, "a change is reported")?,
            },
            Err(misuse) => {
                self.shows_nothing_secret(&format!("{misuse:?} {misuse}"))?;
                rule.holds(before == self.call, "what is refused changes nothing")?;
            }
        }
        Ok(result)
    }

    fn shows_nothing_secret(&self, shown: &str) -> Checked {
        if self.keeps_secrets { shows_nothing_secret(shown) } else { Ok(()) }
    }

    const fn watch(&self) -> &ClientWatch {
        self.model.watch()
    }

    fn is_asked(&self, round: u32, key: &str) -> bool {
        round == self.watch().round() && self.watch().is_open(key)
    }

    fn millis(&self) -> u64 {
        millis(self.now)
    }
}

fn millis(at: Instant) -> u64 {
    at.since_epoch().as_millis().try_into().unwrap()
}
