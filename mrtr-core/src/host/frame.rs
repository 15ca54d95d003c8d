//! The frames between a provider and a host. Each frame is one JSON document.
//!
//! `docs/frames.md` in the repository shows every frame.

use alloc::{
    borrow::Cow,
    string::{String, ToString as _},
};
use core::str;

use thiserror::Error;

use super::{CloseReason, Question, codec};
use crate::{
    InvocationId,
    codec::from_word,
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
        Self::read(json.as_json()).ok_or_else(|| FrameError {
            error: WireError::shape("a frame", "one that a provider sends"),
            asks: asks(json.as_json()),
        })
    }

    fn read(json: Json<'_>) -> Option<Self> {
        let (kind, mut frame) = codec::variant(json)?;
        let invocation = invocation(&mut frame)?;
        let read = match kind.as_ref() {
            "accepted" => Self::Accepted { invocation },
            "rejected" => Self::Rejected { invocation, error: frame.take("error")?.into() },
            "progress" => Self::Progress { invocation },
            "interaction_request" => {
                let interaction = frame.take("interaction")?.unsigned()?;
                let request = frame.take("request")?.into();
                Self::InteractionRequest { invocation, interaction, request }
            }
            "result" => Self::Result { invocation, result: frame.take("result")?.into() },
            "failed" => Self::Failed { invocation, error: frame.take("error")?.into() },
            "released" => Self::Released { invocation },
            _ => return None,
        };
        frame.is_empty().then_some(read)
    }

    /// Writes the frame as one line of JSON, without the end of the line.
    #[must_use]
    pub fn to_json(&self) -> String {
        let (kind, interaction, payload) = match self {
            Self::Accepted { .. } => ("accepted", None, None),
            Self::Rejected { error, .. } => ("rejected", None, Some(("error", error))),
            Self::Progress { .. } => ("progress", None, None),
            Self::InteractionRequest { interaction, request, .. } => {
                ("interaction_request", Some(interaction), Some(("request", request)))
            }
            Self::Result { result, .. } => ("result", None, Some(("result", result))),
            Self::Failed { error, .. } => ("failed", None, Some(("error", error))),
            Self::Released { .. } => ("released", None, None),
        };
        let payload = payload.map(|(name, json)| (name, json.as_str()));
        line(kind, self.invocation(), interaction, payload)
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
        Self::read(checked(bytes)?.as_json()).ok_or(wrong)
    }

    fn read(json: Json<'_>) -> Option<Self> {
        let (kind, mut frame) = codec::variant(json)?;
        let invocation = invocation(&mut frame)?;
        let read = match kind.as_ref() {
            "call" => Self::Call { invocation, request: frame.take("request")?.into() },
            "interaction_result" => {
                let interaction = frame.take("interaction")?.unsigned()?;
                let result = frame.take("result")?.into();
                Self::InteractionResult { invocation, interaction, result }
            }
            "interaction_refused" => {
                let interaction = frame.take("interaction")?.unsigned()?;
                let code = frame.take("code")?.text()?.into();
                Self::InteractionRefused { invocation, interaction, code }
            }
            "cancel" => Self::Cancel { invocation, why: from_word(&frame.take("why")?.text()?)? },
            _ => return None,
        };
        frame.is_empty().then_some(read)
    }

    /// Writes the frame as one line of JSON, without the end of the line.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Serialising text to memory cannot fail.
        let word = |word: &str| serde_json::to_string(word).unwrap_or_default();
        let (kind, interaction, name, payload) = match self {
            Self::Call { request, .. } => ("call", None, "request", request.as_str().into()),
            Self::InteractionResult { interaction, result, .. } => {
                ("interaction_result", Some(interaction), "result", result.as_str().into())
            }
            Self::InteractionRefused { interaction, code, .. } => {
                ("interaction_refused", Some(interaction), "code", Cow::Owned(word(code)))
            }
            Self::Cancel { why, .. } => ("cancel", None, "why", Cow::Owned(word(&why.to_string()))),
        };
        line(kind, self.invocation(), interaction, Some((name, &payload)))
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

/// Writes a frame. The payload is a member that is JSON.
fn line(
    kind: &str,
    invocation: &InvocationId,
    interaction: Option<&u64>,
    payload: Option<(&str, &str)>,
) -> String {
    codec::line(|line| {
        line.nested(kind, |frame| {
            frame.text("invocation", invocation.as_str());
            if let Some(interaction) = interaction {
                frame.display("interaction", interaction);
            }
            if let Some((name, json)) = payload {
                frame.json(name, json);
            }
        });
    })
}

fn invocation(frame: &mut Object<'_>) -> Option<InvocationId> {
    InvocationId::new(&frame.take("invocation")?.text()?).ok()
}

/// Reads the invocation and the question number of a malformed frame, so that the provider can be
/// told that its question is refused.
fn asks(json: Json<'_>) -> Option<(InvocationId, u64)> {
    let mut frame = codec::object(codec::object(json)?.get("interaction_request")?)?;
    Some((invocation(&mut frame)?, frame.get("interaction")?.unsigned()?))
}

/// Checks the size of bytes, and that they are JSON.
fn checked(bytes: &[u8]) -> Result<RawJson, WireError> {
    if bytes.len() > FRAME_BYTES_MAX {
        return Err(WireError::too_large("a frame in bytes", FRAME_BYTES_MAX));
    }
    RawJson::parse_message(str::from_utf8(bytes).map_err(|_| WireError::NotUtf8)?)
}
