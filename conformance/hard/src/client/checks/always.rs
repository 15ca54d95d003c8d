//! Rules for every message of every call.

mod holds;

use crate::{
    check::{
        Check,
        Level::{self, Info, Must, Own, Should},
        Problem,
    },
    client::{
        case::verdict,
        played_call::{CheckResult, PlayedCall},
    },
};

/// A check of all calls that were played.
pub(crate) struct CallRule {
    pub(crate) id: &'static str,
    level: Level,
    source: &'static str,
    about: &'static str,
    holds: RuleResult,
}

type RuleResult = fn(&PlayedCall) -> Result<(), Problem>;

const fn always(
    id: &'static str,
    level: Level,
    source: &'static str,
    about: &'static str,
    holds: RuleResult,
) -> CallRule {
    CallRule { id, level, source, about, holds }
}

/// All rules.
pub(crate) const CHECKS: [CallRule; 20] = [
    always(
        "always-new-ids",
        Must,
        "mrtr, client requirement 3: the ids of the request and the retry differ",
        "each leg has its own id",
        holds::new_ids,
    ),
    always(
        "always-ids",
        Must,
        "basic, requests: a string or an integer, not null",
        "an id is a text or an integer",
        holds::sound_ids,
    ),
    always(
        "always-same-params",
        Must,
        "mrtr, basic workflow: the retry is the original request; CL-02",
        "each leg has the params of the first",
        super::params::same_params,
    ),
    always(
        "always-same-claims",
        Should,
        "elicitation, capabilities: on each request; CL-02",
        "each leg declares the capabilities of the first",
        holds::same_claims,
    ),
    always(
        "always-first-leg",
        Must,
        "mrtr, client requirement 2: no state where there was none",
        "a first leg has neither a state nor answers",
        holds::clean_first_leg,
    ),
    always(
        "always-other-requests",
        Must,
        "mrtr, client requirement 4: used for the retry only",
        "no other request has a state or answers",
        holds::clean_other_requests,
    ),
    always(
        "always-answers-object",
        Must,
        "schema, InputResponses; P87",
        "inputResponses is an object where it is there",
        holds::answers_object,
    ),
    always(
        "always-state-text",
        Must,
        "schema, CallToolRequestParams.requestState",
        "requestState is a text where it is there",
        holds::state_text,
    ),
    always(
        "always-one-message",
        Must,
        "streamable HTTP, sending messages 4: no responses; JSON-RPC 2.0",
        "a body is one request or notification of JSON-RPC 2.0, and never a response",
        holds::one_message,
    ),
    always(
        "always-post",
        Must,
        "streamable HTTP, sending messages 1",
        "a message is sent by POST; nothing else comes with a body",
        holds::post,
    ),
    always(
        "always-no-get",
        Info,
        "streamable HTTP: no GET stream",
        "does anything but POST come to the server",
        holds::no_get,
    ),
    always(
        "always-accept",
        Must,
        "streamable HTTP, sending messages 2",
        "`Accept` lists application/json and text/event-stream",
        holds::accept,
    ),
    always(
        "always-content-type",
        Should,
        "streamable HTTP, sending messages; RFC 9110",
        "`Content-Type` is application/json",
        holds::content_type,
    ),
    always(
        "always-version-header",
        Must,
        "streamable HTTP, protocol version header",
        "`MCP-Protocol-Version` is there and is the version of the body",
        holds::version_header,
    ),
    always(
        "always-method-header",
        Must,
        "streamable HTTP, standard request headers",
        "`Mcp-Method` is there and is the method of the body",
        holds::method_header,
    ),
    always(
        "always-name-header",
        Must,
        "streamable HTTP, standard request headers",
        "`Mcp-Name` is there and is the name or the URI of the body",
        holds::name_header,
    ),
    always(
        "always-meta",
        Must,
        "basic, _meta: required fields",
        "`_meta` has the protocol version and the client's capabilities",
        holds::meta,
    ),
    always(
        "always-client-info",
        Should,
        "basic, _meta: clients should include clientInfo",
        "`_meta` says which client it is",
        holds::client_info,
    ),
    always(
        "always-no-credentials",
        Own,
        "nobody gave any",
        "no `Authorization`, as none was given",
        holds::no_credentials,
    ),
    always(
        "always-state-kept-to-itself",
        Own,
        "W-08: the state is between the client and the server only",
        "the state is not printed, and is in no header",
        holds::state_kept_to_itself,
    ),
];

impl CallRule {
    /// Judges all calls. The first call that breaks the rule is the failure.
    pub(crate) fn judge(&self, plays: &[PlayedCall]) -> Check {
        let Self { id, level, source, about, .. } = *self;
        Check { id, level, source, about, verdict: verdict(level, self.found(plays)) }
    }

    fn found(&self, plays: &[PlayedCall]) -> CheckResult {
        if plays.iter().all(|play| play.legs().is_empty()) {
            return Err(Problem::NotOffered("nothing was called".into()));
        }
        plays.iter().try_for_each(self.holds)?;
        Ok(format!("in {} calls", plays.len()))
    }
}
