//! Plays a trace: takes its lines of input, and returns what the call does about each.

use core::fmt::Write as _;

use mrtr_core::{
    client::{Actions, Invocation},
    trace::{Exposed, Redacted, Step},
};

/// Plays the lines of a trace, one call after another.
pub(crate) struct Player {
    call: Option<Invocation>,
    /// Whether what a server sent and people answered is shown.
    exposes: bool,
}

impl Player {
    pub(crate) const fn new(exposes: bool) -> Self {
        Self { call: None, exposes }
    }

    /// Plays one line, and returns what to write under it. A line that is not of the format is an
    /// error, and changes nothing.
    pub(crate) fn play(&mut self, line: &str) -> Result<String, String> {
        let Exposed(step) = Exposed::read(line).map_err(|error| error.to_string())?;
        let mut played = String::new();
        match step {
            Step::Start { at, start } => match start.start(at) {
                Ok((call, actions)) => {
                    self.call = Some(call);
                    self.write(actions, &mut played);
                }
                Err(error) => return Ok(format!("  no start: {error}\n")),
            },
            Step::Event { at, event } => {
                let call = self.call.as_mut().ok_or("expected a start before an event")?;
                match call.handle(at, event) {
                    Ok(actions) => self.write(actions, &mut played),
                    Err(misuse) => played = format!("  misuse: {misuse}\n"),
                }
            }
        }
        played.push_str(&self.state());
        Ok(played)
    }

    fn write(&self, actions: Actions, played: &mut String) {
        for action in actions {
            let written = if self.exposes {
                serde_json::to_string(&Exposed(&action))
            } else {
                serde_json::to_string(&Redacted(&action))
            };
            let _ = writeln!(played, "  {}", written.unwrap_or_default());
        }
    }

    /// Writes the phase and the deadline.
    fn state(&self) -> String {
        let Some(call) = &self.call else { return String::new() };
        let phase = serde_json::to_string(&call.phase()).unwrap_or_default();
        let phase = phase.trim_matches('"');
        match call.deadline() {
            None => format!("  = {phase}\n"),
            Some(at) => format!("  = {phase} until {}\n", at.since_epoch().as_millis()),
        }
    }
}
