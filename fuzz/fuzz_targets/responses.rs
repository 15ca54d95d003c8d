//! Text of `inputResponses`, on a retry with a state of a round that asked for every kind.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::responses;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = core::str::from_utf8(bytes) {
        responses::responses(text);
    }
});
