//! A server over stdio without answers of its own: it carries lines between its standard streams and
//! a socket of the runner.

use std::{
    io::{self, Read, Write as _},
    net::{Shutdown, TcpStream},
    thread,
};

/// Carries lines until the runner closes the socket.
///
/// # Errors
///
/// Fails if the socket or a stream does.
pub(crate) fn run(address: &str) -> io::Result<()> {
    let socket = TcpStream::connect(address)?;
    // A server may log there (stdio).
    eprintln!("a line on the standard error stream, which is no error");
    let mut to_runner = socket.try_clone()?;
    thread::spawn(move || {
        io::copy(&mut io::stdin().lock(), &mut to_runner).ok();
        to_runner.shutdown(Shutdown::Write).ok();
    });
    let mut from_runner = socket;
    let mut stdout = io::stdout().lock();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match from_runner.read(&mut buffer)? {
            0 => return Ok(()),
            length => {
                stdout.write_all(buffer.get(..length).unwrap_or_default())?;
                stdout.flush()?;
            }
        }
    }
}
