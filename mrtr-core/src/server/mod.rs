//! The server role: one request, from its bytes to its response.
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
//! An exchange is one request and its response. It uses the same phases and the same transition table
//! as a client's call. Here a leg is one run of the handler: `Running` in the first round, `Resumed`
//! in a later one. A retry is a new request and a new exchange. Drop the old exchange: all that the
//! handler must remember travels in the sealed state.
//!
//! What to call, in this order:
//!
//! 1. Once: make an [`Endpoint`]. If handlers ask questions, give it a
//!    [`RequestState`](crate::seal::RequestState) with
//!    [`Endpoint::with_request_state`].
//! 2. For each request: call [`Exchange::receive`] with what arrived. It returns the exchange and its
//!    first action.
//! 3. On [`Action::Redeem`], ask the store, and hand its reply over with [`Exchange::handle`]. Only
//!    an endpoint with [single use](Endpoint::with_single_use) has this action.
//! 4. On [`Action::Run`], run the handler, and hand over its [`Ending`] with [`Exchange::end`]. The
//!    handler may await: the exchange is plain data, and can be kept meanwhile.
//! 5. On [`Action::Release`], take the id out of the store again: the state was redeemed, and the
//!    handler did nothing. This action comes right before the response.
//! 6. On [`Action::Respond`], write the response. It is the last action.
//!
//! After each call, hand the reports to the operator. A handler is easiest to write as a [`Flow`],
//! which asks one question after another. [`Exchange`] shows a request, its question and the retry as
//! an example. The guide is `docs/server.md` in the repository.

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
