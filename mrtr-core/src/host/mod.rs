//! The host role: one owner of every question that providers ask people.
//!
//! A *provider* executes calls, a *surface* shows questions to people, and a *store* keeps them over
//! a restart. All three are outside of the broker, and it trusts neither providers nor surfaces. It
//! binds each question to the invocation that asks and to the session that may answer. It takes the
//! first answer that fits, has the store hold the answer, and only then delivers it.
//!
//! An invocation, as the broker sees it:
//!
//! ```text
//!            interaction_request                 answer
//! call ► Running ────────────► AwaitingInteraction ────────────► Resumed
//!           │                     │        ▲                       │  │
//!           │                     │        └─ interaction_request ─┘  │
//!           ▼                     ▼                                   ▼
//!        Settled               Settled                             Settled
//!    result, rejected, failed, released, timeout, stop, lost: from any phase
//! ```
//!
//! A host never pauses: [`Phase::Pausing`](crate::Phase::Pausing) does not occur.
//!
//! What to call, in this order:
//!
//! 1. [`Broker::durable`] with an [`Epoch`] above all earlier ones, [`Limits`], and the ids of the
//!    records in the store; or [`Broker::volatile`] if there is no store.
//! 2. Hand over [`Event::Connected`] and [`Event::Registered`] for each provider.
//! 3. [`Broker::call`] for each tool call that a provider executes.
//! 4. Decode what a provider sends with [`ProviderFrame::decode`], and hand it over as
//!    [`Event::Frame`] or [`Event::Unreadable`]. Hand over every other [`Event`] as it happens, with
//!    [`Broker::handle`].
//! 5. Carry out each [`Action`] in order: deliver frames, store records, tell surfaces. A surface
//!    begins with [`Broker::snapshot`], and [`View`] applies the changes after it.
//! 6. Whenever [`Broker::deadline`] passes, hand over [`Event::Tick`].
//! 7. After [`Action::Settle`] nothing follows for that invocation. The broker itself lives as long as
//!    the host.
//!
//! [`Broker`] has a worked life as its example, `docs/host.md` is the guide, and `docs/frames.md`
//! shows what goes over a connection.
//!
//! `Debug` of the types of this module shows ids and sizes, and nothing that is asked, answered or
//! executed.

mod active;
mod broker;
mod codec;
mod error;
mod event;
mod frame;
mod guards;
mod id;
mod index;
mod ledger;
mod limits;
mod outcome;
mod question;
mod recently_closed;
mod record;
mod view;

pub use broker::{Broker, EpochReused};
pub use error::{Fault, Misuse};
pub use event::{Action, Actions, Call, Event, Report, Scope};
pub use frame::{FRAME_BYTES_MAX, FrameError, HostFrame, ProviderFrame};
pub use id::{ConnectionId, Epoch, InteractionId};
pub use limits::Limits;
pub use outcome::{CloseReason, Ending, Outcome};
pub use question::{Owner, PendingInteraction, Question, Requester};
pub use record::{Record, RecordId, RecordKind};
pub use view::{Change, ChangeKind, Gap, Snapshot, View, VisibleInteraction};
