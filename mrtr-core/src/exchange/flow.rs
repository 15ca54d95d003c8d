//! Handlers that are written once, as one straight function.

use alloc::{format, string::String, vec::Vec};

use form_model::Answer;
use serde_json::value::RawValue;

use super::{Answered, Consent, Elicited, Event, InputRequest, Need, Run, answers::Kind};
use crate::wire::{Object, RawJson, RpcError, text, write_text};

/// Is what a handler has asked so far, over all its rounds.
///
/// The handler asks for what it needs, one thing after another, as if the answers were always
/// there. Where one is not, the flow stops the function, asks, and runs it again from its start
/// when the answer has come. Answers of earlier rounds are kept in the sealed state: the first
/// answer to a key stays, and what was not asked is not seen.
///
/// So the function runs once a round, and must do nothing that is seen from outside before it has
/// asked all that it needs; and it must ask in the same order each time, which the flow checks.
///
/// ```
/// use form_model::{FlagField, FormBuilder, TextField};
/// use mrtr_core::exchange::{Elicited, Event, Flow, InputRequest, Pending};
/// use mrtr_core::wire::RawJson;
/// # use mrtr_core::exchange::Run;
///
/// fn handle(run: &Run) -> Event {
///     Flow::run(run, |flow| {
///         let name = FormBuilder::new().field(TextField::new("name").required()).build()?;
///         let Elicited::Accepted(answer) = flow.form("who", "Who is it for?", name)? else {
///             return Ok(RawJson::parse(r#"{"content":[]}"#)?);
///         };
///         let name = answer.text("name").unwrap_or_default().to_owned();
///         let sure = FormBuilder::new().field(FlagField::new("sure").required()).build()?;
///         flow.form("sure", format!("For {name}: sure?"), sure)?;
///         Ok(RawJson::parse(r#"{"content":[]}"#)?)
///     })
/// }
/// # let _ = handle;
/// ```
#[derive(Debug)]
pub struct Flow<'r> {
    run: &'r Run,
    /// All that was asked, in its order, in this round and before.
    entries: Vec<Entry>,
    /// How many of them the function has come to.
    reached: usize,
    /// What is asked in this round.
    requests: Vec<(String, InputRequest)>,
}

/// Is one thing that was asked, and its answer if there is one.
#[derive(Debug)]
struct Entry {
    key: String,
    /// What kind of thing: the answer to one kind is none to another, even if it is written alike.
    kind: String,
    answer: Option<RawJson>,
}

/// Says why a flow's function stops.
#[derive(Debug)]
#[non_exhaustive]
pub enum Pending {
    /// An answer is not there yet.
    Asks,
    /// The function asks otherwise than it did in an earlier round.
    Changed,
    /// The function failed.
    Failed(RpcError),
    /// The function failed before it did anything: a state that was redeemed may be used again.
    Abandoned(RpcError),
}

/// What a handler trips over inside, the client hears of as an internal error and no more.
impl<E: core::error::Error> From<E> for Pending {
    fn from(_: E) -> Self {
        Self::Failed(RpcError::new(RpcError::INTERNAL, "Internal error"))
    }
}

impl<'r> Flow<'r> {
    /// Runs a function, as far as it gets with the answers that are there.
    ///
    /// The endpoint needs keys: what a flow remembers is in the sealed state.
    pub fn run(
        run: &'r Run,
        function: impl FnOnce(&mut Self) -> Result<RawJson, Pending>,
    ) -> Event {
        let Some(entries) = remembered(run) else { return Event::FlowChanged };
        let mut flow = Self { run, entries, reached: 0, requests: Vec::new() };
        match function(&mut flow) {
            Ok(result) => Event::Finish(result),
            Err(Pending::Asks) => Event::Need(flow.need()),
            Err(Pending::Changed) => Event::FlowChanged,
            Err(Pending::Failed(error)) => Event::Fail(error),
            Err(Pending::Abandoned(error)) => Event::Abandon(error),
        }
    }

    /// Returns the request that the flow runs for.
    #[must_use]
    pub const fn request(&self) -> &'r Run {
        self.run
    }

    /// Asks a person to fill in a form.
    ///
    /// # Errors
    ///
    /// [`Pending`], to be handed on with `?`.
    pub fn form(
        &mut self,
        key: &str,
        message: impl Into<String>,
        form: form_model::Form,
    ) -> Result<Elicited, Pending> {
        match self.ask(key, InputRequest::form(message, form))? {
            Answered::Form(elicited) => Ok(elicited),
            Answered::Url(_) | Answered::Sampled(_) | Answered::Roots(_) => Err(Pending::Changed),
        }
    }

    /// Asks a person to fill in a form, and takes no for the end of the call.
    ///
    /// # Errors
    ///
    /// [`Pending`], to be handed on with `?`.
    pub fn accepted(
        &mut self,
        key: &str,
        message: impl Into<String>,
        form: form_model::Form,
    ) -> Result<Answer, Pending> {
        match self.form(key, message, form)? {
            Elicited::Accepted(answer) => Ok(answer),
            Elicited::Declined | Elicited::Dismissed => {
                let message = "The person did not agree";
                Err(Pending::Failed(RpcError::new(RpcError::INVALID_PARAMS, message)))
            }
        }
    }

    /// Asks a person to open a URL.
    ///
    /// # Errors
    ///
    /// [`Pending`], to be handed on with `?`.
    pub fn url(
        &mut self,
        key: &str,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Result<Consent, Pending> {
        match self.ask(key, InputRequest::url(message, url))? {
            Answered::Url(consent) => Ok(consent),
            Answered::Form(_) | Answered::Sampled(_) | Answered::Roots(_) => Err(Pending::Changed),
        }
    }

    /// Asks for anything, and stops if the answer is not there yet.
    ///
    /// # Errors
    ///
    /// [`Pending`], to be handed on with `?`.
    pub fn ask(&mut self, key: &str, request: InputRequest) -> Result<Answered, Pending> {
        self.ask_all(core::iter::once((key, request)))?.pop().ok_or(Pending::Changed)
    }

    /// Asks for several things in one round, and stops if any answer is not there yet. Answers come
    /// in the order of the requests.
    ///
    /// # Errors
    ///
    /// [`Pending`], to be handed on with `?`.
    pub fn ask_all<'k>(
        &mut self,
        requests: impl IntoIterator<Item = (&'k str, InputRequest)>,
    ) -> Result<Vec<Answered>, Pending> {
        let mut answers = Vec::new();
        for (key, request) in requests {
            match self.answer(key, &request)? {
                Some(answered) => answers.push(answered),
                None => self.requests.push((key.into(), request)),
            }
        }
        if self.requests.is_empty() { Ok(answers) } else { Err(Pending::Asks) }
    }

    /// Finds the answer to the request that the function has come to. `None`: there is none yet.
    fn answer(&mut self, key: &str, request: &InputRequest) -> Result<Option<Answered>, Pending> {
        let kind = Kind::from(request);
        let reached = self.reached;
        self.reached += 1;
        let Some(entry) = self.entries.get(reached) else {
            if self.entries.iter().any(|entry| entry.key == key) {
                return Err(Pending::Changed);
            }
            self.entries.push(Entry { key: key.into(), kind: kind.name().into(), answer: None });
            return Ok(None);
        };
        if entry.key != key || entry.kind != kind.name() {
            return Err(Pending::Changed);
        }
        let Some(answer) = &entry.answer else { return Ok(None) };
        // What fitted when it came, fits: else something other is asked under its key now.
        let answered = kind.answer(answer.as_str(), &self.run.answers.limits);
        answered.map(Some).map_err(|_| Pending::Changed)
    }

    /// Asks for what is missing, and remembers what is there.
    fn need(self) -> Need {
        let mut state = String::from(r#"{"flow":["#);
        for (index, Entry { key, kind, answer }) in self.entries.iter().enumerate() {
            if index > 0 {
                state.push(',');
            }
            state.push('[');
            write_text(key, &mut state);
            state.push_str(&format!(
                r#","{kind}",{}]"#,
                answer.as_ref().map_or("null", RawJson::as_str)
            ));
        }
        state.push_str("]}");
        Need { requests: self.requests, state: Some(RawJson::composed(state)) }
    }
}

/// Reads what was asked in earlier rounds, with the answers that have come since. `None`: the state
/// is not one of a flow.
fn remembered(run: &Run) -> Option<Vec<Entry>> {
    let Some(state) = &run.state else { return Some(Vec::new()) };
    let object = Object::decode(state.as_str(), "the state of a flow").ok()?;
    let entries: Vec<[&RawValue; 3]> = serde_json::from_str(object.get("flow")?).ok()?;
    let entry = |[key, kind, answer]: [&RawValue; 3]| {
        let (key, kind): (String, String) = (text(key.get())?.into(), text(kind.get())?.into());
        let answer = match answer.get() {
            // An answer that came once stays: what was answered is not asked again.
            "null" => run.answers.text(&key).cloned(),
            json => Some(RawJson::part(json)),
        };
        Some(Entry { key, kind, answer })
    };
    entries.into_iter().map(entry).collect()
}
