//! The MCP servers at the end of the chain, and the folder for what they receive.

use core::time::Duration;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::fixture::within;

/// A folder of one test.
#[derive(Clone)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("chain-{test}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_default()
    }

    /// Waits until a file has a whole line.
    pub(crate) async fn line(&self, name: &str) -> String {
        within(async {
            loop {
                let text = self.text(name);
                if let Some((line, _)) = text.split_once('\n') {
                    return line.into();
                }
                sleep(Duration::from_millis(5)).await;
            }
        })
        .await
    }

    /// Returns the messages that a server received.
    pub(crate) fn heard(&self, server: &Server) -> Vec<Value> {
        let text = self.text(&format!("{}-heard", server.name));
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// A server: a shell script and its arguments.
pub(crate) struct Server {
    pub(crate) name: &'static str,
    pub(crate) script: String,
    pub(crate) lines: Vec<String>,
}

impl Server {
    /// The server of the demo. Files hold its input and output, and another file says that it has
    /// ended.
    pub(crate) fn deploy(name: &'static str) -> Self {
        let deploy = env!("CARGO_BIN_EXE_deploy");
        let script = format!(
            r#"printf '%s\n' $$ > "$0-pid"
            tee -a "$0-heard" | "{deploy}" serve --stdio | tee -a "$0-said"
            echo over > "$0-over""#
        );
        Self { name, script, lines: Vec::new() }
    }

    /// A server that plays a script: `hear` reads a line, `say` writes one, and `$1`, `$2` and so on
    /// are the lines.
    pub(crate) fn play(name: &'static str, script: &str, lines: Vec<String>) -> Self {
        let script = format!(
            r#"hear() {{ IFS= read -r line && printf '%s\n' "$line" >> "$0-heard"; }}
            say() {{ printf '%s\n' "$1"; }}
            {script}"#
        );
        Self { name, script, lines }
    }

    /// Returns the command that starts it.
    pub(crate) fn command(&self, folder: &Folder) -> Vec<String> {
        let place = folder.file(self.name).to_str().unwrap().to_owned();
        let words = ["sh".into(), "-c".into(), self.script.clone(), place];
        words.into_iter().chain(self.lines.clone()).collect()
    }

    /// Kills a server of the demo, and the processes that belong to it.
    pub(crate) async fn kill(&self, folder: &Folder) {
        let pid = folder.line(&format!("{}-pid", self.name)).await;
        // Everything that it received is in the file by then.
        folder.line(&format!("{}-heard", self.name)).await;
        let kill = Command::new("sh").args(["-c", &format!("kill -9 -{pid}")]).status();
        assert!(kill.unwrap().success());
        fs::remove_file(folder.file(&format!("{}-pid", self.name))).unwrap();
    }
}

/// A request for a form with one yes-or-no field.
pub(crate) fn form(message: &str) -> Value {
    let schema = json!({
        "type": "object",
        "properties": {"confirm": {"type": "boolean"}},
        "required": ["confirm"],
    });
    json!({"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}})
}

/// The answer to a leg that asks. The state is JSON text, and is written as it is.
pub(crate) fn asks(leg: &str, requests: &Value, state: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":"{leg}","result":{{"resultType":"input_required","inputRequests":{requests},"requestState":{state}}}}}"#
    )
}

/// The answer to a leg that is done.
pub(crate) fn done(leg: &str) -> String {
    let content = json!([{"type": "text", "text": "done"}]);
    json!({"jsonrpc": "2.0", "id": leg, "result": {"content": content}}).to_string()
}
