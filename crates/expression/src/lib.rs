//! Evaluates expressions, the subset of JavaScript in which conditions and inline values of pages
//! are written.
//!
//! An [`Expression`] is parsed once and evaluated to a [`Value`] in a [`Context`], within limits on
//! steps and memory. It has the same meaning as in JavaScript, except that accessing a member of
//! `undefined` or `null` gives `undefined` instead of an error. An [`Evaluator`] evaluates all
//! expressions of a page within common limits.
//!
//! # Example
//!
//! ```
//! use bindery_expression::{Context, Evaluator, Expression, Value};
//!
//! let context = Context::new().with_space([("major".into(), Value::Number(5.0))]);
//! let expression = Expression::parse("space.vars.major + 1")?;
//! assert!(!expression.depends_on_visitor());
//! let evaluator = Evaluator::new(&context);
//! assert_eq!(evaluator.render(&expression).as_deref(), Some("6"));
//! assert!(evaluator.condition("space.vars.major >= 5"));
//! # Ok::<(), bindery_expression::SyntaxError>(())
//! ```

mod budget;
mod error;
mod evaluate;
mod lexer;
mod methods;
mod operators;
mod parser;
mod syntax;
mod value;

use std::collections::BTreeMap;

use budget::Budget;
pub use error::{EvalError, EvalErrorKind, Position, SyntaxError};
pub use value::{Text, Value};

/// Maximum length of an expression, in characters.
pub const LENGTH_LIMIT: usize = 1_024;
/// Maximum nesting depth of an expression.
pub const DEPTH_LIMIT: usize = 100;

/// A parsed expression.
#[derive(Debug, Clone)]
pub struct Expression {
    source: Box<str>,
    /// `None` for an empty expression.
    root: Option<syntax::Expr>,
    depends_on_visitor: bool,
}

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    ///
    /// Returns an error if the source is longer than [`LENGTH_LIMIT`], is nested deeper than
    /// [`DEPTH_LIMIT`], or is not in the supported subset of JavaScript.
    pub fn parse(source: &str) -> Result<Self, SyntaxError> {
        let parsed = parser::parse(source)?;
        Ok(Self {
            source: source.into(),
            root: parsed.root,
            depends_on_visitor: parsed.depends_on_visitor,
        })
    }

    /// Checks the syntax of an expression, and that all its names are known. [`Expression::parse`]
    /// accepts unknown names, whose evaluation fails.
    ///
    /// # Errors
    ///
    /// Returns the first mistake.
    pub fn check(source: &str) -> Result<(), SyntaxError> {
        match parser::parse(source)?.unknown_name {
            None => Ok(()),
            Some((offset, name)) => Err(SyntaxError {
                position: Position::of(source, offset),
                found: format!("the unknown name `{name}`"),
                expected: "`visitor.claims`, `space.vars` or `page.vars`".to_owned(),
            }),
        }
    }

    /// Returns the text of the expression.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns `true` if the value can differ between visitors.
    #[must_use]
    pub fn depends_on_visitor(&self) -> bool {
        self.depends_on_visitor
    }

    /// Evaluates the expression. An empty expression gives `undefined`.
    ///
    /// # Errors
    ///
    /// Returns an error where JavaScript would throw one, and if the evaluation takes too many
    /// steps or too much memory.
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

/// The variables that expressions can read.
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
    /// Creates a context without claims and variables.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the visitor's claims, read as `visitor.claims`.
    #[must_use]
    pub fn with_claims(mut self, claims: Value) -> Self {
        self.visitor = Value::map([("claims".into(), claims)]);
        self
    }

    /// Sets the variables of the space, read as `space.vars`.
    #[must_use]
    pub fn with_space(mut self, variables: impl IntoIterator<Item = (Text, Value)>) -> Self {
        self.space = Value::map([("vars".into(), Value::map(variables))]);
        self
    }

    /// Sets the variables of the page, read as `page.vars`.
    #[must_use]
    pub fn with_page(mut self, variables: impl IntoIterator<Item = (Text, Value)>) -> Self {
        self.page = Value::map([("vars".into(), Value::map(variables))]);
        self
    }

    /// Adds a value under a name that is not available to expressions in pages.
    #[must_use]
    pub fn with_global(mut self, name: &str, value: Value) -> Self {
        self.others.insert(name.into(), value);
        self
    }
}

/// Evaluates the expressions that depend on the visitor in place of an [`Evaluator`].
pub trait VisitorExpressions: std::fmt::Debug {
    /// Returns `true` if a condition is true.
    fn is_true(&self, condition: &Expression) -> bool;

    /// Evaluates an inline expression to text.
    fn render(&self, expression: &Expression) -> Option<String>;
}

/// Evaluates the expressions of one page within a common limit on steps and memory.
#[derive(Debug)]
pub struct Evaluator<'c> {
    context: &'c Context,
    budget: Budget<'static>,
    visitor: Option<&'c dyn VisitorExpressions>,
}

impl<'c> Evaluator<'c> {
    /// Creates an evaluator with a full budget.
    #[must_use]
    pub fn new(context: &'c Context) -> Self {
        Self { context, budget: Budget::for_page(), visitor: None }
    }

    /// Makes `visitor` evaluate the expressions that depend on the visitor.
    #[must_use]
    pub fn with_visitor(mut self, visitor: &'c dyn VisitorExpressions) -> Self {
        self.visitor = Some(visitor);
        self
    }

    /// Returns `true` if a condition is true. An empty condition is true; one that fails is false.
    #[must_use]
    pub fn condition(&self, source: &str) -> bool {
        Expression::parse(source).is_ok_and(|expression| self.is_true(&expression))
    }

    /// Returns `true` if a parsed condition is true.
    #[must_use]
    pub fn is_true(&self, expression: &Expression) -> bool {
        if let Some(visitor) = self.visitor.filter(|_| expression.depends_on_visitor()) {
            return visitor.is_true(expression);
        }
        expression.root.is_none()
            || expression
                .evaluate_within(self.context, &self.budget.for_next())
                .is_ok_and(|value| value.is_truthy())
    }

    /// Evaluates an inline expression to text. Returns `None` unless the value is a string, a
    /// number or a boolean.
    #[must_use]
    pub fn text(&self, source: &str) -> Option<String> {
        self.render(&Expression::parse(source).ok()?)
    }

    /// Evaluates a parsed inline expression to text.
    #[must_use]
    pub fn render(&self, expression: &Expression) -> Option<String> {
        if let Some(visitor) = self.visitor.filter(|_| expression.depends_on_visitor()) {
            return visitor.render(expression);
        }
        let value = expression.evaluate_within(self.context, &self.budget.for_next()).ok()?;
        match value {
            Value::Text(_) | Value::Number(_) | Value::Bool(_) => {
                let budget = self.budget.for_next();
                let text = value.to_text(&budget).ok()?.to_string();
                // One value can be rendered any number of times, so each time is charged.
                budget.charge_new(text.len()).ok()?;
                Some(text)
            }
            Value::Undefined | Value::Null | Value::List(_) | Value::Map(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
