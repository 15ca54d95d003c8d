//! Records of a store, as a host reads them back.

use mrtr_core::host::{Limits, Record, RecordId};

/// Reads a record: its id reads alone, and it is written as it was meant.
///
/// # Panics
///
/// If something does not hold.
pub fn record(text: &str) -> bool {
    let limits = Limits::default();
    let id = RecordId::decode(text);
    let Ok(record) = Record::decode(text, &limits) else { return false };
    assert_eq!(id, Ok(record.id()), "a record has the id that is read without the rest");
    assert_eq!(record.id().to_string().parse(), Ok(record.id()));
    let line = record.to_json();
    assert!(!line.contains('\n'), "a record is one line");
    let again = Record::decode(&line, &limits).unwrap();
    assert_eq!(again.to_json(), line);
    // A line break that was carried between two tokens is a space in what is written.
    assert!(again == record || text.contains(['\n', '\r']), "a record is read as it was");
    true
}
