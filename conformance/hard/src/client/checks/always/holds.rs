//! The rules, each for one call.

use crate::{
    check::{Problem, cut},
    client::{
        case::CAPABILITIES,
        checks::{headers::expect_name, params::claimed},
        json::Json,
        played_call::PlayedCall,
        script::STATE_MARK,
        scripted_server::Received,
    },
};

type RuleResult = Result<(), Problem>;

pub(super) fn new_ids(play: &PlayedCall) -> RuleResult {
    let legs = play.legs();
    for (index, leg) in legs.iter().enumerate() {
        if legs.iter().take(index).any(|earlier| earlier.id() == leg.id()) {
            let id = leg.id().map_or("none".into(), Json::to_string);
            return Err(play.fails(format!("two legs have the id {id}")));
        }
    }
    Ok(())
}

pub(super) fn sound_ids(play: &PlayedCall) -> RuleResult {
    each(play, |seen| match seen.id() {
        None | Some(Json::Text(_)) => Ok(()),
        Some(id) if id.integer().is_some() => Ok(()),
        Some(id) => Err(format!("id: {id}")),
    })
}

pub(super) fn same_claims(play: &PlayedCall) -> RuleResult {
    let legs = play.legs();
    // A session of an earlier revision declares them once.
    if legs.is_empty() || !legs.iter().all(|leg| is_modern(play, leg)) {
        return Ok(());
    }
    let first = claimed(play, 0)?;
    for leg in 1..legs.len() {
        let found = claimed(play, leg)?;
        if let Err(differs) = first.same(&found) {
            return Err(play.fails(format!("leg {} differs {differs}", leg + 1)));
        }
    }
    Ok(())
}

pub(super) fn clean_first_leg(play: &PlayedCall) -> RuleResult {
    play.legs().first().map_or(Ok(()), |first| is_clean(play, first))
}

pub(super) fn clean_other_requests(play: &PlayedCall) -> RuleResult {
    let is_other =
        |seen: &&Received| seen.method().is_some_and(|method| method != play.call.method);
    play.seen.iter().filter(is_other).try_for_each(|seen| is_clean(play, seen))
}

fn is_clean(play: &PlayedCall, seen: &Received) -> RuleResult {
    let has = |name: &&str| seen.params().is_some_and(|params| params.get(name).is_some());
    match ["requestState", "inputResponses"].into_iter().find(has) {
        None => Ok(()),
        Some(name) => Err(play.fails(format!("{name} in {}", cut(&seen.text(), 300)))),
    }
}

pub(super) fn answers_object(play: &PlayedCall) -> RuleResult {
    each(play, |seen| match seen.params().and_then(|params| params.get("inputResponses")) {
        None | Some(Json::Object(_)) => Ok(()),
        Some(other) => Err(format!("inputResponses: {other}")),
    })
}

pub(super) fn state_text(play: &PlayedCall) -> RuleResult {
    each(play, |seen| match seen.params().and_then(|params| params.get("requestState")) {
        None | Some(Json::Text(_)) => Ok(()),
        Some(other) => Err(format!("requestState: {other}")),
    })
}

pub(super) fn one_message(play: &PlayedCall) -> RuleResult {
    each(play, |seen| {
        if seen.http.as_ref().is_some_and(|http| http.method != "POST") {
            return Ok(());
        }
        let shown = || cut(&seen.text(), 300);
        let json = seen.json.as_ref().map_err(|fault| format!("{fault}: {}", shown()))?;
        let is_request = json.get("method").and_then(Json::text).is_some()
            && json.get("jsonrpc").and_then(Json::text).as_deref() == Some("2.0")
            && json.get("result").is_none()
            && json.get("error").is_none();
        if is_request { Ok(()) } else { Err(shown()) }
    })
}

pub(super) fn post(play: &PlayedCall) -> RuleResult {
    each(play, |seen| match &seen.http {
        Some(http) if http.method != "POST" && !seen.body.is_empty() => {
            Err(format!("{} with {}", http.method, seen.text()))
        }
        _ => Ok(()),
    })
}

pub(super) fn no_get(play: &PlayedCall) -> RuleResult {
    each(play, |seen| match &seen.http {
        Some(http) if http.method != "POST" => Err(format!("{} {}", http.method, http.path)),
        _ => Ok(()),
    })
}

pub(super) fn accept(play: &PlayedCall) -> RuleResult {
    each_over_http(play, |seen| {
        let accept = header(seen, "accept").unwrap_or("none").to_ascii_lowercase();
        let lists = |media_type: &str| accept.contains(media_type);
        let lists_both = lists("application/json") && lists("text/event-stream");
        if lists_both { Ok(()) } else { Err(format!("Accept: {accept}")) }
    })
}

pub(super) fn content_type(play: &PlayedCall) -> RuleResult {
    each_over_http(play, |seen| match header(seen, "content-type") {
        Some(found) if found.to_ascii_lowercase().starts_with("application/json") => Ok(()),
        found => Err(format!("Content-Type: {}", found.unwrap_or("none"))),
    })
}

pub(super) fn version_header(play: &PlayedCall) -> RuleResult {
    each_over_http(play, |seen| {
        same_header(seen, "mcp-protocol-version", meta_text(seen, "protocolVersion"))
    })
}

pub(super) fn method_header(play: &PlayedCall) -> RuleResult {
    each_over_http(play, |seen| same_header(seen, "mcp-method", seen.method()))
}

fn same_header(seen: &Received, name: &str, expected: Option<String>) -> Result<(), String> {
    match header(seen, name) {
        Some(found) if Some(found) == expected.as_deref() => Ok(()),
        found => Err(format!("{name}: {found:?}, and the body says {expected:?}")),
    }
}

pub(super) fn name_header(play: &PlayedCall) -> RuleResult {
    let member = if play.call.method == "resources/read" { "uri" } else { "name" };
    let is_leg = |seen: &&Received| {
        seen.http.is_some()
            && is_modern(play, seen)
            && seen.method().as_deref() == Some(play.call.method)
    };
    play.seen.iter().filter(is_leg).try_for_each(|seen| {
        let name = seen.params().and_then(|params| params.get(member)?.text());
        expect_name(play, seen, &name.unwrap_or_default())
    })
}

pub(super) fn meta(play: &PlayedCall) -> RuleResult {
    each_modern(play, |seen| {
        let capabilities = seen.params().and_then(|params| params.at(CAPABILITIES));
        let has_both = meta_text(seen, "protocolVersion").is_some()
            && capabilities.is_some_and(|capabilities| capabilities.members().is_some());
        if has_both { Ok(()) } else { Err(cut(&seen.text(), 300)) }
    })
}

pub(super) fn client_info(play: &PlayedCall) -> RuleResult {
    each_modern(play, |seen| {
        let path = ["_meta", "io.modelcontextprotocol/clientInfo", "name"];
        let has = seen.params().is_some_and(|params| params.at(&path).is_some());
        if has { Ok(()) } else { Err(cut(&seen.text(), 300)) }
    })
}

pub(super) fn no_credentials(play: &PlayedCall) -> RuleResult {
    each(play, |seen| match header(seen, "authorization") {
        None => Ok(()),
        Some(found) => Err(format!("Authorization: {found}")),
    })
}

pub(super) fn state_kept_to_itself(play: &PlayedCall) -> RuleResult {
    // The client may print a message in which the server itself shows the state.
    let shows = |seen: &Received| {
        let answer = seen.answered.as_ref().map(|(_, answer)| answer.as_str());
        answer.is_some_and(|answer| answer.contains("bad state"))
    };
    if play.seen.iter().any(shows) {
        return Ok(());
    }
    for (place, text) in [("stdout", &play.ended.stdout), ("stderr", &play.ended.stderr)] {
        if let Some(at) = text.find(STATE_MARK) {
            let around = text.get(at.saturating_sub(100)..).unwrap_or(text);
            return Err(play.fails(format!("on {place}: {}", cut(around, 200))));
        }
    }
    each(play, |seen| {
        let http = seen.http.as_ref();
        let in_header = http.is_some_and(|http| {
            http.path.contains(STATE_MARK)
                || http.headers.iter().any(|(_, value)| value.contains(STATE_MARK))
        });
        if in_header { Err("in a header".into()) } else { Ok(()) }
    })
}

fn each(play: &PlayedCall, holds: impl Fn(&Received) -> Result<(), String>) -> RuleResult {
    play.seen.iter().try_for_each(|seen| holds(seen).map_err(|why| play.fails(why)))
}

/// Applies a rule to every request that carries its own version.
fn each_modern(play: &PlayedCall, holds: impl Fn(&Received) -> Result<(), String>) -> RuleResult {
    each(play, |seen| if is_modern(play, seen) { holds(seen) } else { Ok(()) })
}

fn each_over_http(
    play: &PlayedCall,
    holds: impl Fn(&Received) -> Result<(), String>,
) -> RuleResult {
    each_modern(play, |seen| if seen.http.is_some() { holds(seen) } else { Ok(()) })
}

/// Returns whether a message is a request that carries its own version. After a handshake, an earlier
/// revision is spoken.
fn is_modern(play: &PlayedCall, seen: &Received) -> bool {
    let is_handshake = |seen: &Received| seen.method().as_deref() == Some("initialize");
    !play.seen.iter().any(is_handshake) && seen.method().is_some() && seen.id().is_some()
}

fn header<'a>(seen: &'a Received, name: &str) -> Option<&'a str> {
    seen.http.as_ref()?.header(name)
}

fn meta_text(seen: &Received, name: &str) -> Option<String> {
    let name = format!("io.modelcontextprotocol/{name}");
    seen.params()?.at(&["_meta", &name])?.text()
}
