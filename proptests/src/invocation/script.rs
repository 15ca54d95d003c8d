//! The lines of a world: what the server asks, and what people, models and roots answer.

use crate::invariants::SECRET;

use form_model::Content;
use mrtr_core::{
    client::Misuse,
    wire::{InputResponse, RawJson, ResponseError},
};

use super::{How, model::AskedKind};

/// What the call sends.
pub(super) const PARAMS: &str = r#"{"name":"deploy","_meta":{"k":"SENTINEL"},"arguments":{"key":"SENTINEL","n":1.0,"s":"\ud800"}}"#;

/// Writes an answer that any question of a kind takes, and what goes to the server for it: a person
/// says no, and who cannot say no says little.
pub(super) fn least(kind: AskedKind) -> (InputResponse, &'static str) {
    match kind {
        AskedKind::Form | AskedKind::Url => (InputResponse::Decline, DECLINED),
        AskedKind::Sampling => (sampled(), SAMPLED),
        AskedKind::Roots => (roots(), ROOTS),
    }
}

/// Why an event is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The leg is another call's, or was not sent.
    Leg,
    /// Nothing is asked there.
    NotAsked,
    /// The answer is of another kind than the question.
    Kind,
    /// The answer does not fit the form.
    Form,
    /// The answer has not the shape of one of a model or of roots.
    Shape,
}

impl Refusal {
    /// Returns whether a misuse says the same.
    pub(super) const fn is_said_by(self, misuse: &Misuse) -> bool {
        match self {
            Self::Leg => matches!(misuse, Misuse::UnknownLeg | Misuse::WrongInvocation),
            Self::NotAsked => matches!(
                misuse,
                Misuse::WrongRound | Misuse::UnknownKey | Misuse::Answered | Misuse::Closed
            ),
            Self::Kind => matches!(misuse, Misuse::Response(ResponseError::WrongKind)),
            Self::Form => matches!(misuse, Misuse::Response(ResponseError::Invalid(_))),
            Self::Shape => matches!(misuse, Misuse::Response(ResponseError::Malformed(_))),
        }
    }
}

/// A question, the answers that somebody may give, and what comes of them.
pub(super) struct ScriptQuestion {
    pub(super) key: &'static str,
    pub(super) kind: AskedKind,
    /// All that the call must have claimed, by the names that a fault has for it.
    pub(super) needs: &'static [&'static str],
    pub(super) request: &'static str,
    right: fn() -> InputResponse,
    /// What goes to the server for the right answer.
    sent: &'static str,
    wrong: fn() -> InputResponse,
    /// What is wrong with the wrong one.
    unfit: Refusal,
}

impl ScriptQuestion {
    /// Writes an answer, and what must come of it: what goes to the server, or why nothing does.
    pub(super) fn answer(&self, how: How) -> (InputResponse, Result<&'static str, Refusal>) {
        let is_asked_of_a_person = matches!(self.kind, AskedKind::Form | AskedKind::Url);
        let refusal = |json| if is_asked_of_a_person { Ok(json) } else { Err(Refusal::Kind) };
        match how {
            How::Right => ((self.right)(), Ok(self.sent)),
            How::Wrong => ((self.wrong)(), Err(self.unfit)),
            How::Decline => (InputResponse::Decline, refusal(DECLINED)),
            How::Cancel => (InputResponse::Cancel, refusal(r#"{"action":"cancel"}"#)),
            How::Other(index) => {
                let others: Vec<_> =
                    QUESTIONS.iter().filter(|other| other.kind != self.kind).collect();
                ((pick(&others, index).right)(), Err(Refusal::Kind))
            }
        }
    }
}

const DECLINED: &str = r#"{"action":"decline"}"#;
const SAMPLED: &str = r#"{ "model":"m","role":"assistant", "content":{"type":"text","text":"SENTINEL \ud800"},"n":1.0}"#;
const ROOTS: &str = r#"{"roots":[ {"uri":"file:///SENTINEL","name":"\u0041"} ]}"#;

fn raw(json: &str) -> RawJson {
    RawJson::parse(json).unwrap()
}

fn sampled() -> InputResponse {
    InputResponse::Sampled(raw(SAMPLED))
}

fn unlike_sampled() -> InputResponse {
    InputResponse::Sampled(raw(r#"{"role":"SENTINEL","model":"m","content":{}}"#))
}

fn roots() -> InputResponse {
    InputResponse::Roots(raw(ROOTS))
}

/// The questions, in the order of their keys.
pub(super) const QUESTIONS: [ScriptQuestion; 11] = [
    ScriptQuestion {
        key: "0",
        kind: AskedKind::Form,
        needs: &["form elicitation"],
        request: r#"{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":
            {"type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]}}}"#,
        right: || InputResponse::Accept(Content::new().with_flag("confirm", true)),
        sent: r#"{"action":"accept","content":{"confirm":true}}"#,
        wrong: || InputResponse::Accept(Content::new().with_text("confirm", SECRET)),
        unfit: Refusal::Form,
    },
    ScriptQuestion {
        key: "1",
        kind: AskedKind::Form,
        needs: &["form elicitation"],
        request: r#"{"method":"elicitation/create","params":{"mode":"form","message":"Who?",
            "requestedSchema":{"type":"object","properties":{"name":{"type":"string","maxLength":9},
                "age":{"type":"integer","minimum":0}}}}}"#,
        right: || {
            let age = Content::new().with_number("age", 9_007_199_254_740_993_u64);
            InputResponse::Accept(age.with_text("name", SECRET))
        },
        sent: r#"{"action":"accept","content":{"name":"SENTINEL","age":9007199254740993}}"#,
        wrong: || {
            let name = Content::new().with_text("name", SECRET.repeat(2));
            InputResponse::Accept(name.with_number("age", -1))
        },
        unfit: Refusal::Form,
    },
    ScriptQuestion {
        key: "model",
        kind: AskedKind::Sampling,
        needs: &["sampling"],
        request: r#"{"method":"sampling/createMessage","params":{"messages":[{"role":"user",
            "content":{"type":"text","text":"SENTINEL"}}],"maxTokens":1e2,"includeContext":"none"}}"#,
        right: sampled,
        sent: SAMPLED,
        wrong: unlike_sampled,
        unfit: Refusal::Shape,
    },
    ScriptQuestion {
        key: "model+all",
        kind: AskedKind::Sampling,
        needs: &["sampling", "sampling with tools", "sampling with context"],
        request: r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,
            "toolChoice":{"mode":"auto"},"includeContext":"allServers"}}"#,
        right: sampled,
        sent: SAMPLED,
        wrong: unlike_sampled,
        unfit: Refusal::Shape,
    },
    ScriptQuestion {
        key: "model+context",
        kind: AskedKind::Sampling,
        needs: &["sampling", "sampling with context"],
        request: r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,
            "includeContext":"thisServer"}}"#,
        right: sampled,
        sent: SAMPLED,
        wrong: || InputResponse::Sampled(raw(r#"["SENTINEL"]"#)),
        unfit: Refusal::Shape,
    },
    ScriptQuestion {
        key: "model+tools",
        kind: AskedKind::Sampling,
        needs: &["sampling", "sampling with tools"],
        request: r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,
            "tools":[{"name":"SENTINEL"}]}}"#,
        right: sampled,
        sent: SAMPLED,
        wrong: || InputResponse::Sampled(raw(r#"{"result":{"SENTINEL":1}}"#)),
        unfit: Refusal::Shape,
    },
    ScriptQuestion {
        key: "pay",
        kind: AskedKind::Url,
        needs: &["URL elicitation"],
        request: r#"{"method":"elicitation/create","params":{"mode":"url","message":"Pay",
            "url":"https://example.org/pay?token=SENTINEL"}}"#,
        right: || InputResponse::Consent,
        sent: r#"{"action":"accept"}"#,
        wrong: || InputResponse::Accept(Content::new().with_text("url", SECRET)),
        unfit: Refusal::Kind,
    },
    ScriptQuestion {
        key: "roots",
        kind: AskedKind::Roots,
        needs: &["roots"],
        request: r#"{"method":"roots/list"}"#,
        right: roots,
        sent: ROOTS,
        wrong: || InputResponse::Roots(raw(r#"{"roots":["file:///SENTINEL"]}"#)),
        unfit: Refusal::Shape,
    },
    ScriptQuestion {
        key: "target",
        kind: AskedKind::Form,
        needs: &["form elicitation"],
        request: r#"{"method":"elicitation/create","params":{"message":"Where to?",
            "requestedSchema":{"type":"object","properties":{
                "environment":{"type":"string","enum":["staging","production"]},
                "zones":{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1}},
                "required":["environment"]}}}"#,
        right: || {
            let environment = Content::new().with_text("environment", "staging");
            InputResponse::Accept(environment.with_choices("zones", ["b", "a"]))
        },
        sent: r#"{"action":"accept","content":{"environment":"staging","zones":["b","a"]}}"#,
        wrong: || {
            let environment = Content::new().with_text("environment", SECRET);
            InputResponse::Accept(environment.with_text(SECRET, SECRET))
        },
        unfit: Refusal::Form,
    },
    ScriptQuestion {
        key: "where",
        kind: AskedKind::Roots,
        needs: &["roots"],
        request: r#"{"method":"roots/list","params":{"_meta":{"k":"SENTINEL"}}}"#,
        right: || InputResponse::Roots(raw(r#"{"roots":[]}"#)),
        sent: r#"{"roots":[]}"#,
        wrong: || InputResponse::Roots(raw(r#"{"roots":{"uri":"SENTINEL"}}"#)),
        unfit: Refusal::Shape,
    },
    ScriptQuestion {
        key: "é",
        kind: AskedKind::Form,
        needs: &["form elicitation"],
        request: r#"{"method":"elicitation/create","params":{"message":"Go on?","requestedSchema":
            {"type":"object","properties":{}}}}"#,
        right: || InputResponse::Accept(Content::new()),
        sent: r#"{"action":"accept","content":{}}"#,
        wrong: || InputResponse::Accept(Content::new().with_text(SECRET, SECRET)),
        unfit: Refusal::Form,
    },
];

/// States as JSON text, which go back byte for byte.
pub(super) const STATES: [&str; 4] = [
    r#""SENTINEL""#,
    r#""SENTINEL\u0041\/\"\\""#,
    r#""\ud800SENTINEL\udfff""#,
    "\"{\u{e9}SENTINEL}\"",
];

/// Writes an `input_required` result that asks under keys.
pub(super) fn asking(requests: &[(&str, &str)], state: Option<&str>) -> String {
    let requests: Vec<_> =
        requests.iter().map(|(key, request)| format!(r#""{key}":{request}"#)).collect();
    let state = state.map(|state| format!(r#","requestState":{state}"#)).unwrap_or_default();
    format!(
        r#"{{"resultType":"input_required","inputRequests":{{{}}}{state}}}"#,
        requests.join(",")
    )
}

/// Picks one of several things by an index that may be any.
pub(super) fn pick<T>(choices: &[T], index: u8) -> &T {
    choices.iter().cycle().nth(index.into()).unwrap()
}
