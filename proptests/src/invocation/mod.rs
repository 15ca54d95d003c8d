//! One invocation, a server that says anything, and people who answer anything.

mod claims;
mod hostile;
mod legs;
mod model;
mod op;
mod script;
mod server;
mod world;

pub use op::{ClientOp, How, Questions, Says, WhichLeg, WhichQuestion, WhichRound, ops};
pub use world::ClientWorld;

pub(crate) use model::{CallModel, CallSight};
