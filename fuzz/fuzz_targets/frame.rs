//! Bytes of frames and questions.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_proptests::texts::frame;

fuzz_target!(|bytes: &[u8]| {
    frame::frame(bytes);
});
