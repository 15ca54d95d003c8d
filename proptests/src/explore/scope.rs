//! The scopes that are explored, and what was counted in each.

use core::{fmt, time::Duration};

use mrtr_core::Clocks;

use crate::faults::{ClientLie, HostLie, Lie, ServerLie};

use super::{
    Counterexample, Found, Seen,
    client::{self, Asks, Calling},
    explore,
    host::{self, Hosting, StoreSays},
    pair::{self, Pair},
};

/// The scope of one call in which its faults are put in.
pub const CALL: &str = "an invocation, a form and a URL in a round, two rounds";

/// The scope of one invocation of a host in which its faults are put in.
pub const HOST: &str = "one invocation, a store, a restart, two surfaces";

/// The scope of two invocations of a host in which faults are put in.
pub const TWO: &str = "two invocations of two providers in one session";

/// The scope of a host in which faults are put in that concern other connections.
pub const FOREIGN: &str = "a broker, a question by URL, frames on all connections";

/// The scope of a client and a server in which faults are put in.
pub const PAIR: &str = "a client and a server, states of a single use";

/// Which machines are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The client's invocation.
    Client,
    /// The host's broker, without a store.
    Volatile,
    /// The host's broker, with a store.
    Durable,
    /// A client and a server.
    Pair,
}

/// How large a scope is, and so how often it is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// Explored by every run of the tests.
    Small,
    /// Explored by every run of CI.
    Medium,
    /// Explored where somebody asks for it.
    Large,
}

/// Where a search begins.
#[derive(Clone, Debug)]
pub enum Start {
    /// With a call.
    Client(client::CallScope),
    /// With a host.
    Host(host::HostScope),
    /// With a client and a server.
    Pair(pair::PairScope),
}

/// A part of what can happen that has an end.
#[derive(Clone, Debug)]
pub struct Scope {
    /// What is explored.
    pub name: &'static str,
    /// What is left out that could happen, so that the scope has an end.
    pub bounds: &'static str,
    /// Which machines.
    pub part: Part,
    /// How large it is.
    pub size: Size,
    /// How it begins.
    pub start: Start,
}

/// What was counted in one scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// The states.
    pub states: u64,
    /// The events that were tried in them.
    pub tried: u64,
    /// Those that changed something.
    pub changed: u64,
    /// The events on the longest of the shortest ways to a state.
    pub depth: u32,
}

impl From<&Found> for Counts {
    fn from(found: &Found) -> Self {
        let Found { states, tried, changed, depth, .. } = *found;
        Self { states, tried, changed, depth }
    }
}

impl Scope {
    /// Lets everything happen in it.
    ///
    /// # Errors
    ///
    /// The first rule that is broken.
    pub fn explore(&self, threads: usize) -> Result<Found, Box<Counterexample>> {
        match &self.start {
            Start::Client(setup) => {
                let (calling, began): (Calling, Seen) = Calling::start(setup.clone());
                let mut found = explore(&calling, threads)?;
                found.seen.extend(setup.is_told.then_some(began));
                Ok(found)
            }
            Start::Host(setup) => explore(&Hosting::start(*setup), threads),
            Start::Pair(setup) => explore(&Pair::start(*setup), threads),
        }
    }

    /// Puts a lie in. A scope knows the lies of its machines alone.
    #[must_use]
    pub fn with(mut self, lie: Lie) -> Self {
        match (&mut self.start, lie) {
            (Start::Client(setup), Lie::Client(lie)) => setup.lie = lie,
            (Start::Host(setup), Lie::Host(lie)) => setup.lie = lie,
            (Start::Pair(setup), Lie::Client(lie)) => setup.client = lie,
            (Start::Pair(setup), Lie::Server(lie)) => setup.server = lie,
            (start, lie) => panic!("{lie:?} is not of {start:?}"),
        }
        self
    }
}

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// Lists the scopes, the small ones first.
#[must_use]
pub fn scopes() -> Vec<Scope> {
    let mut scopes = clients();
    scopes.extend(hosts());
    scopes.extend(pairs());
    scopes.sort_by_key(|scope| scope.size);
    scopes
}

fn clients() -> Vec<Scope> {
    let small = client::CallScope {
        rounds_max: 2,
        rounds: vec![vec![Asks::Form, Asks::Url]],
        clocks: Clocks::default(),
        steps: (secs(0), 0),
        is_wide: true,
        is_told: true,
        lie: ClientLie::HONEST,
    };
    let limited = Clocks::default().execution(Some(secs(30)));
    let all_clocks = Clocks::default().execution(Some(secs(90))).leg_max(Some(secs(100)));
    let kinds = vec![
        vec![Asks::Form, Asks::Model],
        vec![Asks::Roots, Asks::Url],
        vec![Asks::Form, Asks::Url],
    ];
    let large = client::CallScope { is_told: false, rounds: kinds, ..small.clone() };
    let scope = |name, bounds, size, setup| Scope {
        name,
        bounds,
        part: Part::Client,
        size,
        start: Start::Client(setup),
    };
    vec![
        scope(CALL, "the server asks these two, or to be called again", Size::Small, small.clone()),
        scope(
            "an invocation, a form and a URL, 30 s for all its legs",
            "as without the limit",
            Size::Small,
            client::CallScope { clocks: limited, ..small },
        ),
        scope(
            "an invocation, two of four kinds in a round, three rounds",
            "a form and a model, roots and a URL, or a form and a URL",
            Size::Medium,
            client::CallScope { rounds_max: 3, ..large.clone() },
        ),
        scope(
            "an invocation, two of four kinds, three rounds, all clocks",
            "90 s for all legs, 100 s for one that reports progress; four steps of 30 s",
            Size::Medium,
            client::CallScope { rounds_max: 3, clocks: all_clocks, steps: (secs(30), 4), ..large },
        ),
    ]
}

fn hosts() -> Vec<Scope> {
    let one = host::HostScope {
        calls: 1,
        calls_later: 1,
        questions: 1,
        store: StoreSays::Nothing,
        holds_ends: true,
        restarts: 0,
        reconnects: 0,
        is_apart: false,
        has_screens: false,
        is_wide: true,
        asks_url: false,
        is_foreign: false,
        is_punctual: false,
        clocks: Clocks::default(),
        is_told: true,
        lie: HostLie::HONEST,
    };
    let limited = Clocks::default().execution(Some(secs(30)));
    let two = host::HostScope { calls: 2, is_wide: false, is_punctual: true, ..one };
    let in_order = StoreSays::InAnyOrder { fails: true };
    let anything = StoreSays::Anything;
    let foreign = host::HostScope { asks_url: true, is_foreign: true, ..one };
    let untold = host::HostScope { is_told: false, ..two };
    let scope = |name, bounds, size, setup: host::HostScope| {
        let is_volatile = setup.store == StoreSays::Nothing;
        let part = if is_volatile { Part::Volatile } else { Part::Durable };
        Scope { name, bounds, part, size, start: Start::Host(setup) }
    };
    vec![
        scope(
            "a broker, one invocation and all that can happen to it",
            "one call, one question; its registration is replaced once",
            Size::Small,
            one,
        ),
        scope(
            "a broker, one invocation, 30 s for all its legs",
            "as without the limit",
            Size::Small,
            host::HostScope { clocks: limited, ..one },
        ),
        scope(TWO, "one of each sort of ending; a tick comes when it is due", Size::Small, two),
        scope(
            "a broker with a store that says anything, one invocation",
            "one call, one question; the store also says what it was not asked",
            Size::Small,
            host::HostScope { store: anything, ..one },
        ),
        scope(
            HOST,
            "one of each sort of ending; the end of a question is held at once",
            Size::Small,
            host::HostScope { calls: 1, store: in_order, restarts: 1, has_screens: true, ..two },
        ),
        scope(
            FOREIGN,
            "one call, one question; its registration is replaced once, before the call or after",
            Size::Small,
            foreign,
        ),
        scope(
            "a broker with a store, a question by URL, frames on all connections",
            "as without a store, which says anything",
            Size::Medium,
            host::HostScope { store: anything, is_told: false, ..foreign },
        ),
        scope(
            "a broker with a store, one invocation, 30 s for all its legs",
            "as without the limit",
            Size::Medium,
            host::HostScope { store: anything, clocks: limited, ..one },
        ),
        scope(
            "one invocation with two questions, a store, all that can happen",
            "a tick comes when it is due; the end of a question is held at once",
            Size::Medium,
            host::HostScope {
                store: in_order,
                questions: 2,
                is_punctual: true,
                is_told: false,
                ..one
            },
        ),
        scope(
            "one invocation, a store that is slow with ends, two restarts",
            "one of each sort of ending; a call in each life",
            Size::Medium,
            host::HostScope { calls: 1, store: in_order, holds_ends: false, restarts: 2, ..untold },
        ),
        scope(
            "two invocations with two questions each, no store",
            "one of each sort of ending; each provider comes back once",
            Size::Large,
            host::HostScope { questions: 2, reconnects: 1, ..untold },
        ),
        scope(
            "two invocations, a store, two surfaces",
            "one of each sort of ending; the end of a question is held at once",
            Size::Large,
            host::HostScope { store: in_order, has_screens: true, ..untold },
        ),
        scope(
            "two invocations of two sessions, a store, a restart, a call after it",
            "one of each sort of ending; the end of a question is held at once",
            Size::Medium,
            host::HostScope { store: in_order, restarts: 1, is_apart: true, ..untold },
        ),
        scope(
            "two invocations of one session, a store, a restart, a call after it",
            "as the scope before; each provider comes back once",
            Size::Large,
            host::HostScope { store: in_order, restarts: 1, reconnects: 1, ..untold },
        ),
    ]
}

fn pairs() -> Vec<Scope> {
    let small = pair::PairScope {
        calls: 1,
        rounds_max: 2,
        under_way_max: 2,
        copies: 1,
        forgeries: 1,
        serving_max: 1,
        is_single_use: true,
        gives_up: false,
        expires: false,
        client: ClientLie::HONEST,
        server: ServerLie::HONEST,
    };
    let large = pair::PairScope { gives_up: true, expires: true, serving_max: 2, ..small };
    let scope = |name, bounds, size, setup| Scope {
        name,
        bounds,
        part: Part::Pair,
        size,
        start: Start::Pair(setup),
    };
    vec![
        scope(
            PAIR,
            "two messages under way, one copied, one forged; one request served at a time",
            Size::Small,
            small,
        ),
        scope(
            "a client and a server, one call, three messages under way",
            "two copied, one forged; two requests served at once; states expire once",
            Size::Medium,
            pair::PairScope { under_way_max: 3, copies: 2, is_single_use: false, ..large },
        ),
        scope(
            "one call, states of a single use, three messages under way",
            "two copied, one forged; one request served at a time; the store of used states may fail",
            Size::Medium,
            pair::PairScope { under_way_max: 3, copies: 2, serving_max: 1, ..large },
        ),
        scope(
            "two calls, one after the other, states of a single use",
            "two messages under way, one copied; one request served at a time",
            Size::Medium,
            pair::PairScope { calls: 2, forgeries: 0, expires: false, serving_max: 1, ..large },
        ),
    ]
}

/// What the golden file begins with.
const HEAD: &str = "\
# What `cargo explore` counts: states | events tried | that changed something | depth | scope
# UPDATE_GOLDEN=1 cargo explore rewrites it.
";

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { states, tried, changed, depth } = self;
        write!(f, "{states:>9} | {tried:>10} | {changed:>9} | {depth:>5}")
    }
}

/// Writes the golden file.
#[must_use]
pub fn write_golden(counted: &[(String, Counts)]) -> String {
    let line = |(name, counts): &(String, Counts)| format!("{counts} | {name}\n");
    counted.iter().map(line).fold(HEAD.into(), |text: String, line| text + &line)
}

/// Reads the golden file.
#[must_use]
pub fn read_golden(text: &str) -> Vec<(String, Counts)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let read = |line: &str| {
        let mut parts = line.split('|').map(str::trim);
        let mut number = || parts.next()?.parse::<u64>().ok();
        let (states, tried, changed, depth) = (number()?, number()?, number()?, number()?);
        let depth = u32::try_from(depth).ok()?;
        Some((parts.next()?.to_owned(), Counts { states, tried, changed, depth }))
    };
    lines.filter_map(read).collect()
}
