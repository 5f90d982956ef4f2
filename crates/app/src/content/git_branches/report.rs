//! Pull requests of branches at hosting services, and the reports on their previews.

use bindery_model::{ChangeRequestExport, ErrorKind, Result};
use bindery_store::change_requests::{self, ChangeRequest, Status};
use bindery_store::git_branches::{self, GitBranch, PullRequestOfBranch};
use bindery_store::{JobError, Retry, git_installations, revisions};
use tokio::runtime::Handle;

use super::patterns::BRANCHES;
use super::run::BranchRun;
use crate::content::git_hosting::{
    CommitState, CommitStatus, HostedPlace, HostingClient, HostingError, NewPullRequest,
    PullRequest, PullRequestChange, PullRequestState, known_service, token,
};
use crate::content::snapshot;
use crate::jobs::JobFailure;
use crate::publishing::audience::preview;
use crate::review::rich_text::{self, RichText};

/// The name of the check that leads to the preview of a change request.
const CHECK: &str = "bindery/preview";

/// The hosting service of a repository, with the token to call it.
pub(super) struct Hosted {
    place: HostedPlace,
    token: String,
}

type Outcome<T> = std::result::Result<T, JobFailure>;

impl Hosted {
    /// Returns the hosting service of the repository of a run; `None` if it is not known, or there
    /// is no token for it.
    pub(super) fn of(run: &BranchRun<'_>) -> Option<Self> {
        let place = place(run)?;
        match token(run.app, run.request, run.organization) {
            Ok(token) => Some(Self { place, token }),
            Err(error) => {
                tracing::info!(job = %run.job.id, ?error, "the hosting service is not called");
                None
            }
        }
    }

    fn client<'a>(&'a self, run: &BranchRun<'a>) -> HostingClient<'a> {
        HostingClient::new(run.app, &self.place, &self.token)
    }

    /// Returns the open pull request of a branch; `None` if there is none, or the service fails.
    pub(super) fn find(&self, run: &BranchRun<'_>, reference: &str) -> Option<PullRequest> {
        let found = self.client(run).find_pull_request(short(reference));
        match Handle::current().block_on(found) {
            Ok(found) => found.filter(|found| found.state.is_open()),
            Err(error) => {
                tracing::info!(job = %run.job.id, %error, "a pull request cannot be found");
                None
            }
        }
    }

    /// Returns the state of a pull request; `None` if the service fails.
    pub(super) fn state(
        &self,
        run: &BranchRun<'_>,
        pull_request: &PullRequestOfBranch,
    ) -> Option<PullRequestState> {
        let found = self.client(run).get_pull_request(pull_request.number.unsigned_abs());
        match Handle::current().block_on(found) {
            Ok(found) => Some(found.map_or(PullRequestState::Closed, |found| found.state)),
            Err(error) => {
                tracing::info!(job = %run.job.id, %error, "a pull request cannot be read");
                None
            }
        }
    }

    /// Closes a pull request.
    pub(super) fn close(
        &self,
        run: &BranchRun<'_>,
        pull_request: &PullRequestOfBranch,
    ) -> Outcome<()> {
        let closed = self.client(run).close_pull_request(pull_request.number.unsigned_abs());
        Handle::current().block_on(closed).map_err(failure)?;
        Ok(())
    }
}

/// Returns the place of a repository at its hosting service.
fn place(run: &BranchRun<'_>) -> Option<HostedPlace> {
    let space = run.sync.space;
    let installation =
        run.app.store.read_sync(|tx| git_installations::get_by_space(tx, space)).ok()?;
    if let Some(installation) = installation {
        return HostedPlace::of_installation(run.app, &installation);
    }
    let settings = &run.sync.settings;
    let service = settings.hosting.or_else(|| known_service(&settings.url))?;
    HostedPlace::of(service, &settings.url, settings.hosting_api.as_deref()).ok()
}

/// Returns the failure of an exchange with a hosting service, which does not affect the exchange of
/// commits.
fn failure(error: HostingError) -> JobFailure {
    let retry = if error.is_temporary() { Retry::Later } else { Retry::Never };
    let error = JobError { code: "hosting-service".to_owned(), message: error.to_string() };
    JobFailure::Failed(error, retry)
}

/// Returns the short name of a branch.
pub(super) fn short(reference: &str) -> &str {
    reference.strip_prefix(BRANCHES).unwrap_or(reference)
}

/// Returns a pull request as it is remembered.
pub(super) fn stored(found: PullRequest) -> PullRequestOfBranch {
    let number = i64::try_from(found.number).unwrap_or(i64::MAX);
    let draft = found.state == PullRequestState::Draft;
    PullRequestOfBranch { number, url: found.url, title: found.title, draft }
}

impl BranchRun<'_> {
    /// Opens the pull requests of branches that the server made, and finds those of other branches.
    pub(super) fn open_pull_requests(&self, hosted: Option<&Hosted>) -> Outcome<()> {
        let Some(hosted) = hosted else { return Ok(()) };
        let is_opened =
            self.sync.settings.change_request_export == ChangeRequestExport::PullRequest;
        for branch in self.rows()? {
            if branch.oid.is_empty() {
                continue;
            }
            let Some(row) = self.open_row(&branch)? else { continue };
            let outcome = match &branch.pull_request {
                Some(known) if branch.created_here => {
                    self.update_pull_request(hosted, branch.clone(), known, &row)
                }
                None if branch.created_here && is_opened => {
                    self.open_pull_request(hosted, branch.clone(), &row)
                }
                // A pull request is searched once for each commit.
                None if !branch.created_here && branch.reported.as_ref() != Some(&branch.oid) => {
                    self.find_pull_request(hosted, branch.clone())
                }
                _ => Ok(()),
            };
            self.kept(Some(branch), outcome)?;
        }
        Ok(())
    }

    /// Returns the change request of a branch, if it is open.
    fn open_row(&self, branch: &GitBranch) -> Outcome<Option<ChangeRequest>> {
        let Some(id) = branch.change_request else { return Ok(None) };
        let space = branch.space;
        let row = self.app.store.read_sync(|tx| change_requests::get(tx, space, id))?;
        Ok(row.filter(|row| row.status.is_pending()))
    }

    fn open_pull_request(
        &self,
        hosted: &Hosted,
        branch: GitBranch,
        row: &ChangeRequest,
    ) -> Outcome<()> {
        let is_draft = row.status == Status::Draft;
        self.propose(hosted, branch, title(row), self.body(row)?, is_draft)?;
        Ok(())
    }

    /// Opens a pull request from a branch into that of the space, and remembers it.
    pub(super) fn propose(
        &self,
        hosted: &Hosted,
        branch: GitBranch,
        title: String,
        body: String,
        draft: bool,
    ) -> Outcome<PullRequestOfBranch> {
        let new = NewPullRequest {
            title,
            body,
            head: short(&branch.reference).to_owned(),
            base: short(&self.request.reference).to_owned(),
            draft,
        };
        let opened = Handle::current().block_on(hosted.client(self).open_pull_request(&new));
        let opened = opened.map_err(failure)?;
        // The given title is kept, because the service may shorten it.
        let opened = PullRequestOfBranch { title: new.title, ..stored(opened) };
        self.remember_pull_request(branch, opened.clone())?;
        Ok(opened)
    }

    fn find_pull_request(&self, hosted: &Hosted, branch: GitBranch) -> Outcome<()> {
        match hosted.find(self, &branch.reference) {
            Some(found) => self.remember_pull_request(branch, stored(found)),
            None => Ok(()),
        }
    }

    /// Gives a pull request the subject of its change request, and marks it as ready for review if
    /// the change request is.
    fn update_pull_request(
        &self,
        hosted: &Hosted,
        branch: GitBranch,
        known: &PullRequestOfBranch,
        row: &ChangeRequest,
    ) -> Outcome<()> {
        let title = title(row);
        let is_ready = known.draft && row.status == Status::Open;
        if known.title == title && !is_ready {
            return Ok(());
        }
        let changed = (known.title != title).then(|| title.clone());
        let change = PullRequestChange { title: changed, body: None, is_ready };
        let number = known.number.unsigned_abs();
        let client = hosted.client(self);
        let updated = Handle::current().block_on(client.update_pull_request(number, &change));
        let updated = PullRequestOfBranch { title, ..stored(updated.map_err(failure)?) };
        self.remember_pull_request(branch, updated)
    }

    fn remember_pull_request(&self, branch: GitBranch, of: PullRequestOfBranch) -> Outcome<()> {
        let branch = GitBranch { pull_request: Some(of), error: None, ..branch };
        self.write(move |tx| Ok(git_branches::set(tx, &branch)?))
    }

    /// Returns the description of a pull request in Markdown: that of its change request, and a
    /// link to it.
    fn body(&self, row: &ChangeRequest) -> Outcome<String> {
        let text = row.description.as_deref().map(rich_text::markdown).transpose();
        let mut text = text.map_err(JobFailure::internal)?.unwrap_or_default();
        let space = self.app.urls.app_space(self.organization, row.space);
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        let number = row.number;
        text.push_str(&format!("[Change request {number}]({space}/~/changes/{number})"));
        Ok(text)
    }

    /// Reports the previews of branches that moved since the last report.
    pub(super) fn report_all(&self, hosted: Option<&Hosted>) -> Outcome<()> {
        let Some(hosted) = hosted else { return Ok(()) };
        for branch in self.rows()? {
            if branch.oid.is_empty() || branch.reported.as_ref() == Some(&branch.oid) {
                continue;
            }
            let Some(row) = self.open_row(&branch)? else { continue };
            let outcome = self.report(hosted, branch.clone(), &row);
            self.kept(Some(branch), outcome)?;
        }
        Ok(())
    }

    fn report(&self, hosted: &Hosted, branch: GitBranch, row: &ChangeRequest) -> Outcome<()> {
        let (app, organization) = (self.app, self.organization);
        let read = app.store.read_sync(|tx| {
            let preview = preview::of_branch(app, tx, row)?;
            let head = revisions::get(tx, row.space, row.head)?;
            let conflicts = match head {
                Some(head) => snapshot::revision(app, tx, &head.object)?.content.conflicts.len(),
                None => 0,
            };
            Ok::<_, bindery_model::Error>((preview, conflicts))
        });
        let (preview, conflicts) = read.map_err(JobFailure::internal)?;
        let number = row.number;
        let (state, description) = match (conflicts, &preview) {
            (0, Some(_)) => (CommitState::Success, format!("Preview of change request {number}")),
            (0, None) => (CommitState::Success, format!("Change request {number}")),
            (count, _) => {
                let things = if count == 1 { "conflict" } else { "conflicts" };
                (CommitState::Failure, format!("Change request {number} has {count} {things}"))
            }
        };
        let space = app.urls.app_space(organization, row.space);
        let target = preview.unwrap_or_else(|| format!("{space}/~/changes/{number}"));
        let status = CommitStatus {
            state,
            context: CHECK.to_owned(),
            description,
            target_url: Some(target),
        };
        let client = hosted.client(self);
        Handle::current().block_on(client.set_status(&branch.oid, &status)).map_err(failure)?;
        let branch = GitBranch { reported: Some(branch.oid.clone()), error: None, ..branch };
        self.write(move |tx| Ok(git_branches::set(tx, &branch)?))
    }
}

/// Returns the title of the pull request of a change request.
fn title(row: &ChangeRequest) -> String {
    match row.subject.trim() {
        "" => format!("Change request {}", row.number),
        subject => subject.to_owned(),
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
