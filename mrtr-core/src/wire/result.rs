//! The result of a request that may have been answered with `input_required`.

use alloc::{string::String, sync::Arc, vec::Vec};
use core::fmt;

use super::{Object, RawJson, WireError, text};
use crate::Limits;

/// Is the `requestState` of a round: opaque JSON text, held and echoed as it came.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct StateText(Arc<str>);

impl StateText {
    /// Returns the JSON string, quotes and escapes included.
    pub(crate) fn as_json(&self) -> &str {
        &self.0
    }

    /// Returns the bytes of the JSON text between the quotes.
    pub(crate) fn len(&self) -> usize {
        self.0.len().saturating_sub(2)
    }
}

impl fmt::Debug for StateText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StateText({} bytes)", self.len())
    }
}

/// Is what a result says of the request it answers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CallResult {
    /// The request is complete.
    Complete,
    /// The server needs input: requests under the keys it chose, and a state to echo.
    InputRequired { requests: Vec<(String, RawJson)>, state: Option<StateText> },
}

impl CallResult {
    /// Decodes a result as far as the lifecycle needs it (mrtr, server requirements).
    ///
    /// `extension_types` are further result types that the caller understands; a result of one of
    /// them is complete as far as the lifecycle goes.
    pub(crate) fn decode(result: &RawJson, extension_types: &[String]) -> Result<Self, WireError> {
        let object = Object::decode_repeated(result.as_str(), "result")?;
        let result_type = match object.once("resultType", "result")? {
            None => return Ok(Self::Complete),
            Some(json) => {
                text(json).ok_or(WireError::Shape { what: "resultType", expected: "a string" })?
            }
        };
        match result_type.as_ref() {
            "complete" => Ok(Self::Complete),
            "input_required" => Self::decode_input_required(&object),
            other if extension_types.iter().any(|known| known == other) => Ok(Self::Complete),
            _ => Err(WireError::Shape {
                what: "resultType",
                expected: "\"complete\" or \"input_required\"",
            }),
        }
    }

    fn decode_input_required(object: &Object<'_>) -> Result<Self, WireError> {
        let once = |name| Ok(object.once(name, "result")?.filter(|json| *json != "null"));
        let requests = match once("inputRequests")? {
            None => Vec::new(),
            Some(json) => Object::decode(json, "inputRequests")?
                .iter()
                .map(|(key, request)| (key.into(), RawJson::part(request)))
                .collect(),
        };
        let state = match once("requestState")? {
            None => None,
            Some(json) if json.starts_with('"') => Some(StateText(json.into())),
            Some(_) => {
                return Err(WireError::Shape { what: "requestState", expected: "a string" });
            }
        };
        if requests.is_empty() && state.is_none() {
            return Err(WireError::Shape {
                what: "an input_required result",
                expected: "one with inputRequests or requestState",
            });
        }
        Ok(Self::InputRequired { requests, state })
    }
}

/// Checks the result of a method that has no rounds, such as `tools/list`: it must be complete.
///
/// ```
/// use mrtr_core::wire::{RawJson, expect_complete};
///
/// assert!(expect_complete(&RawJson::parse(r#"{"tools":[]}"#)?).is_ok());
/// let asks = r#"{"resultType":"input_required","requestState":"s"}"#;
/// assert!(expect_complete(&RawJson::parse(asks)?).is_err());
/// # Ok::<(), mrtr_core::wire::WireError>(())
/// ```
///
/// # Errors
///
/// A result of another type than `complete`, or of a wrong shape (mrtr, supported requests).
pub fn expect_complete(result: &RawJson) -> Result<(), WireError> {
    match CallResult::decode(result, &[])? {
        CallResult::Complete => Ok(()),
        CallResult::InputRequired { .. } => Err(WireError::Shape {
            what: "the result of a method without rounds",
            expected: "a complete result",
        }),
    }
}

/// Checks how many requests a round has, and how large they are.
pub(crate) fn check_requests(
    requests: &[(String, RawJson)],
    limits: &Limits,
) -> Result<(), WireError> {
    let too_large = |what, max| Err(WireError::TooLarge { what, max });
    if requests.len() > limits.requests_max {
        return too_large("inputRequests in requests", limits.requests_max);
    }
    let mut total: usize = 0;
    for (key, request) in requests {
        if key.len() > limits.key_bytes_max {
            return too_large("the key of an input request in bytes", limits.key_bytes_max);
        }
        let bytes = request.as_str().len();
        if bytes > limits.request_bytes_max {
            return too_large("an input request in bytes", limits.request_bytes_max);
        }
        total = total.saturating_add(bytes);
    }
    if total > limits.round_bytes_max {
        return too_large("inputRequests in bytes", limits.round_bytes_max);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    fn decode(result: &str) -> Result<CallResult, WireError> {
        CallResult::decode(&RawJson::parse(result).unwrap(), &[])
    }

    /// proves: W-01
    #[test]
    fn an_absent_result_type_is_complete_and_an_unknown_one_is_refused() {
        assert_eq!(decode("{}"), Ok(CallResult::Complete));
        assert_eq!(decode(r#"{"resultType":"complete"}"#), Ok(CallResult::Complete));
        for wrong in [r#"{"resultType":"task"}"#, r#"{"resultType":7}"#, r#"{"resultType":null}"#] {
            assert!(matches!(decode(wrong), Err(WireError::Shape { what: "resultType", .. })));
        }
        assert!(matches!(decode("[]"), Err(WireError::Shape { what: "result", .. })));
        let task = RawJson::parse(r#"{"resultType":"task"}"#).unwrap();
        assert_eq!(CallResult::decode(&task, &["task".into()]), Ok(CallResult::Complete));
    }

    /// proves: W-02
    #[test]
    fn input_required_has_requests_or_a_state() {
        let neither = [
            r#"{"resultType":"input_required"}"#,
            r#"{"resultType":"input_required","inputRequests":{}}"#,
            r#"{"resultType":"input_required","inputRequests":null,"requestState":null}"#,
        ];
        for wrong in neither {
            assert!(decode(wrong).is_err(), "{wrong}");
        }
        let state_only = r#"{"resultType":"input_required","inputRequests":{},"requestState":"s"}"#;
        let Ok(CallResult::InputRequired { requests, state: Some(_) }) = decode(state_only) else {
            panic!("it is a state-only result");
        };
        assert!(requests.is_empty());
        for wrong in ["7", "{}", "[]", "true"] {
            let wrong = r#"{"resultType":"input_required","requestState":@}"#.replace('@', wrong);
            let shape = WireError::Shape { what: "requestState", expected: "a string" };
            assert_eq!(decode(&wrong), Err(shape), "{wrong}");
        }
        assert!(decode(r#"{"resultType":"input_required","inputRequests":[]}"#).is_err());
    }

    /// proves: W-04
    #[test]
    fn a_method_without_rounds_has_complete_results_only() {
        let check = |result: &str| expect_complete(&RawJson::parse(result).unwrap());
        assert_eq!(check("{}"), Ok(()));
        assert_eq!(check(r#"{"resultType":"complete"}"#), Ok(()));
        for wrong in [
            r#"{"resultType":"input_required","requestState":"s"}"#,
            r#"{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}}}"#,
            r#"{"resultType":"task"}"#,
            "[]",
        ] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
        assert_eq!(crate::wire::Method::from_name("tools/list"), None);
    }

    /// proves: W-08
    #[test]
    fn a_state_is_the_text_that_came_whatever_it_holds() {
        let json = r#""a\ud800\u0041\/\n é""#;
        let result = r#"{"resultType":"input_required","requestState": @ }"#.replace('@', json);
        let Ok(CallResult::InputRequired { state: Some(state), .. }) = decode(&result) else {
            panic!("it has a state");
        };
        assert_eq!(state.as_json(), json);
        assert_eq!(
            alloc::format!("{state:?}"),
            alloc::format!("StateText({} bytes)", json.len() - 2)
        );
    }

    /// proves: W-11
    #[test]
    fn members_that_come_twice_are_refused_at_any_depth_that_is_read() {
        for (wrong, what) in [
            (r#"{"resultType":"input_required","requestState":"a","requestState":"b"}"#, "result"),
            (r#"{"resultType":"complete","resultType":"input_required"}"#, "result"),
            (r#"{"resultType":"input_required","inputRequests":{},"inputRequests":{}}"#, "result"),
            (
                r#"{"resultType":"input_required","inputRequests":{"a":{},"\u0061":{}}}"#,
                "inputRequests",
            ),
        ] {
            assert_eq!(decode(wrong), Err(WireError::Duplicate { what }));
        }
        // What is not read is not judged.
        assert_eq!(decode(r#"{"resultType":"complete","a":1,"a":2}"#), Ok(CallResult::Complete));
        let name = decode(r#"{"\ud800":1}"#).unwrap_err();
        assert_eq!(
            name.to_string(),
            "expected result to be an object whose names are Unicode text"
        );
    }

    /// proves: W-11
    #[test]
    fn text_that_is_no_json_or_too_deep_is_refused_before_it_is_read() {
        let deep = "[".repeat(100_000);
        assert_eq!(
            RawJson::parse(&deep).unwrap_err().to_string(),
            "expected at most 124 levels of nesting"
        );
        let nested = alloc::format!("{}{}", "[".repeat(125), "]".repeat(125));
        assert!(matches!(RawJson::parse(&nested), Err(WireError::TooDeep { .. })));
        let nested = alloc::format!("{}{}", "[".repeat(124), "]".repeat(124));
        assert!(RawJson::parse(&nested).is_ok());
        assert!(RawJson::parse(&alloc::format!("\"{}\\\"[\"", "[".repeat(500))).is_ok());
        for wrong in ["", "{", "{} {}", "{\"a\":1,}", "nul", "'a'"] {
            assert_eq!(RawJson::parse(wrong), Err(WireError::NotJson), "{wrong}");
        }
    }
}
