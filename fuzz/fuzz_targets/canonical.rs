//! Bytes of a form as data.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::form;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = core::str::from_utf8(bytes) {
        form::canonical(text);
    }
});
