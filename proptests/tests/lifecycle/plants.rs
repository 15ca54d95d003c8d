//! A check that cannot fail proves nothing: for each invariant, faults that break it, and that the search
//! finds.

use mrtr_proptests::invariants::Invariant;
use std::collections::BTreeSet;

use mrtr_proptests::explore::{Counterexample, Found, Part, Plant, Scope, scopes};

use crate::{THREADS, invariants};

const CALL: &str = "an invocation, a form and a URL in a round, two rounds";
const HOST: &str = "one invocation, a store, a restart, two surfaces";
const TWO: &str = "two invocations of two providers in one session";
const PAIR: &str = "a client and a server, states of a single use";

/// Where each fault is put in.
const PLANTED: [(Plant, &str); 40] = [
    (Plant::SettlesTwice, CALL),
    (Plant::SettlesTwice, HOST),
    (Plant::SettlesTwice, PAIR),
    (Plant::SendsWhileAsked, CALL),
    (Plant::SendsWhileAsked, HOST),
    (Plant::SendsWhileAsked, PAIR),
    (Plant::SendsTwice, CALL),
    (Plant::SendsTwice, HOST),
    (Plant::SendsTwice, PAIR),
    (Plant::LegClockRunsOn, CALL),
    (Plant::ProviderClockRunsOn, HOST),
    (Plant::ForgetsToRetract, CALL),
    (Plant::ForgetsToRetract, HOST),
    (Plant::ForgetsToRetract, PAIR),
    (Plant::KeepsAnOldState, CALL),
    (Plant::AnswersWhatWasNotAsked, CALL),
    (Plant::AnswersWhatWasNotAsked, PAIR),
    (Plant::AnswersAnotherConnection, HOST),
    (Plant::AnswersAnotherConnection, TWO),
    (Plant::AnswersAnotherInvocation, TWO),
    (Plant::ShowsAnotherSession, HOST),
    (Plant::RefusesAnotherConnection, HOST),
    (Plant::RefusesAnotherQuestion, TWO),
    (Plant::ChangesAnswers, PAIR),
    (Plant::SendsAfterStop, CALL),
    (Plant::SendsAfterStop, PAIR),
    (Plant::AnswersAfterStop, HOST),
    (Plant::AllowsARoundMore, CALL),
    (Plant::KeepsAQuestion, CALL),
    (Plant::KeepsShowing, HOST),
    (Plant::ForgetsWhatWasOpen, HOST),
    (Plant::DeliversAtOnce, HOST),
    (Plant::ShowsAtOnce, HOST),
    (Plant::ReplacesTheAnswer, HOST),
    (Plant::ShowsParams, CALL),
    (Plant::ShowsRecords, HOST),
    (Plant::ShowsStates, PAIR),
    (Plant::ShowsKeys, PAIR),
    (Plant::RunsAnyway, PAIR),
    (Plant::ForgetsWhatWasUsed, PAIR),
];

fn named(name: &str) -> Scope {
    scopes().into_iter().find(|scope| scope.name == name).unwrap()
}

fn explore(name: &str, plant: Plant) -> Result<Found, Box<Counterexample>> {
    named(name).with(plant).explore(THREADS)
}

/// proves: PR-01
#[test]
fn every_invariant_has_faults_that_break_it_and_each_is_found() {
    let mut broken = BTreeSet::new();
    for (plant, name) in PLANTED {
        let found = explore(name, plant).expect_err("a fault breaks something");
        let rule = plant.breaks();
        assert_eq!(found.violation.invariant, rule, "{plant:?} in {name}: {found}");
        assert!(!found.path.is_empty(), "{plant:?} takes something to happen");
        broken.insert(plant.breaks());
    }
    assert!(broken.into_iter().eq(Invariant::ALL.into_iter().take(12)), "each has a fault");
    let planted: BTreeSet<_> = PLANTED.iter().map(|(plant, _)| *plant).collect();
    assert!(planted.into_iter().eq(Plant::ALL), "each is put in somewhere");
}

#[test]
fn an_invariant_is_explored_where_a_fault_that_breaks_it_is_found() {
    const PARTS: [(&str, &[Part]); 3] =
        [("i", &[Part::Client]), ("b", &[Part::Volatile, Part::Durable]), ("p", &[Part::Pair])];
    for invariant in Invariant::ALL {
        let planted = PLANTED.iter().filter(|(plant, _)| plant.breaks() == invariant);
        let parts: Vec<_> = planted.map(|(_, name)| named(name).part).collect();
        let is_found = |of: &[Part]| of.iter().any(|part| parts.contains(part));
        let letters = PARTS.iter().filter(|(_, of)| is_found(of)).map(|(letter, _)| *letter);
        let letters: Vec<_> = letters.collect();
        assert_eq!(invariants::explored(invariant), letters.join(" "), "{invariant:?}");
    }
}
