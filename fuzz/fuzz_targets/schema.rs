//! Bytes of a schema: no panic, strict agrees with usual, and a form is written back as it is.
#![no_main]

use form_model::{Decoder, Form};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let usual = Decoder::default().decode_bytes(bytes);
    let strict = Decoder::default().strict().decode_bytes(bytes);
    let Ok(decoded) = usual else {
        assert!(strict.is_err(), "strict takes no more than usual");
        return;
    };
    assert_eq!(decoded.notes.is_empty(), strict.is_ok(), "strict refuses exactly what is noted");
    let schema = decoded.form.to_schema();
    let again = Form::from_schema(&schema);
    assert!(again.as_ref() == Ok(&decoded.form), "{again:?} of {schema}");
    assert_eq!(again.map(|form| form.to_schema()), Ok(schema));
});
