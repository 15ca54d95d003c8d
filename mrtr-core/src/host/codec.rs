//! The codec of frames, records and questions. Their objects have no unknown members: each member is
//! taken, and then none is left.

use alloc::{borrow::Cow, string::String};

use crate::wire::{Json, Object, Writer, on_one_line};

/// Reads an object.
pub(super) fn object(json: Json<'_>) -> Option<Object<'_>> {
    Object::decode(json, "").ok()
}

/// Reads an object with one member: a name, and an object under it.
pub(super) fn variant(json: Json<'_>) -> Option<(Cow<'_, str>, Object<'_>)> {
    let mut outer = object(json)?;
    let (name, inner) = outer.pop()?;
    if outer.is_empty() { Some((name, object(inner)?)) } else { None }
}

/// Writes an object as one line of JSON.
pub(super) fn line(write: impl FnOnce(&mut Writer)) -> String {
    on_one_line(Writer::object(write))
}
