//! Identifiers: 20 random characters, one type per noun, so that they cannot be mixed up.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Entropy;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The text of an identifier: 20 characters of `[0-9A-Za-z]`, about 119 bits of randomness.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id([u8; Id::LEN]);

impl Id {
    /// Characters in an id.
    pub const LEN: usize = 20;

    /// A new random id.
    pub fn random(entropy: &Entropy) -> Self {
        let mut out = [0; Self::LEN];
        let mut filled = 0;
        while filled < Self::LEN {
            for byte in entropy.bytes::<32>() {
                // 62 * 4 = 248: larger values would favour the first letters of the alphabet.
                if byte < 248 && filled < Self::LEN {
                    out[filled] = ALPHABET[usize::from(byte % 62)];
                    filled += 1;
                }
            }
        }
        Self(out)
    }

    /// An id derived from 32 hash bytes: equal bytes give equal ids.
    pub fn derived(hash: &[u8; 32]) -> Self {
        let mut out = [0; Self::LEN];
        for (to, from) in out.iter_mut().zip(hash) {
            *to = ALPHABET[usize::from(from % 62)];
        }
        Self(out)
    }

    /// Reads an id; `None` for anything that no id looks like.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; Self::LEN] = text.as_bytes().try_into().ok()?;
        bytes.iter().all(u8::is_ascii_alphanumeric).then_some(Self(bytes))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// The id as its 20 ASCII bytes, for keys of maps and columns.
    pub fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }

    /// Reads an id from its 20 ASCII bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Self::parse(std::str::from_utf8(bytes).ok()?)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not an id"))
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Id);

        impl $name {
            /// A new random id.
            pub fn random(entropy: &Entropy) -> Self {
                Self(Id::random(entropy))
            }

            /// Gives a bare id its type.
            pub const fn new(id: Id) -> Self {
                Self(id)
            }

            /// Reads an id; `None` for anything that no id looks like.
            pub fn parse(text: &str) -> Option<Self> {
                Id::parse(text).map(Self)
            }

            /// Reads an id from its 20 ASCII bytes.
            pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
                Id::from_bytes(bytes).map(Self)
            }

            /// The bare id.
            pub const fn id(self) -> Id {
                self.0
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }

            /// The id as its 20 ASCII bytes.
            pub fn as_bytes(&self) -> &[u8; Id::LEN] {
                self.0.as_bytes()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    )*};
}

ids! {
    /// An organization.
    OrganizationId;
    /// A user.
    UserId;
    /// A team of an organization.
    TeamId;
    /// A collection of spaces.
    CollectionId;
    /// A space.
    SpaceId;
    /// A page; the same for life within its space and in duplicates of it.
    PageId;
    /// A file of a space.
    FileId;
    /// A reusable content of a space.
    ReusableContentId;
    /// A revision of a space or change request.
    RevisionId;
    /// A change request.
    ChangeRequestId;
    /// A review of a change request.
    ReviewId;
    /// A comment on a space or a change request.
    CommentId;
    /// A reply to a comment.
    CommentReplyId;
    /// A site.
    SiteId;
    /// A space's place in a site.
    SiteSpaceId;
    /// A personal access token.
    TokenId;
    /// A session of a browser.
    SessionId;
    /// A link that signs somebody in, once.
    SignInLinkId;
    /// A link that lets people in.
    InviteLinkId;
    /// An invitation of a mail address.
    InvitationId;
    /// A job of the queue.
    JobId;
    /// A recorded event.
    EventId;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_ids_read_back_and_differ() {
        let entropy = Entropy::seeded(7);
        let (a, b) = (SpaceId::random(&entropy), SpaceId::random(&entropy));
        assert_ne!(a, b);
        assert_eq!(SpaceId::parse(a.as_str()), Some(a));
        assert_eq!(SpaceId::from_bytes(b.as_bytes()), Some(b));
    }

    #[test]
    fn what_no_id_looks_like_is_refused() {
        for text in ["", "short", "0123456789012345678-", "012345678901234567890", "ééééééééééé"]
        {
            assert_eq!(Id::parse(text), None, "{text}");
        }
    }
}
