//! Bytes of a form and of edits to a draft of it.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::form;

fuzz_target!(|bytes: &[u8]| {
    let _ = form::edits(&mut Unstructured::new(bytes));
});
