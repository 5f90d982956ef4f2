//! The Git files that a revision's content was synchronised from.

use bindery_git::BlobId;
use bindery_git::import::GitState;
use bindery_model::{Error, Result};
use bindery_revision::{
    Content, FileRecord, Hash, Objects, PageBody, PageRecord, Record, ReusableRecord, Revision,
};
use bindery_store::git_states;
pub use bindery_store::git_states::{AttemptState, GitOrigin, Provider};
pub use bindery_store::revisions::Commit;
use bindery_store::revisions::{self, ImportBase};
use bindery_store::spaces::Space;

use crate::Context;
use crate::content::snapshot::{Snapshot, broken_object};

/// Returns the repository that a space was last synchronised from; `None` if there was neither a
/// synchronisation nor an attempt.
///
/// # Errors
/// Returns an error if the store fails.
pub fn origin(cx: &Context<'_>, space: &Space) -> Result<Option<GitOrigin>> {
    Ok(git_states::origins(cx.tx, &[space.id])?.remove(&space.id))
}

/// Returns the commit that a revision was imported from; `None` for other revisions.
///
/// # Errors
/// Returns an error if the store fails.
pub fn commit(cx: &Context<'_>, snapshot: &Snapshot) -> Result<Option<Commit>> {
    Ok(revisions::commit(cx.tx, snapshot.space, snapshot.row.id)?)
}

/// The paths and blobs of the last import from Git in the history of a revision.
#[derive(Clone, Debug, Default)]
pub struct BlobState(Option<Source>);

#[derive(Clone, Debug)]
struct Source {
    state: GitState,
    /// The content that the import made; `None` if the shown content equals it.
    content: Option<Content>,
}

/// A file of the repository that an item of the content was synchronised from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyncedFile {
    /// The id of the blob with the current text of the item, in hexadecimal.
    pub oid: String,
    /// The path from the root of the repository.
    pub path: String,
}

impl BlobState {
    /// Loads the state for a snapshot; an empty state if there was no import.
    ///
    /// # Errors
    /// Returns an error if the stored state or the content of the import cannot be read.
    pub fn of(cx: &Context<'_>, snapshot: &Snapshot) -> Result<Self> {
        let synced = revisions::import_base(cx.tx, snapshot.space, snapshot.row.id)?;
        let Some(ImportBase { object, state }) = synced else { return Ok(Self(None)) };
        let objects = cx.tx.objects();
        let state = decode(&state)?;
        let content = if object == snapshot.row.object {
            None
        } else {
            let bytes = objects.get(&object).map_err(broken_object)?;
            Some(Revision::decode(&bytes).map_err(broken_object)?.content)
        };
        Ok(Self(Some(Source { state, content })))
    }

    /// Returns the file that a page was synchronised from.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn of_page(&self, objects: &dyn Objects, now: &PageRecord) -> Result<Option<SyncedFile>> {
        let Some(Source { state, content }) = &self.0 else { return Ok(None) };
        let then = match content {
            None => Some((now.source_path.clone(), now.body)),
            Some(content) => {
                let then = content.page(objects, now.id).map_err(broken_object)?;
                then.map(|then| (then.source_path, then.body))
            }
        };
        Self::of_text(state, objects, then, now.body)
    }

    /// Returns the file that a reusable content was synchronised from.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn of_reusable(
        &self,
        objects: &dyn Objects,
        now: &ReusableRecord,
    ) -> Result<Option<SyncedFile>> {
        let Some(Source { state, content }) = &self.0 else { return Ok(None) };
        let then = match content {
            None => Some((now.path.clone(), now.body)),
            Some(content) => {
                let then = content.reusable(objects, now.id).map_err(broken_object)?;
                then.map(|then| (then.path, then.body))
            }
        };
        Self::of_text(state, objects, then, now.body)
    }

    /// Returns the file of the repository that a file was synchronised from, if its bytes are
    /// unchanged.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn of_file(&self, objects: &dyn Objects, now: &FileRecord) -> Result<Option<SyncedFile>> {
        let Some(Source { state, content }) = &self.0 else { return Ok(None) };
        let then = match content {
            None => Some((now.path.clone(), now.hash)),
            Some(content) => {
                let then = content.file(objects, now.id).map_err(broken_object)?;
                then.map(|then| (then.path, then.hash))
            }
        };
        let Some((Some(path), hash)) = then else { return Ok(None) };
        let blob = blob(state, objects, &path)?.filter(|_| hash == now.hash);
        Ok(blob.map(|blob| found(state, blob, &path)))
    }

    /// Returns the file of a text. The blob id is the imported one, or after an edit the id of the
    /// current text.
    fn of_text(
        state: &GitState,
        objects: &dyn Objects,
        then: Option<(Option<String>, Option<Hash>)>,
        now: Option<Hash>,
    ) -> Result<Option<SyncedFile>> {
        let Some((Some(path), before)) = then else { return Ok(None) };
        let Some(known) = blob(state, objects, &path)? else { return Ok(None) };
        if before == now {
            return Ok(Some(found(state, known, &path)));
        }
        let text = match now {
            None => None,
            Some(body) => {
                let bytes = objects.get(&body).map_err(broken_object)?;
                Some(PageBody::decode(&bytes).map_err(broken_object)?.source)
            }
        };
        let blob = BlobId::of(text.as_deref().unwrap_or_default());
        Ok(blob.map(|blob| found(state, blob, &path)))
    }
}

/// Returns the blob at a path in the import.
fn blob(state: &GitState, objects: &dyn Objects, path: &str) -> Result<Option<BlobId>> {
    let entry = state.get(objects, path).map_err(broken_object)?;
    Ok(entry.and_then(|entry| entry.blob()))
}

fn found(state: &GitState, blob: BlobId, path: &str) -> SyncedFile {
    SyncedFile { oid: blob.to_string(), path: format!("{}{path}", state.prefix) }
}

/// Encodes the state for the row of a space.
///
/// # Errors
/// Returns an error if the state cannot be encoded, which is a defect.
pub fn encode(state: &GitState) -> Result<Vec<u8>> {
    let bytes = state.encode().map_err(broken_object)?;
    Ok(bytes.to_vec())
}

/// Decodes a state that [`encode`] returned.
///
/// # Errors
/// Returns an error if the bytes are not a valid state.
pub fn decode(bytes: &[u8]) -> Result<GitState> {
    GitState::decode(bytes)
        .map_err(|error| Error::internal(format!("a Git state cannot be read: {error}")))
}
