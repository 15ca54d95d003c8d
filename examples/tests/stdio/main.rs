//! The adapters over child processes: both clients against the same servers, and the server.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is a test"
)]
mod calls;
mod child;
mod server;
