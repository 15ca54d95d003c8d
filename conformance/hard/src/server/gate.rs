//! The capability gate: a client is asked only for declared capabilities, and the error names the
//! missing ones.

use mrtr_core::wire::RpcError;
use serde_json::Value;

use super::{
    CheckResult, CheckSpec,
    cases::each,
    exchange::{Exchange, Outcome},
    fixture::Fixture,
    info, must, should,
    target::Target,
};

/// Basic, `_meta`: -32021 with status 400 and the missing capabilities; mrtr, server requirement 7.
const GATE: &str = "mrtr, server requirement 7; basic, _meta: -32021 and status 400";
const MODES: &str =
    "elicitation, capabilities: no other modes; basic, _meta: -32021 and status 400";
const SETTINGS: &str =
    "sampling, tools: not without sampling.tools; basic, _meta: -32021 and status 400";

pub(super) const SPECS: &[CheckSpec] = &[
    must("gate-form-none", GATE, "A form, and nothing is declared.", |target| {
        lacks(target, Fixture::Form, "{}", "/elicitation")
    }),
    must(
        "gate-form-others",
        GATE,
        "A form, and everything but elicitation is declared.",
        |target| {
            let others = r#"{"sampling":{"tools":{},"context":{}},"roots":{"listChanged":true}}"#;
            lacks(target, Fixture::Form, others, "/elicitation")
        },
    ),
    must("gate-form-url-only", MODES, "A form, and only URLs are declared.", |target| {
        lacks(target, Fixture::Form, r#"{"elicitation":{"url":{}}}"#, "/elicitation/form")
    }),
    must("gate-url-none", GATE, "A URL, and nothing is declared.", |target| {
        lacks(target, Fixture::Url, "{}", "/elicitation/url")
    }),
    must("gate-url-form-only", MODES, "A URL, and only forms are declared.", |target| {
        lacks(target, Fixture::Url, r#"{"elicitation":{"form":{}}}"#, "/elicitation/url")
    }),
    must(
        "gate-url-empty",
        MODES,
        "A URL, and elicitation is declared without a mode, which is forms only.",
        |target| lacks(target, Fixture::Url, r#"{"elicitation":{}}"#, "/elicitation/url"),
    ),
    must("gate-sampling-none", GATE, "Sampling, and nothing is declared.", |target| {
        lacks(target, Fixture::Sampling, "{}", "/sampling")
    }),
    must(
        "gate-sampling-tools",
        SETTINGS,
        "Sampling with a tool, and only sampling is declared.",
        |target| {
            lacks(
                target,
                Fixture::SamplingTools,
                r#"{"sampling":{"context":{}}}"#,
                "/sampling/tools",
            )
        },
    ),
    should(
        "gate-sampling-context",
        "schema, CreateMessageRequestParams: includeContext only if sampling.context is declared",
        "Sampling with context, and only sampling is declared; the context is not asked for.",
        |target| {
            target.needs(Fixture::SamplingContext)?;
            let declared = r#"{"sampling":{"tools":{}}}"#;
            let seen = target.send(&Fixture::SamplingContext.call().capabilities(declared));
            match &seen.outcome {
                Outcome::Asks(round) => {
                    let context = |it: &Value| it.pointer("/params/includeContext").cloned();
                    let contexts = round.requests.values().filter_map(context);
                    if contexts.into_iter().all(|context| context == "none") {
                        return Ok("asked without context".into());
                    }
                    Err(seen.fail("a request without includeContext, or -32021"))
                }
                Outcome::Complete(_)
                | Outcome::ToolError
                | Outcome::Error { .. }
                | Outcome::Nothing => missing(&seen, "/sampling/context"),
            }
        },
    ),
    must("gate-roots-none", GATE, "Roots, and nothing is declared.", |target| {
        lacks(target, Fixture::Roots, r#"{"elicitation":{},"sampling":{}}"#, "/roots")
    }),
    must("gate-several-none", GATE, "Two forms at once, and nothing is declared.", |target| {
        lacks(target, Fixture::Several, "{}", "/elicitation")
    }),
    must("gate-prompt-none", GATE, "A form of a prompt, and nothing is declared.", |target| {
        lacks(target, Fixture::Prompt, "{}", "/elicitation")
    }),
    must("gate-resource-none", GATE, "A form of a resource, and nothing is declared.", |target| {
        lacks(target, Fixture::Resource, "{}", "/elicitation")
    }),
    must(
        "gate-dropped-on-retry",
        "schema, RequestMetaObject: capabilities are not inferred from prior requests",
        "The answer to the first of two rounds comes in a request that declares nothing.",
        |target| {
            target.needs(Fixture::TwoRounds)?;
            let state = target.begin(Fixture::TwoRounds)?.state;
            let call = Fixture::TwoRounds.call().answers(Fixture::TwoRounds.answers());
            missing(&target.send(&call.state(state.as_deref()).capabilities("{}")), "/elicitation")
        },
    ),
    must(
        "gate-no-memory",
        "basic, statelessness: servers do not rely on prior requests over the same connection",
        "On one connection: a request that declares everything, then one that declares nothing.",
        |target| {
            target.needs(Fixture::Form)?;
            let calls = [Fixture::Form.call(), Fixture::Form.call().capabilities("{}")];
            let seen = target.send_on_one_connection(&calls)?;
            let [first, second] = seen.as_slice() else { return Ok(String::new()) };
            first.asks(Fixture::Form.keys())?;
            missing(second, "/elicitation")
        },
    ),
    info(
        "gate-dropped-when-done",
        "mrtr, server requirement 7: it limits what a server sends",
        "The retry declares nothing, and no further question is needed.",
        |target| {
            target.needs(Fixture::Form)?;
            let state = target.begin(Fixture::Form)?.state;
            let call = Fixture::Form.call().answers(Fixture::Form.answers());
            Ok(target.send(&call.state(state.as_deref()).capabilities("{}")).word())
        },
    ),
    should(
        "gate-empty-is-form",
        "elicitation, capabilities: an empty object is equivalent to form mode only",
        "A form, and elicitation is declared without a mode; it is asked.",
        |target| asks(target, Fixture::Form, r#"{"elicitation":{}}"#),
    ),
    should(
        "gate-form-alone",
        "elicitation, capabilities: one mode is enough",
        "A form, and only forms are declared; it is asked.",
        |target| asks(target, Fixture::Form, r#"{"elicitation":{"form":{}}}"#),
    ),
    should(
        "gate-url-alone",
        "elicitation, capabilities: one mode is enough",
        "A URL, and only URLs are declared; it is asked.",
        |target| asks(target, Fixture::Url, r#"{"elicitation":{"url":{}}}"#),
    ),
    should(
        "gate-sampling-alone",
        "sampling, capabilities: tools and context are options of it",
        "Sampling, and only that is declared; it is asked.",
        |target| asks(target, Fixture::Sampling, r#"{"sampling":{}}"#),
    ),
    should(
        "gate-roots-alone",
        "schema, ClientCapabilities: roots is there if the client lists them",
        "Roots, and only they are declared; they are asked.",
        |target| asks(target, Fixture::Roots, r#"{"roots":{"listChanged":true}}"#),
    ),
    should(
        "gate-state-only",
        "mrtr, server requirements 6 and 7: a state alone needs no capability",
        "A state without questions, and nothing is declared; nothing is needed.",
        |target| asks(target, Fixture::StateOnly, "{}"),
    ),
    should(
        "gate-plain",
        "basic, _meta: -32021 is for a capability that is required",
        "No question, and nothing is declared; it works.",
        |target| {
            target.needs(Fixture::Plain)?;
            let seen = target.send(&Fixture::Plain.call().capabilities("{}"));
            seen.done("plain").map(|()| "complete".into())
        },
    ),
    should(
        "gate-unknown-ignored",
        "schema, ClientCapabilities: any client can define its own, additional capabilities",
        "Unknown capabilities and settings are declared beside the needed one.",
        |target| {
            let declared = r#"{"teleport":{"range":9},"elicitation":{"form":{"x":1},"voice":{}},"experimental":{"a":{}},"extensions":{"com.example/x":{}}}"#;
            asks(target, Fixture::Form, declared)
        },
    ),
    should(
        "gate-wrong-type",
        "schema, ClientCapabilities; mrtr, error handling: an invalid schema is an error",
        "The needed capability is null, a truth value, a number, a text or an array.",
        wrong_type,
    ),
];

/// Expects that a fixture does not ask a client with these capabilities, and names the missing one.
fn lacks(target: &Target, fixture: Fixture, declared: &str, needed: &str) -> CheckResult {
    target.needs(fixture)?;
    missing(&target.send(&fixture.call().capabilities(declared)), needed)
}

/// Expects the error of a missing capability, with the name of this one.
fn missing(seen: &Exchange, needed: &str) -> CheckResult {
    seen.error(RpcError::MISSING_CAPABILITY, 400)?;
    let Outcome::Error { data, .. } = &seen.outcome else { return Err(seen.fail("an error")) };
    let required = data.get("requiredCapabilities").cloned().unwrap_or_default();
    let is_named = match needed {
        // An elicitation without a mode is a form.
        "/elicitation/form" => {
            required.pointer("/elicitation/form").is_some()
                || required.get("elicitation").is_some_and(|it| it.get("url").is_none())
        }
        _ => required.pointer(needed).is_some(),
    };
    if is_named {
        Ok(seen.word())
    } else {
        Err(seen.fail(&format!("requiredCapabilities{needed}")))
    }
}

/// Expects that a fixture asks a client with these capabilities.
fn asks(target: &Target, fixture: Fixture, declared: &str) -> CheckResult {
    target.needs(fixture)?;
    let seen = target.send(&fixture.call().capabilities(declared));
    seen.asks(fixture.keys()).map(|_| "asked".into())
}

fn wrong_type(target: &Target) -> CheckResult {
    let values = ["true", "false", "null", "7", r#""yes""#, "[]"];
    let needed = [
        (Fixture::Form, "elicitation"),
        (Fixture::Sampling, "sampling"),
        (Fixture::Roots, "roots"),
    ];
    let there = needed.into_iter().filter(|(fixture, _)| target.needs(*fixture).is_ok());
    let cases = there.flat_map(|(fixture, name)| {
        values.map(|value| {
            let declared = format!(r#"{{"{name}":{value}}}"#);
            (format!("{name} {value}"), (fixture, declared))
        })
    });
    each(cases, |(fixture, declared)| {
        let seen = target.send(&fixture.call().capabilities(&declared));
        match seen.outcome {
            Outcome::Error { .. } => Ok(seen.word()),
            Outcome::Asks(_) | Outcome::Complete(_) | Outcome::ToolError | Outcome::Nothing => {
                Err(seen.fail("an error"))
            }
        }
    })
}
