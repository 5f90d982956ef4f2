//! Determines the files that changed since the last import.

use std::collections::BTreeSet;

use bindery_revision::{Direction, ObjectError, Objects, Record};

use super::ImportError;
use super::state::{GitEntry, GitState};
use super::view::{CONFIG, Role, View, ViewFile, is_markdown};

/// The differences between a folder and the last Git state.
#[derive(Default)]
pub(super) struct Delta {
    /// `true` if there is no state, so that every file counts as new.
    all: bool,
    pub(super) added: BTreeSet<String>,
    pub(super) changed: BTreeSet<String>,
    pub(super) removed: Vec<(String, GitEntry)>,
    /// The changed paths that Git reported, if it was asked.
    pub(super) candidates: Option<Vec<String>>,
}

impl Delta {
    /// Compares the paths that changed since `commit`, as Git reports them, with the state of that
    /// commit. Returns `None` if all files must be compared.
    pub(super) fn from_changed_paths(
        view: &View<'_>,
        state: &GitState,
        commit: &str,
        objects: &dyn Objects,
    ) -> Result<Option<Self>, ImportError> {
        let Some(links) = &state.links else { return Ok(None) };
        // Without Markdown the import is refused, and this must be detected without listing all
        // files.
        let summary = &view.config.summary;
        if view.get(summary)?.is_some() && !is_markdown(summary) {
            return Ok(None);
        }
        let Some(changed) = view.changed_since(commit)? else { return Ok(None) };
        let mut delta = Self::default();
        // The target of a link may change without the link.
        let mut candidates: BTreeSet<String> = changed.iter().cloned().collect();
        candidates.insert(CONFIG.to_owned());
        for link in links.range(objects, None, Direction::Ascending) {
            candidates.insert(String::from_utf8_lossy(&link?.0).into_owned());
        }
        for path in candidates {
            match (state.get(objects, &path)?, view.get(&path)?) {
                (None, Some(_)) => {
                    delta.added.insert(path);
                }
                (Some(known), Some(file)) => {
                    if file.entry.blob.is_none() || file.entry.blob != known.blob() {
                        delta.changed.insert(path);
                    }
                }
                (Some(known), None) => delta.removed.push((path, known)),
                (None, None) => {}
            }
        }
        delta.candidates = Some(changed);
        Ok(Some(delta))
    }

    /// Compares all files of the view.
    pub(super) fn compare(
        view: &View<'_>,
        state: Option<&GitState>,
        objects: &dyn Objects,
    ) -> Result<Self, ObjectError> {
        let mut delta = Self { all: state.is_none(), ..Self::default() };
        let Some(state) = state else { return Ok(delta) };
        let mut files = view.files().iter().peekable();
        for known in state.files.range(objects, None, Direction::Ascending) {
            let (path, entry) = known?;
            while let Some(new) = files.next_if(|file| file.path.as_bytes() < &path[..]) {
                delta.added.insert(new.path.to_owned());
            }
            let entry = GitEntry::decode(&entry)?;
            match files.next_if(|file| file.path.as_bytes() == &path[..]) {
                Some(file) => {
                    // Without an id, the file must be read to be compared.
                    if file.entry.blob.is_none() || file.entry.blob != entry.blob() {
                        delta.changed.insert(file.path.to_owned());
                    }
                }
                None => {
                    let path = String::from_utf8_lossy(&path).into_owned();
                    delta.removed.push((path, entry));
                }
            }
        }
        delta.added.extend(files.map(|file| file.path.to_owned()));
        // Another configuration changes the meaning of all files.
        delta.all = delta.affects(CONFIG) || delta.is_added_or_removed(CONFIG);
        Ok(delta)
    }

    /// Treats all files as changed if `all` is `true`.
    pub(super) fn with_all(self, all: bool) -> Self {
        Self { all: self.all || all, ..self }
    }

    /// Returns `true` if a file is new or changed.
    pub(super) fn affects(&self, path: &str) -> bool {
        self.all || self.added.contains(path) || self.changed.contains(path)
    }

    /// Returns the new and changed files that `wanted` accepts, sorted by path.
    pub(super) fn affected_files<'a>(
        &self,
        view: &View<'a>,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<ViewFile<'a>>, ImportError> {
        if self.all {
            return Ok(view.files().iter().filter(|file| wanted(file.path)).copied().collect());
        }
        let paths = self.added.union(&self.changed).filter(|path| wanted(path));
        paths.filter_map(|path| view.get(path).transpose()).collect()
    }

    fn is_added_or_removed(&self, path: &str) -> bool {
        self.all || self.added.contains(path) || self.removed.iter().any(|(gone, _)| gone == path)
    }

    /// Returns `true` if the page tree may have changed.
    pub(super) fn affects_tree(&self, view: &View<'_>) -> Result<bool, ImportError> {
        let summary = &view.config.summary;
        let page = |path: &str| view.role(path) == Role::Markdown;
        Ok(self.affects(CONFIG)
            || self.is_added_or_removed(CONFIG)
            || self.affects(summary)
            || self.is_added_or_removed(summary)
            // The first page is part of the tree whether it is listed or not.
            || self.is_added_or_removed(&view.config.readme)
            || ((self.added.iter().any(|path| page(path))
                || self.removed.iter().any(|(path, _)| page(path)))
                && view.get(summary)?.is_none()))
    }

    /// Returns `true` if pages may take their titles from another source than before.
    pub(super) fn affects_titles(&self, view: &View<'_>) -> bool {
        self.is_added_or_removed(&view.config.summary) || self.affects(CONFIG)
    }
}
