//! The lines of a world: what providers ask and what people answer.

use crate::invariants::SECRET;
use std::sync::LazyLock;

use form_model::{Content, Form};
use mrtr_core::{
    InvocationId,
    wire::{Decision, InputResponse, RawJson},
};

use super::How;

/// What providers call themselves, their servers and their tools.
pub(super) const NAMES: [&str; 3] = ["SENTINEL a", "SENTINEL b", "SENTINEL c"];

/// What they call themselves before the second host of a world, letter for letter as long.
pub(super) const OTHER_NAMES: [&str; 3] = ["mallory xx", "mallory yy", "mallory zz"];

/// The bytes that a message, a name and a request may have in a world, and the content of an answer.
pub(super) const MESSAGE_BYTES_MAX: usize = 64;
pub(super) const LABEL_BYTES_MAX: usize = 16;
pub(super) const REQUEST_BYTES_MAX: usize = 700;
pub(super) const ANSWER_BYTES_MAX: usize = 120;

/// Who asks.
fn requester_json() -> String {
    let [provider, server, tool] = NAMES;
    format!(r#"{{"provider":"{provider}","server":"{server}","tool":"{tool}"}}"#)
}

/// What an answer comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// It fits: what the provider gets for it.
    Fits(Decision, &'static str),
    /// It does not, for this reason.
    Unfit(&'static str),
}

/// A question that can be asked, and the answers that somebody may give.
pub(super) struct Question {
    /// A schema, or a URL.
    what: What,
    right: (fn() -> InputResponse, &'static str),
    also_right: (fn() -> InputResponse, &'static str),
    wrong: (fn() -> InputResponse, &'static str),
}

enum What {
    Form(&'static str),
    Url(&'static str),
}

/// The message of every question. `SENTINEL` stands in it for what must not be in a log.
pub(super) const MESSAGE: &str = "SENTINEL,\n\u{202e}sure?";

impl Question {
    /// Writes the request, as a provider would.
    fn request(&self) -> String {
        let message = serde_json::to_string(MESSAGE).unwrap();
        let what = match self.what {
            What::Form(schema) => {
                format!(r#""form": {}"#, Form::from_schema(schema).unwrap().to_canonical())
            }
            What::Url(url) => format!(r#""url":"{url}""#),
        };
        // The order of the members is the provider's, and so are the blanks.
        format!(r#"{{"requester":{}, {what} , "message":{message}}}"#, requester_json())
    }

    /// Writes an answer, and what must come of it.
    pub(super) fn answer(&self, how: How) -> (InputResponse, Fit) {
        let fits = |(response, json): (fn() -> InputResponse, _), decision| {
            (response(), Fit::Fits(decision, json))
        };
        match how {
            How::Right => fits(self.right, Decision::Accept),
            How::AlsoRight => fits(self.also_right, Decision::Accept),
            How::Wrong => (self.wrong.0(), Fit::Unfit(self.wrong.1)),
            How::Large => match self.what {
                What::Form(schema) if schema == NAME => {
                    let note = Content::new().with_text("note", SECRET.repeat(40));
                    (InputResponse::Accept(note), Fit::Unfit("too_large"))
                }
                What::Form(_) | What::Url(_) => fits(self.right, Decision::Accept),
            },
            How::Decline => {
                (InputResponse::Decline, Fit::Fits(Decision::Decline, r#"{"action":"decline"}"#))
            }
            How::Cancel => {
                (InputResponse::Cancel, Fit::Fits(Decision::Cancel, r#"{"action":"cancel"}"#))
            }
            How::Foreign(index) => {
                let response = match index % 3 {
                    0 => InputResponse::Sampled(raw(r#"{"role":"SENTINEL"}"#)),
                    1 => InputResponse::Roots(raw(r#"{"roots":["SENTINEL"]}"#)),
                    _ => match self.what {
                        What::Form(_) => InputResponse::Consent,
                        What::Url(_) => InputResponse::Accept(Content::new()),
                    },
                };
                (response, Fit::Unfit("wrong_kind"))
            }
        }
    }
}

/// Reads JSON that is right.
pub(super) fn raw(json: &str) -> RawJson {
    RawJson::parse(json).unwrap()
}

const CONFIRM: &str = r#"{"type":"object","title":"SENTINEL","description":"SENTINEL",
    "properties":{"confirm":{"type":"boolean","title":"SENTINEL","description":"SENTINEL"}},
    "required":["confirm"]}"#;
const NAME: &str = r#"{"type":"object","properties":{
    "name":{"type":"string","maxLength":9,"default":"SENTINEL"},
    "age":{"type":"integer","minimum":0},"note":{"type":"string"}}}"#;
const TARGET: &str = r#"{"type":"object","properties":{
    "environment":{"type":"string","enum":["staging","SENTINEL"]},
    "zones":{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1}},
    "required":["environment"]}"#;
const NOTHING: &str = r#"{"type":"object","properties":{}}"#;

fn accept(content: Content) -> InputResponse {
    InputResponse::Accept(content)
}

/// The questions. Each answer has the exact text that its provider gets.
pub(super) const QUESTIONS: [Question; 5] = [
    Question {
        what: What::Form(CONFIRM),
        right: (
            || accept(Content::new().with_flag("confirm", true)),
            r#"{"action":"accept","content":{"confirm":true}}"#,
        ),
        also_right: (
            || accept(Content::new().with_flag("confirm", false)),
            r#"{"action":"accept","content":{"confirm":false}}"#,
        ),
        wrong: (|| accept(Content::new().with_text("confirm", SECRET)), "invalid"),
    },
    Question {
        what: What::Form(NAME),
        right: (
            || {
                let age = Content::new().with_number("age", 9_007_199_254_740_993_u64);
                accept(age.with_text("name", SECRET))
            },
            r#"{"action":"accept","content":{"name":"SENTINEL","age":9007199254740993}}"#,
        ),
        also_right: (|| accept(Content::new()), r#"{"action":"accept","content":{}}"#),
        wrong: (
            || {
                let name = Content::new().with_text("name", SECRET.repeat(2));
                accept(name.with_number("age", -1))
            },
            "invalid",
        ),
    },
    Question {
        what: What::Url("https://example.org/pay?token=SENTINEL"),
        right: (|| InputResponse::Consent, r#"{"action":"accept"}"#),
        also_right: (|| InputResponse::Consent, r#"{"action":"accept"}"#),
        wrong: (|| accept(Content::new().with_text("url", SECRET)), "wrong_kind"),
    },
    Question {
        what: What::Form(TARGET),
        right: (
            || {
                let environment = Content::new().with_text("environment", SECRET);
                accept(environment.with_choices("zones", ["b", "a"]))
            },
            r#"{"action":"accept","content":{"environment":"SENTINEL","zones":["b","a"]}}"#,
        ),
        also_right: (
            || accept(Content::new().with_text("environment", "staging")),
            r#"{"action":"accept","content":{"environment":"staging"}}"#,
        ),
        wrong: (
            || {
                let environment = Content::new().with_text("environment", "mars");
                accept(environment.with_text(SECRET, SECRET))
            },
            "invalid",
        ),
    },
    Question {
        what: What::Form(NOTHING),
        right: (|| accept(Content::new()), r#"{"action":"accept","content":{}}"#),
        also_right: (|| accept(Content::new()), r#"{"action":"accept","content":{}}"#),
        wrong: (|| accept(Content::new().with_text(SECRET, SECRET)), "invalid"),
    },
];

static REQUESTS: LazyLock<Vec<RawJson>> =
    LazyLock::new(|| QUESTIONS.iter().map(|question| raw(&question.request())).collect());

/// Requests that cannot be asked, each with the code of the rule that it breaks.
static FLAWED: LazyLock<Vec<(&str, RawJson)>> = LazyLock::new(|| {
    let [message, label, request] =
        [MESSAGE_BYTES_MAX, LABEL_BYTES_MAX, REQUEST_BYTES_MAX].map(|max| "SENTINEL".repeat(max));
    let empty = r#""form":{"version":1}"#;
    let field = |kind: &str| {
        format!(
            r#""form":{{"version":1,"fields":[{{"name":"a","kind":{kind}}}]}},"message":"SENTINEL""#
        )
    };
    let large = |name| {
        format!(r#"{{"name":"{name}","kind":{{"integer":{{"minimum":{{"value":1e18}}}}}}}}"#)
    };
    let large = (0..9).map(large).collect::<Vec<_>>().join(",");
    let unreadable = [
        r#""message":"SENTINEL""#.into(),
        format!(r#"{empty},"message":"SENTINEL","url":"https://example.org/SENTINEL""#),
        format!(r#"{empty},"message":"SENTINEL","mode":"form""#),
        empty.into(),
        format!(r#"{empty},"message":"SENTINEL","message":"SENTINEL""#),
        format!(r#"{empty},"message":"{message}""#),
        format!(r#"{empty},"message":7"#),
        r#""form":{"version":1,"description":"DESCRIPTION"},"message":"m""#
            .replace("DESCRIPTION", &request),
        // Within the limit as it comes, and beyond it as it is stored.
        r#""form":{"version":1,"fields":[FIELDS]},"message":"SENTINEL""#.replace("FIELDS", &large),
        r#""url":"/SENTINEL","message":"SENTINEL""#.into(),
        r#""url":"javascript:SENTINEL","message":"SENTINEL""#.into(),
    ];
    let form = [
        r#""form":{"version":2},"message":"SENTINEL""#.into(),
        r#""form":"SENTINEL","message":"SENTINEL""#.into(),
        r#""form":{"type":"object","properties":{}},"message":"SENTINEL""#.into(),
        field(r#"{"SENTINEL":{}}"#),
        field(r#"{"integer":{"minimum":{"value":2},"maximum":{"value":1}}}"#),
        field(r#"{"choice":{"options":[]}}"#),
        field(r#"{"choices":{"options":[{"value":"SENTINEL"},{"value":"SENTINEL"}]}}"#),
    ];
    let with_requester =
        |members: &String| raw(&format!(r#"{{{members},"requester":{}}}"#, requester_json()));
    let mut all: Vec<_> =
        unreadable.iter().map(|members| ("unreadable", with_requester(members))).collect();
    all.extend(form.iter().map(|members| ("form", with_requester(members))));
    for requester in [
        r#""SENTINEL""#.into(),
        r#"{"provider":"SENTINEL","server":"SENTINEL"}"#.into(),
        r#"{"provider":"SENTINEL","server":"SENTINEL","tool":"SENTINEL","trusted":true}"#.into(),
        format!(r#"{{"provider":"{label}","server":"SENTINEL","tool":"SENTINEL"}}"#),
    ] {
        all.push((
            "unreadable",
            raw(&format!(r#"{{{empty},"message":"m","requester":{requester}}}"#)),
        ));
    }
    all.extend(
        ["7", "[]", r#"{"method":"elicitation/create","params":{"message":"SENTINEL"}}"#]
            .map(|text| ("unreadable", raw(text))),
    );
    all
});

/// Picks a request: one of [`QUESTIONS`] by its number, or one that cannot be asked and why.
/// Indices that are small pick what can be asked.
pub(super) fn request(index: u8) -> (RawJson, Result<usize, &'static str>) {
    match usize::from(index) {
        index @ 0..14 => {
            let index = index % QUESTIONS.len();
            (REQUESTS.get(index).unwrap().clone(), Ok(index))
        }
        index => {
            let (flaw, request) = FLAWED.get((index - 14) % FLAWED.len()).unwrap();
            (request.clone(), Err(*flaw))
        }
    }
}

/// Bytes that are no frame of a provider.
pub(super) const GARBAGE: [&[u8]; 16] = [
    b"",
    b"SENTINEL",
    b"{\"accepted\":{\"invocation\":\"1.1\xff\"}}",
    br#""accepted""#,
    br#"{}"#,
    br#"{"accepted":"1.1"}"#,
    br#"{"accepted":{}}"#,
    br#"{"accepted":{"invocation":""}}"#,
    br#"{"accepted":{"invocation":"1.1","interaction":"SENTINEL"}}"#,
    br#"{"accepted":{"invocation":"1.1","invocation":"1.1"}}"#,
    br#"{"accepted":{"invocation":"1.1"},"released":{"invocation":"1.1"}}"#,
    br#"{"accepted":{"invocation":"1.1"}}{"released":{"invocation":"1.1"}}"#,
    br#"{"call":{"invocation":"1.1","request":"SENTINEL"}}"#,
    br#"{"evaluate":{"invocation":"1.1","code":"SENTINEL"}}"#,
    br#"{"interaction_request":{"invocation":"1.1","interaction":-1,"request":"SENTINEL"}}"#,
    br#"{"interaction_request":{"invocation":"1.1","interaction":18446744073709551616,"request":1}}"#,
];

/// Writes a question that has no request, and a member that no frame has.
pub(super) fn misspelt(invocation: &InvocationId, number: u64) -> String {
    format!(
        r#"{{"interaction_request":{{"invocation":"{invocation}","interaction":{number},"SENTINEL":1}}}}"#
    )
}

/// Returns texts that name no invocation of a host that is in this epoch and has made so many.
pub(super) fn made_up_invocations(epoch: u64, made: u64) -> [String; 10] {
    [
        format!("{epoch}.{}", made + 1),
        format!("{}.1", epoch + 1),
        format!("{epoch}.0"),
        format!("{epoch}.01"),
        format!("0{epoch}.1"),
        format!("{epoch}.1.1"),
        format!("{epoch}."),
        format!("+{epoch}.1"),
        format!("{epoch}.{}", u64::MAX),
        "hunter3".into(),
    ]
}

/// Returns ids of questions that nobody asked; `live` is an invocation of which `asked` are known.
pub(super) fn made_up_interactions(epoch: u64, made: u64, live: &str, asked: usize) -> [String; 9] {
    [
        format!("{live}.{}", asked + 1),
        format!("{live}.0"),
        format!("{live}.{}", u32::MAX),
        format!("{epoch}.{}.1", made + 1),
        format!("{epoch}.0.1"),
        format!("{epoch}.{}.1", u64::MAX),
        format!("{}.1.1", epoch + 1),
        format!("{}.1.1", u64::MAX),
        "0.1.1".into(),
    ]
}

/// Picks one of several things by an index that may be any.
pub(crate) fn pick<T>(choices: &[T], index: u8) -> Option<&T> {
    choices.get(usize::from(index).checked_rem(choices.len())?)
}
