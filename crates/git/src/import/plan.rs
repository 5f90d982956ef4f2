//! The page tree as the repository wants it, before any page is read.

use std::collections::HashMap;

use bindery_content::slug;
use bindery_content::summary::{Entry, EntryKind, Summary};
use bindery_model::PageId;
use bindery_revision::NavigationKind;

use super::view::View;

/// A page of the plan. Parents come before their children.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Planned {
    /// The page's id, once it is paired.
    pub(super) id: Option<PageId>,
    /// Where its parent is in the plan.
    pub(super) parent: Option<usize>,
    pub(super) kind: PlannedKind,
    /// The title, if the plan says one; else the file does.
    pub(super) title: Option<String>,
    pub(super) link_title: Option<String>,
    pub(super) emoji: Option<String>,
    /// The slug that it would like.
    pub(super) slug: String,
}

/// What a page of the plan is.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum PlannedKind {
    /// A document with its file, which may be missing, or without one.
    Document {
        path: Option<String>,
    },
    Group,
    /// A link; the target as written in the table of contents.
    Link {
        target: String,
    },
    /// Generated pages, described by JSON.
    Computed {
        source: String,
    },
}

impl PlannedKind {
    /// The path of its file.
    pub(super) fn path(&self) -> Option<&str> {
        match self {
            Self::Document { path } => path.as_deref(),
            _ => None,
        }
    }

    /// Whether it is of the kind that a navigation entry is.
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

/// The plan of a table of contents.
pub(super) fn from_summary(view: &mut View<'_>, summary: &Summary) -> Vec<Planned> {
    let mut plan = Vec::new();
    let readme = view.config.readme.clone();
    let listed = summary
        .walk()
        .any(|entry| matches!(&entry.kind, EntryKind::Page { path } if *path == readme));
    // The first page is there whether it is listed or not.
    if !listed && view.listed(&readme).is_some() {
        plan.push(document(readme, None));
    }
    let mut pending: Vec<(&Entry, Option<usize>)> =
        summary.entries.iter().rev().map(|entry| (entry, None)).collect();
    while let Some((entry, parent)) = pending.pop() {
        let at = plan.len();
        plan.push(planned(view, entry, parent));
        // Nothing stands below a link: what is listed there comes behind it.
        let is_link = matches!(entry.kind, EntryKind::Link { .. });
        let below = if is_link { parent } else { Some(at) };
        pending.extend(entry.children.iter().rev().map(|child| (child, below)));
    }
    plan
}

fn planned(view: &mut View<'_>, entry: &Entry, parent: Option<usize>) -> Planned {
    let title = Some(clean(&entry.title)).filter(|title| !title.is_empty());
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
                let message = format!("The file `{path}` is not there; its page is empty.");
                let summary = format!("{}{}", view.prefix, view.config.summary);
                view.warn_at(&summary, bindery_content::Warning::at(line, message));
            }
            (PlannedKind::Document { path: Some(path.clone()) }, slug::from_path(path))
        }
    };
    let slug = bounded(&slug);
    Planned {
        id: None,
        parent,
        kind,
        title,
        link_title: entry.link_title.as_deref().map(clean).filter(|title| !title.is_empty()),
        emoji: entry.emoji.clone(),
        slug,
    }
}

/// The plan of folders without a table of contents: a folder's `README.md` is its page.
pub(super) fn from_folders(view: &View<'_>) -> Vec<Planned> {
    let mut plan = Vec::new();
    let mut folders: HashMap<String, Option<usize>> = HashMap::from([(String::new(), None)]);
    let mut paths = view.inferred();
    // The first page that the configuration names comes first.
    if let Some(at) = paths.iter().position(|path| *path == view.config.readme) {
        let first = paths.remove(at);
        paths.insert(0, first);
    }
    for path in paths {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        if name.eq_ignore_ascii_case("readme.md") && !folder.is_empty() {
            let above = folder.rsplit_once('/').map_or("", |(above, _)| above);
            if !folders.contains_key(folder) {
                let parent = enter(above, &mut folders, &mut plan);
                folders.insert(folder.to_owned(), Some(plan.len()));
                plan.push(document(path, parent));
                continue;
            }
        }
        let parent = enter(folder, &mut folders, &mut plan);
        plan.push(document(path.clone(), parent));
    }
    plan
}

/// The page of a folder, made with those above it where there is none yet.
fn enter(
    folder: &str,
    folders: &mut HashMap<String, Option<usize>>,
    plan: &mut Vec<Planned>,
) -> Option<usize> {
    let mut at = None;
    let mut end = 0;
    while end < folder.len() {
        end = folder
            .get(end + 1..)
            .and_then(|rest| rest.find('/'))
            .map_or(folder.len(), |next| end + 1 + next);
        let path = folder.get(..end).unwrap_or(folder);
        at = match folders.get(path) {
            Some(known) => *known,
            None => {
                let name = path.rsplit('/').next().unwrap_or(path);
                let kind = match at {
                    None => PlannedKind::Group,
                    Some(_) => PlannedKind::Document { path: None },
                };
                plan.push(Planned {
                    id: None,
                    parent: at,
                    kind,
                    title: Some(title_of(name)),
                    link_title: None,
                    emoji: None,
                    slug: slug::page(name),
                });
                let made = Some(plan.len() - 1);
                folders.insert(path.to_owned(), made);
                made
            }
        };
    }
    at
}

fn document(path: String, parent: Option<usize>) -> Planned {
    Planned {
        id: None,
        parent,
        slug: slug::from_path(&path),
        kind: PlannedKind::Document { path: Some(path) },
        title: None,
        link_title: None,
        emoji: None,
    }
}

/// The title of a page whose file says none.
pub(super) fn title_of_path(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let name = match folder.rsplit('/').next() {
        Some(folder) if !folder.is_empty() && stem.eq_ignore_ascii_case("readme") => folder,
        _ => stem,
    };
    title_of(name)
}

/// The title that a name gives: words, the first letter in upper case.
fn title_of(name: &str) -> String {
    let words = clean(&name.replace(['-', '_'], " "));
    let mut letters = words.chars();
    let title: String =
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    if title.is_empty() { "Untitled".to_owned() } else { title }
}

/// Text for people: on one line, without control characters.
pub(super) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace()).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        // U+001A stands for a byte that is no text.
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

fn bounded(slug: &str) -> String {
    // A slash would make two segments of one.
    let slug: String = slug
        .chars()
        .map(|c| if c == '/' || c.is_control() { '-' } else { c })
        .take(bindery_revision::tree::MAX_SLUG)
        .collect();
    if slug.is_empty() { "page".to_owned() } else { slug }
}
