//! The methods of strings and lists.

use super::budget::Budget;
use super::error::{EvalError, EvalErrorKind};
use super::evaluate::{Evaluation, MethodArgument};
use super::lexer::is_space;
use super::syntax::Function;
use super::value::{Text, Value, join};

/// A method, identified by its name and the type of its receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Includes,
    StartsWith,
    EndsWith,
    ToLowerCase,
    ToUpperCase,
    Trim,
    IndexOf,
    Slice,
    Split,
    Join,
    Every,
    Some,
    Map,
    Filter,
    Find,
}

impl Method {
    const ALL: [(&'static str, Self); 15] = [
        ("includes", Self::Includes),
        ("startsWith", Self::StartsWith),
        ("endsWith", Self::EndsWith),
        ("toLowerCase", Self::ToLowerCase),
        ("toUpperCase", Self::ToUpperCase),
        ("trim", Self::Trim),
        ("indexOf", Self::IndexOf),
        ("slice", Self::Slice),
        ("split", Self::Split),
        ("join", Self::Join),
        ("every", Self::Every),
        ("some", Self::Some),
        ("map", Self::Map),
        ("filter", Self::Filter),
        ("find", Self::Find),
    ];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, method)| *method == self).map_or("", |(name, _)| name)
    }

    fn takes_function(self) -> bool {
        matches!(self, Self::Every | Self::Some | Self::Map | Self::Filter | Self::Find)
    }

    fn of_text(self) -> bool {
        !self.takes_function() && self != Self::Join
    }

    fn of_list(self) -> bool {
        !self.of_text() || matches!(self, Self::Includes | Self::IndexOf | Self::Slice)
    }
}

/// Returns the method called `name` of a value.
pub(super) fn find(on: &Value, name: &Text) -> Option<Method> {
    let known =
        Method::ALL.iter().find(|(known, _)| name.units().iter().copied().eq(known.encode_utf16()));
    let (_, method) = known?;
    let has = match on {
        Value::Text(_) => method.of_text(),
        Value::List(_) => method.of_list(),
        _ => false,
    };
    has.then_some(*method)
}

pub(super) fn call(
    evaluation: &mut Evaluation<'_>,
    at: usize,
    method: Method,
    on: &Value,
    given: &[MethodArgument<'_>],
) -> Result<Value, EvalError> {
    let wrong = |takes| EvalErrorKind::Argument { method: method.name().to_owned(), takes };
    if let Value::List(items) = on
        && method.takes_function()
    {
        let Some(MethodArgument::Function(function)) = given.first() else {
            return evaluation.fail(at, Err(wrong("a function such as `item => item == 1`")));
        };
        return each(evaluation, method, function, items, on, at);
    }
    let mut values = Vec::with_capacity(given.len());
    for argument in given {
        match argument {
            MethodArgument::Value(value) => values.push(value.clone()),
            MethodArgument::Function(_) => {
                return evaluation.fail(at, Err(wrong("values, not a function")));
            }
        }
    }
    let arguments = Arguments { values, budget: evaluation.budget };
    let result = match on {
        Value::Text(text) => of_text(method, text.units(), &arguments),
        Value::List(items) => of_list(method, items, &arguments),
        _ => Ok(Value::Undefined),
    };
    evaluation.fail(at, result)
}

/// Calls a function for each element.
fn each(
    evaluation: &mut Evaluation<'_>,
    method: Method,
    function: &Function,
    items: &[Value],
    on: &Value,
    at: usize,
) -> Result<Value, EvalError> {
    let mut kept = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let value = evaluation.run(function, (item, index, on))?;
        let keep = match method {
            Method::Every if !value.is_truthy() => return Ok(Value::Bool(false)),
            Method::Some if value.is_truthy() => return Ok(Value::Bool(true)),
            Method::Find if value.is_truthy() => return Ok(item.clone()),
            Method::Map => Some(value),
            Method::Filter => value.is_truthy().then(|| item.clone()),
            _ => None,
        };
        if let Some(value) = keep {
            evaluation.fail(at, evaluation.budget.charge_new(1))?;
            kept.push(value);
        }
    }
    Ok(match method {
        Method::Every => Value::Bool(true),
        Method::Some => Value::Bool(false),
        Method::Map | Method::Filter => Value::List(kept.into()),
        _ => Value::Undefined,
    })
}

struct Arguments<'b> {
    values: Vec<Value>,
    budget: &'b Budget<'b>,
}

impl Arguments<'_> {
    fn get(&self, at: usize) -> &Value {
        self.values.get(at).unwrap_or(&Value::Undefined)
    }

    fn text(&self, at: usize) -> Result<Text, EvalErrorKind> {
        self.get(at).to_text(self.budget)
    }

    /// Returns an index into a sequence of this length. Negative indices count from the end.
    fn relative(&self, at: usize, length: usize, default: usize) -> Result<usize, EvalErrorKind> {
        if matches!(self.get(at), Value::Undefined) {
            return Ok(default);
        }
        let number = self.get(at).to_number(self.budget)?;
        Ok(if number < 0.0 {
            length.saturating_sub(whole(-number))
        } else {
            whole(number).min(length)
        })
    }

    /// Returns an index into a sequence of this length. Negative indices become 0.
    fn clamped(&self, at: usize, length: usize, default: usize) -> Result<usize, EvalErrorKind> {
        if matches!(self.get(at), Value::Undefined) {
            return Ok(default);
        }
        Ok(whole(self.get(at).to_number(self.budget)?).min(length))
    }
}

/// Returns the integer part of a number; 0 for negative numbers and NaN.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "casts of floats saturate, and that of NaN is 0"
)]
fn whole(number: f64) -> usize {
    number as usize
}

fn of_text(
    method: Method,
    text: &[u16],
    arguments: &Arguments<'_>,
) -> Result<Value, EvalErrorKind> {
    let budget = arguments.budget;
    budget.charge_read(text.len())?;
    let part = |from: usize, to: usize| -> Result<Value, EvalErrorKind> {
        let units = text.get(from..to).unwrap_or_default();
        budget.charge_new(units.len())?;
        Ok(Value::text(units))
    };
    Ok(match method {
        Method::Includes | Method::IndexOf => {
            let wanted = arguments.text(0)?;
            let from = arguments.clamped(1, text.len(), 0)?;
            let found = position(text, wanted.units(), from, budget)?;
            match (method, found) {
                (Method::Includes, found) => Value::Bool(found.is_some()),
                (_, Some(at)) => Value::count(at),
                (_, None) => Value::Number(-1.0),
            }
        }
        Method::StartsWith => {
            let wanted = arguments.text(0)?;
            let from = arguments.clamped(1, text.len(), 0)?;
            Value::Bool(text.get(from..).is_some_and(|text| text.starts_with(wanted.units())))
        }
        Method::EndsWith => {
            let wanted = arguments.text(0)?;
            let to = arguments.clamped(1, text.len(), text.len())?;
            Value::Bool(text.get(..to).is_some_and(|text| text.ends_with(wanted.units())))
        }
        Method::ToLowerCase => change_case(text, str::to_lowercase, budget)?,
        Method::ToUpperCase => change_case(text, str::to_uppercase, budget)?,
        Method::Trim => {
            let is_kept = |unit: &u16| !char::from_u32(u32::from(*unit)).is_some_and(is_space);
            let from = text.iter().position(is_kept).unwrap_or(text.len());
            let to = text.iter().rposition(is_kept).map_or(from, |last| last + 1);
            part(from, to)?
        }
        Method::Slice => {
            let from = arguments.relative(0, text.len(), 0)?;
            let to = arguments.relative(1, text.len(), text.len())?;
            part(from, to.max(from))?
        }
        Method::Split => split(text, arguments)?,
        _ => Value::Undefined,
    })
}

/// Number of positions charged together when a text is searched.
const POSITIONS_PER_CHARGE: usize = 8;

/// Returns the first index, not before `from`, at which `wanted` occurs.
fn position(
    text: &[u16],
    wanted: &[u16],
    from: usize,
    budget: &Budget<'_>,
) -> Result<Option<usize>, EvalErrorKind> {
    if wanted.is_empty() {
        return Ok((from <= text.len()).then_some(from));
    }
    let windows = text.get(from..).unwrap_or_default().windows(wanted.len());
    for (at, window) in windows.enumerate() {
        // A comparison at one position may read all of `wanted`.
        if at % POSITIONS_PER_CHARGE == 0 {
            budget.charge_read(wanted.len().saturating_mul(POSITIONS_PER_CHARGE))?;
        }
        if window == wanted {
            return Ok(Some(at + from));
        }
    }
    Ok(None)
}

/// Changes the case of a text. Unpaired surrogates are left unchanged.
fn change_case(
    text: &[u16],
    change: fn(&str) -> String,
    budget: &Budget<'_>,
) -> Result<Value, EvalErrorKind> {
    let mut units = Vec::with_capacity(text.len());
    let mut run = String::new();
    for decoded in char::decode_utf16(text.iter().copied()) {
        match decoded {
            Ok(c) => run.push(c),
            Err(unpaired) => {
                units.extend(change(&run).encode_utf16());
                run.clear();
                units.push(unpaired.unpaired_surrogate());
            }
        }
    }
    units.extend(change(&run).encode_utf16());
    budget.charge_new(units.len())?;
    Ok(Value::Text(Text::from_units(units)))
}

fn split(text: &[u16], arguments: &Arguments<'_>) -> Result<Value, EvalErrorKind> {
    let budget = arguments.budget;
    let most = match arguments.get(1) {
        Value::Undefined => usize::MAX,
        limit => to_uint32(limit.to_number(budget)?),
    };
    let mut parts = Vec::new();
    let mut push = |units: &[u16]| -> Result<bool, EvalErrorKind> {
        if parts.len() < most {
            budget.charge_new(units.len() + 1)?;
            parts.push(Value::text(units));
        }
        Ok(parts.len() < most)
    };
    if matches!(arguments.get(0), Value::Undefined) {
        push(text)?;
        return Ok(Value::List(parts.into()));
    }
    let separator = arguments.text(0)?;
    if separator.units().is_empty() {
        for unit in text {
            if !push(&[*unit])? {
                break;
            }
        }
        return Ok(Value::List(parts.into()));
    }
    let mut from = 0;
    loop {
        let found = position(text, separator.units(), from, budget)?;
        let piece = text.get(from..found.unwrap_or(text.len())).unwrap_or_default();
        let more = push(piece)?;
        match found {
            Some(at) if more => from = at + separator.units().len(),
            _ => return Ok(Value::List(parts.into())),
        }
    }
}

/// Converts a number to an unsigned 32-bit integer (ToUint32).
fn to_uint32(number: f64) -> usize {
    let wrapped = number.trunc().rem_euclid(4_294_967_296.0);
    if wrapped.is_finite() { whole(wrapped) } else { 0 }
}

fn of_list(
    method: Method,
    items: &[Value],
    arguments: &Arguments<'_>,
) -> Result<Value, EvalErrorKind> {
    let budget = arguments.budget;
    Ok(match method {
        Method::Includes => {
            let from = arguments.relative(1, items.len(), 0)?;
            let wanted = arguments.get(0);
            Value::Bool(
                search(items, from, budget, |item| same_value_zero(item, wanted, budget))?
                    .is_some(),
            )
        }
        Method::IndexOf => {
            let from = arguments.relative(1, items.len(), 0)?;
            let wanted = arguments.get(0);
            search(items, from, budget, |item| item.strictly_equals(wanted, budget))?
                .map_or(Value::Number(-1.0), Value::count)
        }
        Method::Slice => {
            let from = arguments.relative(0, items.len(), 0)?;
            let to = arguments.relative(1, items.len(), items.len())?;
            let part = items.get(from..to.max(from)).unwrap_or_default();
            budget.charge_new(part.len())?;
            Value::List(part.into())
        }
        Method::Join => {
            let between = match arguments.get(0) {
                Value::Undefined => ",".into(),
                separator => separator.to_text(budget)?,
            };
            let mut units = Vec::new();
            join(items, between.units(), &mut units, budget)?;
            Value::Text(Text::from_units(units))
        }
        _ => Value::Undefined,
    })
}

fn search(
    items: &[Value],
    from: usize,
    budget: &Budget<'_>,
    is_wanted: impl Fn(&Value) -> Result<bool, EvalErrorKind>,
) -> Result<Option<usize>, EvalErrorKind> {
    for (at, item) in items.iter().enumerate().skip(from) {
        budget.charge_step()?;
        if is_wanted(item)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Compares like `===`, but NaN equals itself (SameValueZero).
fn same_value_zero(one: &Value, other: &Value, budget: &Budget<'_>) -> Result<bool, EvalErrorKind> {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) if one.is_nan() && other.is_nan() => Ok(true),
        (one, other) => one.strictly_equals(other, budget),
    }
}
