//! The Git files that a revision's content was synchronised from.

use bindery_git::BlobId;
use bindery_git::import::GitState;
use bindery_model::{Error, Result};
use bindery_revision::{
    Content, FileRecord, Hash, Objects, PageBody, PageRecord, Record, ReusableRecord, Revision,
};
use bindery_store::revisions::ImportBase;

use crate::content::{Snapshot, broken_object};

/// Paths and blobs of the import from Git that a revision descends from, or that made it.
#[derive(Clone, Debug, Default)]
pub struct BlobState(Option<Source>);

#[derive(Clone, Debug)]
struct Source {
    state: GitState,
    /// The content that the import made; `None` if the shown content equals it.
    content: Option<Content>,
}

/// A file of the repository that a part of a content was synchronised from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyncedFile {
    /// The blob's id, in hexadecimal: of what the part holds now.
    pub oid: String,
    /// The path from the root of the repository.
    pub path: String,
}

impl BlobState {
    /// Of this snapshot; without an import, nothing is known.
    ///
    /// # Errors
    /// When the stored state or the content of the import cannot be read.
    pub fn of(
        snapshot: &Snapshot,
        synced: Option<ImportBase>,
        objects: &dyn Objects,
    ) -> Result<Self> {
        let Some(ImportBase { object, state }) = synced else { return Ok(Self(None)) };
        let state = decode(&state)?;
        let content = if object == snapshot.row.object {
            None
        } else {
            let bytes = objects.get(&object).map_err(broken_object)?;
            Some(Revision::decode(&bytes).map_err(broken_object)?.content)
        };
        Ok(Self(Some(Source { state, content })))
    }

    /// The file that a page was synchronised from.
    ///
    /// # Errors
    /// When an object cannot be read.
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

    /// The file that a reusable content was synchronised from.
    ///
    /// # Errors
    /// When an object cannot be read.
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

    /// The file of the repository that a file was synchronised from, if it has those bytes still.
    ///
    /// # Errors
    /// When an object cannot be read.
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

    /// A text's file: the blob's id is the known one, or after an edit that of the present text.
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

/// The blob that a path had at the import.
fn blob(state: &GitState, objects: &dyn Objects, path: &str) -> Result<Option<BlobId>> {
    let entry = state.get(objects, path).map_err(broken_object)?;
    Ok(entry.and_then(|entry| entry.blob()))
}

fn found(state: &GitState, blob: BlobId, path: &str) -> SyncedFile {
    SyncedFile { oid: blob.to_string(), path: format!("{}{path}", state.prefix) }
}

/// The state as the row of a space holds it.
///
/// # Errors
/// When it cannot be encoded, which is a defect.
pub fn encode(state: &GitState) -> Result<Vec<u8>> {
    let bytes = state.encode().map_err(broken_object)?;
    Ok(bytes.to_vec())
}

/// Reads what `encode` made.
///
/// # Errors
/// When it is not readable.
pub fn decode(bytes: &[u8]) -> Result<GitState> {
    GitState::decode(bytes)
        .map_err(|error| Error::internal(format!("a Git state cannot be read: {error}")))
}
