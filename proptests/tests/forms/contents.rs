//! Contents that fit a form, more often than not.

use form_model::{Content, Field, Form, Kind, Value};
use proptest::{collection::vec, prelude::*};

const TEXTS: [&str; 10] = [
    "",
    "a",
    "a@b.c",
    "https://example.org/a?b#c",
    "2026-02-28",
    "2026-02-28T23:59:60Z",
    "é😀e\u{301}",
    "\0\"\\/\u{1f}\u{7f}\u{2028}\u{feff}",
    "aa",
    "aaaaaaaaaaa",
];

const NUMBERS: [&str; 10] = [
    "0",
    "1",
    "-1",
    "1.5",
    "100",
    "1e300",
    "9007199254740993",
    "-0.000001",
    "99999999999999999999999999999999999999",
    "1e-300",
];

/// One number for each field of a form.
pub(crate) fn seeds() -> impl Strategy<Value = Vec<u16>> {
    vec(any::<u16>(), 6)
}

/// Makes the content that the seeds choose, in the order of the form or the other way round.
pub(crate) fn content(form: &Form, seeds: &[u16], reversed: bool) -> Content {
    let mut values: Vec<_> = form
        .fields()
        .iter()
        .zip(seeds)
        .filter_map(|(field, seed)| Some((field.name(), value(field, *seed)?)))
        .collect();
    if reversed {
        values.reverse();
    }
    values.into_iter().fold(Content::new(), |content, (name, value)| content.with(name, value))
}

fn value(field: &Field, seed: u16) -> Option<Value> {
    let index = usize::from(seed / 16);
    let number = |text: &str| Value::Number(text.parse().unwrap());
    match seed % 16 {
        0 if !field.is_required() => return None,
        1 => return Some(Value::Text("z".into())),
        2..6 if field.default().is_some() => return field.default(),
        _ => {}
    }
    Some(match field.kind() {
        Kind::Text(text) => {
            let mut value = TEXTS[index % TEXTS.len()].to_owned();
            let missing = text.length_min.unwrap_or(0).saturating_sub(value.chars().count() as u64);
            value.extend(core::iter::repeat_n('é', usize::try_from(missing).unwrap()));
            Value::Text(value)
        }
        Kind::Number(numeric) | Kind::Integer(numeric) => {
            match (numeric.minimum, numeric.maximum) {
                (Some(bound), _) | (None, Some(bound)) if seed & 16 == 0 => {
                    Value::Number(bound.value)
                }
                _ => number(NUMBERS[index % NUMBERS.len()]),
            }
        }
        Kind::Flag(_) => Value::Flag(seed & 16 == 0),
        Kind::Choice(choice) => {
            Value::Text(choice.options[index % choice.options.len()].value.clone())
        }
        Kind::Choices(choices) => {
            let values = choices.options.iter().map(|option| option.value.clone());
            let count = index % (choices.options.len() + 1);
            Value::Choices(values.rev().take(count).collect())
        }
    })
}
