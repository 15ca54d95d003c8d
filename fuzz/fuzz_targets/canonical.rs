//! Bytes of a form as data: what reads is written back and reads as an equal form, and means as a
//! schema what it means as data.
#![no_main]

use form_model::{Form, Limits};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    let Ok(form) = Form::from_canonical(text, &Limits::default()) else { return };
    let again = Form::from_canonical(&form.to_canonical(), &Limits::default());
    assert!(again.as_ref() == Ok(&form), "{}", form.to_canonical());
    assert!(Form::from_schema(&form.to_schema()).as_ref() == Ok(&form), "{}", form.to_schema());
});
