//! The arguments of a tool that HTTP headers repeat, so that a gateway between client and server
//! can use them for routing (transports, custom headers from tool parameters).

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use serde::{Deserialize, Serialize};

use super::{
    Headers, Json, Object, Params, RpcError, WireError,
    header::{DIFFERS, MCP_PARAM, header_value, mismatch},
    param_schema::{InvalidParamHeader, Parameter, check_names, read_schema},
    params::ARGUMENTS,
};
use crate::codec::Strict;

/// The arguments of a tool that HTTP headers repeat. The tool's `inputSchema` marks them with
/// `x-mcp-header`.
///
/// A client reads them from the result of `tools/list`, and hands them to
/// [`Request::with_param_headers`](crate::client::Request::with_param_headers). A server reads them
/// from its own schema, and hands them to
/// [`Endpoint::with_param_headers`](crate::server::Endpoint::with_param_headers).
///
/// ```
/// use mrtr_core::wire::{Json, ParamHeaders};
///
/// let schema = Json::parse(
///     r#"{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}"#,
/// )?;
/// let marked = ParamHeaders::from_schema(schema)?;
/// assert_eq!(marked.names().collect::<Vec<_>>(), ["Mcp-Param-Region"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<Strict<Parameter>>")]
pub struct ParamHeaders(Vec<Parameter>);

impl ParamHeaders {
    /// No arguments.
    pub(crate) const NONE: Self = Self(Vec::new());

    /// Reads the marked arguments of an `inputSchema`.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidParamHeader`] if a mark breaks a rule of the specification. The tool must
    /// not be called over HTTP then.
    pub fn from_schema(schema: Json<'_>) -> Result<Self, InvalidParamHeader> {
        Self::new(read_schema(schema)?)
    }

    fn new(mut parameters: Vec<Parameter>) -> Result<Self, InvalidParamHeader> {
        check_names(&parameters)?;
        parameters.sort_unstable();
        Ok(Self(parameters))
    }

    /// Returns whether no argument is marked.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the names of the headers.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(Parameter::header)
    }

    /// Returns the headers of a call: pairs of a name and a value. An argument that is absent or
    /// null has no header.
    ///
    /// # Errors
    ///
    /// Returns [`WireError`] if an argument comes twice or is not valid Unicode: no server can
    /// compare it.
    pub(crate) fn headers(&self, params: &Params<'_>) -> Result<Vec<(String, String)>, WireError> {
        let mut headers = Vec::new();
        if self.is_empty() {
            return Ok(headers);
        }
        let arguments = arguments(params)?;
        for parameter in &self.0 {
            if let Some(argument) = parameter.find(&arguments)? {
                let text = text(argument).ok_or(WireError::shape(ARGUMENTS, "Unicode text"))?;
                headers.push((parameter.header(), header_value(&text).into_owned()));
            }
        }
        Ok(headers)
    }

    /// Compares the headers of a call with its arguments.
    pub(super) fn check(&self, params: &Params<'_>, headers: &Headers) -> Result<(), RpcError> {
        let arguments = arguments(params);
        self.0.iter().try_for_each(|parameter| {
            let header = parameter.header();
            match arguments.as_ref().map(|arguments| parameter.find(arguments)) {
                Ok(Ok(Some(argument))) => headers.expect(&header, |found| is_same(found, argument)),
                Ok(Ok(None)) => headers.expect_none(&header),
                // Two readers may read such arguments differently.
                Ok(Err(_)) | Err(_) => Err(mismatch(&header, DIFFERS)),
            }
        })
    }
}

impl TryFrom<Vec<Strict<Parameter>>> for ParamHeaders {
    type Error = InvalidParamHeader;

    fn try_from(read: Vec<Strict<Parameter>>) -> Result<Self, InvalidParamHeader> {
        Self::new(read.into_iter().map(|Strict(parameter)| parameter).collect())
    }
}

impl Parameter {
    fn header(&self) -> String {
        format!("{MCP_PARAM}{}", self.name)
    }

    /// Finds the argument; `None` if it is absent, null, an object or an array.
    fn find<'a>(&self, arguments: &Object<'a>) -> Result<Option<Json<'a>>, WireError> {
        let [first, rest @ ..] = &*self.path else { return Ok(None) };
        let mut found = arguments.once(first, ARGUMENTS)?;
        for name in rest {
            let Some(inner) = found.filter(|found| found.is_object()) else { return Ok(None) };
            found = Object::decode_repeated(inner, ARGUMENTS)?.once(name, ARGUMENTS)?;
        }
        Ok(found.filter(|found| !(found.is_null() || found.is_object() || found.is_array())))
    }
}

fn arguments<'a>(params: &Params<'a>) -> Result<Object<'a>, WireError> {
    match params.arguments().filter(|arguments| arguments.is_object()) {
        Some(arguments) => Object::decode_repeated(arguments, ARGUMENTS),
        None => Ok(Object::default()),
    }
}

/// Writes an argument as a text; `None` if it is a string that is not valid Unicode.
fn text(argument: Json<'_>) -> Option<Cow<'_, str>> {
    if argument.is_string() {
        return argument.text();
    }
    let as_it_stands = Cow::Borrowed(argument.as_str());
    Some(argument.number().map_or(as_it_stands, |number| Cow::Owned(number.to_string())))
}

/// Compares a header with an argument: a number by its value, everything else by its text.
fn is_same(header: &str, argument: Json<'_>) -> bool {
    match argument.number() {
        Some(number) => header.parse() == Ok(number),
        None => text(argument).is_some_and(|text| text == header),
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::wire::{RawJson, Revision, request_headers};

    fn schema(properties: &str) -> Result<ParamHeaders, InvalidParamHeader> {
        let text = format!(r#"{{"type":"object","properties":{{{properties}}}}}"#);
        ParamHeaders::from_schema(Json::parse(&text).unwrap())
    }

    fn call(arguments: &str) -> RawJson {
        RawJson::parse(&format!(r#"{{"name":"t","arguments":{arguments}}}"#)).unwrap()
    }

    fn repeated(
        marked: &ParamHeaders,
        params: &RawJson,
    ) -> Result<Vec<(String, String)>, WireError> {
        marked.headers(&Params::decode(params.as_json()).unwrap())
    }

    /// Compares the headers of a call with its arguments: those given, and those that all calls have.
    fn check(
        marked: &ParamHeaders,
        params: &RawJson,
        headers: &[(impl AsRef<str>, impl AsRef<[u8]>)],
    ) -> Result<(), RpcError> {
        let common = request_headers(Revision::default(), "tools/call", Some("t"));
        let common = common.map(|(name, value)| (name.into(), value.as_bytes().into()));
        let given =
            headers.iter().map(|(name, value)| (name.as_ref().into(), value.as_ref().into()));
        let headers: Headers =
            common.chain(given).collect::<Vec<(String, Vec<u8>)>>().into_iter().collect();
        let params = Params::decode(params.as_json()).unwrap();
        headers.check(Revision::default().as_str(), "tools/call", &params, Some(marked))
    }

    fn marked() -> ParamHeaders {
        schema(
            r#""region":{"type":"string","x-mcp-header":"Region"},
            "where":{"type":"object","properties":{
                "zone":{"type":"integer","x-mcp-header":"Zone"}}},
            "fast":{"type":"boolean","x-mcp-header":"Fast"},
            "query":{"type":"string","default":{"x-mcp-header":"is a value here"}}"#,
        )
        .unwrap()
    }

    /// proves: CL-23
    #[test]
    fn arrays_are_not_parameters() {
        let read = serde_json::from_str::<ParamHeaders>;
        assert!(read(r#"[{"path":["a"],"name":"A"}]"#).is_ok());
        for wrong in [r#"[[["a"],"A"]]"#, r#"[{"path":["a"],"path":["b"],"name":"A"}]"#, "{}"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    /// proves: SV-16
    #[test]
    fn arguments_that_are_marked_are_repeated_and_no_others() {
        let marked = marked();
        let names: Vec<_> = marked.names().collect();
        assert_eq!(names, ["Mcp-Param-Fast", "Mcp-Param-Region", "Mcp-Param-Zone"]);
        let all = call(r#"{"region":"größe","where":{"zone":7},"fast":false,"query":"q"}"#);
        let expected = [
            ("Mcp-Param-Fast", "false"),
            ("Mcp-Param-Region", "=?base64?Z3LDtsOfZQ==?="),
            ("Mcp-Param-Zone", "7"),
        ];
        let expected = expected.map(|(name, value)| (name.into(), value.into()));
        assert_eq!(repeated(&marked, &all).unwrap(), expected);
        for none in [
            r#"{"name":"t"}"#,
            r#"{"name":"t","arguments":null}"#,
            r#"{"name":"t","arguments":[1]}"#,
            r#"{"name":"t","arguments":{"region":null,"where":7,"fast":[true],"zone":7}}"#,
            r#"{"name":"t","arguments":{"region":{"zone":1},"where":{"zone":null}}}"#,
        ] {
            let params = RawJson::parse(none).unwrap();
            assert_eq!(repeated(&marked, &params).unwrap(), [], "{none}");
            assert_eq!(check(&marked, &params, &[("", ""); 0]), Ok(()), "{none}");
        }
    }

    /// proves: SV-16
    #[test]
    fn a_value_is_written_one_way_and_stays_exact() {
        let marked = schema(r#""a":{"type":"integer","x-mcp-header":"A"}"#).unwrap();
        for (argument, expected) in [
            ("42", "42"),
            ("42.0", "42"),
            ("4.2e1", "42"),
            ("-0", "0"),
            ("9007199254740993", "9007199254740993"),
            ("-123456789012345678901234567890", "-1.2345678901234567890123456789e+29"),
            ("0.50", "0.5"),
            ("1e999", "1e999"),
            (
                "1234567890123456789012345678901234567890",
                "1234567890123456789012345678901234567890",
            ),
            ("true", "true"),
            (r#""\u0061""#, "a"),
            (r#""""#, "=?base64??="),
            (r#"" a""#, "=?base64?IGE=?="),
            (r#""a\r\nb""#, "=?base64?YQ0KYg==?="),
            (r#""=?base64?YQ==?=""#, "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
        ] {
            let params = call(&format!(r#"{{"a": {argument} }}"#));
            let headers = repeated(&marked, &params).unwrap();
            assert_eq!(headers, [("Mcp-Param-A".into(), expected.into())]);
            assert_eq!(check(&marked, &params, &headers), Ok(()), "{argument}");
        }
    }

    /// proves: SV-16
    #[test]
    fn headers_that_differ_from_the_arguments_are_refused() {
        let params = call(r#"{"region":"Hello","where":{"zone":42},"fast":null}"#);
        for (region, zone, fast, agrees) in [
            (Some("Hello"), Some("42"), None, true),
            (Some(" =?base64?SGVsbG8=?="), Some("42.0"), None, true),
            (Some("Hello"), Some("\t4.2e1 "), None, true),
            (Some("hello"), Some("42"), None, false),
            (Some("=?base64?SGVsbG8?="), Some("42"), None, false),
            (None, Some("42"), None, false),
            (Some("Hello"), Some("43"), None, false),
            (Some("Hello"), Some("+42"), None, false),
            (Some("Hello"), Some("42"), Some("true"), false),
            (Some("Hello"), Some("42"), Some("null"), false),
            (Some("Hello"), Some("42"), Some(""), false),
        ] {
            let given =
                [("mcp-param-region", region), ("MCP-PARAM-ZONE", zone), ("Mcp-Param-Fast", fast)];
            let given = given.into_iter().filter_map(|(name, value)| Some((name, value?)));
            let given: Vec<(&str, &str)> = given.collect();
            let found = check(&marked(), &params, &given);
            assert_eq!(found.is_ok(), agrees, "{given:?}");
        }
        for (given, expected) in [
            (&[("Mcp-Param-Region", "Hello")][..], "Mcp-Param-Zone is missing"),
            (
                &[("Mcp-Param-Region", "Hello"), ("mcp-param-region", "Hello")],
                "Mcp-Param-Region comes twice",
            ),
            (&[("Mcp-Param-Region", "")], "Mcp-Param-Region differs from the message"),
            (&[("Mcp-Param-Fast", "true")], "Mcp-Param-Fast differs from the message"),
        ] {
            let error = check(&marked(), &params, given).unwrap_err();
            assert_eq!(error.code, RpcError::HEADER_MISMATCH);
            assert_eq!(error.message, format!("Header mismatch: {expected}"));
        }
    }

    /// proves: SV-16
    #[test]
    fn numbers_are_compared_exactly_and_texts_as_texts() {
        let marked = schema(r#""a":{"type":"integer","x-mcp-header":"A"}"#).unwrap();
        for (argument, header, agrees) in [
            ("1", "1.0", true),
            ("1.0", "1", true),
            ("10", "1e1", true),
            ("9007199254740993", "9007199254740993", true),
            ("9007199254740993", "9007199254740992", false),
            ("9007199254740993", "9007199254740993.0", true),
            ("1e999", "1e999", true),
            ("1e999", "1e998", false),
            (r#""1""#, "1.0", false),
            ("1", "one", false),
            ("true", "true", true),
            ("true", "True", false),
            ("true", "1", false),
            (r#""true""#, "true", true),
        ] {
            let params = call(&format!(r#"{{"a":{argument}}}"#));
            let found = check(&marked, &params, &[("Mcp-Param-A", header)]);
            assert_eq!(found.is_ok(), agrees, "{argument} {header}");
        }
    }

    /// proves: SV-16
    #[test]
    fn arguments_that_two_readers_read_differently_agree_with_nothing() {
        let marked = schema(
            r#""a":{"type":"string","x-mcp-header":"A"},
            "b":{"properties":{"c":{"type":"string","x-mcp-header":"C"}}}"#,
        )
        .unwrap();
        for arguments in [
            r#"{"a":"x","a":"y"}"#,
            r#"{"a":"x","a":null}"#,
            r#"{"a":"\ud800"}"#,
            r#"{"a":null,"\ud800":1}"#,
            r#"{"b":{"c":"x","c":"x"}}"#,
            r#"{"b":{"c":"x"},"b":{}}"#,
        ] {
            let params = call(arguments);
            assert!(repeated(&marked, &params).is_err(), "{arguments}");
            for headers in [&[][..], &[("Mcp-Param-A", "x")], &[("Mcp-Param-C", "x")]] {
                assert!(check(&marked, &params, headers).is_err(), "{arguments}");
            }
        }
        let elsewhere = call(r#"{"a":"x","d":1,"d":2}"#);
        assert_eq!(check(&marked, &elsewhere, &[("Mcp-Param-A", "x")]), Ok(()));
    }

    fn value() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
            "[ -~\\t]{0,8}".prop_map(|text| serde_json::to_string(&text).unwrap()),
            any::<i64>().prop_map(|number| number.to_string()),
            "-?(0|[1-9][0-9]{0,45})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?",
            any::<bool>().prop_map(|flag| flag.to_string()),
            Just("null".to_string()),
            Just("[1]".to_string()),
            Just("{}".to_string()),
        ]
    }

    proptest! {
        /// proves: SV-16
        #[test]
        fn what_a_client_sends_a_server_accepts(values in vec(value(), 4), other in value()) {
            let [region, zone, fast, query] = &*values else { unreachable!("four are drawn") };
            let params = call(&format!(
                r#"{{"region":{region},"where":{{"zone":{zone}}},"fast":{fast},"query":{query}}}"#
            ));
            let headers = repeated(&marked(), &params).unwrap();
            for (_, value) in &headers {
                let is_valid = |byte: u8| (b' '..=b'~').contains(&byte) || byte == b'\t';
                prop_assert!(!value.is_empty() && value.bytes().all(is_valid));
                prop_assert_eq!(value.trim_matches([' ', '\t']), value);
            }
            prop_assert_eq!(check(&marked(), &params, &headers), Ok(()));

            // The same headers with another argument agree if it reads the same, and no other text
            // reads as a number does.
            let changed = call(&format!(
                r#"{{"region":{other},"where":{{"zone":{zone}}},"fast":{fast}}}"#
            ));
            let agrees = check(&marked(), &changed, &headers).is_ok();
            let is_same = repeated(&marked(), &changed).unwrap() == headers;
            let is_number = other.starts_with(|first: char| first == '-' || first.is_ascii_digit());
            prop_assert!(agrees == is_same || (agrees && is_number));
        }
    }
}
