//! Values and their conversions, as in JavaScript.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::budget::Budget;
use super::error::EvalErrorKind;
use super::lexer::{is_space, whole};

/// A JavaScript string: UTF-16 code units, which can include unpaired surrogates.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Arc<[u16]>);

impl Text {
    pub(super) fn from_units(units: Vec<u16>) -> Self {
        Self(units.into())
    }

    pub(super) fn units(&self) -> &[u16] {
        &self.0
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.encode_utf16().collect())
    }
}

/// Unpaired surrogates become U+FFFD, as in every conversion from JavaScript strings to UTF-8.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf16_lossy(&self.0))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&String::from_utf16_lossy(&self.0), f)
    }
}

/// A value of an expression.
#[derive(Debug, Clone)]
pub enum Value {
    /// `undefined`: a missing value.
    Undefined,
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A string.
    Text(Text),
    /// An array. Arrays are compared by identity.
    List(Arc<[Value]>),
    /// An object. Objects are compared by identity.
    Map(Arc<BTreeMap<Text, Value>>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

/// Converts claims and variables from JSON. Their parser bounds the nesting.
impl From<&serde_json::Value> for Value {
    fn from(json: &serde_json::Value) -> Self {
        match json {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Bool(*value),
            serde_json::Value::Number(number) => Self::Number(number.as_f64().unwrap_or(f64::NAN)),
            serde_json::Value::String(text) => text.as_str().into(),
            serde_json::Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            serde_json::Value::Object(members) => {
                Self::map(members.iter().map(|(name, value)| (name.as_str().into(), value.into())))
            }
        }
    }
}

impl Value {
    /// Creates an object with these members.
    pub fn map(members: impl IntoIterator<Item = (Text, Self)>) -> Self {
        Self::Map(Arc::new(members.into_iter().collect()))
    }

    pub(super) fn text(units: &[u16]) -> Self {
        Self::Text(Text(units.into()))
    }

    #[expect(clippy::cast_precision_loss, reason = "lengths are bounded far below 2^53")]
    pub(super) fn count(count: usize) -> Self {
        Self::Number(count as f64)
    }

    /// Returns the name of the type for error messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Undefined => "undefined",
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "an object",
        }
    }

    /// Returns `true` if the value is truthy.
    #[must_use]
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Undefined | Self::Null => false,
            Self::Bool(value) => *value,
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::Text(text) => !text.0.is_empty(),
            Self::List(_) | Self::Map(_) => true,
        }
    }

    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Undefined | Self::Null)
    }

    /// Converts the value to a string (ToString).
    pub(super) fn to_text(&self, budget: &Budget<'_>) -> Result<Text, EvalErrorKind> {
        if let Self::Text(text) = self {
            return Ok(text.clone());
        }
        let mut units = Vec::new();
        self.push_text(&mut units, budget)?;
        Ok(Text::from_units(units))
    }

    fn push_text(&self, to: &mut Vec<u16>, budget: &Budget<'_>) -> Result<(), EvalErrorKind> {
        let mut push = |text: &str| {
            budget.charge_new(text.len())?;
            to.extend(text.encode_utf16());
            Ok(())
        };
        match self {
            Self::Undefined => push("undefined"),
            Self::Null => push("null"),
            Self::Bool(true) => push("true"),
            Self::Bool(false) => push("false"),
            Self::Number(number) => push(ryu_js::Buffer::new().format(*number)),
            Self::Text(text) => {
                budget.charge_new(text.0.len())?;
                to.extend_from_slice(&text.0);
                Ok(())
            }
            Self::List(items) => join(items, &[u16::from(b',')], to, budget),
            Self::Map(_) => push("[object Object]"),
        }
    }

    /// Converts the value to a number (ToNumber).
    pub(super) fn to_number(&self, budget: &Budget<'_>) -> Result<f64, EvalErrorKind> {
        Ok(match self {
            Self::Undefined | Self::Map(_) => f64::NAN,
            Self::Null | Self::Bool(false) => 0.0,
            Self::Bool(true) => 1.0,
            Self::Number(number) => *number,
            Self::Text(text) => {
                budget.charge_read(text.0.len())?;
                number(&text.to_string())
            }
            Self::List(_) => number(&self.to_text(budget)?.to_string()),
        })
    }

    /// Converts lists and objects to strings and returns other values unchanged (ToPrimitive).
    pub(super) fn to_primitive(&self, budget: &Budget<'_>) -> Result<Self, EvalErrorKind> {
        match self {
            Self::List(_) | Self::Map(_) => Ok(Self::Text(self.to_text(budget)?)),
            primitive => Ok(primitive.clone()),
        }
    }

    /// Compares like `===`.
    pub(super) fn strictly_equals(
        &self,
        other: &Self,
        budget: &Budget<'_>,
    ) -> Result<bool, EvalErrorKind> {
        Ok(match (self, other) {
            (Self::Undefined, Self::Undefined) | (Self::Null, Self::Null) => true,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Number(one), Self::Number(other)) => one == other,
            (Self::Text(one), Self::Text(other)) => {
                budget.charge_read(one.0.len().min(other.0.len()))?;
                one == other
            }
            (Self::List(one), Self::List(other)) => Arc::ptr_eq(one, other),
            (Self::Map(one), Self::Map(other)) => Arc::ptr_eq(one, other),
            _ => false,
        })
    }

    /// Compares like `==`.
    pub(super) fn loosely_equals(
        &self,
        other: &Self,
        budget: &Budget<'_>,
    ) -> Result<bool, EvalErrorKind> {
        let is_object = |value: &Self| matches!(value, Self::List(_) | Self::Map(_));
        match (self, other) {
            (one, other) if one.is_missing() || other.is_missing() => {
                Ok(one.is_missing() && other.is_missing())
            }
            (Self::Number(_), Self::Number(_))
            | (Self::Text(_), Self::Text(_))
            | (Self::Bool(_), Self::Bool(_)) => self.strictly_equals(other, budget),
            (one, other) if is_object(one) && is_object(other) => {
                one.strictly_equals(other, budget)
            }
            (one, other) if is_object(one) || is_object(other) => {
                one.to_primitive(budget)?.loosely_equals(&other.to_primitive(budget)?, budget)
            }
            (one, other) => Ok(one.to_number(budget)? == other.to_number(budget)?),
        }
    }

    /// Returns the member called `name`, or `undefined` if it does not exist or the value is
    /// missing.
    pub(super) fn member(&self, name: &Text) -> Self {
        let found = match self {
            Self::Map(members) => members.get(name).cloned(),
            Self::List(items) => match index(name) {
                Some(index) => items.get(index).cloned(),
                None => is_length(name).then(|| Self::count(items.len())),
            },
            Self::Text(text) => match index(name) {
                Some(index) => text.0.get(index).map(|unit| Self::text(&[*unit])),
                None => is_length(name).then(|| Self::count(text.0.len())),
            },
            Self::Undefined | Self::Null | Self::Bool(_) | Self::Number(_) => None,
        };
        found.unwrap_or(Self::Undefined)
    }

    /// Returns `true` if a member called `name` exists, and `None` for values without members.
    pub(super) fn has_member(&self, name: &Text) -> Option<bool> {
        match self {
            Self::Map(members) => Some(members.contains_key(name)),
            Self::List(items) => Some(match index(name) {
                Some(index) => index < items.len(),
                None => is_length(name),
            }),
            _ => None,
        }
    }
}

fn is_length(name: &Text) -> bool {
    name.0.iter().copied().eq("length".encode_utf16())
}

/// Parses a member name as an index: digits without leading zeros.
fn index(name: &Text) -> Option<usize> {
    if name.0.is_empty() || name.0.len() > 10 {
        return None;
    }
    let digits = String::from_utf16(&name.0).ok()?;
    let canonical = digits == "0" || !digits.starts_with('0');
    if !canonical || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// Joins the elements of a list with a separator (`join`).
pub(super) fn join(
    items: &[Value],
    between: &[u16],
    to: &mut Vec<u16>,
    budget: &Budget<'_>,
) -> Result<(), EvalErrorKind> {
    for (at, item) in items.iter().enumerate() {
        budget.charge_step()?;
        if at > 0 {
            budget.charge_new(between.len())?;
            to.extend_from_slice(between);
        }
        if !item.is_missing() {
            item.push_text(to, budget)?;
        }
    }
    Ok(())
}

/// Converts a string to a number (StringToNumber).
fn number(text: &str) -> f64 {
    let text = text.trim_matches(is_space);
    let radix = [("0x", 16), ("0X", 16), ("0o", 8), ("0O", 8), ("0b", 2), ("0B", 2)];
    if let Some((digits, radix)) =
        radix.iter().find_map(|(prefix, radix)| Some((text.strip_prefix(prefix)?, *radix)))
    {
        let valid = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
        return if valid { whole(digits, radix) } else { f64::NAN };
    }
    match text {
        "" => 0.0,
        "Infinity" | "+Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        // Rust accepts the same decimal numbers, and also words that JavaScript does not.
        _ if text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) =>
        {
            text.parse().unwrap_or(f64::NAN)
        }
        _ => f64::NAN,
    }
}
