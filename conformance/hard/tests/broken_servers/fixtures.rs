//! The fixtures of the contract, as one function of the request and the state.

use form_model::{Form, Limits};
use mrtr_core::wire::{Capabilities, InputResponse, Json};
use serde_json::{Map, Value, json};

use crate::fault::Fault;

pub(crate) const TOOLS: &[&str] = &[
    "plain",
    "form",
    "spellings",
    "url",
    "sampling",
    "sampling_tools",
    "sampling_context",
    "roots",
    "several",
    "two_rounds",
    "state_only",
    "forever",
];

/// The next step of a fixture.
pub(crate) enum Step {
    Done(String),
    /// The requests of a round, and what its state keeps.
    Ask(Value, Value),
    Unknown,
}

/// Returns the next step of a fixture. `None` if an answer is invalid.
pub(crate) fn step(
    faults: &[Fault],
    method: &str,
    params: &Map<String, Value>,
    state: &Value,
    answers: &Map<String, Value>,
) -> Option<Step> {
    let has = |fault| faults.contains(&fault);
    let is_lax = has(Fault::UncheckedAnswers);
    let name = params.get("name").or(params.get("uri")).and_then(Value::as_str).unwrap_or_default();
    let mut said = state["said"].clone();
    let mut answers = answers.clone();
    // Without a state nobody was asked, so the answers do not count.
    if state.is_null() && has_state(name) {
        if !has(Fault::AnswersAnyTime) {
            answers.clear();
        } else if answers.contains_key("second") {
            said = "nobody".into();
        }
    }
    if has(Fault::AnswersAnyTime)
        && said.is_string()
        && let Some(again) = answers.get("first")
    {
        said = again["content"]["name"].clone();
    }
    if has(Fault::RefusesExtras) && has_extras(&answers) {
        return None;
    }
    if has(Fault::UnwrapsAnswers) {
        for answer in answers.values_mut() {
            *answer = answer.get("result").unwrap_or(answer).clone();
        }
    }
    if has(Fault::ContentDecides) {
        for answer in answers.values_mut().filter(|answer| answer.get("content").is_some()) {
            answer["action"] = "accept".into();
        }
    }
    let (answers, said) = (&answers, &said);
    let text = |form: Value, answer: &Value| {
        let is_refused = answer["action"] == "decline" || answer["action"] == "cancel";
        let written = answer["content"]["text"].as_str().unwrap_or_default();
        match () {
            () if is_lax => Some((!is_refused).then(|| answer["content"].clone())),
            () if has(Fault::CountsUtf16) && written.encode_utf16().count() > 10 => None,
            () => content(&form, answer),
        }
    };
    let form = |key: &str, form: Value| match answers.get(key) {
        None => Some(Err(Step::Ask(json!({key: ask(form)}), said.clone()))),
        Some(answer) => text(form, answer).map(Ok),
    };
    let done = |text: String| Some(Step::Done(text));
    match (method, name) {
        ("tools/call", "plain") => done("plain".into()),
        ("tools/call", "form") => Some(match form("target", target())? {
            Err(step) => step,
            Ok(Some(it)) => {
                Step::Done(format!("accepted:{}:{}", plain(&it["environment"]), it["confirm"]))
            }
            Ok(None) => Step::Done(refused(&answers["target"])),
        }),
        ("tools/call", "spellings") => Some(match form("all", spellings())? {
            Err(step) => step,
            Ok(content) => Step::Done(format!("spellings:{}", content.unwrap_or_default())),
        }),
        ("tools/call", "url") => match answers.get("pay") {
            None => Some(Step::Ask(json!({"pay": page()}), Value::Null)),
            Some(answer) if answer["action"] == "accept" => done("consented".into()),
            Some(answer) => done(refused(answer)),
        },
        ("tools/call", "sampling" | "sampling_tools" | "sampling_context") => {
            match answers.get("model") {
                None => Some(Step::Ask(json!({"model": sample(name)}), Value::Null)),
                Some(answer) if is_lax || is_sampled(answer) => {
                    done(format!("sampled:{}", plain(&answer["content"]["text"])))
                }
                Some(_) => None,
            }
        }
        ("tools/call", "roots") => match answers.get("roots") {
            None if has(Fault::OddRounds) => {
                Some(Step::Ask(json!({"roots": {"method": "roots/get"}}), Value::Null))
            }
            None => Some(Step::Ask(json!({"roots": {"method": "roots/list"}}), Value::Null)),
            Some(answer) => {
                let roots = answer["roots"]
                    .as_array()
                    .filter(|it| it.iter().all(|it| it["uri"].is_string()));
                if is_lax {
                    done(format!("roots:{}", answer["roots"].as_array().map_or(0, Vec::len)))
                } else {
                    done(format!("roots:{}", roots?.len()))
                }
            }
        },
        ("tools/call", "several") => {
            let both = ["a", "b"].map(|key| answers.get(key));
            let [Some(a), Some(b)] = both else {
                return Some(Step::Ask(
                    json!({"a": ask(value()), "b": ask(value())}),
                    said.clone(),
                ));
            };
            let (a, b) =
                (text(value(), a)?.unwrap_or_default(), text(value(), b)?.unwrap_or_default());
            done(format!("several:{}:{}", plain(&a["value"]), plain(&b["value"])))
        }
        ("tools/call", "two_rounds") if said.is_string() => Some(match form("second", count())? {
            Err(step) => step,
            Ok(it) => {
                Step::Done(format!("two:{}:{}", plain(said), it.unwrap_or_default()["count"]))
            }
        }),
        ("tools/call", "two_rounds") => Some(match form("first", name_form())? {
            Err(step) => step,
            Ok(it) => {
                Step::Ask(json!({"second": ask(count())}), it.unwrap_or_default()["name"].clone())
            }
        }),
        ("tools/call", "state_only") if !state.is_null() => done("waited".into()),
        ("tools/call", "state_only") => Some(Step::Ask(json!({}), Value::Null)),
        ("tools/call", "forever") => Some(Step::Ask(
            json!({"again": ask(ok())}),
            json!(said.as_u64().unwrap_or_default() + 1),
        )),
        ("prompts/get", "ask") | ("resources/read", "ask://resource") => {
            Some(match form("who", name_form())? {
                Err(step) => step,
                Ok(it) => {
                    let kind = if name == "ask" { "prompt" } else { "resource" };
                    Step::Done(format!("{kind}:{}", plain(&it.unwrap_or_default()["name"])))
                }
            })
        }
        _ => Some(Step::Unknown),
    }
}

/// Returns whether there are answers that nobody asked for, or unknown members of an answer.
fn has_extras(answers: &Map<String, Value>) -> bool {
    let known =
        ["target", "all", "pay", "model", "roots", "a", "b", "first", "second", "again", "who"];
    answers
        .iter()
        .any(|(key, answer)| !known.contains(&key.as_str()) || answer.get("resultType").is_some())
}

fn has_state(name: &str) -> bool {
    !matches!(
        name,
        "spellings" | "url" | "sampling" | "sampling_tools" | "sampling_context" | "roots"
    )
}

/// Returns the result of a method with a text.
pub(crate) fn result(method: &str, text: &str) -> Value {
    let content = json!({"type": "text", "text": text});
    match method {
        "tools/call" => json!({"content": [content]}),
        "prompts/get" => json!({"messages": [{"role": "user", "content": content}]}),
        _ => json!({"contents": [{"uri": "ask://resource", "text": text}]}),
    }
}

/// Returns the capabilities that these requests need.
pub(crate) fn needs(faults: &[Fault], requests: &Value) -> Capabilities {
    let mut needs = Capabilities::NONE;
    if faults.contains(&Fault::WantsEverything) {
        (needs.form, needs.url, needs.sampling, needs.roots) = (true, true, true, true);
    }
    for request in requests.as_object().unwrap().values() {
        let params = &request["params"];
        match request["method"].as_str().unwrap() {
            "elicitation/create" if params["mode"] == "url" => needs.url = true,
            "elicitation/create" => needs.form = true,
            "roots/list" | "roots/get" => needs.roots = true,
            _ => {
                needs.sampling = true;
                needs.sampling_tools |= !params["tools"].is_null();
                needs.sampling_context |= !params["includeContext"].is_null();
            }
        }
    }
    needs
}

/// Checks an answer to a form. Returns its content, or nothing if the form was not accepted.
fn content(form: &Value, answer: &Value) -> Option<Option<Value>> {
    match InputResponse::decode(Json::parse(&answer.to_string()).ok()?, &Limits::default()).ok()? {
        InputResponse::Accept(content) => {
            Form::from_schema(&form.to_string()).unwrap().accept(content).ok()?;
            Some(Some(answer["content"].clone()))
        }
        _ => Some(None),
    }
}

fn refused(answer: &Value) -> String {
    if answer["action"] == "decline" { "declined" } else { "cancelled" }.into()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), Into::into)
}

fn is_sampled(answer: &Value) -> bool {
    let role = answer["role"].as_str().unwrap_or_default();
    let content = &answer["content"];
    ["user", "assistant"].contains(&role) && content.is_object() && answer["model"].is_string()
}

fn ask(form: Value) -> Value {
    let params = json!({"message": "Please", "requestedSchema": form});
    json!({"method": "elicitation/create", "params": params})
}

fn page() -> Value {
    let params = json!({"mode": "url", "message": "Pay", "url": "https://example.org/pay"});
    json!({"method": "elicitation/create", "params": params})
}

fn sample(name: &str) -> Value {
    let content = json!({"type": "text", "text": "hello"});
    let mut params = json!({"maxTokens": 10, "messages": [{"role": "user", "content": content}]});
    match name {
        "sampling_tools" => {
            params["tools"] = json!([{"name": "t", "inputSchema": {"type": "object"}}])
        }
        "sampling_context" => params["includeContext"] = "thisServer".into(),
        _ => {}
    }
    json!({"method": "sampling/createMessage", "params": params})
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}

fn target() -> Value {
    let environment = json!({"type": "string", "enum": ["staging", "production"]});
    object(
        json!({"environment": environment, "confirm": {"type": "boolean"}}),
        &["environment", "confirm"],
    )
}

fn value() -> Value {
    object(json!({"value": {"type": "string"}}), &["value"])
}

fn name_form() -> Value {
    object(json!({"name": {"type": "string"}}), &["name"])
}

fn count() -> Value {
    object(json!({"count": {"type": "integer"}}), &["count"])
}

fn ok() -> Value {
    object(json!({"ok": {"type": "boolean"}}), &[])
}

fn spellings() -> Value {
    let titled = json!([{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]);
    object(
        json!({
            "text": {"type": "string", "minLength": 1, "maxLength": 10},
            "number": {"type": "number", "minimum": 0, "maximum": 1},
            "integer": {"type": "integer", "minimum": 1, "maximum": 5},
            "flag": {"type": "boolean", "default": true},
            "choice": {"type": "string", "enum": ["a", "b"]},
            "titled": {"type": "string", "oneOf": titled},
            "legacy": {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
            "choices": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
            "titled_choices": {"type": "array", "items": {"anyOf": titled}},
        }),
        &[],
    )
}
