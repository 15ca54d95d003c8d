//! What a client declares that it can answer.

use alloc::string::String;

use super::{Object, WireError};

/// Is what the `clientCapabilities` of one request say of input requests.
///
/// Capabilities that this crate does not know are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Capabilities {
    /// Elicitation by a form: `elicitation.form`, or an `elicitation` that names neither mode.
    pub form: bool,
    /// Elicitation by a URL: `elicitation.url`.
    pub url: bool,
}

impl Capabilities {
    /// Decodes the JSON object.
    ///
    /// # Errors
    ///
    /// A text that is no object, or whose known members are of a wrong type.
    pub fn decode(json: &str) -> Result<Self, WireError> {
        let object = Object::decode(json, "clientCapabilities")?;
        let Some(elicitation) = object.get("elicitation") else { return Ok(Self::default()) };
        let elicitation = Object::decode(elicitation, "elicitation")?;
        let has = |mode| match elicitation.get(mode) {
            Some(settings) => Object::decode(settings, mode).map(|_| true),
            None => Ok(false),
        };
        let (form, url) = (has("form")?, has("url")?);
        Ok(Self { form: form || !url, url })
    }

    /// Returns what is needed and not here.
    #[must_use]
    pub const fn missing(self, needed: Self) -> Self {
        Self { form: needed.form && !self.form, url: needed.url && !self.url }
    }

    /// Tells whether there is nothing.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        !self.form && !self.url
    }

    /// Writes the JSON object.
    #[must_use]
    pub fn to_json(self) -> String {
        match (self.form, self.url) {
            (false, false) => "{}",
            (true, false) => r#"{"elicitation":{"form":{}}}"#,
            (false, true) => r#"{"elicitation":{"url":{}}}"#,
            (true, true) => r#"{"elicitation":{"form":{},"url":{}}}"#,
        }
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// proves: W-09 in part
    #[test]
    fn an_elicitation_that_names_no_mode_is_form_mode() {
        for (json, form, url) in [
            ("{}", false, false),
            (r#"{"elicitation":{}}"#, true, false),
            (r#"{"elicitation":{"form":{}}}"#, true, false),
            (r#"{"elicitation":{"url":{}}}"#, false, true),
            (r#"{"elicitation":{"url":{},"form":{},"x":1},"y":[]}"#, true, true),
        ] {
            assert_eq!(Capabilities::decode(json), Ok(Capabilities { form, url }), "{json}");
        }
        for wrong in ["[]", r#"{"elicitation":true}"#, r#"{"elicitation":{"form":1}}"#] {
            assert!(Capabilities::decode(wrong).is_err(), "{wrong}");
        }
    }

    /// proves: W-09
    #[test]
    fn what_is_written_reads_back() {
        for (form, url) in [(false, false), (true, false), (false, true), (true, true)] {
            let capabilities = Capabilities { form, url };
            assert_eq!(Capabilities::decode(&capabilities.to_json()), Ok(capabilities));
        }
    }
}
