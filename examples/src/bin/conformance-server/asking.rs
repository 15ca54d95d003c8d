//! The tools and the prompt that ask: a table of their questions, and two ways to run it.

use form_model::{Answer, FlagField, FormBuilder, TextField};
use mrtr_core::{
    server::{Ending, Flow, HandlerError, Need, Run},
    wire::{InputRequest, InputResponse, RawJson, RpcError, SamplingBuilder},
};
use mrtr_examples::server::finish;
use serde_json::Value;

/// An answer, in the order of the questions.
type Response = InputResponse<Answer>;

/// A tool or a prompt that asks.
pub(crate) struct Asking {
    pub(crate) name: &'static str,
    /// Its questions by round, each under its key.
    rounds: &'static [&'static [(&'static str, Ask)]],
    means: Means,
    /// Makes the text of the result from the answers.
    end: fn(&[Response]) -> String,
}

/// A question.
enum Ask {
    /// A form with one text field: the message, and the field.
    Text(&'static str, &'static str),
    /// A form with one yes-or-no field: the message, and the field.
    Flag(&'static str, &'static str),
    /// A request to the model: the text of the user, and the most tokens.
    Model(&'static str, u32),
    /// The roots.
    Roots,
}

/// How a tool remembers its questions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Means {
    /// In a sealed state.
    State,
    /// Not at all: answers are checked against the questions, even if nothing was asked.
    None,
    /// Not at all, and only questions that the client can answer are asked.
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

/// Returns whether a tool or prompt asks without a sealed state.
pub(crate) fn is_keyless(target: &str) -> bool {
    let all = TOOLS.iter().chain(&PROMPTS);
    all.into_iter().any(|asking| asking.name == target && asking.means != Means::State)
}

impl Asking {
    /// Asks until every question is answered, and makes a result of the answers.
    pub(crate) fn run(&self, run: &Run, result: fn(&str) -> Value) -> Ending {
        match self.means {
            Means::State => self.with_state(run, result),
            Means::None | Means::NoneAndOnlyWhatIsDeclared => self.without_state(run, result),
        }
    }

    fn with_state(&self, run: &Run, result: fn(&str) -> Value) -> Ending {
        Flow::run(run, |flow| {
            let mut answers = Vec::new();
            for round in self.rounds {
                let requests = round.iter().map(|(key, ask)| Ok((*key, ask.request()?)));
                let requests = requests.collect::<Result<Vec<_>, HandlerError>>()?;
                answers.extend(flow.ask_all(requests)?);
            }
            Ok(RawJson::from_value(&result(&self.text(&answers)))?)
        })
    }

    fn without_state(&self, run: &Run, result: fn(&str) -> Value) -> Ending {
        let (mut answers, mut need) = (Vec::new(), Need::new());
        for (key, ask) in self.rounds.iter().copied().flatten() {
            let request = match ask.request() {
                Ok(request) => request,
                Err(error) => return Ending::Fail(error),
            };
            let is_declared = run.capabilities.missing(request.needs()).is_empty();
            match run.answers.check(key, &request) {
                Ok(Some(response)) => answers.push(response),
                Ok(None) if is_declared || self.means == Means::None => {
                    need = need.request(*key, request);
                }
                Ok(None) => {}
                Err(error) => {
                    let error = RpcError::new(RpcError::INVALID_PARAMS, error.to_string());
                    return Ending::Fail(error.into());
                }
            }
        }
        if need == Need::new() { finish(&result(&self.text(&answers))) } else { Ending::Need(need) }
    }

    /// Makes the text of the result: that of the answers, unless the person refused a question.
    fn text(&self, answers: &[Response]) -> String {
        let is_no = |response: &Response| matches!(response, Response::Decline | Response::Cancel);
        if answers.iter().any(is_no) {
            "The person did not agree.".into()
        } else {
            (self.end)(answers)
        }
    }
}

impl Ask {
    fn request(&self) -> Result<InputRequest, HandlerError> {
        let (message, form) = match self {
            Self::Text(message, field) => {
                (message, FormBuilder::new().field(TextField::new(*field).required()))
            }
            Self::Flag(message, field) => {
                (message, FormBuilder::new().field(FlagField::new(*field).required()))
            }
            Self::Model(text, tokens) => {
                let request = SamplingBuilder::new(*tokens).user(text).build();
                return request.map(Into::into).map_err(HandlerError::internal);
            }
            Self::Roots => return Ok(InputRequest::Roots),
        };
        let form = form.build().map_err(HandlerError::internal)?;
        Ok(InputRequest::form(message, form))
    }
}

/// Finds a text in the answer to a form.
fn text(answers: &[Response], index: usize, field: &str) -> String {
    let Some(Response::Accept(answer)) = answers.get(index) else { return String::new() };
    answer.text(field).unwrap_or_default().into()
}

/// Finds a text in the answer of a model, or in a list of roots.
fn member(answers: &[Response], index: usize, pointer: &str) -> String {
    let Some(Response::Sampled(json) | Response::Roots(json)) = answers.get(index) else {
        return String::new();
    };
    let value: Value = serde_json::from_str(json.as_str()).unwrap_or_default();
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().into()
}
