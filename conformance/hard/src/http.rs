//! A client of HTTP/1.1 that sends exactly the given bytes, also invalid ones.
//!
//! Other HTTP clients change the case of header names, merge repeated headers, and refuse invalid
//! values. The checks need all of these.

use core::{fmt, time::Duration};
use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpStream, ToSocketAddrs as _},
    time::Instant,
};

/// The time limit of an answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// The size limit of a response.
const BODY_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The URL of a server: `http://HOST:PORT/PATH`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    authority: String,
    path: String,
}

impl Address {
    /// Reads a URL. Returns `None` unless it is plain HTTP with a host and a port.
    pub(crate) fn parse(url: &str) -> Option<Self> {
        let rest = url.trim().strip_prefix("http://")?;
        let (authority, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, "/"),
        };
        let (host, port) = authority.rsplit_once(':')?;
        port.parse::<u16>().ok().filter(|_| !host.is_empty())?;
        Some(Self { authority: authority.into(), path: path.into() })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.authority, self.path)
    }
}

/// A request. Its headers keep their order and their case.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// A response.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// Returns the media type, without its parameters.
    pub(crate) fn media_type(&self) -> String {
        let value = self.header("content-type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    fn header(&self, name: &str) -> Option<&str> {
        let is_it = |(known, _): &&(String, String)| known.eq_ignore_ascii_case(name);
        self.headers.iter().find(is_it).map(|(_, value)| value.as_str())
    }
}

/// Sends a request on a new connection.
///
/// # Errors
///
/// Fails if the server cannot be reached, hangs up, takes too long, or does not speak HTTP.
pub(crate) fn send(address: &Address, request: &Request) -> io::Result<Response> {
    let mut connection = Connection::open(address)?;
    connection.send(address, request, "close")
}

/// A connection that stays open.
pub(crate) struct Connection(BufReader<TcpStream>);

impl Connection {
    /// Opens a connection.
    ///
    /// # Errors
    ///
    /// Fails if the server cannot be reached.
    pub(crate) fn open(address: &Address) -> io::Result<Self> {
        let found = address.authority.to_socket_addrs()?.next();
        let found = found.ok_or(io::ErrorKind::AddrNotAvailable)?;
        let stream = TcpStream::connect_timeout(&found, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self(BufReader::new(stream)))
    }

    /// Sends a request and reads its response.
    ///
    /// # Errors
    ///
    /// Fails if the server hangs up, takes too long, or does not speak HTTP.
    pub(crate) fn send(
        &mut self,
        address: &Address,
        request: &Request,
        connection: &str,
    ) -> io::Result<Response> {
        let Request { method, headers, body } = request;
        let Address { authority, path } = address;
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {authority}\r\n");
        head.push_str(&format!("Connection: {connection}\r\nContent-Length: {}\r\n", body.len()));
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(body);
        // A server that refuses a large body may stop reading early, and still answer.
        let written = self.0.get_mut().write_all(&bytes);
        let read = self.read(connection == "close");
        match (written, read) {
            (_, Ok(response)) => Ok(response),
            (Err(error), Err(_)) | (Ok(()), Err(error)) => Err(error),
        }
    }

    /// Reads a response. The last event stream of a connection is read only up to its response.
    fn read(&mut self, is_last: bool) -> io::Result<Response> {
        let deadline = Instant::now() + PATIENCE;
        let (status, headers) = loop {
            let head = self.read_head()?;
            // A status below 200 announces the response, and is not it.
            if head.0 >= 200 {
                break head;
            }
        };
        let mut response = Response { status, headers, body: Vec::new() };
        let length = response.header("content-length").and_then(|value| value.parse().ok());
        let is_chunked = response
            .header("transfer-encoding")
            .is_some_and(|value| value.to_ascii_lowercase().contains("chunked"));
        let is_stream = is_last && response.media_type() == "text/event-stream";
        if status == 204 || status == 304 {
            return Ok(response);
        }
        loop {
            let chunk = if is_chunked {
                self.read_chunk()?
            } else {
                self.read_some(
                    length.map(|length: usize| length.saturating_sub(response.body.len())),
                )?
            };
            response.body.extend_from_slice(&chunk);
            // A stream may stay open after the response, so that reading on would wait.
            let is_enough = chunk.is_empty() || (is_stream && has_response(&response.body));
            if is_enough || Some(response.body.len()) == length {
                return Ok(response);
            }
            if response.body.len() > BODY_BYTES_MAX || Instant::now() > deadline {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
    }

    fn read_head(&mut self) -> io::Result<(u16, Vec<(String, String)>)> {
        let no_http = || io::Error::new(io::ErrorKind::InvalidData, "no HTTP response");
        let status_line = self.read_line()?;
        let status = status_line.strip_prefix("HTTP/1.").and_then(|rest| rest.get(2..5));
        let status = status.and_then(|digits| digits.parse().ok()).ok_or_else(no_http)?;
        let mut headers = Vec::new();
        loop {
            let line = self.read_line()?;
            if line.is_empty() {
                return Ok((status, headers));
            }
            let (name, value) = line.split_once(':').ok_or_else(no_http)?;
            headers.push((name.trim().into(), value.trim().into()));
        }
    }

    fn read_line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        self.0.by_ref().take(64 * 1024).read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).into())
    }

    /// Reads a chunk of a chunked body. The last one is empty.
    fn read_chunk(&mut self) -> io::Result<Vec<u8>> {
        let line = self.read_line()?;
        let digits = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(digits, 16).map_err(|_| io::ErrorKind::InvalidData)?;
        if size > BODY_BYTES_MAX {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut chunk = vec![0; size];
        self.0.read_exact(&mut chunk)?;
        self.read_line()?;
        Ok(chunk)
    }

    /// Reads the available bytes, at most `left`. Returns nothing at the end.
    fn read_some(&mut self, left: Option<usize>) -> io::Result<Vec<u8>> {
        if left == Some(0) {
            return Ok(Vec::new());
        }
        let found = self.0.fill_buf()?;
        if found.is_empty() && left.is_some() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let take = found.len().min(left.unwrap_or(usize::MAX));
        let some = found.get(..take).unwrap_or_default().to_vec();
        self.0.consume(take);
        Ok(some)
    }
}

/// Returns the data of each event of an event stream.
pub(crate) fn events(body: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(body).replace("\r\n", "\n").replace('\r', "\n");
    let data = |event: &str| {
        let lines = event.lines().filter_map(|line| line.strip_prefix("data:"));
        lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
    };
    // An event ends at an empty line.
    let whole = text.rsplit_once("\n\n").map_or("", |(whole, _)| whole);
    whole.split("\n\n").map(data).filter(|data| !data.is_empty()).collect()
}

fn has_response(body: &[u8]) -> bool {
    events(body).iter().any(|event| {
        serde_json::from_str::<serde_json::Value>(event)
            .is_ok_and(|message| message.get("result").or(message.get("error")).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_a_host_and_a_port() {
        let address = Address::parse("http://127.0.0.1:80/mcp").unwrap();
        assert_eq!((address.authority.as_str(), address.path.as_str()), ("127.0.0.1:80", "/mcp"));
        assert_eq!(Address::parse("http://[::1]:80").unwrap().path, "/");
        for wrong in ["https://a:1/", "http://a/", "http://:1/", "a:1", "http://a:x/"] {
            assert_eq!(Address::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn events_end_with_an_empty_line() {
        let stream = ": hi\n\nevent: message\r\ndata: {\r\ndata:  }\r\n\r\ndata: unfinished\n";
        assert_eq!(events(stream.as_bytes()), ["{\n }"]);
        assert!(!has_response(b"data: {\"result\":{}}\n"));
        assert!(has_response(b"data: {\"result\":{}}\n\n"));
    }
}
