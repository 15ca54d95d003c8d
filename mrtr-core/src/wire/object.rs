//! The members of one JSON object, each once.

use alloc::{borrow::Cow, format, string::String, vec::Vec};
use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{WireError, write_text};

/// Is an object whose members are raw text, in the order of the document.
pub(crate) struct Object<'a> {
    members: Vec<(Cow<'a, str>, &'a str)>,
}

impl<'a> Object<'a> {
    /// Reads an object. `what` names it in the error.
    pub(crate) fn decode(text: &'a str, what: &'static str) -> Result<Self, WireError> {
        let object = Self::decode_repeated(text, what)?;
        if object.has_duplicates() {
            return Err(WireError::Duplicate { what });
        }
        Ok(object)
    }

    /// Reads an object that may name a member twice. Who decides on a member asks with
    /// [`Object::once`].
    pub(crate) fn decode_repeated(text: &'a str, what: &'static str) -> Result<Self, WireError> {
        if !text.trim_ascii_start().starts_with('{') {
            return Err(WireError::Shape { what, expected: "an object" });
        }
        let mut parser = serde_json::Deserializer::from_str(text);
        let members = parser.deserialize_map(Members).map_err(|error| {
            // The text has been checked, so that only a name can be at fault.
            debug_assert!(error.is_syntax());
            WireError::Shape { what, expected: "an object whose names are Unicode text" }
        })?;
        Ok(Self { members })
    }

    /// Returns the text of a member that may come once.
    pub(crate) fn once(
        &self,
        name: &str,
        what: &'static str,
    ) -> Result<Option<&'a str>, WireError> {
        let mut found = self.members.iter().filter(|(known, _)| known == name);
        match (found.next(), found.next()) {
            (first, None) => Ok(first.map(|(_, value)| *value)),
            (_, Some(_)) => Err(WireError::Duplicate { what }),
        }
    }

    fn has_duplicates(&self) -> bool {
        let mut names: Vec<&str> = self.members.iter().map(|(name, _)| name.as_ref()).collect();
        names.sort_unstable();
        names.windows(2).any(|pair| matches!(pair, [a, b] if a == b))
    }

    /// Returns the text of a member.
    pub(crate) fn get(&self, name: &str) -> Option<&'a str> {
        self.members.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// Returns the text of a member that is not null.
    pub(crate) fn non_null(&self, name: &str) -> Option<&'a str> {
        self.get(name).filter(|text| *text != "null")
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.members.iter().map(|(name, value)| (name.as_ref(), *value))
    }

    #[cfg(feature = "request-state")]
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }
}

/// Writes an object member by member.
#[derive(Default)]
pub(crate) struct Writer {
    json: String,
}

impl Writer {
    /// Adds a member whose value is JSON.
    pub(crate) fn member(&mut self, name: &str, value: &str) {
        let mut member = String::new();
        write_text(name, &mut member);
        member.push(':');
        member.push_str(value);
        self.members(&member);
    }

    /// Adds a member that is a string.
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        let mut value = String::new();
        write_text(text, &mut value);
        self.member(name, &value);
    }

    /// Adds members that are already written.
    pub(crate) fn members(&mut self, members: &str) {
        if !self.json.is_empty() && !members.is_empty() {
            self.json.push(',');
        }
        self.json.push_str(members);
    }

    /// Returns the members, without the braces around them.
    pub(crate) fn into_members(self) -> String {
        self.json
    }

    /// Returns the object.
    pub(crate) fn end(self) -> String {
        format!("{{{}}}", self.json)
    }

    /// Returns the object as one line. Where JSON in it has a line break, it has it between two
    /// tokens.
    pub(crate) fn line(self) -> String {
        let json = self.end();
        if json.contains(['\r', '\n']) { json.replace(['\r', '\n'], " ") } else { json }
    }
}

/// Reads the text of a JSON string; `None`: it is no string, or has an unpaired surrogate.
pub(crate) fn text(json: &str) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str::<String>(json).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(Cow<'de, str>, &'de str)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = Vec::new();
        while let Some(name) = members.next_key_seed(Name)? {
            found.push((name, members.next_value::<&RawValue>()?.get()));
        }
        Ok(found)
    }
}

struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<Self::Value, D::Error> {
        parser.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.into()))
    }
}
