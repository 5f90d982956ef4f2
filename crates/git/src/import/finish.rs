//! Writes the result of an import: a new content, or edits of the previous one.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use bindery_content::{config, source};
use bindery_model::{FileId, PageId};
use bindery_revision::map::MapBuilder;
use bindery_revision::tree::{Change, ContentBuilder, write};
use bindery_revision::{
    Content, Direction, FileRecord, Hash, Map, ObjectError, PageRecord, PathEntry, Record,
    ReusableRecord, Staging,
};
use bytes::Bytes;

use super::arrange::arrange;
use super::assemble::{Importer, Pages};
use super::redirects::Redirects;
use super::resolve::variables;
use super::state::{GitItem, GitState};
use super::view::{Role, VARIABLES};
use super::{ImportError, ImportResult};

type Edits = BTreeMap<Bytes, Option<Bytes>>;

/// The paths that files and reusable contents release and take.
#[derive(Default)]
struct PathEdits {
    released: Edits,
    claimed: Edits,
}

impl PathEdits {
    fn release(&mut self, path: Option<String>) {
        self.released.extend(path.map(|path| (path.into(), None)));
    }

    fn claim(&mut self, path: Option<&String>, entry: PathEntry) -> Result<(), ObjectError> {
        if let Some(path) = path {
            self.claimed.insert(Bytes::copy_from_slice(path.as_bytes()), Some(entry.encode()?));
        }
        Ok(())
    }
}

impl<'a> Importer<'a, '_> {
    pub(super) fn finish(
        &mut self,
        pages: Pages,
        old_pages: &HashMap<PageId, PageRecord>,
        reusable: Vec<ReusableRecord>,
        files: Vec<FileRecord>,
        sources: Vec<(String, Hash, Vec<u8>)>,
    ) -> Result<ImportResult, ImportError> {
        self.context.check()?;
        let replan = self.resolver.pages.is_some();
        let redirects = if replan { Some(self.redirects()?) } else { None };
        let (mut content, changed) = match pages {
            Pages::Whole(bulk) => {
                let redirects = redirects.unwrap_or_default();
                let content = self.build(*bulk, reusable, files, redirects)?;
                let changed = content.pages.len();
                (content, changed)
            }
            Pages::Listed(pages) => {
                let changes = self.changes(pages, old_pages, replan)?;
                let changed = changes.len() as u64;
                (self.edit(changes, reusable, files, redirects)?, changed)
            }
        };
        self.sources(&mut content, sources)?;
        let state = self.git_state(&content)?;
        self.output.finish([content.roots(), state.roots()].concat())?;
        Ok(self.result(content, state, changed))
    }

    fn build(
        &mut self,
        mut bulk: ContentBuilder,
        reusable: Vec<ReusableRecord>,
        files: Vec<FileRecord>,
        redirects: Redirects,
    ) -> Result<Content, ImportError> {
        reusable.into_iter().for_each(|reusable| bulk.reusable(reusable));
        files.into_iter().for_each(|file| bulk.file(file));
        redirects.into_iter().for_each(|(path, to)| bulk.redirect(path, to));
        let (limit, sink) = (self.output.limit, &mut self.output.sink);
        Ok(bulk.finish(&mut self.output.staging, &mut |staging| {
            if staging.bytes() >= limit { sink.put(staging.drain()) } else { Ok(()) }
        })?)
    }

    /// Computes the changes of the page tree.
    fn changes(
        &mut self,
        mut pages: Vec<Box<PageRecord>>,
        old_pages: &HashMap<PageId, PageRecord>,
        replan: bool,
    ) -> Result<Vec<Change>, ImportError> {
        let mut changes = Vec::new();
        if replan {
            arrange(&mut pages, old_pages);
            let kept: HashSet<PageId> = pages.iter().map(|page| page.id).collect();
            for old in old_pages.values() {
                if !kept.contains(&old.id) {
                    changes.push(Change::Delete(old.id));
                }
                // A page that was deleted or moved releases its path, unless another page takes it.
                if let Some(path) = &old.source_path
                    && self.resolver.page(path)?.is_none()
                {
                    self.file_changes.entry(path.clone().into()).or_insert(None);
                }
            }
        } else {
            let delta = self.delta;
            for (path, entry) in &delta.removed {
                if let GitItem::Page { id, .. } = entry.item
                    && let Some(mut page) = self.old.page(self.objects, id)?
                    && page.source_path.as_ref() == Some(path)
                {
                    self.clear_page(&mut page, path)?;
                    pages.push(Box::new(page));
                }
            }
        }
        for mut page in pages {
            let known = match old_pages.get(&page.id) {
                Some(old) => Some(old.clone()),
                None => self.old.page(self.objects, page.id)?,
            };
            if let Some(old) = known {
                if *page == old {
                    continue;
                }
                if (page.parent, &page.slug) != (old.parent, &old.slug) {
                    self.moved.push(page.id);
                }
                let mut unmoved = PageRecord::clone(&page);
                unmoved.parent = old.parent;
                unmoved.order = old.order.clone();
                unmoved.slug = old.slug.clone();
                // A move alone does not update the time of the last change.
                if unmoved != old {
                    page.updated_at = self.changed_at(page.source_path.as_deref());
                }
            }
            changes.push(Change::Put(page));
        }
        Ok(changes)
    }

    fn edit(
        &mut self,
        changes: Vec<Change>,
        reusable: Vec<ReusableRecord>,
        files: Vec<FileRecord>,
        redirects: Option<Redirects>,
    ) -> Result<Content, ImportError> {
        let mut paths = PathEdits::default();
        let files = self.file_edits(files, &changes, &mut paths)?;
        let reusable = self.reusable_edits(reusable, &mut paths)?;
        let staging = &mut self.output.staging;
        let mut content = self.old.clone();
        content.files = content.files.apply(staging, files)?;
        content.reusable = content.reusable.apply(staging, reusable)?;
        // Released paths are removed first and taken paths are added last, so that a file can
        // become a page and a page a file.
        content.paths = content.paths.apply(staging, paths.released)?;
        content = write(&content, staging, changes)?;
        content.paths = content.paths.apply(staging, paths.claimed)?;
        if let Some(mut redirects) = redirects {
            self.add_old_paths(&content, &mut redirects)?;
            let mut entries = Vec::with_capacity(redirects.len());
            for (path, to) in redirects {
                entries.push((path.into(), to.encode()?));
            }
            content.redirects = Map::build(content.salt(), &mut self.output.staging, entries);
        }
        Ok(content)
    }

    fn file_edits(
        &self,
        files: Vec<FileRecord>,
        changes: &[Change],
        paths: &mut PathEdits,
    ) -> Result<Edits, ObjectError> {
        let mut edits = Edits::new();
        for id in self.removed_files(&files)? {
            if let Some(file) = self.old.file(self.objects, id)? {
                paths.release(file.path);
                edits.insert(Bytes::copy_from_slice(id.as_bytes()), None);
            }
        }
        for change in changes {
            if let Change::Put(page) = change
                && let Some(path) = &page.source_path
                && let Some(PathEntry::File(id)) = self.old.at_path(self.objects, path)?
            {
                edits.insert(Bytes::copy_from_slice(id.as_bytes()), None);
            }
        }
        for file in files {
            let old = self.old.file(self.objects, file.id)?;
            paths.release(
                old.and_then(|old| old.path).filter(|old| Some(old) != file.path.as_ref()),
            );
            paths.claim(file.path.as_ref(), PathEntry::File(file.id))?;
            edits.insert(Bytes::copy_from_slice(file.id.as_bytes()), Some(file.encode()?));
        }
        Ok(edits)
    }

    fn reusable_edits(
        &mut self,
        reusable: Vec<ReusableRecord>,
        paths: &mut PathEdits,
    ) -> Result<Edits, ObjectError> {
        let mut edits = Edits::new();
        for id in std::mem::take(&mut self.removed_reusable) {
            if let Some(reusable) = self.old.reusable(self.objects, id)? {
                paths.release(reusable.path);
                edits.insert(Bytes::copy_from_slice(id.as_bytes()), None);
            }
        }
        for reusable in reusable {
            let (id, path) = (reusable.id, reusable.path.as_ref());
            let old = self.old.reusable(self.objects, id)?;
            paths.release(old.and_then(|old| old.path).filter(|old| Some(old) != path));
            paths.claim(path, PathEntry::Reusable(id))?;
            edits.insert(Bytes::copy_from_slice(id.as_bytes()), Some(reusable.encode()?));
        }
        Ok(edits)
    }

    /// Returns the previous files that no longer exist.
    fn removed_files(&self, files: &[FileRecord]) -> Result<Vec<FileId>, ObjectError> {
        let kept: HashSet<FileId> =
            files.iter().map(|file| file.id).chain(self.resolver.files.values().copied()).collect();
        let mut removed = Vec::new();
        if self.state.is_some() {
            for (_, entry) in &self.delta.removed {
                if let GitItem::File(id) = entry.item {
                    removed.push(id);
                }
            }
        }
        if self.state.is_none() || self.resolver.pages.is_some() {
            for entry in self.old.files.range(self.objects, None, Direction::Ascending) {
                let file = FileRecord::decode(&entry?.1)?;
                let Some(path) = file.path else { continue };
                if self.state.is_none() || !self.may_be_file(&path) {
                    removed.push(file.id);
                }
            }
        }
        removed.retain(|id| !kept.contains(id));
        Ok(removed)
    }

    /// Updates the sources without a page, and the variables from their file.
    fn sources(
        &mut self,
        content: &mut Content,
        sources: Vec<(String, Hash, Vec<u8>)>,
    ) -> Result<(), ImportError> {
        let mut kept = Vec::with_capacity(content.sources.len());
        for (path, hash) in std::mem::take(&mut content.sources) {
            let is_new = sources.iter().any(|(new, _, _)| *new == path);
            if is_new || self.view.get(&path)?.is_none() {
                continue;
            }
            if self.view.role(&path) == Role::Source {
                kept.push((path, hash));
            } else {
                self.file_changes.entry(path.into()).or_insert(None);
            }
        }
        content.sources = kept;
        let variables_file = self.view.get(VARIABLES)?;
        for (path, hash, bytes) in sources {
            if path == VARIABLES
                && let Some(file) = variables_file
            {
                let (values, warnings) = config::parse_variables(&source::decode(&bytes));
                content.variables = variables(&values);
                self.warn(file, warnings);
            }
            content.sources.push((path, hash));
        }
        content.sources.sort_unstable();
        if variables_file.is_none() {
            content.variables.clear();
        }
        Ok(())
    }

    fn git_state(&mut self, content: &Content) -> Result<GitState, ImportError> {
        let mut state = match self.state {
            Some(state) => state.clone(),
            None => GitState::empty(&self.view.prefix, content.salt()),
        };
        // Deleted files are recorded, too, so that there is one list sorted by path.
        let delta = self.delta;
        for (path, entry) in &delta.removed {
            self.file_changes.entry(Cow::Borrowed(path)).or_insert(None);
            // References to the file remain and become valid again if the file returns.
            if matches!(entry.item, GitItem::File(_)) {
                self.resolver.wanted.insert(path.clone());
            }
        }
        let file_changes = std::mem::take(&mut self.file_changes);
        let is_here = |path: &str| file_changes.get(path).is_some_and(Option::is_some);
        let wanted: Edits = std::mem::take(&mut self.resolver.wanted)
            .into_iter()
            .filter(|path| !is_here(path))
            .map(|path| (path.into(), Some(Bytes::new())))
            .collect();
        let key = |path: &str| Bytes::copy_from_slice(path.as_bytes());
        state.wanted = state.wanted.apply(&mut self.output.staging, wanted)?;
        if state.files.is_empty() {
            let mut files = MapBuilder::new(state.files.salt());
            for (path, entry) in file_changes {
                if let Some(entry) = entry {
                    files.push(&mut self.output.staging, key(&path), entry.encode()?);
                    self.output.flush_if_full()?;
                }
            }
            state.files = files.finish(&mut self.output.staging);
        } else {
            let mut files = Edits::new();
            for (path, entry) in file_changes {
                files.insert(key(&path), entry.map(|entry| entry.encode()).transpose()?);
            }
            state.files = state.files.apply(&mut self.output.staging, files)?;
        }
        state.links = Some(self.links(state.links)?);
        Ok(state)
    }

    /// Returns the paths of links, from the listing or from the changed paths.
    fn links(&mut self, before: Option<Map>) -> Result<Map, ImportError> {
        let entry = |path: &str| (Bytes::copy_from_slice(path.as_bytes()), Bytes::new());
        let Some(listed) = self.view.links() else {
            let before = before.unwrap_or_else(|| Map::empty(self.old.salt()));
            let mut edits = Edits::new();
            for path in self.delta.candidates.iter().flatten() {
                let is_link = self.view.is_link(path)?;
                let (key, value) = entry(path);
                if is_link != before.get(self.objects, &key)?.is_some() {
                    edits.insert(key, is_link.then_some(value));
                }
            }
            return Ok(before.apply(&mut self.output.staging, edits)?);
        };
        let build = |staging: &mut Staging<'_>| {
            Map::build(self.old.salt(), staging, listed.iter().map(|path| entry(path)))
        };
        // Equal maps are equal values, so an unchanged map is not written again.
        let now = build(&mut Staging::new(self.objects));
        if before != Some(now) {
            build(&mut self.output.staging);
        }
        Ok(now)
    }
}
