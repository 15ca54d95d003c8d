//! The client of `docs/client.md`, in the parts in which the page shows it.

mod first;
mod http;
mod plain;
mod requests;
mod screen;
mod tests;
