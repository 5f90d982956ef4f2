//! The origin of an import from Git: the commit and its repository.

use bindery_model::Timestamp;
use bindery_store::git_states::{GitState as GitRow, Provider};
use bindery_store::revisions::Commit;

/// The origin of an import, as stored with the revision and the space.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    pub(super) url: String,
    pub(super) reference: String,
    pub(super) directory: String,
    pub(super) oid: String,
    pub(super) message: String,
    pub(super) commit_url: Option<String>,
    pub(super) tree_url: Option<String>,
    pub(super) event_at: Option<Timestamp>,
    pub(super) provider: Provider,
}

impl Origin {
    /// Returns the repository, the ref and the directory, which name a branch.
    pub(super) fn branch(&self) -> (&str, &str, &str) {
        (&self.url, &self.reference, &self.directory)
    }

    /// Returns the new Git state of a space after an import from this origin; `before` is its
    /// previous state.
    pub(super) fn state(&self, state: Vec<u8>, before: Option<&GitRow>, now: Timestamp) -> GitRow {
        // A request without a hosting service keeps the previous one of the same repository.
        let same = before.filter(|before| before.url == self.url);
        let provider = self.provider.clone().or(same.map(|before| &before.provider));
        GitRow {
            url: self.url.clone(),
            reference: self.reference.clone(),
            directory: self.directory.clone(),
            oid: self.oid.clone(),
            state,
            tree_url: self.tree_url.clone(),
            updated_at: now,
            event_at: self.event_at.max(before.and_then(|before| before.event_at)),
            provider,
        }
    }

    /// Returns the commit, for the revision that was imported from it.
    pub(super) fn commit(&self, state: Vec<u8>) -> Commit {
        Commit {
            oid: self.oid.clone(),
            message: self.message.clone(),
            reference: self.reference.clone(),
            url: self.commit_url.clone(),
            state,
            created_here: false,
        }
    }
}
