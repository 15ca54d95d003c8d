//! Bytes of frames, questions and records: what is read is written as it was meant.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_core::broker::{HostFrame, Limits, ProviderFrame, Question, Record, RecordId};

fuzz_target!(|bytes: &[u8]| {
    // A line break that was carried between two tokens is a space in what is written.
    let is_line = !bytes.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
    if let Ok(frame) = ProviderFrame::decode(bytes) {
        let line = frame.to_json();
        assert!(!line.contains('\n'), "a frame is one line");
        let again = ProviderFrame::decode(line.as_bytes()).expect("a frame is read again");
        assert_eq!(again.to_json(), line);
        assert!(again == frame || !is_line, "a frame is read as it was");
        assert!(HostFrame::decode(bytes).is_err(), "a frame is of one side");
    }
    if let Ok(frame) = HostFrame::decode(bytes) {
        let line = frame.to_json();
        let again = HostFrame::decode(line.as_bytes()).expect("a frame is read again");
        assert_eq!(again.to_json(), line);
        assert!(again == frame || !is_line, "a frame is read as it was");
    }
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    let limits = Limits::default();
    if let Ok(question) = Question::decode(text, &limits) {
        assert_eq!(Question::decode(question.to_json().as_str(), &limits), Ok(question));
    }
    if let Ok(record) = Record::decode(text, &limits) {
        assert_eq!(RecordId::decode(text), Ok(record.id()));
        let line = record.to_json();
        let again = Record::decode(&line, &limits).expect("a record is read again");
        assert_eq!(again.to_json(), line);
        assert!(again == record || !is_line, "a record is read as it was");
        assert_eq!(record.id().to_string().parse(), Ok(record.id()));
    }
});
