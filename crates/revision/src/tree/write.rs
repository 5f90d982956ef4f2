//! Writing pages: all maps that hold data of a page are updated together with its record.

use std::collections::{BTreeMap, HashMap};

use bindery_model::PageId;
use bytes::Bytes;

use super::{TreeError, child_key, parent_prefix, slug_key};
use crate::content::{Content, PathEntry};
use crate::object::Staging;
use crate::record::{NavigationEntry, PageKind, PageRecord, Record};

/// A page to be written or deleted.
#[derive(Clone, PartialEq, Debug)]
pub enum Change {
    /// Creates the page or replaces the page with the same id.
    Put(Box<PageRecord>),
    /// Deletes the page with this id.
    Delete(PageId),
}

impl Change {
    /// Returns the id of the page.
    pub fn id(&self) -> PageId {
        match self {
            Self::Put(page) => page.id,
            Self::Delete(id) => *id,
        }
    }
}

/// Writes a set of changes at once; the last change of a page takes effect. The parents, order keys
/// and slugs of the records are written as given. Together they must form a tree, of which only the
/// slugs are checked. Parts of the maps that are not affected are unchanged.
///
/// # Errors
/// Returns an error if two siblings would have the same slug, a page to be deleted or a parent does
/// not exist, or an object cannot be read.
pub fn write(
    content: &Content,
    staging: &mut Staging<'_>,
    changes: impl IntoIterator<Item = Change>,
) -> Result<Content, TreeError> {
    let changes: BTreeMap<PageId, Change> =
        changes.into_iter().map(|change| (change.id(), change)).collect();
    if let Some((id, Change::Put(page))) = changes.first_key_value()
        && changes.len() == 1
        && content.page(staging, *id)?.is_some_and(|old| keeps_position(&old, page))
    {
        let mut next = content.clone();
        let edit = (Bytes::copy_from_slice(id.as_bytes()), Some(page.encode()?));
        next.pages = content.pages.apply(staging, [edit])?;
        return Ok(next);
    }
    let mut plan = Plan::default();
    for (id, change) in &changes {
        let old = content.page(staging, *id)?;
        if matches!(change, Change::Delete(_)) && old.is_none() {
            return Err(TreeError::NotFound(*id));
        }
        plan.add(old, change)?;
    }
    plan.check_slugs(content, staging, &changes)?;
    plan.entries(content, staging, &changes)?;
    let mut next = content.clone();
    next.pages = content.pages.apply(staging, plan.pages)?;
    next.slugs = content.slugs.apply(staging, plan.slugs)?;
    next.paths = content.paths.apply(staging, plan.paths)?;
    next.children = content.children.apply(staging, plan.children)?;
    for change in changes.values() {
        match change {
            Change::Put(page) if page.kind == PageKind::Computed => next.computed.insert(page.id),
            Change::Put(_) | Change::Delete(_) => next.computed.remove(&change.id()),
        };
    }
    Ok(next)
}

/// Returns `true` if a page keeps its position and its navigation entry, as with every edit of its
/// document. Then only its record has to be written.
fn keeps_position(old: &PageRecord, new: &PageRecord) -> bool {
    let position = |page: &PageRecord| (page.parent, page.order.clone(), page.source_path.clone());
    position(old) == position(new) && old.navigation(false) == new.navigation(false)
}

/// The edits of each map.
#[derive(Default)]
struct Plan {
    pages: BTreeMap<Bytes, Option<Bytes>>,
    children: BTreeMap<Bytes, Option<Bytes>>,
    slugs: BTreeMap<Bytes, Option<Bytes>>,
    paths: BTreeMap<Bytes, Option<Bytes>>,
    /// The change of the number of children of each page.
    child_changes: HashMap<PageId, i64>,
    /// Each changed page, with `true` if it existed before.
    existed: HashMap<PageId, bool>,
}

impl Plan {
    fn add(&mut self, old: Option<PageRecord>, change: &Change) -> Result<(), TreeError> {
        let id = change.id();
        let new = match change {
            Change::Put(page) => Some(page),
            Change::Delete(_) => None,
        };
        self.existed.insert(id, old.is_some());
        let old_parent = old.as_ref().map(|page| page.parent);
        let new_parent = new.map(|page| page.parent);
        if old_parent != new_parent {
            if let Some(Some(parent)) = old_parent {
                *self.child_changes.entry(parent).or_default() -= 1;
            }
            if let Some(Some(parent)) = new_parent {
                *self.child_changes.entry(parent).or_default() += 1;
            }
        }
        // Removals must not overwrite entries that another page adds under the same key.
        if let Some(old) = old {
            let parent = old.parent.as_ref();
            self.children.entry(child_key(parent, &old.order, &id)).or_insert(None);
            self.slugs.entry(slug_key(parent, &old.slug)).or_insert(None);
            if let Some(path) = old.source_path {
                self.paths.entry(path.into()).or_insert(None);
            }
        }
        let key = Bytes::copy_from_slice(id.as_bytes());
        let Some(new) = new else {
            self.pages.insert(key, None);
            return Ok(());
        };
        self.pages.insert(key.clone(), Some(new.encode()?));
        if self
            .slugs
            .insert(slug_key(new.parent.as_ref(), &new.slug), Some(key))
            .flatten()
            .is_some()
        {
            return Err(TreeError::SlugTaken(new.slug.clone()));
        }
        if let Some(path) = &new.source_path {
            let path = Bytes::copy_from_slice(path.as_bytes());
            self.paths.insert(path, Some(PathEntry::Page(id).encode()?));
        }
        Ok(())
    }

    /// Returns an error if a slug belongs to a page that is not changed.
    fn check_slugs(
        &self,
        content: &Content,
        staging: &Staging<'_>,
        changes: &BTreeMap<PageId, Change>,
    ) -> Result<(), TreeError> {
        for (key, value) in &self.slugs {
            if value.is_some()
                && let Some(holder) = content.slugs.get(staging, key)?
                && !PageId::from_bytes(&holder).is_some_and(|holder| changes.contains_key(&holder))
            {
                let slug = key.get(bindery_model::Id::LEN..).unwrap_or_default();
                return Err(TreeError::SlugTaken(String::from_utf8_lossy(slug).into_owned()));
            }
        }
        Ok(())
    }

    /// Updates the navigation entries of the changed pages, and of parents that gain their first
    /// child or lose their last one.
    fn entries(
        &mut self,
        content: &Content,
        staging: &Staging<'_>,
        changes: &BTreeMap<PageId, Change>,
    ) -> Result<(), TreeError> {
        for change in changes.values() {
            if let Change::Put(page) = change {
                let before = match self.existed.get(&page.id) {
                    Some(true) => {
                        content.children.count_prefix(staging, parent_prefix(Some(&page.id)))?
                    }
                    _ => 0,
                };
                let now = before.saturating_add_signed(self.child_change(page.id));
                let key = child_key(page.parent.as_ref(), &page.order, &page.id);
                self.children.insert(key, Some(page.navigation(now > 0).encode()?));
            }
        }
        for (parent, child_change) in &self.child_changes {
            if changes.contains_key(parent) {
                continue;
            }
            let page = content.page(staging, *parent)?.ok_or(TreeError::NotFound(*parent))?;
            let before = content.children.count_prefix(staging, parent_prefix(Some(parent)))?;
            let now = before.saturating_add_signed(*child_change);
            if (before > 0) != (now > 0) {
                let entry: NavigationEntry = page.navigation(now > 0);
                let key = child_key(page.parent.as_ref(), &page.order, &page.id);
                self.children.insert(key, Some(entry.encode()?));
            }
        }
        Ok(())
    }

    fn child_change(&self, id: PageId) -> i64 {
        self.child_changes.get(&id).copied().unwrap_or(0)
    }
}
