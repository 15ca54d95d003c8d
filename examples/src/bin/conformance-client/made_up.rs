//! Calls of tools, made up from their schemas.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};

use crate::catalog::Tool;

/// A call of a tool.
#[derive(Deserialize, Serialize)]
pub(crate) struct ToolCall {
    pub(crate) name: String,
    pub(crate) arguments: BTreeMap<String, Box<RawValue>>,
}

/// The tools that take the schema of another tool, to see what a client kept of it: the tool, the
/// argument that takes the schema, and the other tool.
const ECHOES: [(&str, &str, &str); 1] =
    [("json_schema_echo", "schema", "json_schema_2020_12_tool")];

/// Makes a call of each tool.
pub(crate) fn calls(tools: &[Tool]) -> Vec<ToolCall> {
    let call =
        |tool: &Tool| ToolCall { name: tool.name.clone(), arguments: arguments(tool, tools) };
    tools.iter().map(call).collect()
}

/// Makes the required arguments of a tool.
fn arguments(tool: &Tool, tools: &[Tool]) -> BTreeMap<String, Box<RawValue>> {
    if let Some((_, name, of)) = ECHOES.iter().find(|(echo, ..)| *echo == tool.name) {
        let schema = tools.iter().find(|tool| tool.name == *of).map(|tool| &tool.input_schema);
        return schema.into_iter().map(|schema| ((*name).into(), schema.clone())).collect();
    }
    #[derive(Default, Deserialize)]
    struct Schema {
        #[serde(default)]
        properties: Map<String, Value>,
        #[serde(default)]
        required: Vec<String>,
    }
    let schema: Schema = serde_json::from_str(tool.input_schema.get()).unwrap_or_default();
    let argument = |name: String| {
        let value = RawValue::from_string(value(schema.properties.get(&name)?).into()).ok()?;
        Some((name, value))
    };
    schema.required.into_iter().filter_map(argument).collect()
}

/// Makes a value of a type.
fn value(schema: &Value) -> &'static str {
    match schema.get("type").and_then(Value::as_str) {
        Some("number" | "integer") => "5",
        Some("boolean") => "true",
        Some("array") => "[]",
        Some("object") => "{}",
        _ => "\"text\"",
    }
}
