//! The handler of each method.

use std::{collections::BTreeMap, sync::Arc};

use mrtr_core::{
    server::{Ending, Endpoint, Run},
    wire::{ParamHeaders, RawJson, RpcError},
};
use mrtr_examples::server::{Caller, Handler, finish, invalid_params, refuse};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Failure, asking,
    fixtures::{Arguments, Fixture, Fixtures, find},
    listening::{Changes, LISTS, List},
    telling,
};

/// The values that complete the argument of a prompt.
const COMPLETIONS: [&str; 4] = ["paris", "park", "party", "testValue1"];

/// The tools, prompts and resources that the suite calls.
pub(crate) struct Conformance {
    fixtures: Fixtures,
    changes: Changes,
    /// The endpoint of the tools and prompts that ask without a sealed state.
    keyless: Arc<Endpoint>,
}

impl Conformance {
    pub(crate) fn new(keyless: Endpoint) -> Result<Self, Failure> {
        let (fixtures, changes) = (Fixtures::load()?, Changes::default());
        Ok(Self { fixtures, changes, keyless: Arc::new(keyless) })
    }

    /// Adds the arguments that the tools repeat in headers to the endpoint that serves the tools.
    pub(crate) fn with_param_headers(&self, mut endpoint: Endpoint) -> Result<Endpoint, Failure> {
        for Fixture { listed, .. } in &self.fixtures.tools {
            if let (Some(name), Some(schema)) = (listed.get("name"), listed.get("inputSchema")) {
                let schema = RawJson::from_value(schema)?;
                let headers = ParamHeaders::from_schema(schema.as_json())?;
                endpoint = endpoint.with_param_headers(name.as_str().unwrap_or_default(), headers);
            }
        }
        Ok(endpoint)
    }
}

impl Handler for Conformance {
    fn run(&self, run: &Run, caller: &Caller<'_>) -> Ending {
        match run.method.as_str() {
            "server/discover" => discover(),
            "tools/list" => list("tools", self.tools()),
            "tools/call" => self.call(run, caller),
            "prompts/list" => list("prompts", self.prompts()),
            "prompts/get" => self.get(run),
            "resources/list" => list("resources", listed(&self.fixtures.resources)),
            "resources/templates/list" => {
                list("resourceTemplates", listed(&self.fixtures.templates))
            }
            "resources/read" => self.read(run),
            "completion/complete" => complete(run),
            "subscriptions/listen" => self.changes.listen(run, caller),
            _ => refuse(RpcError::METHOD_NOT_FOUND, "Method not found"),
        }
    }

    fn endpoint(&self, target: &str) -> Option<&Arc<Endpoint>> {
        asking::is_keyless(target).then_some(&self.keyless)
    }
}

impl Conformance {
    fn tools(&self) -> Vec<Value> {
        let asking = asking::TOOLS.iter().map(|tool| (tool.name, "Asks before it answers."));
        let telling = telling::TOOLS
            .iter()
            .map(|(name, _)| (*name, "Sends notifications before it answers."));
        let changing = LISTS.iter().map(|(.., name)| (*name, "Changes a list."));
        let comes_and_goes = self.changes.is_there(List::Tools);
        let changed = comes_and_goes.then_some(("test_changing_tool", "Comes and goes."));
        let described = asking.chain(telling).chain(changing).chain(changed);
        let tool = |(name, description): (&str, &str)| {
            let schema = json!({"type": "object"});
            json!({"name": name, "description": description, "inputSchema": schema})
        };
        listed(&self.fixtures.tools).into_iter().chain(described.map(tool)).collect()
    }

    fn call(&self, run: &Run, caller: &Caller<'_>) -> Ending {
        let Some(Named { name, arguments }) = named(run) else {
            return invalid_params("Expected the name of a tool");
        };
        if let Some(tool) = find(&self.fixtures.tools, "name", &name) {
            return finish(&tool.result(&texts(arguments)));
        }
        if let Some(tool) = asking::TOOLS.iter().find(|tool| tool.name == name) {
            return tool.run(run, tool_text);
        }
        if let Some((_, tell)) = telling::TOOLS.iter().find(|(tool, _)| *tool == name) {
            return telling::call(*tell, run, caller);
        }
        if let Some((list, ..)) = LISTS.iter().find(|(.., tool)| *tool == name) {
            return self.changes.change(*list);
        }
        if name == "test_changing_tool" && self.changes.is_there(List::Tools) {
            return finish(&tool_text("I am here."));
        }
        invalid_params("Unknown tool")
    }

    fn prompts(&self) -> Vec<Value> {
        let asking = asking::PROMPTS.iter().map(|prompt| (prompt.name, "Asks for a context."));
        let comes_and_goes = self.changes.is_there(List::Prompts);
        let changed = comes_and_goes.then_some(("test_changing_prompt", "Comes and goes."));
        let prompt = |(name, description)| json!({"name": name, "description": description});
        let described = asking.chain(changed).map(prompt);
        listed(&self.fixtures.prompts).into_iter().chain(described).collect()
    }

    fn get(&self, run: &Run) -> Ending {
        let Some(Named { name, arguments }) = named(run) else {
            return invalid_params("Expected the name of a prompt");
        };
        if let Some(prompt) = find(&self.fixtures.prompts, "name", &name) {
            return finish(&prompt.result(&texts(arguments)));
        }
        if let Some(prompt) = asking::PROMPTS.iter().find(|prompt| prompt.name == name) {
            return prompt.run(run, prompt_text);
        }
        if name == "test_changing_prompt" && self.changes.is_there(List::Prompts) {
            return finish(&prompt_text("I am here."));
        }
        invalid_params("Unknown prompt")
    }

    fn read(&self, run: &Run) -> Ending {
        #[derive(Deserialize)]
        struct Read {
            uri: String,
        }
        let Ok(Read { uri }) = serde_json::from_str(run.params.as_str()) else {
            return invalid_params("Expected the URI of a resource");
        };
        match self.fixtures.resource(&uri) {
            Some(result) => finish(&result),
            None => {
                let error = RpcError::new(RpcError::INVALID_PARAMS, "Resource not found");
                let data = RawJson::from_value(&json!({"uri": uri}));
                Ending::Fail(data.map_or(error.clone(), |data| error.with_data(data)).into())
            }
        }
    }
}

fn discover() -> Ending {
    let changes = json!({"listChanged": true});
    finish(&json!({
        "supportedVersions": ["2026-07-28"],
        "capabilities": {
            "tools": changes, "prompts": changes, "resources": {}, "completions": {}, "logging": {},
        },
        "ttlMs": 60_000,
        "cacheScope": "public",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "mrtr-conformance", "version": env!("CARGO_PKG_VERSION")}},
    }))
}

/// Completes an argument with the values that begin like it.
fn complete(run: &Run) -> Ending {
    #[derive(Deserialize)]
    struct Complete {
        argument: Argument,
    }
    #[derive(Deserialize)]
    struct Argument {
        value: String,
    }
    let Ok(Complete { argument }) = serde_json::from_str(run.params.as_str()) else {
        return invalid_params("Expected an argument to complete");
    };
    let values: Vec<_> =
        COMPLETIONS.iter().filter(|value| value.starts_with(&argument.value)).collect();
    let total = values.len();
    finish(&json!({"completion": {"values": values, "total": total, "hasMore": false}}))
}

/// The params of a call by name.
#[derive(Deserialize)]
struct Named {
    name: String,
    #[serde(default)]
    arguments: BTreeMap<String, Value>,
}

fn named(run: &Run) -> Option<Named> {
    serde_json::from_str(run.params.as_str()).ok()
}

/// Keeps the arguments that are texts.
fn texts(arguments: BTreeMap<String, Value>) -> Arguments {
    let text = |(name, value): (String, Value)| Some((name, value.as_str()?.to_owned()));
    arguments.into_iter().filter_map(text).collect()
}

fn listed(fixtures: &[Fixture]) -> Vec<Value> {
    fixtures.iter().map(|fixture| fixture.listed.clone()).collect()
}

fn list(kind: &str, all: Vec<Value>) -> Ending {
    finish(&json!({kind: all, "ttlMs": 60_000, "cacheScope": "public"}))
}

/// Finds a member of `_meta`.
pub(crate) fn meta(run: &Run, name: &str) -> Option<Value> {
    #[derive(Deserialize)]
    struct Params {
        _meta: BTreeMap<String, Value>,
    }
    let Params { mut _meta } = serde_json::from_str(run.params.as_str()).ok()?;
    _meta.remove(name)
}

/// Makes a result of a tool.
pub(crate) fn tool_text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

/// Makes a result of a prompt.
fn prompt_text(text: &str) -> Value {
    json!({"messages": [{"role": "user", "content": {"type": "text", "text": text}}]})
}
