//! The honest flows that every pair of peers plays.

/// A call of a fixture, and its expected end.
pub(crate) struct Flow {
    pub(crate) id: &'static str,
    /// The tool, the prompt or the URI that is called.
    pub(crate) fixture: &'static str,
    pub(crate) method: &'static str,
    pub(crate) claims: &'static str,
    /// The answers, as JSON. Empty if there are none.
    pub(crate) answers: &'static str,
    /// The text of the complete call. `None` if the call must end in an error.
    pub(crate) ends: Option<&'static str>,
    /// The row of LIMITS.md of a peer that cannot play this flow.
    pub(crate) limit: Option<&'static str>,
}

const TOOL: &str = "tools/call";

const fn flow(
    id: &'static str,
    fixture: &'static str,
    claims: &'static str,
    answers: &'static str,
    ends: Option<&'static str>,
) -> Flow {
    Flow { id, fixture, method: TOOL, claims, answers, ends, limit: None }
}

const CLAIMS_UNCHECKED: Option<&str> = Some("a check of the claims");
const DECLINE: &str = r#"{"*":{"action":"decline"}}"#;
const CANCEL: &str = r#"{"*":{"action":"cancel"}}"#;
const CONSENT: &str = r#"{"*":{"action":"accept"}}"#;
const NAME: &str = r#"{"who":{"action":"accept","content":{"name":"Ann é 😀"}}}"#;

/// All flows.
pub(crate) const FLOWS: [Flow; 21] = [
    flow("plain", "plain", "none", "", Some("plain")),
    flow(
        "form-accept",
        "form",
        "form",
        r#"{"target":{"action":"accept","content":{"environment":"staging","confirm":true}}}"#,
        Some("accepted:staging:true"),
    ),
    flow(
        "form-accept-false",
        "form",
        "form,url",
        r#"{"target":{"action":"accept","content":{"environment":"production","confirm":false}}}"#,
        Some("accepted:production:false"),
    ),
    flow("form-decline", "form", "form", DECLINE, Some("declined")),
    flow("form-cancel", "form", "form", CANCEL, Some("cancelled")),
    Flow { limit: CLAIMS_UNCHECKED, ..flow("form-unclaimed", "form", "none", "", None) },
    flow("spellings", "spellings", "form", SPELLINGS, Some(SPELLED)),
    flow("url-accept", "url", "url", CONSENT, Some("consented")),
    flow("url-decline", "url", "form,url", DECLINE, Some("declined")),
    flow("url-cancel", "url", "form,url", CANCEL, Some("cancelled")),
    Flow { limit: CLAIMS_UNCHECKED, ..flow("url-unclaimed", "url", "form", CONSENT, None) },
    flow("sampling", "sampling", "sampling", "", Some("sampled:sampled text")),
    flow("sampling-tools", "sampling_tools", "sampling,sampling.tools", "", SAMPLED),
    flow("sampling-context", "sampling_context", "sampling,sampling.context", "", SAMPLED),
    flow("roots", "roots", "roots", "", Some("roots:1")),
    flow(
        "several",
        "several",
        "form",
        r#"{"a":{"action":"accept","content":{"value":"of a"}},
            "b":{"action":"accept","content":{"value":"of b"}}}"#,
        Some("several:of a:of b"),
    ),
    flow(
        "two-rounds",
        "two_rounds",
        "form",
        r#"{"first":{"action":"accept","content":{"name":"Ann"}},
            "second":{"action":"accept","content":{"count":3}}}"#,
        Some("two:Ann:3"),
    ),
    flow("state-only", "state_only", "form", "", Some("waited")),
    flow("for-ever", "forever", "form", r#"{"*":{"action":"accept","content":{"ok":true}}}"#, None),
    Flow {
        fixture: "ask",
        method: "prompts/get",
        ..flow("prompt", "ask", "form", NAME, Some("prompt:Ann é 😀"))
    },
    Flow {
        fixture: "ask://resource",
        method: "resources/read",
        ..flow("resource", "ask", "form", NAME, Some("resource:Ann é 😀"))
    },
];

const SAMPLED: Option<&str> = Some("sampled:sampled text");
const SPELLINGS: &str = r#"{"all":{"action":"accept","content":{
    "text":"x y","number":0.5,"integer":3,"flag":false,"choice":"b","titled":"a","legacy":"b",
    "choices":["a","b"],"titled_choices":["b"]}}}"#;
const SPELLED: &str = concat!(
    r#"spellings:{"choice":"b","choices":["a","b"],"flag":false,"integer":3,"legacy":"b","#,
    r#""number":0.5,"text":"x y","titled":"a","titled_choices":["b"]}"#,
);
