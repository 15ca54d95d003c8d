//! Requests that were sound until something happened to them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "this is a test")]

mod kept;

use core::cell::RefCell;
use std::{collections::BTreeSet, sync::Arc};

use kept::config;
use mrtr_core::{
    server::{Action, Endpoint, Event, Exchange, Incoming, ReportKind, Run},
    wire::{Headers, RawJson},
};
use mrtr_proptests::exchange::{
    Came, NOW, all_kinds, code_of, endpoint, first_round, message, questions, receive,
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::Index,
    test_runner::{RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Value, json};

const ARGUMENTS: &str = r#"{"text":"SENTINEL","n":[1,-20,null,true]}"#;
const ANSWERS: &str = r#"{
    "form":{"action":"accept","content":{"t":"SENTINEL","n":1.5,"f":true,"m":["a"]}},
    "url":{"action":"accept"},
    "model":{"role":"assistant","content":{"type":"text","text":"SENTINEL"},"model":"m"},
    "roots":{"roots":[{"uri":"file:///SENTINEL"}]}}"#;
const STATE: &str = r#"{"text":"SENTINEL"}"#;
const ALICE: Option<&str> = Some("alice");

const VERSION: &[u8] = b"2026-07-28";

/// What stands where something else stood.
const VALUES: [&str; 12] = [
    "null",
    "true",
    "7",
    "-0.5e99",
    "\"\"",
    "\"accept\"",
    "\"decline\"",
    "[]",
    "{}",
    "{\"action\":\"cancel\"}",
    "{\"method\":\"roots/list\",\"result\":{\"roots\":[]}}",
    "[[[[1]]]]",
];

/// What happens to a request on its way.
#[derive(Clone, Debug)]
enum Mishap {
    /// A byte is another.
    Byte(Index, u8),
    /// Some bytes are lost.
    Loss(Index, usize),
    /// Some bytes come twice.
    Echo(Index, usize),
    /// A value is another.
    Value(Index, Index),
    /// A member or an item is lost.
    Member(Index),
    /// The version is another.
    Version,
}

fn any_mishap() -> impl Strategy<Value = Mishap> {
    let index = any::<Index>;
    prop_oneof![
        (index(), any::<u8>()).prop_map(|(at, byte)| Mishap::Byte(at, byte)),
        (index(), prop::sample::select(b"{}[]\",:01.eE\\ ".to_vec()))
            .prop_map(|(at, byte)| Mishap::Byte(at, byte)),
        (index(), 1..40_usize).prop_map(|(at, len)| Mishap::Loss(at, len)),
        (index(), 1..40_usize).prop_map(|(at, len)| Mishap::Echo(at, len)),
        (index(), index()).prop_map(|(at, new)| Mishap::Value(at, new)),
        (index(), index()).prop_map(|(at, new)| Mishap::Value(at, new)),
        index().prop_map(Mishap::Member),
        Just(Mishap::Version),
    ]
}

/// Visits the values inside one, and returns whether to go on.
fn visit(value: &mut Value, change: &mut impl FnMut(&mut Value) -> bool) -> bool {
    change(value)
        && match value {
            Value::Array(items) => items.iter_mut().all(|item| visit(item, change)),
            Value::Object(members) => members.values_mut().all(|member| visit(member, change)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        }
}

/// Changes one of the values in a message, if it is one still.
fn at_value(bytes: &mut Vec<u8>, at: &Index, change: impl Fn(&mut Value)) {
    let Ok(mut value) = serde_json::from_slice::<Value>(bytes) else { return };
    let mut count = 0_usize;
    visit(&mut value, &mut |_| {
        count += 1;
        true
    });
    let mut left = at.index(count);
    visit(&mut value, &mut |value| {
        if left == 0 {
            change(value);
            return false;
        }
        left -= 1;
        true
    });
    *bytes = value.to_string().into_bytes();
}

fn befall(bytes: &mut Vec<u8>, mishap: &Mishap) {
    if bytes.is_empty() {
        return;
    }
    let range = |at: &Index, len: usize| {
        let start = at.index(bytes.len());
        start..bytes.len().min(start + len)
    };
    match mishap {
        Mishap::Byte(at, byte) => *at.get_mut(bytes) = *byte,
        Mishap::Loss(at, len) => drop(bytes.drain(range(at, *len))),
        Mishap::Echo(at, len) => {
            let range = range(at, *len);
            let twice = bytes.get(range.clone()).unwrap().to_vec();
            drop(bytes.splice(range.start..range.start, twice));
        }
        Mishap::Value(at, new) => {
            let new: Value = serde_json::from_str(new.get::<&str>(&VALUES)).unwrap();
            at_value(bytes, at, |value| *value = new.clone());
        }
        Mishap::Member(at) => at_value(bytes, at, |value| match value {
            Value::Array(items) => drop(items.pop()),
            Value::Object(members) => {
                let name = members.keys().next().cloned();
                name.and_then(|name| members.remove(&name));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }),
        Mishap::Version => {
            if let Some(at) = bytes.windows(VERSION.len()).position(|window| window == VERSION) {
                bytes.splice(at..at + VERSION.len(), *b"2025-06-18");
            }
        }
    }
}

/// Returns what a state is bound to: the method and the params, with numbers by their value. `None`:
/// a number has too large a value, somewhere.
fn salient(message: &[u8]) -> Option<Value> {
    let mut message: Value = serde_json::from_slice(message).ok()?;
    for member in ["_meta", "inputResponses", "requestState"] {
        message.pointer_mut("/params").unwrap().as_object_mut().unwrap().remove(member);
    }
    visit(&mut message, &mut |value| {
        if let Some(number) = value.as_f64() {
            *value = json!(number);
        }
        true
    });
    Some(json!([message.get("method"), message.get("params")]))
}

/// How an endpoint is set up, and how requests come to it.
#[derive(Clone, Copy, Debug)]
struct Setup {
    signed: bool,
    single_use: bool,
    legacy: bool,
    headers: bool,
    keys: bool,
}

fn any_setup() -> impl Strategy<Value = Setup> {
    any::<[bool; 5]>().prop_map(|[signed, single_use, legacy, headers, keys]| Setup {
        signed,
        single_use,
        legacy,
        headers,
        keys,
    })
}

impl Setup {
    fn endpoint(self) -> Arc<Endpoint> {
        let endpoint = if self.keys { endpoint(self.signed) } else { Endpoint::new("deployments") };
        let endpoint = if self.single_use { endpoint.with_single_use() } else { endpoint };
        Arc::new(if self.legacy { endpoint.with_legacy() } else { endpoint })
    }

    fn incoming(self, message: &[u8]) -> Incoming<'_> {
        let headers = [
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "deploy"),
        ];
        let headers: Headers = headers.into_iter().collect();
        Incoming::message(message)
            .with_headers(self.headers.then_some(headers))
            .with_principal(ALICE)
    }
}

/// Returns a retry that brings all that was asked, and its state.
fn sound_retry((signed, single_use): (bool, bool)) -> (String, String) {
    let endpoint = endpoint(signed);
    let endpoint = if single_use { endpoint.with_single_use() } else { endpoint };
    let members = [("name", "\"deploy\""), ("arguments", ARGUMENTS)];
    let need = all_kinds().state(RawJson::parse(STATE).unwrap());
    let first = message("tools/call", &members);
    let token = first_round(&Arc::new(endpoint), NOW, ALICE, &first, need);
    let quoted = format!("\"{token}\"");
    let retry = [("requestState", quoted.as_str()), ("inputResponses", ANSWERS)];
    (message("tools/call", &[members, retry].concat()), token)
}

/// Sends a request that something may have happened to, checks what must be so, and says what came.
fn arrive(setup: Setup, sent: &[u8], original: &str, token: &str) -> String {
    let endpoint = setup.endpoint();
    let incoming = setup.incoming(sent);
    let (exchange, actions) = Exchange::receive(&endpoint, NOW, incoming.clone());
    assert!(!format!("{exchange:?} {actions:?}").contains(token));
    let run = match receive(&endpoint, NOW, incoming) {
        Came::Refused(respond, cause) => {
            let code = respond.body.is_some().then(|| code_of(&respond));
            return format!("refused {code:?} {cause:?}");
        }
        Came::Waits(mut exchange) => {
            assert!(setup.single_use);
            let mut again = exchange.clone();
            let refused = again.handle(Event::Redeemed { first: false }).unwrap();
            assert!(matches!(refused.as_slice(), [Action::Respond(_)]));
            let [report] = refused.reports() else { panic!("one report, found {refused:?}") };
            assert_eq!(report.kind, ReportKind::StateReused);
            let first = exchange.handle(Event::Redeemed { first: true }).unwrap();
            let [Action::Run(run)] = first.as_slice() else { panic!("it runs, found {first:?}") };
            run.clone()
        }
        Came::Runs(_, run) => {
            assert!(run.round == 1 || !setup.single_use);
            run
        }
    };
    if run.is_legacy {
        assert!(setup.legacy);
    }
    if run.round == 1 {
        assert!(run.state.is_none() && nothing_is_answered(&run));
        // Answers that no state vouches for are seen only where there are no keys.
        let unseen = |(key, question)| run.answers.check(key, &question) == Ok(None);
        assert!(!setup.keys || run.is_legacy || questions().into_iter().all(unseen));
        return "runs round 1".into();
    }
    // Only what the state was sealed for gets here.
    assert!(setup.keys && run.round == 2);
    assert_eq!(run.state.as_ref().map(RawJson::as_str), Some(STATE));
    assert!(salient(sent).is_none_or(|sent| Some(sent) == salient(original.as_bytes())));
    if setup.single_use { "runs round 2 once" } else { "runs round 2" }.into()
}

fn nothing_is_answered(run: &Run) -> bool {
    ["form", "url", "model", "roots"].iter().all(|key| run.answers.get(key).is_none())
}

/// proves: SV-01, SV-04, ST-03, ST-06, PR-02
#[test]
fn whatever_happens_to_a_request_it_runs_as_it_was_or_is_answered_once() {
    let sound = [(false, false), (false, true), (true, false), (true, true)].map(sound_retry);
    let seen = RefCell::new(BTreeSet::new());
    let config = ProptestConfig { source_file: Some(file!()), ..config(4_000) };
    let run = |mut runner: TestRunner| {
        let mishaps = (any_setup(), vec(any_mishap(), 0..4));
        let ran = runner.run(&mishaps, |(setup, mishaps)| {
            let which = usize::from(setup.signed) * 2 + usize::from(setup.single_use);
            let (original, token) = sound.get(which).unwrap();
            let mut sent = original.clone().into_bytes();
            mishaps.iter().for_each(|mishap| befall(&mut sent, mishap));
            seen.borrow_mut().insert(arrive(setup, &sent, original, token));
            Ok(())
        });
        ran.unwrap();
    };
    run(TestRunner::new(config.clone()));
    // What must be reached is counted in cases that are the same every time: chance proves nothing.
    seen.borrow_mut().clear();
    run(TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)));
    let seen = seen.take();
    let expected = [
        "runs round 1",
        "runs round 2",
        "runs round 2 once",
        "refused Some(-32700) None",
        "refused Some(-32600) None",
        "refused Some(-32602) None",
        "refused Some(-32022) None",
        "refused Some(-32020) None",
        "refused Some(-32602) Some(NoKeyring)",
        "refused Some(-32602) Some(Malformed)",
        "refused Some(-32602) Some(NotAuthentic)",
        "refused Some(-32602) Some(OtherParams)",
    ];
    let missing: Vec<_> = expected.into_iter().filter(|place| !seen.contains(*place)).collect();
    assert!(missing.is_empty(), "nothing got to {missing:?}, but to {seen:?}");
}
