//! The calls: those without rounds, and those that may be asked something.

use core::sync::atomic::{AtomicU32, Ordering};
use std::collections::BTreeMap;

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use mrtr_core::{
    InvocationId, Limits,
    client::{Binding, Claims, Invocation, Outcome, Request},
    wire::{
        ClientInfo, META_CAPABILITIES, META_CLIENT_INFO, META_VERSION, Method, PROTOCOL_VERSION,
        ParamHeaders, RawJson,
    },
};
use mrtr_examples::{
    call::{Ended, Silent},
    client::{CallError, Http},
    surface::Given,
};
use serde_json::{Value, json};

use crate::{Failure, catalog::Catalog, made_up::ToolCall};

/// The kinds of questions that the given answers are for.
const CLAIMS: Claims = Claims::none().with_form().with_url().with_sampling().with_roots();

/// A client that calls one server and answers its questions.
pub(crate) struct Caller {
    http: Http,
    url: String,
    given: Given,
    /// The number of calls so far.
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

    /// Calls a method without rounds.
    pub(crate) async fn plain(
        &self,
        method: &str,
        mut params: Value,
    ) -> Result<RawJson, CallError> {
        let capabilities = CLAIMS.capabilities().to_json();
        let capabilities: Value = serde_json::from_str(&capabilities).unwrap_or_default();
        let meta = json!({
            META_VERSION: PROTOCOL_VERSION,
            META_CLIENT_INFO: client_info(),
            META_CAPABILITIES: capabilities,
        });
        if let Some(params) = params.as_object_mut() {
            params.insert("_meta".into(), meta);
        }
        self.http.call(&self.next_id(), method, &params).await
    }

    /// Calls tools of a server, and all its prompts and resources, at once. Prints each outcome.
    pub(crate) async fn call_all(
        &self,
        tools: &[ToolCall],
        catalog: &Catalog,
    ) -> Result<(), Failure> {
        let mut calls = FuturesUnordered::new();
        for call in tools {
            let tool = catalog.tools.iter().find(|tool| tool.name == call.name);
            let headers = tool.map(|tool| tool.param_headers.clone()).unwrap_or_default();
            calls.push(self.call(Method::ToolsCall, RawJson::from_value(call)?, headers));
        }
        for (method, names) in
            [(Method::PromptsGet, &catalog.prompts), (Method::ResourcesRead, &catalog.resources)]
        {
            for name in names {
                let params = RawJson::from_value(&json!({method.target_parameter(): name}))?;
                calls.push(self.call(method, params, ParamHeaders::default()));
            }
        }
        while let Some(ended) = calls.next().await {
            println!("{}", ended?);
        }
        Ok(())
    }

    /// Calls a method that may ask, and describes the outcome.
    async fn call(
        &self,
        method: Method,
        params: RawJson,
        param_headers: ParamHeaders,
    ) -> Result<String, Failure> {
        let id = InvocationId::new(&self.next_id())?;
        let request = Request::new(id.clone(), method, params, Binding::new(&self.url))
            .with_client_info(client_info())
            .with_param_headers(param_headers);
        let now = self.http.now();
        let (call, actions) = Invocation::start(now, request, CLAIMS, Limits::default())?;
        let ended = self.http.drive(call, actions, &self.given, &Silent).await;
        let what = match ended {
            Ended::Settled(Outcome::Error(error)) => format!("error {}", error.code),
            Ended::Settled(outcome) => outcome.to_string(),
            Ended::GaveUp(why) => why.to_string(),
        };
        Ok(format!("{id} {}: {what}", method.as_str()))
    }

    fn next_id(&self) -> String {
        format!("call-{}", self.count.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

fn client_info() -> ClientInfo {
    ClientInfo::new("mrtr-conformance-client", env!("CARGO_PKG_VERSION"))
}
