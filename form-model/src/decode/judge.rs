//! What the keywords of one field mean together.

use alloc::vec::Vec;

use super::{
    keywords::{Keywords, Type, Types},
    nullable::{Branched, unwrap_nullable_branch},
    options::options,
    path::Path,
    reader::{Read, Reader, outside, refusal},
};
use crate::{
    Bound, Choice, ChoiceOption, Choices, Field, Flag, Format, Kind, NoteCode, Number, Numeric,
    RefusalCode, Text, Value,
    shortest::{EMPTY_BYTES, member_bytes},
    warn::any_look_alike,
};

/// Decides what kind of field the keywords make.
pub(super) fn field(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    name: &str,
    mut keywords: Keywords<'_>,
) -> Read<Field> {
    match unwrap_nullable_branch(reader, path, &mut keywords)? {
        // The branch says it all, so that is where its keywords stand.
        Some(Branched { keyword, index, all: true }) => {
            let branches = path.member(keyword);
            judge(reader, path, &branches.element(index), name, keywords)
        }
        _ => judge(reader, path, path, name, keywords),
    }
}

/// Decides what the keywords at a path make of the field at an outer path.
fn judge(
    reader: &mut Reader<'_>,
    outer: &Path<'_>,
    path: &Path<'_>,
    name: &str,
    mut keywords: Keywords<'_>,
) -> Read<Field> {
    let options = options(reader, path, &mut keywords, "oneOf")?;
    let kind = match field_type(reader, path, &keywords, options.is_some())? {
        Type::Text => match options {
            Some(options) => choice(reader, path, &keywords, options)?,
            None => text(reader, path, name, &keywords)?,
        },
        Type::Array => {
            if options.is_some() {
                return Err(outside(path, "the options of a multiple choice stand in its items"));
            }
            choices(reader, path, &mut keywords)?
        }
        Type::Number | Type::Integer | Type::Flag if options.is_some() => {
            return Err(outside(&path.member("type"), "options are strings"));
        }
        Type::Number => Kind::Number(numeric(reader, path, &keywords, false)?),
        Type::Integer => Kind::Integer(numeric(reader, path, &keywords, true)?),
        Type::Flag => Kind::Flag(Flag::default()),
    };
    note_bounds_of_other_types(reader, path, &keywords, &kind)?;
    if keywords.title.is_none() {
        reader.shown_raw(name, outer)?;
    }
    note_options(reader, path, &kind)?;
    let mut field = Field {
        name: name.into(),
        title: keywords.title,
        description: keywords.description,
        required: false,
        kind,
    };
    if field.looks_secret() {
        reader.note(NoteCode::WarnSecret, outer)?;
    }
    if let Some(raw) = keywords.default {
        let default = Value::from_json(raw.get());
        if !field.kind.set_default(default) {
            let at = if keywords.default_is_outer { outer } else { path };
            reader.note(NoteCode::DroppedDefault, &at.member("default"))?;
        }
    }
    Ok(field)
}

/// Decides the type, or infers it from options that are all strings.
fn field_type(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    keywords: &Keywords<'_>,
    has_options: bool,
) -> Read<Type> {
    match keywords.types {
        Some(Types { one: Some(one), nullable }) => {
            if nullable {
                reader.note(NoteCode::NormalizedNullable, &path.member("type"))?;
            }
            Ok(one)
        }
        Some(Types { one: None, .. }) => {
            Err(outside(&path.member("type"), "null can not be entered"))
        }
        None if has_options => {
            reader.note(NoteCode::InferredType, &path.member("type"))?;
            Ok(Type::Text)
        }
        None => Err(outside(path, "expected a type")),
    }
}

fn choice(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    keywords: &Keywords<'_>,
    mut options: Vec<ChoiceOption>,
) -> Read<Kind> {
    let bounds = Text {
        length_min: keywords.length_min,
        length_max: keywords.length_max,
        format: format(reader, path, keywords)?,
        default: None,
    };
    options.retain(|option| bounds.check(&option.value).is_none());
    if options.is_empty() {
        return Err(unsatisfiable(path, "an option is within the field's bounds, found none"));
    }
    if keywords.has_length() || bounds.format.is_some() {
        reader.note(NoteCode::NormalizedBounds, path)?;
    }
    Ok(Kind::Choice(Choice { options, default: None }))
}

fn text(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    name: &str,
    keywords: &Keywords<'_>,
) -> Read<Kind> {
    let (length_min, length_max) = (keywords.length_min, keywords.length_max);
    if length_min.unwrap_or(0) > length_max.unwrap_or(u64::MAX) {
        return Err(unsatisfiable(&path.member("minLength"), "minLength is at most maxLength"));
    }
    // The shortest answer is {"name":"..."}.
    let around = EMPTY_BYTES + member_bytes(name) + 2;
    let room = reader.limits.answer_bytes_max.saturating_sub(around);
    if length_min.unwrap_or(0) > u64::try_from(room).unwrap_or(u64::MAX) {
        let message = "minLength is within what an answer may hold";
        return Err(unsatisfiable(&path.member("minLength"), message));
    }
    let format = format(reader, path, keywords)?;
    let text = Text { length_min, length_max, format, default: None };
    let longest = format.map_or(u64::MAX, |format| format.lengths().1);
    if length_max.unwrap_or(u64::MAX) < text.shortest_length() || length_min.unwrap_or(0) > longest
    {
        return Err(unsatisfiable(&path.member("format"), "the lengths leave room for the format"));
    }
    Ok(Kind::Text(text))
}

/// The format of secrets.
const PASSWORD: &str = "password";

fn secret(path: &Path<'_>) -> crate::Refusal {
    refusal(RefusalCode::Secret, path, "secrets do not belong in form mode".into())
}

/// Reads a format. One that this crate does not check is noted; one for secrets is refused.
fn format(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    keywords: &Keywords<'_>,
) -> Read<Option<Format>> {
    let here = path.member("format");
    match keywords.format.as_deref() {
        None => Ok(None),
        Some(PASSWORD) => Err(secret(&here)),
        Some(name) => match Format::from_name(name) {
            Some(format) => Ok(Some(format)),
            None => reader.note(NoteCode::UnenforcedFormat, &here).map(|()| None),
        },
    }
}

fn numeric(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    keywords: &Keywords<'_>,
    integer: bool,
) -> Read<Numeric> {
    if format(reader, path, keywords)?.is_some() {
        reader.note(NoteCode::UnenforcedFormat, &path.member("format"))?;
    }
    for (name, bound) in [
        ("exclusiveMinimum", keywords.exclusive_minimum),
        ("exclusiveMaximum", keywords.exclusive_maximum),
    ] {
        if bound.is_some() {
            reader.note(NoteCode::NormalizedExclusive, &path.member(name))?;
        }
    }
    let exclusive = |value| Bound { value, exclusive: true };
    let tighter =
        |inclusive: Option<Number>, open: Option<Number>, lower: bool| match (inclusive, open) {
            (Some(inclusive), Some(open)) => {
                let open_is_tighter = if lower { open >= inclusive } else { open <= inclusive };
                Some(if open_is_tighter { exclusive(open) } else { Bound::inclusive(inclusive) })
            }
            (Some(inclusive), None) => Some(Bound::inclusive(inclusive)),
            (None, Some(open)) => Some(exclusive(open)),
            (None, None) => None,
        };
    let numeric = Numeric {
        minimum: tighter(keywords.minimum, keywords.exclusive_minimum, true),
        maximum: tighter(keywords.maximum, keywords.exclusive_maximum, false),
        default: None,
    };
    if !numeric.is_satisfiable(integer) {
        let message = match integer {
            true => "a whole number is between the bounds",
            false => "a number is between the bounds",
        };
        return Err(unsatisfiable(path, message));
    }
    Ok(numeric)
}

fn choices(reader: &mut Reader<'_>, path: &Path<'_>, keywords: &mut Keywords<'_>) -> Read<Kind> {
    let here = path.member("items");
    let Some(mut items) = keywords.items.take().map(|items| *items) else {
        return Err(outside(path, "a multiple choice has items with options"));
    };
    if matches!(items.types, Some(types) if types.one != Some(Type::Text)) {
        return Err(outside(&here.member("type"), "options are strings"));
    }
    if items.types.is_none() && items.any_of.is_none() {
        reader.note(NoteCode::InferredType, &here.member("type"))?;
    }
    let Some(options) = options(reader, &here, &mut items, "anyOf")? else {
        return Err(outside(&here, "a multiple choice has options, found none"));
    };
    if items.has_length() || items.format.is_some() {
        return Err(outside(&here, "options are bounded by their list alone"));
    }
    note_what_items_can_not_say(reader, &here, &items)?;
    let (items_min, items_max) = (keywords.items_min, keywords.items_max);
    if items_min.unwrap_or(0) > items_max.unwrap_or(u64::MAX) {
        return Err(unsatisfiable(&path.member("minItems"), "minItems is at most maxItems"));
    }
    if items_min.unwrap_or(0) > u64::try_from(options.len()).unwrap_or(u64::MAX) {
        let message = "minItems is at most the number of options";
        return Err(unsatisfiable(&path.member("minItems"), message));
    }
    Ok(Kind::Choices(Choices { options, items_min, items_max, default: None }))
}

/// Notes what the schema of options says beyond the options.
fn note_what_items_can_not_say(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    items: &Keywords<'_>,
) -> Read<()> {
    if items.types.is_some_and(|types| types.nullable) {
        reader.note(NoteCode::NormalizedNullable, &path.member("type"))?;
    }
    for (name, is_there) in [
        ("title", items.title.is_some()),
        ("description", items.description.is_some()),
        ("default", items.default.is_some()),
        ("items", items.items.is_some()),
        ("minItems", items.items_min.is_some()),
        ("maxItems", items.items_max.is_some()),
        ("minimum", items.minimum.is_some()),
        ("maximum", items.maximum.is_some()),
        ("exclusiveMinimum", items.exclusive_minimum.is_some()),
        ("exclusiveMaximum", items.exclusive_maximum.is_some()),
    ] {
        if is_there {
            reader.note(NoteCode::IgnoredKeyword, &path.member(name))?;
        }
    }
    Ok(())
}

/// Notes the constraints that say nothing of a value of this kind.
fn note_bounds_of_other_types(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    keywords: &Keywords<'_>,
    kind: &Kind,
) -> Read<()> {
    let is_text = matches!(kind, Kind::Text(_) | Kind::Choice(_));
    if keywords.format.as_deref() == Some(PASSWORD) {
        return Err(secret(&path.member("format")));
    }
    let is_numeric = matches!(kind, Kind::Number(_) | Kind::Integer(_));
    let is_choices = matches!(kind, Kind::Choices(_));
    for (name, is_there) in [
        ("minLength", keywords.length_min.is_some() && !is_text),
        ("maxLength", keywords.length_max.is_some() && !is_text),
        ("minItems", keywords.items_min.is_some() && !is_choices),
        ("maxItems", keywords.items_max.is_some() && !is_choices),
        ("minimum", keywords.minimum.is_some() && !is_numeric),
        ("maximum", keywords.maximum.is_some() && !is_numeric),
        ("exclusiveMinimum", keywords.exclusive_minimum.is_some() && !is_numeric),
        ("exclusiveMaximum", keywords.exclusive_maximum.is_some() && !is_numeric),
        ("items", keywords.items.is_some() && !is_choices),
        ("format", keywords.format.is_some() && !is_text && !is_numeric),
    ] {
        if is_there {
            reader.note(NoteCode::IgnoredKeyword, &path.member(name))?;
        }
    }
    Ok(())
}

/// Notes options that a person could take for others, or that are not safe to show.
fn note_options(reader: &mut Reader<'_>, path: &Path<'_>, kind: &Kind) -> Read<()> {
    let (Kind::Choice(Choice { options, .. }) | Kind::Choices(Choices { options, .. })) = kind
    else {
        return Ok(());
    };
    for option in options.iter().filter(|option| option.title.is_none()) {
        reader.shown_raw(&option.value, path)?;
    }
    if any_look_alike(options.iter().map(ChoiceOption::label)) {
        reader.note(NoteCode::WarnAmbiguousLabels, path)?;
    }
    Ok(())
}

pub(super) fn unsatisfiable(path: &Path<'_>, message: &str) -> crate::Refusal {
    refusal(RefusalCode::Unsatisfiable, path, message.into())
}

impl Numeric {
    /// Tells whether any number, or any whole number, is within the bounds.
    fn is_satisfiable(&self, integer: bool) -> bool {
        let (Some(minimum), Some(maximum)) = (self.minimum, self.maximum) else { return true };
        if integer {
            let least = minimum.value.ceiling();
            if least != minimum.value || !minimum.exclusive {
                return self.contains(least);
            }
            let next = least.successor();
            // Integers that this crate can not tell apart have others between them.
            return if next == least { minimum.value < maximum.value } else { self.contains(next) };
        }
        match minimum.value.cmp(&maximum.value) {
            core::cmp::Ordering::Less => true,
            core::cmp::Ordering::Equal => !minimum.exclusive && !maximum.exclusive,
            core::cmp::Ordering::Greater => false,
        }
    }
}

impl Kind {
    /// Keeps a default if the kind would accept it.
    pub(crate) fn set_default(&mut self, value: Value) -> bool {
        if self.check(&value).is_some() {
            return false;
        }
        match (self, value) {
            (Self::Text(text), Value::Text(value)) => text.default = Some(value),
            (Self::Choice(choice), Value::Text(value)) => choice.default = Some(value),
            (Self::Number(numeric) | Self::Integer(numeric), Value::Number(value)) => {
                numeric.default = Some(value);
            }
            (Self::Flag(flag), Value::Flag(value)) => flag.default = Some(value),
            (Self::Choices(choices), Value::Choices(value)) => choices.default = Some(value),
            _ => return false,
        }
        true
    }
}
