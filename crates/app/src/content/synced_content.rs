//! Contents that agree with the files of a commit: what a space and a branch agreed on last.

use bindery_git::import::GitState;
use bindery_model::{Result, RevisionId, SpaceId};
use bindery_revision::{Content, Hash, Revision};
use bindery_store::git_exports::GitExport;
use bindery_store::git_states::GitState as GitRow;
use bindery_store::revisions::{self, ImportBase};
use bindery_store::{StoreError, Tx};

use crate::App;
use crate::content::git;
use crate::content::snapshot::{self, Snapshot};

/// A content, and the files of the repository that it agrees with.
#[derive(Clone, Debug)]
pub(super) struct SyncedContent {
    /// The object of the revision.
    pub(super) object: Hash,
    pub(super) content: Content,
    /// The parents of the revision.
    parents: Vec<RevisionId>,
    pub(super) state: GitState,
    /// The commit; `None` if it is not known, or has changes that the content lacks.
    pub(super) oid: Option<String>,
}

impl SyncedContent {
    /// Reads the content of a revision's object. `state` is encoded.
    pub(super) fn read(
        app: &App,
        tx: &Tx<'_>,
        object: Hash,
        state: &[u8],
        oid: Option<String>,
    ) -> Result<Self> {
        let revision = snapshot::revision(app, tx, &object)?;
        let oid = oid.filter(|oid| !oid.is_empty());
        let Revision { content, parents, .. } = revision.as_ref().clone();
        Ok(Self { object, content, parents, state: git::decode(state)?, oid })
    }

    /// Returns the content on which the main content and the repository agreed last; `None` if the
    /// space was never synchronised. `row` is the Git state of the space.
    pub(super) fn of_main(
        app: &App,
        tx: &Tx<'_>,
        space: SpaceId,
        head: RevisionId,
        row: Option<&GitRow>,
    ) -> Result<Option<Self>> {
        let Some(ImportBase { object, state }) = revisions::import_base(tx, space, head)? else {
            return Ok(None);
        };
        // The commit belongs to the state of the row.
        let oid = row.filter(|row| row.state == state).map(|row| row.oid.clone());
        Self::read(app, tx, object, &state, oid).map(Some)
    }

    /// Returns a revision of the main content with the commit that has exactly its content; `None` if
    /// no commit is known to have it.
    pub(super) fn of_revision(
        app: &App,
        tx: &Tx<'_>,
        space: SpaceId,
        revision: &Snapshot,
    ) -> Result<Option<Self>> {
        let id = revision.row.id;
        let Some(ImportBase { object, state }) = revisions::import_base(tx, space, id)? else {
            return Ok(None);
        };
        let Some(commit) = revisions::commit(tx, space, id)?.filter(|commit| commit.state == state)
        else {
            return Ok(None);
        };
        let synced = Self::read(app, tx, object, &state, Some(commit.oid))?;
        Ok((synced.content == revision.revision.content).then_some(synced))
    }

    /// Returns the content of the last export to a branch.
    pub(super) fn of_export(app: &App, tx: &Tx<'_>, export: GitExport) -> Result<Self> {
        let GitExport { object, state, oid, .. } = export;
        Self::read(app, tx, object, &state, Some(oid))
    }

    /// Returns the content of another commit, whose objects are not stored as a revision.
    pub(super) fn with_commit(&self, content: Content, state: GitState, oid: String) -> Self {
        Self { content, state, oid: Some(oid), ..self.clone() }
    }

    /// Returns the newest revision of the main content whose changes the repository has. A content
    /// that an import merged is not in the history itself; its parent is that revision.
    pub(super) fn newest_shared(
        &self,
        tx: &Tx<'_>,
        space: SpaceId,
    ) -> Result<Option<RevisionId>, StoreError> {
        let row = revisions::get_by_object(tx, space, &self.object)?;
        Ok(row.map(|row| row.id).or_else(|| self.parents.first().copied()))
    }
}
