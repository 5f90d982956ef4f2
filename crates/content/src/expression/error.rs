//! What can be wrong with an expression, and where.

use std::fmt;

use thiserror::Error;

/// A place in an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Bytes before it.
    pub offset: usize,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
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

/// An expression that is not understood.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{position}: found {found}, expected {expected}")]
pub struct SyntaxError {
    /// Where.
    pub position: Position,
    /// What stands there.
    pub found: String,
    /// What may stand there.
    pub expected: String,
}

/// An expression that has no value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{position}: {problem}")]
pub struct EvalError {
    /// The part of the expression that failed.
    pub position: Position,
    /// Why.
    pub problem: Problem,
}

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Problem {
    /// A name that means nothing.
    #[error("`{0}` is not known; expressions see `visitor.claims`, `space.vars` and `page.vars`")]
    UnknownName(String),
    /// A method that what it is called on does not have.
    #[error("{on} has no method `{method}`")]
    NoMethod {
        /// What it was called on.
        on: &'static str,
        /// The method.
        method: String,
    },
    /// An argument that a method cannot use.
    #[error("`{method}` takes {takes}")]
    Argument {
        /// The method.
        method: String,
        /// What it takes.
        takes: &'static str,
    },
    /// `in` with something that has no members.
    #[error("`in` looks into lists and objects, not into {0}")]
    NotSearchable(&'static str),
    /// Too many steps.
    #[error("the expression takes too many steps")]
    TooManySteps,
    /// Too much memory.
    #[error("the expression makes too much text or too long lists")]
    TooMuchMemory,
}
