//! Which files changed since the last import.

use std::collections::BTreeSet;

use bindery_revision::{Direction, ObjectError, Objects, Record};

use super::ImportError;
use super::state::{GitEntry, GitState};
use super::view::{CONFIG, Role, View, ViewFile, is_markdown};

/// What differs between a folder and the last Git state.
#[derive(Default)]
pub(super) struct Delta {
    /// There is no state: everything counts as new.
    all: bool,
    pub(super) added: BTreeSet<String>,
    pub(super) changed: BTreeSet<String>,
    pub(super) gone: Vec<(String, GitEntry)>,
    /// The paths that Git says to have changed, where that was asked.
    pub(super) candidates: Option<Vec<String>>,
}

impl Delta {
    /// Compares what Git says to have changed since `commit` with the state of that commit, path
    /// by path; `None` where everything has to be compared.
    pub(super) fn of_changes(
        view: &View<'_>,
        state: &GitState,
        commit: &str,
        objects: &dyn Objects,
    ) -> Result<Option<Self>, ImportError> {
        let Some(links) = &state.links else { return Ok(None) };
        // Whether any Markdown is left must show without a look at all files.
        let summary = &view.config.summary;
        if view.get(summary)?.is_some() && !is_markdown(summary) {
            return Ok(None);
        }
        let Some(changed) = view.changed_since(commit)? else { return Ok(None) };
        let mut delta = Self::default();
        // What a link leads to may change while the link does not.
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
                (Some(known), None) => delta.gone.push((path, known)),
                (None, None) => {}
            }
        }
        delta.candidates = Some(changed);
        Ok(Some(delta))
    }

    /// Compares all files of the view.
    pub(super) fn of(
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
                    // Without an id the file has to be read to know.
                    if file.entry.blob.is_none() || file.entry.blob != entry.blob() {
                        delta.changed.insert(file.path.to_owned());
                    }
                }
                None => {
                    let path = String::from_utf8_lossy(&path).into_owned();
                    delta.gone.push((path, entry));
                }
            }
        }
        delta.added.extend(files.map(|file| file.path.to_owned()));
        // Under another configuration the same files are something else.
        delta.all = delta.touches(CONFIG) || delta.comes_or_goes(CONFIG);
        Ok(delta)
    }

    /// The same, with everything taken to have changed if `all` says so.
    pub(super) fn or_all(self, all: bool) -> Self {
        Self { all: self.all || all, ..self }
    }

    /// Whether a file is new or changed.
    pub(super) fn touches(&self, path: &str) -> bool {
        self.all || self.added.contains(path) || self.changed.contains(path)
    }

    /// The files that are new or changed and that `wanted` lets through, by path.
    pub(super) fn touched<'a>(
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

    fn comes_or_goes(&self, path: &str) -> bool {
        self.all || self.added.contains(path) || self.gone.iter().any(|(gone, _)| gone == path)
    }

    /// Whether the tree may be another one.
    pub(super) fn shapes_the_tree(&self, view: &View<'_>) -> Result<bool, ImportError> {
        let summary = &view.config.summary;
        let page = |path: &str| view.role(path) == Role::Markdown;
        Ok(self.touches(CONFIG)
            || self.comes_or_goes(CONFIG)
            || self.touches(summary)
            || self.comes_or_goes(summary)
            // The first page is there whether it is listed or not.
            || self.comes_or_goes(&view.config.readme)
            || ((self.added.iter().any(|path| page(path))
                || self.gone.iter().any(|(path, _)| page(path)))
                && view.get(summary)?.is_none()))
    }

    /// Whether pages may take their titles from elsewhere than before.
    pub(super) fn shapes_titles(&self, view: &View<'_>) -> bool {
        self.comes_or_goes(&view.config.summary) || self.touches(CONFIG)
    }
}
