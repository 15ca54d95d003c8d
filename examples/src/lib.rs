//! Thin adapters: they own the sockets, the timers and the screens, and carry out the actions of the
//! machines of `mrtr-core`.
//!
//! - [`call`]: the part of a call that all client adapters share.
//! - [`client`]: a call over Streamable HTTP, on tokio.
//! - [`host`]: the owner of the questions of many calls, on tokio: providers, screens and a store.
//! - [`provider`]: a process that executes a host's calls on an MCP server.
//! - [`server`]: an endpoint over Streamable HTTP, on axum.
//! - [`stdio`]: client and server over stdio: calls of a child process, on plain threads and on smol,
//!   and an endpoint.
//! - [`store`]: stores of the ids of states that may be used once.
//! - [`surface`]: who answers the questions: a script, or a person at a terminal.

#![forbid(unsafe_code)]

pub mod call;
pub mod client;
pub mod host;
pub mod provider;
pub mod server;
pub mod stdio;
pub mod store;
pub mod surface;
