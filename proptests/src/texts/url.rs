//! URLs that a person is asked to open.

use mrtr_core::{
    host::{Limits, Question},
    wire::{Elicitation, RawJson},
};
use serde_json::json;

/// Asks somebody to open a URL: it is shown as it came, and what is said of it is so.
///
/// # Panics
///
/// If something does not hold.
pub fn url(text: &str) -> bool {
    let requester = json!({"provider": "p", "server": "s", "tool": "t"});
    let asked = json!({"url": text, "message": "m", "requester": requester});
    let asked = RawJson::from_value(&asked).unwrap();
    let Ok(question) = Question::decode(asked.as_json(), &Limits::default()) else { return false };
    let Elicitation::Url(request) = &question.elicitation else { panic!("it is a URL") };
    assert_eq!(&*request.url, text);
    let lower = text.to_ascii_lowercase();
    assert!(lower.starts_with(if request.is_https { "https://" } else { "http://" }));
    let host = request.host.raw();
    assert!(!host.is_empty() && text.contains(host));
    assert!(!host.contains(['/', '?', '#', '@', '\\', ' ']), "{host}");
    let (_, rest) = text.split_once("//").unwrap();
    let authority = rest.split(['/', '?', '#']).next().unwrap();
    assert_eq!(request.has_userinfo, authority.contains('@'));
    assert!(!request.is_punycode || host.to_ascii_lowercase().contains("xn--"));
    assert!(!request.is_mixed_script || !host.is_ascii() || host.contains('%'));
    assert_eq!(Question::decode(question.to_json().as_json(), &Limits::default()), Ok(question));
    true
}
