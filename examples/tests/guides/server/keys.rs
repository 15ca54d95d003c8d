//! The keys that states are sealed with.

use core::{error::Error, time::Duration};
use std::{fs, path::Path, sync::Arc};

use mrtr_core::{
    seal::{Keyring, RequestState},
    server::Endpoint,
    wire::{InvalidParamHeader, Json, ParamHeaders},
};

/// Loads a key: a file of 32 random bytes.
fn load(path: &Path) -> Result<[u8; 32], Box<dyn Error>> {
    let bytes = fs::read(path)?;
    bytes.try_into().map_err(|_| "expected a key of 32 bytes".into())
}

/// Makes an endpoint with the keys of a directory. The first key seals. Every key opens what it
/// sealed.
pub(super) fn endpoint(name: &str, keys: &Path, ids: &[&str]) -> Result<Endpoint, Box<dyn Error>> {
    let mut ring = Vec::new();
    for id in ids {
        ring.push((*id, load(&keys.join(id))?));
    }
    let states = RequestState::new(Keyring::new(ring)?)
        .with_lifetimes(Duration::from_secs(900), Duration::from_secs(120))?;
    Ok(Endpoint::new(name).with_request_state(states).with_single_use().with_legacy())
}

/// Declares which arguments of a tool are repeated in headers.
pub(super) fn with_headers(
    endpoint: Endpoint,
    tool: &str,
    input_schema: &str,
) -> Result<Arc<Endpoint>, InvalidParamHeader> {
    let headers = ParamHeaders::from_schema(Json::parse(input_schema)?)?;
    Ok(Arc::new(endpoint.with_param_headers(tool, headers)))
}
