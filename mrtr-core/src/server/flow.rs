//! Handlers that are written once, as one straight function.

use alloc::{string::String, vec::Vec};
use core::{error::Error, fmt};

use form_model::{Answer, Form, Submission};

use super::{Ending, HandlerError, Need, Run, answers::submission};
use crate::wire::{
    Decision, InputRequest, InputResponse, Json, Object, RawJson, RpcError, WireError, Writer,
};

/// The questions of a handler and their answers, over all its rounds.
///
/// The handler asks for what it needs, one thing after another, as if the answers were always
/// there. Where one is missing, the flow stops the function with `?` and asks. When the answer has
/// come, the function runs again from its start. Answers of earlier rounds are kept in the sealed
/// state, so the endpoint needs keys. The first answer to a key stays, and responses under keys
/// that were not asked are ignored.
///
/// So the function runs once a round. It must have no effects before it has all its answers, and it
/// must ask in the same order each time; the flow checks the order.
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
///     let name = answer.text("name").unwrap_or_default().to_owned();
///     let sure = FormBuilder::new().field(FlagField::new("sure").required()).build()?;
///     flow.accepted("sure", &format!("For {name}: sure?"), sure)?;
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
    /// All questions of this round and those before, in order; `None` if the state is not one of a
    /// flow.
    entries: Option<Vec<Entry>>,
    /// How many of them the function has asked.
    reached: usize,
    /// What is asked in this round.
    requests: Vec<(String, InputRequest)>,
}

/// A question, and its answer if there is one.
struct Entry {
    key: String,
    /// The kind of the request. A response to one kind does not answer another, even if it is
    /// written the same.
    kind: String,
    answer: Option<RawJson>,
}

/// Why the function of a flow stops. Hand it on with `?`, up to [`Flow::close`].
///
/// `?` turns each error into a stop. The client is told of an [`RpcError`] as it is. Of any other
/// error it is told that the server failed, and the report has the error as its cause.
#[derive(Debug)]
#[non_exhaustive]
pub enum Stop {
    /// An answer is not there yet.
    Asks,
    /// The function did not ask what it asked in an earlier round.
    Changed,
    /// A person did not agree, and the function cannot go on without.
    Declined,
    /// The function failed.
    Failed(HandlerError),
    /// The function failed before it did anything: a state that was redeemed may be used again.
    Abandoned(HandlerError),
}

/// The client is told of an internal error. The cause goes to the report.
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
    /// Opens the flow of a run, with the answers that are there.
    #[must_use]
    pub fn open(run: &'r Run) -> Self {
        Self { run, entries: remembered(run), reached: 0, requests: Vec::new() }
    }

    /// Closes the flow with how its function ended.
    #[must_use]
    pub fn close(self, result: Result<RawJson, Stop>) -> Ending {
        match result {
            // It never asked, or it would know that the state is not one of a flow.
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
    /// The function does not run if the state is not one of a flow.
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
    /// [`Stop`], to be handed on with `?`.
    pub fn form(&mut self, key: &str, message: &str, form: Form) -> Result<Submission, Stop> {
        let response = self.ask(key, InputRequest::form(message, form))?;
        submission(response).ok_or(Stop::Changed)
    }

    /// Asks a person to fill in a form, and ends the call if they do not.
    ///
    /// # Errors
    ///
    /// [`Stop`], to be handed on with `?`.
    pub fn accepted(&mut self, key: &str, message: &str, form: Form) -> Result<Answer, Stop> {
        match self.form(key, message, form)? {
            Submission::Accept(answer) => Ok(answer),
            Submission::Decline | Submission::Cancel => Err(Stop::Declined),
        }
    }

    /// Asks a person to open a URL. The decision is what they said, not what they did on the page.
    ///
    /// # Errors
    ///
    /// [`Stop`], to be handed on with `?`.
    pub fn url(&mut self, key: &str, message: &str, url: &str) -> Result<Decision, Stop> {
        let response = self.ask(key, InputRequest::url(message, url)?)?;
        response.decision().ok_or(Stop::Changed)
    }

    /// Asks for anything, and stops if the answer is not there yet.
    ///
    /// # Errors
    ///
    /// [`Stop`], to be handed on with `?`.
    pub fn ask(
        &mut self,
        key: &str,
        request: impl Into<InputRequest>,
    ) -> Result<InputResponse<Answer>, Stop> {
        self.ask_all([(key, request.into())])?.pop().ok_or(Stop::Changed)
    }

    /// Asks for several things in one round, and stops if any answer is not there yet. Answers come
    /// in the order of the requests.
    ///
    /// # Errors
    ///
    /// [`Stop`], to be handed on with `?`.
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

    /// Asks once more under a key that the function has asked, with other words. It is for an
    /// answer that fits the form and that the handler cannot use. Return the [`Stop`] as an error.
    ///
    /// The answer is forgotten, and the other answers stay. In the next round the function asks
    /// with its usual words, and gets the new answer, which has to fit the usual form, too.
    ///
    /// A key that the function has not asked in this round makes it [`Stop::Changed`], and so does
    /// a request of another kind.
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

    /// Finds the answer to the next request of the function. `None`: it is not there yet.
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
        // It fitted when it came. If it does not fit now, the function asks with another form.
        let response = request.expected().decode(answer.as_json(), &self.run.answers.limits);
        response.map(Some).map_err(|_| Stop::Changed)
    }

    /// Asks for what is missing, and remembers what is there.
    ///
    /// An answer nests no deeper in the sealed state than it did in its message, so that each
    /// answer that came can be kept.
    fn need(self) -> Need {
        let entries = self.entries.unwrap_or_default();
        let state = Writer::object(|state| {
            state.array("flow", &entries, |entry, written| {
                written.text("key", &entry.key);
                written.text("kind", &entry.kind);
            });
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

/// Reads what was asked in earlier rounds, with the answers that have come since. `None`: the state
/// is not one of a flow.
fn remembered(run: &Run) -> Option<Vec<Entry>> {
    let Some(state) = &run.state else { return Some(Vec::new()) };
    let state = object(state.as_json()).ok()?;
    let answers = object(state.get("answers")?).ok()?;
    let entry = |json: Json<'_>| {
        let entry = object(json).ok()?;
        let text = |name| entry.text(name).ok().map(String::from);
        let (key, kind) = (text("key")?, text("kind")?);
        // The first answer stays, whatever comes later.
        let kept = answers.get(&key).map(RawJson::from);
        let answer = kept.or_else(|| run.answers.text(&key).cloned());
        Some(Entry { key, kind, answer })
    };
    state.get("flow")?.elements()?.into_iter().map(entry).collect()
}

fn object(json: Json<'_>) -> Result<Object<'_>, WireError> {
    Object::decode(json, "the state of a flow")
}

/// Leaves out the keys and the answers.
impl fmt::Debug for Flow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run, entries, reached, .. } = self;
        let entries = entries.as_ref().map_or(0, Vec::len);
        write!(f, "Flow({run:?}, {reached} of {entries} questions)")
    }
}
