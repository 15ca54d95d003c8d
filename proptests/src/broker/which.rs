//! What an operation names, in the world that it happens to.

use mrtr_core::{
    InvocationId,
    host::{ConnectionId, InteractionId, ProviderFrame, RecordId, SessionId},
    wire::InputResponse,
};

use super::{
    How, Says, WhichConnection, WhichInvocation, WhichNumber, WhichQuestion, WhichRecord,
    WhichSession,
    host::Host,
    script::{self, Fit, QUESTIONS, made_up_interactions, made_up_invocations, pick, raw},
    setup::{CONNECTIONS, session},
    world::HostWorld,
};

impl<H: Host> HostWorld<H> {
    /// Names an invocation. If there is none of the kind, it names one of another kind.
    pub(super) fn invocation(&self, which: WhichInvocation) -> InvocationId {
        let model = &self.model;
        let live: Vec<_> = model.live().map(|call| call.id.clone()).collect();
        let all: Vec<_> = model.calls.iter().map(|call| call.id.clone()).collect();
        let (found, index) = match which {
            WhichInvocation::Live(index) => (pick(&live, index).or(pick(&all, index)), index),
            WhichInvocation::Any(index) => (pick(&all, index), index),
            WhichInvocation::Old(index) => (pick(&model.old_calls, index), index),
            WhichInvocation::MadeUp(index) => (None, index),
        };
        let made_up = || {
            let texts = made_up_invocations(model.epoch, all.len() as u64);
            InvocationId::new(pick(&texts, index).unwrap()).unwrap()
        };
        found.cloned().unwrap_or_else(made_up)
    }

    /// Names the connection that a frame comes on.
    pub(super) fn connection(&self, which: WhichConnection, of: &InvocationId) -> ConnectionId {
        let own = self.model.calls.iter().find(|call| call.id == *of).map(|call| call.connection);
        match (which, own) {
            (WhichConnection::Own, Some(own)) => own,
            (WhichConnection::Own, None) => ConnectionId::new(1),
            (WhichConnection::Any(index), _) => {
                ConnectionId::new(*pick(&CONNECTIONS, index).unwrap())
            }
        }
    }

    /// Names a question. If there is none of the kind, it names one of another kind.
    pub(super) fn question(&self, which: WhichQuestion) -> InteractionId {
        let model = &self.model;
        let pending: Vec<_> = model.pending().map(|(_, asked)| asked.id).collect();
        let all: Vec<_> = model.questions().map(|(_, asked)| asked.id).collect();
        let shown: Vec<_> = self.surfaces.iter().flat_map(|surface| surface.shown()).collect();
        let (found, index) = match which {
            WhichQuestion::Pending(index) => (pick(&pending, index).or(pick(&all, index)), index),
            WhichQuestion::Shown(index) => (pick(&shown, index).or(pick(&pending, index)), index),
            WhichQuestion::Any(index) => (pick(&all, index), index),
            WhichQuestion::Old(index) => (pick(&model.old_questions, index), index),
            WhichQuestion::MadeUp(index) => (None, index),
        };
        found.copied().unwrap_or_else(|| *pick(&self.made_up(), index).unwrap())
    }

    /// Returns the ids of questions that nobody asked, some of an invocation that is live.
    fn made_up(&self) -> Vec<InteractionId> {
        let model = &self.model;
        let live = model.live().last().or(model.calls.last());
        let first = format!("{}.1", model.epoch);
        let (live, asked) =
            live.map_or((first.as_str(), 0), |call| (call.id.as_str(), call.asked.len()));
        let texts = made_up_interactions(model.epoch, model.calls.len() as u64, live, asked);
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    /// Names the session that answers a question.
    pub(super) fn session(&self, which: WhichSession, of: InteractionId) -> SessionId {
        let mut questions = self.model.questions();
        let own = questions.find(|(_, asked)| asked.id == of).map(|(call, _)| &call.call.session);
        match (which, own) {
            (WhichSession::Own, Some(own)) => own.clone(),
            (WhichSession::Own, None) => session(0),
            (WhichSession::Any(index), _) => session(index),
        }
    }

    /// Writes an answer to a question, and says what must come of it.
    pub(super) fn response(&self, to: InteractionId, how: How) -> (InputResponse, Fit) {
        let asked = self.model.questions().find(|(_, asked)| asked.id == to);
        let question = asked.and_then(|(_, asked)| QUESTIONS.get(asked.question));
        question.or(QUESTIONS.first()).unwrap().answer(how)
    }

    /// Names a record.
    pub(super) fn record(&self, which: WhichRecord) -> Option<RecordId> {
        let asked = self.model.questions().map(|(_, asked)| asked.id);
        let mut questions: Vec<_> = asked.chain(self.made_up()).collect();
        questions.extend(self.model.old_questions.iter().copied());
        self.store.pick(which, &questions)
    }

    /// Writes a frame. Beside it stands which question of the script it asks, or which rule its
    /// request breaks.
    pub(super) fn frame(
        &self,
        invocation: InvocationId,
        says: Says,
    ) -> (ProviderFrame, Option<Result<usize, &'static str>>) {
        let (result, error) =
            (raw(r#"{"content":["SENTINEL"]}"#), raw(r#"{"message":"SENTINEL"}"#));
        let frame = match says {
            Says::Accepted => ProviderFrame::Accepted { invocation },
            Says::Rejected => ProviderFrame::Rejected { invocation, error },
            Says::Progress => ProviderFrame::Progress { invocation },
            Says::Result => ProviderFrame::Result { invocation, result },
            Says::Failed => ProviderFrame::Failed { invocation, error },
            Says::Released => ProviderFrame::Released { invocation },
            Says::Ask { number, request } => {
                let interaction = self.number(&invocation, number);
                let (request, asks) = script::request(request);
                let frame = ProviderFrame::InteractionRequest { invocation, interaction, request };
                return (frame, Some(asks));
            }
        };
        (frame, None)
    }

    pub(super) fn number(&self, of: &InvocationId, which: WhichNumber) -> u64 {
        let call = self.model.calls.iter().find(|call| call.id == *of);
        let last = call.and_then(|call| call.number_last());
        match (which, last) {
            (WhichNumber::Next(gap), last) => {
                last.unwrap_or_default().saturating_add(u64::from(gap) + 1)
            }
            (WhichNumber::Last, Some(last)) => last,
            (WhichNumber::Before, Some(last)) => last.saturating_sub(1),
            (WhichNumber::Last, None) => 1,
            (WhichNumber::Before, None) => 0,
            (WhichNumber::Greatest, _) => u64::MAX,
        }
    }
}
