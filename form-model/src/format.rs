//! The text formats that MCP names.

/// A format of a text field. MCP names these four.
///
/// ```
/// use form_model::Format;
///
/// assert!(Format::Date.matches("2028-02-29"));
/// assert!(!Format::Date.matches("2027-02-29"));
/// assert_eq!(Format::from_name("date"), Some(Format::Date));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// An e-mail address: a mailbox of RFC 5321, in ASCII.
    Email,
    /// A URI of RFC 3986, with a scheme.
    Uri,
    /// A date: a full-date of RFC 3339, from year 0000 to 9999.
    Date,
    /// A date and time: a date-time of RFC 3339, with an offset. `T` and `Z` may be lower case.
    DateTime,
}

impl Format {
    /// Returns all formats.
    #[must_use]
    pub const fn all() -> &'static [Self] {
        &[Self::Email, Self::Uri, Self::Date, Self::DateTime]
    }

    /// Returns the format of that name in schemas, such as `date-time`. Names are case-sensitive.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().iter().copied().find(|format| format.name() == name)
    }

    /// Returns the name of the format in schemas.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Date => "date",
            Self::DateTime => "date-time",
        }
    }

    /// Returns words for a person who must enter such a text, such as `an e-mail address`.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Email => "an e-mail address",
            Self::Uri => "a URL with its scheme, such as https://example.com/",
            Self::Date => "a date such as 2026-07-28",
            Self::DateTime => "a date and time such as 2026-07-28T12:00:00Z",
        }
    }

    /// Returns the least and the greatest length of a text in the format, in characters.
    pub(crate) const fn lengths(self) -> (u64, u64) {
        match self {
            Self::Email => (3, MAILBOX_BYTES_MAX as u64),
            Self::Uri => (2, u64::MAX),
            Self::Date => (10, 10),
            Self::DateTime => (20, u64::MAX),
        }
    }

    /// Returns whether a text is in the format.
    ///
    /// The syntax and the calendar are checked, nothing else: 30 February does not match, but a
    /// host need not exist, and a date may be in the past. A leap second is allowed only as
    /// 23:59:60 UTC. An e-mail address has at most 254 bytes; other texts may have any length. The
    /// time is linear in the length.
    #[must_use]
    pub fn matches(self, text: &str) -> bool {
        match self {
            Self::Email => is_mailbox(text),
            Self::Uri => fluent_uri::Uri::parse(text).is_ok(),
            Self::Date => is_date(text.as_bytes()),
            Self::DateTime => is_date_time(text.as_bytes()),
        }
    }
}

/// The longest mailbox: a path has 256 bytes with its brackets (RFC 5321 4.5.3.1.3).
const MAILBOX_BYTES_MAX: usize = 254;

/// Returns whether a text is a `Mailbox` (RFC 5321 4.1.2) within the lengths of 4.5.3.1.
fn is_mailbox(text: &str) -> bool {
    // A quoted local part may have an "@", and a domain may not.
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    text.len() <= MAILBOX_BYTES_MAX
        && local.len() <= 64
        && (is_dot_string(local) || is_quoted_string(local))
        && (is_domain(domain) || is_address_literal(domain))
}

fn is_dot_string(text: &str) -> bool {
    let is_atom_byte =
        |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
    text.split('.').all(|atom| !atom.is_empty() && atom.bytes().all(is_atom_byte))
}

fn is_quoted_string(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
        return false;
    };
    if text.len() < 2 {
        return false;
    }
    let mut bytes = inner.bytes();
    while let Some(byte) = bytes.next() {
        let sound = match byte {
            b'\\' => bytes.next().is_some_and(|byte| (32..=126).contains(&byte)),
            b'"' => false,
            byte => (32..=126).contains(&byte),
        };
        if !sound {
            return false;
        }
    }
    true
}

fn is_domain(text: &str) -> bool {
    let is_label = |label: &str| {
        let ends_well = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && ends_well(label.bytes().next())
            && ends_well(label.bytes().last())
    };
    text.split('.').all(is_label)
}

fn is_address_literal(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) else {
        return false;
    };
    match inner.split_at_checked(5) {
        Some((tag, address)) if tag.eq_ignore_ascii_case("IPv6:") => {
            address.parse::<core::net::Ipv6Addr>().is_ok()
        }
        _ => inner.parse::<core::net::Ipv4Addr>().is_ok(),
    }
}

/// Reads a number of exactly `count` digits, and returns it and the rest.
fn digits(text: &[u8], count: usize) -> Option<(u32, &[u8])> {
    let (digits, rest) = text.split_at_checked(count)?;
    let value = digits.iter().try_fold(0, |value: u32, digit| {
        digit.is_ascii_digit().then(|| value * 10 + u32::from(digit - b'0'))
    })?;
    Some((value, rest))
}

/// Reads one of some bytes, and returns the rest.
fn byte<'t>(text: &'t [u8], allowed: &[u8]) -> Option<&'t [u8]> {
    let (first, rest) = text.split_first()?;
    allowed.contains(first).then_some(rest)
}

/// Reads a full-date, and returns the rest.
fn date(text: &[u8]) -> Option<&[u8]> {
    let (year, rest) = digits(text, 4)?;
    let (month, rest) = digits(byte(rest, b"-")?, 2)?;
    let (day, rest) = digits(byte(rest, b"-")?, 2)?;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => return None,
    };
    (1..=days).contains(&day).then_some(rest)
}

fn is_date(text: &[u8]) -> bool {
    date(text).is_some_and(<[u8]>::is_empty)
}

fn is_date_time(text: &[u8]) -> bool {
    date_time(text).is_some_and(<[u8]>::is_empty)
}

/// Reads a date-time, and returns the rest.
fn date_time(text: &[u8]) -> Option<&[u8]> {
    let rest = byte(date(text)?, b"Tt")?;
    let (hour, rest) = digits(rest, 2)?;
    let (minute, rest) = digits(byte(rest, b":")?, 2)?;
    let (second, mut rest) = digits(byte(rest, b":")?, 2)?;
    if let Some(fraction) = byte(rest, b".") {
        let count = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        rest = fraction.get(count..).filter(|_| count > 0)?;
    }
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (offset, rest) = offset_minutes(rest)?;
    // A leap second is the last second of a day in UTC.
    let minute_of_day = (i64::from(hour * 60 + minute) - offset).rem_euclid(24 * 60);
    (second < 60 || minute_of_day == 24 * 60 - 1).then_some(rest)
}

/// Reads `Z` or `+hh:mm`, and returns the offset from UTC in minutes and the rest.
fn offset_minutes(text: &[u8]) -> Option<(i64, &[u8])> {
    if let Some(rest) = byte(text, b"Zz") {
        return Some((0, rest));
    }
    let sign = if text.first()? == &b'-' { -1 } else { 1 };
    let (hours, rest) = digits(byte(text, b"+-")?, 2)?;
    let (minutes, rest) = digits(byte(rest, b":")?, 2)?;
    (hours <= 23 && minutes <= 59).then_some((sign * i64::from(hours * 60 + minutes), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: Format, right: &[&str], wrong: &[&str]) {
        for text in right {
            assert!(format.matches(text), "{text} is {}", format.describe());
        }
        for text in wrong {
            assert!(!format.matches(text), "{text} is not {}", format.describe());
        }
    }

    #[test]
    fn each_format_is_found_by_its_name_and_has_words_of_its_own() {
        assert_eq!(Format::from_name("uuid"), None);
        for format in Format::all() {
            assert_eq!(Format::from_name(format.name()), Some(*format));
            let is_its_own =
                |other: &Format| other == format || other.describe() != format.describe();
            assert!(format.describe().starts_with("a") && Format::all().iter().all(is_its_own));
        }
    }

    /// proves: FM-01, FM-06
    #[test]
    fn an_email_address_is_a_mailbox_of_rfc_5321() {
        let local = "l".repeat(64);
        let label = "d".repeat(63);
        let longest = alloc::format!("{local}@{label}.com");
        let long_local = alloc::format!("{local}l@example.com");
        let long_label = alloc::format!("a@{label}d.com");
        let long_domain = alloc::format!("a@{label}.{label}.{label}.{}.com", "d".repeat(57));
        let longest_domain = alloc::format!("a@{label}.{label}.{label}.{}.com", "d".repeat(56));
        check(
            Format::Email,
            &[
                "a@b",
                "octocat@github.com",
                "user+tag@example.com",
                "o'brien@example.com",
                "!#$%&'*+-/=?^_`{|}~@example.com",
                "\"john doe\"@example.com",
                "\"a\\\"b\"@example.com",
                "\"a@b\"@example.com",
                "\"\"@example.com",
                "user@[192.0.2.1]",
                "user@[IPv6:2001:db8::1]",
                "user@xn--fsqu00a.xn--0zwm56d",
                "a@1.2",
                &longest,
                &longest_domain,
            ],
            &[
                "",
                "@",
                "a",
                "a@",
                "@b",
                "a b@c",
                "a@b c",
                " a@b",
                "a@b ",
                ".a@b",
                "a.@b",
                "a..b@c",
                "a@-b",
                "a@b-",
                "a@b.",
                "a@.b",
                "a@b..c",
                "a@b_c",
                "a@@b",
                "\"a@b",
                "\"@b",
                "\"a\"b\"@c",
                "\"a\\\"@c",
                "user@[192.0.2.256]",
                "user@[2001:db8::1]",
                "user@[]",
                "ü@example.com",
                "a@exämple.com",
                "a@b\n",
                &long_local,
                &long_label,
                &long_domain,
            ],
        );
    }

    /// proves: FM-01, FM-06
    #[test]
    fn a_uri_has_a_scheme_and_only_what_rfc_3986_allows() {
        check(
            Format::Uri,
            &[
                "https://example.com/",
                "urn:isbn:0451450523",
                "x:",
                "mailto:a@b",
                "http://[::1]:80/?q#f",
                "a:%20",
            ],
            &[
                "",
                "example.com",
                "/path",
                "//host",
                "https://exa mple.com",
                "http://é/",
                "a:%2",
                "1a:b",
                "http://[::1",
                ":x",
            ],
        );
    }

    /// proves: FM-01, FM-06
    #[test]
    fn dates_are_those_of_the_calendar() {
        check(
            Format::Date,
            &["2024-02-29", "2000-02-29", "2023-02-28", "0000-01-01", "9999-12-31"],
            &[
                "2023-02-29",
                "1900-02-29",
                "2024-04-31",
                "2024-13-01",
                "2024-00-01",
                "2024-01-00",
                "2024-1-1",
                "24-01-01",
                "10000-01-01",
                "2024-01-01T00:00:00Z",
                "２０２４-01-01",
                "2024/01/01",
                "",
                "-024-01-01",
            ],
        );
    }

    /// proves: FM-01, FM-06
    #[test]
    fn a_date_time_has_an_offset_and_a_leap_second_only_at_the_end_of_a_day_of_utc() {
        check(
            Format::DateTime,
            &[
                "2026-07-28T12:00:00Z",
                "2026-07-28t12:00:00z",
                "2026-07-28T12:00:00.123456789+02:00",
                "2026-07-28T23:59:59-23:59",
                "2015-06-30T23:59:60Z",
                "2015-07-01T01:59:60+02:00",
                "2015-06-30T15:59:60-08:00",
                "2015-07-01T05:29:60+05:30",
                "2026-07-28T00:00:00-00:00",
            ],
            &[
                "2026-07-28",
                "2026-07-28T12:00:00",
                "2026-07-28 12:00:00Z",
                "2026-07-28T12:00Z",
                "2026-07-28T24:00:00Z",
                "2026-07-28T12:60:00Z",
                "2026-07-28T12:00:61Z",
                "2015-06-30T22:59:60Z",
                "2015-06-30T23:59:60+01:00",
                "2026-07-28T12:00:00.Z",
                "2026-07-28T12:00:00,5Z",
                "2026-07-28T12:00:00+2:00",
                "2026-07-28T12:00:00+24:00",
                "2026-07-28T12:00:00+0200",
                "2026-02-30T12:00:00Z",
                "2026-07-28T12:00:00ZZ",
            ],
        );
    }
}
