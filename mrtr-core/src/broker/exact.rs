//! Objects of an exact shape: these members, each once, and no other. A list is none, though serde
//! would take it for one.

use alloc::borrow::Cow;

use crate::{
    InvalidId, InvocationId,
    wire::{Object, RawJson, WireError, text},
};

/// Is an object that has no member but those that it may have.
pub(super) struct Exact<'a> {
    object: Object<'a>,
    /// What is said of one that is wrong.
    wrong: WireError,
}

impl<'a> Exact<'a> {
    /// Reads an object, whose text is checked JSON.
    pub(super) fn decode(
        json: &'a str,
        names: &[&str],
        wrong: WireError,
    ) -> Result<Self, WireError> {
        let object = Object::decode(json, "an object").map_err(|_| wrong)?;
        let is_exact = object.iter().all(|(name, _)| names.contains(&name));
        if is_exact { Ok(Self { object, wrong }) } else { Err(wrong) }
    }

    /// Reads an object of one member, whose name says what the object in it is.
    pub(super) fn kind(
        json: &'a str,
        kinds: &[(&'static str, &[&str])],
        wrong: WireError,
    ) -> Result<(&'static str, Self), WireError> {
        let object = Object::decode(json, "an object").map_err(|_| wrong)?;
        let mut members = object.iter();
        let (Some((name, inner)), None) = (members.next(), members.next()) else {
            return Err(wrong);
        };
        let (kind, names) = kinds.iter().find(|(kind, _)| *kind == name).ok_or(wrong)?;
        Ok((kind, Self::decode(inner, names, wrong)?))
    }

    /// Returns the text of a member.
    pub(super) fn raw(&self, name: &str) -> Result<&'a str, WireError> {
        self.object.get(name).ok_or(self.wrong)
    }

    /// Returns the text of a member that may be absent.
    pub(super) fn optional(&self, name: &str) -> Option<&'a str> {
        self.object.get(name)
    }

    /// Returns a member that is carried as it came.
    pub(super) fn carried(&self, name: &str) -> Result<RawJson, WireError> {
        self.raw(name).map(RawJson::part)
    }

    /// Returns a member that is a string.
    pub(super) fn text(&self, name: &str) -> Result<Cow<'a, str>, WireError> {
        text(self.raw(name)?).ok_or(self.wrong)
    }

    /// Returns a member that is an unsigned integer.
    pub(super) fn number(&self, name: &str) -> Result<u64, WireError> {
        // `parse` takes a sign, and JSON does not begin a number with a plus.
        self.raw(name)?.parse().map_err(|_| self.wrong)
    }

    /// Returns a member that is a name.
    pub(super) fn id<T>(
        &self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, InvalidId>,
    ) -> Result<T, WireError> {
        read(&self.text(name)?).map_err(|_| self.wrong)
    }

    /// Returns the invocation that a frame is for.
    pub(super) fn invocation(&self) -> Result<InvocationId, WireError> {
        self.id("invocation", InvocationId::new)
    }
}
