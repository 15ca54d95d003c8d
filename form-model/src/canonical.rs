//! The canonical JSON of a form, for stores and other processes. It has a version.
//!
//! ```json
//! {"version": 1, "fields": [
//!     {"name": "environment", "required": true, "kind": {"choice": {"options": [
//!         {"value": "staging"}, {"value": "production", "title": "Production"}]}}},
//!     {"name": "replicas", "kind": {"integer": {"minimum": {"value": 1}, "default": 2}}}]}
//! ```
//!
//! [`Form::to_canonical`] describes it.

use alloc::{borrow::Cow, format, string::String, vec::Vec};
use core::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, MapAccess, Unexpected, Visitor},
};

use crate::{
    Bound, Choice, ChoiceOption, Choices, Decoder, Field, Flag, Form, Format, Kind, Limits, Number,
    Numeric, Refusal, RefusalCode, SafeText, Text, decode::field_pointer,
    number_map::double_of_map, objects::from_objects,
};

/// The only version that is written and read.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
struct FormData<'a> {
    version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    fields: Vec<FieldData<'a>>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
struct FieldData<'a> {
    name: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    required: bool,
    kind: KindData<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum KindData<'a> {
    Text(TextData<'a>),
    Number(NumericData),
    Integer(NumericData),
    Flag(FlagData),
    Choice(ChoiceData<'a>),
    Choices(ChoicesData<'a>),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
struct TextData<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    length_min: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    length_max: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    format: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default: Option<Cow<'a, str>>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
struct NumericData {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    minimum: Option<BoundData>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    maximum: Option<BoundData>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default: Option<Number>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
struct BoundData {
    value: Number,
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    exclusive: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
struct FlagData {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default: Option<bool>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
struct ChoiceData<'a> {
    options: Vec<OptionData<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default: Option<Cow<'a, str>>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
struct ChoicesData<'a> {
    options: Vec<OptionData<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    items_min: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    items_max: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default: Option<Vec<Cow<'a, str>>>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
struct OptionData<'a> {
    value: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<Cow<'a, str>>,
}

from_objects! {
    FormData<'a>, FieldData<'a>, TextData<'a>, NumericData, BoundData, FlagData, ChoiceData<'a>,
    ChoicesData<'a>, OptionData<'a>,
}

fn raw(text: Option<&SafeText>) -> Option<Cow<'_, str>> {
    text.map(|text| Cow::Borrowed(text.raw()))
}

fn line(text: Option<Cow<'_, str>>) -> Option<SafeText> {
    text.map(|text| SafeText::line(&text))
}

fn paragraph(text: Option<Cow<'_, str>>) -> Option<SafeText> {
    text.map(|text| SafeText::paragraph(&text))
}

impl<'a> From<&'a Form> for FormData<'a> {
    fn from(form: &'a Form) -> Self {
        Self {
            version: VERSION,
            title: raw(form.title()),
            description: raw(form.description()),
            fields: form.fields().iter().map(FieldData::from).collect(),
        }
    }
}

impl<'a> From<&'a Field> for FieldData<'a> {
    fn from(field: &'a Field) -> Self {
        Self {
            name: Cow::Borrowed(field.name()),
            title: raw(field.title()),
            description: raw(field.description()),
            required: field.is_required(),
            kind: KindData::from(field.kind()),
        }
    }
}

impl<'a> From<&'a Kind> for KindData<'a> {
    fn from(kind: &'a Kind) -> Self {
        match kind {
            Kind::Text(text) => Self::Text(TextData {
                length_min: text.length_min,
                length_max: text.length_max,
                format: text.format.map(|format| Cow::Borrowed(format.name())),
                default: text.default.as_deref().map(Cow::Borrowed),
            }),
            Kind::Number(numeric) => Self::Number(numeric.into()),
            Kind::Integer(numeric) => Self::Integer(numeric.into()),
            Kind::Flag(flag) => Self::Flag(FlagData { default: flag.default }),
            Kind::Choice(choice) => Self::Choice(ChoiceData {
                options: choice.options.iter().map(OptionData::from).collect(),
                default: choice.default.as_deref().map(Cow::Borrowed),
            }),
            Kind::Choices(choices) => Self::Choices(ChoicesData {
                options: choices.options.iter().map(OptionData::from).collect(),
                items_min: choices.items_min,
                items_max: choices.items_max,
                default: choices.default.as_ref().map(|values| {
                    values.iter().map(|value| Cow::Borrowed(value.as_str())).collect()
                }),
            }),
        }
    }
}

impl From<&Numeric> for NumericData {
    fn from(numeric: &Numeric) -> Self {
        let bound = |bound: Bound| BoundData { value: bound.value, exclusive: bound.exclusive };
        Self {
            minimum: numeric.minimum.map(bound),
            maximum: numeric.maximum.map(bound),
            default: numeric.default,
        }
    }
}

impl<'a> From<&'a ChoiceOption> for OptionData<'a> {
    fn from(option: &'a ChoiceOption) -> Self {
        Self {
            value: Cow::Borrowed(&option.value),
            title: raw(option.title.as_ref()),
            description: raw(option.description.as_ref()),
        }
    }
}

impl FormData<'_> {
    /// Makes the form, and checks it as the decoder checks its schema.
    fn check(self, limits: &Limits) -> Result<Form, Refusal> {
        if self.version != VERSION {
            let message = format!("expected version {VERSION} of the canonical form");
            return Err(Refusal::new(RefusalCode::UnsupportedDialect, "/version", message));
        }
        let name_bytes_max = limits.name_bytes_max;
        if self.fields.iter().any(|field| field.name.len() > name_bytes_max) {
            let message = format!("expected names of at most {name_bytes_max} bytes");
            return Err(Refusal::new(RefusalCode::OverLimit, "/fields", message));
        }
        let fields =
            self.fields.into_iter().map(FieldData::into_field).collect::<Result<_, _>>()?;
        let form = Form::new(line(self.title), paragraph(self.description), fields);
        // The length of the canonical text was checked already. The schema may be longer.
        let limits = limits.clone().schema_bytes_max(usize::MAX);
        let decoded = Decoder::new(limits).decode(&form.to_schema())?;
        if decoded.form == form {
            return Ok(form);
        }
        let message = "expected options and defaults within the bounds of their fields";
        Err(Refusal::new(RefusalCode::Unsatisfiable, "", message))
    }
}

impl FieldData<'_> {
    fn into_field(self) -> Result<Field, Refusal> {
        Ok(Field {
            kind: self.kind.into_kind(&self.name)?,
            name: self.name.into(),
            title: line(self.title),
            description: paragraph(self.description),
            required: self.required,
        })
    }
}

impl KindData<'_> {
    fn into_kind(self, name: &str) -> Result<Kind, Refusal> {
        Ok(match self {
            Self::Text(text) => Kind::Text(Text {
                length_min: text.length_min,
                length_max: text.length_max,
                format: text.format.map(|format| known_format(name, &format)).transpose()?,
                default: text.default.map(String::from),
            }),
            Self::Number(numeric) => Kind::Number(numeric.into()),
            Self::Integer(numeric) => Kind::Integer(numeric.into()),
            Self::Flag(flag) => Kind::Flag(Flag { default: flag.default }),
            Self::Choice(choice) => Kind::Choice(Choice {
                options: choice.options.into_iter().map(ChoiceOption::from).collect(),
                default: choice.default.map(String::from),
            }),
            Self::Choices(choices) => Kind::Choices(Choices {
                options: choices.options.into_iter().map(ChoiceOption::from).collect(),
                items_min: choices.items_min,
                items_max: choices.items_max,
                default: choices
                    .default
                    .map(|values| values.into_iter().map(String::from).collect()),
            }),
        })
    }
}

fn known_format(name: &str, format: &str) -> Result<Format, Refusal> {
    Format::from_name(format).ok_or_else(|| {
        let pointer = field_pointer(name, "format");
        let message = "expected email, uri, date or date-time";
        Refusal::new(RefusalCode::OutsideSubset, pointer, message)
    })
}

impl From<NumericData> for Numeric {
    fn from(data: NumericData) -> Self {
        let bound = |bound: BoundData| Bound { value: bound.value, exclusive: bound.exclusive };
        Self {
            minimum: data.minimum.map(bound),
            maximum: data.maximum.map(bound),
            default: data.default,
        }
    }
}

impl From<OptionData<'_>> for ChoiceOption {
    fn from(data: OptionData<'_>) -> Self {
        Self {
            value: data.value.into(),
            title: line(data.title),
            description: paragraph(data.description),
        }
    }
}

impl Form {
    /// Writes the form as canonical JSON, for stores and other processes. Nothing of the form is
    /// lost.
    ///
    /// The JSON is one object. It has these members, in camel case:
    ///
    /// | object | members |
    /// |---|---|
    /// | form | `version` (always 1), `title`, `description`, `fields` |
    /// | field | `name`, `title`, `description`, `required`, `kind` |
    /// | kind | one of `text`, `number`, `integer`, `flag`, `choice`, `choices` |
    /// | text | `lengthMin`, `lengthMax`, `format`, `default` |
    /// | number, integer | `minimum`, `maximum`, `default` |
    /// | minimum, maximum | `value`, `exclusive` |
    /// | flag | `default` |
    /// | choice | `options`, `default` |
    /// | choices | `options`, `itemsMin`, `itemsMax`, `default` |
    /// | option | `value`, `title`, `description` |
    ///
    /// A member without a value is left out. So are `required` and `exclusive` if they are `false`,
    /// and `fields` if there are none. Texts are the original texts, not cleaned. An integer of
    /// more than 64 bits, or a fraction that is not short, is written as a string: see [`Number`]'s
    /// `Serialize`.
    ///
    /// ```
    /// use form_model::{Form, Limits};
    ///
    /// let form = Form::from_schema(
    ///     r#"{"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}"#,
    /// )?;
    /// let json = form.to_canonical();
    /// assert_eq!(
    ///     json,
    ///     r#"{"version":1,"fields":[{"name":"n","kind":{"integer":{"minimum":{"value":1}}}}]}"#,
    /// );
    /// assert_eq!(Form::from_canonical(&json, &Limits::default())?, form);
    /// # Ok::<(), form_model::Refusal>(())
    /// ```
    #[must_use]
    pub fn to_canonical(&self) -> String {
        // Serializing plain data to memory cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads canonical JSON. The form is checked against `limits`, as a decoded schema is. Notes on
    /// it are dropped.
    ///
    /// The text may be up to eight times as long as
    /// [`Limits::schema_bytes_max`](field@Limits::schema_bytes_max), because canonical JSON is more
    /// verbose than a schema. Writing a form again can make its text longer. So a form is also
    /// refused if the text that [`Form::to_canonical`] would write is over the limit. Every form
    /// that was read can be written and read again.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the text is too long, is not canonical JSON of version 1, or describes a form
    /// that the decoder would refuse. Its pointer is a place in the schema of the form, or
    /// `/version` or `/fields`.
    pub fn from_canonical(json: &str, limits: &Limits) -> Result<Self, Refusal> {
        let bytes_max = limits.schema_bytes_max.saturating_mul(8);
        let check_size = |bytes: usize| {
            if bytes <= bytes_max {
                return Ok(());
            }
            let message = format!("expected a form of at most {bytes_max} bytes");
            Err(Refusal::new(RefusalCode::OverLimit, "", message))
        };
        check_size(json.len())?;
        let data: FormData<'_> = serde_json::from_str(json).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let message = format!(
                "expected the canonical JSON of a form, found a wrong or malformed value at \
                 line {line} column {column}"
            );
            Refusal::new(RefusalCode::MalformedJson, "", message)
        })?;
        let form = data.check(limits)?;
        // Only numbers such as 1e15 grow when they are written again, and by less than eight times.
        if json.len() > bytes_max / 8 {
            check_size(form.to_canonical().len())?;
        }
        Ok(form)
    }
}

impl Serialize for Form {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        FormData::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Form {
    /// Reads canonical JSON within the default limits.
    ///
    /// The limits are checked after the deserializer has read everything. [`Form::from_canonical`]
    /// checks the length of the text first.
    ///
    /// # Errors
    ///
    /// An error of the deserializer if the value is not canonical JSON. An error with the text of
    /// the [`Refusal`] if [`Form::from_canonical`] would refuse the form.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let data: FormData<'_> = Deserialize::deserialize(deserializer)?;
        data.check(&Limits::default()).map_err(D::Error::custom)
    }
}

impl Serialize for Number {
    /// Writes an `i64`, a `u64` or a short fraction as a JSON number, and any other number as a
    /// string.
    ///
    /// A fraction is short if it has at most 15 significant digits and at most 22 decimal places.
    /// All parsers read such a number alike. The string is the text that `Display` writes.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(integer) = self.to_i64() {
            return serializer.serialize_i64(integer);
        }
        if let Some(integer) = self.to_u64() {
            return serializer.serialize_u64(integer);
        }
        if self.is_plain_fraction() {
            return serializer.serialize_f64(self.to_f64());
        }
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Number {
    /// Reads a JSON number, or a string with the text of one.
    ///
    /// Deserialize untrusted JSON directly from its text. Tagged and untagged enums and `flatten`
    /// make serde store the value first. With the feature `arbitrary_precision` of `serde_json`, a
    /// stored object with the private name `$serde_json::private::Number` looks like a number. The
    /// same is true for a `serde_json::Value`.
    ///
    /// # Errors
    ///
    /// Fails for:
    ///
    /// - a JSON number beyond 64 bits, because the deserializer may have rounded it
    /// - a string that [`Number::from_str`](core::str::FromStr::from_str) does not read
    /// - a value that is neither a number nor a string
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or a string of its digits")
    }

    fn visit_i64<E: Error>(self, integer: i64) -> Result<Number, E> {
        Ok(integer.into())
    }

    fn visit_u64<E: Error>(self, integer: u64) -> Result<Number, E> {
        Ok(integer.into())
    }

    fn visit_f64<E: Error>(self, double: f64) -> Result<Number, E> {
        let message = "expected a string for a number beyond 64 bits, found a JSON number";
        Number::from_parsed(double).ok_or_else(|| E::custom(message))
    }

    fn visit_str<E: Error>(self, digits: &str) -> Result<Number, E> {
        digits.parse().map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Number, A::Error> {
        match double_of_map(members)? {
            Some(double) => self.visit_f64(double),
            None => Err(A::Error::invalid_type(Unexpected::Map, &self)),
        }
    }
}
