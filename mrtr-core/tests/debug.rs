//! What each value with a `Debug` of its own looks like in a log. Ids, kinds and sizes are shown; what is
//! secret is not.

#![cfg(all(feature = "client", feature = "host", feature = "server"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "this is a test"
)]

use core::{error::Error, fmt::Debug};
use std::{
    io,
    sync::{Arc, Mutex},
};

use form_model::{Content, Form};
use mrtr_core::{
    Instant, InvocationId, Limits, UnixTime,
    client::{Action, Binding, Claims, Event, Invocation, Reply, Request},
    host::{InteractionId, Requester},
    seal::{
        Cipher, CipherError, Context, Keyring, MessageKey, OpenError, Purpose, RequestState,
        SealError,
    },
    server::{self, Endpoint, Exchange, Flow, HandlerError, Incoming, Need},
    wire::{
        Elicitation, Headers, InputRequest, InputResponse, Json, Method, RawJson, RpcError,
        SamplingBuilder,
    },
};
use rand_core::{TryCryptoRng, TryRng};

const NOW: UnixTime = UnixTime::from_secs(1_800_000_000);

/// A generator of bytes that are all the same, or one that fails.
struct Constant(Option<u8>);

impl TryRng for Constant {
    type Error = io::Error;

    fn try_next_u32(&mut self) -> Result<u32, io::Error> {
        unreachable!("a seal draws bytes")
    }

    fn try_next_u64(&mut self) -> Result<u64, io::Error> {
        unreachable!("a seal draws bytes")
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), io::Error> {
        bytes.fill(self.0.ok_or(io::Error::other("no entropy"))?);
        Ok(())
    }
}

impl TryCryptoRng for Constant {}

/// A cipher that keeps what its key looks like.
#[derive(Default)]
struct Looks(Mutex<String>);

impl Cipher for Looks {
    fn mode(&self) -> u8 {
        0x80
    }

    fn seal(&self, key: &MessageKey, _: &[u8], claims: &[u8]) -> Result<Vec<u8>, CipherError> {
        *self.0.lock().unwrap() = format!("{key:?}");
        Ok(claims.into())
    }

    fn open(&self, _: &MessageKey, _: &[u8], sealed: &[u8]) -> Result<Vec<u8>, CipherError> {
        Ok(sealed.into())
    }
}

fn json(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

fn ring() -> Keyring {
    Keyring::new([("k1", *b"SENTINEL SENTINEL SENTINEL SENTI")]).unwrap()
}

/// The values that were shown, each with what is expected of it.
#[derive(Default)]
struct Table(Vec<String>);

impl Table {
    fn row(&mut self, value: impl Debug, expected: &str) {
        let found = format!("{value:?}");
        if found != expected {
            self.0.push(format!("found    {found}\nexpected {expected}"));
        }
        assert!(!found.contains("SENTINEL"), "{found}");
    }

    fn check(self) {
        assert!(self.0.is_empty(), "{} differ:\n{}", self.0.len(), self.0.join("\n"));
    }
}

fn form() -> Form {
    Form::from_schema(r#"{"type":"object","properties":{"SENTINEL":{"type":"boolean"}}}"#).unwrap()
}

/// proves: CL-22
#[test]
fn ids_kinds_and_sizes_of_a_call_are_shown() {
    let mut table = Table::default();
    let id = InvocationId::new("call-7").unwrap();
    table.row(&id, "call-7");
    let params = json(r#"{"name":"SENTINEL"}"#);
    let request = Request::new(id, Method::ToolsCall, params.clone(), Binding::new("SENTINEL"));
    table.row(request.binding(), "Binding(8 bytes)");
    table.row(&params, "RawJson(19 bytes)");
    table.row(params.as_json(), "Json(19 bytes)");
    let claims = Claims::none().with_form();
    let now = Instant::from_millis(0);
    let (mut call, actions) = Invocation::start(now, request, claims, Limits::default()).unwrap();
    let [Action::Send(sent)] = actions.as_slice() else { panic!("a call sends") };
    table.row(&sent.leg, "call-7.1");
    table.row(sent, "LegRequest(call-7.1 tools/call, params of 157 bytes)");
    table.row(&actions.as_slice()[0], "Send(LegRequest(call-7.1 tools/call, params of 157 bytes))");
    let result = json(
        r#"{"resultType":"input_required","requestState":"SENTINEL","inputRequests":{"SENTINEL":
        {"method":"elicitation/create","params":{"message":"SENTINEL","requestedSchema":
        {"type":"object","properties":{}}}}}}"#,
    );
    let leg = sent.leg.clone();
    let reply = Event::Reply { leg: leg.clone(), reply: Reply::Result(result) };
    table.row(&reply, "Reply(call-7.1, Result(RawJson(220 bytes)))");
    let asked = call.handle(now, reply).unwrap();
    table.row(
        &asked.as_slice()[0],
        "Ask(round 1, key of 8 bytes, Elicitation(Form(FormRequest(8 bytes, 0 fields, 0 notes))))",
    );
    table.row(&call, "Invocation { id: call-7, phase: AwaitingInteraction, leg: 1, rounds: 1, round: Some(Round(1, 1 of 1 open, Some(StateText(8 bytes)))), .. }");
    for (event, expected) in [
        (
            Event::Answer { round: 1, key: "SENTINEL".into(), response: InputResponse::Decline },
            "Answer(round 1, key of 8 bytes, Decline)",
        ),
        (Event::Failed { round: 1, key: "SENTINEL".into() }, "Failed(round 1, key of 8 bytes)"),
        (Event::Progress { leg: leg.clone() }, "Progress(call-7.1)"),
        (Event::BindingChanged(Binding::new("SENTINEL")), "BindingChanged"),
        (Event::ConnectionLost, "ConnectionLost"),
        (Event::Stop, "Stop"),
        (Event::Tick, "Tick"),
    ] {
        table.row(event, expected);
    }
    let stopped = call.handle(now, Event::Stop).unwrap();
    table.row(&stopped.as_slice()[0], "Retract(round 1, key of 8 bytes, Stopped)");
    table.row(&stopped.as_slice()[1], "Settle(Stopped)");
    table.row(Action::CancelLeg { leg }, "CancelLeg(call-7.1)");
    table.check();
}

/// proves: CL-22
#[test]
fn kinds_and_sizes_of_questions_and_messages_are_shown() {
    let mut table = Table::default();
    let question = |request: InputRequest| match request {
        InputRequest::Elicitation(elicitation) => elicitation,
        other => panic!("{other:?}"),
    };
    let Elicitation::Form(asked) = question(InputRequest::form("SENTINEL", form())) else {
        panic!("it is a form")
    };
    table.row(asked, "FormRequest(8 bytes, 1 fields, 0 notes)");
    let url = InputRequest::url("SENTINEL", "https://example.com/SENTINEL").unwrap();
    let Elicitation::Url(asked) = question(url) else { panic!("it is a URL") };
    table.row(asked, "UrlRequest(URL of 28 bytes)");
    let builder = SamplingBuilder::new(100).user("SENTINEL");
    table.row(&builder, "SamplingBuilder(1 messages)");
    let InputRequest::Sampling(asked) = builder.build().unwrap().into() else {
        panic!("it is for a model")
    };
    table.row(asked, "SamplingRequest(90 bytes)");
    let headers: Headers = [("Mcp-Name", "SENTINEL"), ("host", "x")].into_iter().collect();
    table.row(headers, "Headers(1)");
    table.row(RpcError::new(-32000, "SENTINEL"), "RpcError(-32000, message of 8 bytes)");
    table.row(Json::parse("[1]").unwrap(), "Json(3 bytes)");
    let requester = Requester::new("SENTINEL", "a", "");
    table.row(requester, "Requester(names of 8, 1 and 0 bytes)");
    table.row("7.12.3".parse::<InteractionId>().unwrap(), "7.12.3");
    table.check();
}

/// proves: ST-09
#[test]
fn ids_and_sizes_of_what_is_sealed_are_shown() {
    let mut table = Table::default();
    table.row(ring(), r#"Keyring(["k1"])"#);
    let purpose = Purpose::new("a purpose").unwrap();
    table.row(&purpose, r#"Purpose("a purpose")"#);
    let params = json(r#"{"name":"SENTINEL"}"#);
    let context = Context::new(&purpose, "tools/call", "shop", &params).unwrap();
    let context = context.with_principal("SENTINEL");
    table.row(&context, r#"Context { purpose: Purpose("a purpose"), protocol_version: "2026-07-28", method: "tools/call", endpoint: "shop", .. }"#);
    let states = RequestState::new(ring());
    table.row(&states, r#"RequestState { keyring: Keyring(["k1"]), mode: Encrypted, lifetime: 300s, anonymous_lifetime: 60s }"#);
    table.row(RequestState::signed(ring()), r#"RequestState { keyring: Keyring(["k1"]), mode: Signed, lifetime: 300s, anonymous_lifetime: 60s }"#);
    let looks = Arc::new(Looks::default());
    let custom = RequestState::custom(ring(), looks.clone()).unwrap();
    table.row(&custom, r#"RequestState { keyring: Keyring(["k1"]), mode: Custom(0x80), lifetime: 300s, anonymous_lifetime: 60s }"#);
    custom.seal(&mut Constant(Some(7)), NOW, &context, 1, b"SENTINEL").unwrap();
    assert_eq!(*looks.0.lock().unwrap(), "MessageKey");
    let token = states.seal(&mut Constant(Some(7)), NOW, &context, 1, b"SENTINEL").unwrap();
    let opened = states.open(NOW, &context, &token).unwrap();
    table.row(opened.id, "07070707070707070707070707070707");
    table.row(&opened, "Opened(round 1, 8 bytes)");
    let wrong: OpenError = states.open(NOW, &context, "SENTINEL").unwrap_err();
    table.row(wrong, "OpenError");
    let failed = states.seal(&mut Constant(None), NOW, &context, 1, b"SENTINEL").unwrap_err();
    let SealError::Generator(error) = &failed else { panic!("{failed:?}") };
    table.row(error, r#"Custom { kind: Other, error: "no entropy" }"#);
    assert_eq!(failed.source().unwrap().to_string(), "no entropy");
    table.check();
}

/// proves: SV-11
#[test]
fn phases_and_sizes_of_a_request_are_shown() {
    let mut table = Table::default();
    let endpoint = Endpoint::new("shop").with_request_state(RequestState::new(ring()));
    table.row(&endpoint, r#"Endpoint { name: "shop", request_state: Some(RequestState { keyring: Keyring(["k1"]), mode: Encrypted, lifetime: 300s, anonymous_lifetime: 60s }), single_use: false, legacy: false, .. }"#);
    let endpoint = Arc::new(endpoint);
    let message = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"SENTINEL","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}"#;
    let incoming = Incoming::message(message).with_principal("SENTINEL");
    table.row(&incoming, "Incoming(204 bytes, None)");
    let (exchange, actions) = Exchange::receive(&endpoint, NOW, incoming);
    table.row(&exchange, r#"Exchange { endpoint: "shop", phase: Running, method: Some("tools/call"), round: Some(1), .. }"#);
    let [server::Action::Run(run)] = actions.as_slice() else { panic!("{actions:?}") };
    table.row(run, r#"Run("tools/call", round 1, RawJson(148 bytes), Answers(0 values))"#);
    table.row(&run.answers, "Answers(0 values)");
    table.row(Flow::open(run), r#"Flow(Run("tools/call", round 1, RawJson(148 bytes), Answers(0 values)), 0 of 0 questions)"#);
    let need = Need::new().request("SENTINEL", InputRequest::form("SENTINEL", form()));
    table.row(need.state(json(r#"["SENTINEL"]"#)), "Need(1 requests, Some(RawJson(12 bytes)))");
    table.row(
        HandlerError::internal(io::Error::other("SENTINEL")),
        "HandlerError(RpcError(-32603, message of 14 bytes), with a cause)",
    );
    let content = Content::new().with_flag("SENTINEL", true);
    table.row(content, "Content(1 values)");
    table.check();
}
