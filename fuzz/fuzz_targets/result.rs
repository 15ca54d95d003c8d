//! Bytes of a server's reply to a running call. The first byte chooses how the call is set up.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::result;

fuzz_target!(|bytes: &[u8]| {
    let Some((setup, rest)) = bytes.split_first() else { return };
    result::result(*setup, rest);
});
