//! What a client declares that it can answer.

use alloc::{string::String, vec::Vec};

use super::{Object, WireError};

/// Is what the `clientCapabilities` of one request say of input requests.
///
/// Capabilities that this crate does not know are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Capabilities {
    /// Elicitation by a form: `elicitation.form`, or an `elicitation` that names neither mode.
    pub form: bool,
    /// Elicitation by a URL: `elicitation.url`.
    pub url: bool,
    /// Sampling: `sampling`.
    pub sampling: bool,
    /// Sampling in which the model may use tools: `sampling.tools`.
    pub sampling_tools: bool,
    /// Sampling that includes context of servers: `sampling.context`.
    pub sampling_context: bool,
    /// Listing roots: `roots`.
    pub roots: bool,
}

impl Capabilities {
    /// Has nothing.
    pub const NONE: Self = Self {
        form: false,
        url: false,
        sampling: false,
        sampling_tools: false,
        sampling_context: false,
        roots: false,
    };

    /// Decodes the JSON object.
    ///
    /// # Errors
    ///
    /// A text that is no object, or whose known members are of a wrong type.
    pub fn decode(json: &str) -> Result<Self, WireError> {
        let object = Object::decode(json, "clientCapabilities")?;
        let mut found = Self::NONE;
        if let Some(elicitation) = object.get("elicitation") {
            let modes = Object::decode(elicitation, "elicitation")?;
            found.url = has(&modes, "url")?;
            found.form = has(&modes, "form")? || !found.url;
        }
        if let Some(sampling) = object.get("sampling") {
            let settings = Object::decode(sampling, "sampling")?;
            found.sampling = true;
            found.sampling_tools = has(&settings, "tools")?;
            found.sampling_context = has(&settings, "context")?;
        }
        found.roots = has(&object, "roots")?;
        Ok(found)
    }

    /// Returns what is needed and not here. What is missing of sampling names sampling.
    #[must_use]
    pub const fn missing(self, needed: Self) -> Self {
        let tools = needed.sampling_tools && !self.sampling_tools;
        let context = needed.sampling_context && !self.sampling_context;
        Self {
            form: needed.form && !self.form,
            url: needed.url && !self.url,
            sampling: (needed.sampling && !self.sampling) || tools || context,
            sampling_tools: tools,
            sampling_context: context,
            roots: needed.roots && !self.roots,
        }
    }

    /// Returns what is in either.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self {
            form: self.form || other.form,
            url: self.url || other.url,
            sampling: self.sampling || other.sampling,
            sampling_tools: self.sampling_tools || other.sampling_tools,
            sampling_context: self.sampling_context || other.sampling_context,
            roots: self.roots || other.roots,
        }
    }

    /// Tells whether there is nothing.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        !(self.form || self.url || self.sampling || self.roots)
    }

    /// Writes the JSON object.
    #[must_use]
    pub fn to_json(self) -> String {
        alloc::format!("{{{}}}", self.members())
    }

    /// Writes the members of the JSON object.
    pub(crate) fn members(self) -> String {
        let present = |settings: &[(&str, bool)]| {
            let named = settings.iter().filter(|(_, is_there)| *is_there);
            let named: Vec<_> = named.map(|(name, _)| alloc::format!(r#""{name}":{{}}"#)).collect();
            named.join(",")
        };
        let modes = present(&[("form", self.form), ("url", self.url)]);
        let settings =
            present(&[("tools", self.sampling_tools), ("context", self.sampling_context)]);
        let mut members = Vec::new();
        if self.form || self.url {
            members.push(alloc::format!(r#""elicitation":{{{modes}}}"#));
        }
        if self.sampling {
            members.push(alloc::format!(r#""sampling":{{{settings}}}"#));
        }
        if self.roots {
            members.push(r#""roots":{}"#.into());
        }
        members.join(",")
    }
}

/// Tells whether a capability is declared: its settings are an object.
fn has(object: &Object<'_>, name: &'static str) -> Result<bool, WireError> {
    match object.get(name) {
        Some(settings) => Object::decode(settings, name).map(|_| true),
        None => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(names: &[&str]) -> Capabilities {
        Capabilities {
            form: names.contains(&"form"),
            url: names.contains(&"url"),
            sampling: names.contains(&"sampling"),
            sampling_tools: names.contains(&"tools"),
            sampling_context: names.contains(&"context"),
            roots: names.contains(&"roots"),
        }
    }

    /// proves: W-09
    #[test]
    fn each_capability_is_declared_by_its_object_and_others_are_ignored() {
        for (json, names) in [
            ("{}", &[][..]),
            (r#"{"elicitation":{}}"#, &["form"]),
            (r#"{"elicitation":{"form":{}}}"#, &["form"]),
            (r#"{"elicitation":{"url":{}}}"#, &["url"]),
            (r#"{"elicitation":{"url":{},"form":{},"x":1},"y":[]}"#, &["form", "url"]),
            (r#"{"sampling":{}}"#, &["sampling"]),
            (r#"{"sampling":{"tools":{}}}"#, &["sampling", "tools"]),
            (r#"{"sampling":{"context":{},"tools":{}}}"#, &["sampling", "tools", "context"]),
            (r#"{"roots":{"listChanged":true},"extensions":{"a/b":{}}}"#, &["roots"]),
        ] {
            assert_eq!(Capabilities::decode(json), Ok(found(names)), "{json}");
        }
        for wrong in [
            "[]",
            r#"{"elicitation":true}"#,
            r#"{"elicitation":{"form":1}}"#,
            r#"{"sampling":[]}"#,
            r#"{"sampling":{"tools":true}}"#,
            r#"{"roots":null}"#,
        ] {
            assert!(Capabilities::decode(wrong).is_err(), "{wrong}");
        }
    }

    /// proves: W-09, W-12
    #[test]
    fn what_is_written_reads_back() {
        for names in [
            &[][..],
            &["form"],
            &["url"],
            &["form", "url", "roots"],
            &["sampling"],
            &["sampling", "tools"],
            &["sampling", "context", "tools", "roots"],
        ] {
            let capabilities = found(names);
            assert_eq!(Capabilities::decode(&capabilities.to_json()), Ok(capabilities));
        }
    }

    /// proves: SV-03
    #[test]
    fn what_is_missing_of_sampling_is_asked_for_as_a_whole() {
        let tools = found(&["sampling", "tools"]);
        assert_eq!(found(&["sampling"]).missing(tools), tools);
        assert_eq!(tools.missing(found(&["sampling"])), Capabilities::NONE);
        assert_eq!(Capabilities::NONE.missing(found(&["roots"])), found(&["roots"]));
    }
}
