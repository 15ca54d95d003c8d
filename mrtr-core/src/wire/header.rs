//! The HTTP headers of a request: those that a client sends, and those that a server compares with
//! the message (transports, Streamable HTTP).
//!
//! `param_headers.rs` has the headers that repeat arguments of a tool.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use base64ct::{Base64, Encoding as _};

use super::{Method, ParamHeaders, Params, Revision, RpcError};
use crate::debug::debug;

const ACCEPT: &str = "Accept";
const CONTENT_TYPE: &str = "Content-Type";
const MCP_PROTOCOL_VERSION: &str = "MCP-Protocol-Version";
const MCP_METHOD: &str = "Mcp-Method";
const MCP_NAME: &str = "Mcp-Name";
/// The prefix of headers that repeat an argument.
pub(super) const MCP_PARAM: &str = "Mcp-Param-";

/// The prefix of every header that is compared with the message.
const PREFIX: &[u8] = b"mcp-";

const BEGIN: &str = "=?base64?";
const END: &str = "?=";

/// Returns the HTTP headers of a request: pairs of a name and a value.
///
/// `name` is the target: the name of the tool or prompt, or the URI of the resource. It is `None`
/// for a method without a target. Earlier revisions have fewer headers: `Mcp-Method` and `Mcp-Name`
/// came with 2026-07-28, `MCP-Protocol-Version` with 2025-06-18, `Accept` with 2025-03-26.
///
/// Use it for methods that have no rounds, such as `tools/list`.
/// [`LegRequest::headers`](crate::client::LegRequest::headers) returns the headers of a leg.
///
/// ```
/// use mrtr_core::wire::{Revision, request_headers};
///
/// let headers: Vec<_> = request_headers(Revision::default(), "tools/list", None).collect();
/// let lines: Vec<_> = headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
/// assert_eq!(lines, [
///     "Accept: application/json, text/event-stream",
///     "Content-Type: application/json",
///     "MCP-Protocol-Version: 2026-07-28",
///     "Mcp-Method: tools/list",
/// ]);
/// ```
pub fn request_headers<'a>(
    revision: Revision,
    method: &'a str,
    name: Option<&'a str>,
) -> impl Iterator<Item = (&'static str, Cow<'a, str>)> {
    let accept = Cow::Borrowed("application/json, text/event-stream");
    let repeats = revision >= Revision::V2026_07_28;
    [
        (revision >= Revision::V2025_03_26).then_some((ACCEPT, accept)),
        Some((CONTENT_TYPE, Cow::Borrowed("application/json"))),
        (revision >= Revision::V2025_06_18)
            .then_some((MCP_PROTOCOL_VERSION, Cow::Borrowed(revision.as_str()))),
        repeats.then(|| (MCP_METHOD, header_value(method))),
        name.filter(|_| repeats).map(|name| (MCP_NAME, header_value(name))),
    ]
    .into_iter()
    .flatten()
}

/// The headers of a received request that repeat parts of its message.
///
/// Collect them from all headers of the request. If a header comes twice, pass it twice. Names are
/// compared without regard to case. Only headers whose names begin with `Mcp-` are kept. Pass the
/// raw bytes of a value: a value with other bytes than printable ASCII never matches.
///
/// Neither the number nor the size of the headers is limited: the HTTP server must limit them.
///
/// ```
/// use mrtr_core::wire::Headers;
///
/// // The header `host` repeats nothing of the message, so it is not kept.
/// let arrived = [("host", "example.com"), ("MCP-NAME", " =?base64?Z3LDtsOfZQ==?= ")];
/// let headers: Headers = arrived.into_iter().collect();
/// assert_eq!(headers.name().as_deref(), Some("größe"));
/// assert_eq!(format!("{headers:?}"), "Headers(1)");
/// ```
///
/// A `HeaderMap` of the crate `http` needs no conversion: `map.iter().collect::<Headers>()`.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Headers {
    /// The names and the values. A value is `None` if a byte of it is not printable ASCII.
    fields: Vec<(String, Option<String>)>,
}

impl<N: AsRef<str>, V: AsRef<[u8]>> FromIterator<(N, V)> for Headers {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(headers: I) -> Self {
        let fields = headers.into_iter().filter_map(|(name, value)| {
            let name = name.as_ref();
            let start = name.as_bytes().get(..PREFIX.len())?;
            start.eq_ignore_ascii_case(PREFIX).then(|| {
                let value = core::str::from_utf8(value.as_ref()).ok();
                let value = value.filter(|value| value.bytes().all(is_printable));
                (name.into(), value.map(String::from))
            })
        });
        Self { fields: fields.collect() }
    }
}

impl Headers {
    /// Returns the decoded value of `Mcp-Name`: the name of the tool or prompt, or the URI of the
    /// resource.
    ///
    /// Returns `None` if the header is missing, comes twice, or cannot be read. The value is not
    /// compared with the message yet: use it only to choose the endpoint of the exchange.
    #[must_use]
    pub fn name(&self) -> Option<Cow<'_, str>> {
        self.find(MCP_NAME).ok()
    }

    /// Returns whether `MCP-Protocol-Version` names a version, in any of its values.
    pub(crate) fn names_version(&self, version: &str) -> bool {
        let mut values = self.values(MCP_PROTOCOL_VERSION);
        values.any(|value| value.and_then(read_header_value).is_some_and(|it| it == version))
    }

    /// Compares the headers with a message, before its version is checked. `marked` are the
    /// arguments that headers repeat; only a call of a tool has them.
    pub(crate) fn check(
        &self,
        version: &str,
        method: &str,
        params: &Params<'_>,
        marked: Option<&ParamHeaders>,
    ) -> Result<(), RpcError> {
        self.expect(MCP_PROTOCOL_VERSION, |found| found == version)?;
        self.expect(MCP_METHOD, |found| found == method)?;
        let Some(method) = Method::from_name(method) else { return Ok(()) };
        let target = params.target(method).ok();
        if target.is_some() || self.values(MCP_NAME).next().is_some() {
            let target = target.unwrap_or_default();
            self.expect(MCP_NAME, |found| found == target)?;
        }
        match marked.filter(|_| method == Method::ToolsCall) {
            Some(marked) => marked.check(params, self),
            None => Ok(()),
        }
    }

    /// Checks that a header comes once, with a value that agrees.
    pub(super) fn expect(
        &self,
        name: &str,
        agrees: impl FnOnce(&str) -> bool,
    ) -> Result<(), RpcError> {
        match self.find(name) {
            Ok(value) if agrees(&value) => Ok(()),
            Ok(_) => Err(mismatch(name, DIFFERS)),
            Err(problem) => Err(mismatch(name, problem)),
        }
    }

    /// Checks that a header is absent.
    pub(super) fn expect_none(&self, name: &str) -> Result<(), RpcError> {
        match self.values(name).next() {
            None => Ok(()),
            Some(_) => Err(mismatch(name, DIFFERS)),
        }
    }

    /// Returns the value of a header that comes once, or what is wrong with the header.
    fn find(&self, name: &str) -> Result<Cow<'_, str>, &'static str> {
        let mut values = self.values(name);
        match (values.next(), values.next()) {
            (None, _) => Err("is missing"),
            (Some(_), Some(_)) => Err("comes twice"),
            (Some(value), None) => value.and_then(read_header_value).ok_or(DIFFERS),
        }
    }

    fn values(&self, name: &str) -> impl Iterator<Item = Option<&str>> {
        let fields = self.fields.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name));
        fields.map(|(_, value)| value.as_deref())
    }
}

// Names and values are the client's.
debug!(Headers, |headers| "Headers({})", headers.fields.len());

/// What is wrong with a header that does not repeat the message.
pub(super) const DIFFERS: &str = "differs from the message";

/// Makes the error of a header that does not agree with the message.
pub(super) fn mismatch(name: &str, problem: &str) -> RpcError {
    RpcError::new(RpcError::HEADER_MISMATCH, format!("Header mismatch: {name} {problem}"))
}

const fn is_printable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t')
}

/// Writes a header's value. Plain text stays as it is. Other text becomes `=?base64?..?=`.
///
/// ```
/// use mrtr_core::wire::{header_value, read_header_value};
///
/// assert_eq!(header_value("deploy"), "deploy");
/// assert_eq!(header_value("größe"), "=?base64?Z3LDtsOfZQ==?=");
/// assert_eq!(read_header_value(" =?base64?Z3LDtsOfZQ==?= ").as_deref(), Some("größe"));
/// ```
#[must_use]
pub fn header_value(text: &str) -> Cow<'_, str> {
    let is_plain = !text.is_empty()
        && text.bytes().all(is_printable)
        && text.trim_matches([' ', '\t']).len() == text.len()
        && !text.starts_with(BEGIN);
    if is_plain {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{BEGIN}{}{END}", Base64::encode_string(text.as_bytes())))
}

/// Reads a header's value; `None` if it is marked as base64 and cannot be decoded to UTF-8.
#[must_use]
pub fn read_header_value(value: &str) -> Option<Cow<'_, str>> {
    let value = value.trim_matches([' ', '\t']);
    let Some(base64) = value.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END)) else {
        return Some(Cow::Borrowed(value));
    };
    String::from_utf8(Base64::decode_vec(base64).ok()?).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::wire::Json;

    const VERSION: &str = "2026-07-28";

    /// Compares headers with a call of the tool `plain`, after one change of a complete set.
    fn check(change: impl FnOnce(&mut Vec<(&'static str, Vec<u8>)>)) -> Result<(), String> {
        let mut headers: Vec<(&str, Vec<u8>)> = [
            ("Mcp-Protocol-Version", VERSION),
            ("mcp-method", "tools/call"),
            ("MCP-NAME", "plain"),
            ("Authorization", "Bearer token"),
        ]
        .map(|(name, value)| (name, value.into()))
        .into();
        change(&mut headers);
        let headers: Headers = headers.into_iter().collect();
        let params = Params::decode(Json::parse(r#"{"name":"plain"}"#).unwrap()).unwrap();
        headers.check(VERSION, "tools/call", &params, None).map_err(|error| {
            assert_eq!(error.code, RpcError::HEADER_MISMATCH);
            error.message.into_owned()
        })
    }

    /// proves: SV-16
    #[test]
    fn headers_agree_with_the_message_whatever_the_case_of_their_names() {
        assert_eq!(check(|_| {}), Ok(()));
        assert_eq!(check(|headers| headers[1].1 = b" \ttools/call ".into()), Ok(()));
        assert_eq!(check(|headers| headers[2].1 = b"=?base64?cGxhaW4=?=".into()), Ok(()));
        assert_eq!(check(|headers| headers[0].1 = b"=?base64?MjAyNi0wNy0yOA==?=".into()), Ok(()));
    }

    /// proves: SV-16
    #[test]
    fn a_header_that_is_missing_or_differs_is_named() {
        let names = ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"];
        for (at, name) in names.into_iter().enumerate() {
            let missing = check(|headers| drop(headers.remove(at)));
            assert_eq!(missing, Err(format!("Header mismatch: {name} is missing")));
            let twice = check(|headers| headers.push(headers[at].clone()));
            assert_eq!(twice, Err(format!("Header mismatch: {name} comes twice")));
            let differs = Err(format!("Header mismatch: {name} differs from the message"));
            for value in [
                &b""[..],
                b"another",
                b"Plain",
                b"Tools/Call",
                b"2026-07-27",
                b"pl\xC3\xA4in",
                b"\xFF",
                b"plain\0",
                b"=?base64?cGxhaW4?=",
                b"=?base64?/w==?=",
                b"=?BASE64?cGxhaW4=?=",
            ] {
                assert_eq!(check(|headers| headers[at].1 = value.into()), differs, "{value:?}");
            }
        }
        let all = check(Vec::clear);
        assert_eq!(all.unwrap_err(), "Header mismatch: MCP-Protocol-Version is missing");
    }

    /// proves: SV-16
    #[test]
    fn text_that_is_not_ascii_agrees_only_in_base64() {
        let params = Params::decode(Json::parse(r#"{"name":"größe"}"#).unwrap()).unwrap();
        for (value, agrees) in [("größe", false), ("=?base64?Z3LDtsOfZQ==?=", true)] {
            let headers: Headers = [
                ("mcp-protocol-version", VERSION),
                ("mcp-method", "tools/call"),
                ("mcp-name", value),
            ]
            .into_iter()
            .collect();
            let found = headers.check(VERSION, "tools/call", &params, None);
            assert_eq!(found.is_ok(), agrees, "{value}");
            assert_eq!(headers.name().is_some(), agrees, "{value}");
        }
    }

    /// proves: SV-16
    #[test]
    fn a_name_is_expected_where_the_message_has_one() {
        for (method, params, name, agrees) in [
            ("tools/list", "{}", None, true),
            ("tools/list", r#"{"name":"x"}"#, Some("y"), true),
            ("resources/read", r#"{"uri":"a:b","name":"x"}"#, Some("a:b"), true),
            ("resources/read", r#"{"uri":"a:b","name":"x"}"#, Some("x"), false),
            ("prompts/get", r#"{"name":"x"}"#, Some("x"), true),
            ("prompts/get", r#"{"name":"x"}"#, None, false),
            ("tools/call", "{}", None, true),
            ("tools/call", r#"{"name":7}"#, None, true),
            ("tools/call", r#"{"name":7}"#, Some("7"), false),
        ] {
            let headers: Headers = [
                Some(("MCP-Protocol-Version", VERSION)),
                Some(("Mcp-Method", method)),
                name.map(|name| ("Mcp-Name", name)),
            ]
            .into_iter()
            .flatten()
            .collect();
            let decoded = Params::decode(Json::parse(params).unwrap()).unwrap();
            let found = headers.check(VERSION, method, &decoded, None);
            assert_eq!(found.is_ok(), agrees, "{method} {params} {name:?}");
        }
    }

    /// proves: SV-16
    #[test]
    fn a_version_is_found_in_each_value_of_its_header() {
        let found = |values: &[&str]| {
            let headers: Headers =
                values.iter().map(|value| ("mcp-protocol-version", value)).collect();
            headers.names_version(VERSION)
        };
        assert!(!found(&[]) && !found(&["2025-11-25"]) && !found(&["\u{e9}"]));
        assert!(found(&[" 2026-07-28 "]) && found(&["2025-11-25", VERSION]));
    }

    /// proves: SV-16
    #[test]
    fn headers_show_and_keep_nothing_that_they_need_not() {
        let all = [("authorization", "SENTINEL"), ("Mcp-Param-A", "SENTINEL"), ("é", "")];
        let headers: Headers = all.into_iter().collect();
        assert_eq!(format!("{headers:?}"), "Headers(1)");
        assert_eq!(headers.fields.len(), 1);
    }

    #[test]
    fn every_text_reads_back() {
        for text in
            ["a", "", " a", "a\t", "a b\tc", "=?base64?", "=?base64?YQ==?=", "é", "a\nb", "?="]
        {
            let value = header_value(text);
            assert!(value.bytes().all(|byte| (b' '..=b'~').contains(&byte) || byte == b'\t'));
            assert_eq!(read_header_value(&value).as_deref(), Some(text));
        }
        assert_eq!(header_value("a b\tc"), "a b\tc", "plain text stays as it is");
        assert_eq!(header_value(""), "=?base64??=", "an empty value is none of HTTP's");
        for wrong in ["=?base64?YQ?=", "=?base64?!?=", "=?base64?/w==?="] {
            assert_eq!(read_header_value(wrong), None, "{wrong}");
        }
    }
}
