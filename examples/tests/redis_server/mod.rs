//! A Redis for one test.

use core::net::Ipv4Addr;
use std::{
    io::{BufRead as _, BufReader, ErrorKind},
    net::TcpListener,
    process::{Child, Command, Stdio},
};

/// A `redis-server` on its own port that keeps nothing on disk. It ends when it is dropped.
pub(crate) struct RedisServer {
    port: u16,
    process: Child,
}

impl RedisServer {
    pub(crate) fn start() -> Self {
        // Another process may take the port first.
        for _ in 0..10 {
            let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let port = free.local_addr().unwrap().port();
            drop(free);
            if let Some(process) = spawn(port) {
                return Self { port, process };
            }
        }
        panic!("redis-server does not start");
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    pub(crate) fn stop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts it again on the same port, empty.
    pub(crate) fn restart(&mut self) {
        self.stop();
        self.process = spawn(self.port).expect("redis-server starts again");
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Starts it and waits until it listens. Returns `None` if it has ended.
fn spawn(port: u16) -> Option<Child> {
    let spawned = Command::new("redis-server")
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
        .args(["--save", "", "--appendonly", "no", "--dir"])
        .arg(env!("CARGO_TARGET_TMPDIR"))
        .stdout(Stdio::piped())
        .spawn();
    let mut process = match spawned {
        Ok(process) => process,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            panic!("redis-server is missing, and this test needs it: apt-get install redis-server")
        }
        Err(error) => panic!("redis-server does not start: {error}"),
    };
    let mut log = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
    if log.any(|line| line.contains("Ready to accept connections")) {
        return Some(process);
    }
    process.wait().unwrap();
    None
}
