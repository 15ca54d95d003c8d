//! A host, providers that say anything, people who answer anything, a store that forgets, and
//! surfaces that miss half of it.
//!
//! Three things judge the host: the [watch](crate::watch) of what must never be, whatever the events; a
//! model, written from the requirements, which knows what must come of each event; and the surfaces
//! and the store, which must agree with it in the end. [`HostWorld::of`] tries them on hosts that lie.

mod answers;
mod call;
mod checks;
mod door;
mod expected;
mod frames;
mod host;
mod model;
mod op;
mod script;
mod setup;
mod store;
mod surface;
mod which;
mod world;

pub use host::{Host, Out};
pub use op::{
    Does, HostOp, How, Says, WhichConnection, WhichInvocation, WhichNumber, WhichQuestion,
    WhichRecord, WhichScope, WhichSession, ops,
};

pub use world::HostWorld;

pub(crate) use script::pick;
pub(crate) use setup::session;
