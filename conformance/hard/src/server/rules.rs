//! The rules that every answer keeps, as checks. They look back on all that was sent.

use super::{Spec, always::Always, must, own};

pub(super) const SPECS: &[Spec] = &[
    must(
        "always-id",
        "basic, error responses and result responses: the id of the request",
        "Every answer has the id of its request.",
        |target| target.always(Always::Id),
    ),
    must(
        "always-result-type",
        "basic, result responses: resultType is always there",
        "Every result has a resultType.",
        |target| target.always(Always::ResultType),
    ),
    must(
        "always-one-of",
        "mrtr, server requirement 6: inputRequests or requestState",
        "Every input_required has inputRequests or a requestState.",
        |target| target.always(Always::OneOf),
    ),
    must(
        "always-three-requests",
        "mrtr, server requirement 2: one of three kinds of requests",
        "Every question is elicitation, sampling or roots.",
        |target| target.always(Always::ThreeRequests),
    ),
    must(
        "always-declared",
        "mrtr, server requirement 7; elicitation and sampling, capabilities",
        "No question that the client did not declare in that request.",
        |target| target.always(Always::Declared),
    ),
    must(
        "always-three-methods",
        "mrtr, supported requests: no InputRequiredResult on any other request",
        "No question on any other method.",
        |target| target.always(Always::ThreeMethods),
    ),
    must(
        "always-codes",
        "basic, error codes: integers, and no undefined one of the reserved range",
        "Every error has an integer code that this revision defines, and a message.",
        |target| target.always(Always::Codes),
    ),
    must(
        "always-status",
        "schema, HeaderMismatchError and the like: 400",
        "Every -32020, -32021 and -32022 comes with status 400.",
        |target| target.always(Always::Status),
    ),
    must(
        "always-media-type",
        "streamable HTTP, sending messages: JSON or an event stream",
        "Every answer is JSON or an event stream.",
        |target| target.always(Always::MediaType),
    ),
    must(
        "always-no-requests",
        "streamable HTTP, receiving messages: no requests on the stream",
        "No event is a request of the server.",
        |target| target.always(Always::NoRequests),
    ),
    own(
        "always-no-server-error",
        "W-11: no input breaks the server",
        "Every request is answered, and none with a status of 500 or more.",
        |target| target.always(Always::NoServerError),
    ),
];
