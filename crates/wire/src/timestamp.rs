//! Deserialization of times. `bindery_model::Timestamp` implements serialization itself.

use std::borrow::Cow;

use bindery_model::Timestamp;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

pub(crate) fn required<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
    let text = Cow::<'de, str>::deserialize(from)?;
    Timestamp::parse(&text).ok_or_else(|| D::Error::custom("not a time"))
}

pub(crate) fn optional<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
    let text = Option::<Cow<'de, str>>::deserialize(from)?;
    text.map(|text| Timestamp::parse(&text).ok_or_else(|| D::Error::custom("not a time")))
        .transpose()
}
