//! The arguments that the `inputSchema` of a tool marks with `x-mcp-header`.

use alloc::{borrow::ToOwned as _, string::String, vec::Vec};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Json, Object, WireError, has_duplicates};

/// The keyword that names the header of an argument.
const KEYWORD: &str = "x-mcp-header";

/// The keywords whose members are schemas under names that the author picks.
const MAPS: [&str; 5] =
    [PROPERTIES, "patternProperties", "dependentSchemas", "$defs", "definitions"];

const PROPERTIES: &str = "properties";

/// The keywords that hold values instead of schemas.
const VALUES: [&str; 4] = ["const", "enum", "default", "examples"];

const INPUT_SCHEMA: &str = "inputSchema";

/// An argument and its header. Parameters are ordered by their paths.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameter {
    /// The names that lead to the argument.
    pub(super) path: Vec<String>,
    /// The name of the header, without its prefix.
    pub(super) name: String,
}

/// Why a tool must not be called over HTTP: its `inputSchema` marks arguments in a way that the
/// specification does not allow. A client must not offer such a tool over HTTP.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidParamHeader {
    /// An object in the schema has a duplicate member, or a member name that is not valid Unicode.
    #[error("the schema cannot be read: {0}")]
    Schema(WireError),
    /// The mark is not the name of a header.
    #[error("expected x-mcp-header to be the name of a header")]
    Name,
    /// Two arguments have the same header.
    #[error("expected each x-mcp-header once, found two with the same name")]
    Repeated,
    /// The argument is not a string, an integer or a boolean.
    #[error("expected x-mcp-header on a string, an integer or a boolean")]
    Type,
    /// The mark is not on a plain property of the arguments: it is inside `anyOf` or an array, for
    /// example.
    #[error("expected x-mcp-header on a plain property of the arguments, found it elsewhere")]
    Place,
}

impl From<WireError> for InvalidParamHeader {
    fn from(error: WireError) -> Self {
        Self::Schema(error)
    }
}

/// Reads which arguments a schema marks.
pub(super) fn read_schema(schema: Json<'_>) -> Result<Vec<Parameter>, InvalidParamHeader> {
    let mut found = Vec::new();
    find(schema, Some(&[]), &mut found)?;
    Ok(found)
}

/// Checks the rules for all marks of a tool.
pub(super) fn check_names(parameters: &[Parameter]) -> Result<(), InvalidParamHeader> {
    if parameters.iter().any(|parameter| parameter.path.is_empty()) {
        return Err(InvalidParamHeader::Place);
    }
    if !parameters.iter().all(|parameter| is_token(&parameter.name)) {
        return Err(InvalidParamHeader::Name);
    }
    let names = parameters.iter().map(|parameter| parameter.name.to_ascii_lowercase());
    if has_duplicates(names) { Err(InvalidParamHeader::Repeated) } else { Ok(()) }
}

impl Parameter {
    /// Reads the mark of the schema at a path.
    fn new(schema: &Object<'_>, name: Json<'_>, path: &[&str]) -> Result<Self, InvalidParamHeader> {
        let name = name.text().filter(|name| is_token(name)).ok_or(InvalidParamHeader::Name)?;
        match schema.get("type").and_then(Json::text).as_deref() {
            Some("string" | "integer" | "boolean") => {}
            _ => return Err(InvalidParamHeader::Type),
        }
        let path = path.iter().map(|name| (*name).to_owned()).collect();
        Ok(Self { path, name: name.into_owned() })
    }
}

/// Finds the arguments that a schema marks. `path` is the path to the schema; `None` if it leads
/// through other keywords than `properties`.
fn find(
    schema: Json<'_>,
    path: Option<&[&str]>,
    found: &mut Vec<Parameter>,
) -> Result<(), InvalidParamHeader> {
    if !schema.is_object() {
        let schemas = schema.elements().unwrap_or_default();
        return schemas.into_iter().try_for_each(|schema| find(schema, None, found));
    }
    let schema = Object::decode(schema, INPUT_SCHEMA)?;
    if let Some(name) = schema.get(KEYWORD) {
        let path = path.filter(|path| !path.is_empty()).ok_or(InvalidParamHeader::Place)?;
        found.push(Parameter::new(&schema, name, path)?);
    }
    for (keyword, inner) in schema.iter().filter(|(keyword, _)| !VALUES.contains(keyword)) {
        if !(inner.is_object() && MAPS.contains(&keyword)) {
            find(inner, None, found)?;
            continue;
        }
        let path = path.filter(|_| keyword == PROPERTIES);
        for (name, inner) in Object::decode(inner, INPUT_SCHEMA)?.iter() {
            let path = path.map(|path| [path, &[name]].concat());
            find(inner, path.as_deref(), found)?;
        }
    }
    Ok(())
}

/// Returns whether a text can be part of the name of a header (RFC 9110, token).
fn is_token(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::wire::ParamHeaders;

    fn schema(properties: &str) -> Result<ParamHeaders, InvalidParamHeader> {
        let text = format!(r#"{{"type":"object","properties":{{{properties}}}}}"#);
        ParamHeaders::from_schema(Json::parse(&text).unwrap())
    }

    /// proves: SV-16
    #[test]
    fn marks_against_the_specification_are_refused() {
        use InvalidParamHeader::{Name, Place, Repeated, Schema, Type};
        for (properties, expected) in [
            (r#""a":{"type":"string","x-mcp-header":""}"#, Name),
            (r#""a":{"type":"string","x-mcp-header":"My Region"}"#, Name),
            (r#""a":{"type":"string","x-mcp-header":"Région"}"#, Name),
            (r#""a":{"type":"string","x-mcp-header":"a\r\nb"}"#, Name),
            (r#""a":{"type":"string","x-mcp-header":"a:b"}"#, Name),
            (r#""a":{"type":"string","x-mcp-header":7}"#, Name),
            (r#""a":{"type":"number","x-mcp-header":"A"}"#, Type),
            (r#""a":{"type":"object","x-mcp-header":"A"}"#, Type),
            (r#""a":{"type":["string","null"],"x-mcp-header":"A"}"#, Type),
            (r#""a":{"x-mcp-header":"A"}"#, Type),
            (
                r#""a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}"#,
                Repeated,
            ),
            (r#""a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}"#, Place),
            (r#""a":{"anyOf":[{"type":"string","x-mcp-header":"A"}]}"#, Place),
            (r#""a":{"not":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}"#, Place),
            (
                r#""a":{"type":"string","x-mcp-header":"A","x-mcp-header":"B"}"#,
                Schema(WireError::duplicate("inputSchema")),
            ),
            (r#""a":{},"a":{}"#, Schema(WireError::duplicate("inputSchema"))),
        ] {
            assert_eq!(schema(properties), Err(expected), "{properties}");
        }
        for text in [
            r#"{"$defs":{"a":{"type":"string","x-mcp-header":"A"}}}"#,
            r#"{"patternProperties":{"a":{"type":"string","x-mcp-header":"A"}}}"#,
            r#"{"type":"string","x-mcp-header":"A"}"#,
        ] {
            let found = ParamHeaders::from_schema(Json::parse(text).unwrap());
            assert_eq!(found, Err(Place), "{text}");
        }
    }

    #[test]
    fn schemas_without_marks_mark_nothing() {
        for text in [
            "true",
            "null",
            "7",
            "[]",
            "{}",
            r#"{"properties":{"x-mcp-header":{"type":"string"}}}"#,
            r#"{"const":{"x-mcp-header":"A"},"enum":[{"x-mcp-header":"A"}]}"#,
            r#"{"properties":[{"type":"string"}]}"#,
        ] {
            let found = ParamHeaders::from_schema(Json::parse(text).unwrap());
            assert!(found.unwrap().is_empty(), "{text}");
        }
    }

    /// proves: SV-16
    #[test]
    fn marks_are_written_and_read_back_and_checked() {
        let marked = schema(
            r#""b":{"type":"object","properties":{"c":{"type":"integer","x-mcp-header":"C"}}},
            "a":{"type":"string","x-mcp-header":"A"}"#,
        );
        let json = r#"[{"path":["a"],"name":"A"},{"path":["b","c"],"name":"C"}]"#;
        let marked = marked.unwrap();
        assert_eq!(serde_json::to_string(&marked).unwrap(), json);
        assert_eq!(serde_json::from_str::<ParamHeaders>(json).unwrap(), marked);
        for wrong in [
            r#"[{"path":[],"name":"A"}]"#,
            r#"[{"path":["a"],"name":"A B"}]"#,
            r#"[{"path":["a"],"name":"A"},{"path":["b"],"name":"a"}]"#,
            r#"[{"path":["a"],"name":"A","more":1}]"#,
        ] {
            assert!(serde_json::from_str::<ParamHeaders>(wrong).is_err(), "{wrong}");
        }
    }
}
