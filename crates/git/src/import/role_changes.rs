//! Finds paths whose meaning changes. A page that is no longer listed becomes a file if something
//! refers to it, a deleted page becomes a missing target, and a file can become a page. Texts that
//! refer to such a path are read again even if their own files are unchanged.

use std::collections::{HashMap, HashSet};

use bindery_model::{FileId, PageId};
use bindery_revision::{
    ContentRef, Direction, FileRecord, Hash, ObjectError, Objects, PageBody, PageRecord, Record,
};

use super::assemble::Importer;
use super::view::Role;

/// Previous pages and files whose path now has another meaning.
#[derive(Default)]
pub(super) struct RoleChanges {
    pages: HashSet<PageId>,
    files: HashSet<FileId>,
    /// Paths of pages that are no longer listed, although their files exist.
    pub(super) unlisted: Vec<String>,
}

impl RoleChanges {
    pub(super) fn is_empty(&self) -> bool {
        self.pages.is_empty() && self.files.is_empty()
    }

    /// Returns `true` if a previous text refers to one of them.
    pub(super) fn affect(
        &self,
        body: Option<Hash>,
        objects: &dyn Objects,
    ) -> Result<bool, ObjectError> {
        let Some(body) = body.filter(|_| !self.is_empty()) else { return Ok(false) };
        let body = PageBody::decode(&objects.get(&body)?)?;
        Ok(body.references.iter().any(|reference| match &reference.target {
            ContentRef::Page { page, space: None }
            | ContentRef::Anchor { page: Some(page), space: None, .. } => self.pages.contains(page),
            ContentRef::File { file, space: None } => self.files.contains(file),
            _ => false,
        }))
    }
}

impl Importer<'_, '_> {
    /// Returns `true` if the entry at a path can be a file of the content.
    pub(super) fn may_be_file(&self, path: &str) -> bool {
        !matches!(self.view.role(path), Role::Source | Role::Include)
    }

    /// Finds these pages and files if the tree was planned again.
    pub(super) fn role_changes(
        &self,
        old_pages: &HashMap<PageId, PageRecord>,
    ) -> Result<RoleChanges, ObjectError> {
        let Some(pages) = &self.resolver.pages else { return Ok(RoleChanges::default()) };
        let mut role_changes = RoleChanges::default();
        for old in old_pages.values() {
            let path = old.source_path.as_ref();
            if path.is_some_and(|path| pages.get(path) != Some(&old.id)) {
                role_changes.pages.insert(old.id);
                let is_there =
                    |path: &&String| !pages.contains_key(*path) && self.view.listed(path).is_some();
                role_changes.unlisted.extend(path.filter(is_there).cloned());
            }
        }
        role_changes.unlisted.sort_unstable();
        for entry in self.old.files.range(self.objects, None, Direction::Ascending) {
            let file = FileRecord::decode(&entry?.1)?;
            if file.path.is_some_and(|path| pages.contains_key(&path) || !self.may_be_file(&path)) {
                role_changes.files.insert(file.id);
            }
        }
        Ok(role_changes)
    }
}
