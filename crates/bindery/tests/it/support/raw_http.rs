//! Requests that are sent byte for byte, and their responses.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use bindery_testkit::Server;
use serde_json::{Value, json};

use crate::support::wait::TIMEOUT;

/// The response to a request that is sent byte for byte.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Raw {
    /// Returns the value of a header, or an empty text.
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value.as_str())
    }

    /// Returns the body as text.
    pub(crate) fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    /// Returns the message of an error response, which must have the common shape.
    #[track_caller]
    pub(crate) fn error(&self, status: u16) -> String {
        let text = String::from_utf8_lossy(&self.body);
        assert_eq!(self.status, status, "{self:?} {text}");
        assert!(self.header("content-type").starts_with("application/json"), "{self:?}");
        assert!(!self.header("x-request-id").is_empty(), "{self:?}");
        let json: Value = serde_json::from_slice(&self.body).unwrap();
        let message = json.pointer("/error/message").and_then(Value::as_str).unwrap();
        assert_eq!(json, json!({ "error": { "code": status, "message": message } }));
        assert!(!message.is_empty());
        message.to_owned()
    }
}

/// Sends a request byte for byte.
pub(crate) fn raw(server: &Server, method: &str, path: &str, headers: &str, body: &[u8]) -> Raw {
    let host = server.address().strip_prefix("http://").unwrap();
    let length = match (body.is_empty(), method) {
        (true, "GET" | "HEAD" | "OPTIONS") => String::new(),
        _ => format!("Content-Length: {}\r\n", body.len()),
    };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{length}{headers}\r\n"
    );
    parse(&send(server, &[head.as_bytes(), body].concat()))
}

/// Sends bytes and returns everything received until the server closes the connection.
pub(crate) fn send(server: &Server, bytes: &[u8]) -> Vec<u8> {
    let host = server.address().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    // A server that rejects a request can close the connection before it received all of it.
    drop(stream.write_all(bytes));
    let mut answer = Vec::new();
    drop(stream.read_to_end(&mut answer));
    answer
}

/// Parses a response.
pub(crate) fn parse(answer: &[u8]) -> Raw {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(answer)));
    let head = std::str::from_utf8(&answer[..end]).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers = lines
        .map(|line| line.split_once(':').unwrap())
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect();
    Raw { status, headers, body: answer[end + 4..].to_vec() }
}
