//! JSONPath (RFC 9535) at bounded cost.

mod evaluate;
mod filter;
mod parse;
mod regexp;

use std::fmt;

use serde_json::Value;

pub use evaluate::Node;

/// Maximum number of steps of a [`Budget`] unless another one is stated.
pub const MAX_STEPS: usize = 200_000_000;
/// Maximum number of nodes that a path may select.
pub const MAX_NODES: usize = 1_000_000;

/// A JSONPath query.
#[derive(Clone, Debug)]
pub struct JsonPath(Query);

impl JsonPath {
    /// Parses the text of a query, such as `$.paths.*.get`.
    ///
    /// # Errors
    /// Rejects a text that RFC 9535 does not allow, one of more than 8 KiB, and one with more than
    /// 256 segments or 32 expressions within each other.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        parse::parse(text).map(Self)
    }

    /// Returns the nodes of a document that the query selects, in the order of RFC 9535. A node that
    /// is selected twice is there twice.
    ///
    /// # Errors
    /// Returns an error if that needs more steps than the budget has, or if there are more than
    /// [`MAX_NODES`].
    pub fn select<'v>(
        &'v self,
        root: &'v Value,
        budget: &mut Budget,
    ) -> Result<Vec<Node<'v>>, Exhausted> {
        evaluate::select(&self.0, root, budget)
    }
}

/// Steps that evaluations may still take. A step visits a node, or compares a few characters.
#[derive(Debug)]
pub struct Budget {
    left: usize,
}

impl Budget {
    /// Returns a budget of some steps.
    #[must_use]
    pub fn new(steps: usize) -> Self {
        Self { left: steps }
    }

    pub(crate) fn take(&mut self, steps: usize) -> Result<(), Exhausted> {
        let left = self.left.checked_sub(steps);
        self.left = left.unwrap_or(0);
        left.map(|_| ()).ok_or(Exhausted::Steps)
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(MAX_STEPS)
    }
}

/// Limit that an evaluation has exceeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Exhausted {
    /// The steps of the budget.
    #[error("the evaluation takes too many steps")]
    Steps,
    /// The number of nodes.
    #[error("the path selects more than {MAX_NODES} values")]
    Nodes,
}

/// Mistake in the text of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathError {
    /// The number of the character at fault, from 1.
    pub character: usize,
    /// Text that names the invalid part, and the parts that are allowed there.
    pub message: String,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at character {}", self.message, self.character)
    }
}

impl std::error::Error for PathError {}

#[derive(Clone, Debug)]
struct Query {
    /// `true` if it begins with `$`, `false` if it begins with `@`.
    is_absolute: bool,
    segments: Vec<Segment>,
}

impl Query {
    /// Returns `true` if the query selects at most one node by its form.
    fn is_singular(&self) -> bool {
        let is_single = |segment: &Segment| {
            let selector = segment.selectors.first();
            !segment.descends
                && segment.selectors.len() == 1
                && matches!(selector, Some(Selector::Name(_) | Selector::Index(_)))
        };
        self.segments.iter().all(is_single)
    }
}

#[derive(Clone, Debug)]
struct Segment {
    /// `true` if it applies to the values within the node at any depth, too.
    descends: bool,
    selectors: Vec<Selector>,
}

#[derive(Clone, Debug)]
enum Selector {
    Name(String),
    Wildcard,
    Index(i64),
    Slice { start: Option<i64>, end: Option<i64>, step: i64 },
    Filter(Test),
}

/// An expression that holds for a node or does not.
#[derive(Clone, Debug)]
enum Test {
    Or(Vec<Test>),
    And(Vec<Test>),
    Not(Box<Test>),
    Exists(Query),
    Compare(Operand, Operator, Operand),
    Match {
        text: Operand,
        pattern: Operand,
        /// `true` if the pattern has to match the whole text.
        is_whole: bool,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// An expression with a value, or with none.
#[derive(Clone, Debug)]
enum Operand {
    Literal(Value),
    /// A query that selects at most one node.
    Singular(Query),
    Length(Box<Operand>),
    Count(Query),
    Value(Query),
}
