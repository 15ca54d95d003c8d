//! One line of a trace.

use alloc::{borrow::Cow, boxed::Box, format, string::String, vec::Vec};
use core::time::Duration;

use form_model::Number;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::value::RawValue;
use thiserror::Error;

use super::Exposed;
use crate::{
    Actions, Binding, Claims, Event, Instant, Invocation, InvocationId, Limits, Request,
    StartError,
    wire::{Capabilities, Method, RawJson},
};

/// Is what a call starts with.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// What the caller wants done.
    pub request: Request,
    /// What the call claims.
    pub claims: Claims,
    /// The bounds of the call.
    pub limits: Limits,
}

impl Start {
    /// Starts the call.
    ///
    /// # Errors
    ///
    /// As [`Invocation::start`].
    pub fn start(self, now: Instant) -> Result<(Invocation, Actions), StartError> {
        Invocation::start(now, self.request, self.claims, self.limits)
    }
}

/// Is one line of a trace: the start of a call, or an event, and when.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// The call starts.
    Start {
        /// When.
        at: Instant,
        /// What it starts with.
        start: Box<Start>,
    },
    /// Something happens to the call.
    Event {
        /// When.
        at: Instant,
        /// What.
        event: Event,
    },
}

/// Says why a line is no [`Step`]. It holds nothing of the line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected a start or an event: {problem} (column {column})")]
pub struct StepError {
    /// The column.
    pub column: usize,
    /// What is wrong, in the parser's words.
    pub problem: &'static str,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    at: Millis,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    start: Option<StartData<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event: Option<&'a RawValue>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StartData<'a> {
    id: Cow<'a, str>,
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: &'a RawValue,
    #[serde(default)]
    binding: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    extension_types: Vec<String>,
    #[serde(default)]
    claims: ClaimsData,
    #[serde(default)]
    limits: Limits,
}

/// Names what a call claims. A claim that is read was made where it was recorded.
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
        let capabilities = Capabilities {
            form,
            url,
            sampling: sampling || sampling_tools || sampling_context,
            sampling_tools,
            sampling_context,
            roots,
        };
        match (retries, capabilities.is_empty()) {
            (false, true) => Self::none(),
            (true, true) => Self::none().with_retries(),
            (_, false) => Self::none().with(capabilities),
        }
    }
}

/// Is a span of time in milliseconds, with a fraction where there is one.
pub(crate) struct Millis(pub(crate) Duration);

impl Serialize for Millis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nanos = self.0.subsec_nanos() % 1_000_000;
        match u64::try_from(self.0.as_millis()) {
            // A number of so few digits is written exactly.
            Ok(millis) => format!("{millis}.{nanos:06}")
                .parse::<Number>()
                .map_err(serde::ser::Error::custom)?
                .serialize(serializer),
            // Longer than anybody waits.
            Err(_) => serializer.serialize_u64(u64::MAX),
        }
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = format!("{}", Number::deserialize(deserializer)?);
        let (millis, fraction) = number.split_once('.').unwrap_or((&number, ""));
        let span = || {
            let nanos = format!("{fraction:0<6}").get(..6)?.parse().ok()?;
            Some(
                Duration::from_millis(millis.parse().ok()?)
                    .saturating_add(Duration::from_nanos(nanos)),
            )
        };
        span().map(Self).ok_or_else(|| D::Error::custom("expected milliseconds"))
    }
}

/// Writes and reads a span of time in milliseconds.
pub(crate) mod millis {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(span: &Duration, to: S) -> Result<S::Ok, S::Error> {
        Millis(*span).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        Millis::deserialize(from).map(|millis| millis.0)
    }
}

/// Writes and reads a span of time in milliseconds, or null for none.
pub(crate) mod optional_millis {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        span: &Option<Duration>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        span.map(Millis).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Duration>, D::Error> {
        Option::<Millis>::deserialize(from).map(|millis| millis.map(|millis| millis.0))
    }
}

impl Exposed<Step> {
    /// Reads one line, with all that it holds.
    ///
    /// # Errors
    ///
    /// A line that is no step.
    pub fn read(line: &str) -> Result<Self, StepError> {
        let failed = |column| move |problem| StepError { column, problem };
        let Line { at, start, event } = serde_json::from_str(line)
            .map_err(|error| failed(error.column())("the line is not of the format"))?;
        let at = Instant::from_epoch(at.0);
        match (start, event) {
            (Some(start), None) => {
                Ok(Self(Step::Start { at, start: Box::new(start.read().map_err(failed(1))?) }))
            }
            (None, Some(event)) => {
                let event: Exposed<Event> = serde_json::from_str(event.get())
                    .map_err(|_| failed(1)("the event is not one of the format"))?;
                Ok(Self(Step::Event { at, event: event.into_event() }))
            }
            _ => Err(failed(1)("a line has a start or an event, and one of them")),
        }
    }

    /// Writes the line, with all that it holds.
    #[must_use]
    pub fn to_line(&self) -> String {
        let event;
        let line = match &self.0 {
            Step::Start { at, start } => {
                Line { at: Millis(at.since_epoch()), start: StartData::new(start), event: None }
            }
            Step::Event { at, event: happened } => {
                // An event is plain data, which always has JSON.
                event = serde_json::to_string(&Exposed(happened)).unwrap_or_default();
                let event = serde_json::from_str(&event).ok();
                Line { at: Millis(at.since_epoch()), start: None, event }
            }
        };
        serde_json::to_string(&line).unwrap_or_default()
    }
}

impl<'a> StartData<'a> {
    fn new(start: &'a Start) -> Option<Self> {
        let Start { request, claims, limits } = start;
        Some(Self {
            id: Cow::Borrowed(request.id().as_str()),
            method: Cow::Borrowed(request.method().as_str()),
            params: serde_json::from_str(request.params().as_str()).ok()?,
            binding: Cow::Borrowed(request.binding().as_str()),
            extension_types: request.extension_types().into(),
            claims: (*claims).into(),
            limits: limits.clone(),
        })
    }

    fn read(self) -> Result<Start, &'static str> {
        let id = InvocationId::new(&self.id).map_err(|_| "expected an invocation id")?;
        let method = Method::from_name(&self.method)
            .ok_or("expected tools/call, prompts/get or resources/read")?;
        let params = RawJson::parse(self.params.get()).map_err(|_| "expected params as JSON")?;
        let request = Request::new(id, method, params, Binding::new(&self.binding));
        let request = self.extension_types.into_iter().fold(request, Request::with_extension_type);
        Ok(Start { request, claims: self.claims.into(), limits: self.limits })
    }
}

/// Writes which call it is, and nothing that it carries.
impl Serialize for Start {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Shown<'a> {
            id: &'a str,
            method: &'static str,
            params_bytes: usize,
            claims: ClaimsData,
            limits: &'a Limits,
        }
        Shown {
            id: self.request.id().as_str(),
            method: self.request.method().as_str(),
            params_bytes: self.request.params().as_str().len(),
            claims: self.claims.into(),
            limits: &self.limits,
        }
        .serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// proves: CL-23
    #[test]
    fn a_line_reads_back_as_the_same_step() {
        for line in [
            r#"{"at":0,"start":{"id":"c","method":"tools/call","params":{"name":"t"}}}"#,
            r#"{"at":1.5,"start":{"id":"c","method":"resources/read","params":{"uri":"a:b"},"binding":"s","extensionTypes":["task"],"claims":{"form":true,"samplingTools":true},"limits":{"roundsMax":2,"clocks":{"leg":1000,"execution":5000},"form":{"fieldsMax":3}}}}"#,
            r#"{"at":2000,"event":"tick"}"#,
            r#"{"at":2000,"event":{"reply":{"leg":"c.1","result":{"requestState":"\ud800"}}}}"#,
        ] {
            let step = Exposed::read(line).unwrap();
            let again = Exposed::read(&step.to_line()).unwrap();
            assert_eq!(again, step, "{}", step.to_line());
        }
        for nanos in [1, 999_999, 1_500_000, 1_795_999_999_999_123_457, u64::MAX] {
            let at = Instant::from_epoch(Duration::from_nanos(nanos));
            let step = Exposed(Step::Event { at, event: Event::Tick });
            assert_eq!(Exposed::read(&step.to_line()).unwrap(), step, "{}", step.to_line());
        }
        let message = r#"{"at":0,"event":{"reply":{"leg":"c.1","message":"{"}}}"#;
        let spelled = r#"{"at":0,"event":{"reply":{"leg":"c.1","unreadable":"notJson"}}}"#;
        assert_eq!(Exposed::read(message), Exposed::read(spelled));
    }

    /// proves: CL-20
    #[test]
    fn what_is_no_step_is_refused_without_a_word_of_it() {
        for wrong in [
            "",
            "SENTINEL",
            r#"{"at":0}"#,
            r#"{"at":-1,"event":"tick"}"#,
            r#"{"at":0,"event":"SENTINEL"}"#,
            r#"{"at":0,"event":"tick","SENTINEL":1}"#,
            r#"{"at":0,"event":{"reply":{"leg":"SENTINEL","result":{}}}}"#,
            r#"{"at":0,"event":{"reply":{"leg":"c.1"}}}"#,
            r#"{"at":0,"event":{"answer":{"round":1,"key":"k","response":{"accept":7}}}}"#,
            r#"{"at":0,"start":{"id":"","method":"tools/call","params":{}}}"#,
            r#"{"at":0,"start":{"id":"c","method":"SENTINEL","params":{}}}"#,
            r#"{"at":0,"start":{"id":"c","method":"tools/call","params":{},"limits":{"SENTINEL":1}}}"#,
        ] {
            let error = Exposed::read(wrong).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("SENTINEL"), "{error}");
        }
    }

    /// proves: CL-20, CL-23
    #[test]
    fn a_start_as_it_is_shows_no_argument() {
        let line =
            r#"{"at":0,"start":{"id":"c","method":"tools/call","params":{"name":"SENTINEL"}}}"#;
        let Exposed(Step::Start { start, .. }) = Exposed::read(line).unwrap() else {
            panic!("it is a start")
        };
        let shown = serde_json::to_string(&start).unwrap();
        assert!(shown.contains(r#""paramsBytes":19"#) && !shown.contains("SENTINEL"), "{shown}");
    }
}
