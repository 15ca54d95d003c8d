//! The calls: those without rounds, and those that may be asked something.

use core::sync::atomic::{AtomicU32, Ordering};
use std::collections::BTreeMap;

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use mrtr_core::{
    Binding, Claims, Invocation, InvocationId, LegId, LegRequest, Limits, Outcome, Phase, Request,
    wire::{META_CAPABILITIES, META_VERSION, Method, PROTOCOL_VERSION, RawJson},
};
use mrtr_examples::{
    call::{Ended, Observer},
    client::{CallError, Http},
    surface::Given,
};
use serde::Serialize;
use serde_json::{Value, json, value::RawValue};

use crate::{Failure, catalog::Tool, made_up::ToolCall};

/// Calls one server, and answers what it asks.
pub(crate) struct Caller {
    http: Http,
    url: String,
    given: Given,
    /// The calls so far.
    count: AtomicU32,
}

impl Caller {
    pub(crate) fn new(url: &str) -> Result<Self, Failure> {
        let accept = json!({"action": "accept", "content": {"confirmed": true}});
        let sampled = json!({
            "role": "assistant",
            "model": "test",
            "content": {"type": "text", "text": "sampled text"},
        });
        let given = Given {
            answers: BTreeMap::from([("*".into(), RawJson::from_value(&accept)?)]),
            sampled: RawJson::from_value(&sampled)?,
            roots: RawJson::from_value(&json!({"roots": [{"uri": "file:///tmp"}]}))?,
        };
        Ok(Self { http: Http::new(url), url: url.into(), given, count: AtomicU32::new(0) })
    }

    /// Repeats arguments of a tool in headers, as its definition says.
    pub(crate) fn mirror(&mut self, tool: &Tool) {
        self.http.mirror(&tool.name, tool.mirrored.clone());
    }

    /// Calls a method without rounds.
    pub(crate) async fn plain(
        &self,
        method: &str,
        mut params: Value,
    ) -> Result<RawJson, CallError> {
        let capabilities = self.claims().capabilities().to_json();
        let capabilities: Value = serde_json::from_str(&capabilities).unwrap_or_default();
        let mut meta = client();
        if let (Some(meta), Some(params)) = (meta.as_object_mut(), params.as_object_mut()) {
            meta.insert(META_VERSION.into(), PROTOCOL_VERSION.into());
            meta.insert(META_CAPABILITIES.into(), capabilities);
            params.insert("_meta".into(), json!(meta));
        }
        self.http.call(&self.next_id(), method, &params).await
    }

    /// Calls tools, prompts and resources, all at once, and prints what comes of each.
    pub(crate) async fn call_all(
        &self,
        tools: &[ToolCall],
        prompts: &[String],
        resources: &[String],
    ) -> Result<(), Failure> {
        let mut calls = FuturesUnordered::new();
        for ToolCall { name, arguments } in tools {
            let params = Params { name, arguments, meta: client() };
            calls.push(self.call(Method::ToolsCall, RawJson::from_value(&params)?));
        }
        for name in prompts {
            let params = json!({"name": name, "_meta": client()});
            calls.push(self.call(Method::PromptsGet, RawJson::from_value(&params)?));
        }
        for uri in resources {
            let params = json!({"uri": uri, "_meta": client()});
            calls.push(self.call(Method::ResourcesRead, RawJson::from_value(&params)?));
        }
        while let Some(ended) = calls.next().await {
            println!("{}", ended?);
        }
        Ok(())
    }

    /// Calls a method that may ask, and says what came of it.
    async fn call(&self, method: Method, params: RawJson) -> Result<String, Failure> {
        let id = InvocationId::new(&self.next_id())?;
        let request = Request::new(id.clone(), method, params, Binding::new(&self.url));
        let now = self.http.now();
        let (call, actions) = Invocation::start(now, request, self.claims(), Limits::default())?;
        let ended = self.http.drive(call, actions, &self.given, &Silent).await;
        let what = match ended {
            Ended::Settled(Outcome::Error(error)) => format!("error {}", error.code),
            Ended::Settled(outcome) => outcome.to_string(),
            Ended::GaveUp(why) => why.to_string(),
        };
        Ok(format!("{id} {}: {what}", method.as_str()))
    }

    fn claims(&self) -> Claims {
        let by = &self.given;
        Claims::none().with_form(by).with_url(by).with_sampling(by).with_roots(by)
    }

    fn next_id(&self) -> String {
        format!("call-{}", self.count.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// Is the params of a call of a tool. The arguments go out as they are.
#[derive(Serialize)]
struct Params<'a> {
    name: &'a str,
    arguments: &'a BTreeMap<String, Box<RawValue>>,
    #[serde(rename = "_meta")]
    meta: Value,
}

/// Says who calls.
fn client() -> Value {
    let name = "mrtr-conformance-client";
    let client = json!({"name": name, "version": env!("CARGO_PKG_VERSION")});
    json!({"io.modelcontextprotocol/clientInfo": client})
}

/// Watches the calls, and says nothing of them.
struct Silent;

impl Observer for Silent {
    fn sends(&self, _: &LegRequest, _: Phase) {}
    fn returned(&self, _: &LegId, _: Phase) {}
}
