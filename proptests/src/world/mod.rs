//! Everything at once: calls of a model, a host with its store and its surfaces, providers with the
//! client's side of each call, MCP servers, and an unreliable network between them, on one clock.
//!
//! Nothing here is a stand-in: broker, invocation, exchange and sealed states are the real ones, and
//! what they say to each other goes through its text. The line between a host and a provider keeps
//! the order, and may be cut at any point; the network between a provider and a server loses,
//! repeats, delays and reorders whole requests and responses; the store speaks late, in any order,
//! or fails; surfaces hear late, twice, or not at all. Everybody may restart.
//!
//! After each [`WorldOp`] every [invariant](crate::invariants) is held against what was seen from outside: a ledger says
//! who asked, who answered, what was sealed and what ran. The host is judged by the rules and the
//! model of [`broker`](crate::broker), an endpoint by a model of its own. [`World::rest`] lets the
//! network be whole again and time pass, and then nothing may be left. [`World::of`] tries the
//! checks on participants that are broken.

mod endpoint;
mod flow;
mod forge;
mod host;
mod ledger;
mod line;
mod network;
mod op;
mod plan;
mod provider;
mod rest;
mod run;
mod server;
mod setup;
mod whole;

pub use op::{Arrives, Ends, Forges, Keys, Link, Says, WorldOp, ops};
pub use whole::World;
