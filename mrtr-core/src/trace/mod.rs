//! Calls as data: what started them, what happened to them, and what came of it.
//!
//! A machine is deterministic, so a recorded call replays: the same start and the same events give
//! the same actions. `docs/traces.md` describes the format, and the example `replay` reads it.
//!
//! What a call carries is secret, so its types do not implement `Serialize`. There are two views:
//!
//! - [`Redacted`] writes what a value is and how large. It is fit for a log.
//! - [`Exposed`] writes everything. It is as secret as the value itself.
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

/// A view that serializes a value with everything it holds: params, results, answers,
/// `requestState`.
///
/// The text is as secret as the most secret thing in it. It belongs in a test, or in a store that is
/// protected like the answers themselves, and never in a log.
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

/// A view that serializes what a value is and how large: no params, no result, no answer, no key, no
/// `requestState`, no text for people.
///
/// Where a form is refused, the place in the fault names fields as the server does.
///
/// Both views serialize references to the types of [`client`](crate::client) and of this module that
/// go into a trace, and to [`RawJson`](crate::wire::RawJson),
/// [`InputRequest`](crate::wire::InputRequest), [`InputResponse`](crate::wire::InputResponse),
/// [`Content`](form_model::Content) and [`Answer`](form_model::Answer).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Redacted<T>(pub T);
