//! The sealed state without the exchange.

use getrandom::SysRng;
use mrtr_core::{
    UnixTime,
    seal::{Context, Keyring, OpenCause, Purpose, RequestState},
    wire::RawJson,
};

/// A gateway hands a server's state to a client in an envelope of its own.
pub(super) fn a_gateway(now: UnixTime, key: [u8; 32]) -> Result<(), Box<dyn core::error::Error>> {
    let states = RequestState::new(Keyring::new([("2026-12", key)])?);
    let purpose = Purpose::new("example.com gateway")?;
    let params = RawJson::parse(r#"{"name":"deploy","arguments":{"build":"build-42"}}"#)?;
    let context = Context::new(&purpose, "tools/call", "https://gateway.example.com", &params)?
        .with_principal("alice");

    // On the way to the client: wrap the state of the server behind the gateway.
    let token = states.seal(&mut SysRng, now, &context, 1, b"the server's state")?;

    // On the retry: unwrap it. Another method, other params, another person: it does not open.
    let opened = states.open(now, &context, &token)?;
    assert_eq!(opened.payload, b"the server's state");
    let bobs = context.with_principal("bob");
    let error = states.open(now, &bobs, &token).unwrap_err();
    // The client hears one text. The cause is for the log.
    assert_eq!(error.to_string(), "invalid requestState");
    assert_eq!(error.cause(), OpenCause::OtherPrincipal);
    Ok(())
}
