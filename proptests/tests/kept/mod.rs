//! How many cases a property is tried on, and what becomes of those that fail.

use proptest::{prelude::ProptestConfig, test_runner::FileFailurePersistence};

/// Tries so many cases, or more if `PROPTEST_CASES` asks for more. Failures are kept beside the file
/// of the test, and tried first ever after.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let usual = ProptestConfig::default();
    let kept = FileFailurePersistence::WithSource("regressions");
    ProptestConfig {
        cases: usual.cases.max(cases),
        failure_persistence: Some(Box::new(kept)),
        ..usual
    }
}
