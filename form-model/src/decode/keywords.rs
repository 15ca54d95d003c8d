//! The keywords of a field as they were read. `judge` decides what they mean together.

use alloc::{borrow::Cow, boxed::Box, vec::Vec};

use serde::de::MapAccess;
use serde_json::value::RawValue;

use super::{
    leaf::{Leaf, TYPES_MAX, count, elements, leaf, number, text},
    object::{Object, read_raw},
    path::Path,
    reader::Reader,
    refuse::{Read, outside, over_limit, wrong_type},
};
use crate::{NoteCode, Number, SafeText};

/// The keywords of a field's schema.
#[derive(Default)]
pub(super) struct Keywords<'de> {
    pub(super) title: Option<SafeText>,
    pub(super) description: Option<SafeText>,
    pub(super) types: Option<Types>,
    pub(super) format: Option<Cow<'de, str>>,
    pub(super) values: Option<Vec<Leaf<'de>>>,
    pub(super) names: Option<Names>,
    pub(super) constant: Option<Leaf<'de>>,
    pub(super) one_of: Option<Vec<Branch<'de>>>,
    pub(super) any_of: Option<Vec<Branch<'de>>>,
    pub(super) items: Option<Box<Keywords<'de>>>,
    pub(super) length_min: Option<u64>,
    pub(super) length_max: Option<u64>,
    pub(super) items_min: Option<u64>,
    pub(super) items_max: Option<u64>,
    pub(super) minimum: Option<Number>,
    pub(super) maximum: Option<Number>,
    pub(super) exclusive_minimum: Option<Number>,
    pub(super) exclusive_maximum: Option<Number>,
    pub(super) default: Option<&'de RawValue>,
    /// Whether the default is the field's own, and not that of a branch.
    pub(super) default_is_outer: bool,
    /// The number of members outside the subset.
    unknown: usize,
}

/// A type that a field can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Text,
    Number,
    Integer,
    Flag,
    Array,
}

/// The value of `type`: at most one type, and null or not.
#[derive(Clone, Copy)]
pub(super) struct Types {
    pub(super) one: Option<Type>,
    pub(super) nullable: bool,
}

/// The value of `enumNames`.
pub(super) enum Names {
    Each(Vec<SafeText>),
    Unusable,
}

/// A branch: one of the schemas of `oneOf` or `anyOf`.
pub(super) enum Branch<'de> {
    /// The type null.
    Null,
    /// A constant, and its title and description.
    Option { value: Leaf<'de>, title: Option<SafeText>, description: Option<SafeText>, typed: bool },
    /// Any other schema.
    Schema(Box<Keywords<'de>>),
}

impl<'de> Object<'de> for Keywords<'de> {
    fn member<A: MapAccess<'de>>(
        &mut self,
        reader: &mut Reader<'_>,
        path: &Path<'_>,
        name: Cow<'de, str>,
        members: &mut A,
    ) -> Result<(), A::Error> {
        let raw = members.next_value()?;
        self.keyword(reader, &path.member(&name), &name, raw)
            .map_err(|refusal| reader.stop(refusal))
    }
}

impl<'de> Keywords<'de> {
    fn keyword(
        &mut self,
        reader: &mut Reader<'_>,
        path: &Path<'_>,
        name: &str,
        raw: &'de RawValue,
    ) -> Read<()> {
        let limits = reader.limits;
        match name {
            "const" => self.constant = Some(option_value(reader, path, raw)?),
            // Null is a value of `const` and `default`. Elsewhere it counts as absent.
            name if raw.get() == "null" && name != "default" => {
                self.outside(reader, path, name, raw)?;
            }
            "title" => self.title = Some(reader.line(raw, path)?),
            "description" => self.description = Some(reader.paragraph(raw, path)?),
            "type" => self.types = Some(types(reader, path, raw)?),
            "format" => self.format = Some(text(raw, path, limits.name_bytes_max)?),
            "enum" => self.values = Some(values(reader, path, raw)?),
            "enumNames" => self.names = Some(enum_names(reader, path, raw)?),
            "oneOf" => self.one_of = Some(branches(reader, path, raw)?),
            "anyOf" => self.any_of = Some(branches(reader, path, raw)?),
            "items" => self.items = Some(Box::new(nested(reader, path, raw)?)),
            "minLength" => self.length_min = Some(count(raw, path)?),
            "maxLength" => self.length_max = Some(count(raw, path)?),
            "minItems" => self.items_min = Some(count(raw, path)?),
            "maxItems" => self.items_max = Some(count(raw, path)?),
            "minimum" => self.minimum = Some(number(raw, path)?),
            "maximum" => self.maximum = Some(number(raw, path)?),
            "exclusiveMinimum" => self.exclusive_minimum = Some(number(raw, path)?),
            "exclusiveMaximum" => self.exclusive_maximum = Some(number(raw, path)?),
            "default" if raw.get().len() > limits.default_bytes_max => {
                return Err(over_limit(path, "a default", "bytes", limits.default_bytes_max));
            }
            "default" => {
                reader.pass_over(raw, path)?;
                self.default = Some(raw);
            }
            "$ref" | "$dynamicRef" | "$recursiveRef" => {
                return Err(outside(path, "expected a schema without references"));
            }
            "allOf" | "not" | "if" | "properties" | "prefixItems" | "contains"
            | "dependentRequired" | "dependentSchemas" | "dependencies" => {
                let message = "expected the schema of a text, a number, a boolean or a choice";
                return Err(outside(path, message));
            }
            other => self.outside(reader, path, other, raw)?,
        }
        Ok(())
    }

    /// Notes a keyword outside the subset that does not change which values the field accepts.
    fn outside(
        &mut self,
        reader: &mut Reader<'_>,
        path: &Path<'_>,
        name: &str,
        raw: &RawValue,
    ) -> Read<()> {
        self.unknown += 1;
        let unknown_max = reader.limits.unknown_members_max;
        if self.unknown > unknown_max {
            return Err(over_limit(path, "a field", "unknown keywords", unknown_max));
        }
        reader.pass_over(raw, path)?;
        reader.note(
            match name {
                _ if raw.get() == "null" => NoteCode::IgnoredNull,
                "pattern" => NoteCode::UnenforcedPattern,
                "multipleOf" => NoteCode::UnenforcedMultipleOf,
                "contentEncoding" | "contentMediaType" | "contentSchema" => {
                    NoteCode::UnenforcedKeyword
                }
                _ => NoteCode::IgnoredKeyword,
            },
            path,
        )
    }
}

fn types(reader: &mut Reader<'_>, path: &Path<'_>, raw: &RawValue) -> Read<Types> {
    let Some(elements) = elements(raw, path, TYPES_MAX)? else {
        return one_type(path, &leaf(raw, path)?.text(path)?);
    };
    let mut types = Types { one: None, nullable: false };
    for (index, element) in elements.into_iter().enumerate() {
        let here = path.element(index);
        let found = one_type(&here, &leaf(element, &here)?.text(&here)?)?;
        types.nullable |= found.nullable;
        if types.one.is_some() && found.one.is_some() && types.one != found.one {
            return Err(outside(path, "expected one type, found several"));
        }
        types.one = types.one.or(found.one);
    }
    if types.one.is_none() && !types.nullable {
        return Err(outside(path, "expected a type, found none"));
    }
    if !types.nullable {
        reader.note(NoteCode::NormalizedType, path)?;
    }
    Ok(types)
}

fn one_type(path: &Path<'_>, name: &str) -> Read<Types> {
    let one = match name {
        "string" => Type::Text,
        "number" => Type::Number,
        "integer" => Type::Integer,
        "boolean" => Type::Flag,
        "array" => Type::Array,
        "null" => return Ok(Types { one: None, nullable: true }),
        _ => {
            let message = "expected string, number, integer, boolean or array of options";
            return Err(outside(path, message));
        }
    };
    Ok(Types { one: Some(one), nullable: false })
}

fn values<'de>(reader: &Reader<'_>, path: &Path<'_>, raw: &'de RawValue) -> Read<Vec<Leaf<'de>>> {
    let value = |(index, element)| option_value(reader, &path.element(index), element);
    list(reader, path, raw)?.into_iter().enumerate().map(value).collect()
}

fn option_value<'de>(reader: &Reader<'_>, path: &Path<'_>, raw: &'de RawValue) -> Read<Leaf<'de>> {
    let bytes_max = reader.limits.option_bytes_max;
    let value = leaf(raw, path)?;
    if matches!(&value, Leaf::Text(text) if text.len() > bytes_max) {
        return Err(over_limit(path, "an option", "bytes", bytes_max));
    }
    Ok(value)
}

fn enum_names(reader: &mut Reader<'_>, path: &Path<'_>, raw: &RawValue) -> Read<Names> {
    let bytes_max = reader.limits.title_bytes_max;
    let Some(elements) = elements(raw, path, reader.limits.options_max)? else {
        reader.pass_over(raw, path)?;
        return Ok(Names::Unusable);
    };
    let mut names = Vec::with_capacity(elements.len());
    for (index, element) in elements.into_iter().enumerate() {
        match leaf(element, path)? {
            Leaf::Text(name) if name.len() > bytes_max => {
                return Err(over_limit(&path.element(index), "a title", "bytes", bytes_max));
            }
            Leaf::Text(name) => {
                names.push(reader.shown(SafeText::line(&name), &path.element(index))?);
            }
            Leaf::Null | Leaf::Flag | Leaf::Number(_) | Leaf::Array | Leaf::Object => {
                reader.pass_over(raw, path)?;
                return Ok(Names::Unusable);
            }
        }
    }
    Ok(Names::Each(names))
}

/// Reads an array of at most as many elements as a choice may have options.
fn list<'de>(reader: &Reader<'_>, path: &Path<'_>, raw: &'de RawValue) -> Read<Vec<&'de RawValue>> {
    match elements(raw, path, reader.limits.options_max)? {
        Some(elements) => Ok(elements),
        None => Err(wrong_type(path, "an array", leaf(raw, path)?.describe())),
    }
}

fn branches<'de>(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    raw: &'de RawValue,
) -> Read<Vec<Branch<'de>>> {
    let elements = list(reader, path, raw)?;
    let count = elements.len();
    let mut branches = Vec::with_capacity(count);
    for (index, element) in elements.into_iter().enumerate() {
        let here = path.element(index);
        let branch = branch(reader, &here, element)?;
        // A schema is accepted only beside null, so at most two branches are kept.
        if count > 2 && matches!(branch, Branch::Schema(_)) {
            return Err(outside(&here, ALTERNATIVES));
        }
        branches.push(branch);
    }
    Ok(branches)
}

/// Reads a schema within a field's schema, up to the deepest place of the subset.
fn nested<'de>(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    raw: &'de RawValue,
) -> Read<Keywords<'de>> {
    if path.nesting() > NESTING_MAX {
        return Err(outside(path, "expected const options, found nested schemas"));
    }
    let mut keywords = Keywords::default();
    if !read_raw(reader, path, raw, &mut keywords)? {
        return Err(wrong_type(path, "an object", "null"));
    }
    Ok(keywords)
}

/// The message about branches that are neither options nor nullable.
pub(super) const ALTERNATIVES: &str =
    "expected const options, or one schema and the type null, in anyOf or oneOf";

/// The levels above the deepest schema of the subset, `/properties/name/anyOf/0/items/anyOf/0`.
const NESTING_MAX: usize = 7;

fn branch<'de>(reader: &mut Reader<'_>, path: &Path<'_>, raw: &'de RawValue) -> Read<Branch<'de>> {
    let mut keywords = nested(reader, path, raw)?;
    if keywords.says_null_alone() {
        return Ok(Branch::Null);
    }
    if keywords.types.is_none_or(|types| types.one == Some(Type::Text) && !types.nullable)
        && let Some(value) = keywords.constant.take()
    {
        if keywords.constrains_nothing_else() {
            return Ok(Branch::Option {
                value,
                title: keywords.title,
                description: keywords.description,
                typed: keywords.types.is_some(),
            });
        }
        return Err(outside(path, "expected an option with only const and title"));
    }
    Ok(Branch::Schema(Box::new(keywords)))
}

impl Keywords<'_> {
    /// Returns whether this is a schema of null: by its type, its constant or its only value.
    fn says_null_alone(&self) -> bool {
        let by_type = self.types.is_some_and(|types| types.one.is_none());
        let by_constant = matches!(self.constant, Some(Leaf::Null));
        let by_value = matches!(self.values.as_deref(), Some([Leaf::Null]));
        by_type || by_constant || by_value
    }

    /// Returns whether there is no constraint beside the type, and no default.
    const fn constrains_nothing_else(&self) -> bool {
        self.default.is_none() && self.constrains_nothing_but_default()
    }

    /// Returns whether there is no constraint beside the type.
    pub(super) const fn constrains_nothing_but_default(&self) -> bool {
        self.format.is_none()
            && self.values.is_none()
            && self.names.is_none()
            && self.constant.is_none()
            && self.one_of.is_none()
            && self.any_of.is_none()
            && self.items.is_none()
            && !self.has_length()
            && !self.has_items_bounds()
            && !self.has_range()
    }

    pub(super) const fn has_length(&self) -> bool {
        self.length_min.is_some() || self.length_max.is_some()
    }

    const fn has_items_bounds(&self) -> bool {
        self.items_min.is_some() || self.items_max.is_some()
    }

    const fn has_range(&self) -> bool {
        self.minimum.is_some()
            || self.maximum.is_some()
            || self.exclusive_minimum.is_some()
            || self.exclusive_maximum.is_some()
    }
}
