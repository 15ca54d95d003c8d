//! Breadth first through everything that can happen to a machine in a small scope.

use core::{
    fmt::{self, Debug, Write as _},
    hash::Hasher as _,
    time::Duration,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::DefaultHasher,
};

use mrtr_core::{Phase, Trigger};

/// Is a machine, its time, and what has come out of it.
pub(crate) trait World: Clone + PartialEq + Debug {
    /// Is one thing that can happen.
    type Op;

    /// Lists everything that can happen now.
    fn ops(&self) -> Vec<Self::Op>;

    /// Lets one thing happen, checks what comes of it, and tells what was seen.
    fn apply(&mut self, op: Self::Op) -> Vec<Seen>;

    /// Checks what holds between any two events.
    fn check(&self);
}

/// Says where an operation stands, as it is seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) phase: Phase,
    pub(crate) stage: Stage,
}

/// Says what a question waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// Nothing is asked.
    None,
    /// The store is to hold the question.
    QuestionAtStore,
    /// Somebody is to answer.
    Shown,
    /// The store is to hold the answer.
    AnswerAtStore,
}

/// Is an action: what is to be done, and what about it differs from time to time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Label {
    pub(crate) kind: String,
    pub(crate) detail: String,
}

impl Label {
    pub(crate) fn new(kind: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { kind: kind.into(), detail: detail.into() }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, " {}", self.detail) }
    }
}

/// Is what one event was seen to do to one operation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seen {
    pub(crate) event: &'static str,
    /// `None`: there was no operation before.
    pub(crate) from: Option<Place>,
    pub(crate) to: Place,
    pub(crate) what: What,
}

/// Says what an event did.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// It began the operation.
    Began(Vec<Label>),
    /// It moved the operation, perhaps to the same phase.
    Moved {
        by: Trigger,
        actions: Vec<Label>,
        /// How long the operation had been in its place, if that is what ended it.
        after: Option<Duration>,
    },
    /// It was refused, and changed nothing.
    Refused(String),
}

/// Is all that was seen in one scope.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) states: usize,
    /// The events that were tried, in all states together.
    pub(crate) tried: usize,
    /// Those of them that changed something.
    pub(crate) changed: usize,
    pub(crate) seen: BTreeSet<Seen>,
}

/// Lets everything happen in every state that can be reached.
pub(crate) fn explore<W: World>(start: W) -> Found {
    let mut found = Found::default();
    let mut known: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    known.entry(digest(&start)).or_default().push(0);
    let mut worlds = vec![start];
    while let Some(world) = worlds.get(found.states).cloned() {
        found.states += 1;
        world.check();
        for op in world.ops() {
            let mut next = world.clone();
            found.seen.extend(next.apply(op));
            found.tried += 1;
            if next == world {
                continue;
            }
            found.changed += 1;
            // A digest only tells where to look: worlds are told apart by equality.
            let alike = known.entry(digest(&next)).or_default();
            if alike.iter().all(|index| worlds[*index] != next) {
                alike.push(worlds.len());
                worlds.push(next);
            }
        }
    }
    found
}

struct Digest(DefaultHasher);

impl fmt::Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

fn digest(world: &impl Debug) -> u64 {
    let mut digest = Digest(DefaultHasher::new());
    write!(digest, "{world:?}").unwrap();
    digest.0.finish()
}
