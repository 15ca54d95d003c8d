//! What a provider and a host say to each other: two closed sets of frames, each one JSON document.
//!
//! `docs/frames.md` shows every frame.

use alloc::{format, string::String};
use core::{fmt, str};

use thiserror::Error;

use super::{Closure, Question, exact::Exact};
use crate::{
    InvocationId,
    wire::{Object, RawJson, WireError, Writer, text},
};

/// The bytes that a frame may have: a result, an answer or a request, and what is around it.
pub const FRAME_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Is what a provider says to a host.
#[derive(Clone, PartialEq, Eq)]
pub enum ProviderFrame {
    /// It has taken the invocation, and executes it.
    Accepted {
        /// The invocation.
        invocation: InvocationId,
    },
    /// It does not take the invocation.
    Rejected {
        /// The invocation.
        invocation: InvocationId,
        /// Why.
        error: RawJson,
    },
    /// It works on the invocation.
    Progress {
        /// The invocation.
        invocation: InvocationId,
    },
    /// Somebody is to be asked for the invocation. Nothing is executed until they have answered.
    InteractionRequest {
        /// The invocation.
        invocation: InvocationId,
        /// What the provider calls the question: at least 1, and of an invocation each has a
        /// greater number than all before it.
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
        /// How.
        error: RawJson,
    },
    /// The provider lets go of the invocation. It is over.
    Released {
        /// The invocation.
        invocation: InvocationId,
    },
}

/// Says why bytes are no frame of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{error}")]
#[non_exhaustive]
pub struct FrameError {
    /// What is wrong with them.
    pub error: WireError,
    /// The question that they ask all the same, where so much can be read: its invocation, and what
    /// the provider calls it.
    pub asks: Option<(InvocationId, u64)>,
}

impl From<WireError> for FrameError {
    fn from(error: WireError) -> Self {
        Self { error, asks: None }
    }
}

/// Is what a host says to a provider.
#[derive(Clone, PartialEq, Eq)]
pub enum HostFrame {
    /// Execute this.
    Call {
        /// The invocation.
        invocation: InvocationId,
        /// What to execute.
        request: RawJson,
    },
    /// Somebody has answered.
    InteractionResult {
        /// The invocation.
        invocation: InvocationId,
        /// What the provider calls the question.
        interaction: u64,
        /// The answer: [`Response::decode`](crate::wire::Response::decode) reads it. A URL that is
        /// agreed to is an accept without content.
        result: RawJson,
    },
    /// Nobody is asked: the request breaks a rule. The invocation is as it was.
    InteractionRefused {
        /// The invocation.
        invocation: InvocationId,
        /// What the provider calls the question.
        interaction: u64,
        /// The code of the rule.
        code: String,
    },
    /// The invocation is over. Stop whatever is done for it.
    Cancel {
        /// The invocation.
        invocation: InvocationId,
        /// Why.
        why: Closure,
    },
}

/// The frames of a provider, and the members of each.
const PROVIDER_KINDS: [(&str, &[&str]); 7] = [
    ("accepted", &["invocation"]),
    ("rejected", &["invocation", "error"]),
    ("progress", &["invocation"]),
    ("interaction_request", &["invocation", "interaction", "request"]),
    ("result", &["invocation", "result"]),
    ("failed", &["invocation", "error"]),
    ("released", &["invocation"]),
];

/// The frames of a host, and the members of each.
const HOST_KINDS: [(&str, &[&str]); 4] = [
    ("call", &["invocation", "request"]),
    ("interaction_result", &["invocation", "interaction", "result"]),
    ("interaction_refused", &["invocation", "interaction", "code"]),
    ("cancel", &["invocation", "why"]),
];

const PROVIDER_SHAPE: WireError =
    WireError::Shape { what: "a frame", expected: "one that a provider sends" };
const HOST_SHAPE: WireError =
    WireError::Shape { what: "a frame", expected: "one that a host sends" };

impl ProviderFrame {
    /// Decodes the bytes of a frame.
    ///
    /// # Errors
    ///
    /// Bytes over [`FRAME_BYTES_MAX`], that are not UTF-8, nest too deep, or are not exactly a frame
    /// of a provider.
    pub fn decode(bytes: &[u8]) -> Result<Self, FrameError> {
        let json = checked(bytes)?;
        Self::read(&json).map_err(|error| FrameError { error, asks: asked(&json) })
    }

    fn read(json: &RawJson) -> Result<Self, WireError> {
        let (kind, frame) = Exact::kind(json.as_str(), &PROVIDER_KINDS, PROVIDER_SHAPE)?;
        let invocation = frame.invocation()?;
        Ok(match kind {
            "accepted" => Self::Accepted { invocation },
            "rejected" => Self::Rejected { invocation, error: frame.carried("error")? },
            "progress" => Self::Progress { invocation },
            "interaction_request" => Self::InteractionRequest {
                invocation,
                interaction: frame.number("interaction")?,
                request: frame.carried("request")?,
            },
            "result" => Self::Result { invocation, result: frame.carried("result")? },
            "failed" => Self::Failed { invocation, error: frame.carried("error")? },
            "released" => Self::Released { invocation },
            _ => return Err(PROVIDER_SHAPE),
        })
    }

    /// Writes the frame as one line of JSON, without the end of the line.
    #[must_use]
    pub fn to_json(&self) -> String {
        match self {
            Self::Accepted { invocation } => line("accepted", invocation, |_| {}),
            Self::Rejected { invocation, error } => line("rejected", invocation, |frame| {
                frame.member("error", error.as_str());
            }),
            Self::Progress { invocation } => line("progress", invocation, |_| {}),
            Self::InteractionRequest { invocation, interaction, request } => {
                line("interaction_request", invocation, |frame| {
                    frame.member("interaction", &format!("{interaction}"));
                    frame.member("request", request.as_str());
                })
            }
            Self::Result { invocation, result } => line("result", invocation, |frame| {
                frame.member("result", result.as_str());
            }),
            Self::Failed { invocation, error } => line("failed", invocation, |frame| {
                frame.member("error", error.as_str());
            }),
            Self::Released { invocation } => line("released", invocation, |_| {}),
        }
    }

    /// Asks somebody.
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
    /// Bytes over [`FRAME_BYTES_MAX`], that are not UTF-8, nest too deep, or are not exactly a frame
    /// of a host.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let json = checked(bytes)?;
        let (kind, frame) = Exact::kind(json.as_str(), &HOST_KINDS, HOST_SHAPE)?;
        let invocation = frame.invocation()?;
        Ok(match kind {
            "call" => Self::Call { invocation, request: frame.carried("request")? },
            "interaction_result" => Self::InteractionResult {
                invocation,
                interaction: frame.number("interaction")?,
                result: frame.carried("result")?,
            },
            "interaction_refused" => Self::InteractionRefused {
                invocation,
                interaction: frame.number("interaction")?,
                code: frame.text("code")?.into(),
            },
            "cancel" => {
                let why = Closure::from_code(&frame.text("why")?).ok_or(HOST_SHAPE)?;
                Self::Cancel { invocation, why }
            }
            _ => return Err(HOST_SHAPE),
        })
    }

    /// Writes the frame as one line of JSON, without the end of the line.
    #[must_use]
    pub fn to_json(&self) -> String {
        match self {
            Self::Call { invocation, request } => line("call", invocation, |frame| {
                frame.member("request", request.as_str());
            }),
            Self::InteractionResult { invocation, interaction, result } => {
                line("interaction_result", invocation, |frame| {
                    frame.member("interaction", &format!("{interaction}"));
                    frame.member("result", result.as_str());
                })
            }
            Self::InteractionRefused { invocation, interaction, code } => {
                line("interaction_refused", invocation, |frame| {
                    frame.member("interaction", &format!("{interaction}"));
                    frame.text("code", code);
                })
            }
            Self::Cancel { invocation, why } => line("cancel", invocation, |frame| {
                frame.text("why", &format!("{why}"));
            }),
        }
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

/// Reads who asks by something that is no frame, so that they can be told that nobody is asked.
fn asked(json: &RawJson) -> Option<(InvocationId, u64)> {
    let frame = Object::decode(json.as_str(), "a frame").ok()?;
    let request = Object::decode(frame.get("interaction_request")?, "a frame").ok()?;
    let invocation = InvocationId::new(&text(request.get("invocation")?)?).ok()?;
    Some((invocation, request.get("interaction")?.parse().ok()?))
}

/// Checks the size of bytes, and that they are JSON.
fn checked(bytes: &[u8]) -> Result<RawJson, WireError> {
    if bytes.len() > FRAME_BYTES_MAX {
        return Err(WireError::TooLarge { what: "a frame in bytes", max: FRAME_BYTES_MAX });
    }
    RawJson::parse_message(str::from_utf8(bytes).map_err(|_| WireError::NotUtf8)?)
}

/// Writes a frame of a kind, with the members that are its own.
fn line(kind: &str, invocation: &InvocationId, members: impl FnOnce(&mut Writer)) -> String {
    let mut frame = Writer::default();
    frame.text("invocation", invocation.as_str());
    members(&mut frame);
    let mut line = Writer::default();
    line.member(kind, &frame.end());
    line.line()
}

/// Writes which frame it is, and of what it carries the size.
impl fmt::Debug for ProviderFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted { invocation } => write!(f, "Accepted({invocation})"),
            Self::Rejected { invocation, error } => write!(f, "Rejected({invocation}, {error:?})"),
            Self::Progress { invocation } => write!(f, "Progress({invocation})"),
            Self::InteractionRequest { invocation, interaction, request } => {
                write!(f, "InteractionRequest({invocation}, {interaction}, {request:?})")
            }
            Self::Result { invocation, result } => write!(f, "Result({invocation}, {result:?})"),
            Self::Failed { invocation, error } => write!(f, "Failed({invocation}, {error:?})"),
            Self::Released { invocation } => write!(f, "Released({invocation})"),
        }
    }
}

/// Writes which frame it is, and of what it carries the size.
impl fmt::Debug for HostFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call { invocation, request } => write!(f, "Call({invocation}, {request:?})"),
            Self::InteractionResult { invocation, interaction, result } => {
                write!(f, "InteractionResult({invocation}, {interaction}, {result:?})")
            }
            Self::InteractionRefused { invocation, interaction, code } => {
                write!(f, "InteractionRefused({invocation}, {interaction}, {code})")
            }
            Self::Cancel { invocation, why } => write!(f, "Cancel({invocation}, {why})"),
        }
    }
}
