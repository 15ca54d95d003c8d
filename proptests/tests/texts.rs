//! Odd texts of each kind: the checks that the fuzz targets make.

#![allow(clippy::unwrap_used, reason = "this is a test")]

mod kept;

use arbitrary::{Arbitrary as _, Result, Unstructured};
use form_model::{Form, arbitrary_schema};
use kept::config;
use mrtr_proptests::texts::{
    form, frame, odd, record, request, responses, result, shown, token, trace, url, wire,
};
use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{RngAlgorithm, TestRng, TestRunner},
};

/// Builds a text of a kind and checks it. The value tells whether the text was taken.
type Check = fn(&mut Unstructured<'_>) -> Result<bool>;

/// Tries a check on texts of chance, and then on texts that are the same every time, of which some
/// are taken and some are not.
fn holds(cases: u32, check: Check) {
    let config = ProptestConfig { source_file: Some(file!()), ..config(cases) };
    let try_all = |mut runner: TestRunner| {
        let (mut taken, mut refused) = (0_u32, 0_u32);
        let counts = core::cell::RefCell::new((&mut taken, &mut refused));
        let ran = runner.run(&vec(any::<u8>(), 0..400), |bytes| {
            let (taken, refused) = &mut *counts.borrow_mut();
            match check(&mut Unstructured::new(&bytes)) {
                Ok(true) => **taken += 1,
                Ok(false) => **refused += 1,
                Err(_) => {}
            }
            Ok(())
        });
        ran.unwrap();
        (taken, refused)
    };
    try_all(TestRunner::new(config.clone()));
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let (taken, refused) = try_all(TestRunner::new_with_rng(config, rng));
    assert!(taken > cases / 50 && refused > cases / 50, "{taken} taken, {refused} refused");
}

/// Makes a short text of some of the pieces.
fn pieces(u: &mut Unstructured<'_>, pieces: &[&str]) -> Result<String> {
    let count = u.int_in_range(1..=6)?;
    (0..count).map(|_| Ok(*u.choose(pieces)?)).collect()
}

/// proves: FM-01, FM-02, FM-03, FM-13
#[test]
fn a_schema_reads_back_as_it_is_written() {
    holds(700, |u| Ok(form::schema(arbitrary_schema(u)?.as_bytes())));
}

/// proves: FM-10
#[test]
fn a_form_as_data_reads_back_as_it_is_written() {
    holds(1_000, |u| {
        let form = Form::arbitrary(u)?;
        Ok(form::canonical(&odd::document(u, &form.to_canonical())?))
    });
}

/// proves: FM-06
#[test]
fn an_answer_that_is_accepted_is_accepted_again() {
    let sound = r#"{"t":"a","n":-1.5,"i":1e0,"f":true,"c":"a","m":["a","b"],"":"x"}"#;
    assert!(form::answer(sound));
    assert!(form::answer(r#"{"e":"a@b.c","u":"urn:a","d":"2024-02-29"}"#));
    holds(1_000, |u| {
        let sound = r#"{"t":"a","n":-1.5,"i":1e0,"f":true,"c":"a","m":["a","b"],"":"x"}"#;
        Ok(form::answer(&odd::document(u, sound)?))
    });
}

/// proves: FM-08, FM-09
#[test]
fn a_draft_submits_what_it_shows_and_only_what_is_right() {
    holds(700, form::edits);
}

/// proves: HB-04
#[test]
fn a_frame_reads_back_as_it_is_written() {
    holds(1_000, |u| Ok(frame::frame(odd::frame(u)?.as_bytes())));
}

/// proves: HB-14
#[test]
fn a_record_reads_back_as_it_is_written() {
    holds(1_000, |u| Ok(record::record(&odd::record(u)?)));
}

/// proves: CL-20, CL-23
#[test]
fn a_trace_replays_as_it_is_written_again() {
    holds(300, |u| Ok(trace::secret_trace(&odd::trace(u)?)));
}

/// proves: W-11
#[test]
fn a_result_ends_a_call_or_is_answered() {
    holds(300, |u| Ok(result::result(u.arbitrary::<u8>()? & !0x40, odd::result(u)?.as_bytes())));
}

/// proves: SV-01
#[test]
fn a_request_runs_or_is_answered() {
    holds(1_000, |u| {
        Ok(request::request(u.arbitrary::<u8>()? & !0x20, odd::request(u)?.as_bytes()))
    });
}

/// proves: SV-04
#[test]
fn answers_are_of_the_kind_that_was_asked() {
    holds(500, |u| Ok(responses::responses(&odd::responses(u)?)));
}

/// proves: ST-01, ST-02, ST-03
#[test]
fn a_state_opens_where_all_that_binds_it_is_the_same() {
    holds(700, token::sealed_elsewhere);
    // Of this version of the format, and of the one before.
    assert!(!token::token("AgECazE") && !token::token("AQECazE"));
}

/// proves: CL-16
#[test]
fn a_url_is_shown_as_it_came() {
    holds(1_000, |u| {
        let rest = ["a", ".", "xn--b", ":8", "/", "?", "#", "@", "%D0%B0", "%", "[::1]", "é", " "];
        let scheme = *u.choose(&["https://", "HTTP://", "file://", ""])?;
        Ok(url::url(&(scheme.to_owned() + &pieces(u, &rest)?)))
    });
}

/// proves: FM-07, FM-11
#[test]
fn numbers_formats_and_texts_are_what_they_are() {
    holds(1_000, |u| {
        let parts = ["1", "0", "-", ".", "e", "9007199254740993", "\u{202e}", "\u{335}", "\r\n"];
        let whole = ["2024-02-29", "T23:59:60", "Z", "+01:00", "a@b.c", "urn:", "1e3", "0.1"];
        let is_whole = u.arbitrary()?;
        Ok(shown::shown(&pieces(u, if is_whole { &whole } else { &parts })?))
    });
}

/// proves: W-09, W-11
#[test]
fn the_parts_of_messages_are_what_they_say() {
    holds(1_000, |u| {
        let sound = [
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":"c.1","result":{"resultType":"complete"}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"größer","data":1}}"#,
            r#"{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}"#,
            r#"{"action":"accept","content":{"a":"x","n":1.5}}"#,
        ];
        let sound = *u.choose(&sound)?;
        Ok(wire::wire(odd::document(u, sound)?.as_bytes()))
    });
    for text in ["=?base64?Z3LDtsOfZQ==?=", "7.12.3 closed", "7.12.3", "tools/call", " a\t"] {
        assert!(!wire::wire(text.as_bytes()), "{text} is no JSON");
    }
}
