//! The URLs that a server asks a person to open (elicitation, URL mode).
//!
//! This crate does not fetch or open a URL. The flags of a URL help the person to decide.

use alloc::{string::String, sync::Arc};

use fluent_uri::Iri;
use form_model::SafeText;

use super::WireError;
use crate::debug::debug;

/// A request to a person to open a URL.
#[derive(Clone, PartialEq, Hash)]
#[non_exhaustive]
pub struct UrlRequest {
    /// The server's message to the person.
    pub message: SafeText,
    /// The whole URL, unchanged. Show the whole URL, and do not turn it into a link.
    pub url: Arc<str>,
    /// The host, as the URL spells it. Show it first.
    pub host: SafeText,
    /// Whether the connection is encrypted.
    pub is_https: bool,
    /// Whether the host has a part in punycode, which stands for letters that are not ASCII.
    pub is_punycode: bool,
    /// Whether the host has letters of more than one script, as look-alike hosts have.
    pub is_mixed_script: bool,
    /// Whether the URL has a user name before the host. People can mistake it for the host.
    pub has_userinfo: bool,
}

// The URL may hold a secret.
debug!(UrlRequest, |request| "UrlRequest(URL of {} bytes)", request.url.len());

impl UrlRequest {
    /// Makes a request from a message and a URL. The URL is not fetched.
    ///
    /// # Errors
    ///
    /// Returns [`WireError`] if `url` is not an absolute http or https URL.
    pub fn new(message: &str, url: &str) -> Result<Self, WireError> {
        let malformed = WireError::shape("url", "an absolute http or https URL");
        let Ok(iri) = Iri::parse(url) else { return Err(malformed) };
        let scheme = iri.scheme().as_str();
        let is_https = scheme.eq_ignore_ascii_case("https");
        if !is_https && !scheme.eq_ignore_ascii_case("http") {
            return Err(malformed);
        }
        let Some(authority) = iri.authority() else { return Err(malformed) };
        let host = authority.host();
        if host.is_empty() {
            return Err(malformed);
        }
        let starts_punycode =
            |label: &str| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--"));
        Ok(Self {
            message: SafeText::paragraph(message),
            url: url.into(),
            host: SafeText::line(host),
            is_https,
            is_punycode: host.split('.').any(starts_punycode),
            is_mixed_script: has_mixed_scripts(&decoded(host)),
            has_userinfo: authority.has_userinfo(),
        })
    }
}

/// Decodes the percent-encoded octets of a host. A host that is not UTF-8 stays encoded.
fn decoded(host: &str) -> String {
    let mut bytes = alloc::vec::Vec::with_capacity(host.len());
    let mut rest = host;
    while let Some(at) = rest.find('%') {
        let (start, encoded) = rest.split_at_checked(at).unwrap_or((rest, ""));
        bytes.extend_from_slice(start.as_bytes());
        let octet = encoded.get(1..3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.extend(octet);
        rest = encoded.get(3..).unwrap_or_default();
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).unwrap_or_else(|_| host.into())
}

/// A script whose letters look like those of another, or any other script.
#[derive(Clone, Copy, PartialEq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Other,
}

fn has_mixed_scripts(host: &str) -> bool {
    let mut scripts = host.chars().filter_map(|letter| {
        letter.is_alphabetic().then_some(match letter {
            'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Script::Latin,
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Script::Greek,
            '\u{400}'..='\u{52f}' => Script::Cyrillic,
            '\u{530}'..='\u{58f}' => Script::Armenian,
            _ => Script::Other,
        })
    });
    let Some(first) = scripts.next() else { return false };
    scripts.any(|script| script != first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(url: &str) -> (&'static str, bool) {
        let request = UrlRequest::new("m", url).unwrap();
        let suspicious = match (request.is_punycode, request.is_mixed_script, request.has_userinfo)
        {
            (false, false, false) => "",
            (true, false, false) => "punycode",
            (false, true, false) => "mixed",
            (false, false, true) => "userinfo",
            _ => "several",
        };
        (suspicious, request.is_https)
    }

    /// proves: CL-16
    #[test]
    fn what_is_suspicious_about_a_url_is_found() {
        for (url, expected) in [
            ("https://example.com/a?b#c", ("", true)),
            ("HTTP://example.com", ("", false)),
            ("https://xn--pple-43d.com/", ("punycode", true)),
            ("https://login.XN--PPLE-43D.com/", ("punycode", true)),
            ("https://p\u{430}ypal.com/", ("mixed", true)),
            ("https://p%D0%B0ypal.com/", ("mixed", true)),
            ("https://\u{43f}\u{440}\u{438}\u{43c}\u{435}\u{440}.\u{440}\u{444}/", ("", true)),
            ("https://gr\u{f6}\u{df}e\u{1e9e}.example/", ("", true)),
            ("https://\u{3b1}\u{1f00}.\u{3b2}/", ("", true)),
            ("https://\u{561}\u{562}/", ("", true)),
            // Hebrew beside each of the others.
            ("https://a\u{5d0}/", ("mixed", true)),
            ("https://\u{3b1}\u{5d0}/", ("mixed", true)),
            ("https://\u{440}\u{5d0}/", ("mixed", true)),
            ("https://\u{561}\u{5d0}/", ("mixed", true)),
            ("https://github.com@evil.example/", ("userinfo", true)),
            ("https://[::1]:8443/", ("", true)),
        ] {
            assert_eq!(flags(url), expected, "{url}");
        }
        let request = UrlRequest::new("m", "https://a.example@b.example:8443/x").unwrap();
        assert_eq!(request.host.as_str(), "b.example");
        assert_eq!(&*request.url, "https://a.example@b.example:8443/x");
        assert!(!alloc::format!("{request:?}").contains("example"));
    }

    /// proves: W-05
    #[test]
    fn a_text_that_is_not_an_absolute_web_url_is_refused() {
        for wrong in [
            "",
            "example.com",
            "/path",
            "//example.com/",
            "https:",
            "https://",
            "https:///path",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "https://exa mple.com/",
            "https://example.com/\n",
            "ftp://example.com/",
        ] {
            assert!(UrlRequest::new("m", wrong).is_err(), "{wrong}");
        }
    }
}
