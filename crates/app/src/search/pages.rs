//! Indexes what has changed in a space since it was last indexed.

use std::collections::BTreeSet;

use bindery_model::{Error, PageId, ReusableContentId, RevisionId, SpaceId};
use bindery_outbound::CancellationToken;
use bindery_revision::tree::Tree;
use bindery_revision::{
    Content, ContentRef, Difference, Hash, ObjectError, Objects, PageBody, PageRecord, Record,
    ReusableRecord, Variables,
};
use bindery_search::{Batch, Preparation, PreparedPage, SearchError, SearchIndex};
use bindery_store::{Store, StoreError, computed_contents, revisions, spaces};
use serde::{Deserialize, Serialize};
use thiserror::Error as ThisError;

use super::described::Described;
use super::entry::Entries;
use crate::content::openapi::CurrentSpecs;
use crate::content::snapshot;

/// The version of the conversion of pages. An index of another version is built anew.
const VERSION: u32 = 3;

/// Number of pages from which a space is indexed with all the memory that writing may take.
const BULK_PAGES: u64 = 1_000;

/// Bytes of the changes of a space from which they are written into a batch of their own.
const MAX_COLLECTED: usize = 2 << 20;

/// The state of a space in the index, which is stored with its pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct IndexedSpace {
    version: u32,
    /// The revision whose content is indexed.
    pub(super) revision: RevisionId,
    object: Hash,
    /// The language of the space.
    pub(super) language: Option<String>,
    /// The variables of the space, which its conditions read.
    pub(super) variables: Variables,
    /// `true` if the space has computed pages.
    is_computed: bool,
    /// The pages with operations of OpenAPI descriptions.
    described: Described,
}

impl IndexedSpace {
    /// Returns `true` if more than the revision and the language decides what is indexed.
    pub(super) fn depends_on_specs(&self) -> bool {
        self.is_computed || !self.described.is_empty()
    }

    /// Reads the state that is stored with a space; `None` if another version wrote it.
    pub(super) fn decode(payload: &[u8]) -> Option<Self> {
        let state: Self = serde_json::from_slice(payload).ok()?;
        (state.version == VERSION).then_some(state)
    }
}

/// The reason why a space is not indexed.
#[derive(Debug, ThisError)]
pub(super) enum IndexingError {
    #[error(transparent)]
    Index(#[from] SearchError),
    #[error("the content of space {0} cannot be read: {1}")]
    Content(SpaceId, Error),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the indexing of space {0} panicked")]
    Panicked(SpaceId),
    #[error("the server is stopping")]
    Stopped,
}

/// The result of [`update`].
pub(super) enum Updated {
    /// The index of the space is in accordance with its content.
    Done,
    /// The changes are few, and the caller writes them together with those of other spaces.
    Few(SpaceChanges),
}

/// The changes of one space in the index.
pub(super) struct SpaceChanges {
    space: SpaceId,
    /// `true` if all that is in the index of the space is removed first.
    is_rebuilt: bool,
    pages: Vec<PageChange>,
    /// Bytes of the state of the space; `None` for a space that is removed.
    payload: Option<Vec<u8>>,
    /// Memory of the pages in bytes, about.
    pub(super) bytes: usize,
}

/// A change of one page in the index.
enum PageChange {
    /// Adds a page that is not in the index.
    Add(PreparedPage),
    /// Replaces or adds a page.
    Replace(PreparedPage),
    Remove(PageId),
}

impl PageChange {
    fn bytes(&self) -> usize {
        match self {
            Self::Add(page) | Self::Replace(page) => page.bytes(),
            Self::Remove(_) => size_of::<Self>(),
        }
    }

    fn write(self, space: SpaceId, batch: &mut Batch<'_>) -> std::result::Result<(), SearchError> {
        match self {
            Self::Add(page) => batch.add_page(space, page),
            Self::Replace(page) => batch.replace_page(space, page),
            Self::Remove(page) => batch.remove_page(space, page),
        }
    }
}

impl SpaceChanges {
    /// Moves the changes into a batch.
    pub(super) fn write(&mut self, batch: &mut Batch<'_>) -> std::result::Result<(), SearchError> {
        if std::mem::take(&mut self.is_rebuilt) {
            batch.remove_space(self.space)?;
        }
        for page in self.pages.drain(..) {
            page.write(self.space, batch)?;
        }
        if let Some(payload) = self.payload.take() {
            batch.set_payload(self.space, payload);
        }
        Ok(())
    }
}

/// Brings the index of a space into accordance with its main content. A deleted space is removed.
///
/// # Errors
/// Returns an error if the content cannot be read or the index cannot be written. The index of the
/// space is then the previous one.
pub(super) fn update(
    store: &Store,
    index: &SearchIndex,
    space: SpaceId,
    stop: &CancellationToken,
) -> std::result::Result<Updated, IndexingError> {
    let payload = index.snapshot().payload(space).map(<[u8]>::to_vec);
    let before = payload.as_deref().and_then(IndexedSpace::decode);
    let loaded = store.read_sync(|tx| {
        let row = spaces::get(tx, space)?.filter(|row| row.deleted_at.is_none());
        let Some(row) = row else { return Ok(None) };
        let Some(head) = revisions::get(tx, space, row.head)? else { return Ok(None) };
        // A revision without computed pages is shown as it is.
        let shown = computed_contents::get(tx, &head.object)?;
        let shown = shown.map_or(head.object, |entry| entry.shown);
        let is_same = before.as_ref().is_some_and(|state| {
            (state.revision, state.object, &state.language) == (head.id, shown, &row.language)
        });
        // Most spaces are current and show no operations.
        let specs = match &before {
            Some(state) if is_same && state.described.is_empty() => CurrentSpecs::default(),
            _ => CurrentSpecs::of(tx, row.organization)?,
        };
        Ok::<_, Error>(Some((row, head, shown, specs)))
    });
    let Some((row, head, shown, specs)) =
        loaded.map_err(|error| IndexingError::Content(space, error))?
    else {
        let (pages, bytes) = (Vec::new(), size_of::<SpaceChanges>());
        let removed = SpaceChanges { space, is_rebuilt: true, pages, payload: None, bytes };
        return Ok(payload.map_or(Updated::Done, |_| Updated::Few(removed)));
    };
    let is_current = |state: &IndexedSpace| {
        (state.revision, state.object, &state.language) == (head.id, shown, &row.language)
            && state.described.is_current(&specs)
    };
    if before.as_ref().is_some_and(is_current) {
        return Ok(Updated::Done);
    }
    let objects = store.objects();
    let broken = |error| IndexingError::Content(space, error);
    let content = snapshot::content(&objects, &shown).map_err(broken)?;
    // The objects of the previous content may have been collected.
    let previous = before
        .as_ref()
        .filter(|state| (&state.language, &state.variables) == (&row.language, &content.variables))
        .and_then(|state| snapshot::content(&objects, &state.object).ok())
        .filter(|previous| previous.salt() == content.salt());
    let changed = previous.and_then(|previous| {
        let mut changed = changes(&previous, &content, &objects).ok()?;
        let has_other_files = previous.files.diff(&content.files, &objects).next().is_some();
        let described = &before.as_ref()?.described;
        changed.extend(described.to_update(&specs, has_other_files)?);
        Some(changed)
    });
    let entries = Entries::new(&content, &objects, row.language.as_deref(), specs);
    let is_bulk = changed.is_none() && content.pages.len() > BULK_PAGES;
    let mut writer = Writer {
        index,
        batch: None,
        changes: SpaceChanges {
            space,
            is_rebuilt: changed.is_none(),
            pages: Vec::new(),
            payload: None,
            bytes: size_of::<SpaceChanges>(),
        },
        preparation: Preparation::default(),
        entries,
        tree: Tree::new(&content, &objects),
        stop,
    };
    if is_bulk {
        writer.begin(index.bulk_batch()?)?;
    }
    match &changed {
        Some(pages) => writer.replace(pages)?,
        None => writer.rebuild()?,
    }
    let mut described = writer.entries.take_described();
    if let (Some(before), Some(pages)) = (before, &changed) {
        described.carry_over(before.described, pages);
    }
    let state = IndexedSpace {
        version: VERSION,
        revision: head.id,
        object: shown,
        language: row.language.clone(),
        variables: content.variables.clone(),
        is_computed: shown != head.object,
        described,
    };
    let payload = serde_json::to_vec(&state)
        .map_err(|error| broken(Error::internal(format!("the state of an index: {error}"))))?;
    let updated = writer.finish(payload)?;
    if is_bulk {
        // The memory of the writer is not needed for what follows.
        index.wait_for_merges()?;
    }
    Ok(updated)
}

/// Returns the pages whose entries in the index differ between two contents.
fn changes(
    before: &Content,
    after: &Content,
    objects: &dyn Objects,
) -> std::result::Result<BTreeSet<PageId>, ObjectError> {
    let mut changed = BTreeSet::new();
    // Pages below these are shown with other ancestors.
    let mut moved = Vec::new();
    for one in before.pages.diff(&after.pages, objects) {
        let Difference { old, new, .. } = one?;
        let decode = |bytes: &bytes::Bytes| PageRecord::decode(bytes);
        let old = old.as_ref().map(decode).transpose()?;
        let new = new.as_ref().map(decode).transpose()?;
        changed.extend(old.iter().chain(&new).map(|page| page.id));
        if let (Some(old), Some(new)) = (&old, &new)
            && frame(old) != frame(new)
        {
            moved.push(new.id);
        }
    }
    let tree = Tree::new(after, objects);
    while let Some(page) = moved.pop() {
        for child in tree.children(Some(page)) {
            let child = child?;
            changed.insert(child.id);
            if child.entry.has_children {
                moved.push(child.id);
            }
        }
    }
    let reusable = changed_reusable(before, after, objects)?;
    if !reusable.is_empty() {
        for one in Content::empty(after.salt()).pages.diff(&after.pages, objects) {
            let Some(bytes) = one?.new else { continue };
            let page = PageRecord::decode(&bytes)?;
            let Some(body) = page.body else { continue };
            let body = PageBody::decode(&objects.get(&body)?)?;
            if includes(&body, &reusable) {
                changed.insert(page.id);
            }
        }
    }
    Ok(changed)
}

/// Returns the properties of a page that the entries of the pages below it depend on.
fn frame(page: &PageRecord) -> impl PartialEq + '_ {
    (page.parent, &page.slug, &page.title, page.hidden, &page.condition, &page.variables)
}

/// Returns the reusable contents that differ, and those that include them.
fn changed_reusable(
    before: &Content,
    after: &Content,
    objects: &dyn Objects,
) -> std::result::Result<BTreeSet<ReusableContentId>, ObjectError> {
    let mut changed = BTreeSet::new();
    for one in before.reusable.diff(&after.reusable, objects) {
        changed.extend(ReusableContentId::from_bytes(&one?.key));
    }
    let mut known = 0;
    while changed.len() > known {
        known = changed.len();
        for one in Content::empty(after.salt()).reusable.diff(&after.reusable, objects) {
            let Difference { key, new, .. } = one?;
            let Some(bytes) = new else { continue };
            let Some(body) = ReusableRecord::decode(&bytes)?.body else {
                continue;
            };
            let body = PageBody::decode(&objects.get(&body)?)?;
            if includes(&body, &changed) {
                changed.extend(ReusableContentId::from_bytes(&key));
            }
        }
    }
    Ok(changed)
}

fn includes(body: &PageBody, reusable: &BTreeSet<ReusableContentId>) -> bool {
    body.references.iter().any(|reference| {
        matches!(&reference.target, ContentRef::Reusable { reusable: id, .. } if reusable.contains(id))
    })
}

/// Collects the changes of one space, and writes them into a batch of its own if they are many.
struct Writer<'w, 'i> {
    index: &'i SearchIndex,
    batch: Option<Batch<'i>>,
    /// The changes that are not in the batch.
    changes: SpaceChanges,
    preparation: Preparation,
    entries: Entries<'w>,
    tree: Tree<'w>,
    stop: &'w CancellationToken,
}

impl<'i> Writer<'_, 'i> {
    /// Replaces these pages, and removes those that the content no longer has.
    fn replace(&mut self, pages: &BTreeSet<PageId>) -> std::result::Result<(), IndexingError> {
        for page in pages {
            let found = self.tree.ancestors(*page);
            let change = match found.and_then(|above| Ok((above, self.tree.page(*page)?))) {
                Ok((above, record)) => match self.prepared(&record, &above)? {
                    Some(prepared) => PageChange::Replace(prepared),
                    None => PageChange::Remove(*page),
                },
                Err(bindery_revision::tree::TreeError::NotFound(_)) => PageChange::Remove(*page),
                Err(error) => return Err(self.broken(&error)),
            };
            self.push(change)?;
        }
        Ok(())
    }

    /// Writes the whole space.
    fn rebuild(&mut self) -> std::result::Result<(), IndexingError> {
        let mut above: Vec<PageRecord> = Vec::new();
        let mut walk = self.tree.walk().visible();
        while let Some(child) = walk.next() {
            let child = child.map_err(|error| self.broken(&error))?;
            let record = self.tree.page(child.id).map_err(|error| self.broken(&error))?;
            above.truncate(walk.depth());
            if let Some(prepared) = self.prepared(&record, &above)? {
                self.push(PageChange::Add(prepared))?;
            }
            if child.entry.has_children {
                above.push(record);
            }
        }
        Ok(())
    }

    fn push(&mut self, change: PageChange) -> std::result::Result<(), IndexingError> {
        if let Some(batch) = &mut self.batch {
            return Ok(change.write(self.changes.space, batch)?);
        }
        self.changes.bytes += change.bytes();
        self.changes.pages.push(change);
        if self.changes.bytes > MAX_COLLECTED {
            self.begin(self.index.batch()?)?;
        }
        Ok(())
    }

    /// Writes what was collected into a batch, and further changes, too.
    fn begin(&mut self, mut batch: Batch<'i>) -> std::result::Result<(), IndexingError> {
        self.changes.write(&mut batch)?;
        self.batch = Some(batch);
        Ok(())
    }

    /// Commits the batch, or returns what was collected.
    fn finish(mut self, payload: Vec<u8>) -> std::result::Result<Updated, IndexingError> {
        self.changes.payload = Some(payload);
        let Some(mut batch) = self.batch else { return Ok(Updated::Few(self.changes)) };
        self.changes.write(&mut batch)?;
        batch.commit()?;
        Ok(Updated::Done)
    }

    /// Returns a page for the index; `None` for a page that searches never find.
    fn prepared(
        &mut self,
        record: &PageRecord,
        above: &[PageRecord],
    ) -> std::result::Result<Option<PreparedPage>, IndexingError> {
        if self.stop.is_cancelled() {
            return Err(IndexingError::Stopped);
        }
        let entry = self.entries.entry(record, above);
        let entry = entry.map_err(|error| IndexingError::Content(self.changes.space, error))?;
        Ok(entry.map(|entry| self.preparation.prepare(&entry)))
    }

    fn broken(&self, error: &impl std::fmt::Display) -> IndexingError {
        let error = Error::internal(format!("a page tree: {error}"));
        IndexingError::Content(self.changes.space, error)
    }
}
