//! The records that maps hold and the objects that they refer to, as compact versioned bytes.

mod attribute;
mod file;
mod page;
mod reference;
#[cfg(test)]
mod tests;

pub use bindery_model::{CoverSize, Layout, LayoutWidth};
use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use attribute::{
    FileAttribute, FileValue, PageAttribute, PageValue, ReusableAttribute, ReusableValue,
};
pub use file::{Dimensions, FileRecord, ReusableRecord, Variable, Variables};
pub use page::{
    Cover, MetaLinks, NavigationEntry, NavigationKind, PageKind, PageOperation, PageRecord, PageTag,
};
pub use reference::{ContentRef, PageBody, Reference};

use crate::object::ObjectError;

/// A value that is stored as bytes: a version byte, then the fields in their order.
pub trait Record: Serialize + DeserializeOwned {
    /// The version of the encoding. When the fields change, it is increased, and [`Record::decode`]
    /// must still read the older versions.
    const VERSION: u8 = 1;
    /// The name of the kind of record in error messages.
    const NAME: &'static str;

    /// Encodes the record. Equal records have equal encodings.
    ///
    /// # Errors
    /// Returns an error only if a field cannot be encoded, which no record of this crate contains.
    fn encode(&self) -> Result<Bytes, ObjectError> {
        postcard::to_extend(self, vec![Self::VERSION])
            .map(Bytes::from)
            .map_err(|_| ObjectError::Corrupt(Self::NAME))
    }

    /// Decodes a record.
    ///
    /// # Errors
    /// Returns an error for another version and for bytes that [`Record::encode`] does not produce.
    fn decode(bytes: &[u8]) -> Result<Self, ObjectError> {
        Self::decode_current(bytes)
    }

    /// Decodes a record of the present version.
    ///
    /// # Errors
    /// The same as for [`Record::decode`].
    fn decode_current(bytes: &[u8]) -> Result<Self, ObjectError> {
        let corrupt = || ObjectError::Corrupt(Self::NAME);
        let (version, rest) = bytes.split_first().ok_or_else(corrupt)?;
        if *version != Self::VERSION {
            return Err(corrupt());
        }
        match postcard::take_from_bytes(rest) {
            Ok((record, [])) => Ok(record),
            _ => Err(corrupt()),
        }
    }
}

/// Serialization of timestamps as integers.
pub(crate) mod millis {
    use bindery_model::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(at: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i64(at.millis())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        i64::deserialize(from).map(Timestamp::from_millis)
    }
}
