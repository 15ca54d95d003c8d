//! What a call claims that it can answer.

use mrtr_core::client::Claims;

/// Reads a list of claims, as the command line spells it. A call that claims nothing may still be
/// asked to call again.
pub(crate) fn parse(list: &str) -> Result<Claims, String> {
    let names = list.split(',').filter(|name| *name != "none");
    names.into_iter().try_fold(Claims::none().with_retries(), |claims, name| match name {
        "form" => Ok(claims.with_form()),
        "url" => Ok(claims.with_url()),
        "sampling" => Ok(claims.with_sampling()),
        "sampling.tools" => Ok(claims.with_sampling_tools()),
        "sampling.context" => Ok(claims.with_sampling_context()),
        "roots" => Ok(claims.with_roots()),
        _ => Err(format!("expected a claim or none, found {name:?}")),
    })
}
