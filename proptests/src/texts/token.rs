//! Sealed states: tokens of strangers, and tokens that were sealed elsewhere.

use std::{
    collections::BTreeSet,
    sync::{Arc, LazyLock},
};

use arbitrary::{Result, Unstructured};
use mrtr_core::{
    UnixTime,
    seal::Keyring,
    server::{Endpoint, Incoming},
    wire::RawJson,
};

use crate::exchange::{Came, NOW, all_kinds, endpoint, first_round, message, receive, states};

/// Endpoints in both modes, and what they sealed.
static SEALED: LazyLock<[(Arc<Endpoint>, String); 2]> = LazyLock::new(|| {
    [false, true].map(|signed| {
        let endpoint = Arc::new(endpoint(signed));
        let need = all_kinds().state(RawJson::parse("1").unwrap());
        let sent = message("tools/call", &[]);
        let token = first_round(&endpoint, NOW, None, &sent, need);
        (endpoint, token)
    })
});

/// Brings a text as a state: it opens exactly if it is the one that the endpoint sealed.
///
/// # Panics
///
/// If something does not hold.
pub fn token(text: &str) -> bool {
    let quoted = serde_json::Value::from(text).to_string();
    let sent = message("tools/call", &[("requestState", &quoted)]);
    let mut opens = false;
    for (endpoint, token) in &*SEALED {
        let incoming = Incoming::message(sent.as_bytes());
        match receive(endpoint, NOW, incoming) {
            Came::Runs(_, run) => {
                assert!(run.round == 2 && text == token, "{text} opens");
                opens = true;
            }
            Came::Refused(_, cause) => assert!(cause.is_some() && text != token, "{text}"),
            Came::Waits(_) => unreachable!("its states may be used more than once"),
        }
    }
    opens
}

const NAMES: [&str; 3] = ["deployments", "deployment", "größe"];
const KEY_IDS: [&str; 4] = ["k1", "k2", "2026-10", "_"];
const PRINCIPALS: [Option<&str>; 4] = [None, Some(""), Some("alice"), Some("größe\0")];
/// Params, the first two of which are the same by value.
const PARAMS: [&str; 4] = [
    r#"{"a":1,"b":[2.50],"c":"\b\f\n\r\t\"\\/é\u0001"}"#,
    r#"{ "c": "\u0008\u000c\u000A\u000d\u0009\u0022\u005c\/\u00e9\u0001", "b": [25e-1], "\u0061": 1.0 }"#,
    r#"{"a":1,"b":[2.51],"c":"\b\f\n\r\t\"\\/é\u0001"}"#,
    r#"{"a":1}"#,
];

/// How an endpoint seals or opens, and for whom. What differs from it does not open.
#[derive(Clone, PartialEq)]
struct Party {
    name: &'static str,
    keys: Vec<(&'static str, [u8; 32])>,
    is_signed: bool,
    is_single_use: bool,
    principal: Option<&'static str>,
    params: usize,
    at: u64,
}

impl Party {
    fn arbitrary(u: &mut Unstructured<'_>) -> Result<Self> {
        Ok(Self {
            name: u.choose(&NAMES)?,
            keys: keys(u)?,
            is_signed: u.arbitrary()?,
            is_single_use: u.arbitrary()?,
            principal: *u.choose(&PRINCIPALS)?,
            params: u.choose_index(PARAMS.len())?,
            at: NOW.as_secs(),
        })
    }

    /// Changes one thing, or nothing.
    fn change(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        match u.int_in_range(0..=7)? {
            0 => self.name = u.choose(&NAMES)?,
            1 => self.keys = keys(u)?,
            2 => self.keys.insert(0, ("new", [9; 32])),
            3 => self.is_signed = u.arbitrary()?,
            4 => self.is_single_use = u.arbitrary()?,
            5 => self.principal = *u.choose(&PRINCIPALS)?,
            6 => self.params = u.choose_index(PARAMS.len())?,
            _ => self.at = NOW.as_secs() - 40 + u.int_in_range(0..=360)?,
        }
        Ok(())
    }

    /// Makes the endpoint. None where the keys are no ring.
    fn endpoint(&self) -> Option<Arc<Endpoint>> {
        let ids: BTreeSet<_> = self.keys.iter().map(|(id, _)| id).collect();
        let secrets: BTreeSet<_> = self.keys.iter().map(|(_, secret)| secret).collect();
        let is_sound = !ids.is_empty() && [ids.len(), secrets.len()] == [self.keys.len(); 2];
        let ring = Keyring::new(self.keys.iter().copied());
        assert_eq!(ring.is_ok(), is_sound, "a ring has distinct keys under distinct ids");
        ring.ok()?;
        let states = states(self.is_signed, &self.keys);
        let endpoint = Endpoint::new(self.name).with_request_state(states);
        let endpoint = if self.is_single_use { endpoint.with_single_use() } else { endpoint };
        Some(Arc::new(endpoint))
    }

    fn message(&self, state: Option<&str>) -> String {
        let arguments = ("arguments", *PARAMS.get(self.params).unwrap());
        let members = [Some(arguments), state.map(|state| ("requestState", state))];
        message("tools/call", &members.into_iter().flatten().collect::<Vec<_>>())
    }

    /// Returns whether this opens what the other sealed.
    fn opens(&self, sealed: &Self) -> bool {
        let key = sealed.keys.first().unwrap();
        let lives = if sealed.principal.is_some() { 300 } else { 60 };
        let is_alive = sealed.at <= self.at + 30 && self.at < sealed.at + lives;
        let has_same_params = self.params.max(1) == sealed.params.max(1);
        let same =
            |party: &Self| (party.name, party.is_signed, party.is_single_use, party.principal);
        same(self) == same(sealed) && self.keys.contains(key) && is_alive && has_same_params
    }
}

fn keys(u: &mut Unstructured<'_>) -> Result<Vec<(&'static str, [u8; 32])>> {
    let count = u.int_in_range(0..=3)?;
    (0..count).map(|_| Ok((*u.choose(&KEY_IDS)?, [u.int_in_range(1..=3)?; 32]))).collect()
}

/// Seals a state at one endpoint and opens it at another, at another time and for another request:
/// it opens exactly if all that binds it is the same and no letter of it is another.
///
/// # Errors
///
/// Not enough data.
///
/// # Panics
///
/// If something does not hold.
pub fn sealed_elsewhere(u: &mut Unstructured<'_>) -> Result<bool> {
    let sealing = Party::arbitrary(u)?;
    let mut opening = sealing.clone();
    for _ in 0..u.int_in_range(0..=2)? {
        opening.change(u)?;
    }
    let (Some(here), Some(there)) = (sealing.endpoint(), opening.endpoint()) else {
        return Ok(false);
    };
    let need = all_kinds().state(RawJson::parse("1").unwrap());
    let now = UnixTime::from_secs(sealing.at);
    let token = first_round(&here, now, sealing.principal, &sealing.message(None), need);
    let brought = misspelled(u, &token)?;
    let sent = opening.message(Some(&format!("\"{brought}\"")));
    let incoming = Incoming::message(sent.as_bytes()).with_principal(opening.principal);
    let opens = match receive(&there, UnixTime::from_secs(opening.at), incoming) {
        Came::Runs(_, run) => {
            assert_eq!((run.round, run.state.is_some()), (2, true));
            assert!(!opening.is_single_use, "it is redeemed before it runs");
            true
        }
        Came::Waits(_) => {
            assert!(opening.is_single_use);
            true
        }
        Came::Refused(_, cause) => {
            assert!(cause.is_some());
            false
        }
    };
    assert_eq!(opens, brought == token && opening.opens(&sealing));
    Ok(opens)
}

/// Changes a letter of a token, or none, or cuts it.
fn misspelled(u: &mut Unstructured<'_>, token: &str) -> Result<String> {
    let at = u.choose_index(token.len())?;
    let (start, end) = token.split_at(at);
    Ok(match u.int_in_range(0..=5)? {
        0 => {
            let letter = char::from(*u.choose(b"AQgw_-9=")?);
            format!("{start}{letter}{}", end.get(1..).unwrap_or_default())
        }
        1 => start.into(),
        2 => format!("{token}A"),
        _ => token.into(),
    })
}
