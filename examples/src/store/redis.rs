//! A store for many processes: a Redis that they share.

use core::time::Duration;
use std::{
    io,
    sync::{Mutex, MutexGuard, PoisonError},
};

use mrtr_core::{UnixTime, seal::TokenId};
use redis::{Client, Cmd, Connection, FromRedisValue, RedisResult};

use super::Store;

/// How long to wait for a Redis to accept a connection, to accept a command, and to answer it.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The most idle connections that are kept.
const IDLE_MAX: usize = 16;

/// A store in a Redis. The key of each id is `mrtr:` and its digits.
///
/// An id that the Redis loses can be redeemed again. So it must evict nothing
/// (`maxmemory-policy noeviction`), and persist its data if it may restart.
pub struct Redis {
    client: Client,
    idle: Mutex<Vec<Connection>>,
}

impl Redis {
    /// Makes a store in the Redis at a URL, such as `redis://127.0.0.1/`. It connects when it is
    /// first used.
    ///
    /// # Errors
    ///
    /// A text that is not the URL of a Redis.
    pub fn new(url: &str) -> io::Result<Self> {
        let client = Client::open(url).map_err(io::Error::other)?;
        Ok(Self { client, idle: Mutex::default() })
    }

    /// Sends a command over an idle connection, or a new one. An idle connection may have been
    /// closed meanwhile, so a command that fails on it is sent again. That redeems no id twice.
    fn ask<T: FromRedisValue>(&self, command: &Cmd) -> io::Result<T> {
        let idle = self.idle().pop();
        if let Some(answer) = idle.and_then(|idle| self.ask_over(idle, command).ok()) {
            return Ok(answer);
        }
        let connected = self.connect();
        connected.and_then(|new| self.ask_over(new, command)).map_err(io::Error::other)
    }

    /// Sends a command over a connection, and keeps the connection if that works.
    fn ask_over<T: FromRedisValue>(&self, mut to: Connection, command: &Cmd) -> RedisResult<T> {
        let answer = command.query(&mut to)?;
        let mut idle = self.idle();
        if idle.len() < IDLE_MAX {
            idle.push(to);
        }
        Ok(answer)
    }

    fn connect(&self) -> RedisResult<Connection> {
        let connection = self.client.get_connection_with_timeout(TIMEOUT)?;
        connection.set_read_timeout(Some(TIMEOUT))?;
        connection.set_write_timeout(Some(TIMEOUT))?;
        Ok(connection)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Redis {
    fn redeem(&self, id: TokenId, now: UnixTime, until: UnixTime) -> io::Result<bool> {
        // Redis rejects a time to live of 0.
        let lives = until.as_secs().saturating_sub(now.as_secs()).max(1);
        let mut set = redis::cmd("SET");
        set.arg(key(id)).arg(1).arg("NX").arg("EX").arg(lives);
        // `OK`, or nil if the key exists.
        self.ask::<Option<String>>(&set).map(|set| set.is_some())
    }

    fn release(&self, id: TokenId) -> io::Result<()> {
        self.ask(redis::cmd("DEL").arg(key(id)))
    }
}

fn key(id: TokenId) -> String {
    format!("mrtr:{id}")
}
