//! Transfers the changes of change requests to their branches.

use bindery_git::export::{CommitText, Exported, Synced};
use bindery_git::{CommitFolder, FilesInMemory, Pushed, Remote};
use bindery_model::{ChangeRequestExport, Timestamp, UserId};
use bindery_revision::merge::merge_into_repository;
use bindery_revision::{Author, Content, ContentKind, Revision, Staging};
use bindery_store::change_requests::{self, ChangeRequest, ChangeRequestFilter, ListScope, Status};
use bindery_store::git_branches::{self, GitBranch};
use bindery_store::spaces::{self, Space};
use bindery_store::{Tx, git_states, import_change_requests};

use super::pull::OpenProposal;
use super::run::{BranchRun, Listing};
use super::stages::Stage;
use crate::content::exports::{
    self, CommitPlan, commit_text, of_change_request, people, refusal, state_after,
};
use crate::content::git;
use crate::content::imports::{git_failure, put, put_revision};
use crate::content::snapshot::{Snapshot, broken_tree};
use crate::content::synced_content::SyncedContent;
use crate::content::texts::DocumentBodies;
use crate::jobs::JobFailure;

/// Maximum number of change requests that are considered in a run.
const MAX_CONSIDERED: u32 = 1_000;

/// A content with changes that its branch lacks.
pub(super) struct Outgoing {
    pub(super) space: Space,
    /// The change request; `None` if the content is the main one.
    pub(super) row: Option<ChangeRequest>,
    /// The time of the changes.
    pub(super) authored_at: Timestamp,
    /// The people who made the changes; empty if that is not known.
    pub(super) authors: Vec<UserId>,
    /// The content with the changes.
    pub(super) head: Content,
    /// The content whose changes the branch has.
    pub(super) shared: Content,
    /// The content of the branch or, for a new one, that of the commit at which it begins.
    pub(super) there: SyncedContent,
    /// The content on which the space and its own branch agree, if the only change is an update to
    /// it.
    pub(super) main: Option<SyncedContent>,
    /// `true` if there are no further changes for another commit.
    pub(super) is_last: bool,
}

/// The result of the transfer of one commit.
enum Progress {
    /// The branch has all changes.
    Done,
    /// The branch has one more commit, and lacks further changes.
    More,
    /// The branch moved meanwhile.
    Moved,
}

impl BranchRun<'_> {
    /// Transfers the changes of all open change requests. Returns `true` if a branch moved
    /// meanwhile.
    pub(super) fn push_all(
        &self,
        remote: &Remote,
        listing: &mut Listing,
    ) -> Result<bool, JobFailure> {
        if !self.exports() {
            return Ok(false);
        }
        let rows = self.rows()?;
        let is_each = self.sync.settings.change_request_export != ChangeRequestExport::None;
        let mut has_moved = false;
        for row in self.open_change_requests()? {
            let branch = rows.iter().find(|branch| branch.change_request == Some(row.id)).cloned();
            if branch.is_none() && !is_each {
                continue;
            }
            let outcome = self.push(remote, branch, &row, listing);
            // A new branch is remembered before it is written.
            let id = row.id;
            let branch = self.app.store.read_sync(|tx| git_branches::of_change_request(tx, id))?;
            has_moved |= self.kept(branch, outcome)?;
        }
        Ok(has_moved)
    }

    /// Lists the drafts and open change requests, oldest first, without the one that holds an
    /// import.
    fn open_change_requests(&self) -> Result<Vec<ChangeRequest>, JobFailure> {
        let space = self.sync.space;
        let list = self.app.store.read_sync(|tx| {
            let import = import_change_requests::get(tx, space)?;
            let mut list = Vec::new();
            for status in [Status::Draft, Status::Open] {
                let filter = ChangeRequestFilter { status: Some(status), ..Default::default() };
                let scope = ListScope::Space(space);
                list.extend(change_requests::list(tx, scope, &filter, None, MAX_CONSIDERED)?);
            }
            list.retain(|row| import.as_ref().is_none_or(|import| import.change_request != row.id));
            list.sort_by_key(|row| row.number);
            Ok::<_, bindery_store::StoreError>(list)
        });
        Ok(list?)
    }

    /// Transfers the changes of a change request. Returns `true` if its branch moved meanwhile.
    fn push(
        &self,
        remote: &Remote,
        mut branch: Option<GitBranch>,
        row: &ChangeRequest,
        listing: &mut Listing,
    ) -> Result<bool, JobFailure> {
        loop {
            match self.push_commit(remote, branch.as_ref(), row, listing)? {
                Progress::Done => return Ok(false),
                Progress::Moved => return Ok(true),
                Progress::More => {}
            }
            let id = row.id;
            branch = self.app.store.read_sync(|tx| git_branches::of_change_request(tx, id))?;
        }
    }

    fn push_commit(
        &self,
        remote: &Remote,
        branch: Option<&GitBranch>,
        row: &ChangeRequest,
        listing: &mut Listing,
    ) -> Result<Progress, JobFailure> {
        let known = branch.filter(|branch| !branch.oid.is_empty());
        let Some(outgoing) = self.outgoing(known, row)? else { return Ok(Progress::Done) };
        if outgoing.head == outgoing.shared {
            return Ok(Progress::Done);
        }
        // The branch has changes that were not received.
        if self.imports() && known.is_some_and(|known| is_elsewhere(known, listing)) {
            return Ok(Progress::Moved);
        }
        let content = self.content(&outgoing)?;
        if content == outgoing.there.content && outgoing.is_last {
            return Ok(Progress::Done);
        }
        let branch = match (known, branch) {
            (Some(known), _) => known.clone(),
            (None, Some(former)) if !listing.contains_key(&former.reference) => {
                self.begin(former.clone(), &outgoing)?
            }
            (None, former) => {
                // Somebody else made a branch with the name of the former one.
                if let Some(former) = former {
                    self.forget(former.clone())?;
                }
                let name = self.branch_name(row, listing);
                self.begin(GitBranch { created_here: true, ..self.unknown(&name) }, &outgoing)?
            }
        };
        self.running.report(0, None, "writing a branch");
        let is_new = known.is_none();
        let has_moved = self.write_branch(remote, branch, is_new, &outgoing, &content, listing)?;
        Ok(match outgoing.is_last {
            _ if has_moved => Progress::Moved,
            true => Progress::Done,
            false => Progress::More,
        })
    }

    /// Remembers a new branch at the commit at which it begins, before it is written. If the server
    /// stops between the push and the end of this transfer, the next run finds a branch that has
    /// moved, and receives what it has already.
    pub(super) fn begin(
        &self,
        branch: GitBranch,
        outgoing: &Outgoing,
    ) -> Result<GitBranch, JobFailure> {
        let Outgoing { row, shared, there, .. } = outgoing;
        let oid = there.oid.clone().ok_or_else(not_synchronised)?;
        let branch = GitBranch {
            base: Some(oid.clone()),
            oid,
            state: Some(git::encode(&there.state).map_err(JobFailure::internal)?),
            change_request: row.as_ref().map(|row| row.id),
            updated_at: self.app.clock.now(),
            ..branch
        };
        self.agree(branch, &there.content, shared)
    }

    /// Builds the commit of a content and pushes it. Returns `true` if the branch moved.
    pub(super) fn write_branch(
        &self,
        remote: &Remote,
        branch: GitBranch,
        is_new: bool,
        outgoing: &Outgoing,
        content: &Content,
        listing: &mut Listing,
    ) -> Result<bool, JobFailure> {
        let from = outgoing.there.oid.clone().ok_or_else(not_synchronised)?;
        let (reference, start) = (self.name(&branch.reference)?, self.name(&from)?);
        let start = if is_new { &start } else { &reference };
        let request = self.fetch_request(remote, start, Some(&from));
        let folder = self.app.fetcher.fetch(&request).map_err(git_failure)?.folder;
        // Without imports, changes of others stay in the branch, and those of the same lines are
        // conflicts.
        let may_differ = outgoing.row.is_none() || !self.imports();
        let tip = folder.commit().oid.clone();
        if tip != from && !may_differ {
            return Ok(true);
        }
        let mut branch = branch;
        let merged = self.merged_main(remote, &branch, outgoing)?;
        let text = self.text(&branch, outgoing)?;
        let parents = merged.as_slice();
        let (exported, state) =
            self.build_commit(&folder, is_new, outgoing, content, (&text, parents))?;
        if let Some(main) = merged.first() {
            branch.base = Some(main.clone());
        }
        if let Some(commit) = &exported.commit {
            let request = self.fetch_request(remote, &reference, None);
            let old = (!is_new).then_some(tip.as_str());
            match exports::push(self.app, self.running, &request, old, &exported)? {
                Pushed::Done => {}
                Pushed::Moved => return Ok(true),
                Pushed::Refused(reason) => return Err(refusal(&reason)),
            }
            branch.oid.clone_from(&commit.oid);
            listing.insert(branch.reference.clone(), commit.oid.clone());
        }
        (branch.error, branch.updated_at) = (None, self.app.clock.now());
        branch.state = Some(state);
        self.agree(branch, content, &outgoing.head)?;
        Ok(false)
    }

    /// Returns the commit of the space's own branch, if a commit of this branch is a merge with it:
    /// the content has all of its changes, and it has no other changes than those of documentation
    /// since the last such commit.
    fn merged_main(
        &self,
        remote: &Remote,
        branch: &GitBranch,
        outgoing: &Outgoing,
    ) -> Result<Vec<String>, JobFailure> {
        let Some(main) = &outgoing.main else { return Ok(Vec::new()) };
        let (Some(tip), Some(base)) = (&main.oid, &branch.base) else { return Ok(Vec::new()) };
        if tip == base {
            return Ok(Vec::new());
        }
        let commit = self.name(tip)?;
        let request = self.fetch_request(remote, &commit, Some(base));
        let folder = self.app.fetcher.fetch(&request).map_err(git_failure)?.folder;
        let states = [&main.state, &outgoing.there.state];
        let is_merge = self.changed_documentation_only(&folder, base, states)?;
        Ok(is_merge.then(|| tip.clone()).into_iter().collect())
    }

    fn build_commit(
        &self,
        folder: &CommitFolder,
        is_new: bool,
        outgoing: &Outgoing,
        content: &Content,
        (text, merged): (&CommitText, &[String]),
    ) -> Result<(Exported, Vec<u8>), JobFailure> {
        let alone = FilesInMemory::new(Vec::new());
        let there = &outgoing.there;
        let plan = CommitPlan {
            content,
            synced: Some(Synced { content: &there.content, state: &there.state }),
            base: Some(folder),
            alone: &alone,
            is_copy: false,
            is_new,
            complete: false,
            force: false,
            directory: &self.request.directory,
            merged,
            text,
        };
        let (edits, exported) = plan.build(self.app, self.running)?;
        if !exported.conflicts.is_empty() {
            return Err(exports::conflict_failure(&exported.conflicts));
        }
        let known = Some(&outgoing.there.state);
        let state = state_after(self.app, content, known, &edits, &exported)?;
        Ok((exported, git::encode(&state).map_err(JobFailure::internal)?))
    }

    /// Stores a branch with the agreement on two contents: its own, and that of the change request
    /// whose changes it has.
    fn agree(
        &self,
        branch: GitBranch,
        there: &Content,
        shared: &Content,
    ) -> Result<GitBranch, JobFailure> {
        let revision = |content: &Content| Revision {
            parents: Vec::new(),
            kind: ContentKind::Edits,
            author: Author::System,
            created_at: branch.updated_at,
            message: None,
            content: content.clone(),
        };
        let (there, shared) = (revision(there), revision(shared));
        self.write(move |tx| {
            let branch = GitBranch {
                object: Some(put_revision(tx, &there)?),
                shared: Some(put_revision(tx, &shared)?),
                ..branch.clone()
            };
            git_branches::set(tx, &branch)?;
            Ok(branch)
        })
    }

    /// Reads a change request and the agreement with its branch; `None` if it is not open, or the
    /// space was never synchronised.
    fn outgoing(
        &self,
        branch: Option<&GitBranch>,
        row: &ChangeRequest,
    ) -> Result<Option<Outgoing>, JobFailure> {
        let (app, id) = (self.app, self.sync.space);
        let read = app.store.read_sync(|tx| {
            let Some(space) = spaces::get(tx, id)? else { return Ok(None) };
            let open = match branch {
                Some(branch) => OpenProposal::read(app, tx, branch)?,
                None => None,
            };
            if let Some(open) = open {
                let OpenProposal { row, head: _, branch: there, shared } = open;
                let at = |id| Snapshot::of(app, tx, &space, Some(id));
                let Some(stage) = Stage::next(at, row.head, &shared)? else { return Ok(None) };
                let main = match &stage.update {
                    Some(main) => self.synced_main(tx, &space, main)?,
                    None => None,
                };
                return Ok(Some(Outgoing {
                    row: Some(row),
                    authored_at: stage.created_at,
                    authors: stage.authors,
                    head: stage.content,
                    is_last: stage.is_last,
                    shared,
                    there,
                    main,
                    space,
                }));
            }
            let at = |id| Snapshot::of(app, tx, &space, Some(id));
            let (base, head) = (at(row.merged_ancestor)?, at(row.head)?);
            let state = git_states::get(tx, id)?;
            let agreed = SyncedContent::of_main(app, tx, id, space.head, state.as_ref())?;
            Ok(agreed.map(|there| Outgoing {
                row: Some(row.clone()),
                authored_at: head.row.created_at,
                authors: Vec::new(),
                head: head.revision.content.clone(),
                is_last: true,
                shared: base.revision.content.clone(),
                there,
                main: None,
                space,
            }))
        });
        read.map_err(JobFailure::internal)
    }

    /// Returns a main content with its commit, if the branch of the space has or had it.
    fn synced_main(
        &self,
        tx: &Tx<'_>,
        space: &Space,
        main: &Snapshot,
    ) -> bindery_model::Result<Option<SyncedContent>> {
        let state = git_states::get(tx, space.id)?;
        let agreed = SyncedContent::of_main(self.app, tx, space.id, space.head, state.as_ref())?;
        let agreed = agreed.filter(|agreed| agreed.content == main.revision.content);
        if agreed.is_some() {
            return Ok(agreed);
        }
        SyncedContent::of_revision(self.app, tx, space.id, main)
    }

    /// Returns the new content of a branch.
    pub(super) fn content(&self, outgoing: &Outgoing) -> Result<Content, JobFailure> {
        let Outgoing { head, shared, there, .. } = outgoing;
        if !head.conflicts.is_empty() {
            return Err(JobFailure::fatal(
                "conflict",
                "the change request has conflicts; resolve them, then its branch is updated",
            ));
        }
        if *shared == there.content {
            return Ok(head.clone());
        }
        let objects = self.app.store.objects();
        let mut staging = Staging::new(&objects);
        let merged =
            merge_into_repository(shared, &there.content, head, &mut staging, &mut DocumentBodies)
                .map_err(|error| JobFailure::internal(broken_tree(error)))?;
        if !merged.content.conflicts.is_empty() {
            return Err(JobFailure::fatal(
                "conflict",
                "the change request conflicts with the branch of the space; update it from the main \
                 content and resolve the conflicts, then its branch is updated",
            ));
        }
        put(self.app, staging, &merged.content)?;
        Ok(merged.content)
    }

    /// Returns the message and the authors of a commit.
    fn text(&self, branch: &GitBranch, outgoing: &Outgoing) -> Result<CommitText, JobFailure> {
        let Outgoing { space, row, authored_at, authors, .. } = outgoing;
        let settings = &self.sync.settings;
        let key = settings.signing_key.as_deref();
        let Some(row) = row else {
            let (message, authors) = self.main_text(space, &outgoing.there)?;
            return commit_text(self.app, &message, authors, *authored_at, key);
        };
        let since = (!branch.oid.is_empty()).then_some(branch.updated_at);
        let (message, authors) = self.app.store.read_sync(|tx| {
            let mut authors = authors.clone();
            if authors.is_empty() {
                authors = of_change_request(tx, row.id, since)?;
            }
            if authors.is_empty() {
                authors.push(row.created_by);
            }
            let authors = people(tx, &authors)?;
            let author = authors.first().map(|author| author.name.clone()).unwrap_or_default();
            let message =
                crate::content::git_sync::message_of(&settings.commit_message, space, row, author);
            Ok::<_, bindery_store::StoreError>((message, authors))
        })?;
        commit_text(self.app, &message, authors, *authored_at, key)
    }
}

/// Returns `true` if a branch is not at its known commit any more.
fn is_elsewhere(branch: &GitBranch, listing: &Listing) -> bool {
    listing.get(&branch.reference) != Some(&branch.oid)
}

fn not_synchronised() -> JobFailure {
    JobFailure::fatal("not-synchronised", "the branch of the space has changes to import")
}
