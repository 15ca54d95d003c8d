//! The server of `docs/server.md`, in the parts in which the page shows it.

mod asking;
mod builds;
mod exchange;
mod flows;
mod handler;
mod http;
mod keys;
mod seal;
mod store;

use std::{
    env, fs, process,
    sync::{Arc, Mutex},
};

use axum::{body::Bytes, extract::State, http::HeaderMap, response::Response, routing::post};
use mrtr_core::{
    server::{Incoming, Report, ReportKind},
    wire::Headers,
};
use serde_json::json;
use tokio::{net::TcpListener, sync::mpsc, task::JoinSet};

use exchange::Server;

/// A server that runs.
pub(crate) struct Served {
    /// Where it answers with JSON documents.
    pub(crate) url: String,
    /// Where it answers with event streams.
    pub(crate) stream: String,
    /// What it has reported.
    pub(crate) reports: Arc<Mutex<Vec<ReportKind>>>,
}

/// Makes the server, with keys of files that are made for it.
fn server(name: &str, reports: Arc<Mutex<Vec<ReportKind>>>) -> Arc<Server> {
    let keys = env::temp_dir().join(format!("mrtr-guides-{}-{name}", process::id()));
    fs::create_dir_all(&keys).unwrap();
    for id in ["2026-11", "2026-12"] {
        let mut key = [0; 32];
        getrandom::fill(&mut key).unwrap();
        fs::write(keys.join(id), key).unwrap();
    }
    fs::write(keys.join("short"), "not a key").unwrap();
    assert!(keys::endpoint(name, &keys, &["short"]).is_err());
    let endpoint = keys::endpoint(name, &keys, &["2026-12", "2026-11"]).unwrap();
    let schema =
        r#"{"type":"object","properties":{"build":{"type":"string","x-mcp-header":"Build"}}}"#;
    let endpoint = keys::with_headers(endpoint, "deploy", schema).unwrap();
    fs::remove_dir_all(&keys).unwrap();
    let log = Box::new(move |report: &Report| reports.lock().unwrap().push(report.kind.clone()));
    Arc::new(Server { endpoint, store: Default::default(), log, payments: Default::default() })
}

/// Serves on a free port.
pub(crate) async fn serve(name: &str) -> Served {
    let reports = Arc::default();
    let server = server(name, Arc::clone(&reports));
    let router = http::router(server.clone())
        .merge(axum::Router::new().route("/stream", post(stream)).with_state(server));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let (url, stream) = (format!("http://{address}/mcp"), format!("http://{address}/stream"));
    Served { url, stream, reports }
}

/// Answers with progress, a log message and the response, as a stream.
async fn stream(State(server): State<Arc<Server>>, headers: HeaderMap, body: Bytes) -> Response {
    let (sender, notifications) = mpsc::channel(1);
    // The set ends its task when the response is dropped, which is when the client closes it.
    let mut task = JoinSet::new();
    task.spawn(async move {
        for method in ["notifications/progress", "notifications/message"] {
            let params =
                json!({"progressToken": "call-1", "progress": 1, "level": "info", "data": 1});
            let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
            sender.send(message.to_string()).await.unwrap();
        }
        let headers: Headers = headers.iter().collect();
        let incoming = Incoming::message(&body).with_headers(headers);
        let respond = exchange::answer(&server, incoming).await.unwrap();
        respond.body.unwrap().as_str().to_owned()
    });
    let notifications = futures_util::stream::unfold(notifications, async |mut receiver| {
        receiver.recv().await.map(|message| (message, receiver))
    });
    http::event_stream(notifications, async move { task.join_next().await.unwrap().unwrap() })
}

#[test]
fn a_gateway_seals_without_an_exchange() {
    seal::a_gateway(exchange::now(), [7; 32]).unwrap();
}
