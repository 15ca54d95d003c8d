//! What the keywords of one field mean together.

use alloc::{borrow::Cow, string::String, vec::Vec};

use super::{
    keywords::{Branch, Keywords, Names, Type, Types},
    path::Path,
    reader::{Leaf, Read, Reader, outside, refusal},
};
use crate::{
    Bound, Choice, ChoiceOption, Choices, Field, Flag, Format, Kind, NoteCode, Number, Numeric,
    RefusalCode, SafeText, Text, Value, warn::any_look_alike,
};

/// Decides what kind of field the keywords make.
pub(super) fn field(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    name: &str,
    mut keywords: Keywords<'_>,
) -> Read<Field> {
    unwrap_nullable_branch(reader, path, &mut keywords)?;
    let options = options(reader, path, &mut keywords)?;
    let kind = match field_type(reader, path, &keywords, options.is_some())? {
        Type::Text => match options {
            Some(options) => choice(reader, path, &keywords, options)?,
            None => text(reader, path, &keywords)?,
        },
        Type::Array => {
            if options.is_some() {
                return Err(outside(path, "the options of a multiple choice stand in its items"));
            }
            choices(reader, path, &mut keywords)?
        }
        Type::Number | Type::Integer | Type::Flag if options.is_some() => {
            return Err(outside(path, "options are strings"));
        }
        Type::Number => Kind::Number(numeric(reader, path, &keywords, false)?),
        Type::Integer => Kind::Integer(numeric(reader, path, &keywords, true)?),
        Type::Flag => Kind::Flag(Flag::default()),
    };
    note_bounds_of_other_types(reader, path, &keywords, &kind)?;
    if keywords.title.is_none() {
        reader.shown(SafeText::line(name), path)?;
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
        reader.note(NoteCode::WarnSecret, path)?;
    }
    if let Some(raw) = keywords.default {
        let default = Value::from_json(raw.get());
        if !field.kind.set_default(default) {
            reader.note(NoteCode::DroppedDefault, &path.member("default"))?;
        }
    }
    Ok(field)
}

/// Takes `anyOf` or `oneOf` of a schema and null for the schema.
fn unwrap_nullable_branch(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    keywords: &mut Keywords<'_>,
) -> Read<()> {
    for (name, inner) in [
        ("anyOf", take_nullable(&mut keywords.any_of)),
        ("oneOf", take_nullable(&mut keywords.one_of)),
    ] {
        let Some(inner) = inner else { continue };
        let here = path.member(name);
        let types_agree = match (keywords.types, inner.types) {
            (Some(outer), Some(inner)) => outer.one.is_none() || outer.one == inner.one,
            _ => true,
        };
        if !types_agree || !keywords.merge(inner) {
            return Err(outside(&here, "the branch and the field constrain the same thing"));
        }
        reader.note(NoteCode::NormalizedNullable, &here)?;
    }
    Ok(())
}

/// Takes the one schema out of branches of a schema and null.
fn take_nullable<'de>(branches: &mut Option<Vec<Branch<'de>>>) -> Option<Keywords<'de>> {
    match branches.as_deref() {
        Some([Branch::Null, Branch::Schema(_)] | [Branch::Schema(_), Branch::Null]) => {}
        _ => return None,
    }
    branches.take()?.into_iter().find_map(|branch| match branch {
        Branch::Schema(keywords) => Some(*keywords),
        Branch::Null | Branch::Option { .. } => None,
    })
}

impl<'de> Keywords<'de> {
    /// Takes over what another schema of the same value says. False: both say something of one
    /// matter, beside what is only shown.
    fn merge(&mut self, inner: Self) -> bool {
        fn take<T>(outer: &mut Option<T>, inner: Option<T>) -> bool {
            if outer.is_some() && inner.is_some() {
                return false;
            }
            *outer = outer.take().or(inner);
            true
        }
        self.title = self.title.take().or(inner.title);
        self.description = self.description.take().or(inner.description);
        self.default = self.default.or(inner.default);
        self.types = inner.types.or(self.types.filter(|types| types.one.is_some()));
        take(&mut self.format, inner.format)
            && take(&mut self.values, inner.values)
            && take(&mut self.names, inner.names)
            && take(&mut self.constant, inner.constant)
            && take(&mut self.one_of, inner.one_of)
            && take(&mut self.any_of, inner.any_of)
            && take(&mut self.items, inner.items)
            && take(&mut self.length_min, inner.length_min)
            && take(&mut self.length_max, inner.length_max)
            && take(&mut self.items_min, inner.items_min)
            && take(&mut self.items_max, inner.items_max)
            && take(&mut self.minimum, inner.minimum)
            && take(&mut self.maximum, inner.maximum)
            && take(&mut self.exclusive_minimum, inner.exclusive_minimum)
            && take(&mut self.exclusive_maximum, inner.exclusive_maximum)
    }
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
        None if keywords.any_of.is_some() || keywords.one_of.is_some() => {
            Err(outside(path, "alternatives are constants with titles, or one schema and null"))
        }
        None => Err(outside(path, "expected a type")),
    }
}

/// Gathers the options from wherever the schema spells them. `None`: it has none.
fn options(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    keywords: &mut Keywords<'_>,
) -> Read<Option<Vec<ChoiceOption>>> {
    let titled = match (keywords.one_of.take(), keywords.any_of.take()) {
        (None, None) => None,
        (Some(branches), None) => Some(branch_options(reader, &path.member("oneOf"), branches)?),
        (None, Some(branches)) => Some(branch_options(reader, &path.member("anyOf"), branches)?),
        (Some(_), Some(_)) => {
            return Err(outside(path, "a field has oneOf or anyOf, found both"));
        }
    };
    let plain = match keywords.values.take() {
        None => None,
        Some(values) => Some(enum_options(reader, path, values, keywords.names.take())?),
    };
    if keywords.names.is_some() {
        reader.note(NoteCode::IgnoredEnumNames, &path.member("enumNames"))?;
    }
    let listed = match (titled, plain) {
        (Some(titled), Some(plain)) if same_values(&titled, &plain) => {
            reader.note(NoteCode::NormalizedEnum, &path.member("enum"))?;
            Some(titled)
        }
        (Some(_), Some(_)) => {
            return Err(outside(&path.member("enum"), "enum names the constants of oneOf"));
        }
        (titled, plain) => titled.or(plain),
    };
    match (keywords.constant.take(), listed) {
        (None, listed) => Ok(listed),
        (Some(constant), listed) => {
            let here = path.member("const");
            let value = option_text(&here, constant)?;
            let Some(listed) = listed else {
                reader.note(NoteCode::NormalizedConst, &here)?;
                return Ok(Some([ChoiceOption::plain(value.into())].into()));
            };
            let only: Vec<_> = listed.into_iter().filter(|option| option.value == value).collect();
            if only.is_empty() {
                return Err(unsatisfiable(&here, "the constant is one of the options"));
            }
            reader.note(NoteCode::NormalizedConst, &here)?;
            Ok(Some(only))
        }
    }
}

fn same_values(titled: &[ChoiceOption], plain: &[ChoiceOption]) -> bool {
    let sorted = |options: &[ChoiceOption]| {
        let mut values: Vec<_> = options.iter().map(|option| option.value.clone()).collect();
        values.sort_unstable();
        values
    };
    sorted(titled) == sorted(plain)
}

impl ChoiceOption {
    const fn plain(value: String) -> Self {
        Self { value, title: None, description: None }
    }
}

fn option_text<'de>(path: &Path<'_>, value: Leaf<'de>) -> Read<Cow<'de, str>> {
    match value {
        Leaf::Text(text) => Ok(text),
        Leaf::Null | Leaf::Flag | Leaf::Number(_) | Leaf::Array | Leaf::Object => {
            Err(outside(path, "options are strings"))
        }
    }
}

/// Takes constants with titles for options.
fn branch_options(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    branches: Vec<Branch<'_>>,
) -> Read<Vec<ChoiceOption>> {
    let mut options: Vec<ChoiceOption> = Vec::with_capacity(branches.len());
    let mut unusual = !matches!(path, Path::Member(_, "oneOf"));
    let mut nullable = false;
    for (index, branch) in branches.into_iter().enumerate() {
        let here = path.element(index);
        match branch {
            Branch::Null => nullable = true,
            Branch::Option { value, title, description, typed } => {
                unusual |= title.is_none() || description.is_some() || typed;
                options.push(ChoiceOption {
                    value: option_text(&here.member("const"), value)?.into(),
                    title,
                    description,
                });
            }
            Branch::Schema(_) => {
                return Err(outside(
                    &here,
                    "alternatives are constants with titles, or one schema and null",
                ));
            }
        }
    }
    if options.is_empty() {
        return Err(unsatisfiable(path, "a choice has options, found none"));
    }
    if let Some(repeated) = first_repeated(&options) {
        let message = "each option has a constant of its own, found one twice";
        return Err(unsatisfiable(&path.element(repeated), message));
    }
    if nullable {
        reader.note(NoteCode::NormalizedNullable, path)?;
    }
    if unusual {
        reader.note(NoteCode::NormalizedOptions, path)?;
    }
    Ok(options)
}

/// Takes the values of `enum`, and their names, for options.
fn enum_options(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    values: Vec<Leaf<'_>>,
    names: Option<Names>,
) -> Read<Vec<ChoiceOption>> {
    let here = path.member("enum");
    let names = match names {
        Some(Names::Each(names)) if names.len() == values.len() => Some(names),
        Some(Names::Each(_) | Names::Unusable) => {
            reader.note(NoteCode::IgnoredEnumNames, &path.member("enumNames"))?;
            None
        }
        None => None,
    };
    let mut names = names.map(Vec::into_iter);
    let mut options = Vec::with_capacity(values.len());
    let mut nullable = false;
    for (index, value) in values.into_iter().enumerate() {
        let title = names.as_mut().and_then(Iterator::next);
        if matches!(value, Leaf::Null) {
            nullable = true;
            continue;
        }
        let value = option_text(&here.element(index), value)?.into();
        options.push(ChoiceOption { value, title, description: None });
    }
    if options.is_empty() {
        return Err(unsatisfiable(&here, "a choice has options, found none"));
    }
    if nullable {
        reader.note(NoteCode::NormalizedNullable, &here)?;
    }
    if first_repeated(&options).is_some() {
        reader.note(NoteCode::DeduplicatedEnum, &here)?;
        keep_first_of_each(&here, &mut options)?;
    }
    Ok(options)
}

/// Returns the index of an option whose value an earlier option has.
fn first_repeated(options: &[ChoiceOption]) -> Option<usize> {
    let mut order: Vec<usize> = (0..options.len()).collect();
    let value = |index: &usize| options.get(*index).map(|option| option.value.as_str());
    order.sort_by(|a, b| value(a).cmp(&value(b)));
    order
        .windows(2)
        .filter_map(|pair| match pair {
            [first, second] if value(first) == value(second) => Some(*second),
            _ => None,
        })
        .min()
}

/// Merges options of one value. Two titles for one value: nobody can tell which is right.
fn keep_first_of_each(path: &Path<'_>, options: &mut Vec<ChoiceOption>) -> Read<()> {
    while let Some(repeated) = first_repeated(options) {
        let again = options.remove(repeated);
        let titles_differ =
            options.iter().any(|option| option.value == again.value && option.title != again.title);
        if titles_differ {
            let message = "each option has one title, found two";
            return Err(unsatisfiable(&path.element(repeated), message));
        }
    }
    Ok(())
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
    let count = options.len();
    options.retain(|option| bounds.check(&option.value).is_none());
    if options.is_empty() {
        return Err(unsatisfiable(path, "an option is within the field's bounds, found none"));
    }
    if keywords.has_length() || bounds.format.is_some() || options.len() < count {
        reader.note(NoteCode::NormalizedBounds, path)?;
    }
    Ok(Kind::Choice(Choice { options, default: None }))
}

fn text(reader: &mut Reader<'_>, path: &Path<'_>, keywords: &Keywords<'_>) -> Read<Kind> {
    let (length_min, length_max) = (keywords.length_min, keywords.length_max);
    if length_min.unwrap_or(0) > length_max.unwrap_or(u64::MAX) {
        return Err(unsatisfiable(&path.member("minLength"), "minLength is at most maxLength"));
    }
    if length_min.unwrap_or(0) > u64::try_from(reader.limits.answer_bytes_max).unwrap_or(u64::MAX) {
        let message = "minLength is within what an answer may hold";
        return Err(unsatisfiable(&path.member("minLength"), message));
    }
    let format = format(reader, path, keywords)?;
    Ok(Kind::Text(Text { length_min, length_max, format, default: None }))
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
        Some("password") => {
            let message = "secrets do not belong in form mode".into();
            Err(refusal(RefusalCode::Secret, &here, message))
        }
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
    if keywords.format.is_some() {
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
        let message = if integer {
            "a whole number is between the bounds"
        } else {
            "the minimum is at most the maximum"
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
    if let Some(one_of) = items.one_of.take() {
        reader.note(NoteCode::NormalizedOptions, &here.member("oneOf"))?;
        if items.any_of.replace(one_of).is_some() {
            return Err(outside(&here, "items have oneOf or anyOf, found both"));
        }
    }
    let titled_as_specified = items.any_of.as_deref().is_some_and(|branches| {
        branches.iter().all(|branch| {
            matches!(branch, Branch::Option { title: Some(_), description: None, typed: false, .. })
        })
    });
    // The specification titles the options of a multiple choice by anyOf, of a single by oneOf.
    if titled_as_specified {
        items.one_of = items.any_of.take();
    }
    let Some(options) = options(reader, &here, &mut items)? else {
        return Err(outside(&here, "a multiple choice has options, found none"));
    };
    if items.has_length() || items.format.is_some() || items.has_range() {
        return Err(outside(&here, "options are bounded by their list alone"));
    }
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

/// Notes the constraints that say nothing of a value of this kind.
fn note_bounds_of_other_types(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    keywords: &Keywords<'_>,
    kind: &Kind,
) -> Read<()> {
    let is_text = matches!(kind, Kind::Text(_) | Kind::Choice(_));
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
        reader.shown(SafeText::line(&option.value), path)?;
    }
    if any_look_alike(options.iter().map(ChoiceOption::label)) {
        reader.note(NoteCode::WarnAmbiguousLabels, path)?;
    }
    Ok(())
}

fn unsatisfiable(path: &Path<'_>, message: &str) -> crate::Refusal {
    refusal(RefusalCode::Unsatisfiable, path, message.into())
}

impl Numeric {
    /// Tells whether any number, or any whole number, is within the bounds.
    fn is_satisfiable(&self, integer: bool) -> bool {
        let (Some(minimum), Some(maximum)) = (self.minimum, self.maximum) else { return true };
        if integer {
            let least = minimum.value.ceiling();
            let least =
                if least == minimum.value && minimum.exclusive { least.successor() } else { least };
            return self.contains(least);
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
