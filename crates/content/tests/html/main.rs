//! The HTML for readers: no script gets through, and each construct has its expected output.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod attacks;
mod check;
mod constructs;
mod differences;
mod urls;
mod validity;
mod words;
