//! A mail server that stores received mail: SMTP (RFC 5321) without encryption.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// A running mail server. It permanently rejects recipients that begin with `nobody`, and rejects
/// those that begin with `later` the first time.
#[derive(Debug)]
pub struct SmtpServer {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    received: Vec<ReceivedMail>,
    put_off: bool,
}

/// A received mail.
#[derive(Clone, Debug)]
pub struct ReceivedMail {
    /// The sender in the envelope.
    pub from: String,
    /// The recipients in the envelope.
    pub to: Vec<String>,
    /// The header and the body as received.
    pub data: String,
}

impl ReceivedMail {
    /// Returns the mail with soft line breaks and `=XX` of quoted-printable decoded.
    pub fn decoded(&self) -> String {
        let joined = self.data.replace("=\r\n", "");
        let mut bytes = Vec::with_capacity(joined.len());
        let mut rest = joined.as_bytes();
        while let Some((first, tail)) = rest.split_first() {
            let code = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok());
            let code = code.filter(|_| *first == b'=');
            match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
                Some(byte) => {
                    bytes.push(byte);
                    rest = tail.get(2..).unwrap_or_default();
                }
                None => {
                    bytes.push(*first);
                    rest = tail;
                }
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl SmtpServer {
    /// Starts a server on a free port.
    ///
    /// # Panics
    /// Panics if there is none.
    pub fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("a socket that was bound");
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        // The thread ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || drop(serve(&stream, &state)));
            }
        });
        Self { address, state }
    }

    /// Returns its address in the form of the configuration.
    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// Returns the mail received so far.
    pub fn received(&self) -> Vec<ReceivedMail> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).received.clone()
    }
}

fn serve(stream: &TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?);
    let mut out = stream.try_clone()?;
    let mut say = move |line: &str| out.write_all(format!("{line}\r\n").as_bytes());
    say("220 test ESMTP")?;
    let (mut from, mut to) = (String::new(), Vec::new());
    let mut line = String::new();
    while {
        line.clear();
        lines.read_line(&mut line)? > 0
    } {
        let (verb, rest) = line.trim_end().split_once(' ').unwrap_or((line.trim_end(), ""));
        match verb.to_ascii_uppercase().as_str() {
            "EHLO" | "HELO" => say("250 test")?,
            "MAIL" => {
                from = within(rest);
                say("250 ok")?;
            }
            "RCPT" => {
                let recipient = within(rest);
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                let answer = if recipient.starts_with("nobody") {
                    "550 no such person"
                } else if recipient.starts_with("later") && !state.put_off {
                    state.put_off = true;
                    "451 later"
                } else {
                    to.push(recipient);
                    "250 ok"
                };
                drop(state);
                say(answer)?;
            }
            "DATA" => {
                say("354 go on")?;
                let mut data = String::new();
                while {
                    line.clear();
                    lines.read_line(&mut line)? > 0
                } && line != ".\r\n"
                {
                    data.push_str(line.strip_prefix('.').unwrap_or(&line));
                }
                let mail = ReceivedMail { from: from.clone(), to: std::mem::take(&mut to), data };
                state.lock().unwrap_or_else(PoisonError::into_inner).received.push(mail);
                say("250 taken")?;
            }
            "RSET" | "NOOP" => {
                to.clear();
                say("250 ok")?;
            }
            "QUIT" => return say("221 bye"),
            _ => say("502 not known here")?,
        }
    }
    Ok(())
}

/// Returns the address between angle brackets.
fn within(text: &str) -> String {
    let start = text.find('<').map_or(0, |at| at + 1);
    let end = text.find('>').unwrap_or(text.len());
    text.get(start..end).unwrap_or_default().to_owned()
}
