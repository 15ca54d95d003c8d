//! Bytes from which two endpoints are built, of which one opens what the other sealed.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::token;

fuzz_target!(|bytes: &[u8]| {
    let _ = token::sealed_elsewhere(&mut Unstructured::new(bytes));
});
