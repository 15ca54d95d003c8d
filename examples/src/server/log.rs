//! The reports of a server as lines of the operator's log.

use core::error::Error;

use form_model::SafeText;
use mrtr_core::server::{Report, ReportKind};

/// Prints a report as a line of the standard error. A round that was sent is not worth a line.
pub fn print_report(report: &Report) {
    if !matches!(report.kind, ReportKind::InputRequired { .. }) {
        eprintln!("{}", describe(report));
    }
}

/// Describes a report in a line: the endpoint, the method, what happened, and the causes of an error
/// of the handler.
///
/// The causes are the handler's own words, and may repeat what the client sent. They belong into the
/// operator's log, and never into an answer.
#[must_use]
pub fn describe(report: &Report) -> String {
    let method = report.method.as_deref().unwrap_or("an unreadable message");
    let mut line = format!("server {}: {method}: {:?}", report.endpoint, report.kind);
    if let ReportKind::HandlerFailed(error) = &report.kind {
        let mut cause: Option<&dyn Error> = error.cause().map(|cause| cause as _);
        while let Some(error) = cause {
            line.push_str(&format!(": {error}"));
            cause = error.source();
        }
    }
    SafeText::line(&line).to_string()
}
