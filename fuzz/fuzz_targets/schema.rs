//! Bytes of a schema.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::form;

fuzz_target!(|bytes: &[u8]| {
    form::schema(bytes);
});
