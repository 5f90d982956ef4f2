//! Applies the edits of an export to a commit of the repository.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

use bindery_content::line_merge;
use bindery_model::Timestamp;
use bindery_outbound::{CancellationToken, SshKey};
use bindery_revision::{Hash, Objects};
use bytes::Bytes;
use gix_hash::ObjectId;
use gix_object::Kind;

use super::pack::{NewObjects, OpenObject, WrittenCommit, id_of, id_of_file};
use super::tree::{Blocked, Edits, TreeProblem};
use super::{After, ExportError, FileEdit, FileEdits, pages};
use crate::commit::{CommitFolder, CommitInfo};
use crate::folder::{BlobId, Folder, FolderEntry, FolderEntryKind};
use crate::import::{GitEntry, GitItem, ImportError};
use crate::lfs::{Attributes, Digesting, LargeFile, MAX_POINTER_BYTES, Pointer};

/// A person named by a commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Person {
    /// The name.
    pub name: String,
    /// The mail address.
    pub mail: String,
}

/// The text of a commit besides its files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommitText {
    /// The message.
    pub message: String,
    /// The authors. The first one is the author, the others are named in the message.
    pub authors: Vec<Person>,
    /// The time of the last change.
    pub authored_at: Timestamp,
    /// The committer.
    pub committer: Person,
    /// The time of the commit.
    pub committed_at: Timestamp,
    /// The Ed25519 key that signs the commit.
    pub signing_key: Option<SshKey>,
}

/// The parameters of [`commit()`].
#[derive(Clone, Copy)]
pub struct ExportSettings<'a> {
    /// The commit whose files the edits change; `None` for an empty branch.
    pub base: Option<&'a CommitFolder>,
    /// `true` if the repository lacks the base, so that its files are copied and it is no parent.
    pub is_copy: bool,
    /// `true` if the branch does not exist yet.
    pub is_new: bool,
    /// `true` if the content replaces files that the repository changed as well.
    pub force: bool,
    /// Commits whose changes the content has already. They become further parents of the commit, so
    /// that Git and hosting services see their branches as merged.
    pub merged: &'a [String],
    /// The text of the commit.
    pub text: &'a CommitText,
    /// The folder for temporary files.
    pub folder: &'a Path,
    /// Cancels the export.
    pub cancel: &'a CancellationToken,
}

impl std::fmt::Debug for ExportSettings<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExportSettings").field("force", &self.force).finish_non_exhaustive()
    }
}

/// A file that the content and the repository changed in different ways.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The path from the root of the repository.
    pub path: String,
    /// The reason, as the end of a sentence about the file.
    pub reason: &'static str,
}

/// The result of an export.
#[derive(Debug, Default)]
pub struct Exported {
    /// The commit to push; `None` if the branch has all files.
    pub commit: Option<WrittenCommit>,
    /// The files in which the repository now agrees with the content: the path from the content's
    /// root and the new entry, or `None` for a deleted file.
    pub files: Vec<(String, Option<GitEntry>)>,
    /// The paths of these files from the root of the repository.
    pub paths: Vec<String>,
    /// Number of files that contain changes of both sides.
    pub merged: usize,
    /// Files in Git LFS whose content the server needs before the commit is pushed.
    pub large_files: Vec<LargeFile>,
    /// Files that cannot be exported. If there are any, there is no commit.
    pub conflicts: Vec<Conflict>,
}

/// The new content of a file that an export writes, for a preview.
pub(super) enum Written {
    Edit(After),
    Text(Bytes),
    /// A pointer to a file in Git LFS.
    Pointer,
}

/// A file that an export writes or deletes.
pub(super) struct WrittenFile {
    pub(super) at: String,
    pub(super) item: GitItem,
    /// The file at the branch.
    pub(super) found: Option<FolderEntry>,
    pub(super) new: Written,
}

/// Builds the commit that contains the edits.
///
/// # Errors
/// Returns an error if an object cannot be read or the pack cannot be written.
pub fn commit(
    edits: &FileEdits,
    objects: &dyn Objects,
    open: &OpenObject<'_>,
    settings: &ExportSettings<'_>,
) -> Result<Exported, ExportError> {
    let mut run = Run::new(objects, open, settings);
    run.files(edits)?;
    if run.exported.conflicts.is_empty() { run.finish() } else { Ok(run.exported) }
}

/// An export in progress.
pub(super) struct Run<'a> {
    settings: &'a ExportSettings<'a>,
    objects: &'a dyn Objects,
    open: &'a OpenObject<'a>,
    new: NewObjects,
    trees: Edits,
    attributes: Attributes<'a>,
    pub(super) exported: Exported,
    /// The files that are written and deleted.
    pub(super) written: Vec<WrittenFile>,
}

/// The new version of a file.
#[derive(Clone, Copy)]
struct NewVersion {
    /// The id of its blob; `None` for a deletion.
    id: Option<ObjectId>,
    /// The pointer that is the blob of a file in Git LFS.
    pointer: Option<Pointer>,
}

/// The versions of a file.
struct Versions {
    /// The blob that was synchronised last.
    known: Option<BlobId>,
    /// The blob of the repository.
    there: Option<BlobId>,
    /// The blob of the content; `None` for a deletion.
    ours: Option<BlobId>,
}

/// The decision about a file.
enum Decision {
    /// The repository has the content already.
    Present,
    /// The content is written, or the file deleted.
    Write,
    /// The repository's version stays, for the next import.
    Keep,
    /// Both sides changed the file.
    Both(&'static str),
}

impl Versions {
    fn decide(&self) -> Decision {
        if self.there == self.ours {
            Decision::Present
        } else if self.there == self.known {
            Decision::Write
        } else if self.ours == self.known {
            Decision::Keep
        } else if self.known.is_none() {
            Decision::Both("exists in the repository with another content")
        } else if self.there.is_none() {
            Decision::Both("was deleted in the repository and changed here")
        } else if self.ours.is_none() {
            Decision::Both("was changed in the repository and deleted here")
        } else {
            Decision::Both("was changed in the same lines in the repository and here")
        }
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(
        objects: &'a dyn Objects,
        open: &'a OpenObject<'a>,
        settings: &'a ExportSettings<'a>,
    ) -> Self {
        Self {
            settings,
            objects,
            open,
            new: NewObjects::default(),
            trees: Edits::default(),
            attributes: Attributes::new(settings.base),
            exported: Exported::default(),
            written: Vec::new(),
        }
    }

    /// Decides about the files of the edits.
    pub(super) fn files(&mut self, edits: &FileEdits) -> Result<(), ExportError> {
        for (path, edit) in &edits.files {
            if self.settings.cancel.is_cancelled() {
                return Err(ImportError::Cancelled.into());
            }
            self.file(path, edit)?;
        }
        Ok(())
    }

    fn file(&mut self, path: &str, edit: &FileEdit) -> Result<(), ExportError> {
        let found = match self.settings.base {
            Some(base) => base.get(&edit.at).map_err(ImportError::from)?,
            None => None,
        };
        let is_link = found.is_some_and(|found| found.kind == FolderEntryKind::Symlink);
        let is_deletion = edit.after == After::Deleted;
        if found.is_some_and(|found| found.kind != FolderEntryKind::File)
            && !(is_link && is_deletion)
        {
            self.conflict(&edit.at, "is a link or a submodule in the repository");
            return Ok(());
        }
        let there = match &edit.after {
            After::Object { .. } => self.pointer(found)?,
            After::Text(_) | After::Body(_) | After::Deleted => None,
        };
        let ours = self.version(edit, found, there.is_some())?;
        if let (After::Object { hash, .. }, Some(pointer)) = (&edit.after, there)
            && ours.pointer == Some(pointer)
        {
            if self.settings.is_copy {
                self.send(edit, pointer, *hash);
            }
            let there = found.and_then(|found| found.blob);
            self.agree(path, edit, Some(GitEntry::new(there, edit.item)));
            return Ok(());
        }
        let versions = Versions {
            // Without a commit, the files were not deleted: they have never been there.
            known: edit.known.filter(|_| self.settings.base.is_some()),
            // The blob of a link is its target, not the file that was synchronised.
            there: if is_link { edit.known } else { found.and_then(|found| found.blob) },
            ours: ours.id.and_then(|id| BlobId::from_bytes(id.as_slice())),
        };
        let entry = ours.id.map(|_| GitEntry::new(versions.ours, edit.item));
        match versions.decide() {
            Decision::Present => self.agree(path, edit, entry),
            Decision::Keep => {}
            Decision::Write => self.write(path, edit, found, (ours, entry))?,
            Decision::Both(_) if self.settings.force => {
                self.write(path, edit, found, (ours, entry))?;
            }
            Decision::Both(reason) => match self.merged(edit, found.and_then(|f| f.blob))? {
                Some(text) => {
                    let id = self.new.text(text.clone())?;
                    self.set(&edit.at, Some(id));
                    self.note(edit, found, Written::Text(text));
                    // The state keeps the old blob, so that the next import reads the merged text.
                    self.exported.merged += 1;
                }
                None => self.conflict(&edit.at, reason),
            },
        }
        Ok(())
    }

    /// Returns the pointer of Git LFS that the repository has in place of a file.
    fn pointer(&self, found: Option<&FolderEntry>) -> Result<Option<Pointer>, ExportError> {
        let found = found.filter(|found| found.size <= MAX_POINTER_BYTES);
        let (Some(base), Some(found)) = (self.settings.base, found) else { return Ok(None) };
        Ok(Pointer::parse(&base.read(found)?))
    }

    fn write(
        &mut self,
        path: &str,
        edit: &FileEdit,
        found: Option<&FolderEntry>,
        (ours, entry): (NewVersion, Option<GitEntry>),
    ) -> Result<(), ExportError> {
        match (ours.id, &edit.after) {
            (None, _) | (_, After::Deleted) => {}
            (Some(_), After::Text(text)) => drop(self.new.text(text.clone())?),
            (Some(id), After::Body(body)) => self.new.body(id, *body),
            (Some(id), After::Object { hash, size }) => match ours.pointer {
                None => self.new.object(id, *hash, *size),
                Some(pointer) => {
                    self.new.text(pointer.to_string().into())?;
                    self.send(edit, pointer, *hash);
                }
            },
        }
        self.set(&edit.at, ours.id);
        let new = match ours.pointer {
            None => Written::Edit(edit.after.clone()),
            Some(_) => Written::Pointer,
        };
        self.note(edit, found, new);
        self.agree(path, edit, entry);
        Ok(())
    }

    /// Records a file that is written or deleted.
    fn note(&mut self, edit: &FileEdit, found: Option<&FolderEntry>, new: Written) {
        let (at, item, found) = (edit.at.clone(), edit.item, found.cloned());
        self.written.push(WrittenFile { at, item, found, new });
    }

    /// Records a file in Git LFS whose content the server needs.
    fn send(&mut self, edit: &FileEdit, pointer: Pointer, hash: Hash) {
        self.exported.large_files.push(LargeFile { path: edit.at.clone(), pointer, hash });
    }

    /// Records a file in which the repository agrees with the content.
    fn agree(&mut self, path: &str, edit: &FileEdit, entry: Option<GitEntry>) {
        self.exported.paths.push(edit.at.clone());
        self.exported.files.push((path.to_owned(), entry));
    }

    fn set(&mut self, at: &str, id: Option<ObjectId>) {
        if let Err(Blocked(at)) = self.trees.set(at, id) {
            self.conflict(&at, "cannot be a file of the repository");
        }
    }

    fn conflict(&mut self, path: &str, reason: &'static str) {
        self.exported.conflicts.push(Conflict { path: path.to_owned(), reason });
    }

    /// Returns the version that the repository gets. `is_large` is `true` if it has a pointer in
    /// place of the file.
    fn version(
        &mut self,
        edit: &FileEdit,
        found: Option<&FolderEntry>,
        is_large: bool,
    ) -> Result<NewVersion, ExportError> {
        let plain = |id| NewVersion { id, pointer: None };
        let (hash, size) = match &edit.after {
            After::Deleted => return Ok(plain(None)),
            After::Text(text) => return Ok(plain(Some(id_of(Kind::Blob, text)?))),
            After::Body(body) => {
                let text = pages::source_of(self.objects, body)?;
                return Ok(plain(Some(id_of(Kind::Blob, &text)?)));
            }
            After::Object { hash, size } => (hash, *size),
        };
        let mut content = Digesting::new((self.open)(hash)?);
        let id = id_of_file(&mut content, size)?;
        let blob = BlobId::from_bytes(id.as_slice());
        // A file that is not in Git LFS stays so until it changes.
        let is_present = found.is_some_and(|found| found.blob == blob) || edit.known == blob;
        let may_be_large = size > 0 && !is_present && !self.is_pointer(hash, size)?;
        if !may_be_large
            || !(is_large || self.attributes.are_large(&edit.at).map_err(ImportError::from)?)
        {
            return Ok(plain(Some(id)));
        }
        let pointer = content.pointer();
        let id = id_of(Kind::Blob, pointer.to_string().as_bytes())?;
        Ok(NewVersion { id: Some(id), pointer: Some(pointer) })
    }

    /// Returns `true` if a content is itself a pointer: that of a file which could not be received.
    fn is_pointer(&self, hash: &Hash, size: u64) -> Result<bool, ExportError> {
        if size > MAX_POINTER_BYTES {
            return Ok(false);
        }
        let mut bytes = Vec::new();
        (self.open)(hash)?.take(MAX_POINTER_BYTES).read_to_end(&mut bytes)?;
        Ok(Pointer::parse(&bytes).is_some())
    }

    /// Returns the text with the changes of both sides, or `None` if it must be merged by people.
    fn merged(&self, edit: &FileEdit, there: Option<BlobId>) -> Result<Option<Bytes>, ExportError> {
        let (Some(before), Some(there), Some(base)) = (&edit.before, there, self.settings.base)
        else {
            return Ok(None);
        };
        let ours = match &edit.after {
            After::Text(text) => text.clone(),
            After::Body(body) => pages::source_of(self.objects, body)?,
            After::Object { .. } | After::Deleted => return Ok(None),
        };
        let Some(entry) = base.get(&edit.at).map_err(ImportError::from)? else { return Ok(None) };
        debug_assert_eq!(entry.blob, Some(there));
        let theirs = base.read(entry)?;
        let texts = [before.as_ref(), ours.as_ref(), theirs.as_slice()].map(std::str::from_utf8);
        let [Ok(before), Ok(ours), Ok(theirs)] = texts else { return Ok(None) };
        Ok(line_merge::merge(before, ours, theirs).map(Bytes::from))
    }

    /// Returns the tree of the commit; `None` if a file cannot be written, which is a conflict.
    pub(super) fn tree(&mut self) -> Result<Option<ObjectId>, ExportError> {
        let base = self.settings.base;
        let (packs, before) = (base.map(CommitFolder::packs), base.map(CommitFolder::tree));
        let trees = std::mem::take(&mut self.trees);
        match trees.write(before, packs, &mut self.new) {
            Ok(Some(tree)) => Ok(Some(tree)),
            Ok(None) => self.new.tree(Vec::new(), before).map(Some),
            Err(TreeProblem::Failed(error)) => Err(error),
            Err(TreeProblem::Blocked(Blocked(path))) => {
                self.conflict(
                    &path,
                    "needs a folder where the repository has a file, or the reverse",
                );
                Ok(None)
            }
        }
    }

    fn finish(mut self) -> Result<Exported, ExportError> {
        let ExportSettings { base, is_copy, is_new, merged, text, folder, .. } = *self.settings;
        let packs = base.map(CommitFolder::packs);
        let before = base.map(CommitFolder::tree);
        if let (Some(packs), Some(tree), true) = (packs, before, is_copy) {
            self.new.copy(packs, tree)?;
        }
        let Some(tree) = self.tree()? else { return Ok(self.exported) };
        if let Some(base) = base.filter(|_| before == Some(tree) && !is_copy) {
            // A new branch with the files of its base begins at the base itself.
            if is_new {
                let (pack, pack_bytes) =
                    NewObjects::default().write(folder, self.objects, self.open, None)?;
                let CommitInfo { oid, message, .. } = base.commit().clone();
                self.exported.commit = Some(WrittenCommit { oid, message, pack, pack_bytes });
            }
            return Ok(self.exported);
        }
        let parent = base.filter(|_| !is_copy).map(|base| base.commit().oid.as_str());
        let merged = merged.iter().map(String::as_str).filter(|_| parent.is_some());
        let parents: Vec<&str> = parent.into_iter().chain(merged).collect();
        let message = text.full_message();
        let id = self.new.commit(text.write(tree, &parents, &message))?;
        let (pack, pack_bytes) = self.new.write(folder, self.objects, self.open, packs)?;
        self.exported.commit =
            Some(WrittenCommit { oid: id.to_string(), message, pack, pack_bytes });
        Ok(self.exported)
    }
}

impl CommitText {
    /// Returns the message with the names of all authors but the first.
    fn full_message(&self) -> String {
        let message = self.message.replace('\0', "").replace("\r\n", "\n");
        let mut message = message.trim().to_owned();
        for (at, person) in self.authors.iter().skip(1).enumerate() {
            let gap = if at == 0 { "\n\n" } else { "\n" };
            let Person { name, mail } = person.clean();
            let _ = write!(message, "{gap}Co-authored-by: {name} <{mail}>");
        }
        message.push('\n');
        message
    }

    fn write(&self, tree: ObjectId, parents: &[&str], message: &str) -> Vec<u8> {
        let mut text = format!("tree {tree}\n");
        for parent in parents {
            let _ = writeln!(text, "parent {parent}");
        }
        let author = self.authors.first().unwrap_or(&self.committer);
        let people = [
            ("author", author, self.authored_at),
            ("committer", &self.committer, self.committed_at),
        ];
        for (role, person, at) in people {
            let Person { name, mail } = person.clean();
            let seconds = at.millis().div_euclid(1_000);
            let _ = writeln!(text, "{role} {name} <{mail}> {seconds} +0000");
        }
        let unsigned = format!("{text}\n{message}");
        let key = self.signing_key.as_ref();
        let Some(signature) = key.and_then(|key| key.sign("git", unsigned.as_bytes())) else {
            return unsigned.into_bytes();
        };
        // Further lines of a header begin with a space.
        let signature = signature.trim_end().replace('\n', "\n ");
        format!("{text}gpgsig {signature}\n\n{message}").into_bytes()
    }
}

impl Person {
    /// Returns the person without the characters that end a name in a commit.
    fn clean(&self) -> Self {
        let clean = |text: &str| {
            let kept = |c: &char| !c.is_control() && !matches!(c, '<' | '>');
            let text: String = text.chars().filter(kept).collect();
            text.trim_matches(|c: char| c.is_whitespace() || ".,:;\"'".contains(c)).to_owned()
        };
        let (name, mail) = (clean(&self.name), clean(&self.mail));
        let name = if name.is_empty() { "Unknown".to_owned() } else { name };
        Self { name, mail }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use bindery_model::Entropy;

    use super::*;

    #[test]
    fn signed_commits_are_valid_for_git() {
        let folder = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| {
            let done = Command::new("git").args(arguments).current_dir(folder.path()).output();
            let done = done.unwrap();
            let text = String::from_utf8_lossy(&done.stdout).trim().to_owned();
            (done.status.success(), text)
        };
        git(&["init", "--quiet", "."]);
        let tree = git(&["write-tree"]).1.parse().unwrap();
        let key = SshKey::generate(&Entropy::seeded(1)).unwrap();
        let person = Person { name: "Ada".to_owned(), mail: "ada@example.com".to_owned() };
        let at = Timestamp::from_millis(1_700_000_000_000);
        let text = CommitText {
            message: "Change a page".to_owned(),
            authors: vec![person.clone()],
            authored_at: at,
            committer: person,
            committed_at: at,
            signing_key: Some(key.clone()),
        };
        std::fs::write(folder.path().join("commit"), text.write(tree, &[], "Change\n")).unwrap();
        let signers = format!("ada@example.com {}\n", key.public_line());
        std::fs::write(folder.path().join("signers"), signers).unwrap();
        let id = git(&["hash-object", "-w", "-t", "commit", "commit"]).1;
        assert!(git(&["fsck", "--strict"]).0);
        assert_eq!(git(&["show", "--no-patch", "--format=%an %s", &id]).1, "Ada Change");
        let verify = ["-c", "gpg.ssh.allowedSignersFile=signers", "verify-commit", &id];
        assert!(git(&verify).0, "{id}");
    }
}
