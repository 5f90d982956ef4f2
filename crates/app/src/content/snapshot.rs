//! Reads the content of spaces: revisions, pages, documents and files.

use std::sync::Arc;

use bindery_model::{Error, FileId, Result, RevisionId, SpaceId};
use bindery_revision::tree::TreeError;
use bindery_revision::{
    Content, FileRecord, Hash, ObjectError, Objects, PageBody, Record, Revision, Staging,
};
use bindery_store::revisions::{self, RevisionRow};
use bindery_store::sites::PublishedSpace;
use bindery_store::spaces::{self, Space};
use bindery_store::{Tx, sites};
use quick_cache::sync::Cache;

use crate::App;
use crate::access::Reader;
use crate::cache::{CachedSize, SizedCache, sized_cache};
use crate::content::computed;
use crate::secrets::Download;

/// Capacity of the cache of texts in bytes.
const BODIES: u64 = 8 << 20;
/// Capacity of the cache of documents in bytes.
const DOCUMENTS: u64 = 12 << 20;
/// Expected size of a text or a document in bytes, for sizing the tables.
const EXPECTED_SIZE: u64 = 8 << 10;
/// Maximum number of cached revisions.
const REVISIONS: usize = 1_000;

/// A cache of recently decoded objects. Objects never change, so entries are never stale.
#[derive(Debug)]
pub struct ContentCache {
    revisions: Cache<Hash, Arc<Revision>>,
    bodies: SizedCache<Hash, PageBody>,
    documents: SizedCache<DocumentKey, String>,
}

/// The key of a document's JSON in the cache.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct DocumentKey {
    /// Its text.
    pub(crate) body: bindery_revision::Hash,
    /// The paths that its links may lead to.
    pub(crate) paths: Option<bindery_revision::Hash>,
    /// The hash of the mode and the variables, if expressions were evaluated.
    pub(crate) evaluated: Option<bindery_revision::Hash>,
}

impl ContentCache {
    pub(crate) fn document(&self, key: &DocumentKey) -> Option<Arc<String>> {
        self.documents.get(key)
    }

    pub(crate) fn keep_document(&self, key: DocumentKey, json: Arc<String>) {
        self.documents.insert(key, json);
    }
}

impl CachedSize for PageBody {
    fn bytes(&self) -> usize {
        self.source.len() + self.identity.len() + 64 * self.references.len()
    }
}

impl Default for ContentCache {
    fn default() -> Self {
        Self {
            revisions: Cache::new(REVISIONS),
            bodies: sized_cache(BODIES, EXPECTED_SIZE),
            documents: sized_cache(DOCUMENTS, EXPECTED_SIZE),
        }
    }
}

/// Converts a failed read of an object. The cause is a defect in the program or a failure of the
/// machine.
pub fn broken_object(error: ObjectError) -> Error {
    Error::internal(format!("content cannot be read: {error}"))
}

/// Like [`broken_object`], but reports a missing page as such.
pub fn broken_tree(error: TreeError) -> Error {
    match error {
        TreeError::NotFound(_) => Error::not_found("page"),
        other => Error::internal(format!("content cannot be read: {other}")),
    }
}

/// Stores the staged objects that a content needs.
pub(crate) fn put_staged(tx: &Tx<'_>, mut staging: Staging<'_>, content: &Content) -> Result<()> {
    tx.put_objects(staging.drain_reachable(content.roots()).map_err(broken_object)?)?;
    Ok(())
}

/// A space at one revision.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The space.
    pub space: SpaceId,
    /// The row of the revision.
    pub row: RevisionRow,
    /// The revision.
    pub revision: Arc<Revision>,
    /// `true` if it is the space's current main content.
    pub is_head: bool,
}

impl Snapshot {
    /// Returns a space at a revision, or at its head if `id` is `None`.
    ///
    /// # Errors
    /// Returns 404 if the space has no such revision.
    pub fn of(app: &App, tx: &Tx<'_>, space: &Space, id: Option<RevisionId>) -> Result<Self> {
        let id = id.unwrap_or(space.head);
        let row = revisions::get(tx, space.id, id)?.ok_or_else(|| Error::not_found("revision"))?;
        Ok(Self {
            space: space.id,
            revision: revision(app, tx, &row.object)?,
            is_head: id == space.head,
            row,
        })
    }
}

impl Snapshot {
    /// Returns the same revision as readers see it: with the pages that sources compute.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn as_shown(mut self, app: &App, tx: &Tx<'_>) -> Result<Self> {
        let shown = computed::shown(tx, &self.row.object, &self.revision)?;
        if shown != self.row.object {
            self.revision = revision(app, tx, &shown)?;
        }
        Ok(self)
    }
}

/// Returns the revision that an object contains.
pub(crate) fn revision(app: &App, tx: &Tx<'_>, object: &Hash) -> Result<Arc<Revision>> {
    if let Some(known) = app.content.revisions.get(object) {
        return Ok(known);
    }
    let bytes = tx.objects().get(object).map_err(broken_object)?;
    let revision = Arc::new(Revision::decode(&bytes).map_err(broken_object)?);
    app.content.revisions.insert(*object, Arc::clone(&revision));
    Ok(revision)
}

/// Returns the content of a revision outside of a transaction, without keeping it.
pub(crate) fn content(objects: &dyn Objects, object: &Hash) -> Result<Content> {
    let bytes = objects.get(object).map_err(broken_object)?;
    Ok(Revision::decode(&bytes).map_err(broken_object)?.content)
}

/// Returns the text of a page with its references.
///
/// # Errors
/// Returns an error if the object cannot be read.
pub fn body(app: &App, objects: &dyn Objects, hash: &Hash) -> Result<Arc<PageBody>> {
    if let Some(known) = app.content.bodies.get(hash) {
        return Ok(known);
    }
    let bytes = objects.get(hash).map_err(broken_object)?;
    let body = Arc::new(PageBody::decode(&bytes).map_err(broken_object)?);
    app.content.bodies.insert(*hash, Arc::clone(&body));
    Ok(body)
}

/// Returns the Markdown text of a body. Replaces bytes that are not valid UTF-8.
pub fn source(body: &PageBody) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(&body.source)
}

/// Returns `true` if the files of a space are public because a published public site shows it.
///
/// # Errors
/// Returns an error if the store fails.
pub fn is_public(tx: &Tx<'_>, space: SpaceId) -> Result<bool> {
    Ok(is_open(sites::published_sites(tx, &[space])?.get(&space)))
}

/// Returns `true` if the published site is public.
pub fn is_open(outlet: Option<&PublishedSpace>) -> bool {
    // Every `PublishedSpace` is published.
    outlet.is_some_and(|outlet| Reader::Public.sees(outlet.site.visibility, true))
}

/// Returns a file of a space at a revision, or in the main content if `id` is `None`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn file_at(
    app: &App,
    tx: &Tx<'_>,
    space: SpaceId,
    file: FileId,
    id: Option<RevisionId>,
) -> Result<Option<FileRecord>> {
    let space = spaces::get(tx, space)?.filter(|space| space.deleted_at.is_none());
    let Some(space) = space else { return Ok(None) };
    let Some(row) = revisions::get(tx, space.id, id.unwrap_or(space.head))? else {
        return Ok(None);
    };
    revision(app, tx, &row.object)?.content.file(&tx.objects(), file).map_err(broken_object)
}

/// Returns the ETag of the bytes of a file. It does not reveal their hash.
pub fn file_tag(app: &App, record: &FileRecord) -> String {
    format!("\"{}\"", app.secrets.version_of(&record.hash))
}

/// Returns the address at which a file of this content can be downloaded without a token. The
/// address of a file of the main content names no revision, so it leads to the current version of
/// the file.
pub fn download_url(app: &App, of: &Snapshot, record: &FileRecord, public: bool) -> String {
    let base = format!("{}/~files/{}/{}", app.urls.base(), of.space, record.id);
    if public && of.is_head {
        return base;
    }
    let revision = (!of.is_head).then_some(of.row.id);
    let file = Download { space: of.space, file: record.id, revision };
    let query = app.secrets.download_query(&file, app.clock.now());
    match revision {
        Some(revision) => format!("{base}?revision={revision}&{query}"),
        None => format!("{base}?{query}"),
    }
}
