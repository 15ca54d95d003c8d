//! Texts for people, numbers and formats: the leaves of a form.

use form_model::{Format, Number, SafeText};

/// Reads a text as each of the leaves. The value tells whether it is a number or has a format.
///
/// # Panics
///
/// If something does not hold.
pub fn shown(text: &str) -> bool {
    is_safe(text, &SafeText::line(text), &[]);
    is_safe(text, &SafeText::paragraph(text), &['\n', '\t']);
    let formats = [Format::Email, Format::Uri, Format::Date, Format::DateTime];
    let has_format = formats.into_iter().filter(|format| has_format(*format, text)).count() > 0;
    number(text) || has_format
}

/// Checks that a text came through whole, and that what is shown of it hides and commands nothing.
fn is_safe(raw: &str, text: &SafeText, breaks: &[char]) {
    let shown = text.as_str();
    assert_eq!(text.raw(), raw);
    assert_eq!(text.is_cleaned(), shown != raw);
    let is_unsafe = |letter: char| {
        letter.is_control() && !breaks.contains(&letter)
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    assert!(!shown.contains(is_unsafe), "{shown:?}");
}

fn has_format(format: Format, text: &str) -> bool {
    if !format.matches(text) {
        return false;
    }
    match format {
        Format::Email => assert!(text.is_ascii() && text.contains('@') && text.len() <= 254),
        Format::Uri => assert!(text.is_ascii() && text.contains(':')),
        Format::Date => assert!(Format::DateTime.matches(&format!("{text}T00:00:00Z"))),
        Format::DateTime => assert!(text.get(..10).is_some_and(|day| Format::Date.matches(day))),
        other => panic!("{other:?} has no check here"),
    }
    true
}

/// Reads a number: it has the value that the standard library reads, and reads back as it is
/// written.
fn number(text: &str) -> bool {
    let nearest = Number::parse_nearest(text);
    let Ok(number) = text.parse::<Number>() else {
        if let Ok(nearest) = nearest {
            assert_eq!(Ok(nearest.to_f64()), text.parse(), "it is the nearest double");
        }
        return nearest.is_ok();
    };
    let double: f64 = text.parse().unwrap();
    assert!(number.to_f64() == double, "{text} is {number}");
    assert_eq!(number.to_string().parse(), Ok(number));
    if let Some(integer) = number.to_i64() {
        assert!(number.is_integer() && Number::from(integer) == number);
        assert_eq!(integer.to_string(), number.to_string());
    }
    true
}
