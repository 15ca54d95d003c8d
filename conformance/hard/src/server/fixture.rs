//! The fixtures of the contract, and honest calls of them (conformance/README.md).

use super::call::Call;

/// A tool, a prompt or a resource of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fixture {
    Plain,
    Form,
    Spellings,
    Url,
    Sampling,
    SamplingTools,
    SamplingContext,
    Roots,
    Several,
    TwoRounds,
    StateOnly,
    Forever,
    Prompt,
    Resource,
}

use Fixture::{
    Forever, Form, Plain, Prompt, Resource, Roots, Sampling, SamplingContext, SamplingTools,
    Several, Spellings, StateOnly, TwoRounds, Url,
};

/// The answer of a model.
pub(crate) const SAMPLED: &str = r#"{"role":"assistant","content":{"type":"text","text":"hi"},"model":"test","stopReason":"endTurn"}"#;

/// The answer to the form of [`Fixture::Form`].
pub(crate) const STAGING: &str =
    r#"{"action":"accept","content":{"environment":"staging","confirm":true}}"#;

impl Fixture {
    pub(crate) const ALL: [Self; 14] = [
        Plain,
        Form,
        Spellings,
        Url,
        Sampling,
        SamplingTools,
        SamplingContext,
        Roots,
        Several,
        TwoRounds,
        StateOnly,
        Forever,
        Prompt,
        Resource,
    ];

    /// Returns the name or the URI.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Plain => "plain",
            Form => "form",
            Spellings => "spellings",
            Url => "url",
            Sampling => "sampling",
            SamplingTools => "sampling_tools",
            SamplingContext => "sampling_context",
            Roots => "roots",
            Several => "several",
            TwoRounds => "two_rounds",
            StateOnly => "state_only",
            Forever => "forever",
            Prompt => "ask",
            Resource => "ask://resource",
        }
    }

    /// Returns the method of its list, the member with the entries, and the member with the name.
    pub(crate) const fn listed(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Prompt => ("prompts/list", "prompts", "name"),
            Resource => ("resources/list", "resources", "uri"),
            Plain | Form | Spellings | Url | Sampling | SamplingTools | SamplingContext | Roots
            | Several | TwoRounds | StateOnly | Forever => ("tools/list", "tools", "name"),
        }
    }

    /// Makes its first request.
    pub(crate) fn call(self) -> Call {
        match self {
            Prompt => Call::prompt(self.name()),
            Resource => Call::resource(self.name()),
            Plain | Form | Spellings | Url | Sampling | SamplingTools | SamplingContext | Roots
            | Several | TwoRounds | StateOnly | Forever => Call::tool(self.name()),
        }
    }

    /// Returns the keys of its first round.
    pub(crate) const fn keys(self) -> &'static [&'static str] {
        match self {
            Plain | StateOnly => &[],
            Form => &["target"],
            Spellings => &["all"],
            Url => &["pay"],
            Sampling | SamplingTools | SamplingContext => &["model"],
            Roots => &["roots"],
            Several => &["a", "b"],
            TwoRounds => &["first"],
            Forever => &["again"],
            Prompt | Resource => &["who"],
        }
    }

    /// Returns whether its first round has a state.
    pub(crate) const fn has_state(self) -> bool {
        match self {
            Form | Several | TwoRounds | StateOnly | Forever | Prompt | Resource => true,
            Plain | Spellings | Url | Sampling | SamplingTools | SamplingContext | Roots => false,
        }
    }

    /// Returns the answers to its first round, as JSON.
    pub(crate) fn answers(self) -> String {
        match self {
            Plain | StateOnly => "{}".into(),
            Form => format!(r#"{{"target":{STAGING}}}"#),
            Spellings => format!(r#"{{"all":{{"action":"accept","content":{EVERY_SPELLING}}}}}"#),
            Url => r#"{"pay":{"action":"accept"}}"#.into(),
            Sampling | SamplingTools | SamplingContext => format!(r#"{{"model":{SAMPLED}}}"#),
            Roots => r#"{"roots":{"roots":[{"uri":"file:///tmp"},{"uri":"file:///home"}]}}"#.into(),
            Several => r#"{"a":{"action":"accept","content":{"value":"one"}},"b":{"action":"accept","content":{"value":"two"}}}"#.into(),
            TwoRounds => name_under("first", "alice"),
            Forever => r#"{"again":{"action":"accept","content":{"ok":true}}}"#.into(),
            Prompt | Resource => name_under("who", "alice"),
        }
    }

    /// Returns the text of the result after the first round, if there is no second one.
    pub(crate) const fn text(self) -> Option<&'static str> {
        Some(match self {
            Plain => "plain",
            Form => "accepted:staging:true",
            Spellings => return None,
            Url => "consented",
            Sampling | SamplingTools | SamplingContext => "sampled:hi",
            Roots => "roots:2",
            Several => "several:one:two",
            TwoRounds | Forever => return None,
            StateOnly => "waited",
            Prompt => "prompt:alice",
            Resource => "resource:alice",
        })
    }
}

/// Valid content of `spellings`, with every field.
pub(crate) const EVERY_SPELLING: &str = r#"{"text":"abc","number":0.5,"integer":3,"flag":false,"choice":"b","titled":"b","legacy":"a","choices":["a","b"],"titled_choices":["b"]}"#;

/// Returns the answers to a form that asks for a name, as JSON.
pub(crate) fn name_under(key: &str, name: &str) -> String {
    format!(r#"{{"{key}":{{"action":"accept","content":{{"name":"{name}"}}}}}}"#)
}

/// Returns the answers to the second round of `two_rounds`, as JSON.
pub(crate) fn count(count: u32) -> String {
    format!(r#"{{"second":{{"action":"accept","content":{{"count":{count}}}}}}}"#)
}
