//! Errors in expressions and their positions.

use std::fmt;

use thiserror::Error;

/// A position in an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The offset in bytes.
    pub offset: usize,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl Position {
    pub(super) fn of(source: &str, offset: usize) -> Self {
        let before = source.get(..offset).unwrap_or(source);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            offset,
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// A syntax error in an expression.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{position}: found {found}, expected {expected}")]
pub struct SyntaxError {
    /// The position of the error.
    pub position: Position,
    /// The text found.
    pub found: String,
    /// A description of the expected text.
    pub expected: String,
}

/// An error in evaluating an expression.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{position}: {kind}")]
pub struct EvalError {
    /// The start of the part that failed.
    pub position: Position,
    /// The cause.
    pub kind: EvalErrorKind,
}

/// The cause of a failed evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EvalErrorKind {
    /// An unknown name.
    #[error(
        "`{0}` is not known; expressions can read `visitor.claims`, `space.vars` and `page.vars`"
    )]
    UnknownName(String),
    /// A method that the value does not have.
    #[error("{on} has no method `{method}`")]
    NoMethod {
        /// The type of the value.
        on: &'static str,
        /// The method.
        method: String,
    },
    /// An argument of the wrong type.
    #[error("`{method}` takes {takes}")]
    Argument {
        /// The method.
        method: String,
        /// The expected argument.
        takes: &'static str,
    },
    /// `in` on a value without members.
    #[error("`in` needs a list or an object, not {0}")]
    NotSearchable(&'static str),
    /// Too many steps.
    #[error("the expression takes too many steps")]
    TooManySteps,
    /// Too much memory.
    #[error("the expression creates too much text or too many list elements")]
    TooMuchMemory,
}
