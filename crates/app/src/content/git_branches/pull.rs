//! Transfers the changes of branches into change requests.

use bindery_git::import::{GitState, ImportResult, Previous};
use bindery_git::{CommitFolder, Folder as _, LargeFiles, Remote};
use bindery_model::{ChangeRequestId, SpaceId};
use bindery_revision::{Content, Objects};
use bindery_store::change_requests::{self, ChangeRequest};
use bindery_store::git_branches::{self, GitBranch};
use bindery_store::spaces::{self, Space};
use bindery_store::{StoreError, Tx, git_states, revisions};

use super::open::{Received, Target};
use super::patterns;
use super::report::Hosted;
use super::run::{BranchRun, Listing};
use crate::App;
use crate::content::git;
use crate::content::imports::{Source, build, git_failure, import_failure, merge_into};
use crate::content::snapshot::{self, Snapshot};
use crate::content::synced_content::SyncedContent;
use crate::jobs::JobFailure;

/// Maximum number of open change requests of a space that began as branches.
const MAX_OPEN: usize = 200;

/// Maximum number of branches whose change requests are compared with an import.
const MAX_PROPOSED: u32 = 200;

/// The state of the space before the changes of a branch are received.
pub(super) struct Before {
    pub(super) space: Space,
    /// The main content.
    pub(super) main: Snapshot,
    /// The content on which the space and its own branch agreed last.
    agreed: Option<SyncedContent>,
    /// The change request of the branch, if it is open.
    pub(super) open: Option<OpenProposal>,
}

/// An open change request and the agreement with its branch.
pub(super) struct OpenProposal {
    pub(super) row: ChangeRequest,
    pub(super) head: Content,
    /// The content of the branch.
    pub(super) branch: SyncedContent,
    /// The content of the change request whose changes the branch has.
    pub(super) shared: Content,
}

impl OpenProposal {
    /// Reads the change request of a branch; `None` if it is not open or has no agreement.
    pub(super) fn read(
        app: &App,
        tx: &Tx<'_>,
        branch: &GitBranch,
    ) -> bindery_model::Result<Option<Self>> {
        let (Some(id), Some(object), Some(state), Some(shared)) =
            (branch.change_request, branch.object, &branch.state, branch.shared)
        else {
            return Ok(None);
        };
        let Some(row) = open_change_request(tx, branch, id)? else { return Ok(None) };
        let Some(head) = revisions::get(tx, row.space, row.head)? else { return Ok(None) };
        let content = |object| -> bindery_model::Result<Content> {
            Ok(snapshot::revision(app, tx, object)?.content.clone())
        };
        let oid = Some(branch.oid.clone());
        Ok(Some(Self {
            head: content(&head.object)?,
            branch: SyncedContent::read(app, tx, object, state, oid)?,
            shared: content(&shared)?,
            row,
        }))
    }
}

/// Returns the contents of open change requests that have branches, up to [`MAX_PROPOSED`].
///
/// # Errors
/// Returns an error if the store fails.
pub(in crate::content) fn proposed(
    app: &App,
    tx: &Tx<'_>,
    space: SpaceId,
) -> bindery_model::Result<Vec<Content>> {
    let mut contents = Vec::new();
    for branch in git_branches::list(tx, space, "", MAX_PROPOSED)? {
        if let Some(open) = OpenProposal::read(app, tx, &branch)? {
            contents.push(open.head);
        }
    }
    Ok(contents)
}

fn open_change_request(
    tx: &Tx<'_>,
    branch: &GitBranch,
    id: ChangeRequestId,
) -> Result<Option<ChangeRequest>, StoreError> {
    let row = change_requests::get(tx, branch.space, id)?;
    Ok(row.filter(|row| row.status.is_pending()))
}

impl BranchRun<'_> {
    /// Transfers the changes of all branches that moved.
    pub(super) fn pull_all(
        &self,
        remote: &Remote,
        hosted: Option<&Hosted>,
        listing: &Listing,
    ) -> Result<(), JobFailure> {
        if !self.imports() {
            return Ok(());
        }
        let rows = self.rows()?;
        let mut open = rows.iter().filter(|row| row.change_request.is_some()).count();
        for (name, oid) in listing {
            let row = rows.iter().find(|row| row.reference == *name);
            let is_new = row.is_none_or(|row| row.change_request.is_none());
            // The main content has a branch of its own, whose commits the server makes.
            let is_followed = match row {
                Some(row) => !row.created_here || row.change_request.is_some(),
                None => true,
            } && (!is_new || patterns::is_imported(&self.sync.settings, name));
            if !is_followed || row.is_some_and(|row| row.oid == *oid) {
                continue;
            }
            if is_new && open >= MAX_OPEN {
                tracing::info!(job = %self.job.id, "too many branches are change requests");
                break;
            }
            let row = row.cloned().unwrap_or_else(|| self.unknown(name));
            let outcome = self.pull(remote, hosted, row.clone());
            open += usize::from(self.kept(Some(row), outcome)? && is_new);
        }
        Ok(())
    }

    /// Returns the state of a branch that is not known yet.
    pub(super) fn unknown(&self, reference: &str) -> GitBranch {
        GitBranch {
            space: self.sync.space,
            reference: reference.to_owned(),
            change_request: None,
            oid: String::new(),
            object: None,
            state: None,
            shared: None,
            created_here: false,
            documentation_only: true,
            base: None,
            pull_request: None,
            reported: None,
            error: None,
            updated_at: self.app.clock.now(),
        }
    }

    /// Transfers the changes of one branch. Returns `true` if it has a change request afterwards.
    fn pull(
        &self,
        remote: &Remote,
        hosted: Option<&Hosted>,
        branch: GitBranch,
    ) -> Result<bool, JobFailure> {
        self.running.report(0, None, "receiving a branch");
        let before = self.before(&branch)?;
        let reference = self.name(&branch.reference)?;
        let known = before.open.as_ref().and_then(|open| open.branch.oid.as_deref());
        let known = known.or(before.agreed.as_ref().and_then(|agreed| agreed.oid.as_deref()));
        let request = self.fetch_request(remote, &reference, known);
        let folder = self.app.fetcher.fetch(&request).map_err(git_failure)?.folder;
        let fork;
        let base = match &before.open {
            Some(open) => &open.branch,
            None => {
                fork = self.fork(remote, &branch, &before)?;
                &fork
            }
        };
        let ours = before.open.as_ref().map_or(&before.main.revision.content, |open| &open.head);
        let large_files = self.app.fetcher.large_files(&request);
        let imported = self.build(&folder, &large_files, base, Some(ours))?;
        let documentation_only = (before.open.is_none() || branch.documentation_only)
            && self.is_documentation(&folder, base, &imported)?;
        let branch = GitBranch {
            oid: folder.commit().oid.clone(),
            documentation_only,
            base: if before.open.is_some() { branch.base.clone() } else { base.oid.clone() },
            error: None,
            updated_at: self.app.clock.now(),
            ..branch
        };
        match &before.open {
            Some(open) => self.continue_with(&before, open, branch, imported, folder.commit()),
            None if imported.content == base.content => self.remember(branch),
            None => {
                let main = &before.main.revision.content;
                let content = merge_into(self.app, &base.content, &imported.content, main)?;
                if content == *main {
                    return self.remember(branch);
                }
                let commit = folder.commit();
                let received = Received { branch, imported, commit: commit.clone(), content };
                let target = Target { space: before.space.id, main: before.main.row.id };
                self.open(hosted, target, received)
            }
        }
    }

    /// Remembers a branch without a change request.
    fn remember(&self, branch: GitBranch) -> Result<bool, JobFailure> {
        let branch = GitBranch { object: None, state: None, shared: None, ..branch };
        self.write(move |tx| Ok(git_branches::set(tx, &branch)?))?;
        Ok(false)
    }

    /// Adds the changes of a branch to its change request.
    fn continue_with(
        &self,
        before: &Before,
        open: &OpenProposal,
        branch: GitBranch,
        imported: ImportResult,
        commit: &bindery_git::CommitInfo,
    ) -> Result<bool, JobFailure> {
        let base = &open.branch.content;
        let content = merge_into(self.app, base, &open.head, &imported.content)?;
        let shared = match open.head == open.shared {
            true => content.clone(),
            false => merge_into(self.app, base, &open.shared, &imported.content)?,
        };
        let received = Received { branch, imported, commit: commit.clone(), content };
        self.advance(before.space.id, &open.row, &open.head, shared, received)?;
        Ok(true)
    }

    fn before(&self, branch: &GitBranch) -> Result<Before, JobFailure> {
        let (app, id) = (self.app, self.sync.space);
        let read = app.store.read_sync(|tx| {
            let space = spaces::get(tx, id)?.filter(|space| space.deleted_at.is_none());
            let Some(space) = space else { return Ok(None) };
            let row = git_states::get(tx, id)?;
            Ok(Some(Before {
                main: Snapshot::of(app, tx, &space, None)?,
                agreed: SyncedContent::of_main(app, tx, id, space.head, row.as_ref())?,
                open: OpenProposal::read(app, tx, branch)?,
                space,
            }))
        });
        read.map_err(JobFailure::internal)?
            .ok_or_else(|| JobFailure::fatal("space-deleted", "the space was deleted"))
    }

    /// Returns the content of the commit at which a branch leaves the branch of the space.
    fn fork(
        &self,
        remote: &Remote,
        branch: &GitBranch,
        before: &Before,
    ) -> Result<SyncedContent, JobFailure> {
        let agreed = before.agreed.as_ref().ok_or_else(|| {
            JobFailure::fatal("not-synchronised", "the space has no common state with its branch")
        })?;
        let (reference, main) =
            (self.name(&branch.reference)?, self.name(&self.request.reference)?);
        let request = self.fetch_request(remote, &reference, None);
        let fork = self.app.fetcher.merge_base(&request, &main).map_err(git_failure)?;
        let fork = fork.ok_or_else(|| {
            JobFailure::fatal(
                "unrelated-history",
                format!(
                    "{} and {} have no commit in common within the last 1,000 commits",
                    branch.reference, self.request.reference
                ),
            )
        })?;
        if agreed.oid.as_ref() == Some(&fork) {
            return Ok(agreed.clone());
        }
        let commit = self.name(&fork)?;
        let request = self.fetch_request(remote, &commit, agreed.oid.as_deref());
        let folder = self.app.fetcher.fetch(&request).map_err(git_failure)?.folder;
        let large_files = self.app.fetcher.large_files(&request);
        let imported = self.build(&folder, &large_files, agreed, None)?;
        Ok(agreed.with_commit(imported.content, imported.state, fork))
    }

    /// Builds the content of a commit, as edits of the content of another one.
    fn build(
        &self,
        folder: &CommitFolder,
        large_files: &dyn LargeFiles,
        previous: &SyncedContent,
        present: Option<&Content>,
    ) -> Result<ImportResult, JobFailure> {
        let source = Source {
            directory: &self.request.directory,
            tree_url: self.request.tree_url.clone(),
            large_files: Some(large_files),
            reread: false,
        };
        let previous = Previous {
            content: &previous.content,
            state: Some(&previous.state),
            commit: previous.oid.as_deref(),
            present: present.filter(|present| **present != previous.content),
            proposed: &[],
        };
        build(self.app, self.running, folder, source, previous).map_err(import_failure)
    }

    /// Returns `true` if all files that a branch changed belong to the documentation.
    fn is_documentation(
        &self,
        folder: &CommitFolder,
        base: &SyncedContent,
        imported: &ImportResult,
    ) -> Result<bool, JobFailure> {
        let Some(from) = base.oid.as_deref() else { return Ok(false) };
        self.changed_documentation_only(folder, from, [&base.state, &imported.state])
    }

    /// Returns `true` if all files that differ between two commits belong to the documentation of
    /// one of these states.
    pub(super) fn changed_documentation_only(
        &self,
        folder: &CommitFolder,
        from: &str,
        states: [&GitState; 2],
    ) -> Result<bool, JobFailure> {
        let Ok(Some(changed)) = folder.changed_since(from) else { return Ok(false) };
        let objects = self.app.store.objects();
        for path in changed {
            let path = path.as_str();
            let mut is_known = false;
            for state in states {
                if let Some(inner) = path.strip_prefix(state.prefix.as_str()) {
                    is_known |= known_path(state, &objects, inner)?;
                }
            }
            if !is_known {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn known_path(state: &GitState, objects: &dyn Objects, path: &str) -> Result<bool, JobFailure> {
    let found = state.get(objects, path);
    Ok(found.map_err(|error| JobFailure::internal(snapshot::broken_object(error)))?.is_some())
}

/// Returns the encoded state of an import.
pub(super) fn encoded(imported: &ImportResult) -> Result<Vec<u8>, JobFailure> {
    git::encode(&imported.state).map_err(JobFailure::internal)
}
