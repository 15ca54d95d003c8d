//! Two servers that share a keyring and a Redis are one endpoint.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is a test"
)]

mod redis_server;

use std::sync::{Arc, Mutex};

use form_model::{Form, FormBuilder, TextField};
use mrtr_core::{
    seal::{Keyring, RequestState},
    server::{Ending, Endpoint, Flow, Run},
    wire::RawJson,
};
use mrtr_examples::{
    server::{self, Format, Server},
    store::{Memory, Redis, Store},
};
use redis_server::RedisServer;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::{sync::Barrier, task::JoinSet};

/// The orders that were shipped, in any test.
static SHIPPED: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn shipped(order: &str) -> usize {
    SHIPPED.lock().unwrap().iter().filter(|shipped| *shipped == order).count()
}

fn form(name: &str) -> Form {
    FormBuilder::new().field(TextField::new(name).required()).build().unwrap()
}

/// Ships an order, after asking to whom and where that is.
fn ship(run: &Run) -> Ending {
    Flow::run(run, |flow| {
        let answer = flow.accepted("who", "Who is it for?", form("name"))?;
        let name = answer.text("name").unwrap_or_default().to_owned();
        let answer = flow.accepted("where", &format!("Where is {name}?"), form("place"))?;
        let place = answer.text("place").unwrap_or_default();
        let params: Value = serde_json::from_str(run.params.as_str())?;
        SHIPPED.lock().unwrap().push(params["arguments"]["order"].as_str().unwrap().into());
        Ok(RawJson::from_value(&json!({"content": [], "to": format!("{name} in {place}")}))?)
    })
}

/// Starts a server, and returns its URL.
async fn start(store: Arc<dyn Store>) -> String {
    let listener = server::listen(0).await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let keys = Keyring::new([("shared", [7; 32])]).unwrap();
    let endpoint =
        Endpoint::new("shop").with_request_state(RequestState::new(keys)).with_single_use();
    let endpoint = Arc::new(endpoint);
    let server = Server { endpoint, handler: ship, store, reporter: |_| {}, format: Format::Json };
    tokio::spawn(server::serve(listener, server));
    url
}

/// Starts two servers, each with connections of its own to one Redis.
async fn start_two(redis: &RedisServer) -> [String; 2] {
    let store = || Arc::new(Redis::new(&redis.url()).unwrap());
    [start(store()).await, start(store()).await]
}

/// Makes the request of a round: with the answer to a question, and the state it was asked with.
fn request(order: &str, answer: Option<(&str, Value)>, state: &Value) -> String {
    let mut params = json!({
        "name": "ship",
        "arguments": {"order": order},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        },
    });
    if let Some((key, content)) = answer {
        params["inputResponses"] = json!({key: {"action": "accept", "content": content}});
        params["requestState"] = state.clone();
    }
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string()
}

async fn post(client: &Client, url: &str, body: String) -> Value {
    let headers = [
        ("content-type", "application/json"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "ship"),
    ];
    let request = headers
        .into_iter()
        .fold(client.post(url), |request, (name, value)| request.header(name, value));
    let response = request.body(body).send().await.unwrap();
    serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
}

/// Plays all rounds but the last, each on the next server, and returns the request of the last.
async fn play(client: &Client, urls: &[String], order: &str) -> String {
    let mut servers = urls.iter().cycle();
    let first = request(order, None, &Value::Null);
    let asked = post(client, servers.next().unwrap(), first).await;
    assert!(asked["result"]["inputRequests"]["who"].is_object(), "{asked}");
    let who = ("who", json!({"name": "Zoë"}));
    let second = request(order, Some(who), &asked["result"]["requestState"]);
    let asked = post(client, servers.next().unwrap(), second).await;
    assert!(asked["result"]["inputRequests"]["where"].is_object(), "{asked}");
    request(order, Some(("where", json!({"place": "Oslo"}))), &asked["result"]["requestState"])
}

/// Sends the last request of a flow 100 times at once, to all servers alike, and checks that it is
/// carried out once.
async fn a_hundred_at_once(urls: &[String], order: &str) {
    let client = Client::new();
    let last = play(&client, urls, order).await;
    assert_eq!(shipped(order), 0);
    let barrier = Arc::new(Barrier::new(100));
    let mut posts = JoinSet::new();
    for url in urls.iter().cycle().take(100) {
        let (client, url, last) = (client.clone(), url.clone(), last.clone());
        let barrier = barrier.clone();
        posts.spawn(async move {
            barrier.wait().await;
            post(&client, &url, last).await
        });
    }
    let (done, refused): (Vec<_>, Vec<_>) =
        posts.join_all().await.into_iter().partition(|answer| answer.get("result").is_some());
    assert_eq!((done.len(), refused.len(), shipped(order)), (1, 99, 1));
    assert_eq!(done[0]["result"]["to"], "Zoë in Oslo");
    for answer in refused {
        assert_eq!(answer["error"], json!({"code": -32602, "message": "Invalid requestState"}));
    }
}

/// proves: SV-02, SV-10, ST-08
#[tokio::test(flavor = "multi_thread")]
async fn a_flow_that_starts_on_one_server_finishes_on_the_other() {
    let redis = RedisServer::start();
    let mut urls = start_two(&redis).await;
    let client = Client::new();
    for order in ["there-and-back", "back-and-there"] {
        let last = play(&client, &urls, order).await;
        let answer = post(&client, &urls[0], last.clone()).await;
        assert_eq!(answer["result"]["to"], "Zoë in Oslo");
        assert_eq!(shipped(order), 1);
        // Once is once, on the other server too.
        let again = post(&client, &urls[1], last).await;
        assert_eq!(again["error"]["message"], "Invalid requestState");
        assert_eq!(shipped(order), 1);
        urls.reverse();
    }
}

/// proves: ST-08
#[tokio::test(flavor = "multi_thread")]
async fn the_same_retry_a_hundred_times_at_once_to_two_servers_runs_the_handler_once() {
    let redis = RedisServer::start();
    a_hundred_at_once(&start_two(&redis).await, "two-servers").await;
}

/// proves: ST-08
#[tokio::test(flavor = "multi_thread")]
async fn the_same_retry_a_hundred_times_at_once_to_one_server_runs_the_handler_once() {
    a_hundred_at_once(&[start(Arc::new(Memory::default())).await], "one-server").await;
}

/// proves: ST-08
#[tokio::test(flavor = "multi_thread")]
async fn without_its_redis_a_server_carries_nothing_out_and_with_it_again_it_does() {
    let mut redis = RedisServer::start();
    let urls = start_two(&redis).await;
    let client = Client::new();
    let last = play(&client, &urls, "stopped").await;
    redis.stop();
    for url in urls.iter().cycle().take(4) {
        let answer = post(&client, url, last.clone()).await;
        assert_eq!(answer["error"], json!({"code": -32603, "message": "Internal error"}));
    }
    assert_eq!(shipped("stopped"), 0);
    // A first request has nothing to redeem.
    let first = request("stopped", None, &Value::Null);
    let asked = post(&client, &urls[0], first).await;
    assert!(asked["result"]["inputRequests"]["who"].is_object(), "{asked}");
    redis.restart();
    let answer = post(&client, &urls[0], last.clone()).await;
    assert_eq!(answer["result"]["to"], "Zoë in Oslo");
    let answer = post(&client, &urls[1], last).await;
    assert_eq!(answer["error"]["message"], "Invalid requestState");
    assert_eq!(shipped("stopped"), 1);
}
