//! One spelling for each number.

use alloc::{format, string::String};

/// Returns the exact value of a JSON number in the layout of ECMAScript's `Number::toString`.
///
/// A number whose decimal exponent has more than 18 characters, including its sign, is kept as it
/// is written. Such numbers match only if they are written in the same way.
pub(super) fn canonical_number(written: &str) -> String {
    let (sign, rest) = written.strip_prefix('-').map_or(("", written), |rest| ("-", rest));
    let (mantissa, power) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let power = if power.len() <= 18 { power.parse::<i64>().ok() } else { None };
    let Some(power) = power else { return written.into() };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let as_i64 = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let exponent = power - as_i64(fraction.len()) + as_i64(digits.len() - significant.len());
    match significant.trim_start_matches('0') {
        "" => "0".into(),
        significant => format!("{sign}{}", layout(significant, exponent)),
    }
}

/// Lays out significant digits times a power of ten as ECMAScript's `Number::toString` does. No zero
/// leads or ends the digits.
fn layout(digits: &str, exponent: i64) -> String {
    let length = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    // Where the point is, counted from the first digit.
    let point = length.saturating_add(exponent);
    let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
    let split = |at: i64| {
        usize::try_from(at).ok().and_then(|at| digits.split_at_checked(at)).unwrap_or((digits, ""))
    };
    match point {
        1..=21 if exponent >= 0 => format!("{digits}{}", zeros(exponent)),
        1..=21 => {
            let (whole, fraction) = split(point);
            format!("{whole}.{fraction}")
        }
        -5..=0 => format!("0.{}{digits}", zeros(-point)),
        _ => {
            let (first, rest) = split(1);
            let dot = if rest.is_empty() { "" } else { "." };
            let sign = if point > 0 { "+" } else { "-" };
            format!("{first}{dot}{rest}e{sign}{}", (point - 1).unsigned_abs())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples are what ECMAScript engines print.
    ///
    /// proves: ST-03
    #[test]
    fn digits_and_an_exponent_are_laid_out_as_ecmascript_has_them() {
        for (digits, exponent, expected) in [
            ("1", 0, "1"),
            ("15", -1, "1.5"),
            ("12", 3, "12000"),
            ("1", 20, "100000000000000000000"),
            ("123456789012345678901", 0, "123456789012345678901"),
            ("1234567890123456789012", -1, "123456789012345678901.2"),
            ("1", 21, "1e+21"),
            ("1", 30, "1e+30"),
            ("12", 20, "1.2e+21"),
            ("1", -1, "0.1"),
            ("123", -3, "0.123"),
            ("1", -6, "0.000001"),
            ("12", -7, "0.0000012"),
            ("1", -7, "1e-7"),
            ("123", -9, "1.23e-7"),
        ] {
            assert_eq!(layout(digits, exponent), expected, "{digits}e{exponent}");
        }
    }

    /// proves: ST-03
    #[test]
    fn a_number_has_one_spelling() {
        for (spellings, expected) in [
            (&["0", "-0", "0.000", "0e7", "-0E-7"][..], "0"),
            (&["1", "1.0", "1e0", "10e-1", "0.1E+1"], "1"),
            (&["-25e-1", "-2.50"], "-2.5"),
            (
                &["9007199254740993", "9007199254740993.0", "9.007199254740993e15"],
                "9007199254740993",
            ),
            (&["1e21", "1000000000000000000000"], "1e+21"),
        ] {
            for spelling in spellings {
                assert_eq!(canonical_number(spelling), expected, "{spelling}");
            }
        }
    }
}
