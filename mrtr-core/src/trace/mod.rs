//! Calls as data: what started them, what happened to them, and what came of it.
//!
//! A machine is deterministic, so that a recorded call replays: the same start and the same events
//! give the same actions. `docs/traces.md` has the format, and the example `replay` reads it.
//!
//! An event or an action that is serialized as it is shows what it is and how large: no params, no
//! result, no answer, no `requestState`, no text for people. Only where a form is refused, the place
//! in it names fields as the server does. Who needs the whole of it says so, by [`Exposed`].
//!
//! ```
//! use mrtr_core::{Event, trace::Exposed, wire::Response};
//!
//! let event = Event::Answer { round: 1, key: "sure".into(), response: Response::Decline };
//! assert_eq!(
//!     serde_json::to_string(&event)?,
//!     r#"{"answer":{"round":1,"keyBytes":4,"response":"decline"}}"#,
//! );
//! assert_eq!(
//!     serde_json::to_string(&Exposed(&event))?,
//!     r#"{"answer":{"round":1,"key":"sure","response":"decline"}}"#,
//! );
//! # Ok::<(), serde_json::Error>(())
//! ```

mod action;
mod event;
mod step;

pub use step::{Start, Step, StepError};
pub(crate) use step::{millis, optional_millis};

/// Is a value that serializes with all that it holds: params, results, answers, `requestState`.
///
/// Such text is as secret as the most secret thing in it. It belongs in a test, or in a store that
/// is kept like the answers themselves, and in no log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exposed<T>(pub T);
