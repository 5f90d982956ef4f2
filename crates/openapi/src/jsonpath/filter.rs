//! Evaluates the expressions of filters.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::evaluate::{Evaluation, Stop};
use super::{Budget, Exhausted, Operand, Operator, Test};

/// Number of bytes that are compared or counted in a step.
const BYTES_PER_STEP: usize = 16;

impl<'v> Evaluation<'v, '_> {
    /// Returns `true` if an expression holds for a node.
    pub(super) fn holds(&mut self, test: &'v Test, at: &'v Value) -> Result<bool, Stop> {
        self.budget.take(1)?;
        match test {
            Test::Or(tests) => {
                for test in tests {
                    if self.holds(test, at)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Test::And(tests) => {
                for test in tests {
                    if !self.holds(test, at)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Test::Not(test) => Ok(!self.holds(test, at)?),
            Test::Exists(query) => Ok(self.count(query, at, 1)?.0 > 0),
            Test::Compare(left, operator, right) => {
                let left = self.operand(left, at)?;
                let right = self.operand(right, at)?;
                Ok(compare(left.as_deref(), *operator, right.as_deref(), self.budget)?)
            }
            Test::Match { text, pattern, is_whole } => {
                let text = self.operand(text, at)?;
                let pattern = self.operand(pattern, at)?;
                match (text.as_deref(), pattern.as_deref()) {
                    (Some(Value::String(text)), Some(Value::String(pattern))) => {
                        Ok(self.patterns.matches(text, pattern, *is_whole, self.budget)?)
                    }
                    _ => Ok(false),
                }
            }
        }
    }

    /// Returns the value of an operand; `None` if it has none.
    fn operand(
        &mut self,
        operand: &'v Operand,
        at: &'v Value,
    ) -> Result<Option<Cow<'v, Value>>, Stop> {
        Ok(match operand {
            Operand::Literal(value) => Some(Cow::Borrowed(value)),
            Operand::Singular(query) => self.count(query, at, 1)?.1.map(Cow::Borrowed),
            Operand::Length(operand) => match self.operand(operand, at)?.as_deref() {
                Some(value) => self.length(value)?.map(|length| Cow::Owned(length.into())),
                None => None,
            },
            Operand::Count(query) => Some(Cow::Owned(self.count(query, at, usize::MAX)?.0.into())),
            Operand::Value(query) => match self.count(query, at, 2)? {
                (1, Some(value)) => Some(Cow::Borrowed(value)),
                _ => None,
            },
        })
    }

    fn length(&mut self, value: &Value) -> Result<Option<usize>, Exhausted> {
        Ok(match value {
            Value::String(text) => {
                self.budget.take(text.len() / BYTES_PER_STEP)?;
                Some(text.chars().count())
            }
            Value::Array(items) => Some(items.len()),
            Value::Object(fields) => Some(fields.len()),
            _ => None,
        })
    }
}

fn compare(
    left: Option<&Value>,
    operator: Operator,
    right: Option<&Value>,
    budget: &mut Budget,
) -> Result<bool, Exhausted> {
    let mut equal = || match (left, right) {
        (None, None) => Ok(true),
        (Some(left), Some(right)) => is_equal(left, right, budget),
        _ => Ok(false),
    };
    let is = |expected: Ordering| order(left, right) == Some(expected);
    Ok(match operator {
        Operator::Equal => equal()?,
        Operator::NotEqual => !equal()?,
        Operator::Less => is(Ordering::Less),
        Operator::LessOrEqual => is(Ordering::Less) || equal()?,
        Operator::Greater => is(Ordering::Greater),
        Operator::GreaterOrEqual => is(Ordering::Greater) || equal()?,
    })
}

/// Returns the order of two numbers or two texts; `None` for other values.
fn order(left: Option<&Value>, right: Option<&Value>) -> Option<Ordering> {
    match (left?, right?) {
        (Value::Number(left), Value::Number(right)) => order_of_numbers(left, right),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

fn order_of_numbers(left: &Number, right: &Number) -> Option<Ordering> {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

/// Returns `true` if two values are the same, where 1 and 1.0 are.
fn is_equal(left: &Value, right: &Value, budget: &mut Budget) -> Result<bool, Exhausted> {
    budget.take(1)?;
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            Ok(order_of_numbers(left, right) == Some(Ordering::Equal))
        }
        (Value::String(left), Value::String(right)) => {
            budget.take(left.len().min(right.len()) / BYTES_PER_STEP)?;
            Ok(left == right)
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (left, right) in left.iter().zip(right) {
                if !is_equal(left, right, budget)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Object(left), Value::Object(right)) if left.len() == right.len() => {
            for (name, left) in left {
                match right.get(name) {
                    Some(right) if is_equal(left, right, budget)? => {}
                    _ => return Ok(false),
                }
            }
            Ok(true)
        }
        (Value::Null, Value::Null) => Ok(true),
        (Value::Bool(left), Value::Bool(right)) => Ok(left == right),
        _ => Ok(false),
    }
}
