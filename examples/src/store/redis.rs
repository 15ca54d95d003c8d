//! A store for many processes: a Redis that they share.

use core::time::Duration;
use std::{
    io,
    sync::{Mutex, MutexGuard, PoisonError},
};

use mrtr_core::{TokenId, UnixTime};
use redis::{Client, Cmd, Connection, FromRedisValue, RedisResult};

use super::Store;

/// How long to wait for a Redis to take a connection, to take a command, and to answer it.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The connections that are kept for whoever comes next.
const IDLE_MAX: usize = 16;

/// Keeps ids in a Redis, each under `mrtr:` and its digits.
///
/// An id that the Redis loses can be redeemed again: it is to evict nothing
/// (`maxmemory-policy noeviction`), and to persist what it has if it may restart.
pub struct Redis {
    client: Client,
    idle: Mutex<Vec<Connection>>,
}

impl Redis {
    /// Makes a store in the Redis at a URL, such as `redis://127.0.0.1/`. It connects when it is
    /// asked.
    ///
    /// # Errors
    ///
    /// A URL that is none of a Redis.
    pub fn new(url: &str) -> io::Result<Self> {
        let client = Client::open(url).map_err(io::Error::other)?;
        Ok(Self { client, idle: Mutex::default() })
    }

    /// Asks over a connection that is there, or a new one. A connection that was idle may have been
    /// closed since, so what fails on it is asked again; an id is not redeemed twice by that.
    fn ask<T: FromRedisValue>(&self, command: &Cmd) -> io::Result<T> {
        let idle = self.idle().pop();
        if let Some(answer) = idle.and_then(|idle| self.ask_over(idle, command).ok()) {
            return Ok(answer);
        }
        let connected = self.connect();
        connected.and_then(|new| self.ask_over(new, command)).map_err(io::Error::other)
    }

    /// Asks over a connection, and keeps it if that works.
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
        // A time to live of nothing is an error to Redis.
        let lives = until.as_secs().saturating_sub(now.as_secs()).max(1);
        let mut set = redis::cmd("SET");
        set.arg(key(id)).arg(1).arg("NX").arg("EX").arg(lives);
        // `OK`, or nothing if the key is there.
        self.ask::<Option<String>>(&set).map(|set| set.is_some())
    }

    fn release(&self, id: TokenId) -> io::Result<()> {
        self.ask(redis::cmd("DEL").arg(key(id)))
    }
}

fn key(id: TokenId) -> String {
    format!("mrtr:{id}")
}
