//! Events as data.

use alloc::{borrow::Cow, format, string::String};

use form_model::{Content, Limits as FormLimits};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::value::RawValue;

use super::Exposed;
use crate::{
    Binding, Event, InvocationId, LegId, Reply,
    wire::{RawJson, Response, WireError},
};

/// Writes what happened, and of what it brings the size.
impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Reply { leg, reply } => {
                Shown::Reply { leg: leg_text(leg), reply: ShownReply::new(reply) }
            }
            Self::Answer { round, key, response } => {
                Shown::Answer { round: *round, key_bytes: key.len(), response: kind(response) }
            }
            Self::Failed { round, key } => Shown::Failed { round: *round, key_bytes: key.len() },
            Self::Progress { leg } => Shown::Progress { leg: leg_text(leg) },
            Self::BindingChanged(_) => Shown::BindingChanged,
            Self::ConnectionLost => Shown::ConnectionLost,
            Self::Stop => Shown::Stop,
            Self::Tick => Shown::Tick,
        }
        .serialize(serializer)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Shown {
    Reply {
        leg: String,
        #[serde(flatten)]
        reply: ShownReply,
    },
    Answer {
        round: u32,
        key_bytes: usize,
        response: &'static str,
    },
    Failed {
        round: u32,
        key_bytes: usize,
    },
    Progress {
        leg: String,
    },
    BindingChanged,
    ConnectionLost,
    Stop,
    Tick,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum ShownReply {
    ResultBytes(usize),
    ErrorBytes(usize),
    Unreadable(WireError),
}

impl ShownReply {
    fn new(reply: &Reply) -> Self {
        match reply {
            Reply::Result(result) => Self::ResultBytes(result.as_str().len()),
            Reply::Error(error) => Self::ErrorBytes(error.as_str().len()),
            Reply::Unreadable(error) => Self::Unreadable(*error),
        }
    }
}

fn leg_text(leg: &LegId) -> String {
    format!("{leg}")
}

const fn kind(response: &Response) -> &'static str {
    match response {
        Response::Accept(_) => "accept",
        Response::Consent => "consent",
        Response::Decline => "decline",
        Response::Dismiss => "dismiss",
        Response::Sampled(_) => "sampled",
        Response::Roots(_) => "roots",
    }
}

/// Is an event with all that it brings, as it is written and read.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum Data<'a> {
    Reply(ReplyData<'a>),
    Answer { round: u32, key: Cow<'a, str>, response: ResponseData<'a> },
    Failed { round: u32, key: Cow<'a, str> },
    Progress { leg: String },
    BindingChanged(Cow<'a, str>),
    ConnectionLost,
    Stop,
    Tick,
}

/// Has one of the four members beside the leg.
#[derive(Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ReplyData<'a> {
    leg: String,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    result: Option<Cow<'a, RawValue>>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    error: Option<Cow<'a, RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unreadable: Option<WireErrorData<'a>>,
    /// The text of a whole response, for traces that are written by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<Cow<'a, str>>,
}

/// Reads a member that is there, null too: a server may have sent null.
fn present<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Cow<'static, RawValue>>, D::Error> {
    alloc::boxed::Box::<RawValue>::deserialize(deserializer).map(|raw| Some(Cow::Owned(raw)))
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum ResponseData<'a> {
    Accept(Cow<'a, RawValue>),
    Consent,
    Decline,
    Dismiss,
    Sampled(Cow<'a, RawValue>),
    Roots(Cow<'a, RawValue>),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum WireErrorData<'a> {
    NotUtf8,
    NotJson,
    TooDeep { levels_max: usize },
    TooLarge { what: Cow<'a, str>, max: usize },
    Duplicate { what: Cow<'a, str> },
    Shape { what: Cow<'a, str>, expected: Cow<'a, str> },
}

fn raw(json: &RawJson) -> Option<Cow<'_, RawValue>> {
    serde_json::from_str(json.as_str()).ok().map(Cow::Borrowed)
}

impl Serialize for Exposed<&Event> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::Error as _;

        let content;
        let unwritable = || S::Error::custom("expected JSON text");
        let data = match self.0 {
            Event::Reply { leg, reply } => {
                let leg = leg_text(leg);
                Data::Reply(match reply {
                    Reply::Result(json) => {
                        ReplyData { leg, result: raw(json), ..Default::default() }
                    }
                    Reply::Error(json) => ReplyData { leg, error: raw(json), ..Default::default() },
                    Reply::Unreadable(error) => {
                        ReplyData { leg, unreadable: Some(error.into()), ..Default::default() }
                    }
                })
            }
            Event::Answer { round, key, response } => {
                let response = match response {
                    Response::Accept(answer) => {
                        content = RawJson::composed(answer.to_json());
                        ResponseData::Accept(raw(&content).ok_or_else(unwritable)?)
                    }
                    Response::Consent => ResponseData::Consent,
                    Response::Decline => ResponseData::Decline,
                    Response::Dismiss => ResponseData::Dismiss,
                    Response::Sampled(json) => {
                        ResponseData::Sampled(raw(json).ok_or_else(unwritable)?)
                    }
                    Response::Roots(json) => ResponseData::Roots(raw(json).ok_or_else(unwritable)?),
                };
                Data::Answer { round: *round, key: Cow::Borrowed(key), response }
            }
            Event::Failed { round, key } => Data::Failed { round: *round, key: Cow::Borrowed(key) },
            Event::Progress { leg } => Data::Progress { leg: leg_text(leg) },
            Event::BindingChanged(binding) => Data::BindingChanged(Cow::Borrowed(binding.as_str())),
            Event::ConnectionLost => Data::ConnectionLost,
            Event::Stop => Data::Stop,
            Event::Tick => Data::Tick,
        };
        data.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Exposed<Event> {
    /// Reads an event from JSON, with all that it brings.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let event = match Data::deserialize(deserializer)? {
            Data::Reply(reply) => reply.read().map_err(D::Error::custom)?,
            Data::Answer { round, key, response } => Event::Answer {
                round,
                key: key.into(),
                response: response.read().map_err(D::Error::custom)?,
            },
            Data::Failed { round, key } => Event::Failed { round, key: key.into() },
            Data::Progress { leg } => {
                Event::Progress { leg: leg_id(&leg).map_err(D::Error::custom)? }
            }
            Data::BindingChanged(binding) => Event::BindingChanged(Binding::new(&binding)),
            Data::ConnectionLost => Event::ConnectionLost,
            Data::Stop => Event::Stop,
            Data::Tick => Event::Tick,
        };
        Ok(Self(event))
    }
}

/// Reads `<invocation>.<number>`.
fn leg_id(text: &str) -> Result<LegId, &'static str> {
    let parts = text.rsplit_once('.').and_then(|(invocation, number)| {
        Some(LegId::new(InvocationId::new(invocation).ok()?, number.parse().ok()?))
    });
    // A leg has one id, so that 01 is no spelling of 1.
    parts.filter(|leg| leg_text(leg) == text).ok_or("expected the id of a leg, such as call-7.1")
}

fn payload(json: &RawValue) -> Result<RawJson, &'static str> {
    // What a server sent may nest as deep as a message.
    RawJson::parse_message(json.get()).map_err(|_| "expected JSON that does not nest too deep")
}

impl ReplyData<'_> {
    fn read(self) -> Result<Event, &'static str> {
        let leg = leg_id(&self.leg)?;
        let reply = match (self.result, self.error, self.unreadable, self.message) {
            (Some(result), None, None, None) => Reply::Result(payload(&result)?),
            (None, Some(error), None, None) => Reply::Error(payload(&error)?),
            (None, None, Some(error), None) => Reply::Unreadable(error.read()?),
            (None, None, None, Some(message)) => Reply::read(&leg, message.as_bytes()),
            _ => {
                return Err(
                    "expected a result, an error, unreadable or a message, and one of them",
                );
            }
        };
        Ok(Event::Reply { leg, reply })
    }
}

impl ResponseData<'_> {
    fn read(self) -> Result<Response, &'static str> {
        // The form's limits are the machine's to apply, as for an answer that comes from a screen.
        let limits = FormLimits { answer_bytes_max: usize::MAX, ..FormLimits::default() };
        Ok(match self {
            Self::Accept(content) => Response::Accept(
                Content::decode(content.get(), &limits)
                    .map_err(|_| "expected an object of answers")?,
            ),
            Self::Consent => Response::Consent,
            Self::Decline => Response::Decline,
            Self::Dismiss => Response::Dismiss,
            Self::Sampled(result) => Response::Sampled(payload(&result)?),
            Self::Roots(result) => Response::Roots(payload(&result)?),
        })
    }
}

impl<'a> From<&'a WireError> for WireErrorData<'a> {
    fn from(error: &'a WireError) -> Self {
        match error {
            WireError::NotUtf8 => Self::NotUtf8,
            WireError::NotJson => Self::NotJson,
            WireError::TooDeep { levels_max } => Self::TooDeep { levels_max: *levels_max },
            WireError::TooLarge { what, max } => {
                Self::TooLarge { what: Cow::Borrowed(what), max: *max }
            }
            WireError::Duplicate { what } => Self::Duplicate { what: Cow::Borrowed(what) },
            WireError::Shape { what, expected } => {
                Self::Shape { what: Cow::Borrowed(what), expected: Cow::Borrowed(expected) }
            }
        }
    }
}

impl Serialize for WireError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WireErrorData::from(self).serialize(serializer)
    }
}

/// The places and shapes that the error of a reply can name.
const KNOWN: [&str; 11] = [
    "the response",
    "id",
    "jsonrpc",
    "a response in bytes",
    "a string or an integer",
    "the id of the request",
    "\"2.0\"",
    "an object",
    "an object whose names are Unicode text",
    "a result or an error, and one of them",
    "a stream that ends with a response",
];

impl WireErrorData<'_> {
    fn read(self) -> Result<WireError, &'static str> {
        // An adapter may have found a problem of its own.
        let known = |text: &str| {
            KNOWN.iter().find(|known| **known == text).copied().unwrap_or("something else")
        };
        Ok(match self {
            Self::NotUtf8 => WireError::NotUtf8,
            Self::NotJson => WireError::NotJson,
            Self::TooDeep { levels_max } => WireError::TooDeep { levels_max },
            Self::TooLarge { what, max } => WireError::TooLarge { what: known(&what), max },
            Self::Duplicate { what } => WireError::Duplicate { what: known(&what) },
            Self::Shape { what, expected } => {
                WireError::Shape { what: known(&what), expected: known(&expected) }
            }
        })
    }
}

impl Exposed<Event> {
    /// Returns the event.
    #[must_use]
    pub fn into_event(self) -> Event {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exposed(event: &Event) -> String {
        serde_json::to_string(&Exposed(event)).unwrap()
    }

    /// proves: CL-23
    #[test]
    fn an_exposed_event_reads_back_as_the_same_event() {
        let leg = || leg_id("call-7.1").unwrap();
        let json = |text: &str| RawJson::parse(text).unwrap();
        let content = Content::decode(
            r#"{"a":"é","n":9007199254740993,"b":[],"c":true}"#,
            &FormLimits::default(),
        );
        let answer = |response| Event::Answer { round: 2, key: "k\"".into(), response };
        let nested = format!("{}{}", "[".repeat(126), "]".repeat(126));
        let deep = format!(r#"{{"jsonrpc":"2.0","id":"call-7.1","result":{nested}}}"#);
        let unreadable =
            |message: &[u8]| Event::Reply { leg: leg(), reply: Reply::read(&leg(), message) };
        for event in [
            Event::Reply { leg: leg(), reply: Reply::Result(json(r#"{"requestState":"\ud800"}"#)) },
            Event::Reply { leg: leg(), reply: Reply::Error(json(r#"{"code":1}"#)) },
            unreadable(b"{\"jsonrpc\":\"2.0\",\"id\":\"call-7.1\",\"result\":null}"),
            unreadable(b"{\"jsonrpc\":\"2.0\",\"id\":\"call-7.1\",\"error\":null}"),
            unreadable(deep.as_bytes()),
            unreadable(b"\xff"),
            unreadable(b"{"),
            unreadable(b"[]"),
            unreadable(b"{\"id\":1,\"id\":1}"),
            unreadable(b"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}"),
            unreadable(b"{\"jsonrpc\":\"2.0\",\"id\":[],\"result\":{}}"),
            unreadable(b"{\"jsonrpc\":\"2.0\"}"),
            unreadable(b"{\"jsonrpc\":2}"),
            unreadable("[".repeat(200).as_bytes()),
            answer(Response::Accept(content.unwrap())),
            // What a call with other limits takes. Its trace knows nothing of them.
            answer(Response::Accept(Content::new().with_text("a", "x".repeat(1_000_000)))),
            answer(Response::Consent),
            answer(Response::Decline),
            answer(Response::Dismiss),
            answer(Response::Sampled(json(r#"{"role":"assistant"}"#))),
            answer(Response::Roots(json(r#"{"roots":[]}"#))),
            Event::Failed { round: 1, key: String::new() },
            Event::Progress { leg: leg() },
            Event::BindingChanged(Binding::new("server-2")),
            Event::ConnectionLost,
            Event::Stop,
            Event::Tick,
        ] {
            let text = exposed(&event);
            let read: Exposed<Event> = serde_json::from_str(&text).unwrap();
            assert_eq!(read.0, event, "{text}");
        }
    }

    /// proves: CL-23
    #[test]
    fn an_event_as_it_is_tells_what_kind_of_answer_came() {
        let json = |text: &str| RawJson::parse(text).unwrap();
        for (response, kind) in [
            (Response::Accept(Content::new()), "accept"),
            (Response::Consent, "consent"),
            (Response::Decline, "decline"),
            (Response::Dismiss, "dismiss"),
            (Response::Sampled(json("{}")), "sampled"),
            (Response::Roots(json("{}")), "roots"),
        ] {
            let event = Event::Answer { round: 1, key: "k".into(), response };
            let shown = serde_json::to_string(&event).unwrap();
            assert_eq!(
                shown,
                format!(r#"{{"answer":{{"round":1,"keyBytes":1,"response":"{kind}"}}}}"#)
            );
        }
    }

    /// proves: CL-20, CL-23
    #[test]
    fn an_event_as_it_is_shows_nothing_that_anybody_said() {
        let hidden = RawJson::parse(r#"{"requestState":"SENTINEL"}"#).unwrap();
        let leg = leg_id("call-7.1").unwrap();
        for event in [
            Event::Reply { leg, reply: Reply::Result(hidden.clone()) },
            Event::Answer {
                round: 1,
                key: "SENTINEL".into(),
                response: Response::Accept(Content::new().with_text("SENTINEL", "SENTINEL")),
            },
            Event::Answer { round: 1, key: String::new(), response: Response::Sampled(hidden) },
            Event::Failed { round: 1, key: "SENTINEL".into() },
            Event::BindingChanged(Binding::new("SENTINEL")),
        ] {
            let shown = serde_json::to_string(&event).unwrap();
            assert!(!shown.contains("SENTINEL"), "{shown}");
            let exposed = exposed(&event);
            let is_secret = exposed.contains("SENTINEL");
            assert!(is_secret, "{exposed}");
        }
    }
}
