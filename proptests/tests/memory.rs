//! What a hostile schema costs before it is refused, and what a round leaves behind when it is sent,
//! counted by the allocator.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use std::sync::{Arc, Mutex};

use form_model::{Decoder, Limits, RefusalCode};
use mrtr_core::{
    server::{Action, Ending, Exchange, Incoming, Need},
    wire::InputRequest,
};
use mrtr_proptests::exchange::{Counting, NOW, endpoint, message};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// The allocator counts for all threads, so that one test counts at a time.
static COUNTING: Mutex<()> = Mutex::new(());

/// Returns the most bytes that were taken at once while something was done.
fn peak(work: impl FnOnce()) -> usize {
    let profiler = dhat::Profiler::builder().testing().build();
    work();
    let peak = dhat::HeapStats::get().max_bytes;
    drop(profiler);
    peak
}

fn schema(field: impl Fn(usize) -> String, fields: usize) -> String {
    let fields: Vec<_> = (0..fields).map(field).collect();
    format!(r#"{{"type":"object","properties":{{{}}}}}"#, fields.join(","))
}

/// proves: FM-04, W-11
#[test]
fn a_hostile_schema_is_refused_before_it_takes_memory() {
    let _counting = COUNTING.lock();
    let plain = |i| format!(r#""f{i}":{{"type":"string","title":"Some title","minLength":1}}"#);
    let hundred_thousand = schema(plain, 200_000);
    assert!(hundred_thousand.len() > 10_000_000);
    let unbounded = Limits::default().schema_bytes_max(usize::MAX);
    let branches = vec!["{}"; 80_000].join(",");
    let nested = format!(
        r#"{{"type":"object","properties":{{"a":{{"anyOf":[{{"anyOf":[{branches}]}},{{}}]}}}}}}"#
    );
    let unknown: Vec<_> = (0..20_000).map(|i| format!(r#""x{i}":1"#)).collect();
    let unknown = format!(r#"{{"type":"object","properties":{{}},{}}}"#, unknown.join(","));
    let cases = [
        (Limits::default(), hundred_thousand.as_str(), 1024),
        (unbounded.clone(), hundred_thousand.as_str(), 256 * 1024),
        (Limits::default(), nested.as_str(), 256 * 1024),
        (Limits::default(), unknown.as_str(), 256 * 1024),
    ];
    for (limits, schema, bytes_max) in cases {
        let decoder = Decoder::new(limits);
        let peak = peak(|| {
            let refusal = decoder.decode(schema).unwrap_err();
            assert!(matches!(refusal.code, RefusalCode::OverLimit | RefusalCode::OutsideSubset));
        });
        assert!(peak < bytes_max, "{peak} bytes for a schema of {}", schema.len());
    }
}

/// proves: W-11
#[test]
fn what_is_kept_of_a_form_is_a_small_multiple_of_its_text() {
    let _counting = COUNTING.lock();
    let options: Vec<_> =
        (0..4000).map(|i| format!(r#"{{"const":"value-{i}","title":"T{i}"}}"#)).collect();
    let wide = format!(
        r#"{{"type":"object","properties":{{"a":{{"type":"string","oneOf":[{}]}}}}}}"#,
        options.join(",")
    );
    let many = schema(|i| format!(r#""f{i}":{{"type":"string","title":"Some title"}}"#), 128);
    for text in [wide, many] {
        let decoder = Decoder::default();
        let peak = peak(|| drop(decoder.decode(&text).unwrap()));
        assert!(peak < 10 * text.len(), "{peak} bytes for a schema of {}", text.len());
    }
}

/// Brings first requests to endpoints of both modes, whose handlers ask; nobody comes back.
fn ask_and_hear_no_more(legs: usize) {
    let endpoints = [endpoint(false), endpoint(true)].map(Arc::new);
    let sent = message("tools/call", &[("arguments", "{}")]);
    for endpoint in endpoints.iter().cycle().take(legs) {
        let incoming = Incoming::message(sent.as_bytes()).with_principal("alice");
        let (mut exchange, actions) = Exchange::receive(endpoint, NOW, incoming);
        assert!(matches!(actions.as_slice(), [Action::Run(_)]));
        let url = InputRequest::url("Sign in", "https://x.example/").unwrap();
        let need = Need::new().request("url", url);
        let actions = exchange.end(NOW, &mut Counting::default(), Ending::Need(need)).unwrap();
        assert!(matches!((actions.as_slice(), actions.reports()), ([Action::Respond(_)], [_])));
    }
}

/// proves: SV-02
#[test]
fn what_a_leg_takes_is_given_back_when_its_round_is_sent() {
    // The test harness has threads of its own, and they are counted, too.
    const HARNESS_BYTES: usize = 4096;
    const LEGS: usize = 1000;
    let _counting = COUNTING.lock();
    let peak_of_two = peak(|| ask_and_hear_no_more(2));
    let profiler = dhat::Profiler::builder().testing().build();
    ask_and_hear_no_more(LEGS);
    let heap = dhat::HeapStats::get();
    drop(profiler);
    // So a leg keeps less than 5 bytes.
    assert!(heap.curr_bytes < HARNESS_BYTES, "{} bytes are kept", heap.curr_bytes);
    assert!(heap.max_bytes < peak_of_two + HARNESS_BYTES, "{} bytes at once", heap.max_bytes);
}

/// proves: SV-02
#[cfg(target_os = "linux")]
#[test]
fn a_hundred_thousand_first_legs_without_a_retry_leave_no_memory_behind() {
    let _counting = COUNTING.lock();
    // The second number is of the pages that are in memory. The allocator counts too slowly here.
    let pages = || -> u64 {
        let memory = std::fs::read_to_string("/proc/self/statm").unwrap();
        memory.split(' ').nth(1).unwrap().parse().unwrap()
    };
    let on_two_threads = |legs: usize| {
        std::thread::scope(|scope| {
            scope.spawn(|| ask_and_hear_no_more(legs / 2));
            ask_and_hear_no_more(legs / 2);
        });
    };
    on_two_threads(1_000);
    let before = pages();
    on_two_threads(100_000);
    // Less than 8 bytes a leg.
    assert!(pages() < before + 200, "{before} pages became {}", pages());
}
