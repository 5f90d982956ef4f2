//! Revisions: the roots of their content, their author and their parents.

use std::collections::BTreeSet;

use bindery_model::{Entropy, FileId, PageId, ReusableContentId, RevisionId, Timestamp, UserId};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::facet::Facet;
use crate::links::LinkIndex;
use crate::map::{Map, Salt};
use crate::object::{Hash, ObjectError, Objects};
use crate::record::{FileRecord, PageRecord, Record, ReusableRecord, Variables};

/// The complete content of a space at one moment. Equal contents of one space are equal values.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Content {
    /// Page id → [`PageRecord`].
    pub pages: Map,
    /// Parent, order key and page id → [`NavigationEntry`](crate::NavigationEntry); see
    /// [`tree`](crate::tree).
    pub children: Map,
    /// Parent and slug → page id.
    pub slugs: Map,
    /// File id → [`FileRecord`].
    pub files: Map,
    /// Reusable content id → [`ReusableRecord`].
    pub reusable: Map,
    /// Path in the repository, relative to the content's root folder → [`PathEntry`].
    pub paths: Map,
    /// Old path of a page, without a leading slash → [`Redirect`].
    pub redirects: Map,
    /// Variables of the space.
    pub variables: Variables,
    /// Source files that do not belong to a page (`SUMMARY.md`, `.gitbook.yaml`, the files of
    /// variables and tags): path and the object of the file's bytes.
    pub sources: Vec<(String, Hash)>,
    /// Conflicts of merges that are not resolved yet: key → [`Conflict`](crate::merge::Conflict).
    /// The other fields hold one side of each conflict.
    pub conflicts: Map,
    /// The pages of the kind [`Computed`](crate::PageKind::Computed), which stand for pages that a
    /// source computes.
    pub computed: BTreeSet<PageId>,
}

impl Record for Content {
    const NAME: &'static str = "a revision's content";
}

impl Content {
    /// Returns a content without entries, whose maps use `salt`.
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
            computed: BTreeSet::new(),
        }
    }

    /// Returns the content of a new space, with a random salt.
    pub fn new(entropy: &Entropy) -> Self {
        Self::empty(Salt::random(entropy))
    }

    /// Returns the salt that all maps share.
    pub const fn salt(&self) -> Salt {
        self.pages.salt()
    }

    /// Returns the page with this id.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn page(&self, on: &dyn Objects, id: PageId) -> Result<Option<PageRecord>, ObjectError> {
        on.record_read(Facet::Page(id));
        self.pages.get(on, id.as_bytes())?.map(|bytes| PageRecord::decode(&bytes)).transpose()
    }

    /// Returns the file with this id.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn file(&self, on: &dyn Objects, id: FileId) -> Result<Option<FileRecord>, ObjectError> {
        on.record_read(Facet::File(id));
        self.files.get(on, id.as_bytes())?.map(|bytes| FileRecord::decode(&bytes)).transpose()
    }

    /// Returns the reusable content with this id.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn reusable(
        &self,
        on: &dyn Objects,
        id: ReusableContentId,
    ) -> Result<Option<ReusableRecord>, ObjectError> {
        on.record_read(Facet::Reusable(id));
        let bytes = self.reusable.get(on, id.as_bytes())?;
        bytes.map(|bytes| ReusableRecord::decode(&bytes)).transpose()
    }

    /// Returns the item whose source has this path in the repository.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn at_path(&self, on: &dyn Objects, path: &str) -> Result<Option<PathEntry>, ObjectError> {
        on.record_read(Facet::Path(path.as_bytes()));
        let bytes = self.paths.get(on, path.as_bytes())?;
        bytes.map(|bytes| PathEntry::decode(&bytes)).transpose()
    }

    /// Returns the target of an old path.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn redirect(&self, on: &dyn Objects, path: &str) -> Result<Option<Redirect>, ObjectError> {
        on.record_read(Facet::Redirect(path.as_bytes()));
        let bytes = self.redirects.get(on, path.as_bytes())?;
        bytes.map(|bytes| Redirect::decode(&bytes)).transpose()
    }
}

/// The item that a path in the repository belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PathEntry {
    /// A page.
    Page(PageId),
    /// A file.
    File(FileId),
    /// A reusable content.
    Reusable(ReusableContentId),
}

impl Record for PathEntry {
    const NAME: &'static str = "a path's target";
}

/// The target of a redirect.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Redirect {
    /// A page, at its current path.
    Page(PageId),
    /// A path of the space or an external address.
    Path(String),
}

impl Record for Redirect {
    const NAME: &'static str = "a redirect";
}

/// The operation that created a revision.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ContentKind {
    /// An edit of a change request or of the space.
    Edits,
    /// The merge of a change request.
    Merge,
    /// The update of a change request with the main content.
    Update,
    /// The restoration of an older revision.
    Rollback,
    /// Generation by the server.
    Computed,
}

/// The author of a revision.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Author {
    /// A user.
    User(UserId),
    /// The server, in a job that no user started.
    System,
}

/// A revision: its content and its origin. Mutable data about a revision is stored elsewhere.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Revision {
    /// The revisions that it was made from, the main one first.
    pub parents: Vec<RevisionId>,
    /// The operation that created it.
    pub kind: ContentKind,
    /// The user or job that created it.
    pub author: Author,
    /// The time of creation.
    #[serde(with = "crate::record::millis")]
    pub created_at: Timestamp,
    /// The author's message.
    pub message: Option<String>,
    /// The content of the space.
    pub content: Content,
}

impl Record for Revision {
    const VERSION: u8 = 5;
    const NAME: &'static str = "a revision";

    fn decode(bytes: &[u8]) -> Result<Self, ObjectError> {
        let Some((version @ 1..=4, fields)) = bytes.split_first() else {
            return Self::decode_current(bytes);
        };
        // Version 1 had no conflicts, version 3 had an index of references at the end, and only
        // version 5 lists the computed pages.
        let conflicts = Map::empty(Salt::new([0; 16])).encode()?;
        let conflicts = conflicts.get(1..).filter(|_| *version == 1).unwrap_or_default();
        let index_at = match version {
            3 => index_of_references(fields)?,
            _ => fields.len(),
        };
        let (fields, index) = fields.split_at(index_at.min(fields.len()));
        let bytes = [fields, conflicts, NO_COMPUTED_PAGES, index].concat();
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

/// The encoding of an empty list.
const NO_COMPUTED_PAGES: &[u8] = &[0];

/// Returns the place of the index of references in a revision of version 3.
fn index_of_references(fields: &[u8]) -> Result<usize, ObjectError> {
    /// The fields of a revision of versions 2 to 4.
    #[derive(Deserialize)]
    struct Earlier {
        _parents: Vec<RevisionId>,
        _kind: ContentKind,
        _author: Author,
        #[serde(with = "crate::record::millis")]
        _created_at: Timestamp,
        _message: Option<String>,
        _maps: [Map; 7],
        _variables: Variables,
        _sources: Vec<(String, Hash)>,
        _conflicts: Map,
    }
    let (_, rest) = postcard::take_from_bytes::<Earlier>(fields)
        .map_err(|_| ObjectError::Corrupt(Revision::NAME))?;
    Ok(fields.len() - rest.len())
}

impl Revision {
    /// Encodes the revision as an object.
    ///
    /// # Errors
    /// Returns an error only if encoding fails, which the present fields cannot cause.
    pub fn object(&self) -> Result<(Hash, Bytes), ObjectError> {
        let bytes = self.encode()?;
        Ok((Hash::of(&bytes), bytes))
    }
}
