//! The tools of the peer's server.

use core::error::Error;
use std::collections::BTreeMap;

use form_model::{Answer, Number, Submission};
use mrtr_core::{
    server::{Ending, Flow, HandlerError, Need, Run, Stop},
    wire::{
        Decision, IncludeContext, InputRequest, InputResponse, RawJson, RpcError, SamplingBuilder,
        WireError,
    },
};
use mrtr_examples::server::invalid_params;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use crate::forms;

/// A tool: its name, and the function that runs it.
type Tool = (&'static str, fn(&Run) -> Ending);

/// The tools.
const TOOLS: [Tool; 12] = [
    ("plain", |run| text(run, |_| Ok("plain".into()))),
    ("form", |run| text(run, form)),
    ("spellings", |run| text(run, spellings)),
    ("url", |run| text(run, url)),
    ("sampling", |run| text(run, |flow| sampled(flow, hello()))),
    ("sampling_tools", |run| text(run, sampling_tools)),
    ("sampling_context", |run| text(run, sampling_context)),
    ("roots", |run| text(run, roots)),
    ("several", |run| text(run, several)),
    ("two_rounds", |run| text(run, two_rounds)),
    ("state_only", state_only),
    ("forever", forever),
];

/// Describes the tools.
pub(crate) fn descriptions() -> Value {
    let describe = |(name, _): &Tool| {
        let properties = match *name {
            "form" => json!({"note": {"type": "string"}}),
            _ => json!({}),
        };
        let schema = json!({"type": "object", "properties": properties});
        json!({"name": name, "description": "Asks what its name says.", "inputSchema": schema})
    };
    TOOLS.iter().map(describe).collect()
}

#[derive(Deserialize)]
struct Call {
    name: String,
}

/// Calls a tool.
pub(crate) fn call(run: &Run) -> Ending {
    let Ok(call) = serde_json::from_str::<Call>(run.params.as_str()) else {
        return invalid_params("Expected the name of a tool");
    };
    match TOOLS.iter().find(|(name, _)| *name == call.name) {
        Some((_, tool)) => tool(run),
        None => invalid_params("Unknown tool"),
    }
}

/// Runs a flow whose result is a text.
fn text(run: &Run, flow: impl FnOnce(&mut Flow<'_>) -> Result<String, Stop>) -> Ending {
    Flow::run(run, |asked| Ok(result(&flow(asked)?)?))
}

fn result(text: &str) -> Result<RawJson, WireError> {
    RawJson::from_value(&json!({"content": [{"type": "text", "text": text}]}))
}

/// Describes what a person did with a form.
fn submitted(submission: Submission, accepted: impl FnOnce(Answer) -> String) -> String {
    match submission {
        Submission::Accept(answer) => accepted(answer),
        Submission::Decline => "declined".into(),
        Submission::Cancel => "cancelled".into(),
    }
}

fn form(flow: &mut Flow<'_>) -> Result<String, Stop> {
    let submission = flow.form("target", "Where to deploy?", forms::target()?)?;
    Ok(submitted(submission, |answer| {
        let environment = answer.text("environment").unwrap_or_default();
        format!("accepted:{environment}:{}", answer.flag("confirm").unwrap_or_default())
    }))
}

fn spellings(flow: &mut Flow<'_>) -> Result<String, Stop> {
    let submission = flow.form("all", "One of each?", forms::spellings()?)?;
    let sorted = |answer: Answer| -> Result<String, serde_json::Error> {
        let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&answer.to_json())?;
        serde_json::to_string(&members)
    };
    Ok(submitted(submission, |answer| format!("spellings:{}", sorted(answer).unwrap_or_default())))
}

fn url(flow: &mut Flow<'_>) -> Result<String, Stop> {
    let decision = flow.url("pay", "Please pay.", "https://example.org/pay")?;
    Ok(match decision {
        Decision::Accept => "consented",
        Decision::Decline => "declined",
        Decision::Cancel => "cancelled",
    }
    .into())
}

fn hello() -> SamplingBuilder {
    SamplingBuilder::new(10).user("hello")
}

fn sampling_tools(flow: &mut Flow<'_>) -> Result<String, Stop> {
    let tools = RawJson::parse(r#"[{"name":"t","inputSchema":{"type":"object"}}]"#)?;
    sampled(flow, hello().tools(&tools))
}

fn sampling_context(flow: &mut Flow<'_>) -> Result<String, Stop> {
    sampled(flow, hello().include_context(IncludeContext::ThisServer))
}

/// Asks the model, and repeats its words.
fn sampled(flow: &mut Flow<'_>, request: SamplingBuilder) -> Result<String, Stop> {
    let response = flow.ask("model", request.build()?)?;
    let InputResponse::Sampled(result) = response else { return Err(Stop::Changed) };
    let result: Value = serde_json::from_str(result.as_str())?;
    // One block, or several.
    let text = result.pointer("/content/text").or_else(|| result.pointer("/content/0/text"));
    Ok(format!("sampled:{}", text.and_then(Value::as_str).unwrap_or_default()))
}

fn roots(flow: &mut Flow<'_>) -> Result<String, Stop> {
    #[derive(Deserialize)]
    struct Listed {
        roots: Vec<Value>,
    }
    let response = flow.ask("roots", InputRequest::Roots)?;
    let InputResponse::Roots(result) = response else { return Err(Stop::Changed) };
    let listed: Listed = serde_json::from_str(result.as_str())?;
    Ok(format!("roots:{}", listed.roots.len()))
}

fn several(flow: &mut Flow<'_>) -> Result<String, Stop> {
    let request = |key: &str| -> Result<_, Stop> {
        Ok(InputRequest::form(&format!("What is {key}?"), forms::text("value")?))
    };
    let responses = flow.ask_all([("b", request("b")?), ("a", request("a")?)])?;
    let value = |response: &InputResponse<Answer>| {
        let InputResponse::Accept(answer) = response else { return None };
        answer.text("value").map(str::to_owned)
    };
    match responses.iter().map(value).collect::<Option<Vec<_>>>().as_deref() {
        Some([b, a]) => Ok(format!("several:{a}:{b}")),
        _ => Err(RpcError::new(RpcError::INVALID_PARAMS, "Both values are needed").into()),
    }
}

fn two_rounds(flow: &mut Flow<'_>) -> Result<String, Stop> {
    let first = flow.accepted("first", "What is its name?", forms::text("name")?)?;
    let second = flow.accepted("second", "How many?", forms::integer("count")?)?;
    let count = second.number("count").unwrap_or(Number::ZERO);
    Ok(format!("two:{}:{count}", first.text("name").unwrap_or_default()))
}

/// Asks nobody, and needs to be called again.
fn state_only(run: &Run) -> Ending {
    or_fail(match run.state {
        Some(_) => result("waited").map(Ending::Finish),
        None => {
            RawJson::parse(r#"{"waits":true}"#).map(|state| Ending::Need(Need::new().state(state)))
        }
    })
}

/// Asks the same again after every answer.
fn forever(_: &Run) -> Ending {
    or_fail(
        forms::flag("ok").map(|form| {
            Ending::Need(Need::new().request("again", InputRequest::form("Again?", form)))
        }),
    )
}

fn or_fail<E: Error + Send + Sync + 'static>(ending: Result<Ending, E>) -> Ending {
    ending.unwrap_or_else(|error| Ending::Fail(HandlerError::internal(error)))
}
