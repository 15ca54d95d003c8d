//! Rules for every answer of a server, to honest and to hostile requests.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    call::Call,
    exchange::{Exchange, Outcome},
};
use crate::check::Problem;

/// The name of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    Id,
    ResultType,
    OneOf,
    ThreeRequests,
    Declared,
    ThreeMethods,
    Codes,
    Status,
    MediaType,
    NoRequests,
    NoServerError,
}

/// The ruling of a rule on one answer.
enum Ruling {
    /// The rule does not apply.
    Skip,
    Good,
    Bad(&'static str),
}

use Ruling::{Bad, Good, Skip};

/// How often each rule held, and the first answer that broke it.
#[derive(Default)]
pub(crate) struct Ledger {
    held: BTreeMap<Rule, usize>,
    broken: BTreeMap<Rule, (usize, Problem)>,
}

impl Ledger {
    /// Applies all rules to an answer. `id` is the id that the answer must repeat.
    pub(crate) fn note(&mut self, call: &Call, id: Option<&Value>, seen: &Exchange) {
        for (rule, judge) in RULES {
            match judge(call, id, seen) {
                Skip => {}
                Good => *self.held.entry(*rule).or_default() += 1,
                Bad(expected) => {
                    let first = || (0, seen.fail(expected));
                    self.broken.entry(*rule).or_insert_with(first).0 += 1;
                }
            }
        }
    }

    /// Returns the result of a rule.
    pub(crate) fn found(&self, rule: Rule) -> Result<String, Problem> {
        let held = self.held.get(&rule).copied().unwrap_or_default();
        match self.broken.get(&rule) {
            Some((count, Problem::Failed { sent, came_back })) => {
                let came_back = format!("{count} of {} answers, first {came_back}", held + count);
                Err(Problem::Failed { sent: sent.clone(), came_back })
            }
            Some((_, problem)) => Err(problem.clone()),
            None if held == 0 => Err(Problem::NotOffered("no such answer came".into())),
            None => Ok(format!("{held} answers")),
        }
    }
}

type Judge = fn(&Call, Option<&Value>, &Exchange) -> Ruling;

const RULES: &[(Rule, Judge)] = &[
    (Rule::Id, id),
    (Rule::ResultType, result_type),
    (Rule::OneOf, one_of),
    (Rule::ThreeRequests, three_requests),
    (Rule::Declared, declared),
    (Rule::ThreeMethods, three_methods),
    (Rule::Codes, codes),
    (Rule::Status, status),
    (Rule::MediaType, media_type),
    (Rule::NoRequests, no_requests),
    (Rule::NoServerError, no_server_error),
];

/// The statuses of HTTP for a request that is refused before it is read as JSON-RPC.
const REFUSED_BY_HTTP: [u16; 5] = [403, 405, 406, 413, 415];

fn rule(is_good: bool, expected: &'static str) -> Ruling {
    if is_good { Good } else { Bad(expected) }
}

fn id(_: &Call, id: Option<&Value>, seen: &Exchange) -> Ruling {
    let by_http = seen.status.is_some_and(|status| REFUSED_BY_HTTP.contains(&status));
    match (id, seen.response()) {
        (Some(id), Some(response)) if !by_http => {
            let back = response.get("id").filter(|id| !id.is_null());
            // A request that cannot be parsed has no id to repeat.
            let is_unread = matches!(seen.outcome, Outcome::Error { code: -32700, .. });
            if is_unread && back.is_none() {
                return Skip;
            }
            rule(back == Some(id), "the id of the request")
        }
        _ => Skip,
    }
}

fn result_type(_: &Call, _: Option<&Value>, seen: &Exchange) -> Ruling {
    match seen.response().and_then(|response| response.get("result")) {
        None => Skip,
        Some(result) => {
            rule(result.get("resultType").is_some_and(Value::is_string), "a resultType")
        }
    }
}

fn one_of(_: &Call, _: Option<&Value>, seen: &Exchange) -> Ruling {
    match &seen.outcome {
        Outcome::Asks(round) => rule(
            !round.requests.is_empty() || round.state.is_some(),
            "inputRequests or a requestState that is a string",
        ),
        Outcome::Complete(_) | Outcome::ToolError | Outcome::Error { .. } | Outcome::Nothing => {
            Skip
        }
    }
}

/// Returns the requests of an answer.
fn requests(seen: &Exchange) -> impl Iterator<Item = &Value> {
    match &seen.outcome {
        Outcome::Asks(round) => Some(round.requests.values()),
        Outcome::Complete(_) | Outcome::ToolError | Outcome::Error { .. } | Outcome::Nothing => {
            None
        }
    }
    .into_iter()
    .flatten()
}

fn three_requests(_: &Call, _: Option<&Value>, seen: &Exchange) -> Ruling {
    if requests(seen).next().is_none() {
        return Skip;
    }
    let is_one = |request: &Value| {
        matches!(
            request.get("method").and_then(Value::as_str),
            Some("elicitation/create" | "sampling/createMessage" | "roots/list")
        )
    };
    rule(requests(seen).all(is_one), "elicitation, sampling or roots")
}

fn declared(call: &Call, _: Option<&Value>, seen: &Exchange) -> Ruling {
    if requests(seen).next().is_none() {
        return Skip;
    }
    let declared: Value = serde_json::from_str(call.declared()).unwrap_or_default();
    let has = |pointer: &str| declared.pointer(pointer).is_some_and(|found| !is_no(found));
    let fits = |request: &Value| match request.get("method").and_then(Value::as_str) {
        Some("elicitation/create") => {
            if request.pointer("/params/mode").and_then(Value::as_str) == Some("url") {
                has("/elicitation/url")
            } else {
                has("/elicitation/form") || (has("/elicitation") && !has("/elicitation/url"))
            }
        }
        Some("sampling/createMessage") => {
            let uses_tools = request.pointer("/params/tools").is_some()
                || request.pointer("/params/toolChoice").is_some();
            has("/sampling") && (!uses_tools || has("/sampling/tools"))
        }
        Some("roots/list") => has("/roots"),
        _ => true,
    };
    rule(requests(seen).all(fits), "only what the client declared")
}

/// Returns whether a value declares nothing.
fn is_no(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(false))
}

fn three_methods(call: &Call, _: Option<&Value>, seen: &Exchange) -> Ruling {
    if matches!(call.method(), "tools/call" | "prompts/get" | "resources/read") {
        return Skip;
    }
    rule(!matches!(seen.outcome, Outcome::Asks(_)), "no input_required")
}

fn codes(_: &Call, _: Option<&Value>, seen: &Exchange) -> Ruling {
    let Some(error) = seen.response().and_then(|response| response.get("error")) else {
        return Skip;
    };
    let Some(code) = error.get("code").and_then(Value::as_i64) else {
        return Bad("a code that is an integer");
    };
    if !error.get("message").is_some_and(Value::is_string) {
        return Bad("a message");
    }
    let is_undefined = (-32099..=-32020).contains(&code) && !(-32022..=-32020).contains(&code);
    rule(!is_undefined && code != -32002 && code != -32042, "a code that this revision defines")
}

fn status(_: &Call, _: Option<&Value>, seen: &Exchange) -> Ruling {
    match (&seen.outcome, seen.status) {
        (Outcome::Error { code: -32022..=-32020, .. }, Some(status)) => {
            rule(status == 400, "status 400 with this code")
        }
        _ => Skip,
    }
}

fn media_type(_: &Call, id: Option<&Value>, seen: &Exchange) -> Ruling {
    match seen.status {
        Some(200) if id.is_some() => rule(
            matches!(seen.media_type.as_str(), "application/json" | "text/event-stream"),
            "application/json or text/event-stream",
        ),
        _ => Skip,
    }
}

fn no_requests(_: &Call, _: Option<&Value>, seen: &Exchange) -> Ruling {
    if seen.media_type != "text/event-stream" {
        return Skip;
    }
    let is_request =
        |message: &Value| message.get("method").is_some() && message.get("id").is_some();
    rule(!seen.messages.iter().any(is_request), "no request of the server")
}

fn no_server_error(_: &Call, _: Option<&Value>, seen: &Exchange) -> Ruling {
    rule(seen.status.is_some_and(|status| status < 500), "an answer with a status below 500")
}
