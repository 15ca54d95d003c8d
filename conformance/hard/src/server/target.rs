//! The server under test, and the requests to it.

use core::{
    iter,
    sync::atomic::{AtomicU64, Ordering},
};
use std::{
    collections::BTreeMap,
    io,
    sync::{Mutex, PoisonError},
    time::Instant,
};

use serde_json::Value;

use super::{
    always::{Ledger, Rule},
    call::Call,
    exchange::{Exchange, Outcome, Round},
    fixture::Fixture,
};
use crate::{
    check::{Problem, cut},
    http::{self, Address, Connection, Request},
};

/// A server under test, and the results of the rules so far.
pub(crate) struct Target {
    address: Address,
    /// The same server, started with `--ttl 1`.
    pub(crate) short_lived: Option<Box<Target>>,
    /// The same server, started with `--rounds 2`.
    pub(crate) two_rounds: Option<Box<Target>>,
    next_id: AtomicU64,
    ledger: Mutex<Ledger>,
    /// The fixtures that are missing or do not work, and why.
    lacks: Mutex<BTreeMap<Fixture, String>>,
}

impl Target {
    pub(crate) fn new(address: Address) -> Self {
        Self {
            address,
            short_lived: None,
            two_rounds: None,
            next_id: AtomicU64::new(1),
            ledger: Mutex::default(),
            lacks: Mutex::default(),
        }
    }

    /// Expects that the server listens, so that a dead one is reported once.
    ///
    /// # Errors
    ///
    /// Fails if a server cannot be reached.
    pub(crate) fn expect_reachable(&self) -> io::Result<()> {
        for it in
            iter::once(self).chain(self.short_lived.as_deref()).chain(self.two_rounds.as_deref())
        {
            Connection::open(&it.address).map_err(|error| {
                let said = format!("nobody listens at {}: {error}", it.address);
                io::Error::new(error.kind(), said)
            })?;
        }
        Ok(())
    }

    /// Sends a request on a new connection.
    pub(crate) fn send(&self, call: &Call) -> Exchange {
        self.exchange(call, |request| http::send(&self.address, request))
    }

    /// Sends requests one after the other on one connection.
    pub(crate) fn send_on_one_connection(&self, calls: &[Call]) -> Result<Vec<Exchange>, Problem> {
        let unreachable = |error| Problem::Failed {
            sent: "a connection".into(),
            came_back: format!("no connection: {error}"),
        };
        let mut connection = Connection::open(&self.address).map_err(unreachable)?;
        let mut seen = Vec::new();
        for call in calls {
            seen.push(
                self.exchange(call, |request| {
                    connection.send(&self.address, request, "keep-alive")
                }),
            );
        }
        Ok(seen)
    }

    /// Sends an HTTP request that is not a call.
    pub(crate) fn send_plain(&self, request: &Request) -> Exchange {
        let sent = format!("{} with {:?}", request.method, request.headers);
        let began = Instant::now();
        let response = http::send(&self.address, request);
        Exchange::read(sent, response, began.elapsed())
    }

    fn exchange(
        &self,
        call: &Call,
        send: impl FnOnce(&Request) -> std::io::Result<http::Response>,
    ) -> Exchange {
        let next = self.next_id.fetch_add(1, Ordering::Relaxed);
        let id = call.expected_id(next);
        let request = call.request(id.as_deref().unwrap_or("null"));
        let mut sent = cut(&String::from_utf8_lossy(&request.body), 3000);
        if let Some(headers) = call.odd_headers() {
            sent = format!("{sent} with the headers {headers}");
        }
        let began = Instant::now();
        let response = send(&request);
        let seen = Exchange::read(sent, response, began.elapsed());
        let id = id.and_then(|id| serde_json::from_str::<Value>(&id).ok());
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner).note(call, id.as_ref(), &seen);
        seen
    }

    /// Returns the result of a rule over all answers so far.
    pub(crate) fn always(&self, rule: Rule) -> Result<String, Problem> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner).found(rule)
    }

    /// Notes why a fixture is missing.
    pub(crate) fn note_lack(&self, fixture: Fixture, why: &str) {
        let mut lacks = self.lacks.lock().unwrap_or_else(PoisonError::into_inner);
        lacks.entry(fixture).or_insert_with(|| why.into());
    }

    /// Expects that a fixture works. A refusal proves nothing if everything is refused.
    pub(crate) fn needs(&self, fixture: Fixture) -> Result<(), Problem> {
        match self.lacks.lock().unwrap_or_else(PoisonError::into_inner).get(&fixture) {
            Some(why) => Err(Problem::NotOffered(format!("{}: {why}", fixture.name()))),
            None => Ok(()),
        }
    }

    /// Notes the missing fixtures: they are not listed, and their calls are refused. The resource of a
    /// template works without being listed.
    pub(crate) fn note_missing_fixtures(&self) {
        let mut lists: BTreeMap<&str, Option<Vec<String>>> = BTreeMap::new();
        for fixture in Fixture::ALL {
            let (method, kind, parameter) = fixture.listed();
            let list = lists.entry(method).or_insert_with(|| self.list(method, kind, parameter));
            let is_listed =
                list.as_ref().is_none_or(|names| names.iter().any(|name| name == fixture.name()));
            let answers = || {
                matches!(
                    self.send(&fixture.call()).outcome,
                    Outcome::Complete(_) | Outcome::Asks(_)
                )
            };
            if !is_listed && !answers() {
                self.note_lack(fixture, "it is not listed, and refused");
            }
        }
    }

    fn list(&self, method: &str, kind: &str, parameter: &str) -> Option<Vec<String>> {
        let seen = self.send(&Call::new(method));
        let listed = seen.response()?.get("result")?.get(kind)?.as_array()?;
        let name = |entry: &Value| entry.get(parameter).and_then(Value::as_str).map(Into::into);
        Some(listed.iter().filter_map(name).collect())
    }

    /// Sends the first request of a fixture, and expects its first round.
    pub(crate) fn begin(&self, fixture: Fixture) -> Result<Round, Problem> {
        self.begin_with(fixture, &fixture.call())
    }

    /// Sends this first request of a fixture, and expects its first round.
    pub(crate) fn begin_with(&self, fixture: Fixture, call: &Call) -> Result<Round, Problem> {
        let seen = self.send(call);
        let round = seen.asks(fixture.keys())?;
        if fixture.has_state() && round.state.as_deref().unwrap_or_default().is_empty() {
            return Err(seen.fail("a requestState"));
        }
        Ok(round)
    }

    /// Sends the first request of a fixture, and returns the state.
    pub(crate) fn state_of(&self, fixture: Fixture) -> Result<String, Problem> {
        Ok(self.begin(fixture)?.state.unwrap_or_default())
    }

    /// Plays a fixture of one round with these answers, and returns the last exchange.
    pub(crate) fn play(&self, fixture: Fixture, answers: &str) -> Result<Exchange, Problem> {
        let round = self.begin(fixture)?;
        Ok(self.send(&fixture.call().answers(answers).state(round.state.as_deref())))
    }

    /// Plays the first round of `two_rounds` under a name, and returns the state of the second.
    pub(crate) fn second_state(&self, name: &str) -> Result<String, Problem> {
        let answers = super::fixture::name_under("first", name);
        let seen = self.play(Fixture::TwoRounds, &answers)?;
        match seen.asks(&["second"])?.state {
            Some(state) if !state.is_empty() => Ok(state),
            _ => Err(seen.fail("a requestState")),
        }
    }

    /// Expects that a fixture still works.
    pub(crate) fn still_works(&self) -> Result<(), Problem> {
        let plain = self.send(&Fixture::Plain.call());
        match plain.outcome {
            Outcome::Complete(_) => Ok(()),
            Outcome::ToolError | Outcome::Asks(_) | Outcome::Error { .. } | Outcome::Nothing => {
                Err(plain.fail("the server to go on working"))
            }
        }
    }
}
