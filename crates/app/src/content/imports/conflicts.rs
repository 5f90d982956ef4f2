//! The change requests for imports whose changes conflict with those of the space.

use std::collections::BTreeMap;

use bindery_git::import::ImportResult;
use bindery_model::{ChangeRequestId, JobId, Result, RevisionId, SpaceId, Timestamp, UserId};
use bindery_revision::merge::{Conflict, Subject};
use bindery_revision::{Author, Content, ContentKind, Hash, ObjectError, Objects, Revision};
use bindery_store::change_requests::{self, ChangeRequest, Status};
use bindery_store::import_change_requests::{self, ImportChangeRequest};
use bindery_store::revisions::{self, ImportBase};
use bindery_store::spaces::{self, Space};
use bindery_store::{Event, Job, JobLease, NewEvent, StoreError, Tx};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use super::base::Base;
use super::origin::Origin;
use super::pending::{Pending, PendingKey};
use super::publish::newest_shared;
use crate::App;
use crate::content::proposals::{self, NewProposal};
use crate::content::revisions::{Committed, RevisionOwner, kind_name, store};
use crate::content::snapshot::broken_object;
use crate::content::{documents, git};
use crate::jobs::{JobFailure, RunningJob};
use crate::review::change_requests::MAX_SUBJECT;

/// Maximum number of items that a description names.
const MAX_NAMED: usize = 50;
/// Number of characters of a commit's id in a subject.
const SHORT_OID: usize = 7;

/// The content of a change request that contains an import.
pub(super) struct Proposed {
    /// The content; `None` if that of the waiting change request does not change.
    pub(super) content: Option<Content>,
    /// The conflicts with the main content; `None` if people edit the change request.
    pub(super) conflicts: Option<Vec<Conflict>>,
}

/// Opens a change request with an import, or adds the import to the one that waits. Returns
/// `Committed::Moved` if the head of the space or the change request has moved since `base` was
/// read.
pub(super) fn save(
    app: &App,
    job: &Job,
    running: &RunningJob,
    imported: ImportResult,
    base: &Base,
    proposed: Proposed,
    origin: Origin,
) -> std::result::Result<Committed, JobFailure> {
    let Proposed { content, conflicts } = proposed;
    let about = match &conflicts {
        Some(conflicts) => {
            let objects = app.store.objects();
            let contents = [&base.snapshot.revision.content, &imported.content];
            Some(About::of(conflicts, contents, &objects).map_err(JobFailure::internal)?)
        }
        None => None,
    };
    let description = about.as_ref().map(|about| about.description(&origin)).transpose();
    let waits = base.waiting_import(&origin).map(|waiting| waiting.pending.change_request.id);
    let import = Import {
        job: job.id,
        base: base.space.head,
        newest_shared: newest_shared(app, base)?,
        pending: base.pending_key(),
        is_new: waits.is_none(),
        change_request: waits.unwrap_or_else(|| ChangeRequestId::random(&app.entropy)),
        imported: (RevisionId::random(&app.entropy), imported.content),
        proposed: content.map(|content| (RevisionId::random(&app.entropy), content)),
        state: git::encode(&imported.state).map_err(JobFailure::internal)?,
        origin,
        actor: job.actor,
        summary: about.map(|about| about.summary()),
        description: description.map_err(JobFailure::internal)?,
        now: app.clock.now(),
    };
    let (space, lease) = (base.space.id, running.lease.clone());
    let stored = app.store.write(move |tx| import.store(tx, space, &lease));
    Handle::current().block_on(stored)
}

/// Returns the message of an import that waits in a change request.
pub(super) fn waiting_message(pending: &Pending) -> String {
    let number = pending.change_request.number;
    format!("nothing to do: this commit waits in change request {number}")
}

/// The items that conflicts are about.
struct About {
    /// The names of pages and other items.
    names: Vec<String>,
    are_pages: bool,
}

impl About {
    fn of(conflicts: &[Conflict], contents: [&Content; 2], objects: &dyn Objects) -> Result<Self> {
        let mut items: BTreeMap<String, String> = BTreeMap::new();
        for Conflict { subject, .. } in conflicts {
            let (key, name) = named(subject, contents, objects).map_err(broken_object)?;
            items.insert(key, name);
        }
        let are_pages = conflicts.iter().all(|conflict| conflict.subject.page().is_some());
        let mut names: Vec<String> = items.into_values().collect();
        names.sort();
        Ok(Self { names, are_pages })
    }

    /// Returns the number of items in words, such as `2 pages`.
    fn summary(&self) -> String {
        let (one, many) = if self.are_pages { ("page", "pages") } else { ("item", "items") };
        let count = self.names.len();
        format!("{count} {}", if count == 1 { one } else { many })
    }

    /// Returns the description of the change request, as the JSON of a document.
    fn description(&self, origin: &Origin) -> Result<String> {
        let Origin { url, oid, .. } = origin;
        let mut names: Vec<String> = self.names.iter().take(MAX_NAMED).cloned().collect();
        if let Some(more) = self.names.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
            names.push(format!("and {more} more"));
        }
        let items: Vec<Value> = names
            .iter()
            .map(|name| json!({ "object": "block", "type": "list-item", "nodes": [text(name)] }))
            .collect();
        let list = json!({ "object": "block", "type": "list-unordered", "nodes": items });
        let nodes = json!([
            text(&format!(
                "The commit {oid} of {url} and the space changed the same things since they were \
                 synchronised last:"
            )),
            list,
            text(
                "Resolve the conflicts and merge this change request. Until then, neither the main \
                 content nor the repository changes."
            ),
        ]);
        documents::of_people("/description", &json!({ "object": "document", "nodes": nodes }))
    }
}

/// Returns a paragraph.
fn text(text: &str) -> Value {
    let leaves = json!([{ "object": "leaf", "text": text, "marks": [] }]);
    let nodes = json!([{ "object": "text", "leaves": leaves }]);
    json!({ "object": "block", "type": "paragraph", "nodes": nodes })
}

/// Returns a key that identifies the item of a conflict, and its name for people.
fn named(
    subject: &Subject,
    contents: [&Content; 2],
    objects: &dyn Objects,
) -> std::result::Result<(String, String), ObjectError> {
    let mut name = None;
    for content in contents {
        if name.is_none() {
            name = match subject {
                Subject::Page(id, _) => content.page(objects, *id)?.map(|page| page.title),
                Subject::File(id, _) => content.file(objects, *id)?.map(|file| file.name),
                Subject::Reusable(id, _) => content.reusable(objects, *id)?.map(|text| text.title),
                Subject::Variable(name) => Some(format!("the variable {name}")),
                Subject::Redirect(path) => Some(format!("the redirect from /{path}")),
                Subject::Source(path) => Some(path.clone()),
            };
        }
    }
    let key = match subject {
        Subject::Page(id, _) => id.to_string(),
        Subject::File(id, _) => id.to_string(),
        Subject::Reusable(id, _) => id.to_string(),
        Subject::Variable(name) | Subject::Redirect(name) | Subject::Source(name) => name.clone(),
    };
    let name = name.filter(|name| !name.trim().is_empty());
    Ok((key, name.unwrap_or_else(|| "Untitled".to_owned())))
}

/// An import, ready to be stored with its change request.
#[derive(Clone, Debug)]
struct Import {
    job: JobId,
    base: RevisionId,
    newest_shared: Option<RevisionId>,
    pending: Option<PendingKey>,
    /// `true` if the change request is opened.
    is_new: bool,
    change_request: ChangeRequestId,
    /// The revision with the content of the repository.
    imported: (RevisionId, Content),
    /// The new head of the change request.
    proposed: Option<(RevisionId, Content)>,
    state: Vec<u8>,
    origin: Origin,
    actor: Option<UserId>,
    /// The number of conflicting items in words.
    summary: Option<String>,
    description: Option<String>,
    now: Timestamp,
}

impl Import {
    /// Stores the import and ends its job.
    fn store(
        &self,
        tx: &Tx<'_>,
        space: SpaceId,
        lease: &JobLease,
    ) -> std::result::Result<Committed, JobFailure> {
        let Some(space) = spaces::get(tx, space)? else {
            return Err(JobFailure::fatal("space-deleted", "the space was deleted"));
        };
        if space.locked {
            return Err(JobFailure::fatal("space-locked", "the space was locked meanwhile"));
        }
        let pending = Pending::of_space(tx, space.id)?;
        if space.head != self.base || pending.as_ref().map(Pending::key) != self.pending {
            return Ok(Committed::Moved);
        }
        let parents = self.newest_shared.into_iter().collect();
        let (id, content) = &self.imported;
        let object = self.put(tx, &space, *id, ContentKind::Edits, parents, content)?;
        let synced = ImportBase { object, state: self.state.clone() };
        revisions::set_import_base(tx, space.id, *id, &synced)?;
        revisions::set_commit(tx, space.id, *id, &self.origin.commit(self.state.clone()))?;
        let row = match pending.filter(|_| !self.is_new) {
            Some(pending) => self.add(tx, &space, &pending)?,
            None => self.open(tx, &space)?,
        };
        if let Some((id, _)) = &self.proposed {
            revisions::set_import_base(tx, space.id, *id, &synced)?;
        }
        let message = match &self.summary {
            Some(summary) => format!("conflicts in {summary}: change request {}", row.number),
            None => format!("added to change request {}, which somebody edited", row.number),
        };
        let event = Event::ImportFinished { job: self.job.to_string(), revision: None };
        self.record(tx, &space, event)?;
        tx.set_job_message(lease, &message)?;
        tx.finish_job(lease, None)?;
        Ok(Committed::Done)
    }

    /// Opens a change request. Its first revision is the content of the repository, its second one
    /// contains the conflicts with the main content.
    fn open(&self, tx: &Tx<'_>, space: &Space) -> std::result::Result<ChangeRequest, JobFailure> {
        let Some((head, content)) = &self.proposed else {
            return Err(JobFailure::fatal("internal", "a change request without a content"));
        };
        let created_by = proposals::creator(tx, space, self.actor)?.ok_or_else(|| {
            let message = "the changes of the repository conflict with those of the space, and \
                           nobody can be named as the author of a change request; import as a person";
            JobFailure::fatal("conflict", message)
        })?;
        let parents = vec![self.imported.0, space.head];
        self.put(tx, space, *head, ContentKind::Update, parents, content)?;
        let row = proposals::open(
            tx,
            space,
            NewProposal {
                id: self.change_request,
                head: *head,
                status: Status::Open,
                subject: self.subject(&self.origin.oid),
                description: self.description.clone(),
                created_by,
                actor: self.actor,
            },
            self.now,
        )?;
        self.remember(tx, space, *head)?;
        Ok(row)
    }

    /// Adds the further changes of the repository to the change request that waits.
    fn add(
        &self,
        tx: &Tx<'_>,
        space: &Space,
        pending: &Pending,
    ) -> Result<ChangeRequest, StoreError> {
        let before = &pending.change_request;
        let mut written = pending.import.written;
        if let Some((head, content)) = &self.proposed {
            let parents = vec![before.head, self.imported.0];
            self.put(tx, space, *head, ContentKind::Edits, parents, content)?;
            let base = before.merged_ancestor;
            change_requests::move_head(tx, before.id, before.head, *head, base, self.now)?;
            let event = Event::ChangeRequestContentUpdated {
                change_request: before.id,
                revision: *head,
                revision_kind: kind_name(ContentKind::Edits).to_owned(),
            };
            self.record(tx, space, event)?;
            // A change request that people edited stays theirs.
            if !pending.is_edited() {
                written = *head;
            }
        }
        let known = revisions::commit(tx, space.id, pending.import.imported)?;
        let mut after = ChangeRequest { updated_at: self.now, ..before.clone() };
        let mut fields = Vec::new();
        if known.is_some_and(|commit| before.subject == self.subject(&commit.oid)) {
            after.subject = self.subject(&self.origin.oid);
            fields.extend((after.subject != before.subject).then(|| "subject".to_owned()));
            if self.description.is_some() && self.description != before.description {
                after.description.clone_from(&self.description);
                fields.push("description".to_owned());
            }
        }
        if !fields.is_empty() {
            change_requests::update(tx, &after)?;
            let event = Event::ChangeRequestUpdated { change_request: after.id, fields };
            self.record(tx, space, event)?;
        }
        self.remember(tx, space, written)?;
        Ok(after)
    }

    fn remember(&self, tx: &Tx<'_>, space: &Space, written: RevisionId) -> Result<(), StoreError> {
        let Origin { url, reference, directory, tree_url, event_at, provider, .. } = &self.origin;
        let row = ImportChangeRequest {
            change_request: self.change_request,
            imported: self.imported.0,
            written,
            url: url.clone(),
            reference: reference.clone(),
            directory: directory.clone(),
            tree_url: tree_url.clone(),
            event_at: *event_at,
            provider: provider.clone(),
        };
        import_change_requests::set(tx, space.id, &row)
    }

    /// Stores a revision of the change request and returns its object.
    fn put(
        &self,
        tx: &Tx<'_>,
        space: &Space,
        id: RevisionId,
        kind: ContentKind,
        parents: Vec<RevisionId>,
        content: &Content,
    ) -> Result<Hash, StoreError> {
        let revision = Revision {
            parents,
            kind,
            author: self.actor.map_or(Author::System, Author::User),
            created_at: self.now,
            message: Some(self.origin.message.clone()),
            content: content.clone(),
        };
        let owner = RevisionOwner::ChangeRequest(self.change_request);
        store(tx, space.id, id, &revision, owner)?;
        let row = revisions::get(tx, space.id, id)?;
        row.map(|row| row.object)
            .ok_or_else(|| StoreError::Corrupt("a new revision is missing".to_owned()))
    }

    /// Returns the subject of the change request for a commit, such as `Changes from main of docs
    /// at 1a2b3c4`.
    fn subject(&self, oid: &str) -> String {
        let Origin { url, reference, .. } = &self.origin;
        let branch = reference.strip_prefix("refs/heads/").unwrap_or(reference);
        let name = url.trim_end_matches('/').rsplit('/').next().unwrap_or(url);
        let name = name.strip_suffix(".git").unwrap_or(name);
        let short: String = oid.chars().take(SHORT_OID).collect();
        let end = format!(" at {short}");
        let start = format!("Changes from {branch} of {name}");
        let limit = MAX_SUBJECT.saturating_sub(end.chars().count());
        let start: String = start.chars().take(limit).collect();
        start + &end
    }

    fn record(&self, tx: &Tx<'_>, space: &Space, event: Event) -> Result<(), StoreError> {
        tx.record(
            &NewEvent::new(event).by(self.actor).organization(space.organization).space(space.id),
        )?;
        Ok(())
    }
}
