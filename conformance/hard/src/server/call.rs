//! A request as text, member by member, so that each can be left out, repeated, moved or changed.

use mrtr_core::wire::{META_CAPABILITIES, META_VERSION, PROTOCOL_VERSION, header_value};

use crate::http::Request;

/// The capabilities of a client that can do everything.
pub(crate) const EVERYTHING: &str =
    r#"{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}"#;

/// The members of an object, as JSON, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Members(Vec<(String, String)>);

impl Members {
    /// Sets a member, at its place or at the end.
    fn set(&mut self, name: &str, json: impl Into<String>) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, value)) => *value = json.into(),
            None => self.0.push((name.into(), json.into())),
        }
    }

    fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| known != name);
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn text(&self) -> String {
        let members = self.0.iter().map(|(name, json)| format!("{}:{json}", text(name)));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }
}

/// Writes a text as a JSON string.
pub(crate) fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A request of the client.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    method: String,
    /// The id, as JSON. With `None` it is the next number.
    id: Option<String>,
    params: Members,
    meta: Members,
    headers: Vec<(String, String)>,
    /// The headers of a valid request.
    sound: Vec<(String, String)>,
    /// The bytes that are sent instead of the message.
    body: Option<Vec<u8>>,
}

impl Call {
    /// Makes a valid request of a method without parameters.
    pub(crate) fn new(method: &str) -> Self {
        let headers = [
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", PROTOCOL_VERSION),
            ("Mcp-Method", method),
        ];
        let mut meta = Members::default();
        meta.set(META_VERSION, text(PROTOCOL_VERSION));
        meta.set("io.modelcontextprotocol/clientInfo", r#"{"name":"hard","version":"1"}"#);
        meta.set(META_CAPABILITIES, EVERYTHING);
        let mut params = Members::default();
        params.set("_meta", "");
        let headers: Vec<(String, String)> =
            headers.map(|(name, value)| (name.into(), value.into())).into();
        let sound = headers.clone();
        Self { method: method.into(), id: None, params, meta, headers, sound, body: None }
    }

    /// Makes a valid call of a tool.
    pub(crate) fn tool(name: &str) -> Self {
        Self::new("tools/call").target("name", name).with("arguments", "{}")
    }

    /// Makes a valid request for a prompt.
    pub(crate) fn prompt(name: &str) -> Self {
        Self::new("prompts/get").target("name", name)
    }

    /// Makes a valid request for a resource.
    pub(crate) fn resource(uri: &str) -> Self {
        Self::new("resources/read").target("uri", uri)
    }

    fn target(self, parameter: &str, name: &str) -> Self {
        let call = self.with(parameter, text(name)).header("Mcp-Name", Some(&header_value(name)));
        Self { sound: call.headers.clone(), ..call }
    }

    /// Sets a parameter.
    pub(crate) fn with(mut self, name: &str, json: impl Into<String>) -> Self {
        self.params.set(name, json);
        self
    }

    /// Leaves a parameter out, also `_meta`.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.params.remove(name);
        self
    }

    /// Repeats a parameter.
    pub(crate) fn again(mut self, name: &str, json: impl Into<String>) -> Self {
        self.params.0.push((name.into(), json.into()));
        self
    }

    /// Reverses the order of the parameters and of the members of `_meta`.
    pub(crate) fn reversed(mut self) -> Self {
        self.params.0.reverse();
        self.meta.0.reverse();
        self
    }

    /// Sets a member of `_meta`. `None` leaves it out.
    pub(crate) fn meta(mut self, name: &str, json: Option<&str>) -> Self {
        match json {
            Some(json) => self.meta.set(name, json),
            None => self.meta.remove(name),
        }
        self
    }

    /// Sets the declared capabilities, as JSON.
    pub(crate) fn capabilities(self, json: &str) -> Self {
        self.meta(META_CAPABILITIES, Some(json))
    }

    /// Returns the declared capabilities, as JSON.
    pub(crate) fn declared(&self) -> &str {
        self.meta.get(META_CAPABILITIES).unwrap_or("{}")
    }

    /// Sets the answers, as JSON.
    pub(crate) fn answers(self, json: impl Into<String>) -> Self {
        self.with("inputResponses", json)
    }

    /// Sets the state. `None` leaves it out.
    pub(crate) fn state(self, state: Option<&str>) -> Self {
        match state {
            Some(state) => self.with("requestState", text(state)),
            None => self.without("requestState"),
        }
    }

    /// Sets the id, as JSON.
    pub(crate) fn id(self, json: &str) -> Self {
        Self { id: Some(json.into()), ..self }
    }

    /// Sets a header. `None` leaves it out.
    pub(crate) fn header(mut self, name: &str, value: Option<&str>) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        if let Some(value) = value {
            self.headers.push((name.into(), value.into()));
        }
        self
    }

    /// Repeats a header.
    pub(crate) fn header_again(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Changes the spelling of the header names.
    pub(crate) fn header_names(mut self, write: fn(&str) -> String) -> Self {
        for (name, _) in &mut self.headers {
            *name = write(name);
        }
        self
    }

    /// Sends these bytes instead of the message.
    pub(crate) fn raw(self, body: impl Into<Vec<u8>>) -> Self {
        Self { body: Some(body.into()), ..self }
    }

    /// Returns the headers that differ from those of a valid request, for a person.
    pub(crate) fn odd_headers(&self) -> Option<String> {
        let more = self.headers.iter().filter(|header| !self.sound.contains(header));
        let more = more.map(|(name, value)| format!("{name}: {value}"));
        let is_there = |(name, _): &&(String, String)| {
            self.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
        };
        let gone = self.sound.iter().filter(|header| !is_there(header));
        let all: Vec<_> = more.chain(gone.map(|(name, _)| format!("no {name}"))).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// Returns the method.
    pub(crate) fn method(&self) -> &str {
        &self.method
    }

    /// Returns the id that the response must repeat, as JSON. `None` if other bytes are sent.
    pub(crate) fn expected_id(&self, next: u64) -> Option<String> {
        if self.body.is_some() {
            return None;
        }
        Some(self.id.clone().unwrap_or_else(|| next.to_string()))
    }

    /// Returns the message with an id.
    pub(crate) fn message(&self, id: &str) -> String {
        let mut params = self.params.clone();
        if params.get("_meta") == Some("") {
            params.set("_meta", self.meta.text());
        }
        let (method, params) = (text(&self.method), params.text());
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#)
    }

    /// Returns the HTTP request with an id.
    pub(crate) fn request(&self, id: &str) -> Request {
        let body = self.body.clone().unwrap_or_else(|| self.message(id).into_bytes());
        Request { method: "POST", headers: self.headers.clone(), body }
    }
}
