//! Pull requests of branches at hosting services, and the reports on their previews.

use bindery_model::{ErrorKind, Result};
use bindery_store::git_branches::PullRequestOfBranch;

use super::run::BranchRun;
use crate::jobs::JobFailure;
use crate::review::rich_text::{self, RichText};

/// The hosting service of a repository.
pub(super) enum Hosted {}

/// A pull request that was closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PullRequestEnd {
    Merged,
    Closed,
}

/// A pull request at the service.
pub(super) struct Found {
    pub(super) title: String,
    pub(super) body: String,
    pub(super) is_draft: bool,
}

impl Found {
    pub(super) fn stored(self) -> PullRequestOfBranch {
        PullRequestOfBranch { number: 0, url: String::new(), title: self.title }
    }
}

impl Hosted {
    pub(super) fn of(_: &BranchRun<'_>) -> Option<Self> {
        None
    }

    pub(super) fn find(&self, _: &BranchRun<'_>, _: &str) -> Option<Found> {
        match *self {}
    }

    pub(super) fn end(&self, _: &BranchRun<'_>, _: &PullRequestOfBranch) -> Option<PullRequestEnd> {
        match *self {}
    }

    pub(super) fn close(
        &self,
        _: &BranchRun<'_>,
        _: &PullRequestOfBranch,
    ) -> std::result::Result<(), JobFailure> {
        match *self {}
    }
}

impl BranchRun<'_> {
    pub(super) fn open_pull_requests(
        &self,
        _: Option<&Hosted>,
    ) -> std::result::Result<(), JobFailure> {
        Ok(())
    }

    pub(super) fn report_all(&self, _: Option<&Hosted>) -> std::result::Result<(), JobFailure> {
        Ok(())
    }
}

/// Returns a text of the repository as the description of a change request; `None` if it has no
/// visible content or is too long.
pub(super) fn description(text: &str) -> Result<Option<String>> {
    if text.is_empty() {
        return Ok(None);
    }
    match rich_text::store("/description", &RichText::Markdown(text.to_owned())) {
        Ok(stored) => Ok(Some(stored)),
        Err(error) if error.kind() == ErrorKind::Internal => Err(error),
        Err(_) => Ok(None),
    }
}
