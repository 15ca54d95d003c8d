//! Actions as data. They are written and not read: a machine makes them again.

use alloc::{borrow::Cow, format, string::String};

use serde::{Serialize, Serializer};

use super::Exposed;
use crate::{Action, Closure, Interaction, LegRequest, Outcome, wire::RawJson};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Data<'a> {
    Send(Sent<'a>),
    CancelLeg {
        leg: String,
    },
    Ask {
        round: u32,
        #[serde(flatten)]
        key: Key<'a>,
        #[serde(flatten)]
        interaction: Asked<'a>,
    },
    Retract {
        round: u32,
        #[serde(flatten)]
        key: Key<'a>,
        why: Closure,
    },
    Settle(Settled<'a>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Sent<'a> {
    leg: String,
    method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    binding: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params_bytes: Option<usize>,
}

/// Is a key, or its size.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Key<'a> {
    Key(&'a str),
    KeyBytes(usize),
}

/// Is a question, or its kind.
#[derive(Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Asked<'a> {
    Kind(&'static str),
    Form {
        message: &'a str,
        form: &'a form_model::Form,
    },
    Url {
        message: &'a str,
        url: &'a str,
        host: &'a str,
        is_https: bool,
        is_punycode: bool,
        is_mixed_script: bool,
        has_userinfo: bool,
    },
    Sampling {
        params: &'a RawJson,
    },
    Roots {},
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Settled<'a> {
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a RawJson>,
}

impl Interaction {
    /// Returns the name of the kind: form, url, sampling or roots.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Form(_) => "form",
            Self::Url(_) => "url",
            Self::Sampling(_) => "sampling",
            Self::Roots => "roots",
        }
    }
}

fn data(action: &Action, exposes: bool) -> Data<'_> {
    match action {
        Action::Send(request) => Data::Send(Sent::new(request, exposes)),
        Action::CancelLeg { leg } => Data::CancelLeg { leg: format!("{leg}") },
        Action::Ask { round, key: name, interaction } => Data::Ask {
            round: *round,
            key: Key::new(name, exposes),
            interaction: Asked::new(interaction, exposes),
        },
        Action::Retract { round, key: name, why } => {
            Data::Retract { round: *round, key: Key::new(name, exposes), why: *why }
        }
        Action::Settle(outcome) => Data::Settle(Settled::new(outcome, exposes)),
    }
}

impl<'a> Key<'a> {
    fn new(key: &'a str, exposes: bool) -> Self {
        if exposes { Self::Key(key) } else { Self::KeyBytes(key.len()) }
    }
}

impl<'a> Sent<'a> {
    fn new(request: &'a LegRequest, exposes: bool) -> Self {
        Self {
            leg: format!("{}", request.leg),
            method: request.method.as_str(),
            target: exposes.then_some(&*request.target),
            binding: exposes.then_some(request.binding.as_str()),
            params: exposes.then_some(&request.params),
            params_bytes: (!exposes).then_some(request.params.as_str().len()),
        }
    }
}

impl<'a> Asked<'a> {
    fn new(interaction: &'a Interaction, exposes: bool) -> Self {
        match interaction {
            _ if !exposes => Self::Kind(interaction.kind()),
            Interaction::Form(request) => {
                Self::Form { message: request.message.raw(), form: &request.form }
            }
            Interaction::Url(request) => Self::Url {
                message: request.message.raw(),
                url: &request.url,
                host: request.host.raw(),
                is_https: request.is_https,
                is_punycode: request.is_punycode,
                is_mixed_script: request.is_mixed_script,
                has_userinfo: request.has_userinfo,
            },
            Interaction::Sampling(request) => Self::Sampling { params: &request.params },
            Interaction::Roots => Self::Roots {},
        }
    }
}

impl<'a> Settled<'a> {
    fn new(outcome: &'a Outcome, exposes: bool) -> Self {
        let mut settled =
            Self { outcome: outcome.code(), result: None, code: None, message: None, data: None };
        match outcome {
            Outcome::Complete(result) => settled.result = exposes.then_some(result),
            Outcome::Error(error) => {
                settled.code = Some(error.code);
                if exposes {
                    settled.message = Some(Cow::Borrowed(&error.message));
                    settled.data = error.data.as_ref();
                }
            }
            Outcome::Fault(_) | Outcome::TimedOut(_) => {
                settled.message = Some(Cow::Owned(format!("{outcome}")));
            }
            Outcome::Stopped | Outcome::Unanswerable | Outcome::Lost | Outcome::OutcomeUnknown => {}
        }
        settled
    }
}

/// Writes what to do, and of what it carries the size.
impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        data(self, false).serialize(serializer)
    }
}

impl Serialize for Exposed<&Action> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        data(self.0, true).serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::{
        Event,
        trace::{Step, step::Start},
    };

    /// Plays lines, and returns all that the call made of them.
    fn actions(lines: &[&str]) -> Vec<Action> {
        let mut call = None;
        let mut made = Vec::new();
        for line in lines {
            match Exposed::read(line).unwrap().0 {
                Step::Start { at, start } => {
                    let start: Start = *start;
                    let (started, actions) = start.start(at).unwrap();
                    call = Some(started);
                    made.extend(actions);
                }
                Step::Event { at, event } => {
                    let call = call.as_mut().unwrap();
                    let actions = call.handle(at, event).unwrap();
                    let record = actions.transition().map(serde_json::to_string);
                    assert!(!format!("{record:?}").contains("SENTINEL"));
                    made.extend(actions);
                }
            }
        }
        let stopped = call.unwrap().handle(crate::Instant::default(), Event::Stop).unwrap();
        made.extend(stopped);
        made
    }

    /// proves: CL-20, CL-21, CL-23
    #[test]
    fn an_action_as_it_is_shows_nothing_that_anybody_said_and_an_exposed_one_all() {
        let start = r#"{"at":0,"start":{"id":"c","method":"tools/call","params":{"name":"SENTINEL"},"binding":"SENTINEL","claims":{"form":true,"url":true,"sampling":true,"roots":true}}}"#;
        let requests = r#"{"SENTINEL-1":{"method":"elicitation/create","params":{"message":"SENTINEL","requestedSchema":{"type":"object","properties":{"SENTINEL":{"type":"string"}}}}},"SENTINEL-2":{"method":"elicitation/create","params":{"mode":"url","message":"SENTINEL","url":"https://SENTINEL.example/"}},"SENTINEL-3":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":[],"SENTINEL":1}],"maxTokens":1}},"SENTINEL-4":{"method":"roots/list"}}"#;
        let asks = format!(
            r#"{{"at":0,"event":{{"reply":{{"leg":"c.1","result":{{"resultType":"input_required","requestState":"SENTINEL","inputRequests":{requests}}}}}}}}}"#
        );
        let answer = r#"{"at":0,"event":{"answer":{"round":1,"key":"SENTINEL-1","response":{"accept":{"SENTINEL":"SENTINEL"}}}}}"#;
        let error = r#"{"at":0,"event":{"reply":{"leg":"c.1","error":{"code":7,"message":"SENTINEL","data":"SENTINEL"}}}}"#;
        let done = r#"{"at":0,"event":{"reply":{"leg":"c.1","result":{"SENTINEL":1}}}}"#;
        for lines in [&[start, &asks, answer][..], &[start, error], &[start, done]] {
            for action in actions(lines) {
                let shown = serde_json::to_string(&action).unwrap();
                let seen = format!("{shown} {action:?}");
                assert!(!seen.contains("SENTINEL"), "{seen}");
                let exposed = serde_json::to_string(&Exposed(&action)).unwrap();
                let says_nothing = exposed.contains(r#""outcome":"stopped""#);
                assert!(exposed.contains("SENTINEL") || says_nothing, "{exposed}");
            }
        }
    }
}
