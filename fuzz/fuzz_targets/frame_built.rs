//! Bytes from which an odd frame or question is built.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::{frame, odd};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = odd::frame(&mut Unstructured::new(bytes)) {
        frame::frame(text.as_bytes());
    }
});
