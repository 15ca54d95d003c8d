//! A line of `cases.jsonl`. `README.md` beside it describes the format.

use form_model::{Content, Form, Limits};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

type Failure = Box<dyn core::error::Error>;

/// A case: a schema, and answers to it.
pub(crate) struct Case {
    case: Value,
    /// The text of the member `schema`. A `Value` may lose the order of the fields.
    schema: Box<RawValue>,
}

#[derive(Deserialize)]
struct Schema {
    #[serde(default)]
    schema: Box<RawValue>,
}

impl Case {
    /// Reads a line.
    pub(crate) fn parse(line: &str) -> Result<Self, Failure> {
        let Schema { schema } = serde_json::from_str(line)?;
        Ok(Self { case: serde_json::from_str(line)?, schema })
    }

    /// Returns the name of the case.
    pub(crate) fn id(&self) -> &str {
        self.case.get("id").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the bytes of the schema.
    pub(crate) fn schema(&self) -> Result<Vec<u8>, Failure> {
        match self.case.get("schema") {
            Some(_) => Ok(self.schema.get().into()),
            None => bytes(&self.case, "schema"),
        }
    }

    fn list(&self, name: &str) -> &[Value] {
        self.case.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns whether the form accepts each answer. Without a form, no answer is accepted.
    pub(crate) fn answers(&self, form: Option<&Form>) -> Result<Vec<bool>, Failure> {
        let accepts = |answer| {
            let content = bytes(answer, "content")?;
            Ok(form.is_some_and(|form| accepts(form, &content)))
        };
        self.list("answers").iter().map(accepts).collect()
    }

    /// Returns whether each result is valid for the form.
    pub(crate) fn results(&self, form: Option<&Form>) -> Vec<bool> {
        let is_result = |result| form.is_some_and(|form| is_result(form, result));
        self.list("results").iter().map(is_result).collect()
    }
}

/// Returns the bytes of a member, which has four notations.
fn bytes(holder: &Value, name: &str) -> Result<Vec<u8>, Failure> {
    let member = |suffix: &str| holder.get(format!("{name}{suffix}"));
    if let Some(text) = member("_text").and_then(Value::as_str) {
        return Ok(text.into());
    }
    if let Some(recipe) = member("_gen") {
        return Ok(generated(recipe).into());
    }
    if let Some(base64) = member("_b64").and_then(Value::as_str) {
        return Ok(decoded(base64));
    }
    Ok(member("").ok_or("the case has neither text nor value")?.to_string().into())
}

fn generated(recipe: &Value) -> String {
    let text = |name: &str| recipe.get(name).and_then(Value::as_str).unwrap_or_default();
    let count = recipe.get("n").and_then(Value::as_u64).unwrap_or_default();
    let (repeat, sep) = (text("repeat"), text("sep"));
    let mut made = String::from(text("prefix"));
    for index in 0..count {
        if index > 0 {
            made.push_str(sep);
        }
        match repeat.split_once("{i}") {
            Some((before, after)) => {
                made.push_str(before);
                made.push_str(&index.to_string());
                made.push_str(&after.replace("{i}", &index.to_string()));
            }
            None => made.push_str(repeat),
        }
    }
    made.push_str(text("suffix"));
    (0..count).for_each(|_| made.push_str(text("close")));
    made.push_str(text("suffix2"));
    made
}

fn decoded(base64: &str) -> Vec<u8> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let values =
        base64.bytes().filter_map(|letter| alphabet.iter().position(|known| *known == letter));
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0, 0);
    for value in values {
        bits = (bits << 6) | value;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(((bits >> count) & 0xff) as u8);
        }
    }
    bytes
}

fn accepts(form: &Form, content: &[u8]) -> bool {
    let Ok(text) = core::str::from_utf8(content) else { return false };
    Content::decode(text, &Limits::default()).is_ok_and(|content| form.accept(content).is_ok())
}

/// Returns whether a value is an `ElicitResult` for the form: accepted with content that fits, or
/// declined, or cancelled. The content of a result that is not accepted does not matter.
fn is_result(form: &Form, result: &Value) -> bool {
    match result.get("action").and_then(Value::as_str) {
        Some("accept") => match result.get("content") {
            None | Some(Value::Null) => accepts(form, b"{}"),
            Some(content) => accepts(form, content.to_string().as_bytes()),
        },
        Some("decline" | "cancel") => true,
        Some(_) | None => false,
    }
}
