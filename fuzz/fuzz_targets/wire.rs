//! Bytes of the parts of messages: headers, capabilities, errors, ids, elicitation results.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::wire;

fuzz_target!(|bytes: &[u8]| {
    wire::wire(bytes);
});
