//! Bytes from which an odd trace is built.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::{odd, trace};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = odd::trace(&mut Unstructured::new(bytes)) {
        trace::secret_trace(&text);
    }
});
