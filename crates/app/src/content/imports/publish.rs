//! Publishes the content that an import built, in one transaction with the end of its job.

use bindery_git::import::ImportResult;
use bindery_model::{JobId, RevisionId, SpaceId, Timestamp, UserId};
use bindery_revision::{Author, Content, ContentKind, Hash, Revision};
use bindery_store::git_states::{self, GitState as GitRow, Provider};
use bindery_store::revisions::{self, ImportBase};
use bindery_store::spaces::{self, Space};
use bindery_store::{Event, Job, JobLease, NewEvent, StoreError, Tx};
use tokio::runtime::Handle;

use super::base::Base;
use super::language::{self, ImportLanguage};
use super::origin::Origin;
use super::pending::{Pending, PendingKey};
use crate::App;
use crate::content::git;
use crate::content::revisions::{Committed, RevisionOwner, commit, store};
use crate::jobs::{JobFailure, RunningJob};

/// The circumstances of an import.
pub(super) struct ImportSource<'a> {
    /// The language that the caller stated.
    pub(super) language: Option<&'a str>,
    /// The commit; `None` for an archive.
    pub(super) origin: Option<Origin>,
    /// The owner of the new revision.
    pub(super) owner: RevisionOwner,
}

/// A content with the changes of the repository and of the space.
pub(super) struct MergedContent {
    pub(super) content: Content,
    /// Number of pages that the space changed.
    pub(super) pages: usize,
}

/// Publishes an import, or its merge with the changes of the space. Returns `Committed::Moved` if
/// the head of the space has moved since `base` was read; the caller must then build the import
/// again.
pub(super) fn save(
    app: &App,
    job: &Job,
    running: &RunningJob,
    imported: ImportResult,
    base: &Base,
    merged: Option<MergedContent>,
    source: ImportSource<'_>,
) -> Result<Committed, JobFailure> {
    let ImportSource { language: stated, origin, owner } = source;
    for warning in imported.warnings.iter().take(100) {
        tracing::info!(job = %job.id, path = warning.path, "{}", warning.message);
    }
    running.report(imported.counts.read, Some(imported.counts.read), "saving");
    let of_content = match owner {
        RevisionOwner::Main => ImportLanguage::of(app, stated, &base.space, &imported.content),
        _ => Ok(None),
    };
    let message = merged.as_ref().map(|merged| merge_message(merged.pages));
    // A merge without other changes than those of the repository agrees with it.
    let merged = merged.filter(|merged| merged.content != imported.content);
    let (content, repository) = match merged {
        Some(merged) => (merged.content, Some(imported.content)),
        None => (imported.content, None),
    };
    let made = Made {
        job: job.id,
        base: base.space.head,
        content,
        repository,
        newest_shared: newest_shared(app, base)?,
        pending: base.pending_key(),
        state: git::encode(&imported.state).map_err(JobFailure::internal)?,
        origin,
        actor: job.actor,
        owner,
        language: of_content.map_err(JobFailure::internal)?,
        languages: language::folders_to_json(&imported.languages),
        message,
    };
    let lease = running.lease.clone();
    Handle::current().block_on(finish(app, base.space.id, made, lease))
}

/// Returns the newest revision of the main content whose changes the repository has.
pub(super) fn newest_shared(app: &App, base: &Base) -> Result<Option<RevisionId>, JobFailure> {
    let Some(agreed) = &base.agreed else { return Ok(None) };
    Ok(app.store.read_sync(|tx| agreed.newest_shared(tx, base.space.id))?)
}

fn merge_message(pages: usize) -> String {
    match pages {
        0 => "merged with changes of the space".to_owned(),
        1 => "merged with 1 changed page of the space".to_owned(),
        _ => format!("merged with {pages} changed pages of the space"),
    }
}

/// The result of an import, ready to be published.
#[derive(Clone, Debug)]
struct Made {
    job: JobId,
    base: RevisionId,
    content: Content,
    /// The content of the repository, if the space has other changes.
    repository: Option<Content>,
    newest_shared: Option<RevisionId>,
    pending: Option<PendingKey>,
    state: Vec<u8>,
    origin: Option<Origin>,
    actor: Option<UserId>,
    owner: RevisionOwner,
    language: Option<ImportLanguage>,
    /// The folders of languages in the repository, as JSON.
    languages: Option<String>,
    message: Option<String>,
}

/// Publishes an import and ends its job in one transaction.
async fn finish(
    app: &App,
    space: SpaceId,
    made: Made,
    lease: JobLease,
) -> Result<Committed, JobFailure> {
    let now = app.clock.now();
    let id = RevisionId::random(&app.entropy);
    app.store
        .write(move |tx| {
            let Some(row) = spaces::get(tx, space)? else {
                return Err(JobFailure::fatal("space-deleted", "the space was deleted"));
            };
            if row.locked && made.owner == RevisionOwner::Main {
                return Err(JobFailure::fatal("space-locked", "the space was locked meanwhile"));
            }
            let committed = made.commit(tx, &row, id, now)?;
            if let Committed::Moved = committed {
                return Ok(committed);
            }
            if let (Some(language), Some(row)) = (&made.language, spaces::get(tx, space)?) {
                language.apply(tx, &row, made.actor, now)?;
            }
            let job = made.job.to_string();
            tx.record(
                &NewEvent::new(Event::ImportFinished { job, revision: Some(id) })
                    .by(made.actor)
                    .organization(row.organization)
                    .space(space),
            )?;
            if let Some(languages) = &made.languages {
                tx.set_job_languages(&lease, languages)?;
            }
            if let Some(message) = &made.message {
                tx.set_job_message(&lease, message)?;
            }
            tx.finish_job(&lease, Some(id))?;
            Ok(committed)
        })
        .await
}

impl Made {
    /// Writes the revision, the commit and the Git state of an import.
    fn commit(
        &self,
        tx: &Tx<'_>,
        space: &Space,
        id: RevisionId,
        now: Timestamp,
    ) -> Result<Committed, StoreError> {
        let revision = self.revision(self.content.clone(), vec![self.base], now);
        if self.owner != RevisionOwner::Main {
            store(tx, space.id, id, &revision, self.owner)?;
            if let Some(origin) = &self.origin {
                revisions::set_commit(tx, space.id, id, &origin.commit(self.state.clone()))?;
                self.agree(tx, space, id, now)?;
            }
            return Ok(Committed::Done);
        }
        let pending = Pending::of_space(tx, space.id)?;
        if pending.as_ref().map(Pending::key) != self.pending {
            return Ok(Committed::Moved);
        }
        if let Committed::Moved = commit(tx, space, id, self.base, &revision)? {
            return Ok(Committed::Moved);
        }
        let before = git_states::get(tx, space.id)?;
        let state = match &self.origin {
            Some(origin) => {
                revisions::set_commit(tx, space.id, id, &origin.commit(self.state.clone()))?;
                self.agree(tx, space, id, now)?;
                if let Some(pending) = pending {
                    pending.supersede(tx, space, origin.branch(), self.actor, now)?;
                }
                origin.state(self.state.clone(), before.as_ref(), now)
            }
            None => of_archive(self.state.clone(), before, now),
        };
        git_states::set(tx, space.id, &state)?;
        Ok(Committed::Done)
    }

    /// Records the content of the repository as what it and the space agree on.
    fn agree(
        &self,
        tx: &Tx<'_>,
        space: &Space,
        id: RevisionId,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let object = match &self.repository {
            Some(content) => {
                let parents = self.newest_shared.into_iter().collect();
                put_revision(tx, &self.revision(content.clone(), parents, now))?
            }
            None => match revisions::get(tx, space.id, id)? {
                Some(row) => row.object,
                None => return Ok(()),
            },
        };
        let synced = ImportBase { object, state: self.state.clone() };
        revisions::set_import_base(tx, space.id, id, &synced)
    }

    fn revision(&self, content: Content, parents: Vec<RevisionId>, now: Timestamp) -> Revision {
        Revision {
            parents,
            kind: ContentKind::Edits,
            author: self.actor.map_or(Author::System, Author::User),
            created_at: now,
            message: self.origin.as_ref().map(|origin| origin.message.clone()),
            content,
        }
    }
}

/// Stores the object of a revision that no row names.
pub(in crate::content) fn put_revision(
    tx: &Tx<'_>,
    revision: &Revision,
) -> Result<Hash, StoreError> {
    let (_, bytes) = revision
        .object()
        .map_err(|error| StoreError::Corrupt(format!("a revision cannot be written: {error}")))?;
    tx.put_object(bytes)
}

/// Returns the Git state of a space after an import from an archive. The time of the last event is
/// kept, so that older events of the repository stay outdated.
fn of_archive(state: Vec<u8>, before: Option<GitRow>, now: Timestamp) -> GitRow {
    GitRow {
        url: String::new(),
        reference: String::new(),
        directory: String::new(),
        oid: String::new(),
        state,
        tree_url: None,
        updated_at: now,
        event_at: before.and_then(|before| before.event_at),
        provider: Provider::default(),
    }
}
