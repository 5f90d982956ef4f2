//! The state that an import leaves for the next one: the blob and the item of each path.

use std::collections::BTreeMap;

use bindery_model::{FileId, PageId, ReusableContentId};
use bindery_revision::{Map, ObjectError, ObjectRef, Objects, Record, Salt, Staging, ValueKind};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::folder::BlobId;

/// The files of a space at its last synchronisation. The state belongs to the space and the
/// repository, not to a revision.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GitState {
    /// The root of the content in the repository, with a trailing slash unless it is the repository
    /// itself.
    pub prefix: String,
    /// Maps paths from the root to [`GitEntry`].
    pub files: Map,
    /// Referenced paths at which there was no file. A file that appears there belongs to the
    /// content.
    pub wanted: Map,
    /// Paths of symbolic links from the root. Their targets may change without them. `None` in
    /// states of the first version.
    pub links: Option<Map>,
}

impl Record for GitState {
    const NAME: &'static str = "a Git state";
    const VERSION: u8 = 2;

    fn decode(bytes: &[u8]) -> Result<Self, ObjectError> {
        if bytes.first() == Some(&WithoutLinks::VERSION) {
            let WithoutLinks { prefix, files, wanted } = WithoutLinks::decode(bytes)?;
            return Ok(Self { prefix, files, wanted, links: None });
        }
        Self::decode_current(bytes)
    }
}

/// The first version of a Git state.
#[derive(Serialize, Deserialize)]
struct WithoutLinks {
    prefix: String,
    files: Map,
    wanted: Map,
}

impl Record for WithoutLinks {
    const NAME: &'static str = GitState::NAME;
}

impl GitState {
    /// Creates a state without files.
    pub fn empty(prefix: &str, salt: Salt) -> Self {
        let empty = Map::empty(salt);
        Self { prefix: prefix.to_owned(), files: empty, wanted: empty, links: None }
    }

    /// Returns the objects that this state refers to directly.
    pub fn roots(&self) -> Vec<ObjectRef> {
        let maps = [Some(&self.files), Some(&self.wanted), self.links.as_ref()];
        maps.into_iter().flatten().filter_map(|map| map.root_ref(ValueKind::Plain)).collect()
    }

    /// Returns the state with other entries for these paths, or without them.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read or written.
    pub fn with_files(
        &self,
        staging: &mut Staging<'_>,
        files: &[(String, Option<GitEntry>)],
    ) -> Result<Self, ObjectError> {
        let mut edits = BTreeMap::new();
        for (path, entry) in files {
            let entry = entry.as_ref().map(|entry| entry.encode()).transpose()?;
            edits.insert(Bytes::copy_from_slice(path.as_bytes()), entry);
        }
        Ok(Self { files: self.files.apply(staging, edits)?, ..self.clone() })
    }

    /// Returns the entry of a path from the root.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn get(&self, objects: &dyn Objects, path: &str) -> Result<Option<GitEntry>, ObjectError> {
        let bytes = self.files.get(objects, path.as_bytes())?;
        bytes.map(|bytes| GitEntry::decode(&bytes)).transpose()
    }
}

/// A file at the last synchronisation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GitEntry {
    /// The blob's id (20 or 32 bytes). Empty if the source of the folder did not provide it.
    blob: Vec<u8>,
    /// The item that the file became.
    pub item: GitItem,
}

impl Record for GitEntry {
    const NAME: &'static str = "a file of a Git state";
}

impl GitEntry {
    /// Creates the entry of a file with this blob.
    pub fn new(blob: Option<BlobId>, item: GitItem) -> Self {
        Self { blob: blob.map(|blob| blob.as_bytes().to_vec()).unwrap_or_default(), item }
    }

    /// Returns the blob's id if it is known.
    pub fn blob(&self) -> Option<BlobId> {
        BlobId::from_bytes(&self.blob)
    }
}

/// The item of the content that a file became.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum GitItem {
    /// The source of a page.
    Page {
        /// The page's id.
        id: PageId,
        /// `true` if the title comes from the file and not from the table of contents.
        titled: bool,
    },
    /// A file.
    File(FileId),
    /// The source of a reusable content.
    Reusable(ReusableContentId),
    /// The table of contents, the configuration, variables or tags.
    Source,
}

#[cfg(test)]
mod tests {
    use bindery_model::Entropy;

    use super::*;

    #[test]
    fn a_state_of_the_first_version_is_read() {
        let files = Map::empty(Salt::random(&Entropy::seeded(1)));
        let first = WithoutLinks { prefix: "docs/".to_owned(), files, wanted: files };
        let read = GitState::decode(&first.encode().unwrap()).unwrap();
        assert_eq!(read, GitState { links: None, ..GitState::empty("docs/", files.salt()) });
        let now = GitState { links: Some(files), ..read };
        assert_eq!(GitState::decode(&now.encode().unwrap()).unwrap(), now);
    }
}
