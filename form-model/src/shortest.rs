//! The length of the shortest answer to a form. The decoder refuses a form if this length is over
//! the limit of an answer.

use alloc::{string::ToString as _, vec::Vec};

use crate::{Choice, ChoiceOption, Choices, Field, Format, Kind, Number, Numeric, Text};

/// The bytes of an answer without values, `{}`.
pub(crate) const EMPTY_BYTES: usize = 2;

/// The most bytes of a number's text: a sign, `0.00000`, 38 digits.
const NUMBER_BYTES_MAX: usize = 46;

impl Field {
    /// Returns the bytes of an answer after the field's shortest value is added to it.
    pub(crate) fn shortest_added_to(&self, answer_bytes: usize) -> usize {
        let comma = usize::from(answer_bytes > EMPTY_BYTES);
        let member = member_bytes(&self.name).saturating_add(self.kind.shortest());
        answer_bytes.saturating_add(comma).saturating_add(member)
    }
}

/// Returns the bytes of a member up to its value: `"name":`.
pub(crate) fn member_bytes(name: &str) -> usize {
    text_bytes(name).saturating_add(1)
}

impl Kind {
    /// Returns the bytes of the shortest value as JSON, or a few more where only a search would
    /// find it.
    fn shortest(&self) -> usize {
        match self {
            Self::Text(text) => text.shortest(),
            Self::Number(numeric) => numeric.shortest(|_| true),
            Self::Integer(numeric) => numeric.shortest(Number::is_integer),
            Self::Flag(_) => "true".len(),
            Self::Choice(Choice { options, .. }) => {
                options.iter().map(option_bytes).min().unwrap_or_default()
            }
            Self::Choices(choices) => choices.shortest(),
        }
    }
}

impl Text {
    fn shortest(&self) -> usize {
        usize::try_from(self.shortest_length()).unwrap_or(usize::MAX).saturating_add(2)
    }

    /// Returns the length of the shortest text within the bounds and in the format, in characters.
    pub(crate) fn shortest_length(&self) -> u64 {
        let length = self.format.map_or(0, |format| format.lengths().0);
        let length = length.max(self.length_min.unwrap_or_default());
        // A date-time of 21 characters would have a point without digits.
        let gap = length == 21 && self.format == Some(Format::DateTime);
        length.saturating_add(u64::from(gap))
    }
}

impl Numeric {
    fn shortest(&self, is_of_kind: impl Fn(Number) -> bool) -> usize {
        let short = [-1, 0, 1].map(|number| Some(Number::from(number)));
        let ends = [self.minimum, self.maximum].map(|bound| bound.map(|bound| bound.value));
        let numbers = short.into_iter().chain(ends).flatten();
        let fitting = numbers.filter(|number| self.contains(*number) && is_of_kind(*number));
        fitting.map(|number| number.to_string().len()).min().unwrap_or(NUMBER_BYTES_MAX)
    }
}

impl Choices {
    fn shortest(&self) -> usize {
        let count = usize::try_from(self.items_min.unwrap_or_default()).unwrap_or(usize::MAX);
        if count == 0 {
            return "[]".len();
        }
        let mut bytes: Vec<usize> = self.options.iter().map(option_bytes).collect();
        bytes.sort_unstable();
        // A comma or the closing bracket follows each option.
        bytes.iter().take(count).fold(1, |sum, option| sum.saturating_add(option + 1))
    }
}

fn option_bytes(option: &ChoiceOption) -> usize {
    text_bytes(&option.value)
}

/// Returns the bytes of a text as a JSON string, quotes included.
fn text_bytes(text: &str) -> usize {
    let byte = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(byte).fold(2, usize::saturating_add)
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;
    use crate::json::write_text;

    /// proves: FM-04
    #[test]
    fn the_bytes_of_a_text_are_those_that_are_written() {
        for text in (0..0x100).chain([0x2028, 0xffff, 0x1_0000]).filter_map(char::from_u32) {
            let mut written = String::new();
            write_text(&String::from(text), &mut written);
            assert_eq!(text_bytes(&String::from(text)), written.len(), "{text:?}");
        }
    }

    /// proves: FM-04
    #[test]
    fn the_shortest_text_is_as_long_as_its_bounds_and_its_format_ask() {
        let length = |length_min, format| {
            Text { length_min, length_max: None, format, default: None }.shortest_length()
        };
        assert_eq!(length(None, None), 0);
        assert_eq!(length(Some(21), None), 21);
        assert_eq!(length(Some(21), Some(Format::Uri)), 21);
        assert_eq!(length(Some(20), Some(Format::DateTime)), 20);
        assert_eq!(length(None, Some(Format::DateTime)), 20);
        assert_eq!(length(Some(21), Some(Format::DateTime)), 22, "no point without digits");
        assert_eq!(length(Some(u64::MAX), Some(Format::Uri)), u64::MAX);
    }

    /// proves: FM-04
    #[test]
    fn the_shortest_number_is_a_digit_where_that_is_within_the_bounds() {
        let bound = |text: &str| Some(crate::Bound::inclusive(text.parse().unwrap()));
        let bytes = |minimum, maximum| {
            Numeric { minimum, maximum, default: None }.shortest(Number::is_integer)
        };
        assert_eq!(bytes(None, None), 1);
        assert_eq!(bytes(bound("-1000"), bound("-0.5")), 2);
        assert_eq!(bytes(bound("1"), bound("1000")), 1);
        assert_eq!(bytes(bound("1000"), bound("1000.5")), 4);
        assert_eq!(bytes(bound("1000.25"), bound("1001.5")), NUMBER_BYTES_MAX, "found by a search");
    }

    /// proves: FM-04
    #[test]
    fn no_number_has_more_bytes_than_the_maximum() {
        let digits = "12345678901234567890123456789012345678";
        for power in [-43, -44, -37, -38, 0, 200, 270] {
            let number: Number = alloc::format!("-{digits}e{power}").parse().unwrap();
            assert!(number.to_string().len() <= NUMBER_BYTES_MAX, "{number}");
        }
    }
}
