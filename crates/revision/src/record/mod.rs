//! The values that maps hold and the objects that they name, as compact versioned bytes.

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
pub use page::{Cover, MetaLinks, NavigationEntry, NavigationKind, PageKind, PageRecord, PageTag};
pub use reference::{ContentRef, PageBody, Reference};

use crate::object::ObjectError;

/// Something that is kept as bytes: a version, then the fields in their order.
pub trait Record: Serialize + DeserializeOwned {
    /// Raised when fields change; [`Record::decode`] then learns to read the older one too.
    const VERSION: u8 = 1;
    /// What it is called when it cannot be read.
    const NAME: &'static str;

    /// The bytes; equal values give equal bytes.
    ///
    /// # Errors
    /// Never for the records of this crate: their fields all have an encoding.
    fn encode(&self) -> Result<Bytes, ObjectError> {
        postcard::to_extend(self, vec![Self::VERSION])
            .map(Bytes::from)
            .map_err(|_| ObjectError::Corrupt(Self::NAME))
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// For another version and for anything that [`Record::encode`] does not write.
    fn decode(bytes: &[u8]) -> Result<Self, ObjectError> {
        Self::decode_current(bytes)
    }

    /// Reads bytes of the present version.
    ///
    /// # Errors
    /// As [`Record::decode`].
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

/// Times as the integers that they are.
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
