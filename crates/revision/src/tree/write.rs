//! Writing pages: all maps that hold something of a page follow its record in one step.

use std::collections::{BTreeMap, HashMap};

use bindery_model::PageId;
use bytes::Bytes;

use super::{TreeError, child_key, parent_prefix, slug_key};
use crate::content::{Content, PathEntry};
use crate::object::Staging;
use crate::record::{NavigationEntry, PageRecord, Record};

/// A page as it is to be, or the end of one.
#[derive(Clone, PartialEq, Debug)]
pub enum Change {
    /// The page, new or instead of the one of its id.
    Put(Box<PageRecord>),
    /// No page of this id.
    Delete(PageId),
}

impl Change {
    /// Which page it is about.
    pub fn id(&self) -> PageId {
        match self {
            Self::Put(page) => page.id,
            Self::Delete(id) => *id,
        }
    }
}

/// Writes a set of changes at once; the last one of a page counts. What the records say of parent,
/// order and slug is taken as it is: together they must make a tree, which is checked for slugs
/// only. Untouched parts of all maps stay as they are.
///
/// # Errors
/// When two siblings would have one slug, a page to be deleted or a parent is not there, or an
/// object cannot be read.
pub fn write(
    content: &Content,
    staging: &mut Staging<'_>,
    changes: impl IntoIterator<Item = Change>,
) -> Result<Content, TreeError> {
    let changes: BTreeMap<PageId, Change> =
        changes.into_iter().map(|change| (change.id(), change)).collect();
    if let Some((id, Change::Put(page))) = changes.first_key_value()
        && changes.len() == 1
        && content.page(staging, *id)?.is_some_and(|old| stays(&old, page))
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
        plan.take(old, change)?;
    }
    plan.check_slugs(content, staging, &changes)?;
    plan.entries(content, staging, &changes)?;
    let mut next = content.clone();
    next.pages = content.pages.apply(staging, plan.pages)?;
    next.slugs = content.slugs.apply(staging, plan.slugs)?;
    next.paths = content.paths.apply(staging, plan.paths)?;
    next.children = content.children.apply(staging, plan.children)?;
    Ok(next)
}

/// Whether a page stays where it is and is shown there as before, as with every change of its text:
/// then only its record is another one.
fn stays(old: &PageRecord, new: &PageRecord) -> bool {
    let place = |page: &PageRecord| (page.parent, page.order.clone(), page.source_path.clone());
    place(old) == place(new) && old.navigation(false) == new.navigation(false)
}

/// The edits of each map.
#[derive(Default)]
struct Plan {
    pages: BTreeMap<Bytes, Option<Bytes>>,
    children: BTreeMap<Bytes, Option<Bytes>>,
    slugs: BTreeMap<Bytes, Option<Bytes>>,
    paths: BTreeMap<Bytes, Option<Bytes>>,
    /// How many children a page gains or loses.
    gains: HashMap<PageId, i64>,
    /// Pages that were there before.
    known: HashMap<PageId, bool>,
}

impl Plan {
    fn take(&mut self, old: Option<PageRecord>, change: &Change) -> Result<(), TreeError> {
        let id = change.id();
        let new = match change {
            Change::Put(page) => Some(page),
            Change::Delete(_) => None,
        };
        self.known.insert(id, old.is_some());
        let old_parent = old.as_ref().map(|page| page.parent);
        let new_parent = new.map(|page| page.parent);
        if old_parent != new_parent {
            if let Some(Some(parent)) = old_parent {
                *self.gains.entry(parent).or_default() -= 1;
            }
            if let Some(Some(parent)) = new_parent {
                *self.gains.entry(parent).or_default() += 1;
            }
        }
        // What a page leaves must not take away what another page put there.
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

    /// No slug may be taken by a page that is not changed.
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

    /// The entries of the changed pages, and of the parents that gain their first child or lose
    /// their last one.
    fn entries(
        &mut self,
        content: &Content,
        staging: &Staging<'_>,
        changes: &BTreeMap<PageId, Change>,
    ) -> Result<(), TreeError> {
        for change in changes.values() {
            if let Change::Put(page) = change {
                let before = match self.known.get(&page.id) {
                    Some(true) => {
                        content.children.count_prefix(staging, parent_prefix(Some(&page.id)))?
                    }
                    _ => 0,
                };
                let now = before.saturating_add_signed(self.gain(page.id));
                let key = child_key(page.parent.as_ref(), &page.order, &page.id);
                self.children.insert(key, Some(page.navigation(now > 0).encode()?));
            }
        }
        for (parent, gain) in &self.gains {
            if changes.contains_key(parent) {
                continue;
            }
            let page = content.page(staging, *parent)?.ok_or(TreeError::NotFound(*parent))?;
            let before = content.children.count_prefix(staging, parent_prefix(Some(parent)))?;
            let now = before.saturating_add_signed(*gain);
            if (before > 0) != (now > 0) {
                let entry: NavigationEntry = page.navigation(now > 0);
                let key = child_key(page.parent.as_ref(), &page.order, &page.id);
                self.children.insert(key, Some(entry.encode()?));
            }
        }
        Ok(())
    }

    fn gain(&self, id: PageId) -> i64 {
        self.gains.get(&id).copied().unwrap_or(0)
    }
}
