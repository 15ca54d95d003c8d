//! A check that cannot fail proves nothing: for each invariant, faults that break it, and the drivers
//! that find each.

use std::collections::BTreeSet;

use mrtr_proptests::{
    faults::{Driver, Fault, faults},
    invariants::Invariant,
};

fn is_searched(driver: &Driver) -> bool {
    matches!(driver, Driver::Search(_))
}

/// Runs a part of the table.
fn run(is_its: fn(&Driver) -> bool) {
    let missed = |fault: &Fault, driver: Driver| {
        let instead = fault.find(driver).err()?;
        Some(format!("{} by {driver:?}: found {instead:?}", fault.name))
    };
    let faults = faults();
    let rows = faults.iter().flat_map(|fault| {
        let drivers = fault.found_by.iter().filter(|driver| is_its(driver));
        drivers.filter_map(move |driver| missed(fault, *driver))
    });
    let missed: Vec<_> = rows.collect();
    assert!(missed.is_empty(), "not found:\n{}", missed.join("\n"));
}

/// proves: PR-01
#[test]
fn the_search_finds_every_fault_that_is_put_in() {
    run(is_searched);
}

/// proves: PR-02
#[test]
fn the_lives_of_a_machine_find_every_fault_that_is_put_in() {
    run(|driver| *driver == Driver::Lives);
}

/// proves: PR-02
#[test]
fn the_world_finds_every_fault_that_is_put_in() {
    run(|driver| *driver == Driver::World);
}

#[test]
fn every_invariant_has_a_fault_and_every_fault_somebody_who_finds_it() {
    let faults = faults();
    let broken: BTreeSet<_> = faults.iter().map(|fault| fault.breaks).collect();
    assert!(broken.into_iter().eq(Invariant::ALL));
    assert!(faults.iter().all(|fault| !fault.found_by.is_empty()));
    // The search explores the twelve invariants of the design. What a model expects, it has none of.
    let searched = faults.iter().filter(|fault| fault.found_by.iter().any(is_searched));
    let searched: BTreeSet<_> = searched.map(|fault| fault.breaks).collect();
    assert!(searched.into_iter().eq(Invariant::ALL.into_iter().take(12)));
}
