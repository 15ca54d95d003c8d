//! JSON objects: read member by member, written by one writer.

use alloc::{borrow::Cow, string::String, vec::Vec};
use core::fmt::{self, Display, Write as _};

use serde::{
    Deserialize,
    de::{Deserializer as _, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{Json, RawJson, WireError};

/// The members of an object, in the order of the document.
#[derive(Default)]
pub(crate) struct Object<'a> {
    members: Vec<(Cow<'a, str>, Json<'a>)>,
}

impl<'a> Object<'a> {
    /// Reads an object without duplicate members. `what` names the object in the error.
    pub(crate) fn decode(json: Json<'a>, what: &'static str) -> Result<Self, WireError> {
        let object = Self::decode_repeated(json, what)?;
        let is_repeated = has_duplicates(object.iter().map(|(name, _)| name));
        if is_repeated { Err(WireError::duplicate(what)) } else { Ok(object) }
    }

    /// Reads an object that may have duplicate members. [`Object::once`] reads a member that must
    /// be unique.
    pub(crate) fn decode_repeated(json: Json<'a>, what: &'static str) -> Result<Self, WireError> {
        if !json.is_object() {
            return Err(WireError::shape(what, "an object"));
        }
        let mut parser = serde_json::Deserializer::from_str(json.0);
        let members = parser.deserialize_map(Members).map_err(|error| {
            // The text was validated, so only a name can be at fault.
            debug_assert!(error.is_syntax());
            WireError::shape(what, "an object whose names are Unicode text")
        })?;
        Ok(Self { members })
    }

    /// Returns a member that must be unique.
    pub(crate) fn once(
        &self,
        name: &str,
        what: &'static str,
    ) -> Result<Option<Json<'a>>, WireError> {
        let mut found = self.members.iter().filter(|(known, _)| known == name);
        match (found.next(), found.next()) {
            (first, None) => Ok(first.map(|(_, value)| *value)),
            (_, Some(_)) => Err(WireError::duplicate(what)),
        }
    }

    /// Returns a member.
    pub(crate) fn get(&self, name: &str) -> Option<Json<'a>> {
        self.members.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// Returns a member unless it is null.
    pub(crate) fn non_null(&self, name: &str) -> Option<Json<'a>> {
        self.get(name).filter(|json| !json.is_null())
    }

    /// Returns a member that must be a string.
    pub(crate) fn text(&self, name: &'static str) -> Result<Cow<'a, str>, WireError> {
        self.get(name).and_then(Json::text).ok_or(WireError::shape(name, "a string"))
    }

    /// Returns the members.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Json<'a>)> {
        self.members.iter().map(|(name, value)| (name.as_ref(), *value))
    }
}

/// Returns whether a name comes twice.
pub(crate) fn has_duplicates<T: Ord>(names: impl Iterator<Item = T>) -> bool {
    let mut names: Vec<T> = names.collect();
    names.sort_unstable();
    names.windows(2).any(|pair| matches!(pair, [a, b] if a == b))
}

/// Reads the members of an object.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(Cow<'de, str>, Json<'de>)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = Vec::new();
        while let Some(Name(name)) = members.next_key()? {
            found.push((name, Json(members.next_value::<&RawValue>()?.get())));
        }
        Ok(found)
    }
}

/// The name of a member. It is borrowed if it has no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The one writer of JSON objects. Members are written in the order of the calls.
#[derive(Default)]
pub(crate) struct Writer {
    members: String,
}

impl Writer {
    /// Writes an object.
    pub(crate) fn object(write: impl FnOnce(&mut Self)) -> String {
        let mut writer = Self::default();
        write(&mut writer);
        writer.end()
    }

    /// Adds a member whose value is JSON.
    pub(crate) fn json(&mut self, name: &str, json: &str) {
        self.name(name);
        self.members.push_str(json);
    }

    /// Adds a member that is a string.
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        write_text(text, &mut self.members);
    }

    /// Adds a member whose value is written as JSON by `Display`: a number or a truth value.
    pub(crate) fn display(&mut self, name: &str, value: impl Display) {
        self.name(name);
        // Writing to memory cannot fail.
        let _ = write!(self.members, "{value}");
    }

    /// Adds a member that is an object.
    pub(crate) fn nested(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        let nested = Self::object(write);
        self.json(name, &nested);
    }

    /// Adds all members of an object that was read.
    pub(crate) fn all<'a>(&mut self, members: impl IntoIterator<Item = (&'a str, Json<'a>)>) {
        for (name, value) in members {
            self.json(name, value.0);
        }
    }

    fn name(&mut self, name: &str) {
        if !self.members.is_empty() {
            self.members.push(',');
        }
        write_text(name, &mut self.members);
        self.members.push(':');
    }

    /// Returns the members, without the braces around them.
    pub(crate) fn into_members(self) -> String {
        self.members
    }

    /// Returns the object.
    pub(crate) fn end(self) -> String {
        alloc::format!("{{{}}}", self.members)
    }
}

/// Adds members to the end of an object.
pub(crate) fn with_members(object: Json<'_>, members: &str) -> RawJson {
    let open = object.0.strip_suffix('}').unwrap_or_default();
    let comma = if members.is_empty() || open.trim_ascii_end() == "{" { "" } else { "," };
    RawJson::composed(alloc::format!("{open}{comma}{members}}}"))
}

/// Puts a document on one line. In validated JSON, a line break is always between two tokens.
pub(crate) fn on_one_line(json: String) -> String {
    if json.contains(['\r', '\n']) { json.replace(['\r', '\n'], " ") } else { json }
}

/// Writes a text as a JSON string.
fn write_text(text: &str, json: &mut String) {
    // Serialising a string to memory cannot fail.
    json.push_str(&serde_json::to_string(text).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_added_to_any_object() {
        for (object, expected) in [
            ("{}", r#"{"b":2}"#),
            ("{ }", r#"{ "b":2}"#),
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#),
            (r#"{"a":{} }"#, r#"{"a":{} ,"b":2}"#),
        ] {
            let json = Json::parse(object).unwrap();
            assert_eq!(with_members(json, r#""b":2"#).as_str(), expected);
            assert_eq!(with_members(json, "").as_str(), object);
        }
    }
}
