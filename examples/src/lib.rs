//! Thin adapters: they own the sockets, the timers and the screens, and carry out what the machines
//! of `mrtr-core` decide.
//!
//! - [`client`]: a call over Streamable HTTP, on tokio.
//! - [`server`]: an endpoint over Streamable HTTP, on axum.
//! - [`surface`]: who answers: a script or a person at a terminal.

#![forbid(unsafe_code)]

pub mod client;
pub mod server;
pub mod surface;
