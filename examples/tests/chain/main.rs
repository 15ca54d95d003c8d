//! The whole chain in real processes: a host in this one, a provider as its child, and an MCP server
//! as the child of that. The tests are named after the acceptance criteria of the RFC that asked for
//! it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is a test"
)]

mod clocks;
mod command_line;
mod connections;
mod endings;
mod fake;
mod fixture;
mod restart;
mod rounds;
mod secrets;
mod servers;
mod stop;
mod surfaces;
mod tap;
