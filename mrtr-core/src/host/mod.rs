//! The host role: one owner of every question that providers ask people.
//!
//! A host gives its calls to other processes, which execute them. A *provider* is such a process. A
//! *surface* shows questions to people. A *store* keeps questions and answers across restarts. A
//! [`Broker`] works with all three. It does not trust providers and surfaces. It binds each
//! question to the invocation that asks and to the session that may answer. It takes the first
//! valid answer, has it stored, and then delivers it.
//!
//! - A *session* is one conversation with the host. One person or several people take part in it,
//!   and see its questions.
//! - A *turn* is one step of a session, in which a model may make several *tool calls*.
//! - A *registration* is something that a provider executes for the host, such as a tool.
//!
//! The phases of an invocation:
//!
//! ```text
//!            interaction_request                 answer
//! call ► Running ────────────► AwaitingInteraction ────────────► Resumed
//!           │                     │        ▲                       │  │
//!           │                     │        └─ interaction_request ─┘  │
//!           ▼                     ▼                                   ▼
//!        Settled               Settled                             Settled
//!
//! unanswerable, store failed: from AwaitingInteraction to Settled
//! result, rejected, failed, released, timeout, stop, lost: from every phase except Settled to Settled
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
//! 5. Carry out each [`Action`] in order: deliver frames, store records, send changes to surfaces. A
//!    surface begins with [`Broker::snapshot`], and [`View`] applies the changes after it.
//! 6. Whenever [`Broker::deadline`] passes, hand over [`Event::Tick`].
//! 7. [`Action::Settle`] is the last action of an invocation. The broker itself lives as long as the
//!    host.
//!
//! [`Broker`] shows a complete call as an example. In the repository, `docs/host.md` is the guide,
//! and `docs/frames.md` shows every frame.
//!
//! The `Debug` output of the types of this module has ids and sizes. It has no questions, no answers
//! and no calls.

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

pub use crate::id::{RegistrationId, SessionId, ToolCallId, TurnId};
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
