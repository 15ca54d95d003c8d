//! Lines of a trace.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::trace;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = core::str::from_utf8(bytes) {
        trace::trace(text);
    }
});
