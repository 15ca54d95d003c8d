//! The MCP servers at the end of the chain, and the folder in which they leave what they heard.

use core::time::Duration;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::fixture::within;

/// Is a folder of one test.
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

    /// Waits until a file has something in it that ends a line.
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

    /// Returns the messages that a server heard.
    pub(crate) fn heard(&self, server: &Server) -> Vec<Value> {
        let text = self.text(&format!("{}-heard", server.name));
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Is a server: a script of the shell, and what it is told.
pub(crate) struct Server {
    pub(crate) name: &'static str,
    pub(crate) script: String,
    pub(crate) lines: Vec<String>,
}

impl Server {
    /// Is the server of the demo. What it hears and says stands in files, and at its end there is
    /// another.
    pub(crate) fn deploy(name: &'static str) -> Self {
        let deploy = env!("CARGO_BIN_EXE_deploy");
        let script = format!(
            r#"printf '%s\n' $$ > "$0-pid"
            tee -a "$0-heard" | "{deploy}" serve --stdio | tee -a "$0-said"
            echo over > "$0-over""#
        );
        Self { name, script, lines: Vec::new() }
    }

    /// Is a server that plays a script: `hear` takes a line off its input, `say` writes one; `$1`,
    /// `$2` and so on are the lines.
    pub(crate) fn play(name: &'static str, script: &str, lines: Vec<String>) -> Self {
        let script = format!(
            r#"hear() {{ IFS= read -r line && printf '%s\n' "$line" >> "$0-heard"; }}
            say() {{ printf '%s\n' "$1"; }}
            {script}"#
        );
        Self { name, script, lines }
    }

    /// Returns the command, for who starts it.
    pub(crate) fn command(&self, folder: &Folder) -> Vec<String> {
        let place = folder.file(self.name).to_str().unwrap().to_owned();
        let words = ["sh".into(), "-c".into(), self.script.clone(), place];
        words.into_iter().chain(self.lines.clone()).collect()
    }

    /// Kills a server of the demo with all that belongs to it.
    pub(crate) async fn kill(&self, folder: &Folder) {
        let pid = folder.line(&format!("{}-pid", self.name)).await;
        // What it has heard is written down by then.
        folder.line(&format!("{}-heard", self.name)).await;
        let kill = Command::new("sh").args(["-c", &format!("kill -9 -{pid}")]).status();
        assert!(kill.unwrap().success());
        fs::remove_file(folder.file(&format!("{}-pid", self.name))).unwrap();
    }
}

/// Is a request for a form with one field to say yes or no.
pub(crate) fn form(message: &str) -> Value {
    let schema = json!({
        "type": "object",
        "properties": {"confirm": {"type": "boolean"}},
        "required": ["confirm"],
    });
    json!({"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}})
}

/// Is the answer to a leg that asks. The state is JSON text, and stands in it as it is.
pub(crate) fn asks(leg: &str, requests: &Value, state: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":"{leg}","result":{{"resultType":"input_required","inputRequests":{requests},"requestState":{state}}}}}"#
    )
}

/// Is the answer to a leg that is done.
pub(crate) fn done(leg: &str) -> String {
    let content = json!([{"type": "text", "text": "done"}]);
    json!({"jsonrpc": "2.0", "id": leg, "result": {"content": content}}).to_string()
}
