//! Text of a request state.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::token;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = core::str::from_utf8(bytes) {
        token::token(text);
    }
});
