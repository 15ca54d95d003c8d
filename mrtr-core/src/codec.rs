//! Helpers for serde. They reject input that serde's derive would accept.

use alloc::borrow::Cow;
use core::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{
        DeserializeOwned, Error, IntoDeserializer as _, MapAccess, Visitor,
        value::{self, MapAccessDeserializer, StrDeserializer},
    },
};

/// A struct or an enum that is read from an object, or from a string if it is an enum. Arrays are
/// rejected; serde's derive would accept them in place of a struct.
#[derive(Default, Serialize)]
#[serde(transparent)]
pub(crate) struct Strict<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Strict<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        strict(deserializer).map(Self)
    }
}

/// Reads a value as [`Strict`] does.
pub(crate) fn strict<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_any(Shape(PhantomData))
}

struct Shape<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Shape<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
        // An enum that is read from a map reads the fields of its variant as an object, too.
        T::deserialize(MapAccessDeserializer::new(members))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::deserialize(StrDeserializer::new(text))
    }
}

/// Reads an enum without fields from a string. An object such as `{"stopped":null}` is rejected;
/// serde's derive would accept it.
pub(crate) fn word<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: DeserializeOwned,
    D: Deserializer<'de>,
{
    T::deserialize(Cow::<str>::deserialize(deserializer)?.as_ref().into_deserializer())
}

/// Reads a member that may be absent. Null is a value; serde's derive would read it as an absent
/// member.
pub(crate) fn present<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Reads a unit enum from the word that serde writes for it.
pub(crate) fn from_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    T::deserialize(StrDeserializer::<value::Error>::new(word)).ok()
}
