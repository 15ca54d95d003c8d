//! The capabilities of a client for input requests.

use alloc::string::String;

use super::{Json, Object, WireError, Writer};

/// The kinds of input requests that a client declares in `clientCapabilities`.
///
/// Capabilities that this crate does not know are ignored.
///
/// ```
/// use mrtr_core::wire::Capabilities;
///
/// let capabilities = Capabilities::NONE.with_form().with_sampling_tools();
/// assert!(capabilities.form && capabilities.sampling && !capabilities.url);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Capabilities {
    /// Elicitation by a form: `elicitation.form`, or an `elicitation` that names neither mode.
    pub form: bool,
    /// Elicitation by a URL: `elicitation.url`.
    pub url: bool,
    /// Sampling: `sampling`.
    pub sampling: bool,
    /// Sampling in which the model may use tools: `sampling.tools`.
    pub sampling_tools: bool,
    /// Sampling that includes context of MCP servers: `sampling.context`.
    pub sampling_context: bool,
    /// Listing roots: `roots`.
    pub roots: bool,
}

/// The members of `clientCapabilities` that declare input requests.
pub(crate) const DECLARED: [&str; 3] = [ELICITATION, SAMPLING, ROOTS];

const ELICITATION: &str = "elicitation";
const SAMPLING: &str = "sampling";
const ROOTS: &str = "roots";
const FORM: &str = "form";
const URL: &str = "url";
const TOOLS: &str = "tools";
const CONTEXT: &str = "context";

impl Capabilities {
    /// No capabilities.
    pub const NONE: Self = Self {
        form: false,
        url: false,
        sampling: false,
        sampling_tools: false,
        sampling_context: false,
        roots: false,
    };

    /// Adds elicitation by a form.
    #[must_use]
    pub const fn with_form(self) -> Self {
        Self { form: true, ..self }
    }

    /// Adds elicitation by a URL.
    #[must_use]
    pub const fn with_url(self) -> Self {
        Self { url: true, ..self }
    }

    /// Adds sampling.
    #[must_use]
    pub const fn with_sampling(self) -> Self {
        Self { sampling: true, ..self }
    }

    /// Adds sampling in which the model may use tools.
    #[must_use]
    pub const fn with_sampling_tools(self) -> Self {
        Self { sampling_tools: true, ..self.with_sampling() }
    }

    /// Adds sampling that includes context of MCP servers.
    #[must_use]
    pub const fn with_sampling_context(self) -> Self {
        Self { sampling_context: true, ..self.with_sampling() }
    }

    /// Adds listing roots.
    #[must_use]
    pub const fn with_roots(self) -> Self {
        Self { roots: true, ..self }
    }

    /// Decodes the JSON object.
    ///
    /// # Errors
    ///
    /// Returns [`WireError`] if the value is not an object, or if a known member has a wrong type.
    pub fn decode(json: Json<'_>) -> Result<Self, WireError> {
        let object = Object::decode(json, "clientCapabilities")?;
        let mut found = Self::NONE;
        if let Some(elicitation) = object.get(ELICITATION) {
            let modes = Object::decode(elicitation, ELICITATION)?;
            found.url = has(&modes, URL)?;
            found.form = has(&modes, FORM)? || !found.url;
        }
        if let Some(sampling) = object.get(SAMPLING) {
            let settings = Object::decode(sampling, SAMPLING)?;
            found.sampling = true;
            found.sampling_tools = has(&settings, TOOLS)?;
            found.sampling_context = has(&settings, CONTEXT)?;
        }
        found.roots = has(&object, ROOTS)?;
        Ok(found)
    }

    /// Returns the capabilities that `needed` has and `self` does not. If `sampling_tools` or
    /// `sampling_context` is missing, the result also has `sampling`, even if `self` has it.
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

    /// Returns all capabilities of `self` and `other`.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self {
            form: self.form || other.form,
            url: self.url || other.url,
            sampling: self.sampling || other.sampling,
            sampling_tools: self.sampling_tools || other.sampling_tools,
            sampling_context: self.sampling_context || other.sampling_context,
            roots: self.roots || other.roots,
        }
    }

    /// Adds `sampling` if a part of it is declared.
    pub(crate) const fn whole(self) -> Self {
        Self { sampling: self.sampling || self.sampling_tools || self.sampling_context, ..self }
    }

    /// Returns whether there are no capabilities.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        !(self.form || self.url || self.whole().sampling || self.roots)
    }

    /// Writes the JSON object.
    #[must_use]
    pub fn to_json(self) -> String {
        Writer::object(|object| self.write(object))
    }

    /// Writes the members of the JSON object.
    pub(crate) fn write(self, object: &mut Writer) {
        let declare = |object: &mut Writer, name, is_declared: bool| {
            if is_declared {
                object.json(name, "{}");
            }
        };
        if self.form || self.url {
            object.nested(ELICITATION, |modes| {
                declare(modes, FORM, self.form);
                declare(modes, URL, self.url);
            });
        }
        if self.sampling {
            object.nested(SAMPLING, |settings| {
                declare(settings, TOOLS, self.sampling_tools);
                declare(settings, CONTEXT, self.sampling_context);
            });
        }
        declare(object, ROOTS, self.roots);
    }
}

/// Returns whether a capability is declared. Its settings must be an object.
fn has(object: &Object<'_>, name: &'static str) -> Result<bool, WireError> {
    match object.get(name) {
        Some(settings) => Object::decode(settings, name).map(|_| true),
        None => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(json: &str) -> Result<Capabilities, WireError> {
        Capabilities::decode(Json::parse(json)?)
    }

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
            assert_eq!(decode(json), Ok(found(names)), "{json}");
        }
        for wrong in [
            "[]",
            r#"{"elicitation":true}"#,
            r#"{"elicitation":{"form":1}}"#,
            r#"{"sampling":[]}"#,
            r#"{"sampling":{"tools":true}}"#,
            r#"{"roots":null}"#,
        ] {
            assert!(decode(wrong).is_err(), "{wrong}");
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
            assert_eq!(decode(&capabilities.to_json()), Ok(capabilities));
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
