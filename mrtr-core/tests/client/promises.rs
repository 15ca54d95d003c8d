//! What the types of the client promise to a reviewer.

use core::{error::Error, marker::PhantomData};

use form_model::{Answer, Content, Form, Number};
use mrtr_core::{
    Instant, InvocationId, Limits,
    client::{
        Action, Actions, Binding, Claims, Event, Fault, Invocation, LegRequest, Misuse, Reply,
        Request, StartError,
    },
    trace::{Exposed, Redacted, Start, Step},
    wire::{
        Capabilities, InputRequest, InputResponse, InvalidRequest, Json, Method, ParamHeaders,
        RawJson, ResponseError, WireError,
    },
};

/// Returns whether a type implements `Serialize`: the inherent constant is found before the trait's.
struct Probe<T>(PhantomData<T>);

trait Plain {
    const SERIALIZES: bool = false;
}

impl<T> Plain for Probe<T> {}

impl<T: serde::Serialize> Probe<T> {
    const SERIALIZES: bool = true;
}

/// proves: CL-20
#[test]
fn a_type_that_may_hold_a_secret_is_not_serialized_by_accident() {
    macro_rules! secret {
        ($($kind:ty),*) => {
            for (name, serializes) in [$((stringify!($kind), Probe::<$kind>::SERIALIZES)),*] {
                assert!(!serializes, "{name}");
            }
        };
    }
    secret!(
        Event,
        Action,
        Actions,
        Reply,
        Request,
        LegRequest,
        Binding,
        Invocation,
        Start,
        Step,
        RawJson,
        InputRequest,
        InputResponse,
        InputResponse<Answer>,
        Content,
        Answer
    );
    const { assert!(Probe::<Exposed<&Event>>::SERIALIZES && Probe::<Redacted<&Event>>::SERIALIZES) };
}

/// Expects that no error of a chain repeats the words of its source.
fn once(error: &dyn Error) {
    let mut error = error;
    while let Some(source) = error.source() {
        assert!(!error.to_string().contains(&source.to_string()), "{error} / {source}");
        error = source;
    }
}

#[test]
fn no_error_repeats_the_words_of_its_source() {
    let wire = || WireError::shape("a", "b");
    let refusal = || Form::from_schema("[]").unwrap_err();
    let schema = r#"{"type":"object","properties":{"a":{"type":"integer"}}}"#;
    let form = Form::from_schema(schema).unwrap();
    let invalid = || form.accept(Content::new().with_text("a", "x")).unwrap_err();
    let marked = Json::parse(r#"{"type":"object","type":"object"}"#).unwrap();
    let errors: [Box<dyn Error>; 10] = [
        Box::new(Fault::from(wire())),
        Box::new(Fault::Form(refusal())),
        Box::new(StartError::Params(wire())),
        Box::new(InvalidRequest::Wire(wire())),
        Box::new(InvalidRequest::Form(refusal())),
        Box::new(ResponseError::Malformed(wire())),
        Box::new(ResponseError::Invalid(invalid())),
        Box::new(Misuse::Response(ResponseError::Malformed(wire()))),
        Box::new(ParamHeaders::from_schema(marked).unwrap_err()),
        Box::new(Exposed::read("{").unwrap_err()),
    ];
    errors.iter().for_each(|error| once(error.as_ref()));
}

fn request(params: &str) -> Request {
    let params = RawJson::parse(params).unwrap();
    Request::new(InvocationId::new("c").unwrap(), Method::ToolsCall, params, Binding::new("s"))
}

/// Starts a call, and again from the line that records the start.
fn twice(start: &Start) -> [Result<Actions, StartError>; 2] {
    let now = Instant::from_millis(0);
    let line = Exposed(Step::start(now, start.clone())).to_line();
    let Exposed(Step::Start { start: read, .. }) = Exposed::read(&line).unwrap() else {
        panic!("it is a start")
    };
    [start.clone(), *read].map(|start| start.start(now).map(|(_, actions)| actions))
}

/// proves: CL-23
#[test]
fn a_recorded_start_does_the_same_whatever_was_claimed_and_however_deep_its_params_are() {
    let mut part = Capabilities::NONE;
    part.sampling_tools = true;
    let claims = Claims::none().with(part);
    assert!(claims.capabilities().sampling && claims.allows_retries());
    let start = Start::new(request(r#"{"name":"t"}"#), claims, Limits::default());
    let [live, replayed] = twice(&start);
    assert_eq!(live.unwrap(), replayed.unwrap());

    // The params of a message, which nest deeper than what a call may send.
    let deep = format!(r#"{{"name":"t","a":{}{}}}"#, "[".repeat(125), "]".repeat(125));
    let message = format!(r#"{{"jsonrpc":"2.0","method":"m","params":{deep}}}"#);
    let message = mrtr_core::wire::Message::decode(message.as_bytes()).unwrap();
    let id = InvocationId::new("c").unwrap();
    let params = message.params.unwrap();
    let request = Request::new(id, Method::ToolsCall, params, Binding::new("s"));
    let [live, replayed] = twice(&Start::new(request, claims, Limits::default()));
    assert_eq!(live.unwrap_err(), replayed.unwrap_err());
}

/// proves: CL-23
#[test]
fn a_recorded_answer_keeps_every_digit() {
    let content =
        Content::new().with_number("a", "0.1234567890123456789".parse::<Number>().unwrap());
    let response = InputResponse::Accept(content);
    let event = Event::Answer { round: 1, key: "k".into(), response };
    let step = Exposed(Step::event(Instant::from_millis(0), event));
    assert_eq!(Exposed::read(&step.to_line()), Ok(step));
}

/// proves: CL-20
#[test]
fn a_redacted_start_names_no_marked_argument() {
    let schema = r#"{"type":"object","properties":{"SENTINEL":{"type":"string","x-mcp-header":"SENTINEL"}}}"#;
    let marked = ParamHeaders::from_schema(Json::parse(schema).unwrap()).unwrap();
    let request = request(r#"{"name":"t"}"#).with_param_headers(marked);
    let start = Start::new(request, Claims::none(), Limits::default());
    let shown = serde_json::to_string(&Redacted(&start)).unwrap();
    assert!(!shown.contains("SENTINEL"), "{shown}");
    assert!(serde_json::to_string(&Exposed(&start)).unwrap().contains("SENTINEL"));
}

/// proves: CL-23
#[test]
fn the_column_of_text_that_is_not_json_counts_every_line() {
    let line = "{\"at\":0,\n\n\"event\":tick}";
    let error = Exposed::read(line).unwrap_err();
    assert_eq!(error.found, "text that is not JSON");
    let tick = line.find("tick").unwrap();
    assert!((tick..=tick + 4).contains(&error.column), "{}", error.column);
}
