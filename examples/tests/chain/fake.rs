//! A provider that the test plays itself, frame by frame.

use form_model::{FlagField, FormBuilder};
use mrtr_core::{
    InvocationId,
    host::{ConnectionId, HostFrame, ProviderFrame, Question, Requester},
};
use mrtr_examples::host::Host;
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
    duplex, split,
};

use crate::fixture::{tools, within};

/// A provider in this process.
pub(crate) struct Fake {
    pub(crate) connection: ConnectionId,
    from_host: Lines<BufReader<ReadHalf<DuplexStream>>>,
    to_host: WriteHalf<DuplexStream>,
}

impl Fake {
    /// Connects a provider over pipes that hold this many bytes.
    pub(crate) async fn connect(host: &Host, pipe_bytes: usize) -> Self {
        let (ours, theirs) = duplex(pipe_bytes);
        let (reader, writer) = split(theirs);
        let connection = host.connect(reader, writer).await.unwrap();
        let (reader, to_host) = split(ours);
        Self { connection, from_host: BufReader::new(reader).lines(), to_host }
    }

    /// Connects a provider and registers it.
    pub(crate) async fn register(host: &Host) -> Self {
        let fake = Self::connect(host, 64 * 1024).await;
        host.register(tools(), fake.connection).await.unwrap();
        fake
    }

    pub(crate) async fn say(&mut self, frame: ProviderFrame) {
        self.write(format!("{}\n", frame.to_json()).as_bytes()).await;
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        within(self.to_host.write_all(bytes)).await.unwrap();
    }

    /// Accepts an invocation and asks its first question.
    pub(crate) async fn ask(&mut self, invocation: &InvocationId) {
        self.say(ProviderFrame::Accepted { invocation: invocation.clone() }).await;
        self.say(ProviderFrame::ask(invocation.clone(), 1, &question())).await;
    }

    /// Returns the next frame of the host; `None` if the host closed the connection.
    pub(crate) async fn hear(&mut self) -> Option<HostFrame> {
        let line = within(self.from_host.next_line()).await.unwrap()?;
        Some(HostFrame::decode(line.as_bytes()).unwrap())
    }

    /// Waits for a call, and returns its id.
    pub(crate) async fn called(&mut self) -> InvocationId {
        match self.hear().await {
            Some(HostFrame::Call { invocation, .. }) => invocation,
            frame => panic!("{frame:?}"),
        }
    }
}

pub(crate) fn question() -> Question {
    let form = FormBuilder::new().field(FlagField::new("confirm").required()).build().unwrap();
    Question::form("Sure?", form, Requester::new("fake", "server", "deploy"))
}
