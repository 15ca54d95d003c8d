//! Text of a URL that a person is asked to open.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::url;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = core::str::from_utf8(bytes) {
        url::url(text);
    }
});
