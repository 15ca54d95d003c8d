//! The lines of a trace.

use alloc::{
    boxed::Box,
    string::{String, ToString as _},
    vec::Vec,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::value::RawValue;
use thiserror::Error;

use super::{
    Exposed,
    event::{NO_CONTENT, NO_LEG, NO_REPLY, Read, flat},
    value::{In, View, Viewed},
};
use crate::{
    Instant, InvocationId, Limits,
    client::{Actions, Binding, Claims, Event, Invocation, Request, StartError},
    codec::{Strict, present, word},
    time::Millis,
    wire::{
        Capabilities, ClientInfo, Method, ParamHeaders, RawJson, Revision, on_one_line,
        part_of_message,
    },
};

/// The version of the format. Each start has it.
const VERSION: u32 = 1;

/// The start of a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Start {
    /// What to call, and how.
    pub request: Request,
    /// What the call claims to answer.
    pub claims: Claims,
    /// The limits of the call.
    pub limits: Limits,
}

impl Start {
    /// Makes a start from the arguments of [`Invocation::start`].
    #[must_use]
    pub const fn new(request: Request, claims: Claims, limits: Limits) -> Self {
        Self { request, claims, limits }
    }

    /// Starts the call.
    ///
    /// # Errors
    ///
    /// Returns [`StartError`], as [`Invocation::start`] does.
    pub fn start(self, now: Instant) -> Result<(Invocation, Actions), StartError> {
        Invocation::start(now, self.request, self.claims, self.limits)
    }
}

/// One line of a trace: the start of a call or an event, with its time.
///
/// The enum is exhaustive: a replay handles both kinds of lines.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// The call starts.
    Start {
        /// The time.
        at: Instant,
        /// Its start.
        start: Box<Start>,
    },
    /// Something happens to the call.
    Event {
        /// The time.
        at: Instant,
        /// The event.
        event: Event,
    },
}

impl Step {
    /// Makes the step that starts a call.
    #[must_use]
    pub fn start(at: Instant, start: Start) -> Self {
        Self::Start { at, start: Box::new(start) }
    }

    /// Makes the step of an event.
    #[must_use]
    pub const fn event(at: Instant, event: Event) -> Self {
        Self::Event { at, event }
    }
}

/// Why a line is not a [`Step`]. It repeats nothing of the line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected a step of a trace, found {found} (column {column})")]
#[non_exhaustive]
pub struct StepError {
    /// The column of the error, in bytes from 1: where the parser stopped. That is the end of the
    /// wrong name or value, or the bracket that follows it. In an empty line it is 0.
    pub column: usize,
    /// What was found.
    pub found: &'static str,
}

/// A line. The types of its parts differ between writing and reading.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<S, E> {
    at: Millis,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<S>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<E>,
}

/// A start as it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenStart<'a> {
    version: u32,
    id: &'a InvocationId,
    method: Method,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<Exposed<&'a RawJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params_bytes: Option<usize>,
    revision: Revision,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_info: Option<&'a ClientInfo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    binding: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    binding_bytes: Option<usize>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    extension_types: &'a [String],
    #[serde(skip_serializing_if = "ParamHeaders::is_empty")]
    param_headers: &'a ParamHeaders,
    claims: ClaimsData,
    limits: &'a Limits,
}

/// A start as it is read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StartData {
    /// The version is read before the members after it, so a start of another version gives the
    /// error of its version and not of an unknown member.
    #[serde(rename = "version", deserialize_with = "version")]
    _version: (),
    id: InvocationId,
    #[serde(deserialize_with = "word")]
    method: Method,
    #[serde(deserialize_with = "part_of_message")]
    params: RawJson,
    #[serde(default, deserialize_with = "word")]
    revision: Revision,
    #[serde(default, deserialize_with = "present")]
    client_info: Option<Strict<ClientInfo>>,
    #[serde(default)]
    binding: String,
    #[serde(default)]
    extension_types: Vec<String>,
    #[serde(default)]
    param_headers: ParamHeaders,
    #[serde(default)]
    claims: Strict<ClaimsData>,
    #[serde(default)]
    limits: Strict<Limits>,
}

/// What a call claims, by name.
#[derive(Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct ClaimsData {
    retries: bool,
    form: bool,
    url: bool,
    sampling: bool,
    sampling_tools: bool,
    sampling_context: bool,
    roots: bool,
}

const NO_STEP: &str = "neither start nor event, or both";
const NO_VERSION: &str = "a version of the format that is not 1";
const NO_TIME: &str = "a time that is not in milliseconds";
const TOO_DEEP: &str = "JSON that nests too deep";
const UNFIT: &str = "a value that does not fit its place";

/// The beginning of each error text of the parser, and the text for [`StepError`]. The parser's own
/// text may repeat the line.
const FOUND: [(&str, &str); 15] = [
    (NO_VERSION, NO_VERSION),
    (NO_LEG, NO_LEG),
    (NO_REPLY, NO_REPLY),
    (NO_CONTENT, NO_CONTENT),
    ("expected at most", TOO_DEEP),
    ("expected milliseconds", NO_TIME),
    ("expected a number", NO_TIME),
    ("expected an id", "an id that is not 1 to 128 printable ASCII characters without spaces"),
    ("missing field `version`", "an object without its version"),
    ("missing field", "an object that lacks a member"),
    ("duplicate field", "a member that comes twice"),
    // A number, if another crate turns on `serde_json/arbitrary_precision`.
    ("unknown field `$serde_json", UNFIT),
    ("unknown variant `$serde_json", UNFIT),
    ("unknown field", "an unknown member"),
    ("unknown variant", "an unknown name"),
];

impl Exposed<Step> {
    /// Reads one line.
    ///
    /// Line breaks between two values, which JSON allows, count as spaces.
    ///
    /// # Errors
    ///
    /// Returns [`StepError`] if the line is not a step.
    pub fn read(line: &str) -> Result<Self, StepError> {
        let line = flat(line);
        let Strict(Line::<Strict<StartData>, Strict<Read>> { at, start, event }) =
            serde_json::from_str(&line).map_err(|error| StepError::new(&line, &error))?;
        let at = Instant::from_epoch(at.0);
        match (start, event) {
            (Some(Strict(start)), None) => Ok(Self(Step::start(at, start.into()))),
            (None, Some(Strict(event))) => Ok(Self(Step::event(at, event.0))),
            _ => Err(StepError { column: line.trim_ascii_end().len(), found: NO_STEP }),
        }
    }

    /// Writes the line, with all secrets.
    #[must_use]
    pub fn to_line(&self) -> String {
        // A step is plain data, so it can always be written as JSON.
        on_one_line(serde_json::to_string(&Exposed(&self.0)).unwrap_or_default())
    }
}

impl StepError {
    fn new(line: &str, error: &serde_json::Error) -> Self {
        if let Err(error) = serde_json::from_str::<&RawValue>(line) {
            // A step that is not JSON may have line breaks, and the parser counts from the last.
            let before = line.split_inclusive('\n').take(error.line().saturating_sub(1));
            let column = before.map(str::len).sum::<usize>() + error.column();
            return Self { column, found: "text that is not JSON" };
        }
        let words = error.to_string();
        let known = FOUND.iter().find(|(begin, _)| words.starts_with(begin));
        Self { column: error.column(), found: known.map_or(UNFIT, |(_, found)| found) }
    }
}

fn version<'de, D: Deserializer<'de>>(from: D) -> Result<(), D::Error> {
    match u32::deserialize(from)? {
        VERSION => Ok(()),
        _ => Err(D::Error::custom(NO_VERSION)),
    }
}

impl From<StartData> for Start {
    fn from(data: StartData) -> Self {
        let binding = Binding::new(&data.binding);
        let mut request = Request::new(data.id, data.method, data.params, binding)
            .with_revision(data.revision)
            .with_param_headers(data.param_headers);
        if let Some(Strict(info)) = data.client_info {
            request = request.with_client_info(info);
        }
        let request = data.extension_types.into_iter().fold(request, Request::with_extension_type);
        Self::new(request, data.claims.0.into(), data.limits.0)
    }
}

impl From<Claims> for ClaimsData {
    fn from(claims: Claims) -> Self {
        let Capabilities { form, url, sampling, sampling_tools, sampling_context, roots } =
            claims.capabilities();
        let retries = claims.allows_retries();
        Self { retries, form, url, sampling, sampling_tools, sampling_context, roots }
    }
}

impl From<ClaimsData> for Claims {
    fn from(data: ClaimsData) -> Self {
        let ClaimsData { retries, form, url, sampling, sampling_tools, sampling_context, roots } =
            data;
        let claims = if retries { Self::none().with_retries() } else { Self::none() };
        claims.with(Capabilities { form, url, sampling, sampling_tools, sampling_context, roots })
    }
}

impl Viewed for Step {
    fn write<S: Serializer>(&self, view: View, serializer: S) -> Result<S::Ok, S::Error> {
        let (at, start, event) = match self {
            Self::Start { at, start } => (at, Some(In(view, &**start)), None),
            Self::Event { at, event } => (at, None, Some(In(view, event))),
        };
        Line { at: Millis(at.since_epoch()), start, event }.serialize(serializer)
    }
}

impl Viewed for Start {
    fn write<S: Serializer>(&self, view: View, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { request, claims, limits } = self;
        let exposes = view == View::Everything;
        let no_headers = ParamHeaders::NONE;
        WrittenStart {
            version: VERSION,
            id: request.id(),
            method: request.method(),
            params: exposes.then(|| Exposed(request.params())),
            params_bytes: (!exposes).then(|| request.params().as_str().len()),
            revision: request.revision(),
            client_info: request.client_info().filter(|_| exposes),
            binding: exposes.then(|| request.binding().as_str()),
            binding_bytes: (!exposes).then(|| request.binding().as_str().len()),
            extension_types: if exposes { request.extension_types() } else { &[] },
            param_headers: if exposes { request.param_headers() } else { &no_headers },
            claims: (*claims).into(),
            limits,
        }
        .serialize(serializer)
    }
}
