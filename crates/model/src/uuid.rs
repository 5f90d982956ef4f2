//! The id that the API contract defines as a UUID.

use std::fmt;

use ::uuid::fmt::Hyphenated;
use ::uuid::{Builder, Uuid};

use crate::Entropy;

/// Id of an audit event: a random UUID in lower case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AuditEventId([u8; Self::LEN]);

impl AuditEventId {
    const LEN: usize = Hyphenated::LENGTH;

    /// Generates a random id (RFC 9562, version 4).
    pub fn random(entropy: &Entropy) -> Self {
        Self::of(Builder::from_random_bytes(entropy.bytes()).into_uuid())
    }

    /// Parses an id in upper or lower case. Returns `None` if the text is not a UUID.
    pub fn parse(text: &str) -> Option<Self> {
        // `try_parse` also accepts forms without hyphens or with braces.
        (text.len() == Self::LEN).then(|| Uuid::try_parse(text).ok().map(Self::of)).flatten()
    }

    fn of(id: Uuid) -> Self {
        let mut text = [0; Self::LEN];
        let _written = id.hyphenated().encode_lower(&mut text);
        Self(text)
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Debug for AuditEventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for AuditEventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_ids_read_back_and_are_of_version_4() {
        let id = AuditEventId::random(&Entropy::seeded(3));
        let text = id.to_string();
        assert_eq!(AuditEventId::parse(&text.to_uppercase()), Some(id));
        assert_eq!((&text[14..15], text.len()), ("4", 36));
        assert!(matches!(&text[19..20], "8" | "9" | "a" | "b"), "{text}");
    }

    #[test]
    fn invalid_uuids_are_rejected() {
        for text in ["", "x", "00000000-0000-0000-0000-00000000000g", "00000000000000000000"] {
            assert_eq!(AuditEventId::parse(text), None, "{text}");
        }
    }
}
