//! A server on this machine that stands for other hosts.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The answer to a request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// A status, a content type and a body.
    Page(u16, &'static str, Vec<u8>),
    /// An entity tag and a body. Requests that state the tag get no body.
    Tagged(&'static str, Vec<u8>),
    /// A redirect to this address.
    Redirect(String),
    /// The first piece, then the second one again and again, with pauses of so many milliseconds.
    Endless(Vec<u8>, Vec<u8>, u64),
}

impl Reply {
    pub(crate) fn html(page: impl Into<String>) -> Self {
        Self::Page(200, "text/html; charset=utf-8", page.into().into_bytes())
    }
}

/// The server. Its threads end with the process.
#[derive(Clone, Default)]
pub(crate) struct ForeignHost {
    pub(crate) address: String,
    replies: Arc<Mutex<HashMap<String, Reply>>>,
    requests: Arc<Mutex<Vec<String>>>,
    not_modified: Arc<Mutex<usize>>,
}

impl ForeignHost {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let host = Self { address, ..Self::default() };
        let shared = host.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let host = shared.clone();
                std::thread::spawn(move || host.answer(stream.unwrap()));
            }
        });
        host
    }

    /// Sets the answer to requests for a path with its query.
    pub(crate) fn set(&self, path: &str, reply: Reply) {
        self.replies.lock().unwrap().insert(path.to_owned(), reply);
    }

    /// Returns the number of requests for a path with its query.
    pub(crate) fn requests(&self, path: &str) -> usize {
        self.requests.lock().unwrap().iter().filter(|asked| *asked == path).count()
    }

    /// Returns the number of responses without a body because the client has it.
    pub(crate) fn not_modified(&self) -> usize {
        *self.not_modified.lock().unwrap()
    }

    fn answer(&self, mut stream: TcpStream) {
        let mut head = Vec::new();
        let mut piece = [0; 4096];
        while !head.windows(4).any(|end| end == b"\r\n\r\n") {
            match stream.read(&mut piece) {
                Ok(0) | Err(_) => return,
                Ok(read) => head.extend_from_slice(&piece[..read]),
            }
        }
        let head = String::from_utf8(head).unwrap();
        let path = head.split(' ').nth(1).unwrap().to_owned();
        let reply = self.replies.lock().unwrap().get(&path).cloned();
        if let Some(Reply::Tagged(tag, _)) = &reply
            && head.contains(tag)
        {
            *self.not_modified.lock().unwrap() += 1;
        }
        self.requests.lock().unwrap().push(path);
        let _sent = match reply {
            None => write!(
                stream,
                "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            ),
            Some(Reply::Tagged(tag, _)) if head.contains(tag) => {
                write!(stream, "HTTP/1.1 304 X\r\nETag: {tag}\r\nConnection: close\r\n\r\n")
            }
            Some(Reply::Tagged(tag, body)) => write!(
                stream,
                "HTTP/1.1 200 X\r\nETag: {tag}\r\nContent-Length: {}\r\n\
                 Connection: close\r\n\r\n",
                body.len()
            )
            .and_then(|()| stream.write_all(&body)),
            Some(Reply::Redirect(to)) => write!(
                stream,
                "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\
                 Connection: close\r\n\r\n"
            ),
            Some(Reply::Page(status, content_type, body)) => write!(
                stream,
                "HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\
                 Connection: close\r\n\r\n",
                body.len()
            )
            .and_then(|()| stream.write_all(&body)),
            Some(Reply::Endless(first, piece, pause)) => {
                let head =
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n";
                let mut sent = stream.write_all(head.as_bytes());
                sent = sent.and_then(|()| stream.write_all(&first));
                while sent.is_ok() {
                    sent = stream.write_all(&piece);
                    std::thread::sleep(Duration::from_millis(pause));
                }
                sent
            }
        };
    }
}

/// Returns the head of a GIF of this size, which is all that the server reads of a picture.
pub(crate) fn gif(width: u16, height: u16) -> Reply {
    let [width, height] = [width, height].map(u16::to_le_bytes);
    let bytes = [&b"GIF89a"[..], &width, &height, b"\0\0\0;"].concat();
    // The stated type is wrong: the bytes decide.
    Reply::Page(200, "text/plain", bytes)
}
