//! The resolved targets of references in texts, without the content around them.

use std::collections::HashMap;

use bindery_content::reference::{Lookup, Names, Target};
use bindery_revision::{ContentRef, PageBody, PathEntry};

use super::path_of;

/// Paths that texts refer to, and their targets.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Paths {
    by_path: HashMap<String, PathEntry>,
    by_id: HashMap<String, String>,
    /// The addresses of targets outside the root, as they are written.
    outside: HashMap<String, String>,
}

impl Paths {
    /// Collects the paths of these texts. The first text with a target for a path takes precedence.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a PageBody>) -> Self {
        let mut paths = Self::default();
        for text in texts {
            for reference in &text.references {
                let Target::Path { path, .. } = Target::parse(&reference.raw, path_of(text)) else {
                    if let ContentRef::Url(url) = &reference.target {
                        let known = paths.outside.entry(reference.raw.clone());
                        known.or_insert_with(|| url.clone());
                    }
                    continue;
                };
                let Some(entry) = entry(&reference.target) else { continue };
                paths.by_id.entry(id(entry)).or_insert_with(|| path.clone());
                paths.by_path.entry(path).or_insert(entry);
            }
        }
        paths
    }

    /// Creates an instance with one path and its target.
    pub fn one(path: &str, entry: PathEntry) -> Self {
        Self {
            by_path: HashMap::from([(path.to_owned(), entry)]),
            by_id: HashMap::from([(id(entry), path.to_owned())]),
            outside: HashMap::new(),
        }
    }

    /// Returns the target at a path.
    pub fn get(&self, path: &str) -> Option<PathEntry> {
        self.by_path.get(path).copied()
    }
}

fn id(entry: PathEntry) -> String {
    match entry {
        PathEntry::Page(id) => id.to_string(),
        PathEntry::File(id) => id.to_string(),
        PathEntry::Reusable(id) => id.to_string(),
    }
}

/// Returns the id of a target, if it is a page.
pub(crate) fn page_id(entry: PathEntry) -> Option<String> {
    matches!(entry, PathEntry::Page(_)).then(|| id(entry))
}

/// Returns the id of a target, if it is a file.
pub(crate) fn file_id(entry: PathEntry) -> Option<String> {
    matches!(entry, PathEntry::File(_)).then(|| id(entry))
}

/// Returns the id of a target, if it is a reusable content.
pub(crate) fn reusable_id(entry: PathEntry) -> Option<String> {
    matches!(entry, PathEntry::Reusable(_)).then(|| id(entry))
}

/// Returns the target of a stored reference, if it is in the space itself.
fn entry(target: &ContentRef) -> Option<PathEntry> {
    match target {
        ContentRef::Page { page, space: None }
        | ContentRef::Anchor { page: Some(page), space: None, .. } => Some(PathEntry::Page(*page)),
        ContentRef::File { file, space: None } => Some(PathEntry::File(*file)),
        ContentRef::Reusable { reusable, space: None } => Some(PathEntry::Reusable(*reusable)),
        _ => None,
    }
}

impl Lookup for Paths {
    fn page(&self, path: &str) -> Option<String> {
        self.get(path).and_then(page_id)
    }

    fn file(&self, path: &str) -> Option<String> {
        self.get(path).and_then(file_id)
    }

    fn reusable_content(&self, path: &str) -> Option<String> {
        self.get(path).and_then(reusable_id)
    }

    fn outside_url(&self, raw: &str) -> Option<String> {
        self.outside.get(raw).cloned()
    }
}

impl Names for Paths {
    fn page_path(&self, page: &str) -> Option<String> {
        self.by_id.get(page).cloned()
    }

    fn file_path(&self, file: &str) -> Option<String> {
        self.by_id.get(file).cloned()
    }

    fn reusable_content_path(&self, reusable_content: &str) -> Option<String> {
        self.by_id.get(reusable_content).cloned()
    }
}
