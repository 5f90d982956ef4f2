//! The id that the API contract defines as a UUID.

use std::fmt;

use crate::Entropy;

/// Id of an audit event: a random UUID in lower case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AuditEventId([u8; Self::LEN]);

impl AuditEventId {
    const LEN: usize = 36;
    const DIGITS: &[u8; 16] = b"0123456789abcdef";

    /// Generates a random id (RFC 9562, version 4).
    pub fn random(entropy: &Entropy) -> Self {
        let mut bytes = entropy.bytes::<16>();
        bytes[6] = (bytes[6] & 0x0f) | 0x40;
        bytes[8] = (bytes[8] & 0x3f) | 0x80;
        let mut text = [b'-'; Self::LEN];
        let places = (0..Self::LEN).filter(|place| !is_hyphen(*place));
        let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0x0f]);
        for (place, digit) in places.zip(digits) {
            text[place] = Self::DIGITS[usize::from(digit)];
        }
        Self(text)
    }

    /// Parses an id in upper or lower case. Returns `None` if the text is not a UUID.
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes: [u8; Self::LEN] = text.as_bytes().try_into().ok()?;
        bytes.make_ascii_lowercase();
        let fits = bytes.iter().enumerate().all(|(place, byte)| match is_hyphen(place) {
            true => *byte == b'-',
            false => byte.is_ascii_hexdigit(),
        });
        fits.then_some(Self(bytes))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

const fn is_hyphen(place: usize) -> bool {
    matches!(place, 8 | 13 | 18 | 23)
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
