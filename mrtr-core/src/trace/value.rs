//! The two views, and the parts of events and actions as data.

use alloc::format;

use form_model::{Answer, Content, Form};
use serde::{
    Serialize, Serializer,
    ser::{Error as _, SerializeMap},
};
use serde_json::value::RawValue;

use super::{Exposed, Redacted};
use crate::wire::{Elicitation, InputRequest, InputResponse, RawJson};

/// How much of a value is written.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum View {
    /// Its kind and its size.
    Sizes,
    /// The whole value.
    Everything,
}

/// A value that has both views.
pub(crate) trait Viewed {
    fn write<S: Serializer>(&self, view: View, serializer: S) -> Result<S::Ok, S::Error>;
}

impl<T: Viewed> Serialize for Redacted<&T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(View::Sizes, serializer)
    }
}

impl<T: Viewed> Serialize for Exposed<&T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(View::Everything, serializer)
    }
}

/// A value in a view.
pub(super) struct In<'a, T>(pub(super) View, pub(super) &'a T);

impl<T: Viewed> Serialize for In<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.1.write(self.0, serializer)
    }
}

/// Writes JSON text unchanged, or its size.
fn write_json<S: Serializer>(json: &str, view: View, to: S) -> Result<S::Ok, S::Error> {
    match view {
        View::Sizes => Bytes { bytes: json.len() }.serialize(to),
        View::Everything => {
            serde_json::from_str::<&RawValue>(json).map_err(S::Error::custom)?.serialize(to)
        }
    }
}

#[derive(Serialize)]
struct Bytes {
    bytes: usize,
}

impl Viewed for RawJson {
    fn write<S: Serializer>(&self, view: View, serializer: S) -> Result<S::Ok, S::Error> {
        write_json(self.as_str(), view, serializer)
    }
}

impl Viewed for Content {
    fn write<S: Serializer>(&self, view: View, serializer: S) -> Result<S::Ok, S::Error> {
        write_json(&self.to_json(), view, serializer)
    }
}

impl Viewed for Answer {
    fn write<S: Serializer>(&self, view: View, serializer: S) -> Result<S::Ok, S::Error> {
        write_json(&self.to_json(), view, serializer)
    }
}

impl<C: Viewed> Viewed for InputResponse<C> {
    fn write<S: Serializer>(&self, view: View, serializer: S) -> Result<S::Ok, S::Error> {
        let (name, kind) = ("InputResponse", self.kind());
        match self {
            _ if view == View::Sizes => serializer.serialize_str(kind),
            Self::Accept(content) => {
                serializer.serialize_newtype_variant(name, 0, kind, &In(view, content))
            }
            Self::Sampled(json) | Self::Roots(json) => {
                serializer.serialize_newtype_variant(name, 0, kind, &In(view, json))
            }
            Self::Consent | Self::Decline | Self::Cancel => serializer.serialize_str(kind),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Asked<'a> {
    Kind(&'static str),
    Form {
        message: &'a str,
        form: &'a Form,
    },
    Url {
        message: &'a str,
        url: &'a str,
        host: &'a str,
        is_https: bool,
        is_punycode: bool,
        is_mixed_script: bool,
        has_userinfo: bool,
    },
    Sampling {
        params: Exposed<&'a RawJson>,
    },
    Roots {},
}

impl Viewed for InputRequest {
    fn write<S: Serializer>(&self, view: View, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            _ if view == View::Sizes => Asked::Kind(self.kind()),
            Self::Elicitation(Elicitation::Form(request)) => {
                Asked::Form { message: request.message.raw(), form: &request.form }
            }
            Self::Elicitation(Elicitation::Url(request)) => Asked::Url {
                message: request.message.raw(),
                url: &request.url,
                host: request.host.raw(),
                is_https: request.is_https,
                is_punycode: request.is_punycode,
                is_mixed_script: request.is_mixed_script,
                has_userinfo: request.has_userinfo,
            },
            Self::Sampling(request) => Asked::Sampling { params: Exposed(request.params()) },
            Self::Roots => Asked::Roots {},
        }
        .serialize(serializer)
    }
}

/// A flattened member that may be secret: `name` with its value, or `nameBytes` with its size.
pub(super) struct Member<'a> {
    view: View,
    name: &'static str,
    value: Value<'a>,
}

enum Value<'a> {
    Text(&'a str),
    Json(&'a RawJson),
}

impl<'a> Member<'a> {
    pub(super) const fn text(view: View, name: &'static str, text: &'a str) -> Self {
        Self { view, name, value: Value::Text(text) }
    }

    pub(super) const fn json(view: View, name: &'static str, json: &'a RawJson) -> Self {
        Self { view, name, value: Value::Json(json) }
    }
}

impl Serialize for Member<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut member = serializer.serialize_map(Some(1))?;
        match (self.view, &self.value) {
            (View::Everything, Value::Text(text)) => member.serialize_entry(self.name, text)?,
            (View::Everything, Value::Json(json)) => {
                member.serialize_entry(self.name, &Exposed(*json))?;
            }
            (View::Sizes, value) => {
                member.serialize_entry(&format!("{}Bytes", self.name), &value.len())?;
            }
        }
        member.end()
    }
}

impl Value<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Json(json) => json.as_str().len(),
        }
    }
}
