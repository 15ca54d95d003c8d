//! The tools that say something before their end.

use core::time::Duration;
use std::thread;

use mrtr_core::exchange::{Event, Run};
use mrtr_examples::server::{Caller, Gone};
use serde_json::{Value, json};

use crate::handler::{finish, meta, tool_text};

/// How long a step of the work takes.
const STEP: Duration = Duration::from_millis(50);

/// The tools: each says what it does, if the client wants to hear it.
pub(crate) const TOOLS: [(&str, Tell); 3] = [
    ("test_tool_with_progress", progress),
    ("test_tool_with_logging", log),
    ("test_logging_tool", log),
];

type Tell = fn(&Run, &Caller<'_>) -> Result<(), Gone>;

/// Runs such a tool. Who is gone gets an answer all the same, which goes nowhere.
pub(crate) fn call(tell: Tell, run: &Run, caller: &Caller<'_>) -> Event {
    let text = if tell(run, caller).is_ok() { "It is done." } else { "Nobody waits." };
    finish(&tool_text(text))
}

/// Reports progress under the token of the request, if it has one.
fn progress(run: &Run, caller: &Caller<'_>) -> Result<(), Gone> {
    let token = meta(run, "progressToken");
    for (step, progress) in [0, 50, 100].into_iter().enumerate() {
        if step > 0 {
            thread::sleep(STEP);
        }
        if let Some(token) = &token {
            let params = json!({"progressToken": token, "progress": progress, "total": 100});
            caller.tell("notifications/progress", &params)?;
        }
    }
    Ok(())
}

/// The levels of a log, the least urgent first.
const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// Logs, if the request names a level that hears it.
fn log(run: &Run, caller: &Caller<'_>) -> Result<(), Gone> {
    let level = meta(run, "io.modelcontextprotocol/logLevel");
    let urgency = |name: &str| LEVELS.iter().position(|level| *level == name);
    let least = level.as_ref().and_then(Value::as_str).and_then(urgency);
    let is_heard = least.is_some_and(|least| Some(least) <= urgency("info"));
    for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        if is_heard {
            caller.tell("notifications/message", &json!({"level": "info", "data": text}))?;
        }
        thread::sleep(STEP);
    }
    Ok(())
}
