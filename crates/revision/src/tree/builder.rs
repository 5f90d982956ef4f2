//! Construction of a whole content for imports: records are collected first, then every map is
//! built in one pass.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use bindery_model::PageId;
use bytes::Bytes;

use super::{TreeError, child_key, numbered, slug_key};
use crate::content::{Content, PathEntry, Redirect};
use crate::map::{Map, MapBuilder, Salt};
use crate::object::{ObjectError, Staging};
use crate::order::OrderKey;
use crate::record::{FileRecord, PageKind, PageRecord, Record, ReusableRecord};

/// A callback that drains the staging at intervals while a content is built.
pub type DrainFn<'d> = dyn FnMut(&mut Staging<'_>) -> Result<(), ObjectError> + 'd;

/// The records of a content under construction. Pages are held in encoded form, since a decoded
/// record takes several times as much memory.
#[derive(Debug)]
pub struct ContentBuilder {
    content: Content,
    pages: Vec<(PageId, Box<[u8]>)>,
    /// The pages added so far, with `true` if there are pages under them.
    has_children: HashMap<PageId, bool>,
    last: HashMap<Option<PageId>, OrderKey>,
    /// The pages by their keys in the map of slugs.
    slugs: HashMap<Box<[u8]>, PageId>,
    /// The number that was last appended to a repeated slug.
    numbers: HashMap<Box<[u8]>, u64>,
    /// The keys of the map of children, with the index of the page in `pages`.
    children: Vec<(Box<[u8]>, usize)>,
    files: Vec<FileRecord>,
    reusable: Vec<ReusableRecord>,
    redirects: Vec<(String, Redirect)>,
}

impl ContentBuilder {
    /// Returns a builder without records.
    pub fn new(salt: Salt) -> Self {
        Self {
            content: Content::empty(salt),
            pages: Vec::new(),
            has_children: HashMap::new(),
            last: HashMap::new(),
            slugs: HashMap::new(),
            numbers: HashMap::new(),
            children: Vec::new(),
            files: Vec::new(),
            reusable: Vec::new(),
            redirects: Vec::new(),
        }
    }

    /// Adds a page after its existing siblings. Its order key is assigned here. A number is
    /// appended to its slug if a sibling already has the slug.
    ///
    /// # Errors
    /// Returns an error if the id was added before or the parent was not.
    pub fn page(&mut self, mut page: PageRecord) -> Result<(), TreeError> {
        if let Some(parent) = page.parent {
            *self.has_children.get_mut(&parent).ok_or(TreeError::NotFound(parent))? = true;
        }
        if self.has_children.insert(page.id, false).is_some() {
            return Err(TreeError::Exists(page.id));
        }
        let last = self.last.get(&page.parent);
        page.order = OrderKey::between(last, None);
        self.last.insert(page.parent, page.order.clone());
        self.assign_slug(&mut page);
        let key = child_key(page.parent.as_ref(), &page.order, &page.id);
        self.children.push((key[..].into(), self.pages.len()));
        if page.kind == PageKind::Computed {
            self.content.computed.insert(page.id);
        }
        self.pages.push((page.id, page.encode()?[..].into()));
        Ok(())
    }

    /// Gives a page a slug that none of its siblings has.
    fn assign_slug(&mut self, page: &mut PageRecord) {
        let parent = page.parent;
        let key = |slug: &str| Box::<[u8]>::from(&slug_key(parent.as_ref(), slug)[..]);
        let wanted = key(&page.slug);
        let Some(number) = self.slugs.contains_key(&wanted).then(|| self.numbers.get(&wanted))
        else {
            self.slugs.insert(wanted, page.id);
            return;
        };
        let mut number = number.copied().unwrap_or(0);
        loop {
            number += 1;
            let slug = numbered(&page.slug, number);
            if let Entry::Vacant(free) = self.slugs.entry(key(&slug)) {
                free.insert(page.id);
                page.slug = slug;
                break;
            }
        }
        self.numbers.insert(wanted, number);
    }

    /// Adds a file.
    pub fn file(&mut self, file: FileRecord) {
        self.files.push(file);
    }

    /// Adds a reusable content.
    pub fn reusable(&mut self, reusable: ReusableRecord) {
        self.reusable.push(reusable);
    }

    /// Adds a redirect. The last redirect of a path takes effect.
    pub fn redirect(&mut self, path: String, to: Redirect) {
        self.redirects.push((path, to));
    }

    /// Builds all maps. `drain` is called at intervals; the objects that it takes are not read
    /// again.
    ///
    /// # Errors
    /// Returns an error if draining fails.
    pub fn finish(
        self,
        staging: &mut Staging<'_>,
        drain: &mut DrainFn<'_>,
    ) -> Result<Content, TreeError> {
        let Self {
            content: mut next,
            mut pages,
            has_children,
            slugs,
            children,
            mut files,
            mut reusable,
            redirects,
            last: _,
            numbers: _,
        } = self;
        let mut maps = Maps { salt: next.salt(), staging, drain };

        let slugs = slugs.into_iter().map(|(key, id)| (key.into(), id)).collect();
        next.slugs = maps.sorted(slugs, |id: PageId| Ok(Bytes::copy_from_slice(id.as_bytes())))?;
        let mut paths = Vec::with_capacity(pages.len() + files.len());
        let children = children.into_iter().map(|(key, at)| (key.into(), at)).collect();
        next.children = maps.sorted(children, |at: usize| {
            let Some((id, bytes)) = pages.get(at) else { return Ok(Bytes::new()) };
            let mut page = PageRecord::decode(bytes)?;
            if let Some(path) = page.source_path.take() {
                paths.push((path, PathEntry::Page(*id)));
            }
            page.navigation(has_children.get(id).copied().unwrap_or_default()).encode()
        })?;
        drop(has_children);
        pages.sort_unstable_by_key(|(id, _)| *id);
        let mut builder = MapBuilder::new(maps.salt);
        for (at, (id, bytes)) in pages.into_iter().enumerate() {
            builder.push(maps.staging, Bytes::copy_from_slice(id.as_bytes()), bytes.into());
            maps.drain_periodically(at)?;
        }
        next.pages = builder.finish(maps.staging);

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

/// Builds maps and drains the staging between chunks.
struct Maps<'m, 's, 'd> {
    salt: Salt,
    staging: &'m mut Staging<'s>,
    drain: &'m mut DrainFn<'d>,
}

impl Maps<'_, '_, '_> {
    /// Builds a map from entries in any order. The last of several entries of a key takes effect.
    fn sorted<T>(
        &mut self,
        mut entries: Vec<(Bytes, T)>,
        mut encode: impl FnMut(T) -> Result<Bytes, ObjectError>,
    ) -> Result<Map, ObjectError> {
        entries.reverse();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries.dedup_by(|a, b| a.0 == b.0);
        let mut builder = MapBuilder::new(self.salt);
        for (at, (key, value)) in entries.into_iter().enumerate() {
            builder.push(self.staging, key, encode(value)?);
            self.drain_periodically(at)?;
        }
        Ok(builder.finish(self.staging))
    }

    /// Builds a map from records that are sorted by id.
    fn records<'r, R: Record + 'r>(
        &mut self,
        records: impl Iterator<Item = &'r R>,
        key: impl Fn(&'r R) -> &'r [u8; bindery_model::Id::LEN],
    ) -> Result<Map, ObjectError> {
        let mut builder = MapBuilder::new(self.salt);
        for (at, record) in records.enumerate() {
            builder.push(self.staging, Bytes::copy_from_slice(key(record)), record.encode()?);
            self.drain_periodically(at)?;
        }
        Ok(builder.finish(self.staging))
    }

    fn drain_periodically(&mut self, at: usize) -> Result<(), ObjectError> {
        if at % 4096 == 4095 { (self.drain)(self.staging) } else { Ok(()) }
    }
}
