//! The tools that send notifications before they answer.

use core::time::Duration;
use std::thread;

use mrtr_core::server::{Ending, Run};
use mrtr_examples::server::{Caller, Gone, finish};
use serde_json::{Value, json};

use crate::handler::{meta, tool_text};

/// How long a step of the work takes.
const STEP: Duration = Duration::from_millis(50);

/// The tools. Each sends notifications if the client wants them.
pub(crate) const TOOLS: [(&str, Tell); 3] = [
    ("test_tool_with_progress", progress),
    ("test_tool_with_logging", log),
    ("test_logging_tool", log),
];

type Tell = fn(&Run, &Caller<'_>) -> Result<(), Gone>;

/// Runs a tool. If the caller is gone, nobody gets the answer.
pub(crate) fn call(tell: Tell, run: &Run, caller: &Caller<'_>) -> Ending {
    let text = if tell(run, caller).is_ok() { "It is done." } else { "Nobody waits." };
    finish(&tool_text(text))
}

/// Reports progress under the token of the request, if the request has one.
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

/// The levels of a log, from the least urgent.
const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// Logs, if the request asks for messages of that level.
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
