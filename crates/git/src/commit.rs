//! The files of one commit.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use bindery_model::Timestamp;
use gix_hash::{Kind as HashKind, ObjectId};
use gix_object::tree::EntryKind;
use gix_object::{CommitRef, Kind, TagRefIter, TreeRefIter};

use crate::folder::{BlobId, Folder, FolderEntry, FolderEntryKind};
use crate::packs::{Packs, ReadError};

/// Deepest nesting of folders that is followed.
const DEPTH: usize = 128;
/// Longest chain of tags that is followed to a commit.
const TAGS: usize = 8;

/// What is known about a commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommitInfo {
    /// Its id in hexadecimal.
    pub oid: String,
    /// Its message, as far as it is UTF-8.
    pub message: String,
    /// The author's name.
    pub author: String,
    /// When the author made it.
    pub time: Timestamp,
}

/// All files of a commit, to be read from several threads.
#[derive(Clone)]
pub struct CommitFolder {
    packs: Arc<Packs>,
    commit: Arc<CommitInfo>,
    entries: Arc<Vec<FolderEntry>>,
    skipped: Arc<Vec<Skipped>>,
}

/// A name that was left out, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skipped {
    /// The path, with replacement characters where it is no UTF-8.
    pub path: String,
    /// Why.
    pub reason: &'static str,
}

/// Why a commit cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommitError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("it leads to no commit")]
    NoCommit,
    #[error("more than {0} files")]
    TooMany(usize),
}

impl std::fmt::Debug for CommitFolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { packs: _, commit, entries, skipped } = self;
        f.debug_struct("CommitFolder")
            .field("commit", commit)
            .field("entries", &entries.len())
            .field("skipped", skipped)
            .finish()
    }
}

impl CommitFolder {
    /// Walks the commit that `object` (a commit or a tag of one) leads to.
    pub(crate) fn open(
        packs: Arc<Packs>,
        object: ObjectId,
        most: usize,
    ) -> Result<Self, CommitError> {
        let (id, data) = peel(&packs, object)?;
        let wrong = |_| ReadError::new(&id, "not a commit");
        let commit = CommitRef::from_bytes(&data, HashKind::Sha1).map_err(wrong)?;
        let author = commit.author().map_err(wrong)?;
        let seconds = author.time().map_or(0, |time| time.seconds);
        let info = CommitInfo {
            oid: id.to_string(),
            message: String::from_utf8_lossy(commit.message).into_owned(),
            author: String::from_utf8_lossy(author.name).into_owned(),
            time: Timestamp::from_millis(seconds.saturating_mul(1000)),
        };
        let mut walk = Walk { packs: &packs, most, entries: Vec::new(), skipped: Vec::new() };
        walk.tree(commit.tree(), &mut Vec::new(), 0)?;
        let Walk { entries, skipped, .. } = walk;
        Ok(Self {
            commit: Arc::new(info),
            entries: Arc::new(entries),
            skipped: Arc::new(skipped),
            packs,
        })
    }

    /// The commit.
    pub fn commit(&self) -> &CommitInfo {
        &self.commit
    }

    /// What was left out.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }
}

impl Folder for CommitFolder {
    fn entries(&self) -> &[FolderEntry] {
        &self.entries
    }

    fn read(&self, entry: &FolderEntry) -> io::Result<Vec<u8>> {
        let id = entry.blob.and_then(|blob| ObjectId::try_from(blob.as_bytes()).ok());
        let id = id.ok_or_else(|| io::Error::other("no file of this commit"))?;
        match self.packs.read(&id) {
            Ok((Kind::Blob, data)) => Ok(data),
            Ok(_) => Err(io::Error::other("not a file")),
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

/// Follows tags to their commit.
fn peel(packs: &Packs, object: ObjectId) -> Result<(ObjectId, Vec<u8>), CommitError> {
    let mut id = object;
    for _ in 0..TAGS {
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

struct Walk<'a> {
    packs: &'a Packs,
    most: usize,
    entries: Vec<FolderEntry>,
    skipped: Vec<Skipped>,
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
        let mut seen = HashSet::new();
        for entry in TreeRefIter::from_bytes(&data, HashKind::Sha1) {
            let entry = entry.map_err(|_| ReadError::new(&id, "not a tree"))?;
            let from = prefix.len();
            prefix.extend_from_slice(entry.filename);
            let object = entry.oid.to_owned();
            let reason = name_problem(entry.filename)
                .or_else(|| (!seen.insert(entry.filename)).then_some("the name is there twice"));
            match (reason, entry.mode.kind()) {
                (Some(reason), _) => self.skip(prefix, reason)?,
                (None, EntryKind::Tree) if depth >= DEPTH => {
                    self.skip(prefix, "folders are nested too deeply")?;
                }
                (None, EntryKind::Tree) => {
                    prefix.push(b'/');
                    self.tree(object, prefix, depth + 1)?;
                }
                (None, EntryKind::Commit) => {
                    self.entry(object, prefix, FolderEntryKind::Submodule)?;
                }
                (None, EntryKind::Link) => self.entry(object, prefix, FolderEntryKind::Symlink)?,
                (None, EntryKind::Blob | EntryKind::BlobExecutable) => {
                    self.entry(object, prefix, FolderEntryKind::File)?;
                }
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
        self.count()?;
        let path = path.to_owned();
        let (size, blob) = match kind {
            FolderEntryKind::Submodule | FolderEntryKind::Other => (0, None),
            FolderEntryKind::File | FolderEntryKind::Symlink => {
                let (found, size) = self.packs.header(&object)?;
                if found != Kind::Blob {
                    return Err(ReadError::new(&object, "not a file").into());
                }
                (size, BlobId::from_bytes(object.as_bytes()))
            }
        };
        self.entries.push(FolderEntry { path, kind, blob, size });
        Ok(())
    }

    fn skip(&mut self, path: &[u8], reason: &'static str) -> Result<(), CommitError> {
        self.count()?;
        let path = String::from_utf8_lossy(path).into_owned();
        self.skipped.push(Skipped { path, reason });
        Ok(())
    }

    fn count(&self) -> Result<(), CommitError> {
        if self.entries.len() + self.skipped.len() >= self.most {
            return Err(CommitError::TooMany(self.most));
        }
        Ok(())
    }
}

/// Names that Git itself would not check out.
fn name_problem(name: &[u8]) -> Option<&'static str> {
    match name {
        b"" | b"." | b".." => Some("not a name"),
        name if name.eq_ignore_ascii_case(b".git") => Some("a name of Git's own"),
        name if name.contains(&b'/') || name.contains(&0) => Some("not a name"),
        _ => None,
    }
}
