//! The files of a commit, either all of them or single ones on request.

use std::collections::HashSet;
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use bindery_model::Timestamp;
use gix_hash::{Kind as HashKind, ObjectId};
use gix_object::tree::EntryKind;
use gix_object::{CommitRef, Kind, TagRefIter, TreeRefIter};

use elsa::sync::FrozenMap;

use crate::folder::{BlobId, Folder, FolderEntry, FolderEntryKind, FolderError, find, position};
use crate::history::{History, time_of};
use crate::packs::{Packs, ReadError};
use crate::trees::Trees;

/// Maximum nesting depth of folders.
pub(crate) const MAX_DEPTH: usize = 128;
/// Maximum number of tags that are followed to a commit.
const MAX_TAGS: usize = 8;
/// Maximum bytes of a commit or tag.
const MAX_COMMIT_BYTES: u64 = 4 << 20;
/// Maximum bytes of a commit's message. The rest is cut off.
const MAX_MESSAGE_BYTES: usize = 64 << 10;
/// Maximum bytes of an author's name. The rest is cut off.
const MAX_AUTHOR_BYTES: usize = 1 << 10;
/// Maximum bytes of one tree.
pub(crate) const MAX_TREE_BYTES: usize = 48 << 20;
/// Maximum bytes of all trees, each counted once per occurrence, and of all paths.
pub(crate) const MAX_LISTING_BYTES: usize = 128 << 20;
/// Maximum bytes of a path, as in archives.
pub(crate) const MAX_PATH_BYTES: usize = 4096;
/// Maximum bytes of a reported name that was omitted.
const MAX_REPORTED_BYTES: usize = 512;

/// Limits of a commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CommitLimits {
    /// Maximum number of files, and separately of folders.
    pub(crate) files: usize,
    /// Maximum bytes of all files. Equal content counts once per file.
    pub(crate) bytes: u64,
}

/// Metadata of a commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommitInfo {
    /// The id in hexadecimal.
    pub oid: String,
    /// The message, with replacement characters for invalid UTF-8.
    pub message: String,
    /// The author's name.
    pub author: String,
    /// The author date.
    pub time: Timestamp,
}

/// The files of a commit, readable from several threads. They are listed when [`Folder::entries`]
/// is first called. [`Folder::get`] reads only the trees along the path.
#[derive(Clone)]
pub struct CommitFolder(Arc<Inner>);

struct Inner {
    packs: Arc<Packs>,
    commit: CommitInfo,
    tree: ObjectId,
    has_parents: bool,
    limits: CommitLimits,
    listing: OnceLock<Listing>,
    /// Entries that were found before the files were listed.
    found: FrozenMap<String, Box<FolderEntry>>,
    /// Bytes of the files in `found`.
    found_bytes: AtomicU64,
    trees: Trees,
    /// The times of the last changes of the listed entries, in their order.
    changes: OnceLock<Vec<Timestamp>>,
}

#[derive(Default)]
struct Listing {
    entries: Vec<FolderEntry>,
    skipped: Vec<SkippedEntry>,
}

/// An omitted name with the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkippedEntry {
    /// The path, with replacement characters for invalid UTF-8.
    pub path: String,
    /// The reason.
    pub reason: &'static str,
}

/// The reason why a commit cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommitError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("it does not point to a commit")]
    NoCommit,
    #[error("more than {0} files")]
    TooMany(usize),
    #[error("{0}")]
    Limit(String),
}

impl From<CommitError> for FolderError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::TooMany(most) => Self::TooMany(most),
            CommitError::Limit(limit) => Self::Limit(limit),
            other => Self::Io(io::Error::other(other)),
        }
    }
}

impl From<ReadError> for FolderError {
    fn from(error: ReadError) -> Self {
        Self::Io(io::Error::other(error))
    }
}

impl std::fmt::Debug for CommitFolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CommitFolder").field("commit", &self.0.commit).finish_non_exhaustive()
    }
}

impl CommitFolder {
    /// Reads the commit to which `object` (a commit or a tag) points.
    pub(crate) fn open(
        packs: Arc<Packs>,
        object: ObjectId,
        limits: CommitLimits,
    ) -> Result<Self, CommitError> {
        let (id, data) = peel(&packs, object)?;
        let wrong = |_| ReadError::new(&id, "not a commit");
        let commit = CommitRef::from_bytes(&data, HashKind::Sha1).map_err(wrong)?;
        let author = commit.author().map_err(wrong)?;
        let info = CommitInfo {
            oid: id.to_string(),
            message: text(commit.message, MAX_MESSAGE_BYTES),
            author: text(author.name, MAX_AUTHOR_BYTES),
            time: time_of(&commit),
        };
        let inner = Inner {
            commit: info,
            tree: commit.tree(),
            has_parents: commit.parents().next().is_some(),
            limits,
            listing: OnceLock::new(),
            found: FrozenMap::new(),
            found_bytes: AtomicU64::new(0),
            trees: Trees::new(Arc::clone(&packs)),
            changes: OnceLock::new(),
            packs,
        };
        Ok(Self(Arc::new(inner)))
    }

    /// Returns the commit's metadata.
    pub fn commit(&self) -> &CommitInfo {
        &self.0.commit
    }

    /// Returns the packs of the repository.
    pub(crate) fn packs(&self) -> &Packs {
        &self.0.packs
    }

    /// Returns the id of the commit's tree.
    pub(crate) fn tree(&self) -> ObjectId {
        self.0.tree
    }

    /// Returns the omitted names. Empty before the files were listed.
    pub fn skipped(&self) -> &[SkippedEntry] {
        self.0.listing.get().map_or(&[], |listing| &listing.skipped)
    }

    /// Reads from the history which commit last changed each file. `packs` holds the history, or a
    /// part of it; `stop` ends the reading early.
    pub(crate) fn read_history(&self, packs: Arc<Packs>, stop: &dyn Fn() -> bool) {
        let Inner { commit, limits, listing, changes, .. } = &*self.0;
        if let (Some(listing), Ok(tip)) = (listing.get(), commit.oid.parse()) {
            let history = History::new(packs, &listing.entries, limits.files);
            let _ = changes.set(history.last_changes(tip, commit.time, stop));
        }
    }

    /// Returns `true` if the commit has parents.
    pub(crate) fn has_parents(&self) -> bool {
        self.0.has_parents
    }

    /// Returns `true` if the changes since a commit can be computed.
    pub(crate) fn can_compare_with(&self, commit: &str) -> bool {
        self.tree_of(commit).is_some_and(|tree| self.0.trees.get(&tree).is_ok())
    }

    /// Lists all files.
    pub(crate) fn list(&self) -> Result<(), CommitError> {
        self.listing().map(drop)
    }

    fn listing(&self) -> Result<&Listing, CommitError> {
        let Inner { packs, tree, limits, listing, .. } = &*self.0;
        if let Some(listing) = listing.get() {
            return Ok(listing);
        }
        let mut walk = Walk {
            packs,
            limits,
            entries: Vec::new(),
            skipped: Vec::new(),
            folders: 0,
            listed: 0,
            bytes: 0,
        };
        walk.tree(*tree, &mut Vec::new(), 0)?;
        let Walk { entries, skipped, .. } = walk;
        Ok(listing.get_or_init(|| Listing { entries, skipped }))
    }

    /// Returns the tree of a commit that is present.
    fn tree_of(&self, commit: &str) -> Option<ObjectId> {
        let id = ObjectId::from_hex(commit.as_bytes()).ok()?;
        let (kind, data) = self.0.packs.read(&id).ok()?;
        let commit = CommitRef::from_bytes(&data, HashKind::Sha1).ok()?;
        (kind == Kind::Commit).then(|| commit.tree())
    }
}

impl Folder for CommitFolder {
    fn entries(&self) -> Result<&[FolderEntry], FolderError> {
        Ok(&self.listing()?.entries)
    }

    fn get(&self, path: &str) -> Result<Option<&FolderEntry>, FolderError> {
        if let Some(listing) = self.0.listing.get() {
            return Ok(find(&listing.entries, path));
        }
        if let Some(entry) = self.0.found.get(path) {
            return Ok(Some(entry));
        }
        let Some((id, kind)) = self.0.trees.find(self.0.tree, path)? else {
            return Ok(None);
        };
        let entry = entry(&self.0.packs, id, path.to_owned(), kind)?;
        let before = self.0.found_bytes.fetch_add(entry.size, Ordering::Relaxed);
        if before.saturating_add(entry.size) > self.0.limits.bytes {
            return Err(too_many_bytes(&self.0.limits).into());
        }
        Ok(Some(self.0.found.insert(path.to_owned(), Box::new(entry))))
    }

    fn changed_since(&self, commit: &str) -> Result<Option<Vec<String>>, FolderError> {
        let Some(base) = self.tree_of(commit) else {
            return Ok(None);
        };
        // If the trees cannot be compared, the caller lists all files instead.
        Ok(self.0.trees.changes(base, self.0.tree, self.0.limits.files).ok().flatten())
    }

    fn changed_at(&self, path: &str) -> Option<Timestamp> {
        let Inner { commit, listing, changes, .. } = &*self.0;
        let known = listing
            .get()
            .zip(changes.get())
            .and_then(|(listing, changes)| changes.get(position(&listing.entries, path)?).copied());
        // Git writes 1970 for dates that it cannot read.
        Some(known.unwrap_or(commit.time)).filter(|at| at.millis() > 0)
    }

    fn read(&self, entry: &FolderEntry) -> io::Result<Vec<u8>> {
        let id = entry.blob.and_then(|blob| ObjectId::try_from(blob.as_bytes()).ok());
        let id = id.ok_or_else(|| io::Error::other("not a file of this commit"))?;
        match self.0.packs.read(&id) {
            Ok((Kind::Blob, data)) => Ok(data),
            Ok(_) => Err(io::Error::other("not a file")),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    fn open(&self, entry: &FolderEntry) -> io::Result<Box<dyn Read + '_>> {
        let id = entry.blob.and_then(|blob| ObjectId::try_from(blob.as_bytes()).ok());
        match id.map(|id| self.0.packs.open_blob(&id)) {
            Some(Ok(Some(reader))) => Ok(Box::new(reader)),
            Some(Err(error)) => Err(io::Error::other(error)),
            _ => Ok(Box::new(io::Cursor::new(self.read(entry)?))),
        }
    }

    fn close(&self) {
        self.0.packs.close();
    }
}

/// Returns the entry of a file, a link or a submodule.
fn entry(
    packs: &Packs,
    id: ObjectId,
    path: String,
    kind: FolderEntryKind,
) -> Result<FolderEntry, ReadError> {
    let (size, blob) = match kind {
        FolderEntryKind::Submodule | FolderEntryKind::Other => (0, None),
        FolderEntryKind::File | FolderEntryKind::Symlink => {
            let (found, size) = packs.header(&id)?;
            if found != Kind::Blob {
                return Err(ReadError::new(&id, "not a file"));
            }
            (size, BlobId::from_bytes(id.as_bytes()))
        }
    };
    Ok(FolderEntry { path, kind, blob, size })
}

/// Follows tags to their commit.
fn peel(packs: &Packs, object: ObjectId) -> Result<(ObjectId, Vec<u8>), CommitError> {
    let mut id = object;
    for _ in 0..MAX_TAGS {
        let (_, size) = packs.header(&id)?;
        if size > MAX_COMMIT_BYTES {
            return Err(CommitError::Limit(format!(
                "a commit of more than {MAX_COMMIT_BYTES} bytes"
            )));
        }
        let (kind, data) = packs.read(&id)?;
        match kind {
            Kind::Commit => return Ok((id, data)),
            Kind::Tag => {
                let target = TagRefIter::from_bytes(&data, HashKind::Sha1).target_id();
                id = target.map_err(|_| ReadError::new(&id, "not a tag"))?;
            }
            Kind::Tree | Kind::Blob => return Err(CommitError::NoCommit),
        }
    }
    Err(CommitError::NoCommit)
}

/// Decodes at most `most` bytes of a text as UTF-8.
fn text(bytes: &[u8], most: usize) -> String {
    let mut text = String::from_utf8_lossy(bytes.get(..most).unwrap_or(bytes)).into_owned();
    if bytes.len() > most {
        // Removes a character that was cut in two.
        text.truncate(text.trim_end_matches(char::REPLACEMENT_CHARACTER).len());
    }
    text
}

fn too_many_bytes(limits: &CommitLimits) -> CommitError {
    CommitError::Limit(format!("files of more than {} bytes in all", limits.bytes))
}

/// A walk through all folders of a commit. One tree may occur in many others, so that a few objects
/// can produce any number of paths. The limits therefore count each occurrence.
struct Walk<'a> {
    packs: &'a Packs,
    limits: &'a CommitLimits,
    entries: Vec<FolderEntry>,
    skipped: Vec<SkippedEntry>,
    folders: usize,
    /// Bytes of trees and paths so far.
    listed: usize,
    /// Bytes of files so far.
    bytes: u64,
}

impl Walk<'_> {
    fn tree(
        &mut self,
        id: ObjectId,
        prefix: &mut Vec<u8>,
        depth: usize,
    ) -> Result<(), CommitError> {
        let (kind, data) = self.packs.read(&id)?;
        if kind != Kind::Tree {
            return Err(ReadError::new(&id, "not a tree").into());
        }
        self.folders += 1;
        if self.folders > self.limits.files {
            return Err(CommitError::Limit(format!("more than {} folders", self.limits.files)));
        }
        if data.len() > MAX_TREE_BYTES {
            let limit = format!("a folder whose list has more than {MAX_TREE_BYTES} bytes");
            return Err(CommitError::Limit(limit));
        }
        self.count_listing(data.len())?;
        let mut seen = HashSet::new();
        for entry in TreeRefIter::from_bytes(&data, HashKind::Sha1) {
            let entry = entry.map_err(|_| ReadError::new(&id, "not a tree"))?;
            let from = prefix.len();
            prefix.extend_from_slice(entry.filename);
            let object = entry.oid.to_owned();
            let reason = name_problem(entry.filename)
                .or_else(|| (prefix.len() > MAX_PATH_BYTES).then_some("the path is too long"))
                .or_else(|| (!seen.insert(entry.filename)).then_some("the name occurs twice"));
            match (reason, kind_of(entry.mode.kind())) {
                (Some(reason), _) => self.skip(prefix, reason)?,
                (None, None) if depth >= MAX_DEPTH => {
                    self.skip(prefix, "folders are nested too deeply")?;
                }
                (None, None) => {
                    prefix.push(b'/');
                    self.tree(object, prefix, depth + 1)?;
                }
                (None, Some(kind)) => self.entry(object, prefix, kind)?,
            }
            prefix.truncate(from);
        }
        Ok(())
    }

    fn entry(
        &mut self,
        object: ObjectId,
        path: &[u8],
        kind: FolderEntryKind,
    ) -> Result<(), CommitError> {
        let Ok(path) = std::str::from_utf8(path) else {
            return self.skip(path, "the name is not UTF-8");
        };
        self.check_file_count()?;
        self.count_listing(path.len())?;
        let entry = entry(self.packs, object, path.to_owned(), kind)?;
        self.bytes = self.bytes.saturating_add(entry.size);
        if self.bytes > self.limits.bytes {
            return Err(too_many_bytes(self.limits));
        }
        self.entries.push(entry);
        Ok(())
    }

    /// Counts bytes of a tree or a path.
    fn count_listing(&mut self, bytes: usize) -> Result<(), CommitError> {
        self.listed += bytes;
        if self.listed > MAX_LISTING_BYTES {
            let limit = format!("names of files of more than {MAX_LISTING_BYTES} bytes in all");
            return Err(CommitError::Limit(limit));
        }
        Ok(())
    }

    fn skip(&mut self, path: &[u8], reason: &'static str) -> Result<(), CommitError> {
        self.check_file_count()?;
        let path = text(path, MAX_REPORTED_BYTES);
        self.count_listing(path.len())?;
        self.skipped.push(SkippedEntry { path, reason });
        Ok(())
    }

    fn check_file_count(&self) -> Result<(), CommitError> {
        if self.entries.len() + self.skipped.len() >= self.limits.files {
            return Err(CommitError::TooMany(self.limits.files));
        }
        Ok(())
    }
}

/// Returns the kind of a tree entry, or `None` for a folder.
pub(crate) fn kind_of(kind: EntryKind) -> Option<FolderEntryKind> {
    match kind {
        EntryKind::Tree => None,
        EntryKind::Commit => Some(FolderEntryKind::Submodule),
        EntryKind::Link => Some(FolderEntryKind::Symlink),
        EntryKind::Blob | EntryKind::BlobExecutable => Some(FolderEntryKind::File),
    }
}

/// Returns the defect of a name that Git itself would not check out.
pub(crate) fn name_problem(name: &[u8]) -> Option<&'static str> {
    match name {
        b"" | b"." | b".." => Some("not a name"),
        name if name.eq_ignore_ascii_case(b".git") => Some("a name of Git's own"),
        name if name.contains(&b'/') || name.contains(&0) => Some("not a name"),
        _ => None,
    }
}
