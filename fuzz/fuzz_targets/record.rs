//! Bytes of a record of a store.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::record;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = core::str::from_utf8(bytes) {
        record::record(text);
    }
});
