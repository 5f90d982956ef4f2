//! Merges values into others.

use serde_json::Value;

use super::Kind;
use crate::jsonpath::{Budget, Exhausted};
use crate::{MAX_BYTES, MAX_DEPTH};

/// Size of a value or a field besides its text, in bytes.
const VALUE_SIZE: usize = 64;

/// Reason against a merge.
pub(super) enum Obstacle {
    /// A value of the update does not fit the one in the document.
    Misfit {
        /// Names of the fields from the merged value to the one in the document, in reverse order.
        steps: Vec<String>,
        found: Kind,
        present: Kind,
    },
    TooBig,
    TooDeep,
    Exhausted(Exhausted),
}

impl From<Exhausted> for Obstacle {
    fn from(exhausted: Exhausted) -> Self {
        Self::Exhausted(exhausted)
    }
}

impl Obstacle {
    fn within(mut self, name: &str) -> Self {
        if let Self::Misfit { steps, .. } = &mut self {
            steps.push(name.to_owned());
        }
        self
    }
}

/// Returns `true` if an update fits the value that a target selects.
pub(super) fn fits(update: Kind, target: Kind) -> bool {
    target == Kind::Array || update == target
}

/// The limits of what an overlay may add to a document.
pub(super) struct Merger {
    pub(super) budget: Budget,
    /// Bytes that may be added.
    left: usize,
}

impl Merger {
    pub(super) fn new() -> Self {
        Self { budget: Budget::default(), left: MAX_BYTES }
    }

    /// Merges an update into the value of a target, which some values are around.
    pub(super) fn apply(
        &mut self,
        target: &mut Value,
        update: &Value,
        around: usize,
    ) -> Result<(), Obstacle> {
        match target {
            Value::Array(items) if !update.is_array() => {
                self.add(update, around + 1)?;
                items.push(update.clone());
                Ok(())
            }
            _ => self.merge(target, update, around),
        }
    }

    fn merge(&mut self, target: &mut Value, new: &Value, around: usize) -> Result<(), Obstacle> {
        self.budget.take(1)?;
        let (found, present) = (Kind::of(new), Kind::of(target));
        match (target, new) {
            (Value::Object(fields), Value::Object(new)) => {
                for (name, value) in new {
                    if let Some(field) = fields.get_mut(name) {
                        let merged = self.merge(field, value, around + 1);
                        merged.map_err(|obstacle| obstacle.within(name))?;
                    } else {
                        self.grow(name.len())?;
                        self.add(value, around + 1)?;
                        fields.insert(name.clone(), value.clone());
                    }
                }
                Ok(())
            }
            (Value::Array(items), Value::Array(new)) => {
                for value in new {
                    self.add(value, around + 1)?;
                    items.push(value.clone());
                }
                Ok(())
            }
            (target, new) if found == present => {
                self.add(new, around)?;
                target.clone_from(new);
                Ok(())
            }
            _ => Err(Obstacle::Misfit { steps: Vec::new(), found, present }),
        }
    }

    /// Counts a value that is added, with some values around it.
    pub(super) fn add(&mut self, value: &Value, around: usize) -> Result<(), Obstacle> {
        self.grow(VALUE_SIZE)?;
        let is_outer = value.is_array() || value.is_object();
        if is_outer && around >= MAX_DEPTH {
            return Err(Obstacle::TooDeep);
        }
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.add(item, around + 1)),
            Value::Object(fields) => fields.iter().try_for_each(|(name, value)| {
                self.grow(name.len())?;
                self.add(value, around + 1)
            }),
            Value::String(text) => self.grow(text.len()),
            _ => Ok(()),
        }
    }

    fn grow(&mut self, bytes: usize) -> Result<(), Obstacle> {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(0);
        left.map(|_| ()).ok_or(Obstacle::TooBig)
    }
}
