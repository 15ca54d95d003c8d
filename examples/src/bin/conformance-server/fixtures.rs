//! Tools, prompts and resources without code: their results are in files.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// The content of the files.
pub(crate) struct Fixtures {
    pub(crate) tools: Vec<Fixture>,
    pub(crate) prompts: Vec<Fixture>,
    pub(crate) resources: Vec<Fixture>,
    pub(crate) templates: Vec<Fixture>,
}

/// A tool, prompt or resource as it is listed, and its result. In the texts of the result, `{name}`
/// stands for the argument of that name.
#[derive(Deserialize)]
pub(crate) struct Fixture {
    pub(crate) listed: Value,
    pub(crate) result: Value,
}

/// The arguments of a call that are texts.
pub(crate) type Arguments = BTreeMap<String, String>;

impl Fixtures {
    pub(crate) fn load() -> Result<Self, serde_json::Error> {
        Ok(Self {
            tools: serde_json::from_str(include_str!("fixtures/tools.json"))?,
            prompts: serde_json::from_str(include_str!("fixtures/prompts.json"))?,
            resources: serde_json::from_str(include_str!("fixtures/resources.json"))?,
            templates: serde_json::from_str(include_str!("fixtures/templates.json"))?,
        })
    }

    /// Reads a resource by its URI, or by a template.
    pub(crate) fn resource(&self, uri: &str) -> Option<Value> {
        let listed = find(&self.resources, "uri", uri).map(|resource| resource.result.clone());
        listed.or_else(|| self.templates.iter().find_map(|template| template.expand(uri)))
    }
}

/// Finds the fixture of a name.
pub(crate) fn find<'f>(among: &'f [Fixture], member: &str, name: &str) -> Option<&'f Fixture> {
    among.iter().find(|fixture| fixture.listed.get(member).and_then(Value::as_str) == Some(name))
}

impl Fixture {
    /// Returns the result, with the arguments in it.
    pub(crate) fn result(&self, arguments: &Arguments) -> Value {
        fill(&self.result, arguments)
    }

    /// Returns the result for a URI that matches the template. A template has one variable.
    fn expand(&self, uri: &str) -> Option<Value> {
        let (begin, rest) = self.listed.get("uriTemplate")?.as_str()?.split_once('{')?;
        let (name, end) = rest.split_once('}')?;
        let value = uri.strip_prefix(begin)?.strip_suffix(end)?;
        let fits = !value.is_empty() && !value.contains('/');
        fits.then(|| self.result(&Arguments::from([(name.into(), value.into())])))
    }
}

fn fill(value: &Value, arguments: &Arguments) -> Value {
    match value {
        Value::String(text) => {
            let filled = |text: String, (name, value): (&String, &String)| {
                text.replace(&format!("{{{name}}}"), value)
            };
            Value::String(arguments.iter().fold(text.clone(), filled))
        }
        Value::Array(items) => items.iter().map(|item| fill(item, arguments)).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), fill(value, arguments))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
