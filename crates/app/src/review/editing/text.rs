//! The texts of sessions: kept in memory, restored from the store, and brought up to the content.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use bindery_content::Document;
use bindery_content::json::JsonContext;
use bindery_content::markdown;
use bindery_model::{EditingSessionId, Error, FieldPath, PageId, Result, RevisionId, UserId};
use bindery_revision::{PageKind, PageRecord};
use bindery_steps::{Merged, Node, Step};
use bindery_store::editing::{self as rows, EditingBatch, EditingClient, EditingSession};
use serde::Serialize;
use serde_json::Value;

use super::MAX_BATCHES;
use super::content::EditedContent;
use crate::Context;
use crate::cache::{CachedSize, SizedCache, sized_cache};
use crate::content::content_changes::links::InContent;
use crate::content::documents::{self, Evaluation};
use crate::content::snapshot::{Snapshot, broken_object};
use crate::content::texts::NOWHERE;
use crate::publishing::adaptive::Answers;

/// Capacity of the cache of texts in bytes. A text that is not in it is read from its page and all
/// steps since for each batch; 1,000 people who write 200 pages of 7,000 characters need 75 MB.
const TEXTS: u64 = 256 << 20;
/// Expected size of a text in bytes, for sizing the table.
const EXPECTED_SIZE: u64 = 64 << 10;
/// Bytes of memory for each position of a text, measured with pages of short paragraphs.
const BYTES_PER_POSITION: usize = 32;
/// Bytes of memory for each byte of attributes and of the JSON of steps.
const BYTES_PER_JSON_BYTE: usize = 8;
/// Maximum number of batches that are applied to the base to restore a text. It becomes the base
/// then.
const MAX_RESTORED: i64 = 1_000;
/// Length of the steps, in bytes of JSON, after which a text becomes the base.
const MAX_RESTORED_LENGTH: usize = 64 << 10;
/// Number of batches whose steps are kept with a text, for senders that are a little behind.
const RECENT: usize = 128;
/// Maximum length of the steps that are kept with a text, in bytes of JSON.
const RECENT_LENGTH: usize = 256 << 10;
/// Maximum length of the steps that a late batch is adapted to, and that one answer contains, in
/// bytes of JSON.
const MAX_LENGTH: i64 = 16 << 20;

/// The texts that sessions had last. A text is used only if its mark is that of its version in the
/// store, because the transaction that made it can have failed.
#[derive(Debug)]
pub(crate) struct TextCache(SizedCache<EditingSessionId, KnownText>);

impl Default for TextCache {
    fn default() -> Self {
        Self(sized_cache(TEXTS, EXPECTED_SIZE))
    }
}

#[derive(Debug)]
struct KnownText {
    version: i64,
    stamp: String,
    doc: Node,
    recent: Recent,
}

impl CachedSize for KnownText {
    fn bytes(&self) -> usize {
        let json = self.recent.length + self.doc.attrs_size();
        1_024 + self.doc.content_size() * BYTES_PER_POSITION + json * BYTES_PER_JSON_BYTE
    }
}

/// The steps of the last batches, up to the version of a text.
#[derive(Clone, Debug, Default)]
struct Recent {
    /// The steps of each batch, with the length of their JSON.
    batches: VecDeque<(Arc<[Step]>, usize)>,
    /// Length of the JSON of all steps.
    length: usize,
}

impl Recent {
    fn push(&mut self, steps: Arc<[Step]>, length: usize) {
        self.batches.push_back((steps, length));
        self.length += length;
        while self.batches.len() > RECENT || self.length > RECENT_LENGTH {
            let Some((_, length)) = self.batches.pop_front() else { break };
            self.length -= length;
        }
    }

    /// Returns the steps of the last batches, or `None` if they are not kept.
    fn last(&self, count: usize) -> Option<Vec<Step>> {
        let first = self.batches.len().checked_sub(count)?;
        let last = self.batches.iter().skip(first);
        Some(last.flat_map(|(steps, _)| steps.iter().cloned()).collect())
    }
}

/// The source of a batch.
pub(super) enum Source<'a> {
    /// A client of the session.
    Sender { user: UserId, client: &'a str, number: i64 },
    /// A change of the content from outside of the session.
    Content { user: Option<UserId>, conflicts: usize },
}

/// A session with its text at the version of the session.
pub(super) struct Text {
    pub(super) session: EditingSession,
    pub(super) doc: Node,
    recent: Recent,
    /// The version that the store has.
    stored: i64,
    is_changed: bool,
    /// The batches that the store does not have.
    added: Vec<Added>,
}

/// A batch that the store does not have.
struct Added {
    batch: EditingBatch,
    sender: Option<EditingClient>,
    steps: Arc<[Step]>,
}

impl Text {
    /// Returns the text of a session with all changes of its content.
    pub(super) fn current(
        cx: &Context<'_>,
        content: &EditedContent,
        session: EditingSession,
    ) -> Result<Self> {
        let mut text = Self::read(cx, content, session)?;
        if text.is_changed {
            text.update(cx)?;
        }
        Ok(text)
    }

    /// Does the same as [`current`](Self::current), but stores nothing.
    pub(super) fn read(
        cx: &Context<'_>,
        content: &EditedContent,
        session: EditingSession,
    ) -> Result<Self> {
        let (doc, recent) = restored(cx, content, &session)?;
        let stored = session.version;
        let mut text = Self { session, doc, recent, stored, is_changed: false, added: Vec::new() };
        text.take_in(cx, content)?;
        Ok(text)
    }

    /// Takes in what changed in the content since the session did so last.
    fn take_in(&mut self, cx: &Context<'_>, content: &EditedContent) -> Result<()> {
        let (head, page) = (content.head(), self.session.page);
        if self.session.revision == head {
            return Ok(());
        }
        let before = page_at(cx, content, self.session.revision, page)?;
        let (after, author) =
            page_at(cx, content, head, page)?.ok_or_else(|| Error::not_found("page"))?;
        let is_same =
            before.as_ref().is_some_and(|(before, _)| before.record.body == after.record.body);
        self.session.revision = head;
        self.is_changed = true;
        if is_same {
            return Ok(());
        }
        let theirs = after.document()?;
        let base = match before {
            Some((before, _)) => before.document()?,
            None => theirs.clone(),
        };
        let was_saved = self.session.saved == self.session.version;
        let Merged { steps, doc, conflicts } = self.doc.merged(&base, &theirs);
        self.add(cx, doc, &steps, &Source::Content { user: author, conflicts })?;
        if was_saved && self.doc == theirs {
            self.session.saved = self.session.version;
            self.session.unsaved_since = None;
        }
        Ok(())
    }

    /// Returns the steps since a version, with those that are not stored yet.
    ///
    /// # Errors
    /// Returns 409 if the session no longer has all of them.
    pub(super) fn steps_after(&self, cx: &Context<'_>, after: i64) -> Result<Vec<Step>> {
        let missing = usize::try_from(self.session.version - after).ok();
        if let Some(steps) = missing.and_then(|missing| self.recent.last(missing)) {
            return Ok(steps);
        }
        let mut stored = self.session.clone();
        stored.version = self.stored;
        let mut found = Vec::new();
        for batch in batches_after(cx, &stored, after)? {
            found.extend(stored_steps(&batch)?);
        }
        found.extend(self.added.iter().flat_map(|added| added.steps.iter().cloned()));
        Ok(found)
    }

    /// Returns the last batch of a sender.
    ///
    /// # Errors
    /// Returns 409 if another user has the name.
    pub(super) fn sender(
        &self,
        cx: &Context<'_>,
        user: UserId,
        client: &str,
    ) -> Result<Option<EditingClient>> {
        let mut added = self.added.iter().rev().filter_map(|added| added.sender.clone());
        let known = match added.find(|sender| sender.client == client) {
            Some(sender) => Some(sender),
            None => rows::client(cx.tx, self.session.id, client)?,
        };
        if known.as_ref().is_some_and(|known| known.user != user) {
            let at = FieldPath::new("/client");
            return Err(
                at.conflict("another user sends steps under this name: choose a random one")
            );
        }
        Ok(known)
    }

    /// Adds a batch with the document after it.
    pub(super) fn add(
        &mut self,
        cx: &Context<'_>,
        doc: Node,
        steps: &[Step],
        source: &Source<'_>,
    ) -> Result<()> {
        let json = to_json(steps)?;
        let now = cx.now();
        self.session.version += 1;
        self.session.stamp = random_name(cx);
        self.session.changed_at = now;
        self.session.unsaved_since.get_or_insert(now);
        self.session.retry_at = None;
        self.doc = doc;
        self.is_changed = true;
        let (session, version) = (self.session.id, self.session.version);
        let (sender, user, conflicts) = match *source {
            Source::Sender { user, client, number } => {
                let client = client.to_owned();
                let sender = EditingClient { session, client, user, number, version };
                (Some(sender), Some(user), 0)
            }
            Source::Content { user, conflicts } => (None, user, conflicts),
        };
        let steps: Arc<[Step]> = steps.into();
        self.recent.push(Arc::clone(&steps), json.len());
        let batch = EditingBatch {
            session,
            version,
            client: sender.as_ref().map(|sender| sender.client.clone()).unwrap_or_default(),
            number: sender.as_ref().map_or(0, |sender| sender.number),
            user,
            steps: json,
            conflicts: i64::try_from(conflicts).unwrap_or(i64::MAX),
            stamp: self.session.stamp.clone(),
            created_at: now,
        };
        self.added.push(Added { batch, sender, steps });
        Ok(())
    }

    /// Stores the session if it has changed, keeps its text in memory, and returns it.
    pub(super) fn finish(mut self, cx: &Context<'_>) -> Result<EditingSession> {
        if self.is_changed {
            self.update(cx)?;
        }
        Ok(self.session)
    }

    /// Stores the session and what was added. The version comes first: transactions of two nodes
    /// meet there, and one of them runs again.
    pub(super) fn update(&mut self, cx: &Context<'_>) -> Result<()> {
        let added: usize = self.added.iter().map(|added| added.batch.steps.len()).sum();
        let batches = self.session.version - self.session.base_version;
        if batches >= MAX_RESTORED || added > MAX_RESTORED_LENGTH {
            self.session.base = Some(to_json(&self.doc)?);
            self.session.base_version = self.session.version;
        }
        if !rows::update(cx.tx, &self.session, self.stored)? {
            return Err(Error::unavailable("another node changed the text; try again"));
        }
        let added = std::mem::take(&mut self.added).into_iter();
        let (batches, senders): (Vec<_>, Vec<_>) =
            added.map(|added| (added.batch, added.sender)).unzip();
        rows::add_batches(cx.tx, &batches)?;
        // The last batch of each sender counts.
        let mut last: HashMap<&str, &EditingClient> = HashMap::new();
        for sender in senders.iter().flatten() {
            last.insert(&sender.client, sender);
        }
        rows::put_clients(cx.tx, last.into_values())?;
        self.stored = self.session.version;
        self.is_changed = false;
        let EditingSession { id, version, ref stamp, .. } = self.session;
        let (stamp, doc, recent) = (stamp.clone(), self.doc.clone(), self.recent.clone());
        cx.app.editing.texts.0.insert(id, Arc::new(KnownText { version, stamp, doc, recent }));
        cx.app.editing.follows.changed(&self.session);
        Ok(())
    }
}

/// Returns a random name for a block or a batch.
pub(super) fn random_name(cx: &Context<'_>) -> String {
    format!("{:016x}", u64::from_be_bytes(cx.app.entropy.bytes::<8>()))
}

/// Returns the text of a session at its version: the last one in memory, or the base, with the
/// batches since then.
fn restored(
    cx: &Context<'_>,
    content: &EditedContent,
    session: &EditingSession,
) -> Result<(Node, Recent)> {
    let EditingSession { id, version, stamp, .. } = session;
    let known = cx.app.editing.texts.0.get(id);
    let (at, mut doc, mut recent) = match known.filter(|known| known.version <= *version) {
        Some(known) if known.stamp == *stamp => {
            return Ok((known.doc.clone(), known.recent.clone()));
        }
        Some(known)
            if known.version >= session.base_version
                && rows::stamp_of(cx.tx, *id, known.version)?.as_ref() == Some(&known.stamp) =>
        {
            (known.version, known.doc.clone(), known.recent.clone())
        }
        _ => (session.base_version, base_of(cx, content, session)?, Recent::default()),
    };
    for batch in all_after(cx, session, at)? {
        let steps = stored_steps(&batch)?;
        for step in &steps {
            doc = step.apply(&doc).map_err(|error| damaged(session, &error))?;
        }
        recent.push(steps.into(), batch.steps.len());
    }
    let known = KnownText {
        version: *version,
        stamp: stamp.clone(),
        doc: doc.clone(),
        recent: recent.clone(),
    };
    cx.app.editing.texts.0.insert(*id, Arc::new(known));
    Ok((doc, recent))
}

fn damaged(session: &EditingSession, error: &dyn std::fmt::Display) -> Error {
    Error::internal(format!("the text of the editing session {} is damaged: {error}", session.id))
}

fn base_of(cx: &Context<'_>, content: &EditedContent, session: &EditingSession) -> Result<Node> {
    let page = page_at(cx, content, session.base_revision, session.page)?;
    let (page, _) = page.ok_or_else(|| damaged(session, &"its page is missing"))?;
    let read = page.document()?;
    let Some(base) = &session.base else { return Ok(read) };
    let json = serde_json::from_str(base).map_err(|error| damaged(session, &error))?;
    let base = Node::from_json(&json).map_err(|error| damaged(session, &error))?;
    Ok(base.with_sources(&read))
}

/// Returns the batches after a version, all of them.
pub(super) fn batches_after(
    cx: &Context<'_>,
    session: &EditingSession,
    after: i64,
) -> Result<Vec<EditingBatch>> {
    let missing = session.version - after;
    if missing < 0 {
        return Err(Error::invalid(format!(
            "version: found {after}, allowed: up to {}, the version of the session",
            session.version
        )));
    }
    if missing == 0 {
        return Ok(Vec::new());
    }
    let limit = u32::try_from(missing).unwrap_or(u32::MAX).min(MAX_BATCHES);
    let is_short = rows::length_of_batches(cx.tx, session.id, after)? <= MAX_LENGTH;
    let found = match is_short {
        true => rows::list_batches(cx.tx, session.id, after, limit)?,
        false => Vec::new(),
    };
    if i64::try_from(found.len()) != Ok(missing) {
        return Err(Error::conflict(format!(
            "the steps since version {after} are too many or no longer kept: join the session \
             again"
        )));
    }
    Ok(found)
}

/// Returns the batches after a version, however many there are.
///
/// # Errors
/// Returns an error if the store lacks one of them.
pub(super) fn all_after(
    cx: &Context<'_>,
    session: &EditingSession,
    mut after: i64,
) -> Result<Vec<EditingBatch>> {
    let mut found = Vec::new();
    while after < session.version {
        let next = rows::list_batches(cx.tx, session.id, after, MAX_BATCHES)?;
        if next.first().is_none_or(|first| first.version != after + 1) {
            return Err(damaged(session, &"a batch is missing"));
        }
        after = next.last().map_or(session.version, |last| last.version);
        found.extend(next);
    }
    Ok(found)
}

/// Returns the JSON of a text or of steps.
pub(super) fn to_json(of: &(impl Serialize + ?Sized)) -> Result<String> {
    serde_json::to_string(of)
        .map_err(|error| Error::internal(format!("a text or its steps are not JSON: {error}")))
}

/// Returns the steps of a batch.
pub(super) fn stored_steps(batch: &EditingBatch) -> Result<Vec<Step>> {
    let broken = |error: &dyn std::fmt::Display| {
        Error::internal(format!("batch {} of {} is damaged: {error}", batch.version, batch.session))
    };
    let json: Vec<Value> = serde_json::from_str(&batch.steps).map_err(|error| broken(&error))?;
    json.iter().map(|step| Step::from_json(step).map_err(|error| broken(&error))).collect()
}

/// Checks that the blocks that changed are blocks of the API.
///
/// # Errors
/// Returns the first mistakes.
pub(super) fn check(
    cx: &Context<'_>,
    content: &EditedContent,
    at: &FieldPath,
    (doc, before): (&Node, &Node),
) -> Result<()> {
    let changed = doc.changed_blocks(before, &mut || random_name(cx));
    let snapshot = Snapshot::of(cx.app, cx.tx, &content.space, Some(content.head()))?;
    let objects = cx.tx.objects();
    let around = InContent { content: &snapshot.revision.content, objects: &objects };
    let context =
        JsonContext { path: NOWHERE, lookup: &around, names: &around, parse: markdown::parse };
    Document::from_json(&changed, &context)
        .map(drop)
        .map_err(|mistakes| documents::refused(at, &mistakes))
}

/// A page of a revision.
pub(super) struct PageAt {
    record: PageRecord,
    json: String,
}

impl PageAt {
    /// Returns the page as a document of the editor.
    pub(super) fn document(&self) -> Result<Node> {
        Ok(Node::from_document(&self.json()?))
    }

    /// Returns the page as a document of the API.
    pub(super) fn json(&self) -> Result<Value> {
        serde_json::from_str(&self.json)
            .map_err(|error| Error::internal(format!("a document is not JSON: {error}")))
    }
}

/// Returns a page at a revision, with the author of the revision; `None` if it has no such page with
/// a text.
pub(super) fn page_at(
    cx: &Context<'_>,
    content: &EditedContent,
    revision: RevisionId,
    page: PageId,
) -> Result<Option<(PageAt, Option<UserId>)>> {
    let snapshot = Snapshot::of(cx.app, cx.tx, &content.space, Some(revision))?;
    let objects = cx.tx.objects();
    let found = snapshot.revision.content.page(&objects, page).map_err(broken_object)?;
    let Some(record) = found.filter(|record| record.kind == PageKind::Document) else {
        return Ok(None);
    };
    let answers = Answers::new(None);
    let json = documents::of_page(cx.app, &objects, &snapshot, &record, Evaluation::No, &answers)?;
    Ok(Some((PageAt { record, json }, snapshot.row.author)))
}

/// Checks that the content has a page with a text.
///
/// # Errors
/// Returns 404 otherwise.
pub(super) fn require_page(cx: &Context<'_>, content: &EditedContent, page: PageId) -> Result<()> {
    let found = page_at(cx, content, content.head(), page)?;
    found.map(drop).ok_or_else(|| Error::not_found("page"))
}
