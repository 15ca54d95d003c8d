//! How an object is read: member by member, each name once.

use alloc::{borrow::Cow, collections::BTreeSet, vec::Vec};
use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{
    path::Path,
    reader::{Leaf, Name, Read, Reader, duplicate, unreadable, wrong_type},
};

/// Is filled by the members of a JSON object, in the order of the document.
pub(super) trait Object<'de> {
    /// Takes one member: it must read the value that is next in `members`.
    fn member<A: MapAccess<'de>>(
        &mut self,
        reader: &mut Reader<'_>,
        path: &Path<'_>,
        name: Cow<'de, str>,
        members: &mut A,
    ) -> Result<(), A::Error>;
}

/// Remembers names. Few are compared one by one, many are sorted.
#[derive(Default)]
pub(super) struct Seen<'de> {
    few: Vec<Cow<'de, str>>,
    many: BTreeSet<Cow<'de, str>>,
}

impl<'de> Seen<'de> {
    const FEW: usize = 16;

    /// Adds a name. False: it was there.
    pub(super) fn insert(&mut self, name: Cow<'de, str>) -> bool {
        if !self.many.is_empty() {
            return self.many.insert(name);
        }
        if self.few.contains(&name) {
            return false;
        }
        self.few.push(name);
        if self.few.len() > Self::FEW {
            self.many.extend(self.few.drain(..));
        }
        true
    }
}

/// Reads an object into an [`Object`]. The value tells whether there was one: null is none, and
/// anything else is refused.
pub(super) struct Into<'a, 'l, O> {
    pub(super) reader: &'a mut Reader<'l>,
    pub(super) path: &'a Path<'a>,
    pub(super) object: &'a mut O,
}

/// Reads an object that the parser has already passed over.
pub(super) fn read_raw<'de, O: Object<'de>>(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    raw: &'de RawValue,
    object: &mut O,
) -> Read<bool> {
    let mut parser = serde_json::Deserializer::from_str(raw.get());
    Into { reader, path, object }
        .deserialize(&mut parser)
        .map_err(|error| reader.refusal.take().unwrap_or_else(|| unreadable(path, &error)))
}

impl<O> Into<'_, '_, O> {
    fn refuse<E: serde::de::Error>(self, found: &Leaf<'_>) -> Result<bool, E> {
        Err(self.reader.stop(wrong_type(self.path, "an object", found)))
    }
}

impl<'de, O: Object<'de>> DeserializeSeed<'de> for Into<'_, '_, O> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<bool, D::Error> {
        parser.deserialize_any(self)
    }
}

impl<'de, O: Object<'de>> Visitor<'de> for Into<'_, '_, O> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<bool, A::Error> {
        let mut seen = Seen::default();
        while let Some(name) = members.next_key_seed(Name)? {
            if !seen.insert(name.clone()) {
                return Err(self.reader.stop(duplicate(&self.path.member(&name))));
            }
            self.object.member(self.reader, self.path, name, &mut members)?;
        }
        Ok(true)
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_bool<E: serde::de::Error>(self, _: bool) -> Result<bool, E> {
        self.refuse(&Leaf::Flag)
    }

    fn visit_i64<E: serde::de::Error>(self, _: i64) -> Result<bool, E> {
        self.refuse(&Leaf::Number(""))
    }

    fn visit_u64<E: serde::de::Error>(self, _: u64) -> Result<bool, E> {
        self.refuse(&Leaf::Number(""))
    }

    fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<bool, E> {
        self.refuse(&Leaf::Number(""))
    }

    fn visit_str<E: serde::de::Error>(self, _: &str) -> Result<bool, E> {
        self.refuse(&Leaf::Text("".into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<bool, A::Error> {
        self.refuse(&Leaf::Array)
    }
}
