//! The tools of the peer's server.

use std::collections::BTreeMap;

use form_model::{Answer, Number};
use mrtr_core::{
    InputRequest, Need,
    exchange::{Answered, Consent, Elicited, Event, Flow, IncludeContext, Pending, Run, Sampling},
    wire::{RawJson, RpcError, WireError},
};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use crate::{forms, serve::invalid_params};

/// Is a tool: its name, and what runs it.
type Tool = (&'static str, fn(&Run) -> Event);

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
        json!({"name": name, "description": "Asks as its name says.", "inputSchema": schema})
    };
    TOOLS.iter().map(describe).collect()
}

#[derive(Deserialize)]
struct Call {
    name: String,
}

/// Calls a tool.
pub(crate) fn call(run: &Run) -> Event {
    let Ok(call) = serde_json::from_str::<Call>(run.params.as_str()) else {
        return invalid_params("Expected the name of a tool");
    };
    match TOOLS.iter().find(|(name, _)| *name == call.name) {
        Some((_, tool)) => tool(run),
        None => invalid_params("Unknown tool"),
    }
}

/// Runs a flow whose result is a text.
fn text(run: &Run, flow: impl FnOnce(&mut Flow<'_>) -> Result<String, Pending>) -> Event {
    Flow::run(run, |asked| Ok(result(&flow(asked)?)?))
}

fn result(text: &str) -> Result<RawJson, WireError> {
    RawJson::from_value(&json!({"content": [{"type": "text", "text": text}]}))
}

/// Says what came of a form.
fn elicited(elicited: Elicited, accepted: impl FnOnce(Answer) -> String) -> String {
    match elicited {
        Elicited::Accepted(answer) => accepted(answer),
        Elicited::Declined => "declined".into(),
        Elicited::Dismissed => "cancelled".into(),
    }
}

fn form(flow: &mut Flow<'_>) -> Result<String, Pending> {
    let answer = flow.form("target", "Where to deploy?", forms::target()?)?;
    Ok(elicited(answer, |answer| {
        let environment = answer.text("environment").unwrap_or_default();
        format!("accepted:{environment}:{}", answer.flag("confirm").unwrap_or_default())
    }))
}

fn spellings(flow: &mut Flow<'_>) -> Result<String, Pending> {
    let answer = flow.form("all", "One of each?", forms::spellings()?)?;
    let sorted = |answer: Answer| -> Result<String, serde_json::Error> {
        let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&answer.to_json())?;
        serde_json::to_string(&members)
    };
    Ok(elicited(answer, |answer| format!("spellings:{}", sorted(answer).unwrap_or_default())))
}

fn url(flow: &mut Flow<'_>) -> Result<String, Pending> {
    let consent = flow.url("pay", "Please pay.", "https://example.org/pay")?;
    Ok(match consent {
        Consent::Given => "consented",
        Consent::Declined => "declined",
        Consent::Dismissed => "cancelled",
    }
    .into())
}

fn hello() -> Sampling {
    Sampling::new(10).user("hello")
}

fn sampling_tools(flow: &mut Flow<'_>) -> Result<String, Pending> {
    let tools = RawJson::parse(r#"[{"name":"t","inputSchema":{"type":"object"}}]"#)?;
    sampled(flow, hello().tools(&tools))
}

fn sampling_context(flow: &mut Flow<'_>) -> Result<String, Pending> {
    sampled(flow, hello().include_context(IncludeContext::ThisServer))
}

/// Asks the model, and says what it said.
fn sampled(flow: &mut Flow<'_>, sampling: Sampling) -> Result<String, Pending> {
    let answered = flow.ask("model", InputRequest::sampling(sampling))?;
    let Answered::Sampled(result) = answered else { return Err(Pending::Changed) };
    let result: Value = serde_json::from_str(result.as_str())?;
    // One block, or several.
    let text = result.pointer("/content/text").or_else(|| result.pointer("/content/0/text"));
    Ok(format!("sampled:{}", text.and_then(Value::as_str).unwrap_or_default()))
}

fn roots(flow: &mut Flow<'_>) -> Result<String, Pending> {
    #[derive(Deserialize)]
    struct Listed {
        roots: Vec<Value>,
    }
    let answered = flow.ask("roots", InputRequest::roots())?;
    let Answered::Roots(result) = answered else { return Err(Pending::Changed) };
    let listed: Listed = serde_json::from_str(result.as_str())?;
    Ok(format!("roots:{}", listed.roots.len()))
}

fn several(flow: &mut Flow<'_>) -> Result<String, Pending> {
    let request = |key: &str| -> Result<_, Pending> {
        Ok(InputRequest::form(format!("What is {key}?"), forms::text("value")?))
    };
    let answered = flow.ask_all([("b", request("b")?), ("a", request("a")?)])?;
    let value = |answered: &Answered| {
        let Answered::Form(Elicited::Accepted(answer)) = answered else { return None };
        answer.text("value").map(str::to_owned)
    };
    match answered.iter().map(value).collect::<Option<Vec<_>>>().as_deref() {
        Some([b, a]) => Ok(format!("several:{a}:{b}")),
        _ => {
            let message = "Both values are needed";
            Err(Pending::Failed(RpcError::new(RpcError::INVALID_PARAMS, message)))
        }
    }
}

fn two_rounds(flow: &mut Flow<'_>) -> Result<String, Pending> {
    let first = flow.accepted("first", "What is its name?", forms::text("name")?)?;
    let second = flow.accepted("second", "How many?", forms::integer("count")?)?;
    let count = second.number("count").unwrap_or(Number::ZERO);
    Ok(format!("two:{}:{count}", first.text("name").unwrap_or_default()))
}

/// Asks nobody, and wants to be called again.
fn state_only(run: &Run) -> Event {
    or_fail(match run.state {
        Some(_) => result("waited").map(Event::Finish),
        None => {
            RawJson::parse(r#"{"waits":true}"#).map(|state| Event::Need(Need::new().state(state)))
        }
    })
}

/// Asks the same, whatever the answer.
fn forever(_: &Run) -> Event {
    or_fail(
        forms::flag("ok").map(|form| {
            Event::Need(Need::new().request("again", InputRequest::form("Again?", form)))
        }),
    )
}

fn or_fail<E>(event: Result<Event, E>) -> Event {
    let failed = || Event::Fail(RpcError::new(RpcError::INTERNAL, "Internal error"));
    event.unwrap_or_else(|_| failed())
}
