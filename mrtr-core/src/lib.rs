//! Multi round-trip requests of MCP 2026-07-28 as pure state machines.
//!
//! Events and the time go in, actions come out of the same call. The crate opens no socket, reads
//! no clock, draws no random number and starts no task: the caller does, and the machines decide.
//!
//! Three roles, each a module that begins with its state diagram:
//!
//! - [`client`]: one call of a tool over many requests, with a person in the middle.
//! - [`host`]: who may ask whom, and the one owner of every pending question.
//! - [`server`]: one request, from its bytes to its answer.
//!
//! And what they share:
//!
//! - [`lifecycle`]: the phases, and the one table that moves from phase to phase.
//! - [`wire`]: the JSON shapes that a machine decides on; everything else passes through as text.
//! - [`seal`]: the sealed request state that a server remembers between requests.
//! - [`trace`]: calls as data, recorded and replayed.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(all(feature = "client", feature = "host", feature = "server")),
    allow(
        dead_code,
        unused_imports,
        rustdoc::broken_intra_doc_links,
        reason = "a role leaves unused what only the others use"
    )
)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod actions;
#[cfg(feature = "client")]
pub mod client;
mod codec;
#[cfg(feature = "host")]
pub mod host;
mod id;
pub mod lifecycle;
mod limits;
#[cfg(feature = "seal")]
pub mod seal;
#[cfg(feature = "server")]
pub mod server;
mod time;
mod timer;
pub mod trace;
pub mod wire;

pub use actions::Actions;
pub use id::{InvalidId, InvocationId, LegId, RegistrationId, SessionId, ToolCallId, TurnId};
pub use lifecycle::{Phase, Step, Transition, Trigger};
pub use limits::{Clocks, Limits};
pub use time::{Instant, UnixTime};
pub use timer::Clock;

/// Runs the examples of the guide for hosts as tests.
#[cfg(all(doctest, feature = "host"))]
#[doc = include_str!("../../docs/host.md")]
struct HostGuide;

/// Runs the examples of the page on traces as tests.
#[cfg(all(doctest, feature = "client"))]
#[doc = include_str!("../../docs/traces.md")]
struct TracesPage;

/// Runs the README's embedding as a test.
#[cfg(all(doctest, feature = "client"))]
#[doc = include_str!("../../README.md")]
struct Readme;
