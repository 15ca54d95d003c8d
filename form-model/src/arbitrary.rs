//! Arbitrary forms, answers and schemas, for property tests and fuzz targets. With this feature the
//! crate links `std`, because the crate `arbitrary` does.

use alloc::{format, string::String, vec::Vec};

use arbitrary::{Arbitrary, Error, Result, Unstructured};

use crate::{
    BuiltField, ChoiceField, Choices, ChoicesField, Content, Field, FlagField, Form, FormBuilder,
    Format, IntegerField, Kind, Number, NumberField, Numeric, Text, TextField, Value,
};

impl<'a> Arbitrary<'a> for Form {
    /// Makes a form that a server can build: fields of every kind, with bounds and defaults.
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let mut builder = FormBuilder::new();
        for index in 0..u.int_in_range(0..=6)? {
            builder = builder.field(field(u, index)?);
        }
        builder.build().map_err(|_| Error::IncorrectFormat)
    }
}

fn field(u: &mut Unstructured<'_>, index: u8) -> Result<BuiltField> {
    let stem = *u.choose(&["name", "größe", "a b", "$ref", "type", "", "__proto__", "e~/f"])?;
    let name = format!("{stem}{index}");
    macro_rules! common {
        ($builder:expr) => {{
            let mut builder = $builder;
            if u.arbitrary()? {
                builder = builder.title(format!("Field {index}"));
            }
            if u.arbitrary()? {
                builder = builder.description("Line one\nline two");
            }
            if u.arbitrary()? {
                builder = builder.required();
            }
            builder
        }};
    }
    Ok(match u.int_in_range(0..=5)? {
        0 => {
            let mut text = common!(TextField::new(name));
            if u.arbitrary()? {
                text = text.format(*u.choose(Format::all())?);
            } else {
                let least: u8 = u.int_in_range(0..=8)?;
                text = text.length_min(least.into()).length_max(u.int_in_range(least..=20)?.into());
                text = text.default("ä".repeat(least.into()).as_str());
            }
            text.into()
        }
        1 => {
            let least: i16 = u.arbitrary()?;
            let number =
                |tenths: i32| Number::try_from(f64::from(tenths) / 10.0).unwrap_or(Number::ZERO);
            let least = i32::from(least);
            let most = least + i32::from(u.arbitrary::<u8>()?);
            let number_field = common!(NumberField::new(name));
            number_field.minimum(number(least)).maximum(number(most)).default(number(least)).into()
        }
        2 => {
            let least: i32 = u.arbitrary()?;
            let most = least.saturating_add(u.arbitrary::<u8>()?.into());
            let integer =
                common!(IntegerField::new(name)).minimum(least.into()).maximum(most.into());
            if u.arbitrary()? { integer.default(most.into()).into() } else { integer.into() }
        }
        3 => {
            let flag = common!(FlagField::new(name));
            if u.arbitrary()? { flag.default(u.arbitrary()?).into() } else { flag.into() }
        }
        4 => {
            let mut choice = common!(ChoiceField::new(name));
            let count: u8 = u.int_in_range(1..=4)?;
            let titled = u.arbitrary()?;
            for option in 0..count {
                let value = format!("option {option}");
                choice = if titled {
                    choice.titled_option(value, format!("Option {option}!"))
                } else {
                    choice.option(value)
                };
            }
            choice.default("option 0").into()
        }
        _ => {
            let mut choices = common!(ChoicesField::new(name));
            let count: u8 = u.int_in_range(1..=4)?;
            for option in 0..count {
                choices = choices.option(format!("option {option}"));
            }
            let least: u8 = u.int_in_range(0..=count)?;
            choices.items_min(least.into()).items_max(u.int_in_range(least..=count)?.into()).into()
        }
    })
}

impl Form {
    /// Makes content that the form accepts: all required fields, and some optional ones. It needs
    /// the feature `arbitrary`.
    ///
    /// # Errors
    ///
    /// [`Error`] if the data ends, or if it cannot find a value for a field, for example if a field
    /// has both a format and a length.
    pub fn arbitrary_content(&self, u: &mut Unstructured<'_>) -> Result<Content> {
        let mut content = Content::new();
        for field in self.fields() {
            if field.is_required() || u.arbitrary()? {
                content = content.with(field.name(), value(u, field)?);
            }
        }
        Ok(content)
    }
}

fn value(u: &mut Unstructured<'_>, field: &Field) -> Result<Value> {
    let value = match field.kind() {
        Kind::Text(text) => Value::Text(text_value(u, text)?),
        Kind::Number(numeric) => Value::Number(number_value(u, numeric)?),
        Kind::Integer(numeric) => Value::Number(number_value(u, numeric)?.ceiling()),
        Kind::Flag(_) => Value::Flag(u.arbitrary()?),
        Kind::Choice(choice) => Value::Text(u.choose(&choice.options)?.value.clone()),
        Kind::Choices(choices) => Value::Choices(selection(u, choices)?),
    };
    if field.kind().check(&value).is_some() { Err(Error::IncorrectFormat) } else { Ok(value) }
}

fn text_value(u: &mut Unstructured<'_>, text: &Text) -> Result<String> {
    Ok(match text.format {
        Some(Format::Email) => format!("{}@example.com", u.int_in_range(0..=9999)?),
        Some(Format::Uri) => format!("https://example.com/{}", u.int_in_range(0..=9999)?),
        Some(Format::Date) => {
            format!("2026-0{}-1{}", u.int_in_range(1..=9)?, u.int_in_range(0..=9)?)
        }
        Some(Format::DateTime) => format!("2026-07-28T1{}:00:00Z", u.int_in_range(0..=9)?),
        None => {
            let least = text.length_min.unwrap_or(0);
            let most = text.length_max.unwrap_or(least + 20).min(least + 20);
            let length = u.int_in_range(least..=most.max(least))?;
            (0..length).map(|_| u.arbitrary::<char>()).collect::<Result<_>>()?
        }
    })
}

fn number_value(u: &mut Unstructured<'_>, numeric: &Numeric) -> Result<Number> {
    let at = |bound: Option<crate::Bound>| bound.map(|bound| bound.value);
    let candidates = [
        at(numeric.minimum),
        at(numeric.maximum),
        Some(Number::ZERO),
        Some(u.arbitrary::<i32>()?.into()),
        at(numeric.minimum).map(|minimum| minimum.ceiling().successor()),
    ];
    let fitting: Vec<Number> =
        candidates.into_iter().flatten().filter(|number| numeric.contains(*number)).collect();
    u.choose(&fitting).copied()
}

fn selection(u: &mut Unstructured<'_>, choices: &Choices) -> Result<Vec<String>> {
    let count = choices.options.len() as u64;
    let least = choices.items_min.unwrap_or(0).min(count);
    let most = choices.items_max.unwrap_or(count).min(count);
    let selected = usize::try_from(u.int_in_range(least..=most.max(least))?).unwrap_or(0);
    Ok(choices.options.iter().take(selected).map(|option| option.value.clone()).collect())
}

/// Makes the text of a schema near the edge of the subset: known keywords in known places, with
/// values that fit and values that do not fit.
///
/// # Errors
///
/// [`Error`] if the data ends.
pub fn arbitrary_schema(u: &mut Unstructured<'_>) -> Result<String> {
    let mut properties = Vec::new();
    for index in 0..u.int_in_range(0..=4)? {
        properties.push(format!("\"p{index}\":{}", property(u, 0)?));
    }
    let mut members = Vec::from([format!("\"properties\":{{{}}}", properties.join(","))]);
    if u.ratio(9, 10)? {
        members.push("\"type\":\"object\"".into());
    }
    for (keyword, values) in ROOT {
        if u.ratio(1, 6)? {
            members.push(format!("\"{keyword}\":{}", u.choose(values)?));
        }
    }
    Ok(format!("{{{}}}", members.join(",")))
}

fn property(u: &mut Unstructured<'_>, depth: usize) -> Result<String> {
    let mut members = Vec::new();
    if u.ratio(4, 5)? {
        members.push(format!("\"type\":{}", u.choose(TYPES)?));
    }
    for (keyword, values) in PROPERTY {
        if u.ratio(1, 8)? {
            members.push(format!("\"{keyword}\":{}", u.choose(values)?));
        }
    }
    for keyword in ["items", "anyOf", "oneOf"] {
        if depth < 3 && u.ratio(1, 8)? {
            let inner = property(u, depth + 1)?;
            members.push(match keyword {
                "items" => format!("\"items\":{inner}"),
                _ => format!("\"{keyword}\":[{inner},{}]", u.choose(BRANCHES)?),
            });
        }
    }
    Ok(format!("{{{}}}", members.join(",")))
}

type Keyword = (&'static str, &'static [&'static str]);

const TYPES: &[&str] = &[
    "\"string\"",
    "\"number\"",
    "\"integer\"",
    "\"boolean\"",
    "\"array\"",
    "\"object\"",
    "\"null\"",
    "[\"string\"]",
    "[\"string\",\"null\"]",
    "[\"null\",\"integer\"]",
    "[\"string\",\"number\"]",
    "7",
    "null",
];

const BRANCHES: &[&str] = &[
    "{\"type\":\"null\"}",
    "{\"const\":\"x\",\"title\":\"X\"}",
    "{\"const\":\"y\"}",
    "{\"const\":1}",
    "{}",
    "true",
    "{\"type\":\"string\",\"const\":\"z\"}",
];

const ROOT: &[Keyword] = &[
    ("required", &["[]", "[\"p0\"]", "[\"p0\",\"p0\"]", "[\"nobody\"]", "true", "null"]),
    (
        "$schema",
        &[
            "\"https://json-schema.org/draft/2020-12/schema\"",
            "\"http://json-schema.org/draft-04/schema#\"",
        ],
    ),
    ("title", &["\"A form\"", "null", "1"]),
    ("additionalProperties", &["false", "true", "{}"]),
    ("$defs", &["{\"X\":{\"type\":\"object\"}}"]),
    ("if", &["{}"]),
];

const PROPERTY: &[Keyword] = &[
    ("title", &["\"A field\"", "null", "[]", "\"a\\u202eb\"", "\"\\ud800\""]),
    ("description", &["\"Says more\"", "7"]),
    ("enum", &["[\"a\",\"b\"]", "[]", "[\"a\",null]", "[1,2]", "[\"a\",\"a\"]", "\"a\""]),
    ("enumNames", &["[\"A\",\"B\"]", "[\"A\"]", "[1]", "{}"]),
    ("const", &["\"a\"", "null", "5"]),
    (
        "format",
        &["\"email\"", "\"uri\"", "\"date\"", "\"date-time\"", "\"password\"", "\"int32\"", "1"],
    ),
    ("minLength", &["0", "1", "3.0", "-1", "1.5", "1e9", "null"]),
    ("maxLength", &["0", "2", "5e0", "\"2\""]),
    ("minimum", &["0", "-0.0", "0.5", "9007199254740993", "1e999", "\"1\""]),
    ("maximum", &["0", "3.9", "-1e308", "18446744073709551616"]),
    ("exclusiveMinimum", &["0", "1", "true"]),
    ("exclusiveMaximum", &["1", "0.1"]),
    ("minItems", &["0", "1", "99"]),
    ("maxItems", &["0", "1", "99"]),
    ("default", &["\"a\"", "1", "1.5", "true", "null", "[\"a\"]", "{\"x\":[1]}"]),
    ("pattern", &["\"^(a+)+$\"", "\"(\""]),
    ("multipleOf", &["5"]),
    ("x-vendor", &["{\"k\":1,\"k\":2}", "[[[]]]", "1e999"]),
    ("$ref", &["\"#/$defs/X\""]),
    ("not", &["{}"]),
];
