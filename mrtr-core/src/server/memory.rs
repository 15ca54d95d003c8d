//! The content of a sealed state.

use alloc::{borrow::Cow, string::String, vec::Vec};

use form_model::Decoder;

use super::Need;
use crate::wire::{Expected, Json, Object, RawJson, WireError, Writer};

/// The questions of a round, and the handler's state.
#[derive(Default)]
pub(super) struct Memory {
    /// Whether the state may be used only once.
    pub(super) single_use: bool,
    /// The kind of response that each request expects, by the key of the request.
    pub(super) asked: Vec<(String, Expected<'static>)>,
    pub(super) state: Option<RawJson>,
}

impl Memory {
    /// Writes the payload of a state.
    pub(super) fn encode(need: &Need, single_use: bool) -> String {
        Writer::object(|memory| {
            memory.display("singleUse", single_use);
            memory.nested("asked", |asked| {
                for (key, request) in &need.requests {
                    write(asked, key, &request.expected());
                }
            });
            if let Some(state) = &need.state {
                memory.json("state", state.as_str());
            }
        })
    }

    /// Reads the payload of a state that was opened.
    pub(super) fn decode(payload: &[u8], limits: &form_model::Limits) -> Option<Self> {
        let raw = RawJson::parse_message(core::str::from_utf8(payload).ok()?).ok()?;
        let object = object(raw.as_json()).ok()?;
        let single_use = object.get("singleUse")?.as_str() == "true";
        let asked = self::object(object.get("asked")?).ok()?;
        let expected = |(key, json): (&str, Json<'_>)| Some((key.into(), read(json, limits)?));
        let asked = asked.iter().map(expected).collect::<Option<_>>()?;
        Some(Self { single_use, asked, state: object.get("state").map(RawJson::from) })
    }
}

fn object(json: Json<'_>) -> Result<Object<'_>, WireError> {
    Object::decode(json, "a sealed state")
}

/// Writes the kind of response that a request expects: a form with its schema, any other kind by
/// its name.
fn write(asked: &mut Writer, key: &str, expected: &Expected<'_>) {
    match expected {
        Expected::Form(form) => asked.nested(key, |kind| kind.json(FORM, &form.to_schema())),
        Expected::Url | Expected::Sampling | Expected::Roots => asked.text(key, expected.kind()),
    }
}

fn read(json: Json<'_>, limits: &form_model::Limits) -> Option<Expected<'static>> {
    if let Some(kind) = json.text() {
        let kinds = [Expected::Url, Expected::Sampling, Expected::Roots];
        return kinds.into_iter().find(|expected| expected.kind() == kind);
    }
    let schema = object(json).ok()?.get(FORM)?;
    let decoded = Decoder::new(limits.clone()).decode(schema.as_str()).ok()?;
    Some(Expected::Form(Cow::Owned(decoded.form)))
}

const FORM: &str = "form";
