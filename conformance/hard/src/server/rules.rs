//! The rules for every answer, as checks. They judge all answers of the run.

use super::{CheckSpec, always::Rule, must, own};

pub(super) const SPECS: &[CheckSpec] = &[
    must(
        "always-id",
        "basic, error responses and result responses: the id of the request",
        "Every answer has the id of its request.",
        |target| target.always(Rule::Id),
    ),
    must(
        "always-result-type",
        "basic, result responses: resultType is always there",
        "Every result has a resultType.",
        |target| target.always(Rule::ResultType),
    ),
    must(
        "always-one-of",
        "mrtr, server requirement 6: inputRequests or requestState",
        "Every input_required has inputRequests or a requestState.",
        |target| target.always(Rule::OneOf),
    ),
    must(
        "always-three-requests",
        "mrtr, server requirement 2: one of three kinds of requests",
        "Every question is elicitation, sampling or roots.",
        |target| target.always(Rule::ThreeRequests),
    ),
    must(
        "always-declared",
        "mrtr, server requirement 7; elicitation and sampling, capabilities",
        "No question needs a capability that the request does not declare.",
        |target| target.always(Rule::Declared),
    ),
    must(
        "always-three-methods",
        "mrtr, supported requests: no InputRequiredResult on any other request",
        "No other method is answered with a question.",
        |target| target.always(Rule::ThreeMethods),
    ),
    must(
        "always-codes",
        "basic, error codes: integers, and none of the reserved range that is undefined",
        "Every error has an integer code that this revision defines, and a message.",
        |target| target.always(Rule::Codes),
    ),
    must(
        "always-status",
        "schema, HeaderMismatchError and the like: 400",
        "Every -32020, -32021 and -32022 comes with status 400.",
        |target| target.always(Rule::Status),
    ),
    must(
        "always-media-type",
        "streamable HTTP, sending messages: JSON or an event stream",
        "Every answer is JSON or an event stream.",
        |target| target.always(Rule::MediaType),
    ),
    must(
        "always-no-requests",
        "streamable HTTP, receiving messages: no requests on the stream",
        "No event is a request of the server.",
        |target| target.always(Rule::NoRequests),
    ),
    own(
        "always-no-server-error",
        "W-11: no input breaks the server",
        "Every request is answered, and none with a status of 500 or more.",
        |target| target.always(Rule::NoServerError),
    ),
];
