//! Fields of PATCH requests, which may be absent, null or set.

use serde::{Deserialize, Deserializer};

/// The three states of an optional field that may be null.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Patch<T> {
    /// The field is absent and keeps its value.
    #[default]
    Absent,
    /// The field is null and loses its value.
    Null,
    /// The field gets this value.
    Value(T),
}

impl<T> Patch<T> {
    /// Returns `None` if the field keeps its value, otherwise its new value.
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
