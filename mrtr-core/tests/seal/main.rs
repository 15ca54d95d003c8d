//! Sealed request states, as an embedder uses them.

#![cfg(feature = "seal")]
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "these are tests")]

mod binding;
mod bounds;
mod ciphers;
#[cfg(feature = "server")]
mod exchange;
mod generator;
mod keys;
mod play;
mod promises;
mod times;
#[cfg(feature = "server")]
mod vectors;
