//! What must never be, whatever happens: one watch for each machine.
//!
//! A watch is fed with events and actions, and knows only what everybody can see. Search, random
//! lives, fuzz targets and the world of all machines use the same ones. What *should* come of an
//! event is a model's business, and a model stands elsewhere.

mod client;
mod host;

pub use client::ClientWatch;
pub(crate) use client::{members, response_text, same_json};
pub use host::{ChangeNumbers, HostWatch, WatchedCall, WatchedQuestion};
