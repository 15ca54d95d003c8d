//! Thin adapters: they own the sockets, the timers and the screens, and carry out what the machines
//! of `mrtr-core` decide.
//!
//! - [`call`]: what every adapter of a client does.
//! - [`client`]: a call over Streamable HTTP, on tokio.
//! - [`server`]: an endpoint over Streamable HTTP, on axum.
//! - [`stdio`]: both over stdio: calls of a child process, on plain threads and on smol, and an
//!   endpoint.
//! - [`store`]: where the ids of states that may be used once are kept.
//! - [`surface`]: who answers: a script or a person at a terminal.

#![forbid(unsafe_code)]

pub mod call;
pub mod client;
pub mod server;
pub mod stdio;
pub mod store;
pub mod surface;
