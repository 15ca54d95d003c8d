//! The result of a request that may be answered with `input_required`.

use alloc::{string::String, sync::Arc, vec::Vec};

use super::{
    Json, Object, RawJson, WireError, Writer, error::within, object::with_members,
    params::REQUEST_STATE,
};
use crate::{Limits, debug::debug};

const RESULT_TYPE: &str = "resultType";
const COMPLETE: &str = "complete";
pub(crate) const INPUT_REQUIRED: &str = "input_required";
const INPUT_REQUESTS: &str = "inputRequests";

/// The `requestState` of a round: opaque JSON text that is echoed unchanged.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct StateText(Arc<str>);

impl StateText {
    /// Returns the JSON string, quotes and escapes included.
    pub(crate) fn as_json(&self) -> Json<'_> {
        Json::composed(&self.0)
    }

    /// Returns the length in bytes of the JSON text between the quotes.
    pub(crate) fn len(&self) -> usize {
        self.0.len().saturating_sub(2)
    }
}

debug!(StateText, |state| "StateText({} bytes)", state.len());

/// The part of a result that the lifecycle needs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CallResult<'a> {
    /// The request is complete.
    Complete,
    /// The server needs input: requests under keys that it chose, and a state to echo.
    InputRequired { requests: Vec<(String, Json<'a>)>, state: Option<StateText> },
}

impl<'a> CallResult<'a> {
    /// Decodes a result (mrtr, server requirements).
    ///
    /// A result of one of the `extension_types` is complete for the lifecycle.
    pub(crate) fn decode(result: Json<'a>, extension_types: &[String]) -> Result<Self, WireError> {
        let object = Object::decode_repeated(result, "result")?;
        let result_type = match object.once(RESULT_TYPE, "result")? {
            None => return Ok(Self::Complete),
            Some(json) => json.text().ok_or(WireError::shape(RESULT_TYPE, "a string"))?,
        };
        match result_type.as_ref() {
            COMPLETE => Ok(Self::Complete),
            INPUT_REQUIRED => Self::decode_input_required(&object),
            other if extension_types.iter().any(|known| known == other) => Ok(Self::Complete),
            _ => Err(WireError::shape(RESULT_TYPE, "\"complete\" or \"input_required\"")),
        }
    }

    fn decode_input_required(object: &Object<'a>) -> Result<Self, WireError> {
        let once = |name| Ok(object.once(name, "result")?.filter(|json| !json.is_null()));
        let requests = match once(INPUT_REQUESTS)? {
            None => Vec::new(),
            Some(json) => Object::decode(json, INPUT_REQUESTS)?
                .iter()
                .map(|(key, request)| (key.into(), request))
                .collect(),
        };
        let state = match once(REQUEST_STATE)? {
            None => None,
            Some(json) if json.is_string() => Some(StateText(json.as_str().into())),
            Some(_) => return Err(WireError::shape(REQUEST_STATE, "a string")),
        };
        if requests.is_empty() && state.is_none() {
            return Err(WireError::shape(
                "an input_required result",
                "one with inputRequests or requestState",
            ));
        }
        Ok(Self::InputRequired { requests, state })
    }
}

/// Writes an `input_required` result.
pub(crate) fn write_input_required(requests: &[(String, RawJson)], state: Option<&str>) -> String {
    Writer::object(|result| {
        result.text(RESULT_TYPE, INPUT_REQUIRED);
        if !requests.is_empty() {
            result.nested(INPUT_REQUESTS, |written| {
                for (key, request) in requests {
                    written.json(key, request.as_str());
                }
            });
        }
        if let Some(state) = state {
            result.text(REQUEST_STATE, state);
        }
    })
}

/// Adds the type to a handler's result: a server of this revision always names it (basic, results).
/// `None`: the result is not an object, or is an `input_required` result.
pub(crate) fn complete(result: &RawJson, names_type: bool) -> Option<RawJson> {
    let object = Object::decode(result.as_json(), "result").ok()?;
    match object.get(RESULT_TYPE) {
        Some(result_type) if result_type.text()? == INPUT_REQUIRED => None,
        None if names_type => {
            let mut members = Writer::default();
            members.text(RESULT_TYPE, COMPLETE);
            Some(with_members(result.as_json(), &members.into_members()))
        }
        Some(_) | None => Some(result.clone()),
    }
}

/// Checks the result of a method that has no rounds, such as `tools/list`: it must be complete.
///
/// ```
/// use mrtr_core::wire::{Json, expect_complete};
///
/// assert!(expect_complete(Json::parse(r#"{"tools":[]}"#)?).is_ok());
/// let asks = r#"{"resultType":"input_required","requestState":"s"}"#;
/// assert!(expect_complete(Json::parse(asks)?).is_err());
/// # Ok::<(), mrtr_core::wire::WireError>(())
/// ```
///
/// # Errors
///
/// Returns [`WireError`] if the result has another type than `complete`, or a wrong shape (mrtr,
/// supported requests).
pub fn expect_complete(result: Json<'_>) -> Result<(), WireError> {
    match CallResult::decode(result, &[])? {
        CallResult::Complete => Ok(()),
        CallResult::InputRequired { .. } => {
            let what = "the result of a method without rounds";
            Err(WireError::shape(what, "a complete result"))
        }
    }
}

/// Checks the number and the sizes of a round's requests. Each item is a key and the length of its
/// request in bytes.
pub(crate) fn check_round<'r>(
    requests: impl ExactSizeIterator<Item = (&'r str, usize)>,
    limits: &Limits,
) -> Result<(), WireError> {
    within(requests.len(), "inputRequests in requests", limits.requests_max)?;
    let mut total: usize = 0;
    for (key, bytes) in requests {
        within(key.len(), "the key of an input request in bytes", limits.key_bytes_max)?;
        within(bytes, "an input request in bytes", limits.request_bytes_max)?;
        total = total.saturating_add(bytes);
    }
    within(total, "inputRequests in bytes", limits.round_bytes_max)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    fn decode(result: &str) -> Result<CallResult<'_>, WireError> {
        CallResult::decode(Json::parse(result).unwrap(), &[])
    }

    /// proves: W-01
    #[test]
    fn an_absent_result_type_is_complete_and_an_unknown_one_is_refused() {
        assert_eq!(decode("{}"), Ok(CallResult::Complete));
        assert_eq!(decode(r#"{"resultType":"complete"}"#), Ok(CallResult::Complete));
        for wrong in [r#"{"resultType":"task"}"#, r#"{"resultType":7}"#, r#"{"resultType":null}"#] {
            let error = decode(wrong).unwrap_err().to_string();
            assert!(error.contains("resultType"), "{error}");
        }
        assert_eq!(decode("[]"), Err(WireError::shape("result", "an object")));
        let task = Json::parse(r#"{"resultType":"task"}"#).unwrap();
        assert_eq!(CallResult::decode(task, &["task".into()]), Ok(CallResult::Complete));
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
            let shape = WireError::shape("requestState", "a string");
            assert_eq!(decode(&wrong), Err(shape), "{wrong}");
        }
        assert!(decode(r#"{"resultType":"input_required","inputRequests":[]}"#).is_err());
    }

    /// proves: W-04
    #[test]
    fn a_method_without_rounds_has_complete_results_only() {
        let check = |result: &str| expect_complete(Json::parse(result).unwrap());
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
        assert_eq!(state.as_json().as_str(), json);
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
            assert_eq!(decode(wrong), Err(WireError::duplicate(what)));
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
