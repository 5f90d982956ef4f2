//! Problems of descriptions.

use std::fmt;

use crate::Pointer;

/// A place in a text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of the character in the line, from 1.
    pub column: usize,
}

impl Position {
    /// Returns the place of a byte of a text.
    pub(crate) fn of_byte(text: &str, at: usize) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        Self { line, column: before.get(start..).unwrap_or_default().chars().count() + 1 }
    }
}

/// A mistake in a description: what is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct Problem {
    /// The name of the file; empty for a text that was uploaded.
    pub file: String,
    /// The place in the file, if it is known.
    pub position: Option<Position>,
    /// The value at fault; empty for the whole file.
    pub pointer: Pointer,
    /// Sentence that names the invalid value, and the values that are allowed there.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(Position { line, column }) = self.position {
            let before = if self.file.is_empty() { "line " } else { ":" };
            write!(f, "{before}{line}:{column}")?;
        }
        if !self.pointer.is_root() {
            let space = if self.file.is_empty() && self.position.is_none() { "" } else { " " };
            write!(f, "{space}at {}", self.pointer)?;
        }
        let is_placed = !self.file.is_empty() || self.position.is_some() || !self.pointer.is_root();
        write!(f, "{}{}", if is_placed { ": " } else { "" }, self.message)
    }
}
