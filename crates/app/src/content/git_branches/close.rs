//! Closes change requests and branches whose changes were merged or given up on the other side.

use bindery_git::{Pushed, Remote};
use bindery_revision::Staging;
use bindery_revision::diff::diff;
use bindery_revision::merge::merge;
use bindery_store::change_requests::{self, ChangeRequest, Status};
use bindery_store::git_branches::{self, GitBranch};
use bindery_store::spaces::{self, Space};
use bindery_store::{Event, StoreError, Tx};

use super::protected::is_of_main;
use super::pull::OpenProposal;
use super::report::Hosted;
use super::run::{BranchRun, Listing};
use crate::content::git_hosting::PullRequestState;
use crate::content::imports::git_failure;
use crate::content::proposals;
use crate::content::snapshot::{Snapshot, broken_object, broken_tree};
use crate::content::texts::DocumentBodies;
use crate::jobs::JobFailure;
use crate::review::change_requests::counted;

/// Maximum number of merged branches that one commit has as parents.
const MAX_PARENTS: usize = 15;

/// The reason why a branch and its change request part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// The change request has no changes that the main content lacks.
    Merged,
    /// The pull request was closed, or a branch of others is gone, and the change request has no
    /// other changes.
    GivenUp,
    /// The branch is gone, but the change request began here, or has changes that it did not have.
    Left,
}

impl BranchRun<'_> {
    /// Returns the commits of branches whose change requests were merged into the main content and
    /// that contain nothing else. The next commit of the main content has them as parents.
    pub(in crate::content) fn merged(&self) -> Result<Vec<String>, JobFailure> {
        let mut merged = Vec::new();
        for branch in self.rows()? {
            if branch.documentation_only && !branch.oid.is_empty() {
                let row = self.row(&branch)?;
                if row.is_some_and(|row| row.status == Status::Merged) {
                    merged.push(branch.oid);
                }
            }
        }
        merged.truncate(MAX_PARENTS);
        Ok(merged)
    }

    /// Returns the change request of a branch.
    fn row(&self, branch: &GitBranch) -> Result<Option<ChangeRequest>, JobFailure> {
        let Some(id) = branch.change_request else { return Ok(None) };
        let space = self.sync.space;
        Ok(self.app.store.read_sync(|tx| change_requests::get(tx, space, id))?)
    }

    /// Closes what was closed on the other side.
    pub(super) fn close(
        &self,
        remote: &Remote,
        hosted: Option<&Hosted>,
        listing: &mut Listing,
    ) -> Result<(), JobFailure> {
        for branch in self.rows()? {
            let is_there = listing.contains_key(&branch.reference);
            if branch.change_request.is_none() {
                if !is_there {
                    self.forget(branch)?;
                } else if is_of_main(&branch) && self.is_main_agreed()? {
                    let closed = self.close_branch(remote, hosted, branch.clone(), false, listing);
                    self.kept(Some(branch), closed)?;
                }
                continue;
            }
            let row = self.row(&branch)?;
            let outcome = match row.as_ref().filter(|row| row.status.is_pending()) {
                Some(row) => self.close_change_request(hosted, &branch, row, is_there).map(Some),
                None => Ok(row.map(|row| row.status)),
            };
            let outcome = outcome.and_then(|status| match status {
                Some(status) if status.is_pending() => Ok(()),
                ended => {
                    let is_merged = ended == Some(Status::Merged);
                    self.close_branch(remote, hosted, branch.clone(), is_merged, listing)
                }
            });
            self.kept(Some(branch), outcome)?;
        }
        Ok(())
    }

    pub(super) fn forget(&self, branch: GitBranch) -> Result<(), JobFailure> {
        self.write(move |tx| Ok(git_branches::delete(tx, branch.space, &branch.reference)?))
    }

    /// Closes the branch of a change request that was merged or archived.
    fn close_branch(
        &self,
        remote: &Remote,
        hosted: Option<&Hosted>,
        branch: GitBranch,
        is_merged: bool,
        listing: &mut Listing,
    ) -> Result<(), JobFailure> {
        let is_there = listing.get(&branch.reference) == Some(&branch.oid);
        // The service sees that a branch was merged. One with changes of code is merged by people.
        let is_given_up = self.exports() && !is_merged;
        if let (Some(hosted), Some(of), true) = (hosted, &branch.pull_request, is_given_up) {
            hosted.close(self, of)?;
        }
        if branch.created_here && is_there && self.exports() {
            let reference = self.name(&branch.reference)?;
            let request = self.fetch_request(remote, &reference, None);
            let deleted = self.app.fetcher.delete_branch(&request, &branch.oid);
            if let Pushed::Refused(reason) = deleted.map_err(git_failure)? {
                tracing::info!(job = %self.job.id, reason, "a branch was not deleted");
            }
            listing.remove(&branch.reference);
            return self.forget(branch);
        }
        // Later pushes to the branch open another change request.
        self.part(branch)
    }

    /// Keeps a branch without its change request.
    fn part(&self, branch: GitBranch) -> Result<(), JobFailure> {
        let branch = GitBranch {
            change_request: None,
            object: None,
            state: None,
            shared: None,
            pull_request: None,
            reported: None,
            error: None,
            documentation_only: true,
            base: None,
            ..branch
        };
        self.write(move |tx| Ok(git_branches::set(tx, &branch)?))
    }

    /// Closes a change request whose branch was merged or given up, or opens the draft of a pull
    /// request that became ready for review. Returns its status.
    fn close_change_request(
        &self,
        hosted: Option<&Hosted>,
        branch: &GitBranch,
        row: &ChangeRequest,
        is_there: bool,
    ) -> Result<Status, JobFailure> {
        let was_there = !branch.oid.is_empty();
        let pull_request = branch.pull_request.as_ref().filter(|_| was_there).zip(hosted);
        let state = pull_request.and_then(|(known, hosted)| hosted.state(self, known));
        let end = self.end(branch, row, is_there || !was_there, state)?;
        let was_draft = pull_request.is_some_and(|(known, _)| known.draft);
        let is_ready = was_draft && state == Some(PullRequestState::Open);
        if end.is_none() && !is_ready {
            return Ok(row.status);
        }
        let (head, id, actor, known) = (row.head, row.id, self.job.actor, row.status);
        let (now, branch) = (self.app.clock.now(), branch.clone());
        self.write(move |tx| {
            // A change request that has changed meanwhile waits for the next run, in which the main
            // content comes first.
            let Some(space) = spaces::get(tx, branch.space)? else { return Ok(known) };
            let before = change_requests::get(tx, space.id, id)?;
            let Some(before) = before.filter(|row| row.head == head && row.status == known) else {
                return Ok(known);
            };
            let mut after = ChangeRequest { updated_at: now, ..before.clone() };
            match end {
                Some(End::Merged) => {
                    (after.status, after.merged) = (Status::Merged, Some(space.head));
                }
                Some(End::GivenUp) => after.status = Status::Archived,
                Some(End::Left) => {
                    // A further change of the change request makes another branch.
                    let mut branch = branch.clone();
                    (branch.oid, branch.pull_request, branch.reported) =
                        (String::new(), None, None);
                    git_branches::set(tx, &branch)?;
                    return Ok(known);
                }
                None => {
                    after.status = Status::Open;
                    let mut branch = branch.clone();
                    branch.pull_request.iter_mut().for_each(|known| known.draft = false);
                    git_branches::set(tx, &branch)?;
                }
            }
            if after.status != before.status {
                set_status(tx, &space, &before, &after, actor)?;
            }
            Ok(after.status)
        })
    }

    /// Returns the reason why a branch and its change request part; `None` if they do not.
    fn end(
        &self,
        branch: &GitBranch,
        row: &ChangeRequest,
        is_there: bool,
        pull_request: Option<PullRequestState>,
    ) -> Result<Option<End>, JobFailure> {
        let app = self.app;
        let read = app.store.read_sync(|tx| {
            let Some(space) = spaces::get(tx, branch.space)? else { return Ok(None) };
            let Some(open) = OpenProposal::read(app, tx, branch)? else { return Ok(None) };
            let at = |id| Snapshot::of(app, tx, &space, Some(id));
            Ok(Some((open, at(row.merged_ancestor)?, at(space.head)?)))
        });
        let Some((open, base, main)) = read.map_err(JobFailure::internal)? else { return Ok(None) };
        let (base, main) = (&base.revision.content, &main.revision.content);
        let objects = app.store.objects();
        let mut staging = Staging::new(&objects);
        let merged = merge(base, main, &open.head, &mut staging, &mut DocumentBodies)
            .map_err(|error| JobFailure::internal(broken_tree(error)))?;
        // The same change has another time on each side.
        let is_left = !merged.conflicts.is_empty()
            || !diff(main, &merged.content, &staging, 1)
                .map_err(|error| JobFailure::internal(broken_object(error)))?
                .changes
                .is_empty();
        // A change request that never had changes is not merged.
        if !is_left && open.head != *base {
            return Ok(Some(End::Merged));
        }
        let is_unchanged = open.head == open.shared;
        Ok(match pull_request {
            Some(PullRequestState::Merged) if is_unchanged => Some(End::Merged),
            Some(PullRequestState::Closed) if is_unchanged => Some(End::GivenUp),
            _ if is_there => None,
            _ if is_unchanged && !branch.created_here => Some(End::GivenUp),
            _ => Some(End::Left),
        })
    }
}

fn set_status(
    tx: &Tx<'_>,
    space: &Space,
    before: &ChangeRequest,
    after: &ChangeRequest,
    actor: Option<bindery_model::UserId>,
) -> Result<(), StoreError> {
    change_requests::update(tx, after)?;
    spaces::add_counts(tx, space.id, counted(Some(before.status), Some(after.status)))?;
    let event = match after.merged {
        Some(revision) => Event::ChangeRequestMerged { change_request: after.id, revision },
        None => Event::ChangeRequestUpdated {
            change_request: after.id,
            fields: vec!["status".to_owned()],
        },
    };
    proposals::record(tx, space, actor, event)
}
