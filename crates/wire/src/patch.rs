//! A field of a change that may be left alone, removed or set.

use serde::{Deserialize, Deserializer};

/// The three states of an optional field that may be null.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Patch<T> {
    /// The field is absent: leave what is there.
    #[default]
    Absent,
    /// The field is null: remove what is there.
    Null,
    /// Set it to this.
    Value(T),
}

impl<T> Patch<T> {
    /// `None` when there is nothing to change, else the new state.
    pub fn change(self) -> Option<Option<T>> {
        match self {
            Self::Absent => None,
            Self::Null => Some(None),
            Self::Value(value) => Some(Some(value)),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Option::deserialize(deserializer)?;
        Ok(value.map_or(Self::Null, Self::Value))
    }
}
