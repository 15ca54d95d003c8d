//! Bytes from which odd answers to a round are built.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::{odd, responses};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = odd::responses(&mut Unstructured::new(bytes)) {
        responses::responses(&text);
    }
});
