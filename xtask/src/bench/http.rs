//! A small HTTP/1.1 client with a persistent connection. It uses little CPU time and returns bodies
//! exactly as sent, including compressed ones.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

/// The response of a server.
pub(crate) struct Answer {
    pub(super) status: u16,
    /// Headers with names in lower case.
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name)?;
        Some(&found.1)
    }

    /// Returns the response if its status is 2xx, or an error with the start of its body.
    pub(crate) fn success(self, asked: &str) -> Result<Self> {
        let shown = || String::from_utf8_lossy(&self.body).chars().take(500).collect::<String>();
        ensure!((200..300).contains(&self.status), "{asked}: {} {}", self.status, shown());
        Ok(self)
    }
}

/// A persistent connection to a server.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Connection {
    /// Connects to the server of an `http://` address.
    pub(crate) fn open(url: &str) -> Result<Self> {
        let (host, _) = split(url)?;
        let stream = TcpStream::connect(host).with_context(|| format!("connecting to {host}"))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), host: host.to_owned() })
    }

    /// Sends a GET request, or a POST request if there is a body. Only the path of the address is
    /// used.
    pub(crate) fn send(
        &mut self,
        url: &str,
        headers: &[&str],
        body: Option<&Value>,
    ) -> Result<Answer> {
        self.send_as(if body.is_some() { "POST" } else { "GET" }, url, headers, body)
    }

    /// Sends a PATCH request.
    pub(super) fn patch(&mut self, url: &str, headers: &[&str], body: &Value) -> Result<Answer> {
        self.send_as("PATCH", url, headers, Some(body))
    }

    /// Sends a PUT request.
    pub(crate) fn put(&mut self, url: &str, headers: &[&str], body: &Value) -> Result<Answer> {
        self.send_as("PUT", url, headers, Some(body))
    }

    /// Sends a GET request whose answer goes on, and reads the head of the answer.
    pub(super) fn begin(&mut self, url: &str, headers: &[&str]) -> Result<()> {
        self.write("GET", url, headers, None)?;
        let first = self.line()?;
        ensure!(first.split(' ').nth(1) == Some("200"), "{url}: {first}");
        while !self.line()?.is_empty() {}
        Ok(())
    }

    /// Reads the next line of an answer that goes on. The sizes of chunks are lines as well.
    pub(super) fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        ensure!(self.stream.read_line(&mut line)? > 0, "the connection was closed");
        line.truncate(line.trim_end().len());
        Ok(line)
    }

    fn send_as(
        &mut self,
        method: &str,
        url: &str,
        headers: &[&str],
        body: Option<&Value>,
    ) -> Result<Answer> {
        self.write(method, url, headers, body)?;
        read_answer(&mut self.stream).with_context(|| format!("the answer of {url}"))
    }

    fn write(
        &mut self,
        method: &str,
        url: &str,
        headers: &[&str],
        body: Option<&Value>,
    ) -> Result<()> {
        let (_, path) = split(url)?;
        let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", self.host);
        for header in headers {
            text.push_str(&format!("{header}\r\n"));
        }
        let body = body.map(Value::to_string);
        if let Some(body) = &body {
            let length = body.len();
            text.push_str(&format!(
                "Content-Type: application/json\r\nContent-Length: {length}\r\n"
            ));
        }
        text.push_str("\r\n");
        text.push_str(&body.unwrap_or_default());
        self.stream.get_mut().write_all(text.as_bytes()).with_context(|| format!("to {url}"))
    }
}

/// Returns the body of a successful response, using a new connection.
pub(super) fn fetch(url: &str, headers: &[&str], body: Option<&Value>) -> Result<Vec<u8>> {
    Ok(Connection::open(url)?.send(url, headers, body)?.success(url)?.body)
}

/// Splits an address into the host with its port and the path with its query.
fn split(url: &str) -> Result<(&str, &str)> {
    let rest = url.strip_prefix("http://").with_context(|| format!("{url} is not http"))?;
    Ok(rest.find('/').map_or((rest, "/"), |slash| rest.split_at(slash)))
}

fn read_answer(from: &mut impl BufRead) -> Result<Answer> {
    let mut line = String::new();
    let mut next_line = |from: &mut dyn BufRead| -> Result<String> {
        line.clear();
        ensure!(from.read_line(&mut line)? > 0, "the connection was closed");
        Ok(line.trim_end().to_owned())
    };
    let first = next_line(from)?;
    let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status: u16 = status.with_context(|| format!("{first} is no status line"))?;
    let mut headers = Vec::new();
    loop {
        let line = next_line(from)?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut answer = Answer { status, headers, body: Vec::new() };
    if let Some(length) = answer.header("content-length") {
        answer.body = vec![0; length.parse().context("its length")?];
        from.read_exact(&mut answer.body)?;
    } else if answer.header("transfer-encoding") == Some("chunked") {
        loop {
            let line = next_line(from)?;
            let length = usize::from_str_radix(&line, 16).context("the length of a chunk")?;
            let at = answer.body.len();
            answer.body.resize(at + length, 0);
            from.read_exact(answer.body.get_mut(at..).unwrap_or_default())?;
            next_line(from)?;
            if length == 0 {
                break;
            }
        }
    } else if !matches!(status, 204 | 304) {
        bail!("its length is not known");
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answer_ends_where_its_length_says() -> Result<()> {
        let mut sent =
            &b"HTTP/1.1 201 Created\r\nLocation: /a:b\r\nContent-Length: 3\r\n\r\nabcHTTP"[..];
        let answer = read_answer(&mut sent)?;
        assert_eq!((answer.status, answer.header("location")), (201, Some("/a:b")));
        assert_eq!((answer.body.as_slice(), sent), (&b"abc"[..], &b"HTTP"[..]));
        Ok(())
    }

    #[test]
    fn chunks_are_put_together() -> Result<()> {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        let sent = format!("{head}3\r\nabc\r\nB\r\n0123456789d\r\n0\r\n\r\n");
        assert_eq!(read_answer(&mut sent.as_bytes())?.body, b"abc0123456789d");
        assert!(read_answer(&mut format!("{head}3\r\nabc\r\n").as_bytes()).is_err());
        Ok(())
    }

    #[test]
    fn cut_answer_is_an_error() {
        for sent in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"] {
            assert!(read_answer(&mut sent.as_bytes()).is_err(), "{sent}");
        }
    }

    #[test]
    fn address_is_split_before_its_path() -> Result<()> {
        assert_eq!(split("http://a:1/b?c=/d")?, ("a:1", "/b?c=/d"));
        assert_eq!(split("http://a:1")?, ("a:1", "/"));
        assert!(split("https://a").is_err());
        Ok(())
    }
}
