//! What the handlers work on. It stands in for a database.

use std::{
    collections::BTreeMap,
    io,
    sync::{Mutex, PoisonError},
};

/// Finds out whether a build exists.
pub(super) async fn exists(build: &str) -> io::Result<bool> {
    tokio::task::yield_now().await;
    match build {
        "broken" => Err(io::Error::other("the database is gone")),
        _ => Ok(build == "build-42"),
    }
}

/// Deploys a build.
pub(super) async fn deploy(_: &str, _: &str) -> io::Result<()> {
    tokio::task::yield_now().await;
    Ok(())
}

/// The payments that were made, by the key of the client.
#[derive(Default)]
pub(crate) struct Payments(Mutex<(u32, BTreeMap<String, String>)>);

impl Payments {
    /// Settles a payment once for each key. The first attempt of all fails.
    pub(super) fn settle(&self, key: Option<&str>) -> io::Result<String> {
        let mut payments = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (attempts, receipts) = &mut *payments;
        *attempts += 1;
        let number = *attempts;
        if number == 1 {
            return Err(io::Error::other("the bank is closed"));
        }
        let receipt = || format!("receipt {number}");
        Ok(match key {
            Some(key) => receipts.entry(key.into()).or_insert_with(receipt).clone(),
            None => receipt(),
        })
    }
}
