//! The tools and the prompt that ask: a table of what they ask, and two ways to run it.

use form_model::{BuildError, FlagField, FormBuilder, TextField};
use mrtr_core::{
    InputRequest, Need,
    exchange::{Answered, Elicited, Event, Flow, Run, Sampling},
    wire::{RawJson, RpcError},
};
use serde_json::Value;

use crate::handler::{failed, finish};

/// Is a tool or a prompt that asks.
pub(crate) struct Asking {
    pub(crate) name: &'static str,
    /// What it asks, round by round, each under its key.
    rounds: &'static [&'static [(&'static str, Ask)]],
    means: Means,
    /// Says what came of it.
    end: fn(&[Answered]) -> String,
}

/// Is one question.
enum Ask {
    /// A form with one text: what to say, and the field.
    Text(&'static str, &'static str),
    /// A form with one yes or no.
    Flag(&'static str, &'static str),
    /// A request to the model: what the user says, and the most tokens.
    Model(&'static str, u32),
    /// The roots.
    Roots,
}

/// Says how it remembers what it asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Means {
    /// In a sealed state.
    State,
    /// Not at all: answers are read against what it would ask, even if nothing was asked.
    None,
    /// Not at all, and it asks only what the client can answer.
    NoneAndOnlyWhatIsDeclared,
}

const NAME: (&str, Ask) = ("user_name", Ask::Text("What is your name?", "name"));
const CONFIRM: (&str, Ask) = ("confirm", Ask::Flag("Please confirm", "ok"));

/// The tools.
pub(crate) const TOOLS: [Asking; 10] = [
    Asking {
        name: "test_input_required_result_elicitation",
        rounds: &[&[NAME]],
        means: Means::None,
        end: |answers| format!("Hello, {}!", text(answers, 0, "name")),
    },
    Asking {
        name: "test_input_required_result_sampling",
        rounds: &[&[("capital_question", Ask::Model("What is the capital of France?", 100))]],
        means: Means::None,
        end: |answers| member(answers, 0, "/content/text"),
    },
    Asking {
        name: "test_input_required_result_list_roots",
        rounds: &[&[("client_roots", Ask::Roots)]],
        means: Means::None,
        end: |answers| format!("The first root is {}", member(answers, 0, "/roots/0/uri")),
    },
    Asking {
        name: "test_input_required_result_request_state",
        rounds: &[&[CONFIRM]],
        means: Means::State,
        end: |_| "state-ok".into(),
    },
    Asking {
        name: "test_input_required_result_multiple_inputs",
        rounds: &[&[
            NAME,
            ("greeting", Ask::Model("Generate a greeting", 50)),
            ("client_roots", Ask::Roots),
        ]],
        means: Means::State,
        end: |answers| {
            format!("{} {}", member(answers, 1, "/content/text"), text(answers, 0, "name"))
        },
    },
    Asking {
        name: "test_input_required_result_multi_round",
        rounds: &[
            &[("step1", Ask::Text("Step 1: What is your name?", "name"))],
            &[("step2", Ask::Text("Step 2: What is your favorite color?", "color"))],
        ],
        means: Means::State,
        end: |answers| format!("{} likes {}", text(answers, 0, "name"), text(answers, 1, "color")),
    },
    Asking {
        name: "test_input_required_result_tampered_state",
        rounds: &[&[CONFIRM]],
        means: Means::State,
        end: |_| "confirmed".into(),
    },
    Asking {
        name: "test_input_required_result_capabilities",
        rounds: &[&[NAME, ("greeting", Ask::Model("Generate a greeting", 50))]],
        means: Means::NoneAndOnlyWhatIsDeclared,
        end: |_| "asked what could be answered".into(),
    },
    Asking {
        name: "test_missing_capability",
        rounds: &[&[("greeting", Ask::Model("Generate a greeting", 50))]],
        means: Means::None,
        end: |answers| member(answers, 0, "/content/text"),
    },
    Asking {
        name: "test_streaming_elicitation",
        rounds: &[&[NAME]],
        means: Means::None,
        end: |answers| format!("Hello, {}!", text(answers, 0, "name")),
    },
];

/// The prompt.
pub(crate) const PROMPTS: [Asking; 1] = [Asking {
    name: "test_input_required_result_prompt",
    rounds: &[&[("user_context", Ask::Text("What context should the prompt use?", "context"))]],
    means: Means::None,
    end: |answers| format!("Use this context: {}", text(answers, 0, "context")),
}];

/// Returns whether what is called asks without a sealed state.
pub(crate) fn is_keyless(target: &str) -> bool {
    let all = TOOLS.iter().chain(&PROMPTS);
    all.into_iter().any(|asking| asking.name == target && asking.means != Means::State)
}

impl Asking {
    /// Asks until all is answered, and makes a result of what came of it.
    pub(crate) fn run(&self, run: &Run, result: fn(&str) -> Value) -> Event {
        match self.means {
            Means::State => self.with_state(run, result),
            Means::None | Means::NoneAndOnlyWhatIsDeclared => self.without_state(run, result),
        }
    }

    fn with_state(&self, run: &Run, result: fn(&str) -> Value) -> Event {
        Flow::run(run, |flow| {
            let mut answers = Vec::new();
            for round in self.rounds {
                let requests = round.iter().map(|(key, ask)| Ok((*key, ask.request()?)));
                let requests = requests.collect::<Result<Vec<_>, BuildError>>()?;
                answers.extend(flow.ask_all(requests)?);
            }
            Ok(RawJson::from_value(&result(&self.text(&answers)))?)
        })
    }

    fn without_state(&self, run: &Run, result: fn(&str) -> Value) -> Event {
        let (mut answers, mut need) = (Vec::new(), Need::new());
        for (key, ask) in self.rounds.iter().copied().flatten() {
            let Ok(request) = ask.request() else { return failed() };
            let is_declared = run.capabilities.missing(request.needs()).is_empty();
            match run.answers.check(key, &request) {
                Ok(Some(answered)) => answers.push(answered),
                Ok(None) if is_declared || self.means == Means::None => {
                    need = need.request(*key, request);
                }
                Ok(None) => {}
                Err(error) => {
                    let error = RpcError::new(RpcError::INVALID_PARAMS, error.to_string());
                    return Event::Fail(error);
                }
            }
        }
        if need == Need::new() { finish(&result(&self.text(&answers))) } else { Event::Need(need) }
    }

    /// Says what came of it: a no ends it, whatever else was answered.
    fn text(&self, answers: &[Answered]) -> String {
        let is_no = |answered: &Answered| {
            matches!(answered, Answered::Form(Elicited::Declined | Elicited::Dismissed))
        };
        if answers.iter().any(is_no) {
            "The person did not agree.".into()
        } else {
            (self.end)(answers)
        }
    }
}

impl Ask {
    fn request(&self) -> Result<InputRequest, BuildError> {
        Ok(match self {
            Self::Text(message, field) => {
                let form = FormBuilder::new().field(TextField::new(*field).required());
                InputRequest::form(*message, form.build()?)
            }
            Self::Flag(message, field) => {
                let form = FormBuilder::new().field(FlagField::new(*field).required());
                InputRequest::form(*message, form.build()?)
            }
            Self::Model(text, tokens) => InputRequest::sampling(Sampling::new(*tokens).user(text)),
            Self::Roots => InputRequest::roots(),
        })
    }
}

/// Finds a text of a form.
fn text(answers: &[Answered], index: usize, field: &str) -> String {
    let Some(Answered::Form(Elicited::Accepted(answer))) = answers.get(index) else {
        return String::new();
    };
    answer.text(field).unwrap_or_default().into()
}

/// Finds a text of what a model or a list of roots says.
fn member(answers: &[Answered], index: usize, pointer: &str) -> String {
    let Some(Answered::Sampled(json) | Answered::Roots(json)) = answers.get(index) else {
        return String::new();
    };
    let value: Value = serde_json::from_str(json.as_str()).unwrap_or_default();
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().into()
}
