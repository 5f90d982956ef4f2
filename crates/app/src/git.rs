//! What is known of a revision's commit: which blob each of its files was.

use bindery_git::import::GitState;
use bindery_model::{Error, Result};
use bindery_revision::{Objects, Record};
use bindery_store::revisions::Commit;

use crate::content::broken_object;

/// Paths and blobs of the commit that a revision was imported from.
#[derive(Clone, Debug, Default)]
pub struct BlobState(Option<GitState>);

impl BlobState {
    /// Of this commit; without one, nothing is known.
    ///
    /// # Errors
    /// When the stored state cannot be read.
    pub fn of(commit: Option<&Commit>) -> Result<Self> {
        let state = commit.map(|commit| GitState::decode(&commit.state));
        Ok(Self(state.transpose().map_err(broken_object)?))
    }

    /// The blob of the file at a path, in hexadecimal.
    ///
    /// # Errors
    /// When the stored state cannot be read.
    pub fn oid(&self, objects: &dyn Objects, path: &str) -> Result<Option<String>> {
        let Some(state) = &self.0 else {
            return Ok(None);
        };
        let entry = state.get(objects, path).map_err(broken_object)?;
        Ok(entry.and_then(|entry| entry.blob()).map(|blob| blob.to_string()))
    }

    /// The path of a file in the repository, from its path in the content.
    pub fn repository_path(&self, path: &str) -> String {
        let prefix = self.0.as_ref().map_or("", |state| state.prefix.as_str());
        format!("{prefix}{path}")
    }
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
