//! Events as data.

use alloc::{borrow::Cow, boxed::Box, string::String};

use form_model::Content;
use serde::{Deserialize, Deserializer, Serializer, de::Error as _};
use serde_json::value::RawValue;

use super::value::{In, View, Viewed};
use crate::{
    client::{Binding, Event, Reply},
    codec::{Strict, present, strict},
    id::LegId,
    wire::{InputResponse, RawJson, WireError, on_one_line, part_of_message},
};

impl Viewed for Event {
    fn write<S: Serializer>(&self, view: View, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Reply { leg, reply } => {
                let members = view.variant(to, "reply", 2)?.with("leg", leg)?;
                match reply {
                    Reply::Result(json) => members.json(["result", "resultBytes"], json)?,
                    Reply::Error(json) => members.json(["error", "errorBytes"], json)?,
                    Reply::Unreadable(error) => members.with("unreadable", error)?,
                }
                .end()
            }
            Self::Answer { round, key, response } => {
                let members = view.variant(to, "answer", 3)?.with("round", round)?;
                let members = members.text(["key", "keyBytes"], key)?;
                members.with("response", &In(view, response))?.end()
            }
            Self::Failed { round, key } => {
                let members = view.variant(to, "failed", 2)?.with("round", round)?;
                members.text(["key", "keyBytes"], key)?.end()
            }
            Self::Progress { leg } => view.variant(to, "progress", 1)?.with("leg", leg)?.end(),
            Self::BindingChanged(binding) if view == View::Everything => {
                to.serialize_newtype_variant("", 0, "bindingChanged", binding.as_str())
            }
            Self::BindingChanged(_) => to.serialize_str("bindingChanged"),
            Self::ConnectionLost => to.serialize_str("connectionLost"),
            Self::Stop => to.serialize_str("stop"),
            Self::Tick => to.serialize_str("tick"),
        }
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
