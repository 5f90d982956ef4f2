//! Evaluation of operators.

use super::budget::Budget;
use super::error::EvalErrorKind;
use super::syntax::{BinaryOp, UnaryOp};
use super::value::{Text, Value};

pub(super) fn unary(
    operator: UnaryOp,
    value: &Value,
    budget: &Budget<'_>,
) -> Result<Value, EvalErrorKind> {
    Ok(match operator {
        UnaryOp::Not => Value::Bool(!value.is_truthy()),
        UnaryOp::Minus => Value::Number(-value.to_number(budget)?),
        UnaryOp::Plus => Value::Number(value.to_number(budget)?),
    })
}

pub(super) fn binary(
    operator: BinaryOp,
    left: &Value,
    right: &Value,
    budget: &Budget<'_>,
) -> Result<Value, EvalErrorKind> {
    let numbers = |compute: fn(f64, f64) -> f64| -> Result<Value, EvalErrorKind> {
        Ok(Value::Number(compute(left.to_number(budget)?, right.to_number(budget)?)))
    };
    match operator {
        BinaryOp::Add => add(left, right, budget),
        BinaryOp::Subtract => numbers(|left, right| left - right),
        BinaryOp::Multiply => numbers(|left, right| left * right),
        BinaryOp::Divide => numbers(|left, right| left / right),
        BinaryOp::Remainder => numbers(|left, right| left % right),
        BinaryOp::Less => compare(left, right, budget, |one, other| one < other, f64::lt),
        BinaryOp::LessOrEqual => compare(left, right, budget, |one, other| one <= other, f64::le),
        BinaryOp::Greater => compare(left, right, budget, |one, other| one > other, f64::gt),
        BinaryOp::GreaterOrEqual => {
            compare(left, right, budget, |one, other| one >= other, f64::ge)
        }
        BinaryOp::Equal => left.loosely_equals(right, budget).map(Value::Bool),
        BinaryOp::NotEqual => Ok(Value::Bool(!left.loosely_equals(right, budget)?)),
        BinaryOp::StrictlyEqual => left.strictly_equals(right, budget).map(Value::Bool),
        BinaryOp::StrictlyUnequal => Ok(Value::Bool(!left.strictly_equals(right, budget)?)),
        BinaryOp::In => {
            let name = left.to_text(budget)?;
            right
                .has_member(&name)
                .map(Value::Bool)
                .ok_or(EvalErrorKind::NotSearchable(right.kind()))
        }
    }
}

/// Adds two numbers, or concatenates if one side is a string or an object.
fn add(left: &Value, right: &Value, budget: &Budget<'_>) -> Result<Value, EvalErrorKind> {
    let (left, right) = (left.to_primitive(budget)?, right.to_primitive(budget)?);
    if !matches!(left, Value::Text(_)) && !matches!(right, Value::Text(_)) {
        return Ok(Value::Number(left.to_number(budget)? + right.to_number(budget)?));
    }
    let (left, right) = (left.to_text(budget)?, right.to_text(budget)?);
    budget.charge_new(left.units().len() + right.units().len())?;
    Ok(Value::Text(Text::from_units([left.units(), right.units()].concat())))
}

/// Compares two strings by code units, and other values as numbers.
fn compare(
    left: &Value,
    right: &Value,
    budget: &Budget<'_>,
    texts: fn(&[u16], &[u16]) -> bool,
    numbers: fn(&f64, &f64) -> bool,
) -> Result<Value, EvalErrorKind> {
    let (left, right) = (left.to_primitive(budget)?, right.to_primitive(budget)?);
    if let (Value::Text(left), Value::Text(right)) = (&left, &right) {
        budget.charge_read(left.units().len().min(right.units().len()))?;
        return Ok(Value::Bool(texts(left.units(), right.units())));
    }
    Ok(Value::Bool(numbers(&left.to_number(budget)?, &right.to_number(budget)?)))
}
