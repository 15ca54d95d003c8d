//! Worlds to try the machines of `mrtr-core` in, and what must hold in each of them.
//!
//! A world holds one machine, a clock that it turns itself, and a record of the actions that came
//! out. Operations are applied one by one; after each the record is checked against the invariants
//! of the design. Everything is judged from outside: by what was asked, sent, taken back and
//! settled, and by the few things that a machine tells. Property tests and fuzz targets share the
//! worlds and their operations.
//!
//! What must hold is one list, and what is put in to see a check fail is one table:
//!
//! - [`invariants`]: the invariants, and what it is to break one.
//! - [`watch`]: one watch for each machine, which sees what must never be.
//! - [`faults`]: faults, the invariant that each breaks, and the drivers that must find it.
//!
//! The drivers:
//!
//! - [`explore`]: everything that can happen, in scopes that have an end.
//! - [`invocation`]: random lives of one call of the client role, beside a model.
//! - [`broker`]: random lives of a host with its providers, its store and its surfaces, beside a model.
//! - [`exchange`]: endpoints of the server role, and the requests that come to them.
//! - [`random`]: chance that is the same in every run.
//! - [`texts`]: what must hold of every text of a stranger, and odd texts to try it on.
//! - [`world`]: all of them at once, with an unreliable network between them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a check that does not hold panics, and says what it found instead"
)]

pub mod broker;
pub mod exchange;
pub mod explore;
pub mod faults;
pub mod invariants;
pub mod invocation;
pub mod random;
pub mod texts;
pub mod watch;
pub mod world;
