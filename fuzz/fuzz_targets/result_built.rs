//! Bytes from which an odd result is built. The first chooses how the call is set up.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::{odd, result};

fuzz_target!(|bytes: &[u8]| {
    let Some((setup, rest)) = bytes.split_first() else { return };
    if let Ok(text) = odd::result(&mut Unstructured::new(rest)) {
        result::result(*setup & !0x40, text.as_bytes());
    }
});
