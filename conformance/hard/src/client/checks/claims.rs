//! Claims: a client declares exactly what the call claims, on each leg.

use super::{YES, params::claimed};
use crate::{
    check::{
        Level::{Info, Must, Own},
        Problem,
    },
    client::{
        call::call,
        case::Case,
        json::Json,
        played_call::{CheckResult, PlayedCall},
        script::{
            ROOTS, STATE, Step, VALUE, asks, asks_value, complete, form, sampling, under, url,
        },
    },
};

const OWN: &str = "elicitation, capabilities: declared on each request";
const TOOLS: &str = r#","tools":[{"name":"t","inputSchema":{"type":"object"}}]"#;
const NOBODY: &str = "CL-06, CL-14: what was not claimed is not answered";

/// A list of paths in the capabilities.
type Paths = &'static [&'static [&'static str]];

/// Claims, and the capabilities that must and must not be declared.
const CLAIMS: [(&str, &str, Paths, Paths); 5] = [
    ("claims-none", "none", &[], &[&["elicitation"], &["sampling"], &["roots"]]),
    (
        "claims-form",
        "form",
        &[&["elicitation"]],
        &[&["elicitation", "url"], &["sampling"], &["roots"]],
    ),
    (
        "claims-url",
        "url",
        &[&["elicitation", "url"]],
        &[&["elicitation", "form"], &["sampling"], &["roots"]],
    ),
    (
        "claims-sampling",
        "sampling",
        &[&["sampling"]],
        &[&["sampling", "tools"], &["elicitation"], &["roots"]],
    ),
    ("claims-roots", "roots", &[&["roots"]], &[&["elicitation"], &["sampling"]]),
];

/// A function that writes a request.
type Write = fn() -> String;

/// Requests to clients that do not claim them.
const UNCLAIMED: [(&str, &str, Write); 7] = [
    ("unclaimed-form", "none", || form(VALUE)),
    ("unclaimed-url", "form", || url("https://example.org/pay")),
    ("unclaimed-form-of-url-only", "url", || form(VALUE)),
    ("unclaimed-sampling", "form,url", || sampling("")),
    ("unclaimed-sampling-tools", "sampling", || sampling(TOOLS)),
    ("unclaimed-sampling-context", "sampling", || sampling(r#","includeContext":"thisServer""#)),
    ("unclaimed-roots", "form,url", || ROOTS.into()),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = CLAIMS
        .map(|(id, claims, there, not_there)| {
            Case::new(call("plain").claims(claims), [complete("plain")]).check(
                id,
                Own,
                "CL-15: what is claimed is what somebody was named for",
                "a call with these claims declares them and nothing beside",
                move |play| declares(play, there, not_there),
            )
        })
        .into();
    cases.extend(UNCLAIMED.map(|(id, claims, request)| {
        let ask = call("ask").claims(claims).answers_all(YES);
        Case::new(ask, [asks(&under("k", &request()), Some(STATE)), complete("done")]).check(
            id,
            Own,
            NOBODY,
            "the server asks for what this call does not claim; nothing is answered in its place",
            PlayedCall::expect_refused,
        )
    }));
    cases.push(each_leg());
    cases.push(Case::new(call("plain").claims(ALL), [complete("plain")]).check(
        "claims-all",
        Info,
        "CL-15",
        "what does a call with every claim declare",
        |play| Ok(claimed(play, 0)?.to_string()),
    ));
    cases
}

const ALL: &str = "form,url,sampling,sampling.tools,sampling.context,roots";

fn each_leg() -> Case {
    let steps: [Step; 3] = [asks_value(Some(STATE)), asks_value(None), complete("done")];
    Case::new(call("ask").answers_all(YES), steps).check(
        "claims-each-leg",
        Must,
        OWN,
        "a call of three legs declares elicitation on each, and the same on each",
        |play| {
            let first = claimed(play, 0)?;
            for leg in 0..3 {
                let found = claimed(play, leg)?;
                let declares = found.get("elicitation").is_some() && found.same(&first).is_ok();
                if !declares {
                    return Err(play.fails(format!("leg {} declares {found}", leg + 1)));
                }
            }
            Ok(format!("on each leg {first}"))
        },
    )
}

/// Checks the declared capabilities. An empty `elicitation` declares forms.
fn declares(play: &PlayedCall, there: &[&[&str]], not_there: &[&[&str]]) -> CheckResult {
    let found = claimed(play, 0)?;
    let missing = there.iter().find(|path| !is_declared(&found, path));
    let beside = not_there.iter().find(|path| is_declared(&found, path));
    match (missing, beside) {
        // A client that lacks a capability is not at fault.
        (Some(missing), _) => {
            Err(Problem::NotOffered(format!("it declares no {}: {found}", missing.join("."))))
        }
        (None, Some(beside)) => {
            Err(play.fails(format!("it declares {} too: {found}", beside.join("."))))
        }
        (None, None) => {
            play.expect_complete("plain")?;
            Ok(found.to_string())
        }
    }
}

fn is_declared(capabilities: &Json, path: &[&str]) -> bool {
    let is_empty = |elicitation: &Json| elicitation.members().is_some_and(<[_]>::is_empty);
    match path {
        ["elicitation", "form"] if capabilities.get("elicitation").is_some_and(is_empty) => true,
        _ => capabilities.at(path).is_some(),
    }
}
