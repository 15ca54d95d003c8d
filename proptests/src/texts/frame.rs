//! Frames between a host and its providers, and the questions in them.

use mrtr_core::{
    host::{HostFrame, Limits, ProviderFrame, Question},
    wire::Json,
};

/// Reads a frame or a question: what is read is written as it was meant.
///
/// # Panics
///
/// If something does not hold.
pub fn frame(bytes: &[u8]) -> bool {
    // A line break that was carried between two tokens is a space in what is written.
    let is_line = !bytes.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
    if let Ok(frame) = ProviderFrame::decode(bytes) {
        let line = frame.to_json();
        assert!(!line.contains('\n'), "a frame is one line");
        let again = ProviderFrame::decode(line.as_bytes()).unwrap();
        assert_eq!(again.to_json(), line);
        assert!(again == frame || !is_line, "a frame is read as it was");
        assert!(HostFrame::decode(bytes).is_err(), "a frame is of one side");
        if let ProviderFrame::InteractionRequest { request, .. } = frame {
            question(request.as_json());
        }
        return true;
    }
    if let Ok(frame) = HostFrame::decode(bytes) {
        let line = frame.to_json();
        assert!(!line.contains('\n'), "a frame is one line");
        let again = HostFrame::decode(line.as_bytes()).unwrap();
        assert_eq!(again.to_json(), line);
        assert!(again == frame || !is_line, "a frame is read as it was");
        return true;
    }
    let text = core::str::from_utf8(bytes).ok();
    text.and_then(|text| Json::parse(text).ok()).is_some_and(question)
}

/// Reads a question: it is written back and reads as an equal one.
///
/// # Panics
///
/// If something does not hold.
pub fn question(json: Json<'_>) -> bool {
    let limits = Limits::default();
    let Ok(question) = Question::decode(json, &limits) else { return false };
    assert_eq!(Question::decode(question.to_json().as_json(), &limits), Ok(question));
    true
}
