//! What a revision is: the roots of its content, and who made it from what.

use bindery_model::{Entropy, FileId, PageId, ReusableContentId, RevisionId, Timestamp, UserId};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::facet::Facet;
use crate::links::LinkIndex;
use crate::map::{Map, Salt};
use crate::object::{Hash, ObjectError, Objects};
use crate::record::{FileRecord, PageRecord, Record, ReusableRecord, Variables};

/// Everything that a space holds at one moment. Equal contents of one space are equal values.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Content {
    /// Page id → [`PageRecord`].
    pub pages: Map,
    /// Parent, order key, page id → [`NavigationEntry`](crate::NavigationEntry); see
    /// [`tree`](crate::tree).
    pub children: Map,
    /// Parent, slug → page id.
    pub slugs: Map,
    /// File id → [`FileRecord`].
    pub files: Map,
    /// Reusable content id → [`ReusableRecord`].
    pub reusable: Map,
    /// Path in the repository, from the folder that holds the content → [`PathEntry`].
    pub paths: Map,
    /// Old path of a page, without a slash in front → [`Redirect`].
    pub redirects: Map,
    /// Variables of the space.
    pub variables: Variables,
    /// Sources that pages have no place for (`SUMMARY.md`, `.gitbook.yaml`, the files of variables
    /// and tags), by path: the objects of their bytes.
    pub sources: Vec<(String, Hash)>,
    /// What merges could not decide and nobody has decided since: key →
    /// [`Conflict`](crate::merge::Conflict). The other fields hold one of its sides.
    pub conflicts: Map,
}

impl Record for Content {
    const NAME: &'static str = "a revision's content";
}

impl Content {
    /// A space without anything, whose maps are cut under `salt`.
    pub fn empty(salt: Salt) -> Self {
        let map = Map::empty(salt);
        Self {
            pages: map,
            children: map,
            slugs: map,
            files: map,
            reusable: map,
            paths: map,
            redirects: map,
            variables: Variables::new(),
            sources: Vec::new(),
            conflicts: map,
        }
    }

    /// A new space's content, with a salt of its own.
    pub fn new(entropy: &Entropy) -> Self {
        Self::empty(Salt::random(entropy))
    }

    /// The salt of all maps.
    pub const fn salt(&self) -> Salt {
        self.pages.salt()
    }

    /// A page by its id.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn page(&self, on: &dyn Objects, id: PageId) -> Result<Option<PageRecord>, ObjectError> {
        on.looked_at(Facet::Page(id));
        self.pages.get(on, id.as_bytes())?.map(|bytes| PageRecord::decode(&bytes)).transpose()
    }

    /// A file by its id.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn file(&self, on: &dyn Objects, id: FileId) -> Result<Option<FileRecord>, ObjectError> {
        on.looked_at(Facet::File(id));
        self.files.get(on, id.as_bytes())?.map(|bytes| FileRecord::decode(&bytes)).transpose()
    }

    /// A reusable content by its id.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn reusable(
        &self,
        on: &dyn Objects,
        id: ReusableContentId,
    ) -> Result<Option<ReusableRecord>, ObjectError> {
        on.looked_at(Facet::Reusable(id));
        let bytes = self.reusable.get(on, id.as_bytes())?;
        bytes.map(|bytes| ReusableRecord::decode(&bytes)).transpose()
    }

    /// What a path in the repository stands for.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn at_path(&self, on: &dyn Objects, path: &str) -> Result<Option<PathEntry>, ObjectError> {
        on.looked_at(Facet::Path(path.as_bytes()));
        let bytes = self.paths.get(on, path.as_bytes())?;
        bytes.map(|bytes| PathEntry::decode(&bytes)).transpose()
    }

    /// Where an old path leads.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn redirect(&self, on: &dyn Objects, path: &str) -> Result<Option<Redirect>, ObjectError> {
        on.looked_at(Facet::Redirect(path.as_bytes()));
        let bytes = self.redirects.get(on, path.as_bytes())?;
        bytes.map(|bytes| Redirect::decode(&bytes)).transpose()
    }
}

/// What a path in the repository stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PathEntry {
    /// A page's source.
    Page(PageId),
    /// A file.
    File(FileId),
    /// A reusable content's source.
    Reusable(ReusableContentId),
}

impl Record for PathEntry {
    const NAME: &'static str = "a path's target";
}

/// Where an old path leads.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Redirect {
    /// To a page, wherever it is now.
    Page(PageId),
    /// To a path of the space, or an address.
    Path(String),
}

impl Record for Redirect {
    const NAME: &'static str = "a redirect";
}

/// How a revision came to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ContentKind {
    /// Edits of a change request or of the space.
    Edits,
    /// A change request was merged.
    Merge,
    /// A change request took over what is new in its space.
    Update,
    /// An older revision was brought back.
    Rollback,
    /// Generated.
    Computed,
}

/// Who made a revision.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Author {
    /// A user.
    User(UserId),
    /// The server itself, in a job that nobody asked for.
    System,
}

/// A revision: its content and where it comes from. What changes around it lives elsewhere.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Revision {
    /// The revisions it was made from, the main one first.
    pub parents: Vec<RevisionId>,
    /// How it came to be.
    pub kind: ContentKind,
    /// Who made it.
    pub author: Author,
    /// When.
    #[serde(with = "crate::record::millis")]
    pub created_at: Timestamp,
    /// What its author says about it.
    pub message: Option<String>,
    /// What the space held then.
    pub content: Content,
}

impl Record for Revision {
    const VERSION: u8 = 4;
    const NAME: &'static str = "a revision";

    fn decode(bytes: &[u8]) -> Result<Self, ObjectError> {
        let Some((version @ 1..=3, fields)) = bytes.split_first() else {
            return Self::decode_current(bytes);
        };
        // The first version ended before the conflicts, the third behind an index of references.
        let conflicts = Map::empty(Salt::new([0; 16])).encode()?;
        let conflicts = conflicts.get(1..).filter(|_| *version == 1).unwrap_or_default();
        let bytes = [fields, conflicts].concat();
        let corrupt = |_| ObjectError::Corrupt(Self::NAME);
        let (mut revision, rest) = postcard::take_from_bytes::<Self>(&bytes).map_err(corrupt)?;
        let rest = match version {
            3 => postcard::take_from_bytes::<LinkIndex>(rest).map_err(corrupt)?.1,
            _ => rest,
        };
        if !rest.is_empty() {
            return Err(ObjectError::Corrupt(Self::NAME));
        }
        if *version == 1 {
            revision.content.conflicts = Map::empty(revision.content.salt());
        }
        Ok(revision)
    }
}

impl Revision {
    /// Its object.
    ///
    /// # Errors
    /// Never for the fields that there are.
    pub fn object(&self) -> Result<(Hash, Bytes), ObjectError> {
        let bytes = self.encode()?;
        Ok((Hash::of(&bytes), bytes))
    }
}
