//! What an event costs a broker that holds a thousand, a hundred thousand and a million pending
//! questions, and what one of them takes in memory: in one run, the sizes taking turns, so that
//! noise hits all alike.
//!
//! `divan` is not used here: it measures one case to its end before it begins the next.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    collections::BTreeMap,
    hint::black_box,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::Instant as Clock,
};

use form_model::{Content, Form, Limits as FormLimits};
use mrtr_bench::{SIX, SIX_ANSWER};
use mrtr_core::{host::{Action, Actions, Broker, Call, ChangeKind, ConnectionId, Epoch, Event, InteractionId, Limits, ProviderFrame, Question, RegistrationId, Requester, Scope, SessionId, ToolCallId, TurnId}, wire::{InputResponse, RawJson}, Instant, InvocationId};

const SIZES: [usize; 3] = [1_000, 100_000, 1_000_000];
const CONNECTIONS: usize = 100;
/// The pending questions of a session.
const SESSION: usize = 10;
/// The events of a kind that are timed together: reading the clock costs as much as a cheap event.
const BATCH: usize = 100;
/// The batches of a turn. The first is not timed: it brings the broker back into the caches.
const BATCHES: usize = 6;
const TURNS: usize = 60;
/// Nothing runs out while it is measured.
const NOW: Instant = Instant::from_millis(1_000);

/// Counts the bytes that are taken and not given back.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// A load and a store, not an addition: there is one thread, and a locked instruction at each
// allocation would be measured, too.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.store(LIVE.load(Relaxed).wrapping_add(layout.size()), Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.store(LIVE.load(Relaxed).wrapping_sub(layout.size()), Relaxed);
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let others = LIVE.load(Relaxed).wrapping_sub(layout.size());
        LIVE.store(others.wrapping_add(size), Relaxed);
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Returns what was made, and the bytes that it holds.
fn weighed<T>(make: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.load(Relaxed);
    let made = make();
    (made, LIVE.load(Relaxed).wrapping_sub(before))
}

/// A question that waits, as its provider and its surfaces know it.
struct Open {
    invocation: InvocationId,
    interaction: InteractionId,
    number: usize,
}

/// A broker with so many pending questions, and those who ask and answer.
struct Host {
    broker: Broker,
    open: Vec<Open>,
    sessions: Vec<SessionId>,
    registrations: Vec<RegistrationId>,
    turn: TurnId,
    /// The calls that were made.
    calls: usize,
    /// What no broker does without: as many entries under numbers, each with memory of its own.
    floor: BTreeMap<u64, Box<[u8; 1024]>>,
    random: u64,
    is_timed: bool,
    /// The nanoseconds of an event, by batch.
    took: BTreeMap<&'static str, Vec<f64>>,
}

fn request() -> RawJson {
    let form = Form::from_schema(SIX).unwrap();
    Question::form("Where to?", form, Requester::new("files", "github", "deploy")).to_json()
}

fn connection(number: usize) -> ConnectionId {
    ConnectionId::new((number % CONNECTIONS) as u64)
}

impl Host {
    fn new(size: usize) -> Self {
        let max = usize::MAX;
        let limits = Limits::default()
            .connection_invocations_max(max)
            .session_invocations_max(max)
            .connection_bytes_max(max)
            .session_pending_max(max);
        let mut broker = Broker::volatile(Epoch::new(1), limits);
        let name = |number| RegistrationId::new(&format!("provider-{number}")).unwrap();
        let registrations: Vec<_> = (0..CONNECTIONS).map(name).collect();
        for (number, registration) in registrations.iter().enumerate() {
            let (connection, registration) = (connection(number), registration.clone());
            let _ = broker.handle(NOW, Event::Connected(connection)).unwrap();
            let _ = broker.handle(NOW, Event::Registered { registration, connection }).unwrap();
        }
        let session = |number| SessionId::new(&format!("session-{number}")).unwrap();
        Self {
            broker,
            open: Vec::with_capacity(size + BATCH),
            sessions: (0..size / SESSION).map(session).collect(),
            registrations,
            turn: TurnId::new("turn-1").unwrap(),
            calls: 0,
            floor: (0..size as u64).map(|number| (number, Box::new([1; 1024]))).collect(),
            random: 0x9e37_79b9_7f4a_7c15,
            is_timed: false,
            took: BTreeMap::new(),
        }
    }

    fn fill(&mut self, size: usize) {
        while self.open.len() < size {
            self.ask_a_batch();
        }
    }

    /// Hands a batch of inputs to the broker, and takes the time. What comes out is kept until after.
    fn time<I, O>(
        &mut self,
        event: &'static str,
        inputs: Vec<I>,
        handle: impl Fn(&mut Broker, I) -> O,
    ) -> Vec<O> {
        let mut outputs = Vec::with_capacity(BATCH);
        let start = Clock::now();
        for input in inputs {
            outputs.push(handle(&mut self.broker, black_box(input)));
        }
        self.took(event, start);
        outputs
    }

    fn events(&mut self, event: &'static str, events: Vec<Event>) -> Vec<Actions> {
        self.time(event, events, |broker, event| broker.handle(NOW, event).unwrap())
    }

    fn frames(&mut self, event: &'static str, frames: Vec<(usize, ProviderFrame)>) -> Vec<Actions> {
        let frames = frames.into_iter();
        let frames =
            frames.map(|(number, frame)| Event::Frame { connection: connection(number), frame });
        self.events(event, frames.collect())
    }

    fn pick(&mut self, below: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % below as u64) as usize
    }

    /// Takes a batch of the questions that wait, wherever they are.
    fn take_open(&mut self) -> Vec<Open> {
        let take = |_| {
            let at = self.pick(self.open.len());
            self.open.swap_remove(at)
        };
        (0..BATCH).map(take).collect()
    }

    /// The first half of a life: called, accepted, asks.
    fn ask_a_batch(&mut self) {
        let first = self.calls;
        self.calls += BATCH;
        let numbers: Vec<_> = (first..self.calls).collect();
        let call = |number: &usize| {
            let session = self.sessions[number % self.sessions.len()].clone();
            let tool_call = ToolCallId::new(&format!("tool-call-{number}")).unwrap();
            let registration = self.registrations[number % CONNECTIONS].clone();
            let request = RawJson::parse(r#"{"name":"deploy"}"#).unwrap();
            Call::new(session, self.turn.clone(), tool_call, registration, request)
        };
        let calls = numbers.iter().map(call).collect();
        let called = self.time("call", calls, |broker, call| broker.call(NOW, call).unwrap());
        let called: Vec<_> = numbers.into_iter().zip(called).collect();
        let accepted = |(number, (invocation, _)): &(usize, (InvocationId, Actions))| {
            (*number, ProviderFrame::Accepted { invocation: invocation.clone() })
        };
        let _ = self.frames("accepted", called.iter().map(accepted).collect());
        let text = request();
        let asks = |(number, (invocation, _)): &(usize, (InvocationId, Actions))| {
            let (invocation, request) = (invocation.clone(), text.clone());
            (*number, ProviderFrame::InteractionRequest { invocation, interaction: 1, request })
        };
        let asked = self.frames("interaction request", called.iter().map(asks).collect());
        for ((number, (invocation, _)), actions) in called.into_iter().zip(asked) {
            let [Action::Project(change)] = actions.as_slice() else { panic!("a question opens") };
            let ChangeKind::Opened(shown) = &change.kind else { panic!("a question opens") };
            self.open.push(Open { invocation, interaction: shown.id, number });
        }
    }

    /// The second half of a life: answered, has a result.
    fn finish(&mut self, open: &[Open]) {
        let content = Content::decode(SIX_ANSWER, &FormLimits::default()).unwrap();
        let answer = |open: &Open| Event::Answer {
            interaction: open.interaction,
            session: self.sessions[open.number % self.sessions.len()].clone(),
            response: InputResponse::Accept(content.clone()),
        };
        let _ = self.events("answer", open.iter().map(answer).collect());
        let text = RawJson::parse("{}").unwrap();
        let result = |open: &Open| {
            let (invocation, result) = (open.invocation.clone(), text.clone());
            (open.number, ProviderFrame::Result { invocation, result })
        };
        let _ = self.frames("result", open.iter().map(result).collect());
    }

    /// Measures a batch of lookups, each of which reads what it finds.
    fn measure_floor(&mut self) {
        let numbers: Vec<_> = (0..BATCH).map(|_| self.pick(self.floor.len()) as u64).collect();
        let start = Clock::now();
        for number in numbers {
            black_box(self.floor[&number][512]);
        }
        self.took(FLOOR, start);
    }

    /// Takes note of what an event of a batch has taken.
    fn took(&mut self, event: &'static str, start: Clock) {
        let ns = start.elapsed().as_nanos() as f64 / BATCH as f64;
        if self.is_timed {
            self.took.entry(event).or_default().push(ns);
        }
    }

    /// Measures a batch of each kind of event. As many questions wait after it as before.
    fn measure(&mut self) {
        self.measure_floor();
        let open = self.take_open();
        // A second question while the first one waits.
        let text = request();
        let again = |open: &Open| {
            let (invocation, request) = (open.invocation.clone(), text.clone());
            let frame = ProviderFrame::InteractionRequest { invocation, interaction: 2, request };
            (open.number, frame)
        };
        let refused = self.frames("refused frame", open.iter().map(again).collect());
        assert!(refused.iter().all(|actions| actions.reports().len() == 1));
        let _ = self.events("tick, not due", (0..BATCH).map(|_| Event::Tick).collect());
        let of = |open: &Open| self.sessions[open.number % self.sessions.len()].clone();
        let sessions = open.iter().map(of).collect();
        let _ = self.time("snapshot", sessions, |broker, session| broker.snapshot(&session));
        self.finish(&open);
        self.ask_a_batch();
        let stop = |open: &Open| Event::Stop(Scope::Invocation(open.invocation.clone()));
        let stops = self.take_open().iter().map(stop).collect();
        let _ = self.events("stop", stops);
        self.ask_a_batch();
    }

    fn median(&mut self, event: &str) -> f64 {
        let took = self.took.get_mut(event).unwrap();
        took.sort_by(f64::total_cmp);
        took[took.len() / 2]
    }
}

const LIFE: [&str; 5] = ["call", "accepted", "interaction request", "answer", "result"];
const OTHERS: [&str; 5] = ["refused frame", "tick, not due", "stop", "snapshot", FLOOR];
const FLOOR: &str = "a lookup and a read";

/// Makes a host with so many pending questions, and tells what each of them takes.
fn weigh(size: usize) -> Host {
    let (text, limits) = (request(), Limits::default());
    let decode = |_| Question::decode(text.as_json(), &limits).unwrap();
    let (questions, of_questions) = weighed(|| (0..size).map(decode).collect::<Vec<_>>());
    drop(questions);
    let mut host = Host::new(size);
    let ((), held) = weighed(|| host.fill(size));
    let (each, question) = (held / size, of_questions / size);
    println!("{size:>20} {each:>14} {question:>14} {:>14}", each - question);
    host
}

fn print(event: &str, took: &[f64]) {
    print!("{event:>20}");
    for ns in took {
        print!(" {ns:>14.0} {:>6.2}", ns / took[0]);
    }
    println!();
}

fn main() {
    let [pending, each, question, beside] = ["pending", "bytes each", "the question", "beside it"];
    println!("{pending:>20} {each:>14} {question:>14} {beside:>14}");
    let mut hosts = SIZES.map(weigh);
    for _ in 0..TURNS {
        for host in &mut hosts {
            for batch in 0..BATCHES {
                host.is_timed = batch > 0;
                host.measure();
            }
        }
    }
    print!("\n{:>20}", "ns, x of 1,000");
    SIZES.iter().for_each(|size| print!(" {size:>14} {:>6}", "x"));
    println!();
    let mut life = vec![0.0; SIZES.len()];
    for event in LIFE.into_iter().chain(OTHERS) {
        let took: Vec<_> = hosts.iter_mut().map(|host| host.median(event)).collect();
        if LIFE.contains(&event) {
            life.iter_mut().zip(&took).for_each(|(life, took)| *life += took);
        }
        print(event, &took);
    }
    print("the five of a life", &life);
}
