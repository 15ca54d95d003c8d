//! Bytes of an answer to a form with a field of every kind: what is accepted goes over the wire
//! and is accepted again as the same answer.
#![no_main]

use std::sync::LazyLock;

use form_model::{Content, Form, Limits};
use libfuzzer_sys::fuzz_target;

static FORMS: LazyLock<[Form; 2]> = LazyLock::new(|| {
    [
        r#"{"type":"object","properties":{"t":{"type":"string","minLength":1,"maxLength":5},
            "n":{"type":"number","minimum":-1.5,"exclusiveMaximum":1e300},
            "i":{"type":"integer","maximum":9007199254740993},"f":{"type":"boolean"},
            "c":{"type":"string","enum":["a","\u0000"]},"":{"type":"string"},
            "m":{"type":"array","minItems":1,"maxItems":2,"items":{"enum":["a","b","c"]}}}}"#,
        r#"{"type":"object","properties":{"e":{"type":"string","format":"email"},
            "u":{"type":"string","format":"uri"},"d":{"type":"string","format":"date"},
            "z":{"type":"string","format":"date-time"}}}"#,
    ]
    .map(|schema| Form::from_schema(schema).expect("it is a form"))
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    let Ok(content) = Content::decode(text, &Limits::default()) else { return };
    for form in FORMS.iter() {
        let answer = match form.accept(content.clone()) {
            Ok(answer) => answer,
            Err(faults) => {
                assert!(faults.iter().next().is_some() && !faults.to_string().is_empty());
                continue;
            }
        };
        let again = Content::decode(&answer.to_json(), &Limits::default());
        let again = form.accept(again.expect("an answer is an object"));
        assert!(again.as_ref() == Ok(&answer), "{}", answer.to_json());
    }
});
