//! Identifiers: 20 random characters. Each noun has its own type, so that ids cannot be confused.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Entropy;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// An identifier: 20 characters of `[0-9A-Za-z]`, with about 119 bits of randomness.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id([u8; Id::LEN]);

impl Id {
    /// Number of characters in an id.
    pub const LEN: usize = 20;

    /// Generates a random id.
    pub fn random(entropy: &Entropy) -> Self {
        let mut out = [0; Self::LEN];
        let mut filled = 0;
        while filled < Self::LEN {
            for byte in entropy.bytes::<32>() {
                // 62 * 4 = 248: larger values would favour the first characters of the alphabet.
                if byte < 248 && filled < Self::LEN {
                    out[filled] = ALPHABET[usize::from(byte % 62)];
                    filled += 1;
                }
            }
        }
        Self(out)
    }

    /// Derives an id from a 32-byte hash. Equal hashes give equal ids.
    pub fn derived(hash: &[u8; 32]) -> Self {
        let mut out = [0; Self::LEN];
        for (to, from) in out.iter_mut().zip(hash) {
            *to = ALPHABET[usize::from(from % 62)];
        }
        Self(out)
    }

    /// Parses an id. Returns `None` if the text is not a valid id.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; Self::LEN] = text.as_bytes().try_into().ok()?;
        bytes.iter().all(u8::is_ascii_alphanumeric).then_some(Self(bytes))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Returns the id as 20 ASCII bytes, for keys of maps and columns.
    pub fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }

    /// Parses an id from its 20 ASCII bytes.
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

macro_rules! define_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Id);

        impl $name {
            /// Generates a random id.
            pub fn random(entropy: &Entropy) -> Self {
                Self(Id::random(entropy))
            }

            /// Creates a typed id from an untyped one.
            pub const fn new(id: Id) -> Self {
                Self(id)
            }

            /// Parses an id. Returns `None` if the text is not a valid id.
            pub fn parse(text: &str) -> Option<Self> {
                Id::parse(text).map(Self)
            }

            /// Parses an id from its 20 ASCII bytes.
            pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
                Id::from_bytes(bytes).map(Self)
            }

            /// Returns the untyped id.
            pub const fn id(self) -> Id {
                self.0
            }

            /// Returns the id as text.
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }

            /// Returns the id as 20 ASCII bytes.
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

/// Calls a macro with the list of all types of ids: their documentation and names.
#[macro_export]
macro_rules! for_each_id {
    ($define:ident) => {
        $define! {
            /// Id of an organization.
            OrganizationId;
            /// Id of a user.
            UserId;
            /// Id of a team.
            TeamId;
            /// Id of a collection of spaces.
            CollectionId;
            /// Id of a space.
            SpaceId;
            /// Id of a page. It never changes within a space, and copies of the space keep it.
            PageId;
            /// Id of a file in a space.
            FileId;
            /// Id of a reusable content in a space.
            ReusableContentId;
            /// Id of a revision of a space or a change request.
            RevisionId;
            /// Id of a change request.
            ChangeRequestId;
            /// Id of a session in which people write a page of a change request together.
            EditingSessionId;
            /// Id of a review of a change request.
            ReviewId;
            /// Id of a comment on a space or a change request.
            CommentId;
            /// Id of a reply to a comment.
            CommentReplyId;
            /// Id of a site.
            SiteId;
            /// Id of a space's assignment to a site.
            SiteSpaceId;
            /// Id of a share link of a site.
            SiteShareLinkId;
            /// Id of a redirect of a site.
            SiteRedirectId;
            /// Id of a section of a site.
            SiteSectionId;
            /// Id of a group of sections of a site.
            SiteSectionGroupId;
            /// Id of a link of a site to another website.
            SiteExternalLinkId;
            /// Id of the feedback of a reader on a page.
            PageFeedbackId;
            /// The id of a PDF.
            PdfFileId;
            /// Id of the picture of an embedded address.
            EmbedPictureId;
            /// Id of a font of an organization.
            CustomFontId;
            /// Id of an OpenAPI specification.
            OpenApiSpecId;
            /// Id of a version of an OpenAPI specification.
            OpenApiVersionId;
            /// Id of a file that was uploaded to an organization apart from its spaces.
            StorageFileId;
            /// Id of a personal access token.
            TokenId;
            /// Id of a browser session.
            SessionId;
            /// Id of a link that signs a person in once.
            SignInLinkId;
            /// Id of an invite link.
            InviteLinkId;
            /// Id of an invitation to an email address.
            InvitationId;
            /// Id of a job.
            JobId;
            /// Id of a notification.
            NotificationId;
            /// Id of the synchronisation of a space with a branch.
            GitSyncId;
            /// Id of an installation of a Git hosting service.
            GitInstallationId;
            /// Id of a recorded event.
            EventId;
        }
    };
}

for_each_id!(define_ids);

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
    fn invalid_ids_are_rejected() {
        for text in ["", "short", "0123456789012345678-", "012345678901234567890", "ééééééééééé"]
        {
            assert_eq!(Id::parse(text), None, "{text}");
        }
    }
}
