//! Positions in a source text, warnings about it, and decoding of bytes.

use std::borrow::Cow;
use std::fmt;

/// A half-open range of byte offsets in a source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// Creates the span from `start` to `end`. An end before the start is moved to the start.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Returns the number of bytes.
    #[must_use]
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Returns `true` if the span contains no bytes.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Returns the text at this span, or an empty string if the span is outside the source.
    #[must_use]
    pub fn of(self, source: &str) -> &str {
        source.get(self.start..self.end).unwrap_or_default()
    }

    /// Returns `true` if `inner` lies within this span.
    #[must_use]
    pub fn contains(self, inner: Self) -> bool {
        self.start <= inner.start && inner.end <= self.end
    }

    /// Returns the span moved forward by `offset` bytes.
    #[must_use]
    pub fn shifted(self, offset: usize) -> Self {
        Self { start: self.start + offset, end: self.end + offset }
    }
}

/// A problem in a source that was ignored, described for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The line number, from 1, if known.
    pub line: Option<usize>,
    /// A sentence that describes the problem.
    pub message: String,
}

impl Warning {
    /// Creates a warning about `line`, counted from 1.
    pub fn at(line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into() }
    }

    /// Creates a warning about the whole file.
    pub fn new(message: impl Into<String>) -> Self {
        Self { line: None, message: message.into() }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// Placeholder for one byte of invalid UTF-8, so that offsets in the text are offsets in the bytes.
/// Displayed as U+FFFD.
pub(crate) const INVALID_BYTE: char = '\u{1A}';

/// Decodes bytes as UTF-8. Each invalid byte becomes one placeholder byte, so offsets in the result
/// are offsets in `bytes`.
#[must_use]
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| INVALID_BYTE));
    }
    Cow::Owned(text)
}

/// Encodes a text printed from `source`, the result of [`decode`] for `bytes`. Restores the invalid
/// bytes whose placeholders are still present.
#[must_use]
pub fn restore(bytes: &[u8], source: &str, printed: &str) -> Vec<u8> {
    if source.as_bytes() == bytes {
        return printed.as_bytes().to_vec();
    }
    let same = |(left, right): &(u8, u8)| left == right;
    let start = source.bytes().zip(printed.bytes()).take_while(same).count();
    let most = source.len().min(printed.len()) - start;
    let ends = source.bytes().rev().zip(printed.bytes().rev()).take(most);
    let end = ends.take_while(same).count();
    let mut restored = bytes.get(..start).unwrap_or_default().to_vec();
    // Within the changed part, the remaining placeholders are in the original order.
    let between = start..bytes.len().saturating_sub(end);
    let (old, raw) = (source.as_bytes().get(between.clone()), bytes.get(between));
    let placeholder = INVALID_BYTE as u8;
    let pairs = old.unwrap_or_default().iter().zip(raw.unwrap_or_default());
    let mut lost = pairs.filter(|(old, _)| **old == placeholder).map(|(_, raw)| *raw);
    let middle = printed.as_bytes().get(start..printed.len() - end).unwrap_or_default();
    restored.extend(middle.iter().map(|byte| match byte {
        byte if *byte == placeholder => lost.next().unwrap_or(*byte),
        byte => *byte,
    }));
    restored.extend(bytes.get(bytes.len().saturating_sub(end)..).unwrap_or_default());
    restored
}

/// Returns the lines of a text and their spans, without line endings.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (Span, &str)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let bytes = rest.as_bytes();
        let end = bytes.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(bytes.len());
        let break_length = match bytes.get(end..) {
            Some([b'\r', b'\n', ..]) => 2,
            Some([_, ..]) => 1,
            _ => 0,
        };
        let span = Span::new(start, start + end);
        start += end + break_length;
        Some((span, span.of(text)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_bytes_are_restored() {
        let bytes = b"a\xFF b\n\nc\xFE\n\nd\xFD\n";
        let text = decode(bytes);
        assert_eq!(restore(bytes, &text, &text), bytes);
        let printed = text.replacen(" b", " x", 1).replacen("d", "e", 1);
        assert_eq!(restore(bytes, &text, &printed), b"a\xFF x\n\nc\xFE\n\ne\xFD\n");
    }
}
