//! The options of a choice, in any notation of the schema.

use alloc::{borrow::Cow, vec::Vec};

use super::{
    keywords::{ALTERNATIVES, Branch, Keywords, Names},
    leaf::Leaf,
    path::Path,
    reader::Reader,
    refuse::{Read, outside, unsatisfiable},
};
use crate::{ChoiceOption, NoteCode};

/// Collects the options of a schema. Returns `None` if it has none.
///
/// `usual` is the keyword by which the specification gives titles to options: `oneOf` in a single
/// choice, `anyOf` in a multiple choice.
pub(super) fn options(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    keywords: &mut Keywords<'_>,
    usual: &str,
) -> Read<Option<Vec<ChoiceOption>>> {
    let titled = match (keywords.one_of.take(), keywords.any_of.take()) {
        (None, None) => None,
        (Some(branches), None) => {
            Some(branch_options(reader, &path.member("oneOf"), branches, usual == "oneOf")?)
        }
        (None, Some(branches)) => {
            Some(branch_options(reader, &path.member("anyOf"), branches, usual == "anyOf")?)
        }
        (Some(_), Some(_)) => {
            return Err(outside(path, "expected oneOf or anyOf, found both"));
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
            let message = "expected enum to list the same values as oneOf or anyOf, found others";
            return Err(outside(&path.member("enum"), message));
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
                return Ok(Some([ChoiceOption::new(value.into(), None)].into()));
            };
            let only: Vec<_> = listed.into_iter().filter(|option| option.value == value).collect();
            if only.is_empty() {
                return Err(unsatisfiable(&here, "expected const to be one of the options"));
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

fn option_text<'de>(path: &Path<'_>, value: Leaf<'de>) -> Read<Cow<'de, str>> {
    match value {
        Leaf::Text(text) => Ok(text),
        Leaf::Null | Leaf::Flag | Leaf::Number(_) | Leaf::Array | Leaf::Object => {
            Err(outside(path, "expected a string as an option"))
        }
    }
}

/// Returns the options of `oneOf` or `anyOf`: constants with titles.
fn branch_options(
    reader: &mut Reader<'_>,
    path: &Path<'_>,
    branches: Vec<Branch<'_>>,
    is_usual: bool,
) -> Read<Vec<ChoiceOption>> {
    let mut options: Vec<ChoiceOption> = Vec::with_capacity(branches.len());
    let mut unusual = !is_usual;
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
                return Err(outside(&here, ALTERNATIVES));
            }
        }
    }
    if options.is_empty() {
        return Err(unsatisfiable(path, "expected at least one option, found none"));
    }
    if let Some((again, _)) = repeated(&options).into_iter().min() {
        let message = "expected each const once, found a repeated value";
        return Err(unsatisfiable(&path.element(again), message));
    }
    if nullable {
        reader.note(NoteCode::NormalizedNullable, path)?;
    }
    if unusual {
        reader.note(NoteCode::NormalizedOptions, path)?;
    }
    Ok(options)
}

/// Returns the options of `enum`, with `enumNames` as titles.
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
        options.push(ChoiceOption::new(value, title));
    }
    if options.is_empty() {
        return Err(unsatisfiable(&here, "expected at least one option, found none"));
    }
    if nullable {
        reader.note(NoteCode::NormalizedNullable, &here)?;
    }
    let repeated = repeated(&options);
    if repeated.is_empty() {
        return Ok(options);
    }
    reader.note(NoteCode::DeduplicatedEnum, &here)?;
    keep_first_of_each(&here, options, &repeated)
}

/// Returns the repeated options, in the order of their values: the index of each, and the index of
/// the first option with that value.
fn repeated(options: &[ChoiceOption]) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..options.len()).collect();
    let value = |index: usize| options.get(index).map(|option| option.value.as_str());
    order.sort_by(|a, b| value(*a).cmp(&value(*b)));
    let mut found = Vec::new();
    let mut first = 0;
    for (at, index) in order.iter().enumerate() {
        if at > 0 && value(*index) == value(first) {
            found.push((*index, first));
        } else {
            first = *index;
        }
    }
    found
}

/// Merges options with the same value. Options with different titles are refused: either may be
/// right.
fn keep_first_of_each(
    path: &Path<'_>,
    options: Vec<ChoiceOption>,
    repeated: &[(usize, usize)],
) -> Read<Vec<ChoiceOption>> {
    let title = |index: usize| options.get(index).map(|option| &option.title);
    for (again, first) in repeated {
        if title(*again) != title(*first) {
            let message = "expected one title for each option, found two titles for one value";
            return Err(unsatisfiable(&path.element(*again), message));
        }
    }
    let mut again: Vec<usize> = repeated.iter().map(|(again, _)| *again).collect();
    again.sort_unstable();
    let kept = options.into_iter().enumerate();
    Ok(kept.filter(|(at, _)| again.binary_search(at).is_err()).map(|(_, option)| option).collect())
}
