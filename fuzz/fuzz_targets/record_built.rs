//! Bytes from which an odd record is built.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::{odd, record};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = odd::record(&mut Unstructured::new(bytes)) {
        record::record(&text);
    }
});
