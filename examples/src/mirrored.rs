//! Arguments of a tool that HTTP repeats in headers, so that who stands between client and server
//! can route by them (transports, custom headers from tool parameters).

use core::slice;

use axum::http::HeaderMap;
use mrtr_core::wire::{RawJson, RpcError, header_value, read_header_value};
use serde::Deserialize;
use serde_json::{Map, Value};
use thiserror::Error;

/// The keyword that says under which name an argument is repeated.
const KEYWORD: &str = "x-mcp-header";

/// The keywords that hold schemas under names of their own.
const MAPS: [&str; 5] =
    ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];

/// The keywords that hold values, and no schemas.
const VALUES: [&str; 4] = ["const", "enum", "default", "examples"];

/// Is the arguments of a tool that are repeated in headers.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Mirrored(Vec<Parameter>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Parameter {
    /// The names that lead to the argument.
    path: Vec<String>,
    /// The name of the header, in small letters.
    header: String,
}

/// Says why a client does not offer a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidMirroring {
    /// The name is none of a header.
    #[error("expected x-mcp-header to be the name of a header")]
    Name,
    /// Two arguments go under one name.
    #[error("expected each x-mcp-header once, found one twice")]
    Repeated,
    /// The argument is no text, integer or boolean.
    #[error("expected x-mcp-header on a string, an integer or a boolean")]
    Type,
    /// It is not known beforehand where the argument stands.
    #[error("expected x-mcp-header on a property of the arguments, found it elsewhere")]
    Place,
}

impl Mirrored {
    /// Reads which arguments the schema of a tool's input marks.
    ///
    /// # Errors
    ///
    /// A schema that marks them otherwise than the specification says: the tool is not to be called.
    pub fn from_schema(schema: &Value) -> Result<Self, InvalidMirroring> {
        let mut parameters = Vec::new();
        find(schema, Some(&[]), &mut parameters)?;
        let mut names: Vec<&str> = parameters.iter().map(|p: &Parameter| &*p.header).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
            return Err(InvalidMirroring::Repeated);
        }
        Ok(Self(parameters))
    }

    /// Returns the headers of a call, names and values.
    #[must_use]
    pub fn headers(&self, params: &RawJson) -> Vec<(&str, String)> {
        let arguments = arguments(params);
        let header = |parameter: &'_ Parameter| {
            parameter.value(&arguments).and_then(text).map(|text| header_value(&text).into_owned())
        };
        self.0.iter().filter_map(|p| Some((&*p.header, header(p)?))).collect()
    }

    /// Compares the headers of a call with its arguments.
    ///
    /// # Errors
    ///
    /// What to answer to headers that say otherwise.
    pub fn check(&self, params: &RawJson, headers: &HeaderMap) -> Result<(), RpcError> {
        let arguments = arguments(params);
        for parameter in &self.0 {
            let mut values = headers.get_all(&parameter.header).iter();
            let agrees = match (parameter.value(&arguments), values.next(), values.next()) {
                (None, None, None) => true,
                (Some(argument), Some(value), None) => {
                    let value = value.to_str().ok().and_then(read_header_value);
                    value.is_some_and(|value| is_same(&value, argument))
                }
                _ => false,
            };
            if !agrees {
                let message = format!("Header mismatch: {}", parameter.header);
                return Err(RpcError::new(RpcError::HEADER_MISMATCH, message));
            }
        }
        Ok(())
    }
}

impl Parameter {
    /// Finds the argument. `None`: there is none that a header could repeat, or it is null.
    fn value<'v>(&self, arguments: &'v Value) -> Option<&'v Value> {
        let value = self.path.iter().try_fold(arguments, |value, name| value.get(name))?;
        text(value).map(|_| value)
    }
}

/// Writes an argument as a text.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn arguments(params: &RawJson) -> Value {
    #[derive(Deserialize)]
    struct Call {
        #[serde(default)]
        arguments: Value,
    }
    serde_json::from_str(params.as_str()).map_or(Value::Null, |call: Call| call.arguments)
}

/// Compares a header with an argument; a number by what it is, and not by how it is written.
fn is_same(header: &str, argument: &Value) -> bool {
    let number = |text: &str| text.parse::<form_model::Number>().ok();
    match argument {
        Value::Number(argument) => {
            number(header).is_some_and(|header| number(&argument.to_string()) == Some(header))
        }
        Value::String(_) | Value::Bool(_) | Value::Null | Value::Array(_) | Value::Object(_) => {
            text(argument).is_some_and(|argument| argument == header)
        }
    }
}

/// Finds what a schema marks. The path is that of the schema, if arguments lead to it.
fn find(
    schema: &Value,
    path: Option<&[String]>,
    found: &mut Vec<Parameter>,
) -> Result<(), InvalidMirroring> {
    let Value::Object(schema) = schema else {
        let schemas = schema.as_array().into_iter().flatten();
        return schemas.into_iter().try_for_each(|schema| find(schema, None, found));
    };
    if let Some(name) = schema.get(KEYWORD) {
        let path = path.filter(|path| !path.is_empty()).ok_or(InvalidMirroring::Place)?;
        found.push(parameter(schema, name, path)?);
    }
    for (keyword, inner) in schema {
        let keyword = keyword.as_str();
        if VALUES.contains(&keyword) {
            continue;
        }
        let Some(inner) = inner.as_object().filter(|_| MAPS.contains(&keyword)) else {
            find(inner, None, found)?;
            continue;
        };
        for (name, inner) in inner {
            let path = path.filter(|_| keyword == "properties");
            let path = path.map(|path| [path, slice::from_ref(name)].concat());
            find(inner, path.as_deref(), found)?;
        }
    }
    Ok(())
}

fn parameter(
    schema: &Map<String, Value>,
    name: &Value,
    path: &[String],
) -> Result<Parameter, InvalidMirroring> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let name = name.as_str().filter(|name| !name.is_empty() && name.bytes().all(is_token));
    let name = name.ok_or(InvalidMirroring::Name)?;
    let is_plain = |kind: &Value| matches!(kind.as_str(), Some("string" | "integer" | "boolean"));
    if !schema.get("type").is_some_and(is_plain) {
        return Err(InvalidMirroring::Type);
    }
    let header = format!("mcp-param-{}", name.to_ascii_lowercase());
    Ok(Parameter { path: path.into(), header })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(properties: &Value) -> Result<Mirrored, InvalidMirroring> {
        Mirrored::from_schema(&json!({"type": "object", "properties": properties}))
    }

    fn call(arguments: &Value) -> RawJson {
        RawJson::from_value(&json!({"name": "t", "arguments": arguments})).unwrap()
    }

    fn marked() -> Mirrored {
        read(&json!({
            "region": {"type": "string", "x-mcp-header": "Region"},
            "where": {"type": "object", "properties": {
                "zone": {"type": "integer", "x-mcp-header": "Zone"},
            }},
            "fast": {"type": "boolean", "x-mcp-header": "Fast"},
            "query": {"type": "string", "default": {"x-mcp-header": "is a value here"}},
        }))
        .unwrap()
    }

    #[test]
    fn arguments_that_are_marked_are_repeated_and_no_others() {
        let all = json!({"region": "größe", "where": {"zone": 7}, "fast": false, "query": "q"});
        let marked = marked();
        let mut headers = marked.headers(&call(&all));
        headers.sort_unstable();
        let expected = [
            ("mcp-param-fast", "false"),
            ("mcp-param-region", "=?base64?Z3LDtsOfZQ==?="),
            ("mcp-param-zone", "7"),
        ];
        assert_eq!(headers, expected.map(|(name, value)| (name, value.to_owned())));
        assert_eq!(marked.headers(&call(&json!({"region": null, "where": 7}))), []);
        assert_eq!(marked.headers(&RawJson::parse(r#"{"name":"t"}"#).unwrap()), []);
    }

    #[test]
    fn marks_against_the_specification_are_refused() {
        let marked = |kind: &str, name: &str| json!({"type": kind, "x-mcp-header": name});
        for (properties, expected) in [
            (json!({"a": marked("string", "")}), InvalidMirroring::Name),
            (json!({"a": marked("string", "My Region")}), InvalidMirroring::Name),
            (json!({"a": marked("string", "Région")}), InvalidMirroring::Name),
            (json!({"a": marked("string", "a\r\nb")}), InvalidMirroring::Name),
            (json!({"a": {"type": "string", "x-mcp-header": 7}}), InvalidMirroring::Name),
            (json!({"a": marked("number", "A")}), InvalidMirroring::Type),
            (json!({"a": marked("object", "A")}), InvalidMirroring::Type),
            (json!({"a": {"x-mcp-header": "A"}}), InvalidMirroring::Type),
            (
                json!({"a": marked("string", "A"), "b": marked("string", "a")}),
                InvalidMirroring::Repeated,
            ),
            (
                json!({"a": {"type": "array", "items": marked("string", "A")}}),
                InvalidMirroring::Place,
            ),
            (json!({"a": {"anyOf": [marked("string", "A")]}}), InvalidMirroring::Place),
        ] {
            assert_eq!(read(&properties), Err(expected), "{properties}");
        }
        let defined = json!({"$defs": {"a": marked("string", "A")}});
        assert_eq!(Mirrored::from_schema(&defined), Err(InvalidMirroring::Place));
        let root = json!({"type": "string", "x-mcp-header": "A"});
        assert_eq!(Mirrored::from_schema(&root), Err(InvalidMirroring::Place));
    }

    #[test]
    fn headers_that_say_otherwise_than_the_arguments_are_refused() {
        let arguments = call(&json!({"region": "Hello", "where": {"zone": 42}, "fast": null}));
        for (region, zone, fast, agrees) in [
            (Some("Hello"), Some("42"), None, true),
            (Some(" =?base64?SGVsbG8=?="), Some("42.0"), None, true),
            (Some("hello"), Some("42"), None, false),
            (Some("=?base64?SGVsbG8?="), Some("42"), None, false),
            (None, Some("42"), None, false),
            (Some("Hello"), Some("43"), None, false),
            (Some("Hello"), Some("42"), Some("true"), false),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in [("region", region), ("zone", zone), ("fast", fast)] {
                if let Some(value) = value {
                    let name = format!("mcp-param-{name}");
                    let name: axum::http::HeaderName = name.parse().unwrap();
                    headers.insert(name, value.parse().unwrap());
                }
            }
            let found = marked().check(&arguments, &headers);
            assert_eq!(found.is_ok(), agrees, "{headers:?}");
        }
        let mut digits = HeaderMap::new();
        digits.insert("mcp-param-region", "42.0".parse().unwrap());
        assert!(marked().check(&call(&json!({"region": "42"})), &digits).is_err());
        let mut twice = HeaderMap::new();
        twice.append("mcp-param-region", "Hello".parse().unwrap());
        twice.append("mcp-param-region", "Hello".parse().unwrap());
        let found = marked().check(&call(&json!({"region": "Hello"})), &twice).unwrap_err();
        assert_eq!(found.code, RpcError::HEADER_MISMATCH);
    }
}
