//! Structs that are read from JSON objects only.

use serde::{Deserializer, de::Visitor, forward_to_deserialize_any};

/// A deserializer that reads a struct from an object only. serde's derive would accept an array
/// too.
pub(crate) struct Objects<D>(pub(crate) D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Objects<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Implements serde's traits for structs that are derived with `remote = "Self"`, and reads them
/// from objects only.
macro_rules! from_objects {
    ($($name:ident $(<$life:lifetime>)?,)*) => {$(
        impl$(<$life>)? serde::Serialize for $name$(<$life>)? {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                Self::serialize(self, serializer)
            }
        }

        impl<'de $(, $life)?> serde::Deserialize<'de> for $name$(<$life>)? {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::deserialize($crate::objects::Objects(deserializer))
            }
        }
    )*};
}
pub(crate) use from_objects;
