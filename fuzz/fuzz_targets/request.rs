//! Bytes of a request. The first byte chooses how the endpoint is set up.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::request;

fuzz_target!(|bytes: &[u8]| {
    let Some((setup, rest)) = bytes.split_first() else { return };
    request::request(*setup, rest);
});
