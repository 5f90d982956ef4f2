//! What a text refers to, by id where that is known, and the object of a text.

use bindery_model::{FileId, PageId, ReusableContentId, SpaceId};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::Record;
use crate::object::ObjectError;

/// Where a reference leads.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ContentRef {
    /// Out of the space.
    Url(String),
    /// A file, of another space if one is named.
    File {
        /// The file.
        file: FileId,
        /// Its space, if it is another one.
        space: Option<SpaceId>,
    },
    /// A page, of another space if one is named.
    Page {
        /// The page.
        page: PageId,
        /// Its space, if it is another one.
        space: Option<SpaceId>,
    },
    /// A place in a page.
    Anchor {
        /// The page; `None` for the page that holds the reference.
        page: Option<PageId>,
        /// Its space, if it is another one.
        space: Option<SpaceId>,
        /// The name of the place.
        anchor: String,
    },
    /// A reusable content, of another space if one is named.
    Reusable {
        /// The reusable content.
        reusable: ReusableContentId,
        /// Its space, if it is another one.
        space: Option<SpaceId>,
    },
    /// A space.
    Space(SpaceId),
    /// A reference of another kind, as the contract's JSON.
    Other(String),
    /// It led somewhere and does not any more, or never did; as it was written.
    Broken(String),
}

/// One reference of a text: what is written there and where it led when the text was saved.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reference {
    /// The target as it stands in the source, Markdown's own escapes resolved, nothing decoded.
    pub raw: String,
    /// Where it leads.
    pub target: ContentRef,
}

/// The object of a page's or reusable content's text.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PageBody {
    /// The source byte for byte, front matter included.
    pub source: Bytes,
    /// The path that relative targets in it are relative to: that of its file when it was saved.
    pub path: Option<String>,
    /// Its references that led to something of the space when it was saved, sorted by what is
    /// written, each once. What is missing here leads where it says: to an address, or to what has
    /// that path now.
    pub references: Vec<Reference>,
    /// What its nodes have of before, such as their keys, in the words of who reads documents.
    /// Empty where everything is as it follows from the source: then it takes no room.
    pub identity: Bytes,
}

/// The first version, which texts without an identity still are.
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
    /// Where what is written as `raw` leads.
    pub fn resolve(&self, raw: &str) -> Option<&ContentRef> {
        let at = self.references.binary_search_by(|one| one.raw.as_str().cmp(raw)).ok()?;
        self.references.get(at).map(|reference| &reference.target)
    }
}
