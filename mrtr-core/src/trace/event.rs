//! Events as data.

use alloc::{borrow::Cow, boxed::Box, string::String};

use form_model::Content;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::value::RawValue;

use super::value::{In, Member, View, Viewed};
use crate::{
    client::{Binding, Event, Reply},
    codec::{Strict, present, strict},
    id::LegId,
    wire::{InputResponse, RawJson, WireError, on_one_line, part_of_message},
};

/// An event as it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Data<'a> {
    Reply {
        leg: &'a LegId,
        #[serde(flatten)]
        reply: Came<'a>,
    },
    Answer {
        round: u32,
        #[serde(flatten)]
        key: Member<'a>,
        response: In<'a, InputResponse>,
    },
    Failed {
        round: u32,
        #[serde(flatten)]
        key: Member<'a>,
    },
    Progress {
        leg: &'a LegId,
    },
    BindingChanged(&'a str),
    #[serde(rename = "bindingChanged")]
    HiddenBinding,
    ConnectionLost,
    Stop,
    Tick,
}

/// The reply to a leg as it is written.
#[derive(Serialize)]
#[serde(untagged)]
enum Came<'a> {
    Json(Member<'a>),
    Unreadable { unreadable: &'a WireError },
}

impl Viewed for Event {
    fn write<S: Serializer>(&self, view: View, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Reply { leg, reply: Reply::Result(json) } => {
                Data::Reply { leg, reply: Came::Json(Member::json(view, "result", json)) }
            }
            Self::Reply { leg, reply: Reply::Error(json) } => {
                Data::Reply { leg, reply: Came::Json(Member::json(view, "error", json)) }
            }
            Self::Reply { leg, reply: Reply::Unreadable(unreadable) } => {
                Data::Reply { leg, reply: Came::Unreadable { unreadable } }
            }
            Self::Answer { round, key, response } => Data::Answer {
                round: *round,
                key: Member::text(view, "key", key),
                response: In(view, response),
            },
            Self::Failed { round, key } => {
                Data::Failed { round: *round, key: Member::text(view, "key", key) }
            }
            Self::Progress { leg } => Data::Progress { leg },
            Self::BindingChanged(binding) => match view {
                View::Sizes => Data::HiddenBinding,
                View::Everything => Data::BindingChanged(binding.as_str()),
            },
            Self::ConnectionLost => Data::ConnectionLost,
            Self::Stop => Data::Stop,
            Self::Tick => Data::Tick,
        }
        .serialize(serializer)
    }
}

/// An event as it is read.
#[derive(Deserialize)]
#[serde(remote = "Event", rename_all = "camelCase", deny_unknown_fields)]
enum EventData {
    #[serde(deserialize_with = "reply")]
    Reply {
        leg: LegId,
        reply: Reply,
    },
    Answer {
        round: u32,
        key: String,
        #[serde(deserialize_with = "ResponseData::deserialize")]
        response: InputResponse,
    },
    Failed {
        round: u32,
        key: String,
    },
    Progress {
        #[serde(deserialize_with = "leg")]
        leg: LegId,
    },
    #[serde(deserialize_with = "binding")]
    BindingChanged(Binding),
    ConnectionLost,
    Stop,
    Tick,
}

/// A response as it is read.
#[derive(Deserialize)]
#[serde(remote = "InputResponse", rename_all = "camelCase")]
enum ResponseData {
    Accept(#[serde(deserialize_with = "content")] Content),
    Consent,
    Decline,
    Cancel,
    Sampled(#[serde(deserialize_with = "part_of_message")] RawJson),
    Roots(#[serde(deserialize_with = "part_of_message")] RawJson),
}

/// A part of the server's message. It may nest deeper than a caller's own JSON.
#[derive(Deserialize)]
#[serde(transparent)]
struct Part(#[serde(deserialize_with = "part_of_message")] RawJson);

/// A reply as it is read: the leg, and one of the four other members.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplyData<'a> {
    #[serde(deserialize_with = "leg")]
    leg: LegId,
    #[serde(default, deserialize_with = "present")]
    result: Option<Part>,
    #[serde(default, deserialize_with = "present")]
    error: Option<Part>,
    #[serde(default, deserialize_with = "present")]
    unreadable: Option<Strict<WireError>>,
    /// The text of a whole response, for traces that are written by hand.
    #[serde(borrow, default, deserialize_with = "present")]
    message: Option<Cow<'a, str>>,
}

pub(super) const NO_LEG: &str = "the id of a leg that is not one such as call-7.1";
pub(super) const NO_REPLY: &str =
    "a reply that has not one of result, error, unreadable and message";
pub(super) const NO_CONTENT: &str = "content that is not an object with each answer once";

/// An event that was read.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Read(#[serde(deserialize_with = "EventData::deserialize")] pub(super) Event);

fn reply<'de, D: Deserializer<'de>>(from: D) -> Result<(LegId, Reply), D::Error> {
    let ReplyData { leg, result, error, unreadable, message } = strict(from)?;
    let reply = match (result, error, unreadable, message) {
        (Some(result), None, None, None) => Reply::Result(result.0),
        (None, Some(error), None, None) => Reply::Error(error.0),
        (None, None, Some(Strict(error)), None) => Reply::Unreadable(error),
        (None, None, None, Some(message)) => Reply::read(&leg, flat(&message).as_bytes()),
        _ => return Err(D::Error::custom(NO_REPLY)),
    };
    Ok((leg, reply))
}

fn leg<'de, D: Deserializer<'de>>(from: D) -> Result<LegId, D::Error> {
    let text = Cow::<str>::deserialize(from)?;
    LegId::parse(&text).ok_or_else(|| D::Error::custom(NO_LEG))
}

fn binding<'de, D: Deserializer<'de>>(from: D) -> Result<Binding, D::Error> {
    Cow::<str>::deserialize(from).map(|binding| Binding::new(&binding))
}

fn content<'de, D: Deserializer<'de>>(from: D) -> Result<Content, D::Error> {
    // The machine applies the limits of its forms, as to an answer from a screen.
    let limits = form_model::Limits::default().answer_bytes_max(usize::MAX);
    let json = Box::<RawValue>::deserialize(from)?;
    Content::decode_exact(json.get(), &limits).map_err(|_| D::Error::custom(NO_CONTENT))
}

/// Puts JSON on one line. Other text stays as it is.
pub(super) fn flat(text: &str) -> String {
    let is_json = serde_json::from_str::<&RawValue>(text).is_ok();
    if is_json { on_one_line(text.into()) } else { text.into() }
}
