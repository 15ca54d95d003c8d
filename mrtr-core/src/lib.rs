//! Multi round-trip requests of MCP 2026-07-28 as pure state machines.
//!
//! In MCP, the Model Context Protocol, a client calls the tools of a server. A server that needs
//! input answers the call with `input_required` and its questions. The client gets the answers, and
//! sends the call again with them. The [specification] calls this a *multi round-trip request*.
//!
//! The machines of this crate decide what to do, and the program around them does it. Events and
//! the time go in, and actions come out of the same call. The crate opens no socket, reads no clock,
//! draws no random number and starts no task. It is `no_std` and needs `alloc`. Its companion
//! [`form_model`] has the forms that people fill in, and their answers.
//!
//! There are three roles. The page of each has its state diagram, and lists what to call. The
//! machine of the role has an example.
//!
//! - [`client`]: a call of a tool, prompt or resource, from its first request to its outcome. The
//!   machine is [`client::Invocation`].
//! - [`host`]: a program that gives its calls to other processes, and owns every question that they
//!   ask people. The machine is [`host::Broker`].
//! - [`server`]: one request, from its bytes to its response. The machine is [`server::Exchange`].
//!
//! The roles share these modules:
//!
//! - [`lifecycle`]: the phases, and the transition table that all machines use.
//! - [`wire`]: the JSON shapes that a machine reads or writes. All other JSON passes through
//!   unchanged.
//! - [`seal`]: sealed request state. It is what a server needs on the retry, and the client carries
//!   it.
//! - [`trace`]: the calls of a client as data, to record and to replay.
//!
//! # Words
//!
//! - An *invocation* is one call of a tool, prompt or resource: all its legs and rounds, up to one
//!   outcome. It is *live* until it has its outcome.
//! - A *leg* is one request of an invocation, with its own JSON-RPC id. For a host, a leg is the time
//!   in which a provider works. For a server, a leg is one run of a handler.
//! - A *round* is one `input_required` result and the answers to its questions. A *state-only* round
//!   has no questions: the server only wants to be called again.
//! - A *question* of a round is an *input request* in the protocol. One that asks a person is an
//!   *elicitation*. While a question waits for its answer, it is an *interaction*.
//! - The *caller*, or *embedder*, is the program that uses a machine. An *adapter* is its code
//!   between a transport and a machine. The *operator* runs the program and reads its reports.
//! - The *client* is the program that sends requests to a server. The *principal* is whoever calls
//!   the server, as the transport authenticated them.
//! - A note such as `(mrtr, server requirement 4)` says where a rule comes from: a page of the
//!   specification, and a place on it.
//!
//! # Features
//!
//! All features are on by default.
//!
//! | feature | has |
//! |---|---|
//! | `client` | [`client`], and the traces of [`trace`] |
//! | `host` | [`host`] |
//! | `server` | [`server`]; turns `seal` on |
//! | `seal` | [`seal`], and the cryptography that it needs |
//!
//! [specification]: https://modelcontextprotocol.io/specification/2026-07-28

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(all(feature = "client", feature = "host", feature = "server")),
    allow(
        dead_code,
        unreachable_pub,
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
mod debug;
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
pub use id::{InvalidId, InvocationId};
pub use lifecycle::{Phase, Transition, Trigger};
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
