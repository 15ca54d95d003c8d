//! What a hostile schema costs before it is refused, counted by the allocator.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use std::sync::Mutex;

use form_model::{Decoder, Limits, RefusalCode};

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
    let unbounded = Limits { schema_bytes_max: usize::MAX, ..Limits::default() };
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
