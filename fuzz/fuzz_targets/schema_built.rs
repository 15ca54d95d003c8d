//! Bytes from which a schema near the edge of the subset is built.
#![no_main]

use arbitrary::Unstructured;
use form_model::arbitrary_schema;
use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::form;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = arbitrary_schema(&mut Unstructured::new(bytes)) {
        form::schema(text.as_bytes());
    }
});
