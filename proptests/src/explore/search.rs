//! Breadth first through every world that can be reached.

use crate::invariants::{Invariant, Violation};
use core::{
    any::Any,
    fmt::{self, Debug},
    hash::{BuildHasherDefault, Hash},
    panic::AssertUnwindSafe,
};
use std::{
    collections::{BTreeSet, HashSet},
    panic::catch_unwind,
    thread,
};

use super::{
    Seen,
    digest::{AsItIs, digest},
};

/// Machines, their time, and what has come out of them. Two that are equal go on alike.
pub trait Searched: Clone + PartialEq + Hash + Send + Sync {
    /// A thing that can happen.
    type Op: Debug;

    /// Lists everything that can happen now, in the same order each time.
    fn ops(&self) -> Vec<Self::Op>;

    /// Lets one thing happen and checks what comes of it. `None`: nothing has changed.
    ///
    /// # Errors
    ///
    /// What came of it breaks a rule.
    fn step(&self, op: &Self::Op) -> Result<(Option<Self>, Vec<Seen>), Violation>;

    /// Checks what holds between any two events.
    ///
    /// # Errors
    ///
    /// It does not.
    fn check(&self) -> Result<(), Violation>;
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Found {
    /// The states that can be reached.
    pub states: u64,
    /// The events that were tried, in all states together.
    pub tried: u64,
    /// Those of them that changed something.
    pub changed: u64,
    /// The events on the longest of the shortest ways to a state.
    pub depth: u32,
    /// What the worlds told.
    pub seen: BTreeSet<Seen>,
}

/// A rule that was broken, and the shortest way to where it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// What was broken.
    pub violation: Violation,
    /// What happened, one after the other. The last is what broke the rule, or led to the state
    /// that breaks it.
    pub path: Vec<String>,
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.violation)?;
        for (index, op) in self.path.iter().enumerate() {
            writeln!(f, "  {:>3}. {op}", index + 1)?;
        }
        Ok(())
    }
}

/// The worlds that one thread takes at a time.
const SHARE: usize = 1024;

type Known = HashSet<u128, BuildHasherDefault<AsItIs>>;

/// Lets everything happen in every world that can be reached.
///
/// Whole worlds are kept while they wait for their turn; after it, 128 bits of each and from where it
/// was reached. What is found does not depend on the number of threads.
///
/// # Errors
///
/// The first rule that is broken.
pub fn explore<W: Searched>(start: &W, threads: usize) -> Result<Found, Box<Counterexample>> {
    let mut found = Found { states: 1, ..Found::default() };
    let mut known = Known::default();
    known.insert(digest(start));
    // How each world was reached: from which, by which of its events.
    let mut ways: Vec<(u32, u16)> = vec![(0, 0)];
    let mut level: Vec<(u32, W)> = vec![(0, start.clone())];
    loop {
        let mut next = Vec::new();
        let mut rest = level.into_iter();
        loop {
            let batch: Vec<_> = rest.by_ref().take(SHARE * threads).collect();
            if batch.is_empty() {
                break;
            }
            for part in expand(&batch, &known, threads) {
                let part = part.map_err(|broken| counterexample(start, &ways, broken))?;
                found.tried += part.tried;
                found.changed += part.changed;
                found.seen.extend(part.seen);
                for Reached { digest, from, op, world } in part.reached {
                    if known.insert(digest) {
                        let index = u32::try_from(ways.len()).unwrap();
                        ways.push((from, op));
                        next.push((index, world));
                    }
                }
            }
        }
        if next.is_empty() {
            return Ok(found);
        }
        found.states += u64::try_from(next.len()).unwrap();
        found.depth += 1;
        level = next;
    }
}

/// What one thread found in its share of a level.
struct Part<W> {
    tried: u64,
    changed: u64,
    seen: BTreeSet<Seen>,
    reached: Vec<Reached<W>>,
}

struct Reached<W> {
    digest: u128,
    from: u32,
    op: u16,
    world: W,
}

/// What broke a rule: a state, or what came of an event in it.
struct Broken {
    in_state: u32,
    by: Option<usize>,
    violation: Violation,
}

/// Divides worlds among threads. What they found comes back in the order of the worlds.
fn expand<W: Searched>(
    batch: &[(u32, W)],
    known: &Known,
    threads: usize,
) -> Vec<Result<Part<W>, Broken>> {
    let mut shares = batch.chunks(batch.len().div_ceil(threads).max(1));
    let own = shares.next();
    thread::scope(|scope| {
        let others: Vec<_> =
            shares.map(|share| scope.spawn(move || expand_share(share, known))).collect();
        let own = own.map(|share| expand_share(share, known));
        let others = others.into_iter().map(|other| other.join().unwrap());
        own.into_iter().chain(others).collect()
    })
}

fn expand_share<W: Searched>(share: &[(u32, W)], known: &Known) -> Result<Part<W>, Broken> {
    let mut part = Part { tried: 0, changed: 0, seen: BTreeSet::new(), reached: Vec::new() };
    let mut own = Known::default();
    for (index, world) in share {
        let broken = |by, violation| Broken { in_state: *index, by, violation };
        guarded(|| world.check()).map_err(|violation| broken(None, violation))?;
        for (number, op) in world.ops().iter().enumerate() {
            let (next, seen) =
                guarded(|| world.step(op)).map_err(|violation| broken(Some(number), violation))?;
            part.tried += 1;
            part.seen.extend(seen);
            let Some(next) = next.filter(|next| next != world) else { continue };
            part.changed += 1;
            let digest = digest(&next);
            if !known.contains(&digest) && own.insert(digest) {
                let op = u16::try_from(number).unwrap();
                part.reached.push(Reached { digest, from: *index, op, world: next });
            }
        }
    }
    Ok(part)
}

/// Turns an assertion that fails inside a machine into a violation.
fn guarded<T>(run: impl FnOnce() -> Result<T, Violation>) -> Result<T, Violation> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let what = text(&*panic);
        Err(Invariant::Contract.broken(what))
    })
}

fn text(panic: &(dyn Any + Send)) -> String {
    let said = panic.downcast_ref::<String>().cloned();
    said.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
}

/// Goes the way to what was broken once more, and writes down what happens on it.
fn counterexample<W: Searched>(
    start: &W,
    ways: &[(u32, u16)],
    broken: Broken,
) -> Box<Counterexample> {
    let mut numbers: Vec<usize> = broken.by.into_iter().collect();
    let mut at = broken.in_state;
    while at != 0 {
        let (from, op) = ways.get(usize::try_from(at).unwrap()).copied().unwrap();
        numbers.push(op.into());
        at = from;
    }
    let mut world = start.clone();
    let mut path = Vec::new();
    for number in numbers.into_iter().rev() {
        let op = world.ops().swap_remove(number);
        path.push(format!("{op:?}"));
        if let Ok((Some(next), _)) = guarded(|| world.step(&op)) {
            world = next;
        }
    }
    Box::new(Counterexample { violation: broken.violation, path })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invariants::Invariant;

    /// A number that grows by 1, 2 or 3, and must not be one.
    #[derive(Clone, Debug, PartialEq, Hash)]
    struct Number(u32, Option<u32>);

    impl Searched for Number {
        type Op = u32;

        fn ops(&self) -> Vec<u32> {
            vec![1, 2, 3, 0]
        }

        fn step(&self, op: &u32) -> Result<(Option<Self>, Vec<Seen>), Violation> {
            assert!(self.0 < 90 || *op != 3 || self.1 != Some(93), "an assertion");
            let sum = (self.0 + op).min(100);
            Ok((Some(Self(sum, self.1)), Vec::new()))
        }

        fn check(&self) -> Result<(), Violation> {
            Invariant::OneOutcome.holds(Some(self.0) != self.1, "the number is not that")
        }
    }

    #[test]
    fn every_state_is_reached_once_whatever_the_threads() {
        let found = explore(&Number(0, None), 1).unwrap();
        assert_eq!((found.states, found.tried, found.depth), (101, 404, 34));
        // Nothing changes by 0, and 100 is as far as it goes.
        assert_eq!(found.changed, 300);
        assert_eq!(explore(&Number(0, None), 3), Ok(found));
    }

    #[test]
    fn what_is_broken_is_told_with_the_shortest_way_to_it() {
        for threads in [1, 2] {
            let broken = explore(&Number(0, Some(7)), threads).unwrap_err();
            assert_eq!(broken.violation.invariant, Invariant::OneOutcome);
            assert_eq!(broken.path, ["1", "3", "3"]);
            let broken = explore(&Number(0, Some(93)), threads).unwrap_err();
            assert_eq!(broken.violation.invariant, Invariant::Contract);
            assert_eq!(broken.violation.what, "an assertion");
            assert_eq!(broken.path.len(), 31);
        }
    }
}
