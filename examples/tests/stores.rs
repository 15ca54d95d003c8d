//! What all stores do, and what each store does besides.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is a test"
)]

mod redis_server;

use core::time::Duration;
use std::{
    net::TcpListener,
    sync::{Arc, Barrier},
    thread,
    time::Instant,
};

use getrandom::SysRng;
use mrtr_core::{
    UnixTime,
    seal::{Keyring, RequestState, TokenId},
    server::{Action, Ending, Endpoint, Exchange, Incoming, Need},
    wire::RawJson,
};
use mrtr_examples::store::{Memory, Redis, Store};
use redis_server::RedisServer;
use serde_json::{Value, json};

const NOW: UnixTime = UnixTime::from_secs(1_800_000_000);

fn after(secs: u64) -> UnixTime {
    UnixTime::from_secs(NOW.as_secs() + secs)
}

/// Makes an id. Only a sealed state has one.
fn id() -> TokenId {
    let keys = Keyring::new([("k", [1; 32])]).unwrap();
    let endpoint =
        Endpoint::new("test").with_request_state(RequestState::new(keys)).with_single_use();
    let endpoint = Arc::new(endpoint);
    let receive = |state: Option<&Value>| {
        let mut params = json!({"name": "t", "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }});
        if let Some(state) = state {
            params["requestState"] = state.clone();
        }
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let message = request.to_string();
        Exchange::receive(&endpoint, NOW, Incoming::message(message.as_bytes()))
    };
    let (mut exchange, _) = receive(None);
    let need = Ending::Need(Need::new().state(RawJson::parse("1").unwrap()));
    let actions = exchange.end(NOW, &mut SysRng, need).unwrap();
    let [Action::Respond(respond)] = actions.as_slice() else { panic!("{actions:?}") };
    let asked: Value = serde_json::from_str(respond.body.as_ref().unwrap().as_str()).unwrap();
    let (_, actions) = receive(asked.pointer("/result/requestState"));
    let [Action::Redeem { id, .. }] = actions.as_slice() else { panic!("{actions:?}") };
    *id
}

/// Redeems and releases ids.
fn redeem_and_release(store: &dyn Store) {
    let (one, other) = (id(), id());
    assert!(store.redeem(one, NOW, after(60)).unwrap());
    assert!(!store.redeem(one, NOW, after(60)).unwrap());
    assert!(store.redeem(other, NOW, after(60)).unwrap());
    store.release(one).unwrap();
    assert!(store.redeem(one, NOW, after(60)).unwrap());
    assert!(!store.redeem(other, NOW, after(60)).unwrap());
    // An id that is not there can be released.
    store.release(id()).unwrap();
    // A state that expires now or has expired is still redeemed once.
    for until in [NOW, UnixTime::from_secs(0)] {
        let late = id();
        assert!(store.redeem(late, after(0), until).unwrap());
    }
}

/// Redeems one id from many threads at once, and returns how many were the first.
fn first_of_many(store: &dyn Store) -> usize {
    let (id, barrier) = (id(), Barrier::new(50));
    thread::scope(|scope| {
        let redeem = || {
            barrier.wait();
            store.redeem(id, NOW, after(60)).unwrap()
        };
        let threads: Vec<_> = (0..50).map(|_| scope.spawn(redeem)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).filter(|first| *first).count()
    })
}

/// proves: ST-08
#[test]
fn each_store_redeems_an_id_once_until_it_is_released() {
    let redis = RedisServer::start();
    let stores: [&dyn Store; 2] = [&Memory::default(), &Redis::new(&redis.url()).unwrap()];
    for store in stores {
        redeem_and_release(store);
        assert_eq!(first_of_many(store), 1);
    }
}

/// proves: ST-08
#[test]
fn memory_drops_what_has_expired_and_does_not_grow() {
    let memory = Memory::default();
    let kept = id();
    assert!(memory.redeem(kept, NOW, after(3600)).unwrap());
    for second in 0..1000 {
        assert!(memory.redeem(id(), after(second), after(second + 60)).unwrap());
        assert!(memory.len() <= 61, "{second}: {} ids", memory.len());
    }
    // An id is kept through its last second.
    assert!(!memory.redeem(kept, after(3599), after(3600)).unwrap());
    assert_eq!(memory.len(), 1);
    assert!(memory.redeem(id(), after(3600), after(3660)).unwrap());
    assert_eq!(memory.len(), 1);
    assert!(!memory.is_empty());
}

/// proves: ST-08
#[test]
fn two_clients_of_one_redis_redeem_an_id_once_and_it_forgets_the_id_by_itself() {
    let redis = RedisServer::start();
    let [one, other] = [(); 2].map(|()| Redis::new(&redis.url()).unwrap());
    let (long, short) = (id(), id());
    assert!(one.redeem(long, NOW, after(300)).unwrap());
    assert!(!other.redeem(long, NOW, after(300)).unwrap());
    assert!(other.redeem(short, NOW, NOW).unwrap());
    let mut direct = redis::Client::open(redis.url()).unwrap().get_connection().unwrap();
    let left = redis::cmd("TTL").arg(format!("mrtr:{long}")).query::<i64>(&mut direct).unwrap();
    assert!((270..=300).contains(&left), "{left}");
    thread::sleep(Duration::from_millis(1500));
    let kept: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut direct).unwrap();
    assert_eq!(kept, [format!("mrtr:{long}")]);
}

/// proves: ST-08
#[test]
fn a_redis_that_cannot_be_asked_is_an_error_and_one_that_is_back_is_used_again() {
    let mut server = RedisServer::start();
    let store = Redis::new(&server.url()).unwrap();
    assert!(store.redeem(id(), NOW, after(60)).unwrap());
    // The idle connection is broken now, and is replaced.
    server.restart();
    assert!(store.redeem(id(), NOW, after(60)).unwrap());
    server.stop();
    let stopped = id();
    assert!(store.redeem(stopped, NOW, after(60)).is_err());
    assert!(store.release(stopped).is_err());
    server.restart();
    assert!(store.redeem(stopped, NOW, after(60)).unwrap());
    assert!(Redis::new("127.0.0.1").is_err());
}

/// proves: ST-08
#[test]
fn a_redis_that_says_nothing_is_an_error_in_time() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let store = Redis::new(&format!("redis://{}/", silent.local_addr().unwrap())).unwrap();
    let asked = Instant::now();
    assert!(store.redeem(id(), NOW, after(60)).is_err());
    assert!(asked.elapsed().as_secs() < 10);
}
