//! Bytes of an answer to a form with a field of every kind.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::form;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = core::str::from_utf8(bytes) {
        form::answer(text);
    }
});
