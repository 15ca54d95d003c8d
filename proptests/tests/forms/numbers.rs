//! Properties of exact numbers.

use form_model::Number;
use proptest::prelude::*;

/// Writes JSON numbers, short and long, small and large.
fn written() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?",
        "-?(0|[1-9][0-9]{0,41})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?",
        "-?[1-9]0{0,25}[0-9]?(\\.0{0,25}[0-9])?",
        any::<f64>()
            .prop_filter("finite", |value| value.is_finite())
            .prop_map(|v| format!("{v:e}")),
    ]
}

/// Writes a double in one of the ways that name it.
fn named(value: f64, way: u8) -> String {
    match way % 4 {
        0 => format!("{value:e}"),
        1 => format!("{value}"),
        2 => format!("{value:.20e}"),
        _ => format!("{value:.16e}"),
    }
}

/// Counts the digits from the first to the last that is not zero.
fn significant_digits(text: &str) -> usize {
    let mantissa = text.split(['e', 'E']).next().unwrap();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').len()
}

proptest! {
    #![proptest_config(super::config(2_000))]

    /// proves: FM-07, PR-02
    #[test]
    fn what_is_written_reads_back_as_the_same_number(text in written()) {
        let Ok(number) = text.parse::<Number>() else { return Ok(()) };
        let written = number.to_string();
        let again: Number = written.parse().unwrap();
        prop_assert_eq!(again, number);
        prop_assert_eq!(again.to_string(), &*written, "one number has one text");
        prop_assert!(serde_json::from_str::<f64>(&written).is_ok(), "{} is JSON", written);
    }

    /// proves: FM-07, PR-02
    #[test]
    fn a_number_is_nearest_to_the_double_that_every_peer_reads(text in written()) {
        let Ok(number) = text.parse::<Number>() else { return Ok(()) };
        prop_assert_eq!(number.to_f64(), text.parse::<f64>().unwrap(), "{}", text);
    }

    /// proves: FM-07, PR-02
    #[test]
    fn what_no_number_holds_is_too_large_or_has_too_many_digits(text in written()) {
        let Err(error) = text.parse::<Number>() else { return Ok(()) };
        let is_infinite = text.parse::<f64>().unwrap().is_infinite();
        prop_assert!(is_infinite || significant_digits(&text) > 38, "{}: {}", text, error);
    }

    /// proves: FM-07, PR-02
    #[test]
    fn numbers_are_ordered_as_the_doubles_that_can_tell_them_apart(
        a in written(),
        b in written(),
    ) {
        assert_ordered(&a, &b)?;
    }

    /// proves: FM-07, PR-02
    #[test]
    fn neighbours_among_the_doubles_are_told_apart(
        value in any::<f64>().prop_filter("finite", |value| value.is_finite()),
        ways in any::<(u8, u8)>(),
    ) {
        assert_ordered(&named(value, ways.0), &named(value.next_up(), ways.1))?;
    }

    /// proves: FM-07, PR-02
    #[test]
    fn integers_are_ordered_exactly(a in any::<i64>(), by in 0_i64..3) {
        let b = a.saturating_add(by);
        let (left, right): (Number, Number) = (a.to_string().parse().unwrap(), b.into());
        prop_assert_eq!(left.cmp(&right), a.cmp(&b));
        prop_assert_eq!(left.to_i64(), Some(a));
    }
}

fn assert_ordered(a: &str, b: &str) -> Result<(), TestCaseError> {
    let (Ok(left), Ok(right)) = (a.parse::<Number>(), b.parse::<Number>()) else { return Ok(()) };
    let (x, y): (f64, f64) = (a.parse().unwrap(), b.parse().unwrap());
    if x != y {
        prop_assert_eq!(Some(left.cmp(&right)), x.partial_cmp(&y), "{} and {}", a, b);
        prop_assert_eq!(right.cmp(&left), left.cmp(&right).reverse());
    }
    prop_assert_eq!(left == right, left.cmp(&right).is_eq());
    Ok(())
}
