//! The examples of the guides: each is a part of a client or a server here, and the two talk to each
//! other over real pipes and sockets.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is a test"
)]

mod client;
mod pages;
mod server;
