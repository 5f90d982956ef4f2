//! Which files changed since the last import.

use std::collections::BTreeSet;

use bindery_revision::{Direction, ObjectError, Objects, Record};

use super::state::{GitEntry, GitState};
use super::view::{CONFIG, Role, View};

/// What differs between a folder and the last Git state.
pub(super) struct Delta {
    /// There is no state: everything counts as new.
    all: bool,
    pub(super) added: BTreeSet<String>,
    pub(super) changed: BTreeSet<String>,
    pub(super) gone: Vec<(String, GitEntry)>,
}

impl Delta {
    pub(super) fn of(
        view: &View<'_>,
        state: Option<&GitState>,
        objects: &dyn Objects,
    ) -> Result<Self, ObjectError> {
        let mut delta = Self {
            all: state.is_none(),
            added: BTreeSet::new(),
            changed: BTreeSet::new(),
            gone: Vec::new(),
        };
        let Some(state) = state else { return Ok(delta) };
        let mut files = view.files.iter().peekable();
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
        Ok(delta)
    }

    /// Whether a file is new or changed.
    pub(super) fn touches(&self, path: &str) -> bool {
        self.all || self.added.contains(path) || self.changed.contains(path)
    }

    fn comes_or_goes(&self, path: &str) -> bool {
        self.all || self.added.contains(path) || self.gone.iter().any(|(gone, _)| gone == path)
    }

    /// Whether the tree may be another one.
    pub(super) fn shapes_the_tree(&self, view: &View<'_>) -> bool {
        let summary = &view.config.summary;
        let page = |path: &str| view.role(path) == Role::Markdown;
        self.touches(CONFIG)
            || self.comes_or_goes(CONFIG)
            || self.touches(summary)
            || self.comes_or_goes(summary)
            || (view.get(summary).is_none()
                && (self.added.iter().any(|path| page(path))
                    || self.gone.iter().any(|(path, _)| page(path))))
    }

    /// Whether pages may take their titles from elsewhere than before.
    pub(super) fn shapes_titles(&self, view: &View<'_>) -> bool {
        self.comes_or_goes(&view.config.summary) || self.touches(CONFIG)
    }
}
