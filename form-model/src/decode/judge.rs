//! The meaning of all keywords of a field together.

use alloc::{format, vec::Vec};

use super::{
    keywords::{Keywords, Type, Types},
    nullable::{Branched, unwrap_nullable_branch},
    options::options,
    path::Path,
    reader::Reader,
    refuse::{Read, outside, refusal, unsatisfiable},
};
use crate::{
    Bound, Choice, ChoiceOption, Choices, Field, Flag, Format, Kind, NoteCode, Number, Numeric,
    Refusal, RefusalCode, Text, Value,
    shortest::{EMPTY_BYTES, member_bytes},
    warn::any_look_alike,
};

/// Makes a field from its keywords.
pub(super) fn field(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    name: &str,
    mut keywords: Keywords<'_>,
) -> Read<Field> {
    match unwrap_nullable_branch(reader, path, &mut keywords)? {
        // All keywords are in the branch, so refusals and notes name places there.
        Some(Branched { keyword, index, all: true }) => {
            let branches = path.member(keyword);
            judge(reader, path, &branches.element(index), name, keywords)
        }
        _ => judge(reader, path, path, name, keywords),
    }
}

/// Makes the field at `outer` from the keywords at `path`.
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
                return Err(outside(path, "expected the options of an array in items"));
            }
            choices(reader, path, &mut keywords)?
        }
        Type::Number | Type::Integer | Type::Flag if options.is_some() => {
            return Err(outside(&path.member("type"), "expected string as the type of options"));
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
        let default = Value::from_json(raw.get(), Number::parse_nearest);
        if !field.kind.set_default(default) {
            let at = if keywords.default_is_outer { outer } else { path };
            reader.note(NoteCode::DroppedDefault, &at.member("default"))?;
        }
    }
    Ok(field)
}

/// Returns the type of the field. It is inferred if the field has options.
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
            Err(outside(&path.member("type"), "expected a type other than null"))
        }
        None if has_options => {
            reader.note(NoteCode::InferredType, &path.member("type"))?;
            Ok(Type::Text)
        }
        None => Err(outside(path, "expected a type, found none")),
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
        return Err(unsatisfiable(
            path,
            "expected an option that fits the length and format, found none",
        ));
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
        let message = "expected minLength to be at most maxLength";
        return Err(unsatisfiable(&path.member("minLength"), message));
    }
    // The shortest answer is {"name":"..."}.
    let around = EMPTY_BYTES + member_bytes(name) + 2;
    let bytes_max = reader.limits.answer_bytes_max;
    let room = bytes_max.saturating_sub(around);
    if length_min.unwrap_or(0) > u64::try_from(room).unwrap_or(u64::MAX) {
        let message = format!("expected a minLength that fits into an answer of {bytes_max} bytes");
        return Err(refusal(RefusalCode::Unsatisfiable, &path.member("minLength"), message));
    }
    let format = format(reader, path, keywords)?;
    let text = Text { length_min, length_max, format, default: None };
    let longest = format.map_or(u64::MAX, |format| format.lengths().1);
    if length_max.unwrap_or(u64::MAX) < text.shortest_length() || length_min.unwrap_or(0) > longest
    {
        return Err(unsatisfiable(
            &path.member("format"),
            "expected minLength and maxLength that fit the format",
        ));
    }
    Ok(Kind::Text(text))
}

/// The format of secrets.
const PASSWORD: &str = "password";

fn secret(path: &Path<'_>) -> Refusal {
    let message = "expected a form that asks for no secret, found the format password";
    refusal(RefusalCode::Secret, path, message)
}

/// Reads the format. A format that this crate does not check is noted, and that of secrets refused.
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
    let tighter =
        |inclusive: Option<Number>, open: Option<Number>, lower: bool| match (inclusive, open) {
            (Some(inclusive), Some(open)) => {
                let open_is_tighter = if lower { open >= inclusive } else { open <= inclusive };
                let bound = if open_is_tighter {
                    Bound::exclusive(open)
                } else {
                    Bound::inclusive(inclusive)
                };
                Some(bound)
            }
            (Some(inclusive), None) => Some(Bound::inclusive(inclusive)),
            (None, Some(open)) => Some(Bound::exclusive(open)),
            (None, None) => None,
        };
    let numeric = Numeric {
        minimum: tighter(keywords.minimum, keywords.exclusive_minimum, true),
        maximum: tighter(keywords.maximum, keywords.exclusive_maximum, false),
        default: None,
    };
    if !numeric.is_satisfiable(integer) {
        let message = match integer {
            true => "expected a whole number between the bounds, found none",
            false => "expected a number between the bounds, found none",
        };
        return Err(unsatisfiable(path, message));
    }
    Ok(numeric)
}

fn choices(reader: &mut Reader<'_>, path: &Path<'_>, keywords: &mut Keywords<'_>) -> Read<Kind> {
    let here = path.member("items");
    let Some(mut items) = keywords.items.take().map(|items| *items) else {
        return Err(outside(path, "expected items with the options of the array, found none"));
    };
    if matches!(items.types, Some(types) if types.one != Some(Type::Text)) {
        return Err(outside(&here.member("type"), "expected string as the type of options"));
    }
    if items.types.is_none() && items.any_of.is_none() {
        reader.note(NoteCode::InferredType, &here.member("type"))?;
    }
    let Some(options) = options(reader, &here, &mut items, "anyOf")? else {
        return Err(outside(&here, "expected options in items, found none"));
    };
    if items.has_length() || items.format.is_some() {
        return Err(outside(&here, "expected options without lengths and formats"));
    }
    note_what_items_cannot_have(reader, &here, &items)?;
    let (items_min, items_max) = (keywords.items_min, keywords.items_max);
    if items_min.unwrap_or(0) > items_max.unwrap_or(u64::MAX) {
        let message = "expected minItems to be at most maxItems";
        return Err(unsatisfiable(&path.member("minItems"), message));
    }
    if items_min.unwrap_or(0) > u64::try_from(options.len()).unwrap_or(u64::MAX) {
        let message = "expected minItems to be at most the number of options";
        return Err(unsatisfiable(&path.member("minItems"), message));
    }
    Ok(Kind::Choices(Choices { options, items_min, items_max, default: None }))
}

/// Notes the keywords of `items` other than its options.
fn note_what_items_cannot_have(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    items: &Keywords<'_>,
) -> Read<()> {
    if items.types.is_some_and(|types| types.nullable) {
        reader.note(NoteCode::NormalizedNullable, &path.member("type"))?;
    }
    let keywords = [
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
    ];
    note_ignored(reader, path, &keywords)
}

/// Notes the constraints that do not apply to a field of this kind.
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
    let keywords = [
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
    ];
    note_ignored(reader, path, &keywords)
}

/// Notes those keywords that are there.
fn note_ignored(reader: &mut Reader<'_>, path: &Path<'_>, keywords: &[(&str, bool)]) -> Read<()> {
    for (name, _) in keywords.iter().filter(|(_, is_there)| *is_there) {
        reader.note(NoteCode::IgnoredKeyword, &path.member(name))?;
    }
    Ok(())
}

/// Notes options that look alike, or are not safe to show.
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
