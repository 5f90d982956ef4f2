//! Turns a folder into a content: plans the tree, pairs pages, reads sources and writes the result.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use bindery_content::{FrontMatter, Warning, source, summary};
use bindery_model::{PageId, ReusableContentId, Timestamp};
use bindery_revision::tree::ContentBuilder;
use bindery_revision::{
    Content, Direction, FileRecord, Hash, ObjectError, Objects, PageBody, PageKind, PageRecord,
    PathEntry, Record,
};

use super::delta::Delta;
use super::pairing::Old;
use super::plan::{PlannedKind, PlannedPage, title_of_path};
use super::resolve::Resolver;
use super::role_changes::RoleChanges;
use super::sources::{self, PreviousText, Source, read_all};
use super::state::{GitEntry, GitItem, GitState};
use super::view::{LANGUAGES, Role, View, ViewFile};
use super::{
    ImportContext, ImportCounts, ImportError, ImportOptions, ImportResult, ImportWarning, Output,
    Previous, pairing, plan,
};

/// Maximum number of warnings.
const MAX_WARNINGS: usize = 1_000;

/// A page whose source was read. The record is kept encoded, which takes a fraction of the memory.
pub(super) struct Draft(Box<[u8]>);

impl Draft {
    fn of(page: &PageRecord) -> Result<Self, ObjectError> {
        Ok(Self(page.encode()?[..].into()))
    }

    fn record(&self) -> Result<PageRecord, ObjectError> {
        PageRecord::decode(&self.0)
    }
}

/// The pages of an import.
pub(super) enum Pages {
    /// All pages of a space that was empty.
    Whole(Box<ContentBuilder>),
    /// Pages to compare with the previous ones.
    Listed(Vec<Box<PageRecord>>),
}

impl Pages {
    fn take(&mut self, page: PageRecord) -> Result<(), ImportError> {
        match self {
            Self::Whole(bulk) => bulk.page(page)?,
            Self::Listed(pages) => pages.push(Box::new(page)),
        }
        Ok(())
    }
}

/// An import in progress.
pub(super) struct Importer<'a, 'o> {
    pub(super) view: &'a View<'a>,
    pub(super) options: &'a ImportOptions,
    pub(super) context: &'a ImportContext<'a>,
    pub(super) objects: &'a dyn Objects,
    /// The previous content.
    pub(super) old: &'a Content,
    pub(super) state: Option<&'a GitState>,
    pub(super) delta: &'a Delta,
    pub(super) resolver: Resolver<'a>,
    pub(super) output: Output<'o>,
    pub(super) warnings: Vec<ImportWarning>,
    /// Changes to the files of the Git state.
    pub(super) file_changes: BTreeMap<Cow<'a, str>, Option<GitEntry>>,
    pub(super) removed_reusable: Vec<ReusableContentId>,
    /// The files of pictures whose addresses contain their data.
    pub(super) pictures: Vec<FileRecord>,
    /// Pages whose parent or slug changed.
    pub(super) moved: Vec<PageId>,
    pub(super) read: u64,
}

/// A page whose source must be read.
struct Job<'a> {
    file: ViewFile<'a>,
    id: PageId,
    /// The title; `None` if it comes from the file.
    title: Option<String>,
}

pub(super) fn assemble(
    mut view: View<'_>,
    options: &ImportOptions,
    previous: Option<Previous<'_>>,
    output: Output<'_>,
    context: &ImportContext<'_>,
) -> Result<ImportResult, ImportError> {
    let objects = output.objects;
    let old = match previous {
        Some(previous) => previous.content.clone(),
        None => Content::new(context.entropy),
    };
    // Paths in the state are relative to the root, so they are meaningless under another root.
    let state = previous.and_then(|previous| previous.state);
    let state = state.filter(|state| state.prefix == view.prefix);
    let commit = previous.and_then(|previous| previous.commit);
    let present = previous.and_then(|previous| previous.present);
    let proposed = previous.map_or(&[][..], |previous| previous.proposed);
    let delta = compare(&mut view, options, state, commit, objects)?;
    let replan = delta.affects_tree(&view)?;
    let mut old_pages = HashMap::new();
    let mut planned = Vec::new();
    if replan {
        old_pages = load(&old, objects)?;
        planned = make_plan(&mut view)?;
        let limits = &options.limits;
        let old = Old { pages: &old_pages, state, present, proposed };
        pairing::pair(&mut planned, &view, &old, objects, limits, context)?;
    }
    context.check()?;
    let warnings = std::mem::take(&mut view.warnings);
    let renamed = delta.removed.iter().filter_map(|(_, entry)| match entry.item {
        GitItem::File(id) => Some((entry.blob()?, id)),
        _ => None,
    });
    let resolver = Resolver {
        view: &view,
        tree_url: options.tree_url.as_deref(),
        old: &old,
        present,
        proposed,
        objects,
        entropy: context.entropy,
        pages: replan.then(|| pairing::by_path(&planned)),
        reusable: HashMap::new(),
        renamed: renamed.collect(),
        files: BTreeMap::new(),
        file_bytes: options.limits.file_bytes,
        too_large: BTreeSet::new(),
        wanted: BTreeSet::new(),
    };
    let mut importer = Importer {
        view: &view,
        options,
        context,
        objects,
        old: &old,
        state,
        delta: &delta,
        resolver,
        output,
        warnings,
        file_changes: BTreeMap::new(),
        removed_reusable: Vec::new(),
        pictures: Vec::new(),
        moved: Vec::new(),
        read: 0,
    };
    importer.run(replan.then_some(planned), &old_pages)
}

/// Computes the changes since the previous import. Lists all files only if Git cannot report the
/// changes or if the tree must be planned again.
fn compare(
    view: &mut View<'_>,
    options: &ImportOptions,
    state: Option<&GitState>,
    commit: Option<&str>,
    objects: &dyn Objects,
) -> Result<Delta, ImportError> {
    if !options.reread
        && let Some((state, commit)) = state.zip(commit)
        && let Some(delta) = Delta::from_changed_paths(view, state, commit, objects)?
        && !delta.affects_tree(view)?
    {
        return Ok(delta);
    }
    view.list(options)?;
    Ok(Delta::compare(view, state, objects)?.with_all(options.reread))
}

fn load(
    content: &Content,
    objects: &dyn Objects,
) -> Result<HashMap<PageId, PageRecord>, ObjectError> {
    let read = |entry: Result<(_, bytes::Bytes), ObjectError>| {
        let page = PageRecord::decode(&entry?.1)?;
        Ok((page.id, page))
    };
    content.pages.range(objects, None, Direction::Ascending).map(read).collect()
}

/// Plans the page tree by the table of contents or, without one, by the folders.
fn make_plan(view: &mut View<'_>) -> Result<Vec<PlannedPage>, ImportError> {
    read_languages(view)?;
    let path = view.config.summary.clone();
    let Some(file) = view.listed(&path) else {
        return Ok(plan::from_folders(view));
    };
    let bytes = view.read(file.entry)?;
    let summary = summary::parse(&source::decode(&bytes), &path);
    for warning in &summary.warnings {
        view.warn_at(&file.entry.path, warning.clone());
    }
    Ok(plan::from_summary(view, &summary))
}

/// Reads the list of languages, and warns that each of its folders should be a space of its own.
fn read_languages(view: &mut View<'_>) -> Result<(), ImportError> {
    let Some(file) = view.listed(LANGUAGES) else { return Ok(()) };
    let bytes = view.read(file.entry)?;
    let mut languages = summary::languages(&source::decode(&bytes));
    for language in &mut languages {
        language.folder.insert_str(0, &view.prefix);
    }
    if !languages.is_empty() {
        let folders: Vec<String> =
            languages.iter().map(|language| format!("`{}`", language.folder)).collect();
        let message = format!(
            "Each language is meant to be a space of its own: import {} with that folder as the \
             project directory.",
            folders.join(", ")
        );
        view.warn_at(&file.entry.path, Warning::new(message));
    }
    view.languages = languages;
    Ok(())
}

impl<'a> Importer<'a, '_> {
    fn run(
        &mut self,
        planned: Option<Vec<PlannedPage>>,
        old_pages: &HashMap<PageId, PageRecord>,
    ) -> Result<ImportResult, ImportError> {
        let role_changes = self.role_changes(old_pages)?;
        let includes = self.includes(&role_changes)?;
        for include in &includes {
            self.resolver.reusable.insert(include.file.path.to_owned(), include.id);
        }
        let jobs = match &planned {
            Some(planned) => self.planned_jobs(planned, old_pages, &role_changes)?,
            None => self.changed_jobs()?,
        };
        let drafts = self.read_pages(&jobs, old_pages)?;
        let reusable = self.include_records(includes)?;
        // Building at once would discard previous content, so it is limited to empty spaces.
        let fresh = planned.is_some()
            && self.old.pages.is_empty()
            && self.old.files.is_empty()
            && self.old.reusable.is_empty()
            && self.old.sources.is_empty();
        let mut pages = if fresh {
            Pages::Whole(Box::new(ContentBuilder::new(self.old.salt())))
        } else {
            Pages::Listed(Vec::new())
        };
        match planned {
            Some(planned) => self.tree(planned, drafts, old_pages, &mut pages)?,
            None => drafts.values().try_for_each(|draft| pages.take(draft.record()?))?,
        }
        let sources = self.read_sources()?;
        let mut files = self.read_files(&role_changes)?;
        files.append(&mut self.pictures);
        self.view.close();
        for path in std::mem::take(&mut self.resolver.too_large) {
            if let Some(file) = self.view.get(&path)? {
                self.warn(file, [Warning::new("The file is too large; it is left out.")]);
            }
        }
        self.finish(pages, old_pages, reusable, files, sources)
    }

    /// Returns the planned pages whose source is new, changed, moved or not known yet.
    fn planned_jobs(
        &mut self,
        planned: &[PlannedPage],
        old_pages: &HashMap<PageId, PageRecord>,
        role_changes: &RoleChanges,
    ) -> Result<Vec<Job<'a>>, ImportError> {
        let titles_move = self.delta.affects_titles(self.view);
        let has_summary = self.view.listed(&self.view.config.summary).is_some();
        let were_titled = self.titled_pages()?;
        let mut jobs = Vec::new();
        for page in planned {
            let (Some(path), Some(id)) = (page.kind.path(), page.id) else {
                continue;
            };
            let Some(file) = self.view.listed(path) else {
                continue;
            };
            let titled = page.title.is_none();
            let old = old_pages.get(&id);
            // The title determines if the first heading belongs to the text.
            let is_renamed =
                page.title.as_ref().is_some_and(|title| old.is_some_and(|old| old.title != *title));
            let same = old
                .is_some_and(|old| old.body.is_some() && old.source_path.as_deref() == Some(path));
            let read = self.delta.affects(path)
                || !same
                || is_renamed
                || (titled && (titles_move || has_summary))
                || role_changes.affect(old.and_then(|old| old.body), self.objects)?;
            if read {
                if self.is_readable(file) {
                    jobs.push(Job { file, id, title: page.title.clone() });
                }
            } else if titled != were_titled.contains(&id) {
                self.record_item(file, GitItem::Page { id, titled });
            }
        }
        Ok(jobs)
    }

    /// Returns the pages whose titles come from their files.
    fn titled_pages(&self) -> Result<HashSet<PageId>, ObjectError> {
        let mut titled_pages = HashSet::new();
        let Some(state) = self.state else { return Ok(titled_pages) };
        for entry in state.files.range(self.objects, None, Direction::Ascending) {
            if let GitItem::Page { id, titled: true } = GitEntry::decode(&entry?.1)?.item {
                titled_pages.insert(id);
            }
        }
        Ok(titled_pages)
    }

    /// Returns the pages whose source changed, for an unchanged tree.
    fn changed_jobs(&mut self) -> Result<Vec<Job<'a>>, ImportError> {
        let mut jobs = Vec::new();
        let markdown = |path: &str| self.view.role(path) == Role::Markdown;
        for file in self.delta.affected_files(self.view, &markdown)? {
            let path = file.path;
            let Some(PathEntry::Page(id)) = self.old.at_path(self.objects, path)? else {
                continue;
            };
            let known = match self.state {
                Some(state) => state.get(self.objects, path)?.map(|entry| entry.item),
                None => None,
            };
            let title = self.old.page(self.objects, id)?.map(|page| page.title);
            let titled = match known {
                Some(GitItem::Page { titled, .. }) => titled,
                _ => title.as_ref().is_some_and(|title| *title == title_of_path(path)),
            };
            if self.is_readable(file) {
                jobs.push(Job { file, id, title: title.filter(|_| !titled) });
            }
        }
        Ok(jobs)
    }

    fn is_readable(&mut self, file: ViewFile<'a>) -> bool {
        let limit = self.options.limits.page_bytes;
        let is_within_limit = file.entry.size <= limit;
        if !is_within_limit {
            let message = format!("The page is longer than {limit} bytes; it stays empty.");
            self.warn(file, [Warning::new(message)]);
        }
        is_within_limit
    }

    /// Reads pages. Their texts go to the output, and their records are returned.
    fn read_pages(
        &mut self,
        jobs: &[Job<'a>],
        old_pages: &HashMap<PageId, PageRecord>,
    ) -> Result<HashMap<PageId, Draft>, ImportError> {
        let entries: Vec<_> = jobs.iter().map(|job| job.file.entry).collect();
        let mut drafts = HashMap::with_capacity(jobs.len());
        let mut from = 0;
        while from < jobs.len() {
            let (previous_texts, until) = self.previous_texts(jobs, from, old_pages)?;
            let parse = |at: usize, bytes: Vec<u8>| {
                let previous_text =
                    at.checked_sub(from).and_then(|at| previous_texts.get(at)?.as_ref());
                let path = jobs.get(at).map_or("", |job| job.file.path);
                let title = jobs.get(at).and_then(|job| job.title.as_deref());
                let source = Source::parse(bytes, title);
                let identity = sources::identity(&source, previous_text, path);
                (source, identity)
            };
            let (view, context) = (self.view, self.context);
            let mut take = |at, (source, identity)| {
                if let Some(job) = jobs.get(at) {
                    let page = self.page(job, source, identity, old_pages.get(&job.id))?;
                    drafts.insert(job.id, Draft::of(&page)?);
                }
                Ok(())
            };
            read_all(view, &entries, from..until, 64, context, &parse, &mut take)?;
            from = until;
        }
        Ok(drafts)
    }

    /// Returns the previous texts of pages from `from` on, as many as fit into memory, and the end
    /// of that range. The new texts take over their keys and ids.
    fn previous_texts(
        &self,
        jobs: &[Job<'a>],
        from: usize,
        old_pages: &HashMap<PageId, PageRecord>,
    ) -> Result<(Vec<Option<PreviousText>>, usize), ImportError> {
        if self.old.pages.is_empty() {
            return Ok((Vec::new(), jobs.len()));
        }
        let (mut texts, mut bytes) = (Vec::new(), 0);
        for job in jobs.iter().skip(from) {
            if bytes >= self.options.limits.staged_bytes {
                break;
            }
            let body = match old_pages.get(&job.id) {
                Some(old) => old.body,
                None => self.old.page(self.objects, job.id)?.and_then(|page| page.body),
            };
            let text = PreviousText::of(body, self.objects)?;
            bytes += text.as_ref().map_or(0, PreviousText::bytes);
            texts.push(text);
        }
        let until = from + texts.len();
        Ok((texts, until))
    }

    fn page(
        &mut self,
        job: &Job<'a>,
        source: Source,
        identity: Vec<u8>,
        old: Option<&PageRecord>,
    ) -> Result<PageRecord, ImportError> {
        let path = job.file.path;
        let known = match old {
            Some(old) => Some(old.clone()),
            None => self.old.page(self.objects, job.id)?,
        };
        let mut page = known.unwrap_or_else(|| {
            let at = self.changed_at(Some(path));
            PageRecord::new(job.id, PageKind::Document, "", "", at)
        });
        let Source { bytes, front, title, has_heading: _, targets, pictures, warnings } = source;
        let titled = job.title.is_none();
        self.warn(job.file, warnings);
        self.resolver.apply(front, &mut page, path)?;
        self.store_pictures(pictures)?;
        let body = PageBody {
            source: bytes.into(),
            path: Some(path.to_owned()),
            references: self.resolver.references(targets, path)?,
            identity: identity.into(),
        };
        page.body = Some(self.output.staging.put(body.encode()?));
        self.output.flush_if_full()?;
        page.source_path = Some(path.to_owned());
        if titled {
            page.title = title.unwrap_or_else(|| title_of_path(path));
        }
        self.record_item(job.file, GitItem::Page { id: job.id, titled });
        self.read += 1;
        Ok(page)
    }

    /// Adds the records of all pages of a plan, in its order and with their preferred slugs.
    fn tree(
        &mut self,
        planned: Vec<PlannedPage>,
        mut drafts: HashMap<PageId, Draft>,
        old_pages: &HashMap<PageId, PageRecord>,
        pages: &mut Pages,
    ) -> Result<(), ImportError> {
        let ids: Vec<Option<PageId>> = planned.iter().map(|page| page.id).collect();
        for planned in planned {
            let PlannedPage { id, parent, kind, title, link_title, emoji, slug } = planned;
            let Some(id) = id else { continue };
            let mut page = match drafts.remove(&id) {
                Some(draft) => draft.record()?,
                None => old_pages.get(&id).cloned().unwrap_or_else(|| {
                    let at = self.changed_at(None);
                    PageRecord::new(id, PageKind::Document, "", "", at)
                }),
            };
            page.parent = parent.and_then(|parent| ids.get(parent).copied().flatten());
            page.link_title = link_title;
            page.emoji = emoji;
            // A page that stays in its file keeps a slug that was chosen for it.
            let stays = old_pages.get(&id).filter(|old| {
                old.source_path.is_some() && old.source_path.as_deref() == kind.path()
            });
            page.slug = stays.map_or(slug, |old| old.slug.clone());
            page.kind = self.kind(&kind, &mut page)?;
            match title {
                Some(title) => page.title = title,
                None if page.title.is_empty() => {
                    page.title = kind.path().map_or_else(|| "Untitled".to_owned(), title_of_path);
                }
                None => {}
            }
            pages.take(page)?;
        }
        Ok(())
    }

    fn kind(&mut self, kind: &PlannedKind, page: &mut PageRecord) -> Result<PageKind, ImportError> {
        page.computed = None;
        if let PlannedKind::Document { path: Some(path) } = kind {
            let file = self.view.get(path)?;
            let limit = self.options.limits.page_bytes;
            if file.is_none_or(|file| file.entry.size > limit) {
                self.clear_page(page, path)?;
            }
            page.source_path = Some(path.clone());
            return Ok(PageKind::Document);
        }
        page.source_path = None;
        page.body = None;
        Ok(match kind {
            PlannedKind::Document { .. } => PageKind::Document,
            PlannedKind::Group => PageKind::Group,
            PlannedKind::Link { target } => {
                let holder = &self.view.config.summary;
                PageKind::Link { target: self.resolver.reference(target, holder)? }
            }
            PlannedKind::Computed { source } => {
                page.computed = Some(source.clone());
                PageKind::Computed
            }
        })
    }

    /// Removes the text and the metadata of a page whose file is missing.
    pub(super) fn clear_page(
        &mut self,
        page: &mut PageRecord,
        path: &str,
    ) -> Result<(), ImportError> {
        page.body = None;
        self.resolver.apply(FrontMatter::default(), page, path)
    }

    /// Returns the new and changed sources that belong to no page.
    fn read_sources(&mut self) -> Result<Vec<(String, Hash, Vec<u8>)>, ImportError> {
        let mut sources = Vec::new();
        let source = |path: &str| self.view.role(path) == Role::Source;
        for file in self.delta.affected_files(self.view, &source)? {
            let bytes = self.view.read(file.entry)?;
            let hash = self.output.staging.put(bytes.clone());
            sources.push((file.path.to_owned(), hash, bytes));
            self.record_item(file, GitItem::Source);
            self.read += 1;
        }
        Ok(sources)
    }

    /// Returns the time of the last change of the file at a path, or with `None` that of the whole
    /// folder. Folders without dates, and dates in the future, yield the time of the import.
    pub(super) fn changed_at(&self, path: Option<&str>) -> Timestamp {
        let file = path.and_then(|path| self.view.get(path).ok().flatten());
        let at = self.view.changed_at(file.map_or("", |file| file.entry.path.as_str()));
        at.map_or(self.context.now, |at| at.min(self.context.now))
    }

    pub(super) fn warn(&mut self, file: ViewFile<'_>, warnings: impl IntoIterator<Item = Warning>) {
        for Warning { line, message } in warnings {
            let path = file.entry.path.clone();
            self.warnings.push(ImportWarning { path, line, message });
        }
    }

    /// Records the item that a file became, for the next import.
    pub(super) fn record_item(&mut self, file: ViewFile<'a>, item: GitItem) {
        let entry = GitEntry::new(file.entry.blob, item);
        self.file_changes.insert(Cow::Borrowed(file.path), Some(entry));
    }

    pub(super) fn result(
        &mut self,
        content: Content,
        state: GitState,
        changed: u64,
    ) -> ImportResult {
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        if let Some(more) = warnings.len().checked_sub(MAX_WARNINGS).filter(|more| *more > 0) {
            warnings.truncate(MAX_WARNINGS);
            let message = format!("{more} more warnings are not listed.");
            warnings.push(ImportWarning { path: String::new(), line: None, message });
        }
        let counts = ImportCounts { read: self.read, changed, ..ImportCounts::default() };
        ImportResult {
            content,
            state,
            prefix: self.view.prefix.clone(),
            warnings,
            counts,
            languages: self.view.languages.clone(),
        }
    }
}
