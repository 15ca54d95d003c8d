//! The server role: one request, from its bytes to its answer.
//!
//! ```text
//! receive ─► answered at once: malformed, refused, or a notification ──────► Settled
//!         ─► Pausing ── Redeemed: first time ─► Resumed
//!         │     └────── used before, or the store failed ──────────────────► Settled
//!         └► Running | Resumed: the handler runs
//!                 ├── Finish, Fail, Abandon, .. ───────────────────────────► Settled
//!                 ├── Need ─► requests and their sealed state are sent ────► AwaitingInteraction
//!                 └── Need ─► a sealed state is sent alone ────────────────► Pausing
//! ```
//!
//! A request runs on the same table as a call of the client: a leg is a handler that runs.
//! `Running` is the first round, `Resumed` a later one. The retry is another request, and another
//! exchange: what a handler has to remember travels in the sealed state, and nothing of an exchange
//! is kept.
//!
//! What to call, in this order:
//!
//! 1. Once: make an [`Endpoint`], with a [`RequestState`](crate::seal::RequestState) where handlers
//!    ask.
//! 2. For each request: [`Exchange::receive`] with what arrived. It returns the exchange and its
//!    first action.
//! 3. On [`Action::Redeem`], ask the store, and hand its reply over with [`Exchange::handle`].
//! 4. On [`Action::Run`], run the handler, and hand over its [`Ending`] with [`Exchange::end`]. The
//!    handler may await as long as it likes: the exchange is plain data, and can be kept meanwhile.
//! 5. On [`Action::Respond`], write the response. Nothing follows.
//!
//! After each call, hand the reports to the operator. [`Exchange`] has a worked life as its
//! example.

mod admission;
mod answers;
mod ending;
mod endpoint;
mod event;
mod exchange;
mod flow;
mod incoming;
mod memory;
mod need;
mod report;

pub use answers::Answers;
pub use ending::{Ending, HandlerError};
pub use endpoint::Endpoint;
pub use event::{Action, Actions, Event, Misuse, Respond, Run};
pub use exchange::Exchange;
pub use flow::{Flow, Stop};
pub use incoming::Incoming;
pub use need::Need;
pub use report::{HandlerFault, Report, ReportKind};
