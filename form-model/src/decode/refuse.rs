//! The refusals of the decoder.

use alloc::{
    format,
    string::{String, ToString},
};

use super::path::Path;
use crate::{NumberError, Refusal, RefusalCode};

/// The result of reading a part of a schema.
pub(super) type Read<T> = Result<T, Refusal>;

pub(super) fn refusal(code: RefusalCode, path: &Path<'_>, message: impl Into<String>) -> Refusal {
    Refusal::new(code, path.pointer(), message)
}

pub(super) fn outside(path: &Path<'_>, message: &str) -> Refusal {
    refusal(RefusalCode::OutsideSubset, path, message)
}

pub(super) fn unsatisfiable(path: &Path<'_>, message: &str) -> Refusal {
    refusal(RefusalCode::Unsatisfiable, path, message)
}

pub(super) fn wrong_type(path: &Path<'_>, expected: &str, found: &str) -> Refusal {
    refusal(RefusalCode::WrongType, path, format!("expected {expected}, found {found}"))
}

pub(super) fn over_limit(path: &Path<'_>, what: &str, unit: &str, max: usize) -> Refusal {
    refusal(RefusalCode::OverLimit, path, format!("expected {what} of at most {max} {unit}"))
}

pub(super) fn duplicate(path: &Path<'_>) -> Refusal {
    refusal(RefusalCode::DuplicateMember, path, "expected each member once, found a repeated name")
}

pub(super) fn lone_surrogate(path: &Path<'_>) -> Refusal {
    refusal(RefusalCode::LoneSurrogate, path, "expected Unicode text, found an unpaired surrogate")
}

pub(super) fn out_of_range(path: &Path<'_>, error: NumberError) -> Refusal {
    refusal(RefusalCode::NumberRange, path, error.to_string())
}

/// Returns the refusal of a whole text that the parser rejected.
pub(super) fn malformed(error: &serde_json::Error) -> Refusal {
    let (line, column) = (error.line(), error.column());
    let refusal = unreadable(&Path::Root, error);
    Refusal { message: format!("{} at line {line} column {column}", refusal.message), ..refusal }
}

/// Returns the refusal of a value that the parser rejected. It does not contain the value.
pub(super) fn unreadable(path: &Path<'_>, error: &serde_json::Error) -> Refusal {
    // Only the text of the parser's error has its reason.
    let text = error.to_string();
    let (code, found) = if text.contains("surrogate") || text.contains("end of hex escape") {
        (RefusalCode::LoneSurrogate, "an unpaired surrogate")
    } else if text.contains("number out of range") {
        (RefusalCode::NumberRange, "a number out of range")
    } else {
        (RefusalCode::MalformedJson, "a syntax error")
    };
    refusal(code, path, format!("expected JSON, found {found}"))
}

/// Returns what a parser found instead of an object. Returns `None` if the text is not JSON.
pub(super) fn found_no_object(error: &impl ToString) -> Option<&'static str> {
    // Only the text of the parser's error has it: "invalid type: ", or "number out of range". A
    // number has several names there, by its size and by the features of serde_json.
    let text = error.to_string();
    let found = text.strip_prefix("invalid type: ").unwrap_or(&text);
    let names = [
        ("boolean", "a boolean"),
        ("integer", "a number"),
        ("floating point", "a number"),
        ("number", "a number"),
        ("string", "a string"),
        ("sequence", "an array"),
    ];
    names.into_iter().find(|(name, _)| found.starts_with(name)).map(|(_, found)| found)
}
