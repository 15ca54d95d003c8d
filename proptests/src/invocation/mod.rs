//! One invocation, a server that says anything, and people who answer anything.

mod op;
mod record;
mod script;
mod world;

pub use op::{How, Op, Says, WhichLeg, WhichQuestion, WhichRound, ops};
pub use script::SENTINEL;
pub use world::World;
