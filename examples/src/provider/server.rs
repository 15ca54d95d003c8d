//! The MCP server of a provider: a child process that is started again when it is gone.

use std::{
    io,
    process::Command,
    sync::{Arc, Mutex, PoisonError},
};

use mrtr_core::Binding;

use crate::stdio::threads::Child;

/// Is a server that a command starts.
pub struct Server {
    name: String,
    program: String,
    args: Vec<String>,
    running: Mutex<Running>,
}

/// Is the process that runs now.
struct Running {
    child: Arc<Child>,
    /// How many ran before it.
    before: u64,
}

impl Server {
    /// Starts a server, and gives it a name that people are shown.
    ///
    /// # Errors
    ///
    /// A command that does not start.
    pub fn start(name: &str, program: &str, args: &[String]) -> io::Result<Self> {
        let child = Arc::new(Child::spawn(command(program, args))?);
        let running = Mutex::new(Running { child, before: 0 });
        Ok(Self { name: name.into(), program: program.into(), args: args.into(), running })
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the process that runs, and what a call of it is bound to. One that is gone is
    /// replaced: calls that were bound to it are lost, and later ones are bound to the new one.
    pub(super) fn connect(&self) -> io::Result<(Arc<Child>, Binding)> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.child.is_lost() {
            running.child = Arc::new(Child::spawn(command(&self.program, &self.args))?);
            running.before += 1;
        }
        Ok((running.child.clone(), Binding::new(&format!("{}#{}", self.name, running.before))))
    }
}

fn command(program: &str, args: &[String]) -> Command {
    let mut command = Command::new(program);
    command.args(args);
    command
}
