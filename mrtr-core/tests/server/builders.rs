//! What a handler asks: how it is written, and what of it is caught before it is sent.

use std::sync::Arc;

use form_model::{Form, FormBuilder, TextField};
use mrtr_core::{
    Limits,
    server::{Action, Actions, Ending, Endpoint, Flow, HandlerFault, Need, ReportKind, Run, Stop},
    wire::{IncludeContext, InputRequest, RawJson, RpcError, SamplingBuilder, WireError},
};
use serde_json::{Value, json};

use crate::play::{
    answer, asked, call, confirm, deep, end, error_code, faulted, keyless, message, model, page,
    params, raw, report, run, sealing, send, shop, sure, value, with,
};

/// Returns how one request is written.
fn written(request: InputRequest) -> Value {
    asked(&keyless(), Need::new().request("k", request))["inputRequests"]["k"].clone()
}

fn github() -> Form {
    Form::from_schema(
        r#"{"type":"object","properties":{"name":{"type":"string","title":"GitHub Username",
        "description":"Your GitHub username"}},"required":["name"]}"#,
    )
    .unwrap()
}

fn capital() -> SamplingBuilder {
    SamplingBuilder::new(100).user("What is the capital of France?")
}

/// proves: SV-08, W-12
#[test]
fn every_kind_is_written_as_the_specification_writes_its_example() {
    let form = InputRequest::form("Please provide your GitHub username", github());
    let example = include_str!("../spec/ElicitRequest/elicitation-request.json");
    assert_eq!(written(form), value(example));

    let message = "Please provide your API key to continue.";
    let url = page(message, "https://mcp.example.com/ui/set_api_key");
    let example = include_str!("../spec/ElicitRequestURLParams/elicit-sensitive-data.json");
    let params = value(example);
    assert_eq!(written(url), json!({"method": "elicitation/create", "params": params}));

    let preferences = raw(
        r#"{"hints":[{"name":"claude-3-sonnet"}],"intelligencePriority":0.8,"speedPriority":0.5}"#,
    );
    let builder =
        capital().model_preferences(&preferences).system_prompt("You are a helpful assistant.");
    let example = include_str!("../spec/CreateMessageRequest/sampling-request.json");
    assert_eq!(written(model(builder)), value(example));

    // The example has the id of a request; an input request has none.
    let mut example = value(include_str!("../spec/ListRootsRequest/list-roots-request.json"));
    example.as_object_mut().unwrap().remove("id");
    assert_eq!(written(InputRequest::Roots), example);
}

/// proves: SV-08, SV-01, W-12
#[test]
fn a_round_of_two_kinds_is_written_as_the_specification_writes_its_example() {
    let name = FormBuilder::new().field(TextField::new("name").required()).build().unwrap();
    let need = Need::new()
        .request("github_login", InputRequest::form("Please provide your GitHub username", name))
        .request("capital_of_france", model(capital()));
    let example =
        include_str!("../spec/InputRequests/elicitation-and-sampling-input-requests.json");
    let result = asked(&sealing(), need);
    assert_eq!(result["inputRequests"], value(example));
    assert_eq!(result["resultType"], "input_required");
    assert!(result["requestState"].is_string());
    assert_eq!(result.as_object().unwrap().len(), 3);
}

/// proves: SV-08, W-12
#[test]
fn a_model_with_tools_is_asked_as_the_specification_writes_its_examples() {
    for example in [
        include_str!("../spec/CreateMessageRequestParams/basic-request.json"),
        include_str!("../spec/CreateMessageRequestParams/request-with-tools.json"),
        include_str!("../spec/CreateMessageRequestParams/follow-up-with-tool-results.json"),
    ] {
        let example = value(example);
        let tokens = u32::try_from(example["maxTokens"].as_u64().unwrap()).unwrap();
        let mut builder = SamplingBuilder::new(tokens);
        for message in example["messages"].as_array().unwrap() {
            builder = builder.message(&raw(&message.to_string()));
        }
        let member = |name: &str| example.get(name).map(|json| raw(&json.to_string()));
        if let Some(tools) = member("tools") {
            builder = builder.tools(&tools);
        }
        if let Some(choice) = member("toolChoice") {
            builder = builder.tool_choice(&choice);
        }
        if let Some(preferences) = member("modelPreferences") {
            builder = builder.model_preferences(&preferences);
        }
        if let Some(prompt) = example["systemPrompt"].as_str() {
            builder = builder.system_prompt(prompt);
        }
        assert_eq!(written(model(builder))["params"], example);
    }
}

/// proves: SV-08
#[test]
fn context_is_spelled_as_the_specification_spells_it_and_left_out_for_none() {
    for (context, spelled) in [
        (None, Value::Null),
        (Some(IncludeContext::ThisServer), json!("thisServer")),
        (Some(IncludeContext::AllServers), json!("allServers")),
    ] {
        let builder = match context {
            None => capital(),
            Some(context) => capital().include_context(context),
        };
        assert_eq!(written(model(builder))["params"]["includeContext"], spelled);
    }
}

/// proves: SV-08
#[test]
fn what_a_handler_says_stays_text_whatever_is_in_it() {
    let odd = "\"},\"x\":{\"\\ \u{0} \u{2028} \u{1f600} </script>";
    let need = Need::new()
        .request(odd, InputRequest::form(odd, confirm()))
        .request("url", page(odd, "https://a.example/?q=%22"))
        .request(
            "model",
            model(SamplingBuilder::new(1).user(odd).system_prompt(odd).stop_sequences(&[odd])),
        );
    let requests = asked(&sealing(), need)["inputRequests"].clone();
    assert_eq!(requests.as_object().unwrap().len(), 3);
    assert_eq!(requests[odd]["params"]["message"], odd);
    assert_eq!(requests["url"]["params"]["message"], odd);
    let sampling = &requests["model"]["params"];
    assert_eq!(sampling["messages"][0]["content"]["text"], odd);
    let texts = (&sampling["systemPrompt"], &sampling["stopSequences"][0]);
    assert_eq!(texts, (&json!(odd), &json!(odd)));
}

/// Ends a call of the tool, expects an internal error that tells nothing, and returns what is done.
fn internal(endpoint: &Arc<Endpoint>, handler: impl FnOnce(&Run) -> Ending, what: &str) -> Actions {
    let (mut exchange, actions) = call(endpoint, &params());
    let actions = end(&mut exchange, handler(run(&actions)));
    assert!(matches!(actions.as_slice(), [Action::Respond(_)]), "{what}: {actions:?}");
    let body = answer(&actions).1;
    assert!(body.get("result").is_none(), "{what} is sent");
    let error = json!({"code": -32603, "message": "Internal error"});
    assert_eq!(body["error"], error, "{what}");
    actions
}

/// Expects a need to be the handler's fault, and nothing of it to be sent.
fn caught(endpoint: &Arc<Endpoint>, need: Need, what: &str) -> HandlerFault {
    faulted(&internal(endpoint, |_| Ending::Need(need), what)).clone()
}

/// Returns the cause of a handler's error that is reported.
fn cause(actions: &Actions) -> &WireError {
    match &report(actions).kind {
        ReportKind::HandlerFailed(error) => error.cause().unwrap().downcast_ref().unwrap(),
        other => panic!("the handler failed, found {other:?}"),
    }
}

/// proves: SV-08
#[test]
fn a_request_that_is_malformed_is_caught_before_it_is_sent() {
    let url = |url: &str| InputRequest::url("m", url);
    let tokens = SamplingBuilder::new(0).user("?").build().map(InputRequest::from);
    for (what, request) in [
        ("no tokens", tokens),
        ("an empty URL", url("")),
        ("a relative URL", url("/sign-in")),
        ("a URL without a scheme", url("//a.example/")),
        ("a host alone", url("a.example")),
        ("a URL without a host", url("https:///x")),
        ("a URL of a file", url("file:///etc/passwd")),
        ("a URL of a script", url("javascript:alert(1)")),
        ("a URL of data", url("data:text/html,x")),
        ("a URL with a line break", url("https://a.example/\n")),
        ("a URL with a space", url("https://a.example/a b")),
    ] {
        // It is caught when it is made, and a handler that passes the error on asks nothing.
        let error = request.expect_err(what);
        assert!(matches!(error, WireError::Shape { .. }), "{what}: {error:?}");
        for endpoint in [&sealing(), &keyless()] {
            let asks = |flow: &mut Flow<'_>| -> Result<RawJson, Stop> {
                flow.ask_all([("a", sure()), ("k", Err(error.clone())?)])?;
                Ok(raw("{}"))
            };
            let actions = internal(endpoint, |run| Flow::run(run, asks), what);
            assert_eq!(*cause(&actions), error, "{what}");
        }
    }
    for endpoint in [&sealing(), &keyless()] {
        let twice = Need::new().request("k", sure()).request("k", InputRequest::Roots);
        assert_eq!(caught(endpoint, twice, "a key twice"), HandlerFault::DuplicateKey);
    }
}

/// Returns the names of those that are sent.
fn sent(needs: impl IntoIterator<Item = (&'static str, Need)>) -> Vec<&'static str> {
    let endpoint = keyless();
    let is_sent = |need: Need| {
        let (mut exchange, _) = call(&endpoint, &params());
        let actions = end(&mut exchange, Ending::Need(need));
        answer(&actions).1.get("result").is_some()
    };
    needs.into_iter().filter(|(_, need)| is_sent(need.clone())).map(|(what, _)| what).collect()
}

fn one(request: InputRequest) -> Need {
    Need::new().request("k", request)
}

/// proves: SV-08
#[test]
fn parts_of_a_request_to_a_model_that_have_not_their_shape_are_caught() {
    for (what, builder) in [
        ("a message that is a number", capital().message(&raw("7"))),
        ("a message without a role", capital().message(&raw(r#"{"content":[]}"#))),
        ("a message without content", capital().message(&raw(r#"{"role":"user"}"#))),
        ("tools that are no array", capital().tools(&raw("{}"))),
        ("a choice that is no object", capital().tool_choice(&raw("[]"))),
        ("preferences that are no object", capital().model_preferences(&raw("7"))),
        ("metadata that are no object", capital().metadata(&raw("[]"))),
    ] {
        let found = builder.clone().build();
        assert!(matches!(found, Err(WireError::Shape { .. })), "{what}: {found:?}");
        let handler =
            |run: &Run| Flow::run(run, |flow| flow.ask("k", builder.build()?).map(|_| raw("{}")));
        let actions = internal(&sealing(), handler, what);
        assert_eq!(*cause(&actions), found.unwrap_err(), "{what}");
    }
}

/// proves: SV-08, W-11
#[test]
fn a_request_that_would_make_the_message_too_deep_is_caught() {
    let message =
        |levels: usize| raw(&format!(r#"{{"role":"user","content":{}}}"#, deep(levels - 1)));
    let handler = |levels: usize| {
        let builder = capital().message(&message(levels));
        move |run: &Run| Flow::run(run, |flow| flow.ask("k", builder.build()?).map(|_| raw("{}")))
    };
    for levels in [119, 122, 124] {
        goes_out_or_is_caught(handler(levels));
    }
    // The answer around a message has six levels.
    assert_eq!(sent([("deepest", one(model(capital().message(&message(121)))))]), ["deepest"]);
    let actions = internal(&sealing(), handler(122), "too deep");
    assert!(matches!(cause(&actions), WireError::TooDeep { .. }));
}

/// proves: SV-08, W-11
#[test]
fn json_of_a_message_is_sent_on_or_left_out_where_no_client_could_read_it() {
    let read = |levels: usize| serde_json::from_str::<RawJson>(&deep(levels));
    assert!(read(124).is_ok() && read(125).is_err(), "a caller's own JSON nests no deeper");
    let deepest = crate::play::of_message(&format!(r#"{{"a":{}}}"#, deep(125)));
    let (mut exchange, _) = call(&sealing(), &params());
    let actions = end(&mut exchange, Ending::Finish(deepest.clone()));
    assert!(answer(&actions).1["result"]["a"].is_array());
    let error = RpcError::new(-1, "no").with_data(deepest);
    let (mut exchange, _) = call(&sealing(), &params());
    let actions = end(&mut exchange, Ending::Fail(error.into()));
    assert_eq!(answer(&actions).1["error"], json!({"code": -1, "message": "no"}));
    // The deepest state that is sealed comes back.
    let fits = crate::play::of_message(&deep(126));
    let state = asked(&sealing(), Need::new().state(fits.clone()))["requestState"].clone();
    let (_, actions) = call(&sealing(), &crate::play::retry(&state, json!({})));
    assert_eq!(run(&actions).state, Some(fits));
}

/// proves: SV-01, W-11
#[test]
fn the_data_of_an_error_is_left_out_where_no_client_could_read_it() {
    // The error and the answer around it have two levels.
    for (levels, is_sent) in [(124, true), (125, false)] {
        let error = answer(&ended(levels, fails_with_params)).1["error"].take();
        assert_eq!((&error["code"], error.get("data").is_some()), (&json!(-1), is_sent));
    }
}

/// proves: SV-08, W-11
#[test]
fn what_came_as_deep_as_it_may_goes_back_or_is_caught() {
    goes_out_or_is_caught(|run| Ending::Finish(run.params.clone()));
    goes_out_or_is_caught(|run| Ending::Need(Need::new().state(run.params.clone())));
    goes_out_or_is_caught(fails_with_params);
}

fn fails_with_params(run: &Run) -> Ending {
    Ending::Fail(RpcError::new(-1, "no").with_data(run.params.clone()).into())
}

/// Ends a request whose arguments nest so deep, and returns what is done then.
fn ended(levels: usize, handler: impl FnOnce(&Run) -> Ending) -> Actions {
    let endpoint = sealing();
    let params = with(params(), &[("arguments", json!("@"))]).to_string();
    let call = message("tools/call", &params.replace("\"@\"", &deep(levels)));
    let (mut exchange, actions) = send(&endpoint, call.as_bytes());
    end(&mut exchange, handler(run(&actions)))
}

/// Ends a request that is as deep as it may be, and expects an answer that a client can read.
fn goes_out_or_is_caught(handler: impl FnOnce(&Run) -> Ending) {
    let actions = ended(125, handler);
    let [Action::Respond(respond)] = actions.as_slice() else { panic!("{actions:?}") };
    let body = respond.body.as_ref().unwrap().as_str().as_bytes();
    assert!(mrtr_core::wire::RpcResponse::decode(body).is_ok());
}

/// proves: SV-08
#[test]
fn a_round_over_a_limit_of_the_endpoint_is_caught() {
    let none: [&str; 0] = [];
    let count = |count: usize| {
        (0..count).fold(Need::new(), |need, index| need.request(format!("k{index}"), sure()))
    };
    let long = |bytes: usize| "x".repeat(bytes);
    let model = |bytes: usize| model(SamplingBuilder::new(1).user(&long(bytes)));
    let limits = Limits::default();
    let message = long(limits.message_bytes_max + 1);
    let round = (0..4).fold(Need::new(), |need, index| {
        need.request(format!("k{index}"), model(limits.round_bytes_max / 4))
    });
    assert_eq!(sent([("as many requests as there may be", count(limits.requests_max))]).len(), 1);
    let longest = one(InputRequest::form(&long(limits.message_bytes_max), confirm()));
    assert_eq!(sent([("the longest message", longest)]).len(), 1);
    let over = [
        ("too many requests", count(limits.requests_max + 1)),
        ("a key too long", Need::new().request(long(limits.key_bytes_max + 1), sure())),
        ("a message too long", one(InputRequest::form(&message, confirm()))),
        ("a message of a URL too long", one(page(&message, "https://a.example/"))),
        ("a request too large", one(model(limits.request_bytes_max))),
        ("a round too large", round),
    ];
    assert_eq!(sent(over), none);
}

/// proves: SV-08, FM-04
#[test]
fn a_form_over_the_limits_of_the_endpoint_is_caught() {
    let limits = Limits::default().form(form_model::Limits::default().fields_max(1));
    let endpoint = Arc::new(shop().with_limits(limits));
    let field = |name: &str| TextField::new(name);
    let two = FormBuilder::new().field(field("a")).field(field("b")).build().unwrap();
    let need = Need::new().request("k", InputRequest::form("m", two));
    assert!(matches!(caught(&endpoint, need, "two fields"), HandlerFault::Form(_)));
}

/// proves: SV-08
#[test]
fn a_question_that_says_nothing_is_caught() {
    let none: [&str; 0] = [];
    let needs = [
        ("a form", one(InputRequest::form("", confirm()))),
        ("a URL", one(page("", "https://a.example/"))),
    ];
    assert_eq!(sent(needs), none);
}

/// proves: SV-02
#[test]
fn a_handler_asks_no_more_rounds_than_the_endpoint_allows() {
    let endpoint = Arc::new(shop().with_limits(Limits::default().rounds_max(2)));
    let mut state = asked(&endpoint, one(sure()))["requestState"].clone();
    for round in 2..=3 {
        let (mut exchange, actions) = call(&endpoint, &crate::play::retry(&state, json!({})));
        assert_eq!(run(&actions).round, round);
        let actions = end(&mut exchange, Ending::Need(one(sure())));
        if round == 2 {
            state = answer(&actions).1["result"]["requestState"].clone();
        } else {
            assert_eq!(report(&actions).kind, ReportKind::RoundLimit { rounds_max: 2 });
            assert_eq!(error_code(&actions), (200, RpcError::INTERNAL));
        }
    }
}

/// proves: SV-02
#[test]
fn rounds_without_a_question_count_as_those_with_one_do() {
    // The kinds of rounds in turn: with a question, or with a state alone.
    for kinds in [[false; 3], [true, false, false], [false, true, false], [true, true, false]] {
        for rounds_max in [1_u32, 2] {
            let limits = Limits::default().rounds_max(rounds_max);
            let endpoint = Arc::new(shop().with_limits(limits));
            let (mut exchange, _) = call(&endpoint, &params());
            for (round, asks) in (1..).zip(kinds) {
                let need = if asks { one(sure()) } else { Need::new().state(raw(r#"{"a":1}"#)) };
                let actions = end(&mut exchange, Ending::Need(need));
                if round > rounds_max {
                    assert_eq!(report(&actions).kind, ReportKind::RoundLimit { rounds_max });
                    assert_eq!(error_code(&actions), (200, RpcError::INTERNAL));
                    break;
                }
                let state = answer(&actions).1["result"]["requestState"].clone();
                assert!(state.is_string(), "{kinds:?} {round}");
                exchange = call(&endpoint, &crate::play::retry(&state, json!({}))).0;
            }
        }
    }
}
