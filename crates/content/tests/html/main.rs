//! The HTML that readers get: no script comes through, whatever is written, and each construct
//! looks as it is known to look.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod attacks;
mod check;
mod constructs;
mod differences;
mod urls;
