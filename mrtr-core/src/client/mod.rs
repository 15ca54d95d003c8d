//! The client role: one logical call over many requests, with a person in the middle.
//!
//! ```text
//!            ┌──────────────── Pausing ◄────────────┐
//!            │ pause over                           │ input_required,
//!            ▼            input_required            │ state only
//! start ► Running ──────► with requests ──────► AwaitingInteraction
//!            │            (also from Resumed)       │ last answer of the round
//!            │                                      ▼
//!            └────────────► Settled ◄─────────── Resumed
//!                complete, error, fault, timeout, stop, lost: from any phase
//! ```
//!
//! A *leg* is one request on the wire, with an id of its own. A *round* is one `input_required`
//! result and the answers that are gathered for it. A call is `Running` during its first leg and
//! `Resumed` during every retry.
//!
//! What to call, in this order:
//!
//! 1. [`Invocation::start`] with a [`Request`], the [`Claims`] of what the caller can answer, and
//!    [`Limits`](crate::Limits). It returns the machine and its first actions.
//! 2. Carry out each [`Action`] in order. [`Action::Send`] sends a leg, [`Action::Ask`] asks
//!    somebody, [`Action::Settle`] reports the one outcome.
//! 3. Hand over each [`Event`] with [`Invocation::handle`], as it happens, and carry out what comes
//!    back.
//! 4. Whenever [`Invocation::deadline`] passes, hand over [`Event::Tick`].
//! 5. After [`Action::Settle`] nothing follows: drop the machine.
//!
//! [`Invocation`] has a worked life as its example.

mod claims;
mod event;
mod invocation;
mod outcome;
mod request;
mod round;

pub use claims::Claims;
pub use event::{Action, Actions, Event, Reply, Report};
pub use invocation::Invocation;
pub use outcome::{CloseReason, Fault, Misuse, Outcome};
pub use request::{Binding, LegRequest, Request, StartError};
