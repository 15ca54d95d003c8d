//! Replies that no honest server sends: each ends the call in one fault, and that is all.

use mrtr_core::{
    InvocationId, Limits, Phase,
    client::{
        Binding, Claims, Event, Fault, Invocation, Misuse, Outcome, Reply, Request, StartError,
    },
    wire::{InputResponse, Message, Method, RawJson, ResponseError, WireError},
};

use crate::play::{
    CONFIRM, PARAMS, Play, SAMPLING, all_claims, answer, asking, faulted, form, request, sent,
    settled,
};

/// Hands the bytes of a message to a call as a transport would, in either phase in flight, and
/// returns the one fault that comes of it.
fn fault_of(message: impl Fn(&str) -> Vec<u8>) -> Fault {
    let [first, later] = [0, 1].map(|rounds| {
        let mut play = Play::new();
        for _ in 0..rounds {
            play.confirmed_round();
        }
        let legs = play.sent.len();
        let leg = play.leg();
        let reply = Reply::read(&leg, &message(&leg.to_string()));
        let actions = play.handle(Event::Reply { leg, reply }).unwrap();
        assert_eq!((play.call.phase(), play.sent.len()), (Phase::Settled, legs));
        faulted(&actions).clone()
    });
    assert_eq!(first, later);
    first
}

fn fault_of_result(result: &str) -> Fault {
    fault_of(|id| format!(r#"{{"jsonrpc":"2.0","id":"{id}","result":{result}}}"#).into())
}

const fn shape(what: &'static str, expected: &'static str) -> Fault {
    Fault::Wire(WireError::shape(what, expected))
}

/// proves: CL-17, W-11
#[test]
fn bytes_that_are_not_a_response_are_a_fault() {
    let unreadable: [(&[u8], WireError); 8] = [
        (b"", WireError::NotJson),
        (b"{", WireError::NotJson),
        (b"{}{}", WireError::NotJson),
        (b"\xef\xbb\xbf{}", WireError::NotJson),
        (b"\xff\xfe{\0}\0", WireError::NotUtf8),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"\xed\xa0\x80\",\"result\":{}}", WireError::NotUtf8),
        (b"[]", WireError::shape("the response", "an object")),
        (b"{\"id\":\"call-7.1\"}", WireError::shape("jsonrpc", "\"2.0\"")),
    ];
    for (bytes, error) in unreadable {
        assert_eq!(fault_of(|_| bytes.into()), Fault::Wire(error));
    }
}

/// proves: CL-17
#[test]
fn a_response_is_a_result_or_an_error_and_not_both() {
    let expected = "one with either a result or an error";
    for rest in [
        "",
        r#","result":{},"error":{"code":1,"message":""}"#,
        r#","method":"tools/call","params":{}"#,
    ] {
        let fault = fault_of(|id| format!(r#"{{"jsonrpc":"2.0","id":"{id}"{rest}}}"#).into());
        assert_eq!(fault, shape("the response", expected));
    }
    for twice in [r#""result":{},"result":{}"#, r#""result":{},"\u0072esult":{}"#] {
        let fault = fault_of(|id| format!(r#"{{"jsonrpc":"2.0","id":"{id}",{twice}}}"#).into());
        assert_eq!(fault, Fault::Wire(WireError::duplicate("the response")));
    }
}

/// proves: CL-17
#[test]
fn a_response_to_another_request_is_a_fault() {
    for id in [r#""call-7""#, r#""call-7.3""#, r#""call-8.1""#, r#""""#, "7", "-1", "null"] {
        let fault = fault_of(|_| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#).into());
        assert_eq!(fault, shape("id", "the id of the request"), "{id}");
    }
    for id in ["{}", "[]", "true", "1.5", "1e3", r#""\ud800""#] {
        let fault = fault_of(|_| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#).into());
        assert_eq!(fault, shape("id", "a string or an integer"), "{id}");
    }
}

/// proves: CL-17
#[test]
fn an_error_without_code_or_message_is_a_fault() {
    for error in [
        "7",
        "null",
        "[]",
        "{}",
        r#"{"code":1}"#,
        r#"{"message":"m"}"#,
        r#"{"code":"1","message":"m"}"#,
        r#"{"code":1.5,"message":"m"}"#,
        r#"{"code":99999999999999999999,"message":"m"}"#,
        r#"{"code":1,"message":null}"#,
    ] {
        let fault =
            fault_of(|id| format!(r#"{{"jsonrpc":"2.0","id":"{id}","error":{error}}}"#).into());
        assert!(
            matches!(fault, Fault::Wire(WireError::Shape { what, .. }) if what == "error"),
            "{error}"
        );
    }
}

/// Reads a result that nests as deep as its message may.
fn result_of_a_message(result: &str) -> RawJson {
    let message = format!(r#"{{"jsonrpc":"2.0","id":"call-7.1","result":{result}}}"#);
    match Reply::read(&Play::new().leg(), message.as_bytes()) {
        Reply::Result(result) => result,
        other => panic!("expected a result, found {other:?}"),
    }
}

/// proves: CL-09, W-11
#[test]
fn json_that_nests_too_deep_for_a_message_is_not_sent() {
    let too_deep = || WireError::TooDeep { levels_max: 124 };
    for (levels, fits) in [(123, true), (124, false)] {
        let list = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let sampled = format!(r#"{{"role":"user","model":"m","content":{{}},"x":{list}}}"#);
        let response = InputResponse::Sampled(result_of_a_message(&sampled));
        let mut play = Play::started(request("call-7", PARAMS), all_claims(), Limits::default());
        play.serve(&asking(&[("k", SAMPLING)], None));
        if fits {
            let message = sent(&play.answer(1, "k", response).unwrap()).to_json();
            assert!(Message::decode(message.as_bytes()).is_ok());
        } else {
            let refused = play.assert_changes_nothing(answer(1, "k", response));
            assert_eq!(refused, Err(Misuse::Response(ResponseError::Malformed(too_deep()))));
        }

        let id = InvocationId::new("call-7").unwrap();
        let params = result_of_a_message(&format!(r#"{{"name":"t","x":{list}}}"#));
        let request = Request::new(id, Method::ToolsCall, params, Binding::new("server-1"));
        let started = Invocation::start(play.now, request, Claims::none(), Limits::default());
        let expected = if fits { Ok(()) } else { Err(StartError::Params(too_deep())) };
        assert_eq!(started.map(drop), expected);
    }
}

/// proves: CL-17, W-02, W-03, W-05
#[test]
fn an_input_required_result_of_a_wrong_shape_is_a_fault() {
    for (result, what) in [
        ("7", "result"),
        ("[]", "result"),
        ("null", "result"),
        (r#"{"resultType":null}"#, "resultType"),
        (r#"{"resultType":["input_required"]}"#, "resultType"),
        (r#"{"resultType":"Input_Required","requestState":"s"}"#, "resultType"),
        (r#"{"resultType":"input_required"}"#, "an input_required result"),
        (r#"{"resultType":"input_required","inputRequests":[]}"#, "inputRequests"),
        (r#"{"resultType":"input_required","inputRequests":"a"}"#, "inputRequests"),
        (r#"{"resultType":"input_required","requestState":{"a":1}}"#, "requestState"),
    ] {
        let fault = fault_of_result(result);
        assert!(
            matches!(fault, Fault::Wire(WireError::Shape { what: found, .. }) if found == what)
        );
    }
    for (request, what) in [
        ("7", "an input request"),
        ("null", "an input request"),
        ("[]", "an input request"),
        ("{}", "an input request"),
        (r#"{"method":7}"#, "an input request"),
        (r#"{"method":"tools/call"}"#, "the method of an input request"),
        (r#"{"method":"elicitation/create "}"#, "the method of an input request"),
        (r#"{"method":"elicitation/create"}"#, "an input request"),
        (r#"{"method":"elicitation/create","params":[]}"#, "the params of an elicitation"),
        (r#"{"method":"elicitation/create","params":{"mode":"voice"}}"#, "mode"),
        (r#"{"method":"elicitation/create","params":{"mode":null}}"#, "mode"),
        (r#"{"method":"elicitation/create","params":{}}"#, "message"),
        (r#"{"method":"elicitation/create","params":{"message":"\udfff"}}"#, "message"),
        (
            r#"{"method":"elicitation/create","params":{"message":"m","schema":{}}}"#,
            "requestedSchema",
        ),
    ] {
        let fault = fault_of_result(&asking(&[("a", CONFIRM), ("b", request)], Some("\"s\"")));
        assert!(
            matches!(&fault, Fault::Wire(WireError::Shape { what: found, .. }) if found == what),
            "{request}: {fault:?}"
        );
    }
}

/// proves: W-11
#[test]
fn a_member_that_comes_twice_is_a_fault() {
    let request = r#"{"method":"roots/list","method":"elicitation/create"}"#;
    let elicitation = r#"{"method":"elicitation/create","params":{"message":"a","message":"b"}}"#;
    for (result, what) in [
        (
            r#"{"resultType":"input_required","requestState":"a","requestState":"b"}"#.into(),
            "result",
        ),
        (r#"{"resultType":"complete","resultType":"input_required"}"#.into(), "result"),
        (asking(&[("a", CONFIRM), ("a", CONFIRM)], None), "inputRequests"),
        (asking(&[("a", request)], None), "an input request"),
        (asking(&[("a", elicitation)], None), "the params of an elicitation"),
    ] {
        let result: String = result;
        assert_eq!(fault_of_result(&result), Fault::Wire(WireError::duplicate(what)));
    }
}

/// proves: W-11
#[test]
fn a_reply_that_nests_too_deep_is_a_fault_and_no_stack_overflow() {
    let too_deep = Fault::Wire(WireError::TooDeep { levels_max: 127 });
    let deep = |open: &str, close: &str| open.repeat(100_000) + "1" + &close.repeat(100_000);
    for result in [deep("[", "]"), deep(r#"{"a":"#, "}"), "[".repeat(100_000), "{".repeat(1_000)] {
        assert_eq!(fault_of_result(&result), too_deep);
        let request = form(&result);
        assert_eq!(fault_of_result(&asking(&[("a", &request)], None)), too_deep);
    }
    // What is under that is the form's own limit.
    let nested = "[".repeat(100) + &"]".repeat(100);
    let schema = format!(r#"{{"type":"object","properties":{{}},"x":{nested}}}"#);
    let fault = fault_of_result(&asking(&[("a", &form(&schema))], None));
    assert!(matches!(fault, Fault::Form(refusal) if refusal.code.as_str() == "over-limit"));
}

/// proves: W-11, CL-06
#[test]
fn a_reply_of_a_hundred_thousand_of_anything_is_a_fault() {
    let many = |entry: &dyn Fn(usize) -> String| {
        let entries: Vec<_> = (0..100_000).map(entry).collect();
        entries.join(",")
    };
    let requests = many(&|index| format!(r#""k{index}":{{"method":"roots/list"}}"#));
    let result = format!(r#"{{"resultType":"input_required","inputRequests":{{{requests}}}}}"#);
    let too_many = WireError::too_large("inputRequests in requests", 16);
    assert_eq!(fault_of_result(&result), Fault::Wire(too_many));

    let fields = many(&|index| format!(r#""f{index}":{{"type":"boolean"}}"#));
    let schema = format!(r#"{{"type":"object","properties":{{{fields}}}}}"#);
    let fault = fault_of_result(&asking(&[("a", &form(&schema))], None));
    let too_long = WireError::too_large("an input request in bytes", 327_680);
    assert_eq!(fault, Fault::Wire(too_long));

    let fields = many(&|index| format!(r#""f{index}":{{}}"#));
    let start = fields.match_indices(',').nth(15_000).unwrap().0;
    let schema = format!(r#"{{"type":"object","properties":{{{}}}}}"#, &fields[..start]);
    let fault = fault_of_result(&asking(&[("a", &form(&schema))], None));
    assert!(matches!(fault, Fault::Form(_)));
}

/// proves: W-11
#[test]
fn a_complete_result_is_not_searched_for_what_it_holds() {
    let result = r#"{"content":[{"inputRequests":{},"a":1,"a":2,"s":"\ud800"}],"requestState":7}"#;
    let mut play = Play::new();
    let leg = play.leg();
    let message = format!(r#"{{"jsonrpc":"2.0","id":"{leg}","result":{result}}}"#);
    let reply = Reply::read(&leg, message.as_bytes());
    assert_eq!(reply, Reply::Result(RawJson::parse(result).unwrap()));
    let actions = play.handle(Event::Reply { leg, reply }).unwrap();
    assert!(matches!(settled(&actions), Outcome::Complete(_)));
}

/// proves: CL-17
#[test]
fn a_server_that_could_not_read_the_request_answers_without_an_id() {
    for id in ["", r#""id":null,"#] {
        let mut play = Play::new();
        let leg = play.leg();
        let message = format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32700,"message":"?"}}}}"#);
        let reply = Reply::read(&leg, message.as_bytes());
        let actions = play.handle(Event::Reply { leg, reply }).unwrap();
        let outcome = settled(&actions);
        assert!(matches!(outcome, Outcome::Error(error) if error.code == -32700));
    }
}
