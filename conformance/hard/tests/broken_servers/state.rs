//! The states of the server: JSON with a tag.

use core::{hash::BuildHasher as _, time::Duration};
use std::{
    collections::BTreeMap,
    hash::RandomState,
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

use base64ct::{Base64UrlUnpadded, Encoding as _};
use serde::Deserialize;
use serde_json::{Map, Value, json, value::RawValue};

use crate::{
    fault::Fault,
    http::Request,
    server::{Refused, error},
};

/// A sealer of states.
pub(crate) struct States {
    faults: &'static [Fault],
    ttl_secs: u64,
    key: RandomState,
}

impl States {
    pub(crate) fn new(faults: &'static [Fault], ttl_secs: u64) -> Self {
        Self { faults, ttl_secs, key: RandomState::new() }
    }

    fn has(&self, fault: Fault) -> bool {
        self.faults.contains(&fault)
    }

    pub(crate) fn seal(
        &self,
        mut state: Value,
        request: &Request,
        params: &Map<String, Value>,
    ) -> String {
        state["to"] = self.bound_to(request, params);
        state["until"] = (now_secs() + self.ttl_secs).into();
        if self.has(Fault::PlainState) {
            return state.to_string();
        }
        let text = Base64UrlUnpadded::encode_string(state.to_string().as_bytes());
        format!("{text}.{}", self.tag(&text))
    }

    pub(crate) fn open(
        &self,
        state: &Value,
        request: &Request,
        params: &Map<String, Value>,
    ) -> Result<Value, Refused> {
        let code = if self.has(Fault::OwnStateCode) { -32000 } else { -32602 };
        let is_empty = state.as_str().is_none_or(|state| state.trim().is_empty());
        if is_empty && self.has(Fault::EmptyStateIsNone) {
            return Ok(json!({"said": "nobody", "round": 1}));
        }
        let state = state.as_str().ok_or_else(|| error(200, code))?;
        let is_escaped = String::from_utf8_lossy(&request.body).contains(r#""requestState":"\u"#);
        if is_escaped && self.has(Fault::RefusesEscapedState) {
            return Err(error(200, code));
        }
        if self.has(Fault::SlowState) && state.len() > 10_000 {
            thread::sleep(Duration::from_millis(5100));
        }
        let opened = self.read(state).ok_or_else(|| error(200, code))?;
        let is_bound =
            self.has(Fault::UnboundState) || opened["to"] == self.bound_to(request, params);
        let is_alive = self.has(Fault::ImmortalState)
            || opened["until"].as_u64().is_some_and(|until| now_secs() < until);
        if is_bound && is_alive { Ok(opened) } else { Err(error(200, code)) }
    }

    fn read(&self, state: &str) -> Option<Value> {
        if self.has(Fault::PlainState) {
            return serde_json::from_str(state).ok();
        }
        let mut state = state.to_owned();
        if self.has(Fault::LooseBase64) {
            state.retain(|letter| !letter.is_whitespace() && letter != '=');
            state = state.replace('+', "-").replace('/', "_");
        }
        let (text, tag) = state.split_once('.')?;
        let right = self.tag(text);
        let is_right = match self.has(Fault::LooseTag) {
            true => tag.starts_with(right.get(..4)?),
            false => tag == right,
        };
        serde_json::from_slice(&Base64UrlUnpadded::decode_vec(text).ok().filter(|_| is_right)?).ok()
    }

    fn tag(&self, text: &str) -> String {
        format!("{:016x}", self.key.hash_one(text))
    }

    /// Returns the request to which a state is bound.
    fn bound_to(&self, request: &Request, params: &Map<String, Value>) -> Value {
        if self.has(Fault::BoundToText) {
            let Message { params } = serde_json::from_slice(&request.body).unwrap();
            let place = |name: &str| params.find(&format!("\"{name}\":"));
            let Ok(Params(members)) = serde_json::from_str(&params) else { return Value::Null };
            let text = |name| members.get(name).map(|text| text.get());
            return json!([
                text("name"),
                text("arguments"),
                text("_meta"),
                place("_meta") < place("name")
            ]);
        }
        let arguments = params.get("arguments").cloned().unwrap_or_else(|| json!({}));
        json!([params.get("name"), params.get("uri"), arguments])
    }
}

#[derive(Deserialize)]
struct Message {
    #[serde(deserialize_with = "text")]
    params: String,
}

#[derive(Deserialize)]
struct Params(BTreeMap<String, Box<RawValue>>);

fn text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(|text| text.get().into())
}

fn now_secs() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}
