//! The reading of objects: member by member, each name once.

use alloc::borrow::Cow;
use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{
    names::{Name, Seen},
    path::Path,
    reader::Reader,
    refuse::{Read, duplicate, found_no_object, unreadable, wrong_type},
};

/// Something that is filled by the members of a JSON object, in the order of the document.
pub(super) trait Object<'de> {
    /// Takes one member. It must read the value that is next in `members`.
    fn member<A: MapAccess<'de>>(
        &mut self,
        reader: &mut Reader<'_>,
        path: &Path<'_>,
        name: Cow<'de, str>,
        members: &mut A,
    ) -> Result<(), A::Error>;
}

/// Reads an object that the parser has passed over already. Returns false if the value is `null`,
/// and refuses any other value.
pub(super) fn read_raw<'de, O: Object<'de>>(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    raw: &'de RawValue,
    object: &mut O,
) -> Read<bool> {
    let mut parser = serde_json::Deserializer::from_str(raw.get());
    ObjectSeed { reader, path, object }
        .deserialize(&mut parser)
        .map_err(|error| reader.refusal.take().unwrap_or_else(|| unreadable(path, &error)))
}

/// A seed that reads an [`Object`]. It returns false if the value is `null`, and refuses any other
/// value.
pub(super) struct ObjectSeed<'a, 'l, O> {
    pub(super) reader: &'a mut Reader<'l>,
    pub(super) path: &'a Path<'a>,
    pub(super) object: &'a mut O,
}

impl<'de, O: Object<'de>> DeserializeSeed<'de> for ObjectSeed<'_, '_, O> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<bool, D::Error> {
        parser.deserialize_option(self)
    }
}

impl<'de, O: Object<'de>> Visitor<'de> for ObjectSeed<'_, '_, O> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_none<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_some<D: Deserializer<'de>>(self, parser: D) -> Result<bool, D::Error> {
        let Self { reader, path, object } = self;
        let mut is_object = false;
        let members = Members { reader, path, object, is_object: &mut is_object };
        match parser.deserialize_map(members) {
            Err(error) if !is_object => Err(match found_no_object(&error) {
                Some(found) => reader.stop(wrong_type(path, "an object", found)),
                None => error,
            }),
            read => read.map(|()| true),
        }
    }
}

struct Members<'a, 'l, O> {
    reader: &'a mut Reader<'l>,
    path: &'a Path<'a>,
    object: &'a mut O,
    is_object: &'a mut bool,
}

impl<'de, O: Object<'de>> Visitor<'de> for Members<'_, '_, O> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        *self.is_object = true;
        let mut seen = Seen::default();
        while let Some(Name(name)) = members.next_key()? {
            if !seen.insert(name.clone()) {
                return Err(self.reader.stop(duplicate(&self.path.member(&name))));
            }
            self.object.member(self.reader, self.path, name, &mut members)?;
        }
        Ok(())
    }
}
