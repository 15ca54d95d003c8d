//! Thin adapters: they own the sockets, the timers and the screens, and carry out what the machines
//! of `mrtr-core` decide.
//!
//! - [`call`]: what every adapter of a client does.
//! - [`client`]: a call over Streamable HTTP, on tokio.
//! - [`host`]: who owns the questions of many calls, on tokio: providers, screens and a store.
//! - [`mirrored`]: arguments of a tool that both sides of HTTP repeat in headers.
//! - [`provider`]: what executes a host's calls on an MCP server, in a process of its own.
//! - [`server`]: an endpoint over Streamable HTTP, on axum.
//! - [`stdio`]: both over stdio: calls of a child process, on plain threads and on smol, and an
//!   endpoint.
//! - [`store`]: where the ids of states that may be used once are kept.
//! - [`surface`]: who answers: a script or a person at a terminal.

#![forbid(unsafe_code)]

pub mod call;
pub mod client;
pub mod host;
pub mod mirrored;
pub mod provider;
pub mod server;
pub mod stdio;
pub mod store;
pub mod surface;
