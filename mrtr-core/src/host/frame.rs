//! The frames between a provider and a host. Each frame is one JSON document.
//!
//! `docs/frames.md` in the repository shows every frame.

use alloc::string::String;
use core::str;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{
    CloseReason, Question,
    codec::{self, carried},
};
use crate::{
    InvocationId,
    codec::word,
    wire::{Json, Object, RawJson, WireError},
};

/// The most bytes of a frame, including the JSON around its payload.
pub const FRAME_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A message of a provider to a host.
///
/// The enum is exhaustive: a broker handles each frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderFrame {
    /// The provider accepted the invocation, and executes it.
    Accepted {
        /// The invocation.
        invocation: InvocationId,
    },
    /// The provider does not accept the invocation.
    Rejected {
        /// The invocation.
        invocation: InvocationId,
        /// The reason, as JSON of the provider.
        error: RawJson,
    },
    /// The provider works on the invocation.
    Progress {
        /// The invocation.
        invocation: InvocationId,
    },
    /// The provider needs an answer. It executes nothing for the invocation until it has one.
    InteractionRequest {
        /// The invocation.
        invocation: InvocationId,
        /// The provider's number for the question: at least 1, and greater than every number that it
        /// used for the invocation before.
        interaction: u64,
        /// What to ask: a [`Question`].
        request: RawJson,
    },
    /// The invocation has a result. It is over.
    Result {
        /// The invocation.
        invocation: InvocationId,
        /// The result.
        result: RawJson,
    },
    /// The invocation has failed. It is over.
    Failed {
        /// The invocation.
        invocation: InvocationId,
        /// The error, as JSON of the provider.
        error: RawJson,
    },
    /// The provider gives the invocation up. It is over.
    Released {
        /// The invocation.
        invocation: InvocationId,
    },
}

/// Why bytes are not a provider's frame.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{error}")]
#[non_exhaustive]
pub struct FrameError {
    /// The error.
    pub error: WireError,
    /// The invocation and the question number in the bytes, if the bytes are a request for an
    /// interaction and both can be read.
    pub asks: Option<(InvocationId, u64)>,
}

/// A message of a host to a provider.
///
/// The enum is exhaustive: a provider handles each frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostFrame {
    /// Execute this.
    Call {
        /// The invocation.
        invocation: InvocationId,
        /// What to execute.
        request: RawJson,
    },
    /// A person answered the question.
    InteractionResult {
        /// The invocation.
        invocation: InvocationId,
        /// The provider's number for the question.
        interaction: u64,
        /// The answer. The question reads it:
        /// [`Elicitation::decode_response`](crate::wire::Elicitation::decode_response). If the
        /// person agreed to open a URL, the action is `accept`, and there is no content.
        result: RawJson,
    },
    /// The question is refused, because it breaks a rule. Nobody was asked, and the invocation is
    /// unchanged.
    InteractionRefused {
        /// The invocation.
        invocation: InvocationId,
        /// The provider's number for the question.
        interaction: u64,
        /// The rule that it breaks, as [`Fault::code`](super::Fault::code).
        code: String,
    },
    /// The invocation is over. Stop all work for it.
    Cancel {
        /// The invocation.
        invocation: InvocationId,
        /// The reason.
        why: CloseReason,
    },
}

impl ProviderFrame {
    /// Decodes the bytes of a frame.
    ///
    /// # Errors
    ///
    /// Returns [`FrameError`] if the bytes are longer than [`FRAME_BYTES_MAX`], are not UTF-8, nest
    /// too deep, or are not a provider's frame.
    pub fn decode(bytes: &[u8]) -> Result<Self, FrameError> {
        let json = checked(bytes)?;
        let wrong = WireError::shape("a frame", "one that a provider sends");
        codec::decode(json.as_json(), wrong)
            .map(|ProviderText(frame)| frame)
            .map_err(|error| FrameError { error, asks: asks(json.as_json()) })
    }

    /// Writes the frame as one line of JSON, without the end of the line.
    #[must_use]
    pub fn to_json(&self) -> String {
        codec::line(&ProviderText(self.clone()))
    }

    /// Makes a frame that asks a question.
    #[must_use]
    pub fn ask(invocation: InvocationId, interaction: u64, question: &Question) -> Self {
        Self::InteractionRequest { invocation, interaction, request: question.to_json() }
    }

    /// Returns the invocation that the frame is for.
    #[must_use]
    pub const fn invocation(&self) -> &InvocationId {
        match self {
            Self::Accepted { invocation }
            | Self::Rejected { invocation, .. }
            | Self::Progress { invocation }
            | Self::InteractionRequest { invocation, .. }
            | Self::Result { invocation, .. }
            | Self::Failed { invocation, .. }
            | Self::Released { invocation } => invocation,
        }
    }
}

impl HostFrame {
    /// Decodes the bytes of a frame.
    ///
    /// # Errors
    ///
    /// Returns [`WireError`] if the bytes are longer than [`FRAME_BYTES_MAX`], are not UTF-8, nest
    /// too deep, or are not a host's frame.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let wrong = WireError::shape("a frame", "one that a host sends");
        codec::decode(checked(bytes)?.as_json(), wrong).map(|HostText(frame)| frame)
    }

    /// Writes the frame as one line of JSON, without the end of the line.
    #[must_use]
    pub fn to_json(&self) -> String {
        codec::line(&HostText(self.clone()))
    }

    /// Returns the invocation that the frame is for.
    #[must_use]
    pub const fn invocation(&self) -> &InvocationId {
        match self {
            Self::Call { invocation, .. }
            | Self::InteractionResult { invocation, .. }
            | Self::InteractionRefused { invocation, .. }
            | Self::Cancel { invocation, .. } => invocation,
        }
    }
}

impl From<WireError> for FrameError {
    fn from(error: WireError) -> Self {
        Self { error, asks: None }
    }
}

/// A provider's frame as text. A frame may hold secrets and does not implement `Serialize`, so
/// another type has its spelling.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct ProviderText(#[serde(with = "ProviderSpelling")] ProviderFrame);

#[derive(Serialize, Deserialize)]
#[serde(remote = "ProviderFrame", rename_all = "snake_case", deny_unknown_fields)]
enum ProviderSpelling {
    Accepted {
        invocation: InvocationId,
    },
    Rejected {
        invocation: InvocationId,
        #[serde(with = "carried")]
        error: RawJson,
    },
    Progress {
        invocation: InvocationId,
    },
    InteractionRequest {
        invocation: InvocationId,
        interaction: u64,
        #[serde(with = "carried")]
        request: RawJson,
    },
    Result {
        invocation: InvocationId,
        #[serde(with = "carried")]
        result: RawJson,
    },
    Failed {
        invocation: InvocationId,
        #[serde(with = "carried")]
        error: RawJson,
    },
    Released {
        invocation: InvocationId,
    },
}

/// A host's frame as text.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct HostText(#[serde(with = "HostSpelling")] HostFrame);

#[derive(Serialize, Deserialize)]
#[serde(remote = "HostFrame", rename_all = "snake_case", deny_unknown_fields)]
enum HostSpelling {
    Call {
        invocation: InvocationId,
        #[serde(with = "carried")]
        request: RawJson,
    },
    InteractionResult {
        invocation: InvocationId,
        interaction: u64,
        #[serde(with = "carried")]
        result: RawJson,
    },
    InteractionRefused {
        invocation: InvocationId,
        interaction: u64,
        code: String,
    },
    Cancel {
        invocation: InvocationId,
        #[serde(deserialize_with = "word")]
        why: CloseReason,
    },
}

/// Reads the invocation and the question number of a malformed frame, so that the provider can be
/// told that its question is refused.
fn asks(json: Json<'_>) -> Option<(InvocationId, u64)> {
    let frame = Object::decode(json, "a frame").ok()?;
    let request = Object::decode(frame.get("interaction_request")?, "a frame").ok()?;
    let invocation = InvocationId::new(&request.get("invocation")?.text()?).ok()?;
    Some((invocation, request.get("interaction")?.unsigned()?))
}

/// Checks the size of bytes, and that they are JSON.
fn checked(bytes: &[u8]) -> Result<RawJson, WireError> {
    if bytes.len() > FRAME_BYTES_MAX {
        return Err(WireError::too_large("a frame in bytes", FRAME_BYTES_MAX));
    }
    RawJson::parse_message(str::from_utf8(bytes).map_err(|_| WireError::NotUtf8)?)
}
