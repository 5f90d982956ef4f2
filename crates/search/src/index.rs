//! The index on disk: opening, writing in batches, and snapshots for reading.

use std::collections::{BTreeSet, HashMap};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use bindery_model::{PageId, SpaceId};
use serde::{Deserialize, Serialize};
use tantivy::directory::Directory;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::schema::Value;
use tantivy::store::{Compressor, ZstdCompressor};
use tantivy::{
    DocSet, Index, IndexReader, IndexSettings, IndexWriter, ReloadPolicy, Searcher, TERMINATED,
    TantivyDocument, Term,
};

use crate::directory::UnsyncedDirectory;
use crate::entry::{Condition, PageKey};
use crate::error::SearchError;
use crate::page::PreparedPage;
use crate::queue::{Queue, QueuedDocument};
use crate::schema::{Fields, LINES, LineTokenizer, SCHEMA_VERSION, push_namespace, schema};

/// The file in the folder that contains the version of the layout.
const VERSION_FILE: &str = "version";
/// The folder with the files of the index.
const DATA_FOLDER: &str = "data";
/// The value of the field `space` in the states of spaces.
const STATE: &str = "state";
/// Minimum memory for one thread that writes, as the library requires it.
const MIN_THREAD_MEMORY: usize = 16 << 20;
/// Maximum number of namespaces of one space. Content with further conditions is not indexed.
const MAX_NAMESPACES: usize = 1_024;
/// Number of segments that are merged into one, and the greatest ratio of their sizes.
const MERGED_SEGMENTS: usize = 8;
/// Number of pages up to which the sizes of segments count as similar.
const SMALL_SEGMENT: u32 = 64;
/// Share of deleted pages from which a segment is written anew.
const MAX_DELETED: f32 = 0.3;
/// Number of decompressed blocks of stored pages that are kept, about 16 KB each.
const STORED_BLOCKS: usize = 64;

/// The state in which an index was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexState {
    /// The index contains what was committed before.
    Existing,
    /// There was no index. It is empty, and the caller indexes all content.
    Created,
    /// The index was discarded, for the given reason. It is empty, and the caller indexes all
    /// content.
    Discarded(String),
}

/// A namespace: a set of conditions in a space.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Namespace {
    pub(crate) number: u32,
    pub(crate) conditions: Vec<Condition>,
}

/// The facts about a space, stored beside its pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SpaceState {
    pub(crate) space: SpaceId,
    pub(crate) namespaces: Vec<Namespace>,
    pub(crate) languages: BTreeSet<u8>,
    /// The caller's bytes: which revision is indexed.
    pub(crate) payload: Vec<u8>,
}

/// The index of all spaces of a server.
pub struct SearchIndex {
    folder: PathBuf,
    memory: usize,
    fields: Fields,
    files: Mutex<Files>,
    current: RwLock<Arc<Generation>>,
}

impl std::fmt::Debug for SearchIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SearchIndex").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// The open index and its writer.
struct Files {
    index: Index,
    reader: IndexReader,
    /// Opened by the first batch, and closed after a failure.
    writer: Option<(Writer, IndexWriter<QueuedDocument>)>,
    next_namespace: u32,
}

/// The settings with which a writer was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Writer {
    memory: usize,
    threads: usize,
}

/// The state of the index after a commit, which queries read.
pub(crate) struct Generation {
    pub(crate) searcher: Searcher,
    pub(crate) spaces: HashMap<SpaceId, Arc<SpaceState>>,
}

/// A view of the index at one moment, unaffected by later commits.
#[derive(Clone)]
pub struct Snapshot {
    pub(crate) generation: Arc<Generation>,
    pub(crate) fields: Fields,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot")
            .field("spaces", &self.generation.spaces.len())
            .finish_non_exhaustive()
    }
}

impl SearchIndex {
    /// Opens the index in a folder, or creates it. `memory` is the memory in bytes that writing may
    /// take. An index of another version and one that cannot be read are replaced by an empty one.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be read or written.
    pub fn open(folder: &Path, memory: usize) -> Result<(Self, IndexState), SearchError> {
        std::fs::create_dir_all(folder)?;
        let (found, state) = match read_version(folder)? {
            // The library panics on some damaged files.
            Some(SCHEMA_VERSION) => match catch_unwind(|| open_files(&folder.join(DATA_FOLDER))) {
                Ok(Ok(found)) => (Some(found), IndexState::Existing),
                Ok(Err(error)) => (None, IndexState::Discarded(error.to_string())),
                Err(_) => (None, IndexState::Discarded("its files cannot be read".to_owned())),
            },
            Some(version) => {
                (None, IndexState::Discarded(format!("its layout has version {version}")))
            }
            None => (None, IndexState::Created),
        };
        let (files, generation) = match found {
            Some(found) => found,
            None => create_files(folder)?,
        };
        let index = Self {
            folder: folder.to_owned(),
            memory: memory.max(MIN_THREAD_MEMORY),
            fields: schema().1,
            files: Mutex::new(files),
            current: RwLock::new(Arc::new(generation)),
        };
        Ok((index, state))
    }

    /// Returns the current content.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let generation = self.current.read().unwrap_or_else(PoisonError::into_inner).clone();
        Snapshot { generation, fields: self.fields }
    }

    /// Begins a batch of few changes, such as those of one revision. Other batches wait until it
    /// ends.
    ///
    /// # Errors
    ///
    /// Returns an error if another process writes the index.
    pub fn batch(&self) -> Result<Batch<'_>, SearchError> {
        // Each commit fills tables in proportion to the memory that it may take.
        self.begin(Writer { memory: MIN_THREAD_MEMORY, threads: 1 })
    }

    /// Begins a batch of many changes, with all the memory that writing may take. Other batches wait
    /// until it ends.
    ///
    /// # Errors
    ///
    /// Returns an error if another process writes the index.
    pub fn bulk_batch(&self) -> Result<Batch<'_>, SearchError> {
        let threads = (self.memory / (2 * MIN_THREAD_MEMORY)).clamp(1, 2);
        self.begin(Writer { memory: self.memory, threads })
    }

    fn begin(&self, wanted: Writer) -> Result<Batch<'_>, SearchError> {
        let mut files = self.lock();
        if files.writer.as_ref().is_none_or(|(kind, _)| *kind != wanted) {
            // Only one writer can be open.
            if let Some((_, writer)) = files.writer.take() {
                writer.wait_merging_threads().map_err(SearchError::write)?;
            }
            // A merge takes as much memory as writing.
            let options = IndexWriterOptions::builder()
                .num_worker_threads(wanted.threads)
                .memory_budget_per_thread(wanted.memory / wanted.threads)
                .num_merge_threads(1)
                .build();
            let writer = files.index.writer_with_options(options).map_err(SearchError::write)?;
            writer.set_merge_policy(Box::new(merge_policy()));
            files.writer = Some((wanted, writer));
        }
        let generation = self.snapshot().generation;
        let (changed, queue) = (HashMap::new(), Queue::default());
        Ok(Batch { index: self, files, generation, changed, queue, is_done: false })
    }

    /// Reads all files and compares them with their checksums. Takes about a second for each
    /// gigabyte.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is damaged.
    pub fn verify(&self) -> Result<(), SearchError> {
        let data = self.folder.join(DATA_FOLDER);
        // The library panics on some damaged files.
        catch_unwind(|| verify_files(&data))
            .unwrap_or_else(|_| Err(SearchError::damaged("its files cannot be read")))
    }

    /// Replaces the index by an empty one. Snapshots that were taken before stay readable.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be written.
    pub fn reset(&self) -> Result<(), SearchError> {
        let mut files = self.lock();
        files.writer = None;
        let (created, generation) = create_files(&self.folder)?;
        *files = created;
        self.publish(generation);
        Ok(())
    }

    /// Waits until the segments of the index are merged, and closes the writer. The next batch opens
    /// it again.
    ///
    /// # Errors
    ///
    /// Returns an error if the index cannot be written.
    pub fn wait_for_merges(&self) -> Result<(), SearchError> {
        let mut files = self.lock();
        if let Some((_, writer)) = files.writer.take() {
            writer.wait_merging_threads().map_err(SearchError::write)?;
        }
        files.reader.reload().map_err(SearchError::damaged)?;
        let searcher = files.reader.searcher();
        let spaces = self.snapshot().generation.spaces.clone();
        self.publish(Generation { searcher, spaces });
        Ok(())
    }

    /// Returns the number of bytes that the index takes on disk.
    #[must_use]
    pub fn disk_bytes(&self) -> u64 {
        self.snapshot()
            .generation
            .searcher
            .space_usage()
            .map_or(0, |usage| usage.total().get_bytes())
    }

    fn lock(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, generation: Generation) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(generation);
    }
}

/// Returns the rule for choosing the segments that are merged: eight of a similar size. Commits of a
/// few pages never cause large segments to be merged, which would map all of their files.
fn merge_policy() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(MERGED_SEGMENTS);
    policy.set_level_log_size(MERGED_SEGMENTS.ilog2().into());
    policy.set_min_layer_size(SMALL_SEGMENT);
    policy.set_del_docs_ratio_before_merge(MAX_DELETED);
    policy
}

fn read_version(folder: &Path) -> std::io::Result<Option<u32>> {
    match std::fs::read_to_string(folder.join(VERSION_FILE)) {
        // A text that is not a number is that of no version.
        Ok(text) => Ok(Some(text.trim().parse().unwrap_or_default())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn create_files(folder: &Path) -> Result<(Files, Generation), SearchError> {
    let data = folder.join(DATA_FOLDER);
    match std::fs::remove_dir_all(&data) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    std::fs::create_dir_all(&data)?;
    let (schema, _) = schema();
    let settings = IndexSettings {
        docstore_compression: Compressor::Zstd(ZstdCompressor::default()),
        docstore_compress_dedicated_thread: false,
        ..IndexSettings::default()
    };
    let directory = UnsyncedDirectory::open(&data).map_err(SearchError::write)?;
    let created = Index::builder().schema(schema).settings(settings).open_or_create(directory);
    created.map_err(SearchError::write)?;
    std::fs::write(folder.join(VERSION_FILE), format!("{SCHEMA_VERSION}\n"))?;
    open_files(&data)
}

fn verify_files(data: &Path) -> Result<(), SearchError> {
    // Reading a file maps it. The mappings of an index of its own end with it, while those of the
    // open one would stay and count as memory of the server.
    let directory = UnsyncedDirectory::open(data);
    let index = directory.and_then(Index::open).map_err(SearchError::damaged)?;
    // Files of segments that a merge replaces meanwhile are removed.
    let directory = index.directory();
    let segments = index.searchable_segment_ids().map_err(SearchError::damaged)?;
    let segments: Vec<String> = segments.iter().map(|segment| segment.uuid_string()).collect();
    for path in directory.list_managed_files() {
        let name = path.to_string_lossy();
        let is_used = segments.iter().any(|segment| name.starts_with(segment.as_str()));
        let exists = is_used && directory.exists(&path).map_err(SearchError::damaged)?;
        if exists && !directory.validate_checksum(&path).map_err(SearchError::damaged)? {
            return Err(SearchError::Damaged(format!("{name} has changed")));
        }
    }
    // Opening the segments notices missing files. It holds a lock that keeps merges from removing
    // any meanwhile.
    let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual);
    let _opened: IndexReader = reader.try_into().map_err(SearchError::damaged)?;
    Ok(())
}

fn open_files(data: &Path) -> Result<(Files, Generation), SearchError> {
    let directory = UnsyncedDirectory::open(data).map_err(SearchError::damaged)?;
    let index = Index::open(directory).map_err(SearchError::damaged)?;
    index.tokenizers().register(LINES, LineTokenizer::default());
    let reader = index
        .reader_builder()
        .reload_policy(ReloadPolicy::Manual)
        .doc_store_cache_num_blocks(STORED_BLOCKS)
        .try_into()
        .map_err(SearchError::damaged)?;
    let reader: IndexReader = reader;
    let searcher = reader.searcher();
    let spaces = read_states(&searcher, &schema().1)?;
    let numbers = spaces.values().flat_map(|state: &Arc<SpaceState>| &state.namespaces);
    let next_namespace = numbers.map(|namespace| namespace.number + 1).max().unwrap_or(0);
    let files = Files { index, reader, writer: None, next_namespace };
    Ok((files, Generation { searcher, spaces }))
}

/// Reads the states of all spaces.
fn read_states(
    searcher: &Searcher,
    fields: &Fields,
) -> Result<HashMap<SpaceId, Arc<SpaceState>>, SearchError> {
    let mut spaces = HashMap::new();
    let term = Term::from_field_text(fields.space, STATE);
    for segment in searcher.segment_readers() {
        let store = segment.get_store_reader(1).map_err(SearchError::damaged)?;
        let inverted = segment.inverted_index(fields.space).map_err(SearchError::damaged)?;
        let postings = inverted
            .read_postings(&term, tantivy::schema::IndexRecordOption::Basic)
            .map_err(SearchError::damaged)?;
        let Some(mut postings) = postings else { continue };
        while postings.doc() != TERMINATED {
            let doc = postings.doc();
            postings.advance();
            if segment.is_deleted(doc) {
                continue;
            }
            let document: TantivyDocument = store.get(doc).map_err(SearchError::damaged)?;
            let bytes = stored_bytes(&document, fields)?;
            let state: SpaceState = postcard::from_bytes(bytes).map_err(SearchError::damaged)?;
            spaces.insert(state.space, Arc::new(state));
        }
    }
    Ok(spaces)
}

pub(crate) fn stored_bytes<'d>(
    document: &'d TantivyDocument,
    fields: &Fields,
) -> Result<&'d [u8], SearchError> {
    let value = document.get_first(fields.stored);
    value
        .and_then(|value| value.as_value().as_bytes())
        .ok_or_else(|| SearchError::damaged("a document has no stored value"))
}

/// Changes that become visible together.
///
/// A batch that is dropped without a commit changes nothing.
pub struct Batch<'i> {
    index: &'i SearchIndex,
    files: MutexGuard<'i, Files>,
    generation: Arc<Generation>,
    /// The new states of the spaces that the batch changes; `None` for those it removes.
    changed: HashMap<SpaceId, Option<SpaceState>>,
    queue: Queue,
    is_done: bool,
}

impl std::fmt::Debug for Batch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batch").field("spaces", &self.changed.len()).finish_non_exhaustive()
    }
}

impl Batch<'_> {
    /// Adds a page, or replaces the page with its id.
    ///
    /// # Errors
    ///
    /// Returns an error if the index cannot be written.
    pub fn replace_page(&mut self, space: SpaceId, page: PreparedPage) -> Result<(), SearchError> {
        self.remove_page(space, page.page.id)?;
        self.add_page(space, page)
    }

    /// Adds a page that is not in the index, or in a space that was removed before. Takes less memory
    /// until the commit than [`Self::replace_page`].
    ///
    /// # Errors
    ///
    /// Returns an error if the index cannot be written.
    pub fn add_page(&mut self, space: SpaceId, page: PreparedPage) -> Result<(), SearchError> {
        let PreparedPage { mut page, language, facts, namespaces } = page;
        let fields = self.index.fields;
        let mut document = TantivyDocument::default();
        let mut bytes = 0;
        let mut name = String::new();
        let mut is_first = true;
        for terms in namespaces {
            let number = self.namespace(space, terms.conditions);
            // Sections without a namespace refer to this number, which no namespace has.
            page.namespaces.push(number.unwrap_or(u32::MAX));
            let Some(number) = number else {
                if is_first {
                    return Ok(());
                }
                continue;
            };
            is_first = false;
            name.clear();
            push_namespace(number, &mut name);
            for (field, terms) in [(fields.words, terms.words), (fields.forms, terms.forms)] {
                let text = terms.with_namespace(&name);
                bytes += text.len();
                document.add_text(field, text);
            }
        }
        if let Some(state) = self.state(space) {
            state.languages.insert(language.code());
        }
        let stored = postcard::to_stdvec(&page).map_err(SearchError::write)?;
        document.add_text(fields.key, PageKey { space, page: page.id }.text());
        document.add_text(fields.space, space.as_str());
        document.add_u64(fields.facts, facts.encode());
        document.add_bytes(fields.stored, &stored);
        bytes += stored.len();
        let document = self.queue.admit(document, bytes);
        self.writer()?.add_document(document).map_err(SearchError::write)?;
        Ok(())
    }

    /// Removes a page, if it is in the index.
    ///
    /// # Errors
    ///
    /// Returns an error if the index cannot be written.
    pub fn remove_page(&mut self, space: SpaceId, page: PageId) -> Result<(), SearchError> {
        let term = Term::from_field_text(self.index.fields.key, &PageKey { space, page }.text());
        self.writer()?.delete_term(term);
        Ok(())
    }

    /// Removes a space with all its pages.
    ///
    /// # Errors
    ///
    /// Returns an error if the index cannot be written.
    pub fn remove_space(&mut self, space: SpaceId) -> Result<(), SearchError> {
        let term = Term::from_field_text(self.index.fields.space, space.as_str());
        self.writer()?.delete_term(term);
        self.changed.insert(space, None);
        Ok(())
    }

    /// Stores bytes with a space, such as the revision that is indexed. They become readable with
    /// the changes of this batch.
    pub fn set_payload(&mut self, space: SpaceId, payload: Vec<u8>) {
        if let Some(state) = self.state(space) {
            state.payload = payload;
        }
    }

    /// Writes the changes to disk and makes them visible. After a crash the index has either all of
    /// them or none.
    ///
    /// # Errors
    ///
    /// Returns an error if the index cannot be written. Nothing is changed then.
    pub fn commit(mut self) -> Result<(), SearchError> {
        let fields = self.index.fields;
        let changed = std::mem::take(&mut self.changed);
        let mut spaces = self.generation.spaces.clone();
        let queue = self.queue.clone();
        let writer = self.writer()?;
        for (space, state) in changed {
            writer.delete_term(Term::from_field_text(fields.key, space.as_str()));
            let Some(state) = state else {
                spaces.remove(&space);
                continue;
            };
            let stored = postcard::to_stdvec(&state).map_err(SearchError::write)?;
            let mut document = TantivyDocument::default();
            document.add_text(fields.key, space.as_str());
            document.add_text(fields.space, STATE);
            document.add_u64(fields.facts, 0);
            document.add_bytes(fields.stored, &stored);
            let document = queue.admit(document, stored.len());
            writer.add_document(document).map_err(SearchError::write)?;
            spaces.insert(space, Arc::new(state));
        }
        if let Some((_, writer)) = self.files.writer.as_mut() {
            writer.commit().map_err(SearchError::write)?;
        }
        self.files.reader.reload().map_err(SearchError::damaged)?;
        let searcher = self.files.reader.searcher();
        self.index.publish(Generation { searcher, spaces });
        self.is_done = true;
        Ok(())
    }

    fn writer(&mut self) -> Result<&mut IndexWriter<QueuedDocument>, SearchError> {
        let writer = self.files.writer.as_mut().map(|(_, writer)| writer);
        writer.ok_or_else(|| SearchError::write("the writer was closed"))
    }

    /// Returns the state of a space in this batch.
    fn state(&mut self, space: SpaceId) -> Option<&mut SpaceState> {
        let generation = &self.generation;
        let state = self
            .changed
            .entry(space)
            .or_insert_with(|| generation.spaces.get(&space).map(|known| SpaceState::clone(known)));
        Some(state.get_or_insert_with(|| SpaceState {
            space,
            namespaces: Vec::new(),
            languages: BTreeSet::new(),
            payload: Vec::new(),
        }))
    }

    /// Returns the number of the namespace with the conditions, or `None` if the space has too many.
    fn namespace(&mut self, space: SpaceId, conditions: Vec<Condition>) -> Option<u32> {
        let next = self.files.next_namespace;
        let state = self.state(space)?;
        if let Some(known) = state.namespaces.iter().find(|known| known.conditions == conditions) {
            return Some(known.number);
        }
        if state.namespaces.len() >= MAX_NAMESPACES {
            return None;
        }
        state.namespaces.push(Namespace { number: next, conditions });
        self.files.next_namespace = next + 1;
        Some(next)
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            // Dropping the writer discards what it was given. The next batch opens another one.
            self.files.writer = None;
        }
    }
}

impl PageKey {
    /// Returns the text under which the page is indexed.
    pub(crate) fn text(self) -> String {
        format!("{}{}", self.space, self.page)
    }
}

impl Snapshot {
    /// Returns the spaces in the index with their payloads.
    pub fn payloads(&self) -> impl Iterator<Item = (SpaceId, &[u8])> {
        self.generation.spaces.values().map(|state| (state.space, state.payload.as_slice()))
    }

    /// Returns the number of segments. Queries read each of them.
    #[must_use]
    pub fn segment_count(&self) -> usize {
        self.generation.searcher.segment_readers().len()
    }

    /// Returns the payload of a space.
    #[must_use]
    pub fn payload(&self, space: SpaceId) -> Option<&[u8]> {
        self.generation.spaces.get(&space).map(|state| state.payload.as_slice())
    }

    /// Returns the pages of a space, hidden and conditional ones included, in the order of their
    /// ids. Callers compare them with the pages of a revision.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is damaged.
    pub fn pages(&self, space: SpaceId) -> Result<Vec<PageId>, SearchError> {
        let mut pages = BTreeSet::new();
        for segment in self.generation.searcher.segment_readers() {
            let inverted = segment.inverted_index(self.fields.key).map_err(SearchError::damaged)?;
            let (from, to) = (space.as_str().to_owned(), format!("{space}~"));
            let range = inverted.terms().range().gt(&from).lt(&to);
            let mut stream = range.into_stream().map_err(SearchError::damaged)?;
            while let Some((term, info)) = stream.next() {
                let option = tantivy::schema::IndexRecordOption::Basic;
                let mut postings = inverted
                    .read_postings_from_terminfo(info, option)
                    .map_err(SearchError::damaged)?;
                while postings.doc() != TERMINATED && segment.is_deleted(postings.doc()) {
                    postings.advance();
                }
                if postings.doc() != TERMINATED {
                    pages.extend(term.get(from.len()..).and_then(PageId::from_bytes));
                }
            }
        }
        Ok(pages.into_iter().collect())
    }
}
