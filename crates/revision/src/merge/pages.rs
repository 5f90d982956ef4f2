//! Merging the existence and the attributes of pages.

use bindery_model::PageId;

use super::conflict::{PagePosition, PageSubject, Sides, Subject, Value};
use super::value::merge_value;
use super::{Merger, Side};
use crate::diff::{Pair, records};
use crate::object::{Hash, ObjectError};
use crate::record::{PageAttribute, PageRecord};

/// A page that a side changed.
#[derive(Debug, Default)]
pub(super) struct ChangedPage {
    pub(super) base: Option<PageRecord>,
    pub(super) ours: Option<PageRecord>,
    pub(super) theirs: Option<PageRecord>,
    /// The merged page; `None` if it is deleted.
    pub(super) merged: Option<PageRecord>,
    /// The side that the position of the merged page is taken from.
    pub(super) from: Option<Side>,
    /// The outermost deleted ancestor, if the page was moved out of deleted pages.
    pub(super) lifted: Option<PageId>,
}

impl ChangedPage {
    pub(super) const fn on(&self, side: Side) -> Option<&PageRecord> {
        match side {
            Side::Ours => self.ours.as_ref(),
            Side::Theirs => self.theirs.as_ref(),
        }
    }

    pub(super) fn positions(&self) -> Sides<Value> {
        let position = |page: &Option<PageRecord>| page.as_ref().map(PagePosition::of);
        Sides {
            base: position(&self.base),
            ours: position(&self.ours),
            theirs: position(&self.theirs),
        }
        .map(Value::Position)
    }

    /// Returns `true` if a side moved an existing page to another parent.
    pub(super) fn reparented(&self, side: Side) -> bool {
        let was = self.base.as_ref().map(|page| page.parent);
        self.on(side).zip(was).is_some_and(|(page, was)| page.parent != was)
    }
}

impl Merger<'_, '_> {
    /// Reads the changes of both sides, and merges each page.
    pub(super) fn read_pages(&mut self) -> Result<(), ObjectError> {
        for (_, pair) in records(&self.base.pages, &self.ours.pages, &*self.staging) {
            let (base, ours): Pair<PageRecord> = pair?;
            if let Some(id) = base.as_ref().or(ours.as_ref()).map(|page| page.id) {
                let theirs = base.clone();
                self.pages.insert(id, ChangedPage { base, ours, theirs, ..ChangedPage::default() });
            }
        }
        for (_, pair) in records(&self.base.pages, &self.theirs.pages, &*self.staging) {
            let (base, theirs): Pair<PageRecord> = pair?;
            if let Some(id) = base.as_ref().or(theirs.as_ref()).map(|page| page.id) {
                let known = self.pages.get_mut(&id);
                if let Some(entry) = known {
                    entry.theirs = theirs;
                } else {
                    let ours = base.clone();
                    self.pages
                        .insert(id, ChangedPage { base, ours, theirs, ..ChangedPage::default() });
                }
            }
        }
        let ids: Vec<PageId> = self.pages.keys().copied().collect();
        for id in ids {
            if let Some(mut entry) = self.pages.remove(&id) {
                self.decide(id, &mut entry)?;
                self.pages.insert(id, entry);
            }
        }
        Ok(())
    }

    fn decide(&mut self, id: PageId, entry: &mut ChangedPage) -> Result<(), ObjectError> {
        let (side, left) = match (&entry.ours, &entry.theirs) {
            (Some(_), Some(_)) => return self.both(id, entry),
            (Some(ours), None) => (Side::Ours, ours),
            (None, Some(theirs)) => (Side::Theirs, theirs),
            (None, None) => return Ok(()),
        };
        match &entry.base {
            Some(base) if !changed(base, left) => return Ok(()),
            Some(base) => {
                let page = |page: &PageRecord| Value::Page(Box::new(page.clone()));
                let sides = Sides {
                    base: Some(page(base)),
                    ours: entry.ours.as_ref().map(page),
                    theirs: entry.theirs.as_ref().map(page),
                };
                self.conflict(Subject::Page(id, PageSubject::Existence), sides);
            }
            None => {}
        }
        entry.merged = Some(left.clone());
        entry.from = Some(side);
        Ok(())
    }

    /// Merges a page that exists on both sides.
    fn both(&mut self, id: PageId, entry: &mut ChangedPage) -> Result<(), ObjectError> {
        let (Some(ours), Some(theirs)) = (&entry.ours, &entry.theirs) else {
            return Ok(());
        };
        let base = entry.base.as_ref();
        let (mut merged, clashes) = ours.merge_attributes(base, theirs);
        for attribute in clashes {
            if attribute == PageAttribute::Document
                && let (Some(a), Some(b)) = (ours.body, theirs.body)
            {
                let base = base.and_then(|base| base.body);
                let body =
                    self.merge_body(base, a, b, |part| Subject::Page(id, PageSubject::Part(part)))?;
                merged.body = Some(body);
                continue;
            }
            let value = |page: &PageRecord| Value::PageAttribute(page.get(attribute));
            let sides = Sides {
                base: base.map(value),
                ours: Some(value(ours)),
                theirs: Some(value(theirs)),
            };
            self.conflict(Subject::Page(id, PageSubject::Attribute(attribute)), sides);
        }
        let time = |of: fn(&PageRecord) -> bindery_model::Timestamp| {
            let (mut a, mut b) = (of(ours), of(theirs));
            let (one, clash) = merge_value(base.map(of).as_ref(), &a, &b);
            if a > b {
                std::mem::swap(&mut a, &mut b);
            }
            (one, clash, a, b)
        };
        let (one, clash, first, _) = time(|page| page.created_at);
        merged.created_at = if clash { first } else { one };
        let (one, clash, _, last) = time(|page| page.updated_at);
        merged.updated_at = if clash { last } else { one };

        let was = base.map(|base| base.parent);
        let (parent, clash) = merge_value(was.as_ref(), &ours.parent, &theirs.parent);
        let from = if parent == ours.parent { Side::Ours } else { Side::Theirs };
        merged.parent = parent;
        merged.order = if from == Side::Ours { &ours.order } else { &theirs.order }.clone();
        let positions = clash.then(|| entry.positions());
        entry.merged = Some(merged);
        entry.from = Some(from);
        if let Some(positions) = positions {
            self.conflict(Subject::Page(id, PageSubject::Position), positions);
        }
        Ok(())
    }

    /// Merges two documents. Conflicts are recorded under the subject that `subject` returns for a
    /// part.
    pub(super) fn merge_body(
        &mut self,
        base: Option<Hash>,
        ours: Hash,
        theirs: Hash,
        subject: impl Fn(String) -> Subject,
    ) -> Result<Hash, ObjectError> {
        let merged = self.bodies.merge(self.staging, base, ours, theirs)?;
        for conflict in merged.conflicts {
            self.conflict(subject(conflict.part), conflict.sides.map(Value::Part));
        }
        Ok(merged.body)
    }
}

/// Returns `true` if a change prevents the deletion of the page by the other side.
fn changed(base: &PageRecord, page: &PageRecord) -> bool {
    base.parent != page.parent || !base.differing(page).is_empty()
}
