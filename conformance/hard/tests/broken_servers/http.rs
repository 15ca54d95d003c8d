//! A minimal server of HTTP/1.1.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
};

/// A request.
pub(crate) struct Request {
    pub(crate) method: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// Returns a header with the white space around its value. Fails if the header comes twice.
    pub(crate) fn header(&self, name: &str) -> Result<Option<&str>, ()> {
        let mut found = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        let first = found.next().map(|(_, value)| value.as_str());
        if found.next().is_some() { Err(()) } else { Ok(first) }
    }

    /// Returns whether a header has exactly this spelling.
    pub(crate) fn spells(&self, name: &str) -> bool {
        self.headers.iter().any(|(known, _)| known == name)
    }
}

/// A response. With the status 0, the server hangs up instead.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) media_type: &'static str,
    pub(crate) body: String,
}

/// Serves until the test ends.
pub(crate) fn serve(answer: impl Fn(&Request) -> Response + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            thread::spawn(move || connection(stream, &*answer));
        }
    });
    url
}

fn connection(stream: TcpStream, answer: &dyn Fn(&Request) -> Response) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let method = line.split(' ').next().unwrap().to_owned();
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end_matches(['\r', '\n']).split_once(": ") else {
                break;
            };
            headers.push((name.to_owned(), value.to_owned()));
        }
        let mut request = Request { method, headers, body: Vec::new() };
        let length = request.header("content-length").unwrap().map_or(0, |it| it.parse().unwrap());
        reader.by_ref().take(length).read_to_end(&mut request.body)?;
        let Response { status, media_type, body } = answer(&request);
        if status == 0 {
            return Ok(());
        }
        let length = body.len();
        let response = format!(
            "HTTP/1.1 {status} x\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        reader.get_mut().write_all(response.as_bytes())?;
        if request.header("connection") == Ok(Some("close")) {
            return Ok(());
        }
    }
}
