//! The outermost object of a schema.

use alloc::{borrow::Cow, format, vec::Vec};

use serde::de::{DeserializeSeed, MapAccess};
use serde_json::value::RawValue;

use super::{
    judge,
    keywords::Keywords,
    leaf::{TYPES_MAX, elements, leaf, text},
    object::{Object, ObjectSeed},
    path::Path,
    reader::Reader,
    refuse::{Read, outside, over_limit, refusal, unsatisfiable, wrong_type},
};
use crate::{
    Field, Form, NoteCode, RefusalCode, SafeText, shortest::EMPTY_BYTES, warn::any_look_alike,
};

/// The members of the root.
#[derive(Default)]
struct Root<'de> {
    title: Option<SafeText>,
    description: Option<SafeText>,
    has_type: bool,
    fields: Option<Vec<Field>>,
    required: Vec<Cow<'de, str>>,
    /// The number of members outside the subset.
    unknown: usize,
}

/// Reads the form of a whole schema.
pub(super) fn read<'de>(
    reader: &mut Reader<'_>,
    parser: &mut serde_json::Deserializer<serde_json::de::StrRead<'de>>,
) -> Result<Form, serde_json::Error> {
    let mut root = Root::default();
    let seed = ObjectSeed { reader, path: &Path::Root, object: &mut root };
    if !seed.deserialize(parser)? {
        return Err(reader.stop(wrong_type(&Path::Root, "an object", "null")));
    }
    finish(reader, root).map_err(|refusal| reader.stop(refusal))
}

/// Makes the form of the root's members.
fn finish(reader: &mut Reader<'_>, root: Root<'_>) -> Read<Form> {
    let properties = Path::Root.member("properties");
    let mut fields = match root.fields {
        Some(fields) => fields,
        None if root.has_type => {
            reader.note(NoteCode::InferredProperties, &properties)?;
            Vec::new()
        }
        None => return Err(outside(&Path::Root, "expected type and properties, found neither")),
    };
    if !root.has_type {
        reader.note(NoteCode::InferredType, &Path::Root.member("type"))?;
    }
    let required = Path::Root.member("required");
    for (index, name) in root.required.iter().enumerate() {
        let Some(field) = fields.iter_mut().find(|field| field.name == *name) else {
            let message = "expected the name of a property, found a name that is not in properties";
            return Err(unsatisfiable(&required.element(index), message));
        };
        field.required = true;
    }
    check_room(reader, &properties, &fields)?;
    if any_look_alike(fields.iter().map(Field::label)) {
        reader.note(NoteCode::WarnAmbiguousLabels, &properties)?;
    }
    Ok(Form::new(root.title, root.description, fields))
}

/// Checks that the shortest answer with all required fields is within the limit of its bytes, also
/// if any one optional field is added.
fn check_room(reader: &Reader<'_>, properties: &Path<'_>, fields: &[Field]) -> Read<()> {
    let bytes_max = reader.limits.answer_bytes_max;
    let fits = |bytes: usize, path: &Path<'_>, expected: &str| {
        if bytes <= bytes_max {
            return Ok(bytes);
        }
        let message = format!("expected {expected} at most {bytes_max} bytes");
        Err(refusal(RefusalCode::OverLimit, path, message))
    };
    let form = "a form whose shortest answer has";
    let optional_field = "an optional field that fits into an answer of";
    let (required, optional): (Vec<&Field>, _) = fields.iter().partition(|field| field.required);
    let least =
        required.iter().try_fold(fits(EMPTY_BYTES, &Path::Root, form)?, |bytes, field| {
            fits(field.shortest_added_to(bytes), &properties.member(&field.name), form)
        })?;
    for field in optional {
        fits(field.shortest_added_to(least), &properties.member(&field.name), optional_field)?;
    }
    Ok(())
}

impl<'de> Object<'de> for Root<'de> {
    fn member<A: MapAccess<'de>>(
        &mut self,
        reader: &mut Reader<'_>,
        path: &Path<'_>,
        name: Cow<'de, str>,
        members: &mut A,
    ) -> Result<(), A::Error> {
        let path = path.member(&name);
        if name == "properties" {
            let mut properties = Properties::default();
            let seed = ObjectSeed { reader, path: &path, object: &mut properties };
            if members.next_value_seed(seed)? {
                self.fields = Some(properties.fields);
                return Ok(());
            }
            return reader
                .note(NoteCode::IgnoredNull, &path)
                .map_err(|refusal| reader.stop(refusal));
        }
        let raw = members.next_value()?;
        self.keyword(reader, &path, &name, raw).map_err(|refusal| reader.stop(refusal))
    }
}

impl<'de> Root<'de> {
    fn keyword(
        &mut self,
        reader: &mut Reader<'_>,
        path: &Path<'_>,
        name: &str,
        raw: &'de RawValue,
    ) -> Read<()> {
        match name {
            // Null counts as absent.
            _ if raw.get() == "null" => self.outside(reader, path, raw, NoteCode::IgnoredNull)?,
            "title" => {
                self.title = Some(reader.line(raw, path)?);
                reader.note(NoteCode::KeptText, path)?;
            }
            "description" => {
                self.description = Some(reader.paragraph(raw, path)?);
                reader.note(NoteCode::KeptText, path)?;
            }
            "type" => {
                object_type(reader, path, raw)?;
                self.has_type = true;
            }
            "required" => self.required = names(reader, path, raw)?,
            "$schema" => dialect(reader, path, raw)?,
            "$ref" | "$dynamicRef" | "$recursiveRef" | "allOf" | "anyOf" | "oneOf" | "not"
            | "if" | "dependentRequired" | "dependentSchemas" | "dependencies" | "enum"
            | "const" | "items" | "prefixItems" | "contains" | "propertyNames" => {
                let message = "expected a flat object of fields, found a rule for the whole object";
                return Err(outside(path, message));
            }
            "minProperties" | "maxProperties" => {
                self.outside(reader, path, raw, NoteCode::UnenforcedKeyword)?;
            }
            "additionalProperties" | "patternProperties" | "unevaluatedProperties" => {
                self.outside(reader, path, raw, NoteCode::IgnoredProperties)?;
            }
            _ => self.outside(reader, path, raw, NoteCode::IgnoredKeyword)?,
        }
        Ok(())
    }

    /// Notes a keyword outside the subset that does not change which answers the form accepts.
    fn outside(
        &mut self,
        reader: &mut Reader<'_>,
        path: &Path<'_>,
        raw: &RawValue,
        code: NoteCode,
    ) -> Read<()> {
        self.unknown += 1;
        let unknown_max = reader.limits.unknown_members_max;
        if self.unknown > unknown_max {
            return Err(over_limit(path, "a form", "unknown keywords", unknown_max));
        }
        reader.pass_over(raw, path)?;
        reader.note(code, path)
    }
}

/// Checks the root's `type`: `object`, or a list of only that.
fn object_type(reader: &mut Reader<'_>, path: &Path<'_>, raw: &RawValue) -> Read<()> {
    let is_object = |raw: &RawValue, path: &Path<'_>| Ok(leaf(raw, path)?.text(path)? == "object");
    match elements(raw, path, TYPES_MAX)?.as_deref() {
        None if is_object(raw, path)? => Ok(()),
        Some([only]) if is_object(only, &path.element(0))? => {
            reader.note(NoteCode::NormalizedType, path)
        }
        _ => Err(outside(path, "expected the type object")),
    }
}

/// Reads the value of `required`.
fn names<'de>(
    reader: &Reader<'_>,
    path: &Path<'_>,
    raw: &'de RawValue,
) -> Read<Vec<Cow<'de, str>>> {
    let Some(elements) = elements(raw, path, reader.limits.fields_max)? else {
        return Err(wrong_type(path, "an array of names", leaf(raw, path)?.describe()));
    };
    let name = |(index, element)| {
        let here = path.element(index);
        leaf(element, &here)?.text(&here)
    };
    elements.into_iter().enumerate().map(name).collect()
}

/// Checks that the subset has the same meaning in the schema's dialect as in 2020-12.
fn dialect(reader: &mut Reader<'_>, path: &Path<'_>, raw: &RawValue) -> Read<()> {
    let uri = text(raw, path, reader.limits.name_bytes_max)?;
    match uri.trim_end_matches('#') {
        "https://json-schema.org/draft/2020-12/schema" => Ok(()),
        "https://json-schema.org/draft/2019-09/schema"
        | "http://json-schema.org/draft-07/schema"
        | "https://json-schema.org/draft-07/schema" => {
            reader.note(NoteCode::NormalizedDialect, path)
        }
        _ => {
            let message = "expected dialect 2020-12, 2019-09 or draft-07, found another dialect";
            Err(refusal(RefusalCode::UnsupportedDialect, path, message))
        }
    }
}

/// The members of `properties`: each is a field.
#[derive(Default)]
struct Properties {
    fields: Vec<Field>,
}

impl<'de> Object<'de> for Properties {
    fn member<A: MapAccess<'de>>(
        &mut self,
        reader: &mut Reader<'_>,
        path: &Path<'_>,
        name: Cow<'de, str>,
        members: &mut A,
    ) -> Result<(), A::Error> {
        let here = path.member(&name);
        let limits = reader.limits;
        if self.fields.len() >= limits.fields_max {
            return Err(reader.stop(over_limit(path, "a form", "fields", limits.fields_max)));
        }
        if name.len() > limits.name_bytes_max {
            return Err(reader.stop(over_limit(&here, "a name", "bytes", limits.name_bytes_max)));
        }
        let mut keywords = Keywords::default();
        let seed = ObjectSeed { reader, path: &here, object: &mut keywords };
        if !members.next_value_seed(seed)? {
            return Err(reader.stop(wrong_type(&here, "an object", "null")));
        }
        match judge::field(reader, &here, &name, keywords) {
            Ok(field) => self.fields.push(field),
            Err(refusal) => return Err(reader.stop(refusal)),
        }
        Ok(())
    }
}
