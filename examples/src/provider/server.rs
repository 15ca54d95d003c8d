//! The MCP server of a provider: a child process that is started again when it is gone.

use std::{
    io,
    process::Command,
    sync::{Arc, Mutex, PoisonError},
};

use mrtr_core::client::Binding;

use crate::stdio::threads::Child;

/// A server that a command starts.
pub struct Server {
    name: String,
    program: String,
    args: Vec<String>,
    running: Mutex<Running>,
}

/// The process that runs now.
struct Running {
    child: Arc<Child>,
    /// The number of processes before it.
    before: u64,
}

impl Server {
    /// Starts a server, and gives it a name that is shown to people.
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

    /// Returns the running process, and the binding of a call to it. A process that is gone is
    /// replaced: the calls that are bound to it are lost, and later calls are bound to the new one.
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
