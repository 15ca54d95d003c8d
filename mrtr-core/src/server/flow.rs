//! Handlers that are written as one function over all rounds.

use alloc::{format, string::String, vec::Vec};
use core::{error::Error, fmt};

use form_model::{Answer, Form, Submission};

use super::{Ending, HandlerError, Need, Run, answers::submission};
use crate::wire::{
    Decision, InputRequest, InputResponse, Json, Object, RawJson, RpcError, WireError, Writer,
};

/// The questions of a handler and their answers, over all its rounds.
///
/// The handler asks one question after another, as if each answer were already there. If an answer
/// is missing, the flow stops the function with `?` and sends the question. When the answer
/// arrives, the function runs again from its start. The sealed state keeps the answers of earlier
/// rounds, so the endpoint needs keys. A second answer to a key is ignored: only [`Flow::again`]
/// asks for a new one. Responses to keys that were not asked are ignored, too.
///
/// So the function runs once in each round. It must have no effects before it has all its answers.
/// It must ask in the same order each time, and the flow checks the order.
///
/// ```
/// use form_model::{FlagField, FormBuilder, Submission, TextField};
/// use mrtr_core::server::{Ending, Flow, Run, Stop};
/// use mrtr_core::wire::RawJson;
///
/// fn deploy(flow: &mut Flow<'_>) -> Result<RawJson, Stop> {
///     let name = FormBuilder::new().field(TextField::new("name").required()).build()?;
///     let Submission::Accept(answer) = flow.form("who", "Who is it for?", name)? else {
///         return Ok(RawJson::parse(r#"{"content":[]}"#)?);
///     };
///     // The form requires the name, so it is there.
///     let name = answer.text("name").unwrap_or_default().to_owned();
///     let sure = FormBuilder::new().field(FlagField::new("sure").required()).build()?;
///     let answer = flow.accepted("sure", &format!("For {name}: sure?"), sure)?;
///     if answer.flag("sure") != Some(true) {
///         return Err(Stop::Declined);
///     }
///     // The function has all its answers: from here on it may deploy.
///     Ok(RawJson::parse(r#"{"content":[]}"#)?)
/// }
///
/// fn handle(run: &Run) -> Ending {
///     Flow::run(run, deploy)
/// }
///
/// // A handler can await between its questions, on any runtime.
/// async fn handle_later(run: &Run) -> Ending {
///     let mut flow = Flow::open(run);
///     let result = async {
///         let name = FormBuilder::new().field(TextField::new("name").required()).build()?;
///         let answer = flow.accepted("who", "Who is it for?", name)?;
///         look_up(answer.text("name").unwrap_or_default()).await?;
///         Ok(RawJson::parse(r#"{"content":[]}"#)?)
///     };
///     let result = result.await;
///     flow.close(result)
/// }
/// # async fn look_up(_: &str) -> Result<(), std::io::Error> { Ok(()) }
/// # let _ = (handle, handle_later);
/// ```
pub struct Flow<'r> {
    run: &'r Run,
    /// All questions of this round and of earlier rounds, in order; `None` if the state is not from
    /// a flow.
    entries: Option<Vec<Entry>>,
    /// How many of these questions the function has asked in this run.
    reached: usize,
    /// The requests to send in this round.
    requests: Vec<(String, InputRequest)>,
}

/// A question, and its answer if there is one.
struct Entry {
    key: String,
    /// The kind of the request. A response to one kind is not an answer to another kind, even if
    /// both have the same text.
    kind: String,
    answer: Option<RawJson>,
}

/// Why the function of a flow stops. Pass it on with `?` until your code hands it to
/// [`Flow::close`].
///
/// `?` turns each error into a stop. An [`RpcError`] goes to the client unchanged, and so does the
/// error in a [`HandlerError`]. For any other error, the client gets an internal error, and the
/// report has the error as its cause.
#[derive(Debug)]
#[non_exhaustive]
pub enum Stop {
    /// An answer is missing: the flow sends its question.
    Asks,
    /// The function asked something else than in an earlier round.
    Changed,
    /// A person did not agree, so the function cannot continue.
    Declined,
    /// The function failed.
    Failed(HandlerError),
    /// The function failed before it did anything. The exchange releases a state that was redeemed,
    /// so the client may send the retry again.
    Abandoned(HandlerError),
}

/// Stops with an internal error for the client. The report has the cause.
impl<E: Error + Send + Sync + 'static> From<E> for Stop {
    fn from(cause: E) -> Self {
        Self::Failed(HandlerError::internal(cause))
    }
}

impl From<RpcError> for Stop {
    fn from(error: RpcError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<HandlerError> for Stop {
    fn from(error: HandlerError) -> Self {
        Self::Failed(error)
    }
}

impl<'r> Flow<'r> {
    /// Opens the flow of a run, with the answers so far.
    ///
    /// If the sealed state of the run is not from a flow, the first question stops the function with
    /// [`Stop::Changed`]. Effects before the first question happen in any case. So ask first.
    #[must_use]
    pub fn open(run: &'r Run) -> Self {
        Self { run, entries: remembered(run), reached: 0, requests: Vec::new() }
    }

    /// Closes the flow with the result of its function.
    #[must_use]
    pub fn close(self, result: Result<RawJson, Stop>) -> Ending {
        match result {
            // The function never asked: its first question would have found that the state is not
            // from a flow.
            Ok(_) if self.entries.is_none() => Ending::FlowChanged,
            Ok(result) => Ending::Finish(result),
            Err(Stop::Asks) => Ending::Need(self.need()),
            Err(Stop::Changed) => Ending::FlowChanged,
            Err(Stop::Declined) => Ending::Declined,
            Err(Stop::Failed(error)) => Ending::Fail(error),
            Err(Stop::Abandoned(error)) => Ending::Abandon(error),
        }
    }

    /// Opens a flow, runs a function that does not await, and closes the flow.
    ///
    /// Returns [`Ending::FlowChanged`] without running the function if the state is not from a
    /// flow.
    pub fn run(run: &'r Run, function: impl FnOnce(&mut Self) -> Result<RawJson, Stop>) -> Ending {
        let mut flow = Self::open(run);
        if flow.entries.is_none() {
            return Ending::FlowChanged;
        }
        let result = function(&mut flow);
        flow.close(result)
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
    /// Returns [`Stop`] if the answer is missing or the function changed. Return it with `?`.
    pub fn form(&mut self, key: &str, message: &str, form: Form) -> Result<Submission, Stop> {
        let response = self.ask(key, InputRequest::form(message, form))?;
        submission(response).ok_or(Stop::Changed)
    }

    /// Asks a person to fill in a form. Stops with [`Stop::Declined`] if they decline or cancel.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] if the answer is missing, the person did not accept, or the function changed.
    /// Return it with `?`.
    pub fn accepted(&mut self, key: &str, message: &str, form: Form) -> Result<Answer, Stop> {
        match self.form(key, message, form)? {
            Submission::Accept(answer) => Ok(answer),
            Submission::Decline | Submission::Cancel => Err(Stop::Declined),
        }
    }

    /// Asks a person to open a URL. The decision is what the person said, not what they did on the
    /// page.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] if the answer is missing, the function changed, or `url` is not an absolute
    /// http or https URL. Return it with `?`.
    pub fn url(&mut self, key: &str, message: &str, url: &str) -> Result<Decision, Stop> {
        let response = self.ask(key, InputRequest::url(message, url)?)?;
        response.decision().ok_or(Stop::Changed)
    }

    /// Sends any input request, and stops if its answer is missing.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] if the answer is missing or the function changed. Return it with `?`.
    pub fn ask(
        &mut self,
        key: &str,
        request: impl Into<InputRequest>,
    ) -> Result<InputResponse<Answer>, Stop> {
        self.ask_all([(key, request.into())])?.pop().ok_or(Stop::Changed)
    }

    /// Sends several requests in one round, and stops if an answer is missing. The answers are in
    /// the order of the requests.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`] if the answer is missing or the function changed. Return it with `?`.
    pub fn ask_all<'k>(
        &mut self,
        requests: impl IntoIterator<Item = (&'k str, InputRequest)>,
    ) -> Result<Vec<InputResponse<Answer>>, Stop> {
        let mut answers = Vec::new();
        for (key, request) in requests {
            match self.answer(key, &request)? {
                Some(response) => answers.push(response),
                None => self.requests.push((key.into(), request)),
            }
        }
        if self.requests.is_empty() { Ok(answers) } else { Err(Stop::Asks) }
    }

    /// Asks again under a key, with another message. Use it for an answer that fits the form but
    /// that the handler cannot use. Return the [`Stop`] as an error.
    ///
    /// The old answer is dropped. The other answers are kept. In the next round the function runs as
    /// before, and its usual question under this key returns the new answer. So the form in
    /// `request` must accept only what the usual form accepts.
    ///
    /// Returns [`Stop::Changed`] if the function has not asked this key in this run, or if the
    /// request is of another kind.
    ///
    /// ```
    /// use form_model::{FormBuilder, TextField};
    /// use mrtr_core::server::{Flow, Stop};
    /// use mrtr_core::wire::{InputRequest, RawJson};
    ///
    /// fn sign_up(flow: &mut Flow<'_>) -> Result<RawJson, Stop> {
    ///     let form = FormBuilder::new().field(TextField::new("name").required()).build()?;
    ///     let answer = flow.accepted("name", "Which name?", form.clone())?;
    ///     if answer.text("name") == Some("root") {
    ///         let request = InputRequest::form("That name is taken. Which other?", form);
    ///         return Err(flow.again("name", request));
    ///     }
    ///     Ok(RawJson::parse(r#"{"content":[]}"#)?)
    /// }
    /// # let _ = sign_up;
    /// ```
    #[must_use]
    pub fn again(&mut self, key: &str, request: impl Into<InputRequest>) -> Stop {
        let request = request.into();
        let reached = self.entries.iter_mut().flatten().take(self.reached);
        let known = |entry: &&mut Entry| entry.key == key && entry.kind == request.kind();
        let Some(entry) = reached.into_iter().find(known) else { return Stop::Changed };
        entry.answer = None;
        self.requests.retain(|(asked, _)| asked != key);
        self.requests.push((key.into(), request));
        Stop::Asks
    }

    /// Finds the answer to the next request of the function; `None` if it is missing.
    fn answer(
        &mut self,
        key: &str,
        request: &InputRequest,
    ) -> Result<Option<InputResponse<Answer>>, Stop> {
        let entries = self.entries.as_mut().ok_or(Stop::Changed)?;
        let reached = self.reached;
        self.reached += 1;
        let Some(entry) = entries.get(reached) else {
            if entries.iter().any(|entry| entry.key == key) {
                return Err(Stop::Changed);
            }
            entries.push(Entry { key: key.into(), kind: request.kind().into(), answer: None });
            return Ok(None);
        };
        if entry.key != key || entry.kind != request.kind() {
            return Err(Stop::Changed);
        }
        let Some(answer) = &entry.answer else { return Ok(None) };
        // The answer fitted the form when it arrived. If it does not fit now, the function has
        // changed the form.
        let response = request.expected().decode(answer.as_json(), &self.run.answers.limits);
        response.map(Some).map_err(|_| Stop::Changed)
    }

    /// Sends the questions without answers, and keeps the answers so far.
    ///
    /// An answer nests no deeper in the sealed state than in its message, so every answer can be
    /// kept.
    fn need(self) -> Need {
        let entries = self.entries.unwrap_or_default();
        let asked = entries.iter().map(|entry| {
            Writer::object(|asked| {
                asked.text("key", &entry.key);
                asked.text("kind", &entry.kind);
            })
        });
        let asked: Vec<_> = asked.collect();
        let state = Writer::object(|state| {
            state.json("flow", &format!("[{}]", asked.join(",")));
            state.nested("answers", |answers| {
                for entry in &entries {
                    if let Some(answer) = &entry.answer {
                        answers.json(&entry.key, answer.as_str());
                    }
                }
            });
        });
        Need { requests: self.requests, state: Some(RawJson::composed(state)) }
    }
}

/// Reads the questions of earlier rounds, with their answers. `None`: the state is not from a flow.
fn remembered(run: &Run) -> Option<Vec<Entry>> {
    let Some(state) = &run.state else { return Some(Vec::new()) };
    let state = object(state.as_json()).ok()?;
    let answers = object(state.get("answers")?).ok()?;
    let entry = |json: Json<'_>| {
        let entry = object(json).ok()?;
        let text = |name| entry.text(name).ok().map(String::from);
        let (key, kind) = (text("key")?, text("kind")?);
        // The first answer is kept, and later ones are ignored.
        let kept = answers.get(&key).map(RawJson::from);
        let answer = kept.or_else(|| run.answers.text(&key).cloned());
        Some(Entry { key, kind, answer })
    };
    state.get("flow")?.elements()?.into_iter().map(entry).collect()
}

fn object(json: Json<'_>) -> Result<Object<'_>, WireError> {
    Object::decode(json, "the state of a flow")
}

/// The output has no keys and no answers.
impl fmt::Debug for Flow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run, entries, reached, .. } = self;
        let entries = entries.as_ref().map_or(0, Vec::len);
        write!(f, "Flow({run:?}, {reached} of {entries} questions)")
    }
}
