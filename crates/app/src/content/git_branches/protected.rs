//! Proposes the changes of the main content by a branch if the server does not accept them.

use bindery_git::export::Person;
use bindery_store::git_branches::{self, GitBranch};
use bindery_store::spaces::{self, Space};
use bindery_store::{JobError, StoreError, git_states};

use super::names::free_name;
use super::patterns::BRANCHES;
use super::push::Outgoing;
use super::report::{Hosted, short};
use super::run::BranchRun;
use crate::content::exports::since;
use crate::content::git_sync::message_since;
use crate::content::snapshot::{self, Snapshot};
use crate::content::synced_content::SyncedContent;
use crate::jobs::JobFailure;

impl BranchRun<'_> {
    /// Writes the main content to a branch of its own, because the server refused `error`, and
    /// opens a pull request at a known hosting service. Returns a message that names both.
    pub(in crate::content) fn propose_main(&self, error: &JobError) -> Result<String, JobFailure> {
        let remote = self.request.remote(self.app, self.organization)?;
        let hosted = Hosted::of(self);
        let mut listing = self.list(&remote)?;
        let rows = self.rows()?;
        let known = rows.into_iter().find(is_of_main);
        let known = known.filter(|branch| listing.contains_key(&branch.reference));
        let outgoing = self.main(known.as_ref())?;
        let content = self.content(&outgoing)?;
        let is_new = known.is_none();
        let branch = match known {
            Some(branch) => branch,
            None => {
                let main = short(&self.request.reference);
                let name = format!("{BRANCHES}{}{main}", self.sync.settings.branch_prefix);
                let name = free_name(&name, &listing);
                let branch = GitBranch { created_here: true, ..self.unknown(&name) };
                self.begin(branch, &outgoing)?
            }
        };
        let name = branch.reference.clone();
        if (is_new || content != outgoing.there.content)
            && self.write_branch(&remote, branch, is_new, &outgoing, &content, &mut listing)?
        {
            return Err(JobFailure::fatal("contended", "the branch moved while it was written"));
        }
        let space = self.sync.space;
        let branch = self.app.store.read_sync(|tx| git_branches::get(tx, space, &name))?;
        let branch = branch.ok_or_else(|| JobFailure::fatal("internal", "a branch vanished"))?;
        let url = match (&hosted, &branch.pull_request) {
            (_, Some(known)) => Some(known.url.clone()),
            (Some(hosted), None) => {
                let title = format!("Update {}", outgoing.space.title);
                Some(self.propose(hosted, branch, title, String::new(), false)?.url)
            }
            (None, None) => None,
        };
        let place = url.map_or_else(String::new, |url| format!(", pull request {url}"));
        let (name, reason) = (short(&name), &error.message);
        Ok(format!("the changes of the space are in the branch {name}{place}: {reason}"))
    }

    /// Reads the main content and the agreement with the branch that proposes it, or with that of
    /// the space.
    fn main(&self, branch: Option<&GitBranch>) -> Result<Outgoing, JobFailure> {
        let (app, id) = (self.app, self.sync.space);
        let read = app.store.read_sync(|tx| {
            let Some(space) = spaces::get(tx, id)? else { return Ok(None) };
            let head = Snapshot::of(app, tx, &space, None)?;
            let (there, shared) = match branch {
                Some(GitBranch {
                    oid,
                    object: Some(object),
                    state: Some(state),
                    shared: Some(shared),
                    ..
                }) => {
                    let there = SyncedContent::read(app, tx, *object, state, Some(oid.clone()))?;
                    (there, snapshot::revision(app, tx, shared)?.content.clone())
                }
                _ => {
                    let row = git_states::get(tx, id)?;
                    let agreed = SyncedContent::of_main(app, tx, id, space.head, row.as_ref())?;
                    let Some(agreed) = agreed else { return Ok(None) };
                    let shared = agreed.content.clone();
                    (agreed, shared)
                }
            };
            Ok(Some(Outgoing {
                row: None,
                authored_at: head.row.created_at,
                head: head.revision.content.clone(),
                shared,
                there,
                main: None,
                authors: Vec::new(),
                is_last: true,
                space,
            }))
        });
        read.map_err(JobFailure::internal)?.ok_or_else(|| {
            JobFailure::fatal("not-synchronised", "the space has no common state with its branch")
        })
    }

    /// Returns the message and the authors of the changes of the main content that a commit lacks.
    pub(super) fn main_text(
        &self,
        space: &Space,
        there: &SyncedContent,
    ) -> Result<(String, Vec<Person>), JobFailure> {
        let text = &self.sync.settings.commit_message;
        let read = self.app.store.read_sync(|tx| {
            let shared = there.newest_shared(tx, space.id)?;
            let authors = since(tx, space.id, space.head, shared)?;
            Ok::<_, StoreError>((message_since(tx, text, space, shared)?, authors))
        });
        Ok(read?)
    }

    /// Returns `true` if the main content and its branch agree, so that nothing is to be proposed.
    pub(super) fn is_main_agreed(&self) -> Result<bool, JobFailure> {
        let outgoing = self.main(None)?;
        Ok(outgoing.there.oid.is_some() && outgoing.head == outgoing.shared)
    }
}

/// Returns `true` if a branch proposes changes of the main content.
pub(super) fn is_of_main(branch: &GitBranch) -> bool {
    branch.created_here && branch.change_request.is_none() && branch.object.is_some()
}
