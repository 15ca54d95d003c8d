//! What logs show: ids and sizes, and nothing that is asked, answered or executed.

use core::{any::type_name, error::Error, fmt::Debug};
use std::{collections::BTreeSet, fs};

use form_model::Content;
use mrtr_core::{
    InvocationId,
    host::{
        Action, Broker, ChangeKind, CloseReason, Ending, Epoch, Event, FrameError, Gap, HostFrame,
        Limits, ProviderFrame, Question, Record, RecordId, Report, Requester, Scope, View,
        VisibleInteraction,
    },
    wire::{Decision, InputResponse, InvalidRequest, Json, RawJson},
};
use serde::Serialize;

use crate::{
    lines::{FILES, SCHEMA, accepted, asking_json, call_with, form, raw, session},
    play::{At, Play},
};

const SENTINEL: &str = "hunter2";

/// Every text that anybody could log, and the types that wrote it.
#[derive(Default)]
struct Log {
    texts: Vec<String>,
    debugged: BTreeSet<String>,
    serialized: BTreeSet<String>,
}

fn name_of<T>() -> String {
    let path = type_name::<T>().split('<').next().unwrap();
    path.rsplit("::").next().unwrap().into()
}

impl Log {
    fn debug<T: Debug>(&mut self, value: &T) {
        self.texts.push(format!("{value:?}"));
        self.debugged.insert(name_of::<T>());
    }

    fn serialize<T: Serialize>(&mut self, value: &T) {
        self.texts.push(serde_json::to_string(value).unwrap());
        self.serialized.insert(name_of::<T>());
    }

    /// Logs an error and its sources, as a program that prints the whole chain does.
    fn error<T: Error>(&mut self, error: &T) {
        self.debug(error);
        self.texts.push(error.to_string());
        let (mut said, mut source) = (error.to_string(), error.source());
        while let Some(cause) = source {
            assert!(!said.contains(&cause.to_string()), "{said:?} repeats its source");
            self.texts.push(format!("{cause:?} {cause}"));
            (said, source) = (cause.to_string(), cause.source());
        }
    }

    /// Hands an event over, and logs everything that comes of it.
    fn handle(&mut self, play: &mut Play, event: Event) {
        self.debug(&event);
        let count = play.reports.len();
        match play.handle(event) {
            Ok(actions) => actions.iter().for_each(|action| self.action(action)),
            Err(misuse) => self.error(&misuse),
        }
        self.debug(&play.broker);
        for report in &play.reports[count..] {
            self.debug(report);
            if let Report::Refused { why, .. } = report {
                self.error(why);
            }
        }
        let snapshot = play.broker.snapshot(&session(1));
        snapshot.open.iter().for_each(|visible| self.visible(visible));
        self.debug(&snapshot);
        self.debug(&View::new(snapshot));
    }

    fn action(&mut self, action: &Action) {
        self.debug(action);
        match action {
            Action::Deliver { connection, frame } => {
                self.debug(connection);
                self.debug(frame);
            }
            Action::Store(record) => {
                self.debug(record);
                self.debug(&record.id());
                self.debug(&record.id().kind);
            }
            Action::Project(change) => {
                self.debug(change);
                self.debug(&change.kind);
                if let ChangeKind::Ended { how, .. } = &change.kind {
                    self.debug(how);
                    self.serialize(how);
                }
            }
            Action::Settle { outcome, .. } => self.debug(outcome),
        }
    }

    fn visible(&mut self, visible: &VisibleInteraction) {
        self.debug(visible);
        self.debug(visible.interaction.as_ref());
        self.debug(&visible.interaction.id);
        self.serialize(&visible.interaction.id);
        self.debug(visible.interaction.owner.as_ref());
        self.debug(&visible.interaction.question);
        self.debug(&visible.interaction.question.requester);
    }
}

/// A question with the sentinel in all its texts. Names of fields are not secret.
fn secret_question() -> Question {
    let schema = format!(
        r#"{{"type":"object","title":"{SENTINEL}","description":"{SENTINEL}","properties":{{
            "t":{{"type":"string","title":"{SENTINEL}","description":"{SENTINEL}","default":"{SENTINEL}","maxLength":20}},
            "o":{{"type":"string","oneOf":[{{"const":"{SENTINEL}","title":"{SENTINEL}"}},{{"const":"x"}}]}}}}}}"#
    );
    Question::form(SENTINEL, form(&schema), Requester::new(SENTINEL, SENTINEL, SENTINEL))
}

/// Plays calls from start to end, with the sentinel wherever a secret may be, and logs everything.
fn everything_logged() -> Log {
    let mut log = Log::default();
    let secret = format!(r#"{{"{SENTINEL}":"{SENTINEL}"}}"#);
    let mut play = Play::durable();
    let call = call_with(&raw(&secret));
    log.debug(&call);
    play.start_as(call).unwrap();
    log.action(&Action::Deliver { connection: FILES, frame: play.delivered[0].1.clone() });
    let (call, connection) = (play.call.clone(), FILES);
    let frame = |frame| Event::Frame { connection, frame };
    log.handle(&mut play, frame(accepted(&call)));
    let url = r#"{"url":"https://hunter2.example/hunter2","message":"hunter2",
        "requester":{"provider":"hunter2","server":"hunter2","tool":"hunter2"}}"#;
    let bad_form = format!(
        r#"{{"form":{{"version":1,"fields":[{{"name":"a","kind":{{"text":{{"format":"{SENTINEL}"}}}}}}]}},
            "message":"{SENTINEL}","requester":{{"provider":"","server":"","tool":""}}}}"#
    );
    for request in [secret.as_str(), "\"hunter2\"", &bad_form, r#"{"form":"hunter2"}"#] {
        log.handle(&mut play, frame(asking_json(&call, 1, request)));
    }
    for (number, request) in [(1, secret_question().to_json()), (2, raw(url))] {
        let asking = asking_json(&call, number, request.as_str());
        log.debug(&asking);
        log.handle(&mut play, frame(asking));
        play.hold();
        let (interaction, session) = (play.interaction(), session(1));
        let text = |text: &str| Content::new().with_text("t", text).with_text("o", SENTINEL);
        let accept = InputResponse::Accept;
        for response in [
            accept(text(&SENTINEL.repeat(3))),
            accept(text(SENTINEL).with_text(SENTINEL, SENTINEL)),
            accept(Content::new().with_choices("t", [SENTINEL])),
            InputResponse::Sampled(raw(&secret)),
            if number == 1 { accept(text(SENTINEL)) } else { InputResponse::Consent },
            accept(text(SENTINEL)),
        ] {
            let session = session.clone();
            log.handle(&mut play, Event::Answer { interaction, session, response });
        }
        let held = play.hold();
        held.iter().for_each(|action| log.action(action));
    }
    type End = fn(InvocationId, RawJson) -> ProviderFrame;
    let ends: [End; 3] = [
        |invocation, result| ProviderFrame::Result { invocation, result },
        |invocation, error| ProviderFrame::Failed { invocation, error },
        |invocation, error| ProviderFrame::Rejected { invocation, error },
    ];
    for end in ends {
        log.handle(&mut play.clone(), frame(end(call.clone(), raw(&secret))));
    }
    assert_eq!(play.records.len(), 4, "each question was asked and answered");
    log
}

/// Reads the names of the public types of the host from the sources: all, and those that serialize.
fn public_types() -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut all, mut serialized) = (BTreeSet::new(), BTreeSet::new());
    for file in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/host")).unwrap() {
        let source = fs::read_to_string(file.unwrap().path()).unwrap();
        let mut attributes = String::new();
        for line in source.lines().map(str::trim) {
            let item = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum "));
            let name = item.and_then(|item| item.split([' ', '(', ';', '<']).next());
            if let Some(name) = name.filter(|name| !name.starts_with('$')) {
                all.insert(name.into());
                if attributes.contains("Serialize") {
                    serialized.insert(name.into());
                }
            }
            if let Some(implemented) = line.strip_prefix("impl Serialize for ") {
                serialized.insert(implemented.trim_end_matches(" {").into());
            }
            if line.starts_with("#[") {
                attributes.push_str(line);
            } else {
                attributes.clear();
            }
        }
    }
    // The ids that a macro declares.
    all.extend(["ConnectionId", "Epoch"].map(Into::into));
    (all, serialized)
}

/// proves: HB-14
#[test]
fn no_debug_and_no_error_shows_what_is_asked_answered_or_executed() {
    let mut log = everything_logged();
    // These hold no text of anybody.
    log.debug(&Limits::default());
    log.debug(&Epoch::new(1));
    log.debug(&Scope::All);
    log.error(&Gap);
    let held = ["7.1.1 closed".parse().unwrap()];
    log.error(&Broker::durable(Epoch::new(7), Limits::default(), held).unwrap_err());
    for why in CloseReason::ALL {
        log.debug(why);
        log.serialize(why);
        log.serialize(&Ending::Closed(*why));
    }
    log.serialize(&Ending::Answered(Decision::Accept));
    log.error(&ProviderFrame::decode(SENTINEL.as_bytes()).unwrap_err());

    for text in &log.texts {
        assert!(!text.contains(SENTINEL), "{text}");
    }
    let (all, serialized) = public_types();
    assert!(all.contains("Broker") && all.contains("Limits"));
    assert_eq!(all.difference(&log.debugged).collect::<Vec<_>>(), [""; 0], "types left out");
    assert_eq!(log.serialized, serialized);
}

fn decode_question(text: &str, limits: &Limits) -> Result<Question, InvalidRequest> {
    Question::decode(Json::parse(text)?, limits)
}

/// proves: HB-14
#[test]
fn an_error_repeats_nothing_of_the_text_that_cannot_be_read() {
    for text in ["hunter2", "{\"hunter2\":1}", "{\"hunter2\":{\"invocation\":\"hunter2\"}}"] {
        for error in [
            ProviderFrame::decode(text.as_bytes()).map(drop),
            HostFrame::decode(text.as_bytes()).map(drop).map_err(FrameError::from),
            RecordId::decode(text).map(drop).map_err(FrameError::from),
        ] {
            let error = error.unwrap_err();
            assert!(!format!("{error:?} {error}").contains(SENTINEL));
        }
        let limits = Limits::default();
        for error in
            [Record::decode(text, &limits).map(drop), decode_question(text, &limits).map(drop)]
        {
            let error = error.unwrap_err();
            assert!(!format!("{error:?} {error}").contains(SENTINEL));
        }
    }
}

/// proves: HB-14
#[test]
fn debug_shows_ids_and_sizes() {
    let mut play = Play::durable().brought(At::Accepted);
    let question = Question::form("1234", form(SCHEMA), Requester::new("1", "12", "123"));
    let frame = ProviderFrame::ask(play.call.clone(), 1, &question);
    let length = question.to_json().as_str().len();
    let expected = format!(
        "InteractionRequest {{ invocation: 1.1, interaction: 1, request: RawJson({length} bytes) }}"
    );
    assert_eq!(format!("{frame:?}"), expected);
    let actions = play.say(frame);
    let [Action::Store(Record::Requested(pending))] = actions.as_slice() else {
        panic!("expected only to store, found {actions:?}")
    };
    let shown = format!("{pending:?}");
    for part in ["1.1.1", "FormRequest(4 bytes, 2 fields", "names of 1, 2 and 3 bytes", "s-1"] {
        assert!(shown.contains(part), "{shown}");
    }
}
