//! An endpoint over stdio of MCP 2026-07-28: one line in, one line out, and before it the
//! notifications of the handler.

use core::cell::RefCell;
use std::io::{self, Read, Write};

use super::{line, lines};
use crate::server::{Handler, Server, answer};

/// Serves the endpoint, one request after the other, until the input ends.
///
/// Only messages go to the output. Notifications get no answer: when one arrives that cancels a
/// request, the request is answered already.
///
/// # Errors
///
/// An input or output that fails.
pub fn serve<H: Handler>(
    server: &Server<H>,
    input: impl Read,
    output: impl Write,
) -> io::Result<()> {
    let output = RefCell::new(output);
    for message in lines(input) {
        let respond = answer(server, &message?, None, Some(&output));
        if let Some(body) = respond.and_then(|respond| respond.body) {
            let mut output = output.borrow_mut();
            output.write_all(line(body.as_str()).as_bytes())?;
            output.flush()?;
        }
    }
    Ok(())
}
