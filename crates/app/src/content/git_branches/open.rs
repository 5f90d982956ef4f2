//! Stores the changes of branches in change requests.

use bindery_git::CommitInfo;
use bindery_git::import::ImportResult;
use bindery_model::{ChangeRequestId, RevisionId, SpaceId, Timestamp, UserId};
use bindery_revision::{Author, Content, ContentKind, Revision};
use bindery_store::change_requests::{self, ChangeRequest, Status};
use bindery_store::git_branches::{self, GitBranch, PullRequestOfBranch};
use bindery_store::revisions::{self, Commit, ImportBase};
use bindery_store::spaces::{self, Space};
use bindery_store::{Event, StoreError, Tx};

use super::patterns::BRANCHES;
use super::pull::encoded;
use super::report::{self, Hosted, description};
use super::run::BranchRun;
use crate::content::git_hosting::{PullRequest, PullRequestState};
use crate::content::imports::put_revision;
use crate::content::proposals::{self, NewProposal};
use crate::content::revisions::{RevisionOwner, kind_name, store};
use crate::jobs::JobFailure;
use crate::review::change_requests::MAX_SUBJECT;

/// The changes of a branch, ready to be stored.
pub(super) struct Received {
    /// The new state of the branch.
    pub(super) branch: GitBranch,
    pub(super) imported: ImportResult,
    pub(super) commit: CommitInfo,
    /// The new content of the change request.
    pub(super) content: Content,
}

/// The main content over which a change request is opened.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) space: SpaceId,
    pub(super) main: RevisionId,
}

/// The values that are stored in one transaction.
#[derive(Clone)]
struct Stored {
    branch: GitBranch,
    /// The revision with the content of the branch.
    imported: Content,
    /// The revision with the new content of the change request.
    content: Content,
    /// The content of the change request whose changes the branch has.
    shared: Content,
    commit: Commit,
    state: Vec<u8>,
    message: String,
    actor: Option<UserId>,
    now: Timestamp,
}

impl Stored {
    fn revision(&self, kind: ContentKind, parents: Vec<RevisionId>, content: &Content) -> Revision {
        Revision {
            parents,
            kind,
            author: self.actor.map_or(Author::System, Author::User),
            created_at: self.now,
            message: Some(self.message.clone()),
            content: content.clone(),
        }
    }

    /// Stores a revision of a change request with the commit of the branch.
    fn put(
        &self,
        tx: &Tx<'_>,
        id: RevisionId,
        of: ChangeRequestId,
        revision: &Revision,
    ) -> Result<(), StoreError> {
        let space = self.branch.space;
        store(tx, space, id, revision, RevisionOwner::ChangeRequest(of))?;
        revisions::set_commit(tx, space, id, &self.commit)
    }

    /// Stores the agreement of the branch and the change request.
    fn agree(
        &self,
        tx: &Tx<'_>,
        head: RevisionId,
        change_request: ChangeRequestId,
        pull_request: Option<PullRequestOfBranch>,
    ) -> Result<(), StoreError> {
        let object =
            put_revision(tx, &self.revision(ContentKind::Edits, Vec::new(), &self.imported))?;
        let shared =
            put_revision(tx, &self.revision(ContentKind::Edits, Vec::new(), &self.shared))?;
        let synced = ImportBase { object, state: self.state.clone() };
        revisions::set_import_base(tx, self.branch.space, head, &synced)?;
        let branch = GitBranch {
            change_request: Some(change_request),
            object: Some(object),
            state: Some(self.state.clone()),
            shared: Some(shared),
            pull_request: pull_request.or_else(|| self.branch.pull_request.clone()),
            ..self.branch.clone()
        };
        git_branches::set(tx, &branch)
    }
}

impl BranchRun<'_> {
    fn stored(&self, received: Received, shared: Content) -> Result<Stored, JobFailure> {
        let Received { branch, imported, commit, content } = received;
        let state = encoded(&imported)?;
        Ok(Stored {
            commit: Commit {
                url: self.request.commit_url(&commit.oid),
                oid: commit.oid,
                message: commit.message.clone(),
                reference: branch.reference.clone(),
                state: state.clone(),
                created_here: false,
            },
            branch,
            imported: imported.content,
            content,
            shared,
            state,
            message: commit.message,
            actor: self.job.actor,
            now: self.app.clock.now(),
        })
    }

    /// Opens a change request with the changes of a branch. Returns `false` if the main content
    /// moved meanwhile.
    pub(super) fn open(
        &self,
        hosted: Option<&Hosted>,
        target: Target,
        received: Received,
    ) -> Result<bool, JobFailure> {
        let found = hosted.and_then(|hosted| hosted.find(self, &received.branch.reference));
        let subject = match &found {
            Some(found) => shortened(&found.title),
            None => subject(&received.commit.message, &received.branch.reference),
        };
        let description =
            description(body(&received.commit.message)).map_err(JobFailure::internal)?;
        let is_draft = |found: &PullRequest| found.state == PullRequestState::Draft;
        let status = match found.as_ref().is_some_and(is_draft) {
            true => Status::Draft,
            false => Status::Open,
        };
        let pull_request = found.map(report::stored);
        let has_conflicts = !received.content.conflicts.is_empty();
        let shared = received.content.clone();
        let stored = self.stored(received, shared)?;
        let ids: [RevisionId; 2] = std::array::from_fn(|_| RevisionId::random(&self.app.entropy));
        let id = ChangeRequestId::random(&self.app.entropy);
        self.write(move |tx| {
            let Some(space) = spaces::get(tx, target.space)?.filter(|s| s.head == target.main)
            else {
                return Ok(false);
            };
            let creator = proposals::creator(tx, &space, stored.actor)?.ok_or_else(|| {
                JobFailure::fatal(
                    "no-author",
                    "nobody can be named as the author of the change request",
                )
            })?;
            let [first, second] = ids;
            let imported = stored.revision(ContentKind::Edits, vec![space.head], &stored.imported);
            // The list of conflicts names the two contents that were merged.
            let head = match has_conflicts {
                true => {
                    stored.put(tx, first, id, &imported)?;
                    let parents = vec![first, space.head];
                    let merged = stored.revision(ContentKind::Update, parents, &stored.content);
                    stored.put(tx, second, id, &merged)?;
                    second
                }
                false => {
                    let merged =
                        stored.revision(ContentKind::Edits, vec![space.head], &stored.content);
                    stored.put(tx, first, id, &merged)?;
                    first
                }
            };
            let new = NewProposal {
                id,
                head,
                status,
                subject: subject.clone(),
                description: description.clone(),
                created_by: creator,
                actor: stored.actor,
            };
            proposals::open(tx, &space, new, stored.now)?;
            stored.agree(tx, head, id, pull_request.clone())?;
            Ok(true)
        })
    }

    /// Adds a revision with the changes of a branch to its change request, unless somebody has
    /// changed it meanwhile. `before` is its content.
    pub(super) fn advance(
        &self,
        space: SpaceId,
        row: &ChangeRequest,
        before: &Content,
        shared: Content,
        received: Received,
    ) -> Result<(), JobFailure> {
        let is_changed = received.content != *before;
        let stored = self.stored(received, shared)?;
        let (id, row) = (RevisionId::random(&self.app.entropy), row.clone());
        self.write(move |tx| {
            let Some(space) = spaces::get(tx, space)? else { return Ok(()) };
            if !is_changed {
                return Ok(stored.agree(tx, row.head, row.id, None)?);
            }
            let base = row.merged_ancestor;
            if !change_requests::move_head(tx, row.id, row.head, id, base, stored.now)? {
                return Err(moved());
            }
            let revision = stored.revision(ContentKind::Edits, vec![row.head], &stored.content);
            stored.put(tx, id, row.id, &revision)?;
            record_update(tx, &space, &row, id, stored.actor)?;
            Ok(stored.agree(tx, id, row.id, None)?)
        })
    }
}

fn record_update(
    tx: &Tx<'_>,
    space: &Space,
    row: &ChangeRequest,
    revision: RevisionId,
    actor: Option<UserId>,
) -> Result<(), StoreError> {
    let event = Event::ChangeRequestContentUpdated {
        change_request: row.id,
        revision,
        revision_kind: kind_name(ContentKind::Edits).to_owned(),
    };
    proposals::record(tx, space, actor, event)
}

/// Returns the failure of a transfer during which somebody changed the change request. The change
/// requests another run.
fn moved() -> JobFailure {
    JobFailure::fatal("contended", "the change request changed while the branch was received")
}

/// Returns the first line of the message of a commit, or the name of the branch.
fn subject(message: &str, reference: &str) -> String {
    let first = message.lines().next().unwrap_or_default().trim();
    let name = reference.strip_prefix(BRANCHES).unwrap_or(reference);
    shortened(if first.is_empty() { name } else { first })
}

/// Returns the message of a commit without its first line.
fn body(message: &str) -> &str {
    message.split_once('\n').map_or("", |(_, rest)| rest.trim())
}

fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_SUBJECT).collect()
}
