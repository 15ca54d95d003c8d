//! Exact decimal numbers.
//!
//! A [`Number`] is a decimal coefficient and a power of ten. A bound of `9007199254740993` or `0.1`
//! means exactly that value, and is compared exactly. Only [`Number::parse_nearest`] rounds
//! what it reads.

use alloc::string::{String, ToString};
use core::{cmp::Ordering, fmt, str::FromStr};

use thiserror::Error;

/// A finite decimal number that compares exactly.
///
/// It has at most 38 significant digits. It is within the range of an `f64`, about ±1.8e308,
/// because other programs cannot read larger numbers. `1`, `1.0` and `1e0` are the same number;
/// `-0` is `0`.
///
/// ```
/// use form_model::Number;
///
/// let exact: Number = "9007199254740993".parse()?;
/// assert!(exact > Number::from(9_007_199_254_740_992_i64));
/// assert_eq!("1e2".parse::<Number>()?, "100.0".parse()?);
/// assert_eq!("1e2".parse::<Number>()?.to_string(), "100");
/// assert!("1e999".parse::<Number>().is_err());
/// # Ok::<(), form_model::NumberError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    /// Without trailing zeros, and below 10^38 in magnitude.
    coefficient: i128,
    /// The power of ten. Zero if the coefficient is zero.
    exponent: i16,
}

/// Why a text is not a [`Number`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NumberError {
    /// The text is not a JSON number.
    #[error("expected a number such as 12, -3.5 or 1e6")]
    Syntax,
    /// The value is beyond the range of an `f64`.
    #[error("expected a number between -1.8e308 and 1.8e308")]
    Range,
    /// The value has more than 38 significant digits.
    #[error("expected a number of at most 38 significant digits")]
    Precision,
}

const DIGITS_MAX: u32 = 38;
/// The most digits of the shortest decimal of an `f64`.
const FRACTION_DIGITS_MAX: u32 = 17;
/// The least power of ten that an `f64` distinguishes from zero.
const EXPONENT_MIN: i64 = -324;

impl Number {
    /// Zero.
    pub const ZERO: Self = Self { coefficient: 0, exponent: 0 };

    /// Reads a JSON number as most JSON parsers do: a long fraction is rounded to the nearest
    /// `f64`.
    ///
    /// A fraction is long if it has more than 17 significant digits. An integer is never rounded.
    /// Answers are read like this, because many programs write more digits than an `f64` holds.
    ///
    /// ```
    /// use form_model::Number;
    ///
    /// let read = Number::parse_nearest("0.3000000000000000000000001")?;
    /// assert_eq!(read, "0.3".parse()?);
    /// # Ok::<(), form_model::NumberError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NumberError`] if the text is not a JSON number, or if a [`Number`] cannot hold its value.
    pub fn parse_nearest(text: &str) -> Result<Self, NumberError> {
        let found = scan(text.as_bytes())?;
        if found.exponent < 0 && found.digits > FRACTION_DIGITS_MAX {
            return nearest_f64(text);
        }
        text.parse()
    }

    /// Returns whether the value is a whole number, however it was written.
    #[must_use]
    pub const fn is_integer(self) -> bool {
        self.exponent >= 0
    }

    /// Returns the value as an `i64`, if it is a whole number in that range.
    #[must_use]
    pub fn to_i64(self) -> Option<i64> {
        self.to_integer()
    }

    /// Returns the value as a `u64`, if it is a whole number in that range.
    #[must_use]
    pub fn to_u64(self) -> Option<u64> {
        self.to_integer()
    }

    /// Returns the `f64` nearest to the value. It may lose digits. It is never infinite or NaN.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// Converts an `f64` that a parser made of some text.
    ///
    /// Returns `None` from 2^64 on: the parser may have rounded another integer.
    pub(crate) fn from_parsed(double: f64) -> Option<Self> {
        (double.abs() < 18_446_744_073_709_551_616.0).then(|| Self::try_from(double).ok())?
    }

    /// Returns whether this is a fraction that every parser reads as the same `f64`. Its digits and
    /// its power of ten are so small that each is exactly an `f64`.
    pub(crate) fn is_plain_fraction(self) -> bool {
        self.digits() <= 15 && (-22..0).contains(&self.exponent)
    }

    /// Returns the least whole number that is at least the value.
    pub(crate) fn ceiling(self) -> Self {
        if self.is_integer() {
            return self;
        }
        // The coefficient is below 10^38: divided by any larger scale, it is 0 or -1.
        let scale = 10_i128.checked_pow(self.exponent.unsigned_abs().into()).unwrap_or(i128::MAX);
        let whole = self.coefficient.div_euclid(scale) + 1;
        Self::new(whole, 0).unwrap_or(Self::ZERO)
    }

    /// Returns the next whole number after a whole number. Returns the number itself if the next
    /// one needs more than 38 digits.
    pub(crate) fn successor(self) -> Self {
        let whole: Option<i128> = self.to_integer();
        whole.and_then(|whole| Self::new(whole.checked_add(1)?, 0).ok()).unwrap_or(self)
    }

    fn to_integer<T: TryFrom<i128>>(self) -> Option<T> {
        let scale = 10_i128.checked_pow(u32::try_from(self.exponent).ok()?)?;
        T::try_from(self.coefficient.checked_mul(scale)?).ok()
    }

    /// Makes a number of a coefficient and a power of ten. The coefficient may end in zeros.
    fn new(coefficient: i128, exponent: i64) -> Result<Self, NumberError> {
        if coefficient == 0 {
            return Ok(Self::ZERO);
        }
        let (mut coefficient, mut exponent) = (coefficient, exponent);
        while coefficient % 10 == 0 {
            coefficient /= 10;
            exponent += 1;
        }
        let number = Self {
            coefficient,
            exponent: i16::try_from(exponent).map_err(|_| NumberError::Range)?,
        };
        if number.digits() > DIGITS_MAX {
            return Err(NumberError::Precision);
        }
        if number.magnitude() > 309 || (number.magnitude() == 309 && number.is_beyond_f64()) {
            return Err(NumberError::Range);
        }
        Ok(number)
    }

    fn is_beyond_f64(self) -> bool {
        self.to_string().parse::<f64>().is_ok_and(f64::is_infinite)
    }

    fn digits(self) -> u32 {
        self.coefficient.unsigned_abs().checked_ilog10().map_or(1, |log| log + 1)
    }

    /// Returns the power of ten just above the value: numbers of different magnitudes compare as
    /// their magnitudes do.
    fn magnitude(self) -> i32 {
        self.digits().cast_signed() + i32::from(self.exponent)
    }
}

/// The parts of a number's text.
struct Scan {
    coefficient: i128,
    digits: u32,
    exponent: i64,
}

/// Reads the parts of a JSON number. Leading zeros do not count as digits.
fn scan(text: &[u8]) -> Result<Scan, NumberError> {
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mantissa_end = rest.iter().position(|b| matches!(b, b'e' | b'E')).unwrap_or(rest.len());
    let (mantissa, power) = rest.split_at_checked(mantissa_end).unwrap_or((rest, &[]));
    let point = mantissa.iter().position(|b| *b == b'.').unwrap_or(mantissa.len());
    let (whole, fraction) = mantissa.split_at_checked(point).unwrap_or((mantissa, &[]));
    let fraction = match fraction {
        [] => fraction,
        [_] => return Err(NumberError::Syntax),
        [_, digits @ ..] => digits,
    };
    let whole_is_well_formed = match whole {
        [] => false,
        [b'0'] => true,
        [first, ..] => *first != b'0',
    };
    if !whole_is_well_formed || !whole.iter().chain(fraction).all(u8::is_ascii_digit) {
        return Err(NumberError::Syntax);
    }
    let mut found = Scan { coefficient: 0, digits: 0, exponent: scan_power(power)? };
    let mut zeros: u32 = 0;
    for (at, byte) in whole.iter().chain(fraction).enumerate() {
        if at >= whole.len() {
            found.exponent = found.exponent.saturating_sub(1);
        }
        // Zeros wait until a digit follows them, so that 1.000..0 of any length is 1.
        if *byte == b'0' {
            zeros = zeros.saturating_add(1);
            continue;
        }
        let shift = if found.digits == 0 { 1 } else { zeros.saturating_add(1) };
        zeros = 0;
        found.digits = found.digits.saturating_add(shift);
        if found.digits <= DIGITS_MAX {
            found.coefficient = found.coefficient * 10_i128.pow(shift) + i128::from(*byte - b'0');
        }
    }
    found.exponent = found.exponent.saturating_add(i64::from(zeros));
    if negative {
        found.coefficient = -found.coefficient;
    }
    Ok(found)
}

/// Reads a power such as `e12`, `E+3` or `e-400`, or none. A power that is too large saturates.
fn scan_power(text: &[u8]) -> Result<i64, NumberError> {
    let (negative, digits) = match text {
        [] => return Ok(0),
        [_, b'-', digits @ ..] => (true, digits),
        [_, b'+', digits @ ..] | [_, digits @ ..] => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(NumberError::Syntax);
    }
    let power = digits.iter().fold(0_i64, |power, digit| {
        power.saturating_mul(10).saturating_add(i64::from(*digit - b'0')).min(1_000_000_000_000)
    });
    Ok(if negative { -power } else { power })
}

impl FromStr for Number {
    type Err = NumberError;

    /// Reads the text of a JSON number. A sign `+`, white space and `.5` are not JSON.
    ///
    /// The value is exact, except that a value closer to zero than 1e-325 becomes 0.
    ///
    /// # Errors
    ///
    /// [`NumberError`] if the text is not a JSON number, or if a [`Number`] cannot hold its value.
    fn from_str(text: &str) -> Result<Self, NumberError> {
        let found = scan(text.as_bytes())?;
        if found.digits == 0 {
            return Ok(Self::ZERO);
        }
        if found.digits > DIGITS_MAX {
            return Err(NumberError::Precision);
        }
        if found.exponent + i64::from(found.digits) < EXPONENT_MIN {
            return nearest_f64(text);
        }
        Self::new(found.coefficient, found.exponent)
    }
}

/// Returns the shortest decimal of the `f64` that is nearest to a number.
fn nearest_f64(text: &str) -> Result<Number, NumberError> {
    text.parse::<f64>().map_err(|_| NumberError::Syntax)?.try_into()
}

impl TryFrom<f64> for Number {
    type Error = NumberError;

    /// Converts an `f64` to the shortest decimal that reads back as the same `f64`.
    ///
    /// # Errors
    ///
    /// [`NumberError::Range`] if the value is infinite or NaN.
    fn try_from(value: f64) -> Result<Self, NumberError> {
        if !value.is_finite() {
            return Err(NumberError::Range);
        }
        let found = scan(alloc::format!("{value:e}").as_bytes())?;
        Self::new(found.coefficient, found.exponent)
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Number {
            fn from(value: $integer) -> Self {
                Self::new(i128::from(value), 0).unwrap_or(Self::ZERO)
            }
        }
    )*};
}
from_integers!(i32, i64, u32, u64);

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.exponent == other.exponent {
            return self.coefficient.cmp(&other.coefficient);
        }
        let by_sign = self.coefficient.signum().cmp(&other.coefficient.signum());
        if by_sign != Ordering::Equal || self.coefficient == 0 {
            return by_sign;
        }
        let by_magnitude = self.magnitude().cmp(&other.magnitude());
        let by_magnitude = if self.coefficient < 0 { by_magnitude.reverse() } else { by_magnitude };
        if by_magnitude != Ordering::Equal {
            return by_magnitude;
        }
        // The magnitudes are equal, so the exponents differ by less than 38 and nothing overflows.
        let scaled = |number: &Self, least: i16| {
            number.coefficient * 10_i128.pow((number.exponent - least).unsigned_abs().into())
        };
        let least = self.exponent.min(other.exponent);
        scaled(self, least).cmp(&scaled(other, least))
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Number {
    /// Writes the number as JSON, in the layout of JavaScript: `1e20` as plain digits, `1e21` with
    /// an exponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.coefficient.unsigned_abs().to_string();
        if self.coefficient < 0 {
            f.write_str("-")?;
        }
        f.write_str(&decimal_layout(&digits, i64::from(self.exponent)))
    }
}

/// Writes digits times a power of ten in the layout of ECMAScript's `Number::toString`. The digits
/// neither begin nor end with a zero.
fn decimal_layout(digits: &str, exponent: i64) -> String {
    let length = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    let point = length.saturating_add(exponent);
    let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
    let split = |at: i64| {
        usize::try_from(at).ok().and_then(|at| digits.split_at_checked(at)).unwrap_or((digits, ""))
    };
    if exponent >= 0 && point <= 21 {
        return alloc::format!("{digits}{}", zeros(exponent));
    }
    if point > 0 && point <= 21 {
        let (whole, fraction) = split(point);
        return alloc::format!("{whole}.{fraction}");
    }
    if point > -6 && point <= 0 {
        return alloc::format!("0.{}{digits}", zeros(-point));
    }
    let (first, rest) = split(1);
    let dot = if rest.is_empty() { "" } else { "." };
    let sign = if point > 0 { "+" } else { "-" };
    alloc::format!("{first}{dot}{rest}e{sign}{}", (point - 1).unsigned_abs())
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        text.parse().unwrap()
    }

    /// proves: FM-07
    #[test]
    fn one_value_has_one_number_however_it_is_written() {
        for same in
            ["1", "1.0", "1e0", "10e-1", "0.1E+1", "1.000000000000000000000000000000000000000000"]
        {
            assert_eq!(number(same), Number::from(1));
            assert!(number(same).is_integer());
        }
        assert_eq!(number("-0.0"), Number::ZERO);
        assert_eq!(number("0e99999999999999999999"), Number::ZERO);
        assert!(!number("1.5").is_integer());
    }

    /// proves: FM-07
    #[test]
    fn integers_beyond_the_doubles_compare_exactly() {
        assert!(number("9007199254740993") > number("9007199254740992"));
        assert!(number("18446744073709551616") > number("18446744073709551615"));
        assert_eq!(number("18446744073709551615").to_u64(), Some(u64::MAX));
        assert_eq!(number("18446744073709551616").to_u64(), None);
        assert_eq!(number("-9223372036854775808").to_i64(), Some(i64::MIN));
        assert_eq!(
            number("99999999999999999999999999999999999999").to_string(),
            "9.9999999999999999999999999999999999999e+37"
        );
    }

    /// proves: FM-07
    #[test]
    fn decimals_compare_exactly() {
        assert!(number("0.30000000000000004") > number("0.3"));
        assert!(number("0.09999999999999999") < number("0.1"));
        assert_eq!(number("0.1000"), number("1e-1"));
        assert!(number("0.3000000000000000000000001") > number("0.3"));
        assert!(number("10000000000000000.5") > number("10000000000000000"));
        let nearest = |text: &str| Number::parse_nearest(text).unwrap();
        assert_eq!(nearest("0.3000000000000000000000001"), number("0.3"));
        assert_eq!(nearest("0.30000000000000004"), number("0.30000000000000004"));
        assert_eq!(nearest("0.30000000000000001"), number("0.30000000000000001"));
        assert_eq!(nearest("9007199254740993"), number("9007199254740993"));
        assert!(number("-1e-300") < Number::ZERO);
        assert!(number("-2") < number("-1.5"));
        assert!(number("-1e300") < number("-1e299"));
        assert!(number("1e300") > number("2"));
    }

    /// proves: FM-07
    #[test]
    fn numbers_beyond_the_bounds_are_refused() {
        for (text, error) in [
            ("1e999", NumberError::Range),
            ("-1e999", NumberError::Range),
            ("1.7976931348623159e308", NumberError::Range),
            ("1e99999999999999999999999", NumberError::Range),
            ("1234567890123456789012345678901234567891", NumberError::Precision),
            ("0.1000000000000000055511151231257827021181583404541015625", NumberError::Precision),
            ("NaN", NumberError::Syntax),
            ("Infinity", NumberError::Syntax),
            ("", NumberError::Syntax),
            ("-", NumberError::Syntax),
            ("01", NumberError::Syntax),
            ("1.", NumberError::Syntax),
            (".5", NumberError::Syntax),
            ("+1", NumberError::Syntax),
            ("1e", NumberError::Syntax),
            ("1 ", NumberError::Syntax),
            ("0x1", NumberError::Syntax),
        ] {
            assert_eq!(text.parse::<Number>(), Err(error), "{text}");
        }
        assert_eq!(number("1.7976931348623157e308").to_f64(), f64::MAX);
        for (tiny, held) in [("1e-400", "0"), ("9.9e-326", "0"), ("1e-325", "1e-325")] {
            assert_eq!(number(tiny).to_string(), held);
        }
        assert_eq!(number("5e-324").to_f64(), 5e-324);
        assert_eq!(Number::try_from(f64::NAN), Err(NumberError::Range));
        assert_eq!(Number::try_from(95.5), Ok(number("95.5")));
    }

    /// proves: FM-07
    #[test]
    fn numbers_are_written_as_short_json() {
        for (text, written) in [
            ("50.0", "50"),
            ("1e2", "100"),
            ("-0.5", "-0.5"),
            ("123.456", "123.456"),
            ("1e21", "1e+21"),
            ("1e20", "100000000000000000000"),
            ("1.5e-7", "1.5e-7"),
            ("0.000001", "0.000001"),
            ("-1.25e300", "-1.25e+300"),
        ] {
            assert_eq!(number(text).to_string(), written);
            assert_eq!(number(written), number(text));
        }
    }
}
