//! Plans the page tree that the repository describes, before any page is read.

use std::collections::{HashMap, HashSet};

use bindery_content::slug;
use bindery_content::summary::{self, Entry, EntryKind, Summary};
use bindery_model::PageId;
use bindery_revision::NavigationKind;

use super::view::View;

/// A page of the plan. Parents precede their children.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct PlannedPage {
    /// The page's id, set by pairing.
    pub(super) id: Option<PageId>,
    /// The index of the parent in the plan.
    pub(super) parent: Option<usize>,
    pub(super) kind: PlannedKind,
    /// The title, if the plan contains one. Otherwise the file determines it.
    pub(super) title: Option<String>,
    pub(super) link_title: Option<String>,
    pub(super) emoji: Option<String>,
    /// The preferred slug.
    pub(super) slug: String,
}

/// The kind of a page of the plan.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum PlannedKind {
    /// A document. Its file, if it has one, may be missing.
    Document {
        path: Option<String>,
    },
    Group,
    /// A link with its target as written in the table of contents.
    Link {
        target: String,
    },
    /// Generated pages, described by JSON.
    Computed {
        source: String,
    },
}

impl PlannedKind {
    /// Returns the path of the page's file.
    pub(super) fn path(&self) -> Option<&str> {
        match self {
            Self::Document { path } => path.as_deref(),
            _ => None,
        }
    }

    /// Returns `true` if a navigation entry has the same kind.
    pub(super) fn is(&self, kind: &NavigationKind) -> bool {
        matches!(
            (self, kind),
            (Self::Document { .. }, NavigationKind::Document)
                | (Self::Group, NavigationKind::Group)
                | (Self::Link { .. }, NavigationKind::Link(_))
                | (Self::Computed { .. }, NavigationKind::Computed)
        )
    }
}

/// Returns the plan of a table of contents.
pub(super) fn from_summary(view: &mut View<'_>, summary: &Summary) -> Vec<PlannedPage> {
    let mut plan = Vec::new();
    let readme = view.config.readme.clone();
    let listed = summary
        .walk()
        .any(|entry| matches!(&entry.kind, EntryKind::Page { path } if *path == readme));
    // The first page is part of the tree whether it is listed or not.
    if !listed && view.listed(&readme).is_some() {
        plan.push(document(readme, None));
    }
    let path = view.config.summary.clone();
    let repeated = RepeatedPages::of(summary, &path);
    let mut pending: Vec<(&Entry, Option<usize>)> =
        summary.entries.iter().rev().map(|entry| (entry, None)).collect();
    while let Some((entry, parent)) = pending.pop() {
        let at = plan.len();
        let mut page = planned_page(view, entry, parent);
        if let Some((kind, slug)) = repeated.kind(entry) {
            page.kind = kind;
            page.slug = bounded_slug(&slug.unwrap_or(page.slug));
        }
        // A link has no children, so entries listed below it become its siblings.
        let is_link = matches!(page.kind, PlannedKind::Link { .. });
        plan.push(page);
        let below = if is_link { parent } else { Some(at) };
        pending.extend(entry.children.iter().rev().map(|child| (child, below)));
    }
    plan
}

/// The pages that a table of contents lists more than once. A page is placed where it has children,
/// otherwise where it is listed first. Further entries are links to it, or empty pages if they have
/// children, which stay below them.
struct RepeatedPages<'s> {
    /// The first entry of each such page, and the entry where the page is placed.
    places: HashMap<String, (&'s Entry, &'s Entry)>,
    summary: &'s str,
}

impl<'s> RepeatedPages<'s> {
    fn of(summary: &'s Summary, path: &'s str) -> Self {
        let mut places: HashMap<String, (&Entry, &Entry)> = HashMap::new();
        let page = |entry: &'s Entry| match &entry.kind {
            EntryKind::Page { path } => Some((path.as_str(), entry)),
            _ => None,
        };
        // An entry can be listed before the entry that contains it.
        let first: HashMap<&str, &Entry> = summary.walk().filter_map(page).collect();
        for entry in summary.walk() {
            let EntryKind::Link { target } = &entry.kind else { continue };
            let Some(page) = summary::listed_page(target, path) else { continue };
            let Some(first) = first.get(page.as_str()).copied() else { continue };
            let (_, place) = places.entry(page).or_insert((first, first));
            if place.children.is_empty() && !entry.children.is_empty() {
                *place = entry;
            }
        }
        Self { places, summary: path }
    }

    /// Returns the kind of a repeated page's entry if it differs from what the entry says, and the
    /// slug of the page if the page is placed there.
    fn kind(&self, entry: &Entry) -> Option<(PlannedKind, Option<String>)> {
        if self.places.is_empty() {
            return None;
        }
        let path = match &entry.kind {
            EntryKind::Page { path } => path.clone(),
            EntryKind::Link { target } => summary::listed_page(target, self.summary)?,
            _ => return None,
        };
        let (first, place) = self.places.get(&path)?;
        let is_first = std::ptr::eq(*first, entry);
        if std::ptr::eq(*place, entry) {
            let slug = slug::from_path(&path);
            return (!is_first).then_some((PlannedKind::Document { path: Some(path) }, Some(slug)));
        }
        if !entry.children.is_empty() {
            return Some((PlannedKind::Document { path: None }, None));
        }
        is_first.then(|| (PlannedKind::Link { target: summary::target(&path, self.summary) }, None))
    }
}

fn planned_page(view: &mut View<'_>, entry: &Entry, parent: Option<usize>) -> PlannedPage {
    let title = Some(clean_text(&entry.title)).filter(|title| !title.is_empty());
    let named = title.clone().unwrap_or_default();
    let (kind, slug) = match &entry.kind {
        EntryKind::Group { slug } => {
            (PlannedKind::Group, slug.clone().unwrap_or_else(|| slug::page(&named)))
        }
        EntryKind::Text if parent.is_none() => (PlannedKind::Group, slug::page(&named)),
        EntryKind::Text => (PlannedKind::Document { path: None }, slug::page(&named)),
        EntryKind::Link { target } => {
            (PlannedKind::Link { target: target.clone() }, slug::page(&named))
        }
        EntryKind::Computed { source } => {
            (PlannedKind::Computed { source: source.to_string() }, slug::page(&named))
        }
        EntryKind::Page { path } => {
            if view.listed(path).is_none() {
                let line = entry.lines.start + 1;
                let message = format!("The file `{path}` does not exist; its page is empty.");
                let summary = format!("{}{}", view.prefix, view.config.summary);
                view.warn_at(&summary, bindery_content::Warning::at(line, message));
            }
            (PlannedKind::Document { path: Some(path.clone()) }, slug::from_path(path))
        }
    };
    let slug = bounded_slug(&slug);
    PlannedPage {
        id: None,
        parent,
        kind,
        title,
        link_title: entry.link_title.as_deref().map(clean_text).filter(|title| !title.is_empty()),
        emoji: entry.emoji.clone(),
        slug,
    }
}

/// Returns the plan of folders without a table of contents. The page of a folder is its
/// `README.md`, otherwise the file beside the folder with the same name, such as `guide.md` for
/// `guide/`.
pub(super) fn from_folders(view: &View<'_>) -> Vec<PlannedPage> {
    let mut paths = view.inferred_pages();
    // The first page that the configuration names is placed first.
    if let Some(at) = paths.iter().position(|path| *path == view.config.readme) {
        let first = paths.remove(at);
        paths.insert(0, first);
    }
    let pages = FolderPages::of(&paths);
    let mut tree =
        FolderTree { pages, plan: Vec::new(), folders: HashMap::from([(String::new(), None)]) };
    for path in &paths {
        match tree.pages.folder_of(path).map(str::to_owned) {
            Some(folder) => {
                tree.folder_page(&folder);
            }
            None => {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let parent = tree.folder_page(folder);
                tree.plan.push(document(path.clone(), parent));
            }
        }
    }
    tree.plan
}

/// The files that are the pages of folders.
#[derive(Default)]
struct FolderPages {
    /// The files by the paths of their folders.
    files: HashMap<String, String>,
    /// The folders by the paths of their files.
    folders: HashMap<String, String>,
}

impl FolderPages {
    fn of(paths: &[String]) -> Self {
        let mut pages = Self::default();
        for path in paths {
            let Some((folder, name)) = path.rsplit_once('/') else { continue };
            if name.eq_ignore_ascii_case("readme.md") {
                pages.files.entry(folder.to_owned()).or_insert_with(|| path.clone());
            }
        }
        let folders: HashSet<&str> = paths
            .iter()
            .flat_map(|path| path.match_indices('/').filter_map(|(at, _)| path.get(..at)))
            .collect();
        for path in paths {
            let Some(folder) = path.strip_suffix(".md").filter(|folder| folders.contains(folder))
            else {
                continue;
            };
            pages.files.entry(folder.to_owned()).or_insert_with(|| path.clone());
        }
        pages.folders =
            pages.files.iter().map(|(folder, file)| (file.clone(), folder.clone())).collect();
        pages
    }

    /// Returns the folder whose page a file is.
    fn folder_of(&self, path: &str) -> Option<&str> {
        self.folders.get(path).map(String::as_str)
    }
}

/// The plan of folders while it is made.
struct FolderTree {
    pages: FolderPages,
    plan: Vec<PlannedPage>,
    /// The index of each folder's page.
    folders: HashMap<String, Option<usize>>,
}

impl FolderTree {
    /// Returns the index of a folder's page. Creates it and those of the folders above as needed.
    fn folder_page(&mut self, folder: &str) -> Option<usize> {
        let mut at = None;
        let mut end = 0;
        while end < folder.len() {
            end = folder
                .get(end + 1..)
                .and_then(|rest| rest.find('/'))
                .map_or(folder.len(), |next| end + 1 + next);
            let path = folder.get(..end).unwrap_or(folder);
            at = match self.folders.get(path) {
                Some(known) => *known,
                None => {
                    let page = match self.pages.files.get(path) {
                        Some(file) => document(file.clone(), at),
                        None => unwritten(path, at),
                    };
                    self.plan.push(page);
                    let made = Some(self.plan.len() - 1);
                    self.folders.insert(path.to_owned(), made);
                    made
                }
            };
        }
        at
    }
}

/// Returns the page of a folder without a file of its own.
fn unwritten(folder: &str, parent: Option<usize>) -> PlannedPage {
    let name = folder.rsplit('/').next().unwrap_or(folder);
    let kind = match parent {
        None => PlannedKind::Group,
        Some(_) => PlannedKind::Document { path: None },
    };
    PlannedPage {
        id: None,
        parent,
        kind,
        title: Some(title_of(name)),
        link_title: None,
        emoji: None,
        slug: slug::page(name),
    }
}

fn document(path: String, parent: Option<usize>) -> PlannedPage {
    PlannedPage {
        id: None,
        parent,
        slug: slug::from_path(&path),
        kind: PlannedKind::Document { path: Some(path) },
        title: None,
        link_title: None,
        emoji: None,
    }
}

/// Returns the title of a page whose file contains none, derived from its path.
pub(crate) fn title_of_path(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let name = match folder.rsplit('/').next() {
        Some(folder) if !folder.is_empty() && stem.eq_ignore_ascii_case("readme") => folder,
        _ => stem,
    };
    title_of(name)
}

/// Derives a title from a name: separators become spaces and the first letter upper case.
fn title_of(name: &str) -> String {
    let words = clean_text(&name.replace(['-', '_'], " "));
    let mut letters = words.chars();
    let title: String =
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    if title.is_empty() { "Untitled".to_owned() } else { title }
}

/// Cleans a text for display: one line without control characters.
pub(crate) fn clean_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace()).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        // The decoder uses U+001A for a byte that is not text.
        out.extend(word.chars().filter_map(|c| match c {
            '\u{1A}' => Some('\u{FFFD}'),
            '\u{FEFF}' => None,
            c if c.is_control() => None,
            c => Some(c),
        }));
    }
    out.truncate(out.trim_end().len());
    out
}

fn bounded_slug(slug: &str) -> String {
    // A slash would split the slug into two segments.
    let slug: String = slug
        .chars()
        .map(|c| if c == '/' || c.is_control() { '-' } else { c })
        .take(bindery_revision::tree::MAX_SLUG)
        .collect();
    if slug.is_empty() { "page".to_owned() } else { slug }
}
