//! The client's programs, each run against a server.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Command, Stdio},
    sync::{Arc, Mutex, mpsc},
};

use form_model::{Draft, SafeText};
use mrtr_core::{
    Instant, InvocationId, Limits,
    client::{
        Action, Binding, Claims, CloseReason, Event, Invocation, LegRequest, Outcome, Reply,
        Request,
    },
    server::ReportKind,
    wire::{Decision, InputResponse, Method, RawJson, Revision, UrlRequest},
};
use serde_json::{Value, json};

use super::{
    first, http, plain, requests,
    screen::{Screen, ask},
};
use crate::server;

/// A person with a plan: what they type into each field, and how they end.
struct Person {
    types: &'static [(&'static str, &'static str)],
    decides: Decision,
    /// What they saw.
    seen: Mutex<Vec<String>>,
}

impl Person {
    fn new(decides: Decision, types: &'static [(&'static str, &'static str)]) -> Arc<Self> {
        Arc::new(Self { types, decides, seen: Mutex::default() })
    }

    fn saw(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

impl Screen for Person {
    fn fill_in(&self, message: &SafeText, draft: &mut Draft) -> Decision {
        let mut seen = self.seen.lock().unwrap();
        let asked = seen.iter().filter(|seen| *seen == message.as_str()).count();
        seen.push(message.as_str().into());
        for (name, text) in self.types {
            // The plan has more than one text for a field that is asked again.
            let (first, second) = text.split_once('|').unwrap_or((text, text));
            let is_again = asked > 0 || message.as_str().contains("other");
            draft.set_text(name, if is_again { second } else { first }).ok();
        }
        self.decides
    }

    fn open(&self, url: &UrlRequest) -> Decision {
        self.seen.lock().unwrap().push(url.url.to_string());
        self.decides
    }

    fn close(&self, _: CloseReason) {}
}

fn tool(id: &str, params: Value) -> Request {
    let params = RawJson::from_value(&params).unwrap();
    let id = InvocationId::new(id).unwrap();
    Request::new(id, Method::ToolsCall, params, Binding::new("connection-1"))
}

fn result(outcome: Outcome) -> Value {
    let Outcome::Complete(result) = outcome else { panic!("{outcome}") };
    serde_json::from_str(result.as_str()).unwrap()
}

fn text(outcome: Outcome) -> String {
    result(outcome)["content"][0]["text"].as_str().unwrap().into()
}

fn minimum_server() -> Command {
    Command::new(env!("CARGO_BIN_EXE_minimum-server"))
}

#[test]
fn the_first_program_calls_the_minimum_server() {
    let call = |ask| first::deploy(minimum_server(), ask).unwrap();
    let agrees = call(|request| {
        // The first answer does not fit: a place is asked for.
        let types = &[("place", "nowhere|staging"), ("sure", "true")];
        ask(&*Person::new(Decision::Accept, types), request)
    });
    assert_eq!(text(agrees), "build-42 is deployed to staging");
    let declines = call(|_| Some(InputResponse::Decline));
    assert_eq!(text(declines), "build-42 is not deployed");
    let closes = call(|request| ask(&*Person::new(Decision::Cancel, &[]), request));
    assert_eq!(text(closes), "build-42 is not deployed: nobody decided");
    assert_eq!(call(|_| None), Outcome::Unanswerable);
}

#[test]
fn a_server_that_ends_during_a_call_leaves_the_outcome_unknown() {
    let mut server = Command::new("sh");
    server.args(["-c", "read line"]);
    let request = tool("call-1", json!({"name": "deploy"}));
    let outcome = first::call(server, request, Claims::none(), |_| None).unwrap();
    assert_eq!(outcome, Outcome::OutcomeUnknown);
}

#[test]
fn the_minimum_server_answers_each_message_with_one_line() {
    let mut server = minimum_server().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut request = |method: &str, params: Value| {
        let message = plain::message("1", method, params);
        writeln!(input, "{message}").unwrap();
        plain::result("1", lines.next().unwrap().unwrap().as_bytes()).unwrap()
    };
    let discovered: Value =
        serde_json::from_str(request("server/discover", json!({})).unwrap().as_str()).unwrap();
    assert_eq!(discovered["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(discovered["resultType"], "complete");
    let info = &discovered["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(info["name"], "minimum");
    let listed = request("tools/list", json!({})).unwrap();
    let listed: Value = serde_json::from_str(listed.as_str()).unwrap();
    assert_eq!(plain::Tool::read(&listed["tools"][0]).unwrap().name, "deploy");
    assert_eq!(request("tools/forget", json!({})).unwrap_err().code, -32601);
    let unknown = request("tools/call", json!({"name": "x", "arguments": {"build": "b"}}));
    assert_eq!(unknown.unwrap_err().code, -32602);
    // The client of this message claims nothing, so the server cannot ask.
    let asks = request("tools/call", json!({"name": "deploy", "arguments": {"build": "b"}}));
    assert_eq!(asks.unwrap_err().code, -32021);
    // A notification has no answer: the next line answers what comes after it.
    let cancelled =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}"#;
    writeln!(input, "{cancelled}\n{}", plain::message("2", "tools/list", json!({}))).unwrap();
    plain::result("2", lines.next().unwrap().unwrap().as_bytes()).unwrap().unwrap();
    drop(input);
    assert!(server.wait().unwrap().success());
}

/// Makes a call over HTTP with a person before the screen.
async fn call(url: &str, request: Request, person: &Arc<Person>) -> Outcome {
    let claims = requests::claims(true);
    let client = http::client().unwrap();
    let limits = Limits::default();
    http::call(&client, url, request, claims, limits, person.clone()).await.unwrap()
}

#[tokio::test]
async fn a_call_over_http_asks_twice_for_production() {
    let url = server::serve("twice").await.url;
    let types = &[("place", "production"), ("sure", "true")];
    let person = Person::new(Decision::Accept, types);
    let request = with_headers(&url, requests::deploy("call-1", Binding::new("c")).unwrap()).await;
    let said = text(call(&url, request.clone(), &person).await);
    assert_eq!(said, "build-42 is deployed to production");
    assert_eq!(person.saw(), ["Where to?", "To production, really?"]);
    // The schema of the tool marks an argument, so a call without its header is refused.
    let request = requests::deploy("call-2", Binding::new("c")).unwrap();
    let Outcome::Error(error) = call(&url, request, &person).await else { panic!("it is refused") };
    assert_eq!(error.code, -32020);
}

/// Lists the tools, and adds to a call of `deploy` which of its arguments are headers.
async fn with_headers(url: &str, request: Request) -> Request {
    let client = http::client().unwrap();
    let listed = plain::request(&client, url, "tools/list", json!({})).await.unwrap().unwrap();
    let listed: Value = serde_json::from_str(listed.as_str()).unwrap();
    let tool = plain::Tool::read(&listed["tools"][0]).unwrap();
    assert_eq!(tool.param_headers.names().collect::<Vec<_>>(), ["Mcp-Param-Build"]);
    request.with_param_headers(tool.param_headers)
}

#[tokio::test]
async fn a_reply_is_found_in_a_stream_behind_what_the_server_says_before_it() {
    let served = server::serve("stream").await;
    let person = Person::new(Decision::Accept, &[("place", "staging")]);
    let request = requests::deploy("call-1", Binding::new("c")).unwrap();
    let request = with_headers(&served.url, request).await;
    let said = text(call(&served.stream, request, &person).await);
    assert_eq!(said, "build-42 is deployed to staging");
}

#[tokio::test]
async fn each_tool_of_the_server_guide_asks_and_ends() {
    let url = server::serve("tools").await.url;
    let agrees = Person::new(Decision::Accept, &[("sure", "true"), ("name", "root|ada")]);
    let declines = Person::new(Decision::Decline, &[]);
    let closes = Person::new(Decision::Cancel, &[]);

    let delete = |id| tool(id, json!({"name": "delete"}));
    assert_eq!(text(call(&url, delete("d-1"), &agrees).await), "deleted");
    assert_eq!(text(call(&url, delete("d-2"), &declines).await), "not deleted");
    let said = text(call(&url, delete("d-3"), &closes).await);
    assert_eq!(said, "not deleted: nobody decided");

    let sign_up = tool("s-1", json!({"name": "sign_up"}));
    assert_eq!(text(call(&url, sign_up.clone(), &agrees).await), "welcome");
    let Outcome::Error(error) = call(&url, sign_up, &declines).await else { panic!("declined") };
    assert_eq!((error.code, &*error.message), (-32602, "The person did not agree"));
}

#[tokio::test]
async fn a_payment_that_is_called_again_under_its_key_happens_once() {
    let url = server::serve("payments").await.url;
    let person = Person::new(Decision::Accept, &[]);
    let pay = |id, key| {
        let meta = json!({"com.example/idempotencyKey": key});
        tool(id, json!({"name": "pay", "_meta": meta}))
    };
    // The bank is closed at first: the server fails, and gives the state back.
    let Outcome::Error(error) = call(&url, pay("p-1", "order-7"), &person).await else {
        panic!("the bank is closed")
    };
    assert_eq!((error.code, &*error.message), (-32603, "Internal error"));
    assert_eq!(text(call(&url, pay("p-2", "order-7"), &person).await), "receipt 2");
    assert_eq!(text(call(&url, pay("p-3", "order-7"), &person).await), "receipt 2");
    assert_eq!(text(call(&url, pay("p-4", "order-8"), &person).await), "receipt 4");
    assert_eq!(person.saw()[0], "https://pay.example.com/order/7");
    let declines = Person::new(Decision::Decline, &[]);
    assert_eq!(text(call(&url, pay("p-5", "order-9"), &declines).await), "not paid");
    // A client that cannot be sent to a page is told another way.
    let client = http::client().unwrap();
    let claims = requests::claims(false);
    let (request, limits) = (pay("p-6", "order-9"), Limits::default());
    let outcome = http::call(&client, &url, request, claims, limits, declines).await.unwrap();
    assert!(text(outcome).starts_with("Pay at https://pay.example.com"));
}

#[tokio::test]
async fn prompts_and_resources_ask_as_tools_do() {
    let url = server::serve("methods").await.url;
    let person = Person::new(Decision::Accept, &[("audience", "team"), ("reason", "an audit")]);
    let log = requests::log("r-1", Binding::new("c")).unwrap();
    let read = result(call(&url, log, &person).await);
    assert_eq!(read["contents"][0]["text"], "Read because: an audit");
    assert_eq!((&read["ttlMs"], &read["cacheScope"]), (&json!(0), &json!("private")));
    let id = InvocationId::new("g-1").unwrap();
    let params = RawJson::parse(r#"{"name":"announce"}"#).unwrap();
    let prompt = Request::new(id, Method::PromptsGet, params, Binding::new("c"));
    let got = result(call(&url, prompt, &person).await);
    assert_eq!(got["messages"][0]["content"]["text"], "Announce the deployment to the team.");
}

#[tokio::test]
async fn a_client_finds_the_revision_to_speak() {
    let url = server::serve("versions").await.url;
    let client = http::client().unwrap();
    let found = plain::request(&client, &url, "server/discover", json!({})).await.unwrap();
    let found: Value = serde_json::from_str(found.unwrap().as_str()).unwrap();
    let names: Vec<String> = serde_json::from_value(found["supportedVersions"].clone()).unwrap();
    assert_eq!(plain::newest(&names), Some(Revision::V2026_07_28));
    // A server that does not speak the revision of a request lists what it speaks.
    let message = plain::message("1", "tools/list", json!({})).replace("2026-07-28", "1900-01-01");
    let headers = [("mcp-protocol-version", "1900-01-01"), ("mcp-method", "tools/list")];
    let post = client.post(&url).header("content-type", "application/json").body(message);
    let post = headers.into_iter().fold(post, |post, (name, value)| post.header(name, value));
    let response = post.send().await.unwrap();
    assert_eq!(response.status(), 400);
    let error = plain::result("1", &response.bytes().await.unwrap()).unwrap().unwrap_err();
    let supported = plain::supported(&error).unwrap();
    assert_eq!(plain::newest(&supported), Some(Revision::V2026_07_28));
    assert_eq!(plain::newest(&["2031-01-01".into()]), None);
}

#[tokio::test]
async fn an_earlier_revision_is_spoken_by_name_and_asks_nothing() {
    let url = server::serve("earlier").await.url;
    let (request, claims) = requests::earlier("e-1", Binding::new("c")).unwrap();
    let person = Person::new(Decision::Accept, &[("place", "staging")]);
    let client = http::client().unwrap();
    let limits = Limits::default();
    let outcome = http::call(&client, &url, request, claims, limits, person).await.unwrap();
    // The tool has to ask, and cannot on that revision.
    let Outcome::Error(error) = outcome else { panic!("{outcome}") };
    assert_eq!(&*error.message, "MRTR input requests require protocol 2026-07-28");
}

#[tokio::test]
async fn statuses_are_those_of_the_table() {
    let url = server::serve("statuses").await.url;
    let client = http::client().unwrap();
    let send = async |headers: &[(&str, &str)], body: String| {
        let post = client.post(&url).header("content-type", "application/json").body(body);
        let post = headers.iter().fold(post, |post, (name, value)| post.header(*name, *value));
        let response = post.send().await.unwrap();
        (response.status().as_u16(), response.bytes().await.unwrap())
    };
    let version = ("mcp-protocol-version", "2026-07-28");
    let list = [version, ("mcp-method", "tools/list")];
    let message = |method: &str| plain::message("1", method, json!({}));
    assert_eq!(send(&list, message("tools/list")).await.0, 200);
    let forget = [version, ("mcp-method", "tools/forget")];
    assert_eq!(send(&forget, message("tools/forget")).await.0, 404);
    assert_eq!(send(&[version], message("tools/list")).await.0, 400);
    let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#;
    let (status, body) = send(&[version], cancelled.into()).await;
    assert_eq!((status, body.len()), (202, 0));
    let of = |extra| [list[0], list[1], extra];
    let page = of(("origin", "https://elsewhere.example.com"));
    assert_eq!(send(&page, message("tools/list")).await.0, 403);
    let stranger = of(("authorization", "Bearer x"));
    assert_eq!(send(&stranger, message("tools/list")).await.0, 401);
    assert_eq!(
        send(&of(("authorization", "Bearer alice's token")), message("tools/list")).await.0,
        200
    );
    assert_eq!(client.get(&url).send().await.unwrap().status(), 405);
}

#[tokio::test]
async fn an_error_response_comes_with_one_report_that_has_the_cause() {
    let served = server::serve("reports").await;
    let person = Person::new(Decision::Accept, &[]);
    let request = tool("b-1", json!({"name": "deploy", "arguments": {"build": "broken"}}));
    let request = with_headers(&served.url, request).await;
    let Outcome::Error(error) = call(&served.url, request, &person).await else {
        panic!("it fails")
    };
    assert_eq!((error.code, &*error.message), (-32603, "Internal error"));
    let reports = served.reports.lock().unwrap();
    let [ReportKind::HandlerFailed(error)] = reports.as_slice() else { panic!("{reports:?}") };
    assert_eq!(error.cause().unwrap().to_string(), "the database is gone");
}

#[tokio::test]
async fn a_state_opens_once_and_for_its_caller_alone() {
    let served = server::serve("once").await;
    let client = http::client().unwrap();
    let send = async |leg: &LegRequest, token: Option<&str>| {
        let mut post = client.post(&served.url).body(leg.to_json());
        for (name, value) in leg.headers() {
            post = post.header(name, &*value);
        }
        if let Some(token) = token {
            post = post.bearer_auth(token);
        }
        Reply::read(&leg.leg, &post.send().await.unwrap().bytes().await.unwrap())
    };
    let now = Instant::from_millis(0);
    let request = tool("o-1", json!({"name": "delete"}));
    let claims = requests::claims(true);
    let (mut call, actions) = Invocation::start(now, request, claims, Limits::default()).unwrap();
    let [Action::Send(leg)] = actions.as_slice() else { panic!("a call begins with a request") };
    let reply = send(leg, None).await;
    let actions = call.handle(now, Event::Reply { leg: leg.leg.clone(), reply }).unwrap();
    let [Action::Ask { round, key, .. }] = actions.as_slice() else { panic!("it asks") };
    let (round, key) = (*round, key.clone());
    let answer = Event::Answer { round, key, response: InputResponse::Decline };
    let actions = call.handle(now, answer).unwrap();
    let [Action::Send(retry)] = actions.as_slice() else { panic!("the round is answered") };
    assert!(matches!(send(retry, Some("alice's token")).await, Reply::Error(_)));
    assert!(matches!(send(retry, None).await, Reply::Result(_)));
    assert!(matches!(send(retry, None).await, Reply::Error(_)));
    let reports = served.reports.lock().unwrap();
    assert!(matches!(
        reports.as_slice(),
        [
            ReportKind::InputRequired { round: 1, requests: 1 },
            ReportKind::StateRefused { .. },
            ReportKind::StateReused,
        ]
    ));
}

#[test]
fn a_call_ends_when_the_definition_of_its_tool_changes() {
    let mut server = minimum_server().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut exchange = |message: &str| {
        writeln!(input, "{message}").unwrap();
        lines.next().unwrap().unwrap()
    };
    let listed = exchange(&plain::message("1", "tools/list", json!({})));
    let listed = plain::result("1", listed.as_bytes()).unwrap().unwrap();
    let listed: Value = serde_json::from_str(listed.as_str()).unwrap();
    let known = plain::Tool::read(&listed["tools"][0]).unwrap();
    let binding = known.binding("connection-1", "minimum");

    let request = requests::deploy("call-1", binding.clone()).unwrap();
    let now = Instant::from_millis(0);
    let claims = requests::claims(true);
    let (mut call, actions) = Invocation::start(now, request, claims, Limits::default()).unwrap();
    let [Action::Send(leg)] = actions.as_slice() else { panic!("a call begins with a request") };
    let reply = Reply::read(&leg.leg, exchange(&leg.to_json()).as_bytes());
    let asked = Event::Reply { leg: leg.leg.clone(), reply };
    let line = requests::line(&asked).unwrap();
    assert!(line.contains("call-1.1") && !line.contains("place"), "{line}");
    assert!(matches!(call.handle(now, asked).unwrap().as_slice(), [Action::Ask { .. }]));

    // The list has changed, and this tool is as it was: the call goes on.
    let same = known.binding("connection-1", "minimum");
    assert!(call.handle(now, Event::BindingChanged(same)).unwrap().as_slice().is_empty());
    let mut definition = listed["tools"][0].clone();
    definition["description"] = "Deletes everything.".into();
    let other = plain::Tool::read(&definition).unwrap().binding("connection-1", "minimum");
    let actions = call.handle(now, Event::BindingChanged(other)).unwrap();
    assert!(matches!(
        actions.as_slice(),
        [Action::Retract { why: CloseReason::Lost, .. }, Action::Settle(Outcome::Lost)]
    ));
    drop(input);
    server.wait().unwrap();
}

#[tokio::test]
async fn a_screen_is_told_when_its_question_is_closed() {
    /// A screen that shows the form until it is closed.
    struct Waits(Mutex<mpsc::Receiver<CloseReason>>, mpsc::Sender<CloseReason>);

    impl Screen for Waits {
        fn fill_in(&self, _: &SafeText, _: &mut Draft) -> Decision {
            assert_eq!(self.0.lock().unwrap().recv(), Ok(CloseReason::TimedOut));
            Decision::Cancel
        }

        fn open(&self, _: &UrlRequest) -> Decision {
            Decision::Cancel
        }

        fn close(&self, why: CloseReason) {
            self.1.send(why).unwrap();
        }
    }

    let url = server::serve("waits").await.url;
    let (sender, receiver) = mpsc::channel();
    let screen = Arc::new(Waits(Mutex::new(receiver), sender));
    let client = http::client().unwrap();
    let clocks = mrtr_core::Clocks::default().interaction(core::time::Duration::from_millis(50));
    let limits = Limits::default().clocks(clocks);
    let request = tool("w-1", json!({"name": "delete"}));
    let claims = requests::claims(true);
    let outcome = http::call(&client, &url, request, claims, limits, screen).await.unwrap();
    assert_eq!(outcome, Outcome::TimedOut(mrtr_core::Clock::Interaction));
}
