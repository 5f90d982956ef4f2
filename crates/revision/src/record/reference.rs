//! References of documents to other content, and the object of a document.

use bindery_model::{FileId, PageId, ReusableContentId, SpaceId};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::Record;
use crate::object::ObjectError;

/// The target of a reference. Targets with a `space` of `None` are in the space of the reference.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ContentRef {
    /// An address outside of the space.
    Url(String),
    /// A file.
    File {
        /// The file.
        file: FileId,
        /// Its space; `None` for the space of the reference.
        space: Option<SpaceId>,
    },
    /// A page.
    Page {
        /// The page.
        page: PageId,
        /// Its space; `None` for the space of the reference.
        space: Option<SpaceId>,
    },
    /// An anchor in a page.
    Anchor {
        /// The page; `None` for the page that holds the reference.
        page: Option<PageId>,
        /// Its space; `None` for the space of the reference.
        space: Option<SpaceId>,
        /// The name of the anchor.
        anchor: String,
    },
    /// A reusable content.
    Reusable {
        /// The reusable content.
        reusable: ReusableContentId,
        /// Its space; `None` for the space of the reference.
        space: Option<SpaceId>,
    },
    /// A space.
    Space(SpaceId),
    /// A reference of another kind, as the contract's JSON.
    Other(String),
    /// A reference without an existing target, as it is written.
    Broken(String),
}

/// One reference of a document: the text of its target and the content that it resolved to when the
/// document was saved.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reference {
    /// The target as written in the source. Markdown escapes are resolved; nothing else is decoded.
    pub raw: String,
    /// The content that it refers to.
    pub target: ContentRef,
}

/// The object of the document of a page or reusable content.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PageBody {
    /// The source byte for byte, including front matter.
    pub source: Bytes,
    /// The base of relative targets: the path of the document's file when it was saved.
    pub path: Option<String>,
    /// The references that resolved to content of the space when the document was saved, sorted by
    /// `raw` without duplicates. A reference that is not listed is resolved as written: to an
    /// address, or to the content that has the path now.
    pub references: Vec<Reference>,
    /// The identity of the nodes, such as their keys, in the encoding of the code that parses
    /// documents. Empty if all of it follows from the source, which saves space.
    pub identity: Bytes,
}

/// Version 1, which is still written for documents without an identity.
const PLAIN: u8 = 1;

impl Record for PageBody {
    const VERSION: u8 = 2;
    const NAME: &'static str = "a page's text";

    fn encode(&self) -> Result<Bytes, ObjectError> {
        let Self { source, path, references, identity } = self;
        let bytes = if identity.is_empty() {
            postcard::to_extend(&(source, path, references), vec![PLAIN])
        } else {
            postcard::to_extend(self, vec![Self::VERSION])
        };
        bytes.map(Bytes::from).map_err(|_| ObjectError::Corrupt(Self::NAME))
    }

    fn decode(bytes: &[u8]) -> Result<Self, ObjectError> {
        let Some((&PLAIN, fields)) = bytes.split_first() else {
            return Self::decode_current(bytes);
        };
        match postcard::take_from_bytes(fields) {
            Ok(((source, path, references), [])) => {
                Ok(Self { source, path, references, identity: Bytes::new() })
            }
            _ => Err(ObjectError::Corrupt(Self::NAME)),
        }
    }
}

impl PageBody {
    /// Returns the target of the reference that is written as `raw`.
    pub fn resolve(&self, raw: &str) -> Option<&ContentRef> {
        let at = self.references.binary_search_by(|one| one.raw.as_str().cmp(raw)).ok()?;
        self.references.get(at).map(|reference| &reference.target)
    }
}
