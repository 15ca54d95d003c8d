//! The scripted server. It answers discovery and lists correctly, answers the call from its script, and
//! keeps every message.

use core::{
    net::Ipv4Addr,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use std::{
    collections::BTreeMap,
    io::{self, BufRead as _, BufReader, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Instant,
};

use super::{
    json::Json,
    script::{self, ELSEWHERE, HERE, ID, N, Reply, Script, Step},
    wire,
};

/// The size of an answer that is kept, to show it.
const ANSWER_BYTES_MAX: usize = 4096;

/// A message that a client sent.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) at: Instant,
    /// The HTTP request without its body. `None` over stdio.
    pub(crate) http: Option<wire::Request>,
    pub(crate) body: Vec<u8>,
    pub(crate) json: Result<Json, String>,
    /// Whether the second server received it, which the client does not know.
    pub(crate) elsewhere: bool,
    /// The answer, and when it was written.
    pub(crate) answered: Option<(Instant, String)>,
}

impl Received {
    /// Returns the method of the message.
    pub(crate) fn method(&self) -> Option<String> {
        self.json.as_ref().ok()?.get("method")?.text()
    }

    /// Returns the id of the message.
    pub(crate) fn id(&self) -> Option<&Json> {
        self.json.as_ref().ok()?.get("id")
    }

    /// Returns the parameters of the message.
    pub(crate) fn params(&self) -> Option<&Json> {
        self.json.as_ref().ok()?.get("params")
    }

    /// Returns the body as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into()
    }
}

/// A running scripted server. It stops when it is dropped.
pub(crate) struct ScriptedServer {
    shared: Arc<Shared>,
    listeners: Vec<TcpListener>,
    here: String,
}

struct Shared {
    script: Script,
    /// The method of the legs, and the name of the tool, prompt or resource.
    method: &'static str,
    name: String,
    here: String,
    elsewhere: String,
    seen: Mutex<Vec<Received>>,
    /// The number of legs so far, for each argument `n`.
    legs: Mutex<BTreeMap<String, usize>>,
    stopped: AtomicBool,
}

impl ScriptedServer {
    /// Starts a server. With `is_stdio` it serves a relay, which carries lines.
    ///
    /// # Errors
    ///
    /// Fails if no port can be opened.
    pub(crate) fn start(
        script: Script,
        method: &'static str,
        name: &str,
        is_stdio: bool,
    ) -> io::Result<Self> {
        let here = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let elsewhere = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = here.local_addr()?.to_string();
        let shared = Arc::new(Shared {
            script,
            method,
            name: name.into(),
            here: format!("http://{address}"),
            elsewhere: format!("http://{}", elsewhere.local_addr()?),
            seen: Mutex::default(),
            legs: Mutex::default(),
            stopped: AtomicBool::new(false),
        });
        let listeners = vec![here, elsewhere];
        for (index, listener) in listeners.iter().enumerate() {
            let (listener, shared) = (listener.try_clone()?, shared.clone());
            thread::spawn(move || shared.accept(&listener, is_stdio, index == 1));
        }
        Ok(Self { shared, listeners, here: address })
    }

    /// Returns the address for a relay.
    pub(crate) fn address(&self) -> &str {
        &self.here
    }

    /// Returns the URL of the endpoint.
    pub(crate) fn url(&self) -> String {
        format!("{}/mcp", self.shared.here)
    }

    /// Returns the messages so far.
    pub(crate) fn seen(&self) -> Vec<Received> {
        self.shared.seen().clone()
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
        for listener in &self.listeners {
            // This wakes the thread that waits for a connection.
            listener.local_addr().and_then(TcpStream::connect).ok();
        }
    }
}

impl Shared {
    fn seen(&self) -> MutexGuard<'_, Vec<Received>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accept(self: Arc<Self>, listener: &TcpListener, is_stdio: bool, elsewhere: bool) {
        while let Ok((stream, _)) = listener.accept() {
            if self.stopped.load(Ordering::Relaxed) {
                return;
            }
            stream.set_nodelay(true).ok();
            let shared = self.clone();
            thread::spawn(move || {
                if is_stdio { shared.lines(&stream) } else { shared.exchange(&stream, elsewhere) }
            });
        }
    }

    /// Answers one HTTP request.
    fn exchange(&self, stream: &TcpStream, elsewhere: bool) -> io::Result<()> {
        let request = wire::read(stream)?;
        let (index, step) = self.take(Some(request), None, elsewhere);
        thread::sleep(step.after);
        let written = wire::write(stream, &step.reply, &|bytes| self.fill(index, bytes));
        self.answered(index, &step);
        // Closing with unread bytes would reset the connection, and the answer might be lost.
        stream.shutdown(Shutdown::Write)?;
        wire::wait_for_close(stream, Duration::from_secs(2));
        written
    }

    /// Answers the lines of a relay, each on its own thread.
    fn lines(self: Arc<Self>, stream: &TcpStream) -> io::Result<()> {
        let writer = Arc::new(Mutex::new(stream.try_clone()?));
        for line in BufReader::new(stream).split(b'\n') {
            let (index, step) = self.take(None, Some(line?), false);
            let (shared, writer) = (self.clone(), writer.clone());
            thread::spawn(move || {
                thread::sleep(step.after);
                let lines = match &step.reply {
                    Reply::Document { body, .. } if body.is_empty() => Vec::new(),
                    Reply::Document { body, .. } | Reply::Bytes(body) => vec![body.clone()],
                    Reply::Messages(messages) => messages.clone(),
                    Reply::Chunks(chunks) => vec![chunks.concat()],
                    Reply::Stream { parts, .. } => {
                        parts.iter().map(|(_, part)| part.clone()).collect()
                    }
                    Reply::Silence => Vec::new(),
                    Reply::Hangup => {
                        let writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
                        writer.shutdown(Shutdown::Both).ok();
                        return;
                    }
                };
                let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
                for line in lines {
                    let mut line = shared.fill(index, &line);
                    line.push(b'\n');
                    writer.write_all(&line).ok();
                }
                drop(writer);
                shared.answered(index, &step);
            });
        }
        Ok(())
    }

    /// Keeps a message, and returns its answer.
    fn take(
        &self,
        http: Option<wire::Request>,
        line: Option<Vec<u8>>,
        elsewhere: bool,
    ) -> (usize, Step) {
        let at = Instant::now();
        let mut http = http;
        let body = line.or(http.as_mut().map(|http| core::mem::take(&mut http.body)));
        let body = body.unwrap_or_default();
        let json = Json::parse(&body);
        let seen = Received { at, http, body, json, elsewhere, answered: None };
        let step = self.step(&seen);
        let mut all = self.seen();
        all.push(seen);
        (all.len() - 1, step)
    }

    fn step(&self, seen: &Received) -> Step {
        let status = |code| script::document("").with_status(code);
        if seen.http.as_ref().is_some_and(|http| http.method != "POST") {
            return status(405);
        }
        let Some(method) = seen.method() else { return status(400) };
        if seen.id().is_none() {
            return status(202);
        }
        if method == self.method {
            let n = argument_n(seen);
            let mut legs = self.legs.lock().unwrap_or_else(PoisonError::into_inner);
            let leg = legs.entry(n).or_default();
            let step = self.script.legs.get(*leg).or(self.script.legs.last()).cloned();
            *leg += 1;
            return step.unwrap_or_else(|| status(500));
        }
        let other = self.script.others.iter().find(|(known, _)| *known == method);
        other.map_or_else(|| self.sound(&method), |(_, step)| step.clone())
    }

    /// Returns the correct answer to discovery and lists.
    fn sound(&self, method: &str) -> Step {
        let name = serde_json::to_string(&self.name).unwrap_or_default();
        let listed = match method {
            "server/discover" => {
                return script::result(DISCOVERED);
            }
            "tools/list" => {
                format!(r#""tools":[{{"name":{name},"inputSchema":{{"type":"object"}}}}]"#)
            }
            "prompts/list" => format!(r#""prompts":[{{"name":{name}}}]"#),
            "resources/list" => format!(r#""resources":[{{"uri":{name},"name":"scripted"}}]"#),
            "resources/templates/list" => String::from(r#""resourceTemplates":[]"#),
            _ => return script::error(NO_METHOD).with_status(404),
        };
        script::result(&format!(
            r#"{{"resultType":"complete",{listed},"ttlMs":0,"cacheScope":"private"}}"#
        ))
    }

    fn answered(&self, index: usize, step: &Step) {
        let body = step.body();
        let kept: String = body.chars().take(ANSWER_BYTES_MAX).collect();
        if let Some(seen) = self.seen().get_mut(index) {
            seen.answered = Some((Instant::now(), kept));
        }
    }

    /// Replaces the placeholders.
    fn fill(&self, index: usize, bytes: &[u8]) -> Vec<u8> {
        let (id, n) = match self.seen().get(index) {
            Some(seen) => (seen.id().map_or("null".into(), ToString::to_string), argument_n(seen)),
            None => return bytes.to_vec(),
        };
        let known = [(ID, &id), (N, &n), (HERE, &self.here), (ELSEWHERE, &self.elsewhere)];
        known.iter().fold(bytes.to_vec(), |bytes, (mark, text)| replace(bytes, mark, text))
    }
}

/// Returns the argument `n`, which distinguishes parallel calls.
fn argument_n(seen: &Received) -> String {
    seen.params()
        .and_then(|params| params.at(&["arguments", "n"]))
        .map(|n| n.text().unwrap_or_else(|| n.to_string()))
        .unwrap_or_default()
}

fn replace(bytes: Vec<u8>, mark: &str, text: &str) -> Vec<u8> {
    let mark = mark.as_bytes();
    if !bytes.contains(&b'%') {
        return bytes;
    }
    let mut filled = Vec::with_capacity(bytes.len() + text.len());
    let mut rest = bytes.as_slice();
    while let Some(at) = rest.windows(mark.len()).position(|window| window == mark) {
        filled.extend_from_slice(rest.get(..at).unwrap_or_default());
        filled.extend_from_slice(text.as_bytes());
        rest = rest.get(at + mark.len()..).unwrap_or_default();
    }
    filled.extend_from_slice(rest);
    filled
}

const DISCOVERED: &str = concat!(
    r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"#,
    r#""capabilities":{"tools":{},"prompts":{},"resources":{}},"ttlMs":0,"cacheScope":"private","#,
    r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scripted","version":"1.0.0"}}}"#,
);

const NO_METHOD: &str = r#"{"code":-32601,"message":"Method not found"}"#;
