//! A host, and what a test checks: the frames of its providers, its reports, its screens.

use core::time::Duration;
use std::{
    fs::File,
    process::Stdio,
    sync::{Arc, Mutex},
};

use form_model::Content;
use mrtr_core::{
    host::{
        Call, ChangeKind, Ending, Epoch, InteractionId, Limits, Misuse, Outcome,
        PendingInteraction, RecordId, RegistrationId, SessionId, ToolCallId, TurnId,
    },
    wire::{InputResponse, RawJson},
};
use mrtr_examples::host::{Error, Host, Reporter, Running, Screen, Seen, store::Store};
use serde_json::{Value, json};
use tokio::{
    process::{Child, Command},
    task::JoinHandle,
    time::timeout,
};

use crate::{
    servers::{Folder, Server},
    tap,
};

/// Waits for something that has to happen. The timeout ends a test that would hang.
pub(crate) async fn within<T>(what: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(60), what).await.expect("nothing happened in a minute")
}

/// A host, and its reports.
pub(crate) struct Chain {
    pub(crate) host: Host,
    pub(crate) ended: JoinHandle<()>,
    pub(crate) reports: Arc<Mutex<Vec<String>>>,
    pub(crate) folder: Folder,
}

/// A provider in a process of its own, and the frames of its connection.
pub(crate) struct Provider {
    pub(crate) process: Child,
    pub(crate) from_host: tap::Seen,
    pub(crate) from_provider: tap::Seen,
}

pub(crate) fn session() -> SessionId {
    SessionId::new("session-1").unwrap()
}

/// The registration of the provider.
pub(crate) fn tools() -> RegistrationId {
    RegistrationId::new("tools").unwrap()
}

/// A call of the tool of the demo.
pub(crate) fn deployment(session: SessionId) -> Call {
    let request = json!({"name": "deploy", "arguments": {"artifact": "build-42"}});
    let request = RawJson::from_value(&request).unwrap();
    let (turn, tool_call) = (TurnId::new("turn-1"), ToolCallId::new("tool-call-1"));
    Call::new(session, turn.unwrap(), tool_call.unwrap(), tools(), request)
}

pub(crate) fn accept() -> InputResponse {
    InputResponse::Accept(
        Content::new().with_text("environment", "production").with_flag("confirm", true),
    )
}

pub(crate) fn confirm() -> InputResponse {
    InputResponse::Accept(Content::new().with_flag("confirm", true))
}

fn reporter() -> (Reporter, Arc<Mutex<Vec<String>>>) {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let kept = reports.clone();
    (Box::new(move |report| kept.lock().unwrap().push(format!("{report:?}"))), reports)
}

impl Chain {
    /// Starts a host without a store. Its epoch is 1.
    pub(crate) fn volatile(test: &str, limits: Limits) -> Self {
        let (reporter, reports) = reporter();
        let (host, ended) = Host::volatile(Epoch::new(1), limits, reporter);
        Self { host, ended, reports, folder: Folder::new(test) }
    }

    /// Starts a host with a store.
    pub(crate) fn durable(
        folder: Folder,
        epoch: u64,
        store: impl Store + 'static,
        held: Vec<RecordId>,
    ) -> Self {
        let (reporter, reports) = reporter();
        let (epoch, limits) = (Epoch::new(epoch), Limits::default());
        let started = Host::durable(epoch, limits, reporter, Box::new(store), held);
        let (host, ended) = started.unwrap();
        Self { host, ended, reports, folder }
    }

    /// Starts a provider around a server, and registers it.
    pub(crate) async fn provider(&self, server: &Server) -> Provider {
        self.provider_with_leg(server, Duration::from_secs(30)).await
    }

    /// Starts a provider whose requests to the server may take this long, and registers it.
    pub(crate) async fn provider_with_leg(&self, server: &Server, leg: Duration) -> Provider {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chain"));
        command.args(["provider", "--name", "local", "--server", server.name]);
        command
            .args(["--leg", &leg.as_secs().to_string(), "--"])
            .args(server.command(&self.folder));
        let errors = File::create(self.folder.file(&format!("{}-errors", server.name))).unwrap();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors).kill_on_drop(true);
        let mut process = command.spawn().unwrap();
        let (reader, from_provider) = tap::Tap::new(process.stdout.take().unwrap());
        let (writer, from_host) = tap::Tap::new(process.stdin.take().unwrap());
        let connection = self.host.connect(reader, writer).await.unwrap();
        self.host.register(tools(), connection).await.unwrap();
        Provider { process, from_host, from_provider }
    }

    pub(crate) async fn screen(&self) -> Screen {
        self.host.surface(session()).await.unwrap()
    }

    /// Calls the tool of the demo for the one session.
    pub(crate) async fn call(&self) -> Running {
        self.host.call(deployment(session())).await.unwrap()
    }

    /// Returns whether no question is open and no invocation is live.
    pub(crate) async fn is_idle(&self) -> bool {
        let idle = self.host.look(|broker| {
            broker.snapshot(&session()).open.is_empty() && broker.invocations().count() == 0
        });
        idle.await.unwrap()
    }

    /// Ends the host, and waits until its providers and their servers have ended. All screens must
    /// have been dropped.
    pub(crate) async fn end(self, providers: impl IntoIterator<Item = Provider>) {
        drop(self.host);
        within(self.ended).await.unwrap();
        for mut provider in providers {
            within(provider.process.wait()).await.unwrap();
        }
    }
}

/// Waits for a question, and returns it.
pub(crate) async fn asked(screen: &mut Screen) -> Arc<PendingInteraction> {
    within(async {
        loop {
            let open = screen.open().find(|shown| shown.taken.is_none());
            if let Some(shown) = open {
                return shown.interaction.clone();
            }
            screen.next().await.unwrap();
        }
    })
    .await
}

/// Waits until a question has ended, and returns how.
pub(crate) async fn ended(screen: &mut Screen, question: InteractionId) -> Ending {
    within(async {
        loop {
            if let Seen::Change(ChangeKind::Ended { interaction, how }) =
                screen.next().await.unwrap()
                && interaction == question
            {
                return how;
            }
        }
    })
    .await
}

/// Answers a question, and returns why the broker refuses the answer.
pub(crate) async fn refused(
    screen: &Screen,
    question: InteractionId,
    response: InputResponse,
) -> Misuse {
    match within(screen.answer(question, response)).await {
        Err(Error::Misuse(misuse)) => misuse,
        answered => panic!("{answered:?}"),
    }
}

pub(crate) async fn outcome(running: Running) -> Outcome {
    within(running.outcome()).await.unwrap()
}

/// Returns the text of a result.
pub(crate) fn text(outcome: &Outcome) -> String {
    let Outcome::Complete(result) = outcome else { panic!("{outcome:?}") };
    let result: Value = serde_json::from_str(result.as_str()).unwrap();
    result["content"][0]["text"].as_str().unwrap().into()
}

/// Returns the code and the message of a failure.
pub(crate) fn failure(outcome: &Outcome) -> (String, String) {
    let Outcome::Failed(error) = outcome else { panic!("{outcome:?}") };
    let error: Value = serde_json::from_str(error.as_str()).unwrap();
    let text = |name: &str| error[name].as_str().unwrap().to_owned();
    (text("code"), text("message"))
}
