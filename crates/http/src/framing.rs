//! Tracks the framing of HTTP/1.1 requests (RFC 9112) in the bytes of a connection. It is stricter
//! than the protocol library: a request whose end two servers could locate differently never
//! reaches a handler.

/// Bytes of a header line that are examined, enough for the longest valid framing header.
const LINE_START_BYTES: usize = 80;
/// Maximum number of digits in the size of a chunk.
const MAX_CHUNK_DIGITS: u8 = 15;
/// Maximum length of chunk extensions in bytes.
const MAX_CHUNK_EXTENSION: usize = 1_024;

/// The position in a stream of requests.
#[derive(Debug)]
pub(crate) struct Framing {
    state: State,
    line: Line,
    lines: u32,
    content_length: Option<u64>,
    chunked: bool,
    head_bytes: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// In the head of a request, or before its first byte.
    Head,
    /// In a body with this many bytes left.
    Body(u64),
    /// In the line with a chunk's size.
    ChunkSize { size: u64, digits: u8, extension: usize },
    /// In a chunk with this many bytes left.
    Chunk(u64),
    /// In the line break after a chunk.
    ChunkEnd,
    /// In the trailer lines after the last chunk.
    Trailer,
    /// After a violation.
    Refused,
}

/// The offset of the first byte that breaks the framing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Violation(pub(crate) usize);

/// The start of the current line, its whole length, and its last byte.
#[derive(Debug)]
struct Line {
    start: [u8; LINE_START_BYTES],
    length: usize,
    last: u8,
}

impl Line {
    const EMPTY: Self = Self { start: [0; LINE_START_BYTES], length: 0, last: 0 };

    fn push(&mut self, bytes: &[u8]) {
        let from = self.length.min(LINE_START_BYTES);
        if let Some(room) = self.start.get_mut(from..) {
            let taken = room.len().min(bytes.len());
            for (room, byte) in room.iter_mut().zip(bytes) {
                *room = *byte;
            }
            debug_assert!(from + taken <= LINE_START_BYTES);
        }
        self.length = self.length.saturating_add(bytes.len());
        self.last = bytes.last().copied().unwrap_or(self.last);
    }

    /// Returns the line without its `CR`; `None` if it is longer than `LINE_START_BYTES` or has no
    /// `CR`.
    fn content(&self) -> Option<&[u8]> {
        self.start.get(..self.length)?.strip_suffix(b"\r")
    }

    fn is_empty(&self) -> bool {
        self.length == 1 && self.last == b'\r'
    }
}

impl Framing {
    pub(crate) const fn new() -> Self {
        Self {
            state: State::Head,
            line: Line::EMPTY,
            lines: 0,
            content_length: None,
            chunked: false,
            head_bytes: 0,
        }
    }

    /// Returns `true` if the next byte belongs to a head.
    pub(crate) fn is_in_head(&self) -> bool {
        self.state == State::Head
    }

    /// Returns the number of bytes of an unfinished head so far.
    pub(crate) const fn head_bytes(&self) -> u64 {
        self.head_bytes
    }

    /// Tracks the framing through more bytes of the connection.
    ///
    /// # Errors
    /// Returns the offset of the first byte that breaks the framing. No byte from it on may be
    /// passed on.
    pub(crate) fn scan(&mut self, bytes: &[u8]) -> Result<(), Violation> {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            match self.step(rest) {
                Ok(taken) => at += taken,
                Err(Violation(offset)) => {
                    self.state = State::Refused;
                    return Err(Violation(at + offset));
                }
            }
        }
        Ok(())
    }

    /// Consumes at least one byte and returns the number of bytes consumed.
    fn step(&mut self, bytes: &[u8]) -> Result<usize, Violation> {
        match self.state {
            State::Head | State::Trailer => self.line(bytes),
            State::Body(left) => {
                let (taken, left) = take(left, bytes);
                self.state = if left == 0 { self.next_request() } else { State::Body(left) };
                Ok(taken)
            }
            State::Chunk(left) => {
                let (taken, left) = take(left, bytes);
                self.state = if left == 0 { State::ChunkEnd } else { State::Chunk(left) };
                Ok(taken)
            }
            State::ChunkSize { size, digits, extension } => {
                let byte = bytes.first().copied().unwrap_or_default();
                self.chunk_size(byte, size, digits, extension).ok_or(Violation(0))?;
                Ok(1)
            }
            State::ChunkEnd => {
                let byte = bytes.first().copied().unwrap_or_default();
                match (self.line.length, byte) {
                    (0, b'\r') => self.line.push(b"\r"),
                    (1, b'\n') => self.state = self.next_chunk(),
                    _ => return Err(Violation(0)),
                }
                Ok(1)
            }
            State::Refused => Err(Violation(0)),
        }
    }

    fn next_request(&mut self) -> State {
        (self.lines, self.content_length, self.chunked, self.head_bytes) = (0, None, false, 0);
        self.line.length = 0;
        State::Head
    }

    fn next_chunk(&mut self) -> State {
        (self.line.length, self.line.last) = (0, 0);
        State::ChunkSize { size: 0, digits: 0, extension: 0 }
    }

    fn line(&mut self, bytes: &[u8]) -> Result<usize, Violation> {
        let Some(end) = memchr::memchr(b'\n', bytes) else {
            self.line.push(bytes);
            self.head_bytes += bytes.len() as u64;
            return Ok(bytes.len());
        };
        self.line.push(bytes.get(..end).unwrap_or_default());
        self.head_bytes += end as u64 + 1;
        let ends_well = self.line.length > 0 && self.line.last == b'\r';
        if !ends_well || self.end_of_line().is_none() {
            return Err(Violation(end));
        }
        (self.line.length, self.line.last) = (0, 0);
        Ok(end + 1)
    }

    /// Handles the end of a line; `None` if the line breaks the framing.
    fn end_of_line(&mut self) -> Option<()> {
        if self.state == State::Trailer {
            if self.line.is_empty() {
                self.state = self.next_request();
            }
            return Some(());
        }
        if self.line.is_empty() {
            // Empty lines before a request are allowed (RFC 9112, section 2.2).
            self.state = match (self.lines, self.chunked, self.content_length) {
                (0, ..) => State::Head,
                (_, true, _) => self.next_chunk(),
                (_, false, Some(length)) if length > 0 => State::Body(length),
                _ => self.next_request(),
            };
            return Some(());
        }
        if self.lines > 0 {
            self.header()?;
        }
        self.lines = self.lines.saturating_add(1);
        Some(())
    }

    /// Records a header that determines the end of the body; `None` if it breaks the framing.
    fn header(&mut self) -> Option<()> {
        let known = self.line.start.get(..self.line.length.min(LINE_START_BYTES))?;
        // A folded line could continue a framing header (RFC 9112, section 5.2).
        if known.first().is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
            return None;
        }
        let is = |name: &[u8]| {
            known.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        };
        let frames = self.content_length.is_some() || self.chunked;
        if is(b"content-length:") {
            let value = self.line.content()?.get(b"content-length:".len()..)?.trim_ascii();
            let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
            let length = std::str::from_utf8(value).ok()?.parse().ok();
            self.content_length = length.filter(|_| digits && !frames);
            return self.content_length.map(drop);
        }
        if is(b"transfer-encoding:") {
            let value = self.line.content()?.get(b"transfer-encoding:".len()..)?.trim_ascii();
            self.chunked = value.eq_ignore_ascii_case(b"chunked") && !frames;
            return self.chunked.then_some(());
        }
        Some(())
    }

    /// Handles one byte of the line with a chunk's size; `None` if it breaks the framing.
    fn chunk_size(&mut self, byte: u8, size: u64, digits: u8, extension: usize) -> Option<()> {
        let digit = char::from(byte).to_digit(16).filter(|_| extension == 0);
        self.state = match (byte, digit) {
            (_, _) if self.line.last == b'\r' => match byte {
                b'\n' if size == 0 => State::Trailer,
                b'\n' => State::Chunk(size),
                _ => return None,
            },
            (b'\r', _) if digits > 0 => {
                self.line.last = b'\r';
                return Some(());
            }
            (_, Some(digit)) if digits < MAX_CHUNK_DIGITS => {
                let size = size << 4 | u64::from(digit);
                State::ChunkSize { size, digits: digits + 1, extension }
            }
            (b';', _) if digits > 0 => State::ChunkSize { size, digits, extension: extension + 1 },
            (b'\t' | b' '..=b'~' | 0x80.., None)
                if 0 < extension && extension < MAX_CHUNK_EXTENSION =>
            {
                State::ChunkSize { size, digits, extension: extension + 1 }
            }
            _ => return None,
        };
        if matches!(self.state, State::Trailer | State::Chunk(_)) {
            (self.line.length, self.line.last) = (0, 0);
        }
        Some(())
    }
}

/// Returns the bytes that a part with `left` bytes takes from `bytes`, and the bytes left after
/// that.
fn take(left: u64, bytes: &[u8]) -> (usize, u64) {
    let taken = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
    (taken, left - taken as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scans the bytes at once, byte by byte and in pieces of seven, and asserts that the results
    /// agree.
    fn scan(bytes: &[u8]) -> (Result<(), usize>, bool) {
        let outcomes = [bytes.len().max(1), 1, 7].map(|size| {
            let mut framing = Framing::new();
            let mut at = 0;
            for piece in bytes.chunks(size) {
                if let Err(Violation(offset)) = framing.scan(piece) {
                    return (Err(at + offset), false);
                }
                at += piece.len();
            }
            (Ok(()), framing.is_in_head() && framing.head_bytes() == 0)
        });
        assert_eq!(outcomes[0], outcomes[1], "{:?}", String::from_utf8_lossy(bytes));
        assert_eq!(outcomes[0], outcomes[2], "{:?}", String::from_utf8_lossy(bytes));
        outcomes[0]
    }

    const GET: &str = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    const CHUNKED: &str = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";

    #[test]
    fn well_framed_requests_end_where_the_next_begins() {
        for text in [
            GET.to_owned(),
            GET.repeat(3),
            format!("\r\n{GET}\r\n{GET}"),
            format!("POST / HTTP/1.1\r\ncontent-LENGTH: \t12 \r\n\r\nhello\nworld\n{GET}"),
            format!("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n{GET}"),
            format!("POST / HTTP/1.1\r\nX: {}\r\nContent-Length:1\r\n\r\n\n{GET}", "y".repeat(500)),
            format!("{CHUNKED}5\r\nhe\nlo\r\nA;name=\"value\"\r\n0123456789\r\n0\r\n\r\n{GET}"),
            format!("{CHUNKED}0\r\n\r\n{CHUNKED}000\r\nX-Sum: 1\r\n\r\n{GET}"),
        ] {
            assert_eq!(scan(text.as_bytes()), (Ok(()), true), "{text}");
        }
        for text in ["", "GET", "GET / HTTP/1.1\r", &GET[..GET.len() - 1]] {
            assert_eq!(scan(text.as_bytes()), (Ok(()), text.is_empty()), "{text}");
        }
    }

    #[test]
    fn violations_are_found_at_their_offset() {
        let head = "POST / HTTP/1.1\r\nHost: x\r\n";
        for (before, after) in [
            ("", "\nGET / HTTP/1.1\r\n\r\n".to_owned()),
            ("GET / HTTP/1.1", "\nHost: x\r\n\r\n".to_owned()),
            ("GET / HTTP/1.1\r\nHost: x", "\n\r\n".to_owned()),
            ("GET / HTTP/1.1\r\nHost: x\r\n", "\n".to_owned()),
            (&format!("{head}Content-Length: 5\r\nTransfer-Encoding: chunked\r"), "\n".to_owned()),
            (&format!("{head}Transfer-Encoding: chunked\r\nContent-Length: 5\r"), "\n".to_owned()),
            (&format!("{head}Content-Length: 5\r\nContent-Length: 5\r"), "\n".to_owned()),
            (&format!("{head}Content-Length: +5\r"), "\n".to_owned()),
            (&format!("{head}Content-Length: 5, 5\r"), "\n".to_owned()),
            (&format!("{head}Content-Length: \r"), "\n".to_owned()),
            (&format!("{head}Content-Length: 99999999999999999999\r"), "\n".to_owned()),
            (&format!("{head}Content-Length: {}5\r", " ".repeat(90)), "\n".to_owned()),
            (&format!("{head}Transfer-Encoding: gzip, chunked\r"), "\n".to_owned()),
            (&format!("{head}Transfer-Encoding: identity\r"), "\n".to_owned()),
            (&format!("{head}X: y\r\n z\r"), "\n".to_owned()),
            (CHUNKED, "\r\n".to_owned()),
            (CHUNKED, "x\r\n".to_owned()),
            (CHUNKED, "-1\r\n".to_owned()),
            (&format!("{CHUNKED}5"), "\nhello\r\n".to_owned()),
            (&format!("{CHUNKED}5"), " \r\nhello\r\n".to_owned()),
            (&format!("{CHUNKED}5\r"), "hello".to_owned()),
            (&format!("{CHUNKED}5\r\nhello"), "\n0\r\n\r\n".to_owned()),
            (&format!("{CHUNKED}5\r\nhello"), "!\r\n".to_owned()),
            (&format!("{CHUNKED}{}", "0".repeat(15)), "0\r\n".to_owned()),
            (&format!("{CHUNKED}1;a"), "\n".to_owned()),
            (&format!("{CHUNKED}0\r\nX: y"), "\n\r\n".to_owned()),
        ] {
            let text = format!("{before}{after}");
            assert_eq!(scan(text.as_bytes()).0, Err(before.len()), "{text:?}");
        }
    }
}
