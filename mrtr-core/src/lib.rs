//! Multi round-trip requests of MCP 2026-07-28 as pure state machines.
//!
//! Events and the time go in, actions come out of the same call. The crate opens no socket, reads
//! no clock, draws no random number and starts no task: the caller does, and the machines decide.
//!
//! - [`Invocation`]: the client role. One call of a tool over many requests, with a person in the
//!   middle.
//! - [`Broker`]: the host role. Who may ask whom, and the one owner of every pending question.
//! - [`Exchange`]: the server role. One request, from its bytes to its answer, and the sealed
//!   [`RequestState`] that remembers between requests.
//! - [`lifecycle`]: the phases, and the one table that moves from phase to phase.
//! - [`trace`]: calls as data, recorded and replayed.
//! - [`wire`]: the JSON shapes that a machine decides on; everything else passes through as text.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod broker;
mod clock;
#[cfg(feature = "request-state")]
pub mod exchange;
mod id;
mod invocation;
pub mod lifecycle;
mod limits;
#[cfg(feature = "request-state")]
mod request_state;
mod time;
pub mod trace;
pub mod wire;

pub use broker::Broker;
pub use clock::Clock;
#[cfg(feature = "request-state")]
pub use exchange::{Endpoint, Exchange, InputRequest, Need};
pub use id::{InvalidId, InvocationId, LegId, RegistrationId, SessionId, ToolCallId, TurnId};
pub use invocation::{
    Action, Actions, AnswersForms, AnswersRoots, AnswersSampling, AnswersUrls, Binding, Claims,
    Closure, Event, Fault, Interaction, Invocation, LegRequest, Misuse, Outcome, Reply, Request,
    StartError, Transition,
};
pub use lifecycle::{Phase, Step, Trigger};
pub use limits::{Clocks, Limits};
#[cfg(feature = "request-state")]
pub use request_state::{
    InvalidLifetime, Keyring, KeyringError, OpenCause, RequestState, TOKEN_BYTES_MAX, TokenId,
};
pub use time::{Instant, UnixTime};

/// Runs the examples of the guide for clients as tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/client.md")]
struct ClientGuide;

/// Runs the examples of the guide for hosts as tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/host.md")]
struct HostGuide;

/// Runs the examples of the guide for servers as tests.
#[cfg(all(doctest, feature = "request-state"))]
#[doc = include_str!("../../docs/server.md")]
struct ServerGuide;

/// Runs the README's embedding as a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
