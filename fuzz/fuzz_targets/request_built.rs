//! Bytes from which an odd request is built. The first chooses how the endpoint is set up.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::{odd, request};

fuzz_target!(|bytes: &[u8]| {
    let Some((setup, rest)) = bytes.split_first() else { return };
    if let Ok(text) = odd::request(&mut Unstructured::new(rest)) {
        request::request(*setup & !0x20, text.as_bytes());
    }
});
