//! Text for people, of numbers and of formats.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::shown;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = core::str::from_utf8(bytes) {
        shown::shown(text);
    }
});
