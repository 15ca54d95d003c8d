//! The client role: a call of a tool, prompt or resource, over one request or many.
//!
//! ```text
//! start ──► Running ─┐
//!                    ├─ input_required with requests ─► AwaitingInteraction ── last answer ─┐
//!      ┌─► Resumed ──┤                                                                      │
//!      │             ├─ input_required, state only ───► Pausing ────────────── pause over ──┤
//!      │             │                                                                      │
//!      │             └─ complete, error ──────────────► Settled                             │
//!      └────────────────────────────────────────────────────────────────────────────────────┘
//!
//! a question cannot be answered: from AwaitingInteraction to Settled
//! fault, timeout, stop, lost:    from every phase except Settled to Settled
//! ```
//!
//! A *leg* is one request on the wire, with an id of its own. A *round* is one `input_required`
//! result and the answers to its questions. A *state-only* round has no questions: the server only
//! wants to be called again. A call is `Running` during its first leg, and `Resumed` during every
//! retry.
//!
//! What to call, in this order:
//!
//! 1. [`Invocation::start`] with a [`Request`], the [`Claims`] of what the caller can answer, and
//!    [`Limits`](crate::Limits). It returns the machine and its first actions.
//! 2. Carry out each [`Action`] in order. [`Action::Send`] sends a leg, and [`Action::CancelLeg`]
//!    cancels it. [`Action::Ask`] asks a question, and [`Action::Retract`] takes it back.
//!    [`Action::Settle`] reports the one outcome.
//! 3. Hand over each [`Event`] with [`Invocation::handle`], as it happens, and carry out the actions
//!    that it returns.
//! 4. Whenever [`Invocation::deadline`] passes, hand over [`Event::Tick`].
//! 5. After [`Action::Settle`] there are no more actions: drop the machine.
//!
//! There are two kinds of mistakes. A [`Misuse`] is a mistake of the caller: it is returned as an
//! error, and the call is unchanged. A [`Fault`] is a mistake of the server: it ends the call with
//! [`Outcome::Fault`].
//!
//! [`Invocation`] shows a complete call as an example. The guide is `docs/client.md` in the
//! repository.

mod claims;
mod event;
mod invocation;
mod outcome;
mod request;
mod round;

pub use crate::id::LegId;
pub use claims::Claims;
pub use event::{Action, Actions, Event, Reply, Report};
pub use invocation::Invocation;
pub use outcome::{CloseReason, Fault, Misuse, Outcome};
pub use request::{Binding, LegRequest, Request, StartError};
