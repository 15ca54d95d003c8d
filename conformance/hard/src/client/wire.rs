//! The HTTP/1.1 of the scripted server. It reads well-formed requests, and writes any response.

use core::time::Duration;
use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    thread,
};

use super::script::Reply;

/// The size limit of a request.
const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// An HTTP request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    /// The headers in their order. Their names are in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// Returns the value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Reads the one request of a connection.
///
/// # Errors
///
/// Fails if the client hangs up, or does not speak HTTP.
pub(crate) fn read(stream: &TcpStream) -> io::Result<Request> {
    let mut reader = BufReader::new(stream);
    let request_line = read_line(&mut reader)?;
    let mut words = request_line.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut request =
        Request { method: method.into(), path: path.into(), headers: Vec::new(), body: Vec::new() };
    loop {
        let line = read_line(&mut reader)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or(io::ErrorKind::InvalidData)?;
        request.headers.push((name.trim().to_ascii_lowercase(), value.trim().into()));
    }
    if request.header("expect").is_some() {
        (&mut &*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let is_chunked = request.header("transfer-encoding").is_some();
    let length = request.header("content-length").and_then(|value| value.parse().ok());
    request.body =
        if is_chunked { read_chunks(&mut reader)? } else { read_bytes(&mut reader, length)? };
    Ok(request)
}

fn read_bytes(reader: &mut BufReader<&TcpStream>, length: Option<usize>) -> io::Result<Vec<u8>> {
    let length = length.unwrap_or(0);
    if length > BODY_BYTES_MAX {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn read_chunks(reader: &mut BufReader<&TcpStream>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(reader)?;
        let digits = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(digits, 16).map_err(|_| io::ErrorKind::InvalidData)?;
        if body.len().saturating_add(size) > BODY_BYTES_MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        body.append(&mut read_bytes(reader, Some(size))?);
        read_line(reader)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

fn read_line(reader: &mut BufReader<&TcpStream>) -> io::Result<String> {
    let mut line = Vec::new();
    reader.by_ref().take(64 * 1024).read_until(b'\n', &mut line)?;
    if !line.ends_with(b"\n") {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    // A check looks at header values outside ASCII.
    Ok(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).into())
}

/// Writes a reply and closes the connection. `fill` replaces the placeholders.
///
/// # Errors
///
/// Fails if the client hangs up.
pub(crate) fn write(
    mut stream: &TcpStream,
    reply: &Reply,
    fill: &dyn Fn(&[u8]) -> Vec<u8>,
) -> io::Result<()> {
    match reply {
        Reply::Document { status, body } => {
            let body = fill(body);
            let mut head = head(*status, "application/json");
            head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
            stream.write_all(head.as_bytes())?;
            stream.write_all(&body)
        }
        Reply::Messages(messages) => {
            stream.write_all((head(200, "text/event-stream") + "\r\n").as_bytes())?;
            for message in messages {
                stream.write_all(b"event: message\ndata: ")?;
                stream.write_all(&fill(message))?;
                stream.write_all(b"\n\n")?;
                stream.flush()?;
            }
            Ok(())
        }
        Reply::Stream { parts, open } => {
            stream.write_all((head(200, "text/event-stream") + "\r\n").as_bytes())?;
            for (after, part) in parts {
                thread::sleep(*after);
                stream.write_all(&fill(part))?;
                stream.flush()?;
            }
            wait_for_close(stream, *open);
            Ok(())
        }
        Reply::Chunks(chunks) => {
            let head = head(200, "application/json") + "Transfer-Encoding: chunked\r\n\r\n";
            stream.write_all(head.as_bytes())?;
            for chunk in chunks {
                let chunk = fill(chunk);
                write!(stream, "{:x}\r\n", chunk.len())?;
                stream.write_all(&chunk)?;
                stream.write_all(b"\r\n")?;
                thread::sleep(Duration::from_millis(50));
            }
            stream.write_all(b"0\r\n\r\n")
        }
        Reply::Bytes(bytes) => stream.write_all(&fill(bytes)),
        Reply::Hangup => Ok(()),
        Reply::Silence => {
            wait_for_close(stream, Duration::from_secs(120));
            Ok(())
        }
    }
}

/// Waits until the client hangs up, or until the time is over.
pub(crate) fn wait_for_close(mut stream: &TcpStream, at_most: Duration) {
    if at_most.is_zero() || stream.set_read_timeout(Some(at_most)).is_err() {
        return;
    }
    let mut byte = [0];
    while stream.read(&mut byte).is_ok_and(|length| length > 0) {}
}

fn head(status: u16, media_type: &str) -> String {
    format!("HTTP/1.1 {status} Scripted\r\nContent-Type: {media_type}\r\nConnection: close\r\n")
}
