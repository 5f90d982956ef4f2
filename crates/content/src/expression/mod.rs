//! Expressions: the part of JavaScript that conditions and inline values are written in.
//!
//! An [`Expression`] is parsed once and evaluated in a [`Context`], with bounds on steps and on
//! memory. It means what it means in JavaScript, except that the member of something missing is
//! missing too, instead of an error.

mod budget;
mod document;
mod error;
mod evaluate;
mod lexer;
mod methods;
mod operators;
mod parser;
mod source;
mod syntax;
mod value;

use std::collections::BTreeMap;

use budget::Budget;
pub use document::{Mode, evaluate_document};
pub use error::{EvalError, Position, Problem, SyntaxError};
pub use source::evaluate_source;
pub use value::{Text, Value};

/// The longest expression, in characters.
pub const LENGTH_LIMIT: usize = 1_024;
/// How deep an expression may be nested.
pub const DEPTH_LIMIT: usize = 100;

/// An expression that was understood.
#[derive(Debug, Clone)]
pub struct Expression {
    source: Box<str>,
    /// Nothing for an empty expression.
    root: Option<syntax::Expr>,
    depends_on_visitor: bool,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// When it is longer than [`LENGTH_LIMIT`], nested deeper than [`DEPTH_LIMIT`], or not of the
    /// supported part of JavaScript.
    pub fn parse(source: &str) -> Result<Self, SyntaxError> {
        let parsed = parser::parse(source)?;
        Ok(Self {
            source: source.into(),
            root: parsed.root,
            depends_on_visitor: parsed.depends_on_visitor,
        })
    }

    /// Whether its value may differ from one visitor to another.
    #[must_use]
    pub fn depends_on_visitor(&self) -> bool {
        self.depends_on_visitor
    }

    /// Its value; `undefined` for an empty expression.
    ///
    /// # Errors
    /// Where JavaScript throws, and when it takes too many steps or too much memory.
    pub fn evaluate(&self, context: &Context) -> Result<Value, EvalError> {
        self.evaluate_within(context, &Budget::for_one())
    }

    fn evaluate_within(&self, context: &Context, budget: &Budget<'_>) -> Result<Value, EvalError> {
        match &self.root {
            Some(root) => evaluate::evaluate(root, &self.source, context, budget),
            None => Ok(Value::Undefined),
        }
    }
}

/// What expressions see.
#[derive(Debug, Clone)]
pub struct Context {
    visitor: Value,
    space: Value,
    page: Value,
    others: BTreeMap<Box<str>, Value>,
}

impl Default for Context {
    fn default() -> Self {
        let empty = || Value::map(std::iter::empty());
        Self {
            visitor: Value::map([("claims".into(), empty())]),
            space: Value::map([("vars".into(), empty())]),
            page: Value::map([("vars".into(), empty())]),
            others: BTreeMap::new(),
        }
    }
}

impl Context {
    /// A context without any claims and variables.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With what is known of the visitor, as `visitor.claims`.
    #[must_use]
    pub fn with_claims(mut self, claims: Value) -> Self {
        self.visitor = Value::map([("claims".into(), claims)]);
        self
    }

    /// With the variables of the space, as `space.vars`.
    #[must_use]
    pub fn with_space(mut self, variables: impl IntoIterator<Item = (Text, Value)>) -> Self {
        self.space = Value::map([("vars".into(), Value::map(variables))]);
        self
    }

    /// With the variables of the page, as `page.vars`.
    #[must_use]
    pub fn with_page(mut self, variables: impl IntoIterator<Item = (Text, Value)>) -> Self {
        self.page = Value::map([("vars".into(), Value::map(variables))]);
        self
    }

    /// With a value under a name that pages do not have.
    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.others.insert(name.into(), value);
        self
    }
}

/// Evaluates the expressions of one page, which share one bound on steps and memory.
#[derive(Debug)]
pub struct Evaluator<'c> {
    context: &'c Context,
    budget: Budget<'static>,
}

impl<'c> Evaluator<'c> {
    /// An evaluator that has not evaluated anything yet.
    #[must_use]
    pub fn new(context: &'c Context) -> Self {
        Self { context, budget: Budget::for_page() }
    }

    /// Whether a condition holds: an empty one does, one that fails does not.
    #[must_use]
    pub fn condition(&self, source: &str) -> bool {
        Expression::parse(source).is_ok_and(|expression| self.holds(&expression))
    }

    /// Whether a condition that was parsed holds.
    #[must_use]
    pub fn holds(&self, expression: &Expression) -> bool {
        expression.root.is_none()
            || expression
                .evaluate_within(self.context, &self.budget.for_next())
                .is_ok_and(|value| value.is_truthy())
    }

    /// What an inline expression shows: strings, numbers and booleans, else nothing.
    #[must_use]
    pub fn text(&self, source: &str) -> Option<String> {
        self.shown(&Expression::parse(source).ok()?)
    }

    /// What an inline expression that was parsed shows.
    #[must_use]
    pub fn shown(&self, expression: &Expression) -> Option<String> {
        let value = expression.evaluate_within(self.context, &self.budget.for_next()).ok()?;
        match value {
            Value::Text(_) | Value::Number(_) | Value::Bool(_) => {
                let budget = self.budget.for_next();
                let text = value.to_text(&budget).ok()?.to_string();
                // A value is made once and shown any number of times.
                budget.make(text.len()).ok()?;
                Some(text)
            }
            Value::Undefined | Value::Null | Value::List(_) | Value::Map(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
