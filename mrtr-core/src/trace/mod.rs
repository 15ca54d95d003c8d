//! The calls of a client as data: their starts, their events and their actions.
//!
//! A machine is deterministic, so a recorded call can be replayed: the same start and the same
//! events give the same actions. `docs/traces.md` in the repository describes the format, and the
//! example program `replay` reads it.
//!
//! Calls hold secrets, so their events and actions do not implement `Serialize`. There are two
//! views:
//!
//! - [`Redacted`] writes the kind and the size of a value. It is safe for a log.
//! - [`Exposed`] writes the whole value. It is as secret as the value itself.
//!
//! ```
//! # #[cfg(feature = "client")] {
//! use mrtr_core::{client::Event, trace::{Exposed, Redacted}, wire::InputResponse};
//!
//! let event = Event::Answer { round: 1, key: "sure".into(), response: InputResponse::Decline };
//! assert_eq!(
//!     serde_json::to_string(&Redacted(&event))?,
//!     r#"{"answer":{"round":1,"keyBytes":4,"response":"decline"}}"#,
//! );
//! assert_eq!(
//!     serde_json::to_string(&Exposed(&event))?,
//!     r#"{"answer":{"round":1,"key":"sure","response":"decline"}}"#,
//! );
//! # }
//! # Ok::<(), serde_json::Error>(())
//! ```

#[cfg(feature = "client")]
mod action;
#[cfg(feature = "client")]
mod event;
#[cfg(feature = "client")]
mod step;
#[cfg(feature = "client")]
#[cfg(test)]
mod tests;
mod value;

#[cfg(feature = "client")]
pub use step::{Start, Step, StepError};

/// A view that serializes the whole value: params, results, answers, `requestState`.
///
/// The text is as secret as the most secret thing in it. Use it in a test, or in a store that is
/// protected like the answers. Never log it.
///
/// ```
/// use form_model::Content;
/// use mrtr_core::trace::Exposed;
///
/// let content = Content::new().with_text("name", "octocat");
/// assert_eq!(serde_json::to_string(&Exposed(&content))?, r#"{"name":"octocat"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exposed<T>(pub T);

/// A view that serializes the kind and the size of a value. It has no params, no result, no answer,
/// no key, no `requestState`, and no message of a question or of the server's error.
///
/// A fault or a timeout has its sentence, which this crate wrote. The fault of a form that was
/// refused may contain the name of a field.
///
/// To serialize with a view, wrap a reference, as in `Redacted(&event)`. `Exposed::<Step>::read`
/// returns an owned step. The views serialize the types of a trace:
/// [`client::Event`](crate::client::Event), [`client::Action`](crate::client::Action), [`Start`]
/// and [`Step`]. They also serialize [`RawJson`](crate::wire::RawJson),
/// [`InputRequest`](crate::wire::InputRequest), [`InputResponse`](crate::wire::InputResponse),
/// [`Content`](form_model::Content) and [`Answer`](form_model::Answer).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Redacted<T>(pub T);
