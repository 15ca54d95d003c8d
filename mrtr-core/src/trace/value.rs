//! The two views, and the parts of events and actions as data.

use form_model::{Answer, Content, Form};
use serde::{
    Serialize, Serializer,
    ser::{Error as _, SerializeStructVariant},
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
        View::Sizes => to.collect_map([("bytes", json.len())]),
        View::Everything => {
            serde_json::from_str::<&RawValue>(json).map_err(S::Error::custom)?.serialize(to)
        }
    }
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

/// A request as it is written, under its name.
#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(super) enum Asked<'a> {
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

/// Returns a request in a view, and the name of the member that has it.
pub(super) fn asked(request: &InputRequest, view: View) -> (&'static str, Asked<'_>) {
    let kind = request.kind();
    let asked = match request {
        _ if view == View::Sizes => return ("kind", Asked::Kind(kind)),
        InputRequest::Elicitation(Elicitation::Form(request)) => {
            Asked::Form { message: request.message.raw(), form: &request.form }
        }
        InputRequest::Elicitation(Elicitation::Url(request)) => Asked::Url {
            message: request.message.raw(),
            url: &request.url,
            host: request.host.raw(),
            is_https: request.is_https,
            is_punycode: request.is_punycode,
            is_mixed_script: request.is_mixed_script,
            has_userinfo: request.has_userinfo,
        },
        InputRequest::Sampling(request) => Asked::Sampling { params: Exposed(request.params()) },
        InputRequest::Roots => Asked::Roots {},
    };
    (kind, asked)
}

impl Viewed for InputRequest {
    fn write<S: Serializer>(&self, view: View, serializer: S) -> Result<S::Ok, S::Error> {
        let (name, asked) = asked(self, view);
        serializer.collect_map([(name, asked)])
    }
}

/// The members of a variant that is being written.
pub(super) struct Members<V> {
    view: View,
    variant: V,
}

impl View {
    /// Begins a variant with this number of members.
    pub(super) fn variant<S: Serializer>(
        self,
        to: S,
        name: &'static str,
        members: usize,
    ) -> Result<Members<S::SerializeStructVariant>, S::Error> {
        let variant = to.serialize_struct_variant("", 0, name, members)?;
        Ok(Members { view: self, variant })
    }
}

impl<V: SerializeStructVariant> Members<V> {
    /// Writes a member.
    pub(super) fn with<T>(mut self, name: &'static str, value: &T) -> Result<Self, V::Error>
    where
        T: Serialize + ?Sized,
    {
        self.variant.serialize_field(name, value)?;
        Ok(self)
    }

    /// Writes a text that may be secret. It has a name for the text, and one for its size.
    pub(super) fn text(self, names: [&'static str; 2], text: &str) -> Result<Self, V::Error> {
        self.hidden(names, text, text.len())
    }

    /// Writes JSON that may be secret. It has a name for the JSON, and one for its size.
    pub(super) fn json(self, names: [&'static str; 2], json: &RawJson) -> Result<Self, V::Error> {
        self.hidden(names, &Exposed(json), json.as_str().len())
    }

    fn hidden<T>(self, names: [&'static str; 2], value: &T, bytes: usize) -> Result<Self, V::Error>
    where
        T: Serialize + ?Sized,
    {
        let [name, size] = names;
        match self.view {
            View::Sizes => self.with(size, &bytes),
            View::Everything => self.with(name, value),
        }
    }

    pub(super) fn end(self) -> Result<V::Ok, V::Error> {
        self.variant.end()
    }
}
