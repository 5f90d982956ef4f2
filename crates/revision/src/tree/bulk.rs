//! A whole content at once, for imports: records first, then every map in one pass.

use std::collections::{HashMap, HashSet};

use bindery_model::PageId;
use bytes::Bytes;

use super::{TreeError, child_key, numbered, slug_key};
use crate::content::{Content, PathEntry, Redirect};
use crate::map::{Map, MapBuilder, Salt};
use crate::object::{ObjectError, Staging};
use crate::order::OrderKey;
use crate::record::{FileRecord, PageRecord, Record, ReusableRecord};

/// Called now and then while a content is built, to drain the staging.
pub type Drain<'d> = dyn FnMut(&mut Staging<'_>) -> Result<(), ObjectError> + 'd;

/// The records of a content in the making.
#[derive(Debug)]
pub struct Bulk {
    content: Content,
    #[expect(clippy::vec_box, reason = "records are large, many, and move from list to list")]
    pages: Vec<Box<PageRecord>>,
    known: HashSet<PageId>,
    last: HashMap<Option<PageId>, OrderKey>,
    slugs: HashSet<(Option<PageId>, String)>,
    /// The number that a repeated slug got last.
    numbers: HashMap<(Option<PageId>, String), u64>,
    files: Vec<FileRecord>,
    reusable: Vec<ReusableRecord>,
    redirects: Vec<(String, Redirect)>,
}

impl Bulk {
    /// Nothing yet.
    pub fn new(salt: Salt) -> Self {
        Self {
            content: Content::empty(salt),
            pages: Vec::new(),
            known: HashSet::new(),
            last: HashMap::new(),
            slugs: HashSet::new(),
            numbers: HashMap::new(),
            files: Vec::new(),
            reusable: Vec::new(),
            redirects: Vec::new(),
        }
    }

    /// Adds a page behind its siblings so far. Its order is chosen here, and its slug gets a
    /// number if a sibling has it.
    ///
    /// # Errors
    /// When its id was added before, or its parent was not.
    pub fn page(&mut self, page: impl Into<Box<PageRecord>>) -> Result<(), TreeError> {
        let mut page = page.into();
        if let Some(parent) = page.parent.filter(|parent| !self.known.contains(parent)) {
            return Err(TreeError::NotFound(parent));
        }
        if !self.known.insert(page.id) {
            return Err(TreeError::Exists(page.id));
        }
        let last = self.last.get(&page.parent);
        page.order = OrderKey::between(last, None);
        self.last.insert(page.parent, page.order.clone());
        let wanted = std::mem::take(&mut page.slug);
        page.slug = self.free_slug(page.parent, wanted);
        self.pages.push(page);
        Ok(())
    }

    fn free_slug(&mut self, parent: Option<PageId>, wanted: String) -> String {
        let mut key = (parent, wanted);
        if !self.slugs.contains(&key) {
            self.slugs.insert(key.clone());
            return key.1;
        }
        let number = self.numbers.entry(key.clone()).or_insert(0);
        loop {
            *number += 1;
            let slug = numbered(&key.1, *number);
            if self.slugs.insert((parent, slug.clone())) {
                key.1 = slug;
                return key.1;
            }
        }
    }

    /// Adds a file.
    pub fn file(&mut self, file: FileRecord) {
        self.files.push(file);
    }

    /// Adds a reusable content.
    pub fn reusable(&mut self, reusable: ReusableRecord) {
        self.reusable.push(reusable);
    }

    /// Adds a redirect; the last one of a path counts.
    pub fn redirect(&mut self, path: String, to: Redirect) {
        self.redirects.push((path, to));
    }

    /// Builds all maps. `drain` is called now and then; nothing that it takes is read again.
    ///
    /// # Errors
    /// When draining fails.
    pub fn finish(
        self,
        staging: &mut Staging<'_>,
        drain: &mut Drain<'_>,
    ) -> Result<Content, TreeError> {
        let Self { content: mut next, mut pages, mut files, mut reusable, redirects, .. } = self;
        let parents: HashSet<PageId> = pages.iter().filter_map(|page| page.parent).collect();
        let mut maps = Maps { salt: next.salt(), staging, drain };

        let mut paths = Vec::with_capacity(pages.len() + files.len());
        let mut slugs = Vec::with_capacity(pages.len());
        let mut children = Vec::with_capacity(pages.len());
        for (at, page) in pages.iter().enumerate() {
            let id = Bytes::copy_from_slice(page.id.as_bytes());
            slugs.push((slug_key(page.parent.as_ref(), &page.slug), id));
            children.push((child_key(page.parent.as_ref(), &page.order, &page.id), at));
            if let Some(path) = &page.source_path {
                paths.push((path.clone(), PathEntry::Page(page.id)));
            }
        }
        next.slugs = maps.sorted(slugs, Ok)?;
        next.children = maps.sorted(children, |at| {
            pages.get(at).map_or(Ok(Bytes::new()), |page| {
                page.navigation(parents.contains(&page.id)).encode()
            })
        })?;
        pages.sort_unstable_by_key(|page| page.id);
        next.pages =
            maps.records(pages.iter().map(Box::as_ref), |page: &PageRecord| page.id.as_bytes())?;
        drop(pages);

        paths.extend(
            files
                .iter()
                .filter_map(|file| file.path.clone().map(|path| (path, PathEntry::File(file.id)))),
        );
        paths.extend(reusable.iter().filter_map(|reusable| {
            reusable.path.clone().map(|path| (path, PathEntry::Reusable(reusable.id)))
        }));
        let paths = paths.into_iter().map(|(path, entry)| (path.into(), entry)).collect();
        next.paths = maps.sorted(paths, |entry| entry.encode())?;
        files.sort_unstable_by_key(|file| file.id);
        next.files = maps.records(files.iter(), |file| file.id.as_bytes())?;
        reusable.sort_unstable_by_key(|reusable| reusable.id);
        next.reusable = maps.records(reusable.iter(), |reusable| reusable.id.as_bytes())?;
        let redirects = redirects.into_iter().map(|(path, to)| (path.into(), to)).collect();
        next.redirects = maps.sorted(redirects, |to: Redirect| to.encode())?;
        Ok(next)
    }
}

/// Builds maps, draining between chunks.
struct Maps<'m, 's, 'd> {
    salt: Salt,
    staging: &'m mut Staging<'s>,
    drain: &'m mut Drain<'d>,
}

impl Maps<'_, '_, '_> {
    /// A map of entries in any order; of several under one key the last one counts.
    fn sorted<T>(
        &mut self,
        mut entries: Vec<(Bytes, T)>,
        encode: impl Fn(T) -> Result<Bytes, ObjectError>,
    ) -> Result<Map, ObjectError> {
        entries.reverse();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries.dedup_by(|a, b| a.0 == b.0);
        let mut builder = MapBuilder::new(self.salt);
        for (at, (key, value)) in entries.into_iter().enumerate() {
            builder.push(self.staging, key, encode(value)?);
            self.now_and_then(at)?;
        }
        Ok(builder.finish(self.staging))
    }

    /// A map of records that are sorted by their id.
    fn records<'r, R: Record + 'r>(
        &mut self,
        records: impl Iterator<Item = &'r R>,
        key: impl Fn(&'r R) -> &'r [u8; bindery_model::Id::LEN],
    ) -> Result<Map, ObjectError> {
        let mut builder = MapBuilder::new(self.salt);
        for (at, record) in records.enumerate() {
            builder.push(self.staging, Bytes::copy_from_slice(key(record)), record.encode()?);
            self.now_and_then(at)?;
        }
        Ok(builder.finish(self.staging))
    }

    fn now_and_then(&mut self, at: usize) -> Result<(), ObjectError> {
        if at % 4096 == 4095 { (self.drain)(self.staging) } else { Ok(()) }
    }
}
