//! Open conflicts: reading them, merging them, and removing those that an edit has settled.

use std::collections::BTreeMap;

use bindery_model::PageId;
use bytes::Bytes;

use super::conflict::{
    Conflict, FileSubject, PageSubject, ReusableSubject, Sides, Subject, Value, item_prefix, key,
    page_prefix, subject_prefix,
};
use super::{MergeBodies, Merger, Side};
use crate::content::Content;
use crate::diff::{Change, diff};
use crate::map::{Difference, Direction, Map};
use crate::object::{Hash, ObjectError, Objects, Staging};
use crate::record::{FileAttribute, PageAttribute, Record, ReusableAttribute};

/// Iterates lazily over the open conflicts of a content. Conflicts of one page are adjacent.
pub fn conflicts<'a>(
    content: &Content,
    on: &'a dyn Objects,
) -> impl Iterator<Item = Result<Conflict, ObjectError>> + use<'a> {
    let all = content.conflicts.range(on, None, Direction::Ascending);
    all.map(|entry| Conflict::decode(&entry?.1))
}

/// Returns the open conflicts of one page.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn conflicts_of_page(
    content: &Content,
    on: &dyn Objects,
    page: PageId,
) -> Result<Vec<Conflict>, ObjectError> {
    let found = with_prefix(&content.conflicts, on, &page_prefix(page)?)?;
    Ok(found.into_iter().map(|(_, conflict)| conflict).collect())
}

pub(super) fn with_prefix(
    map: &Map,
    on: &dyn Objects,
    prefix: &[u8],
) -> Result<Vec<(Bytes, Conflict)>, ObjectError> {
    let read = |entry: Result<(Bytes, Bytes), ObjectError>| {
        let (key, value) = entry?;
        Ok((key, Conflict::decode(&value)?))
    };
    map.prefix(on, prefix).map(read).collect()
}

/// Removes the conflicts whose subject was changed or deleted by an edit from `before` to `after`:
/// the edit is taken as the author's decision. A page that one side deleted and the other changed
/// stays in conflict as long as it exists. Returns `after` with the remaining conflicts.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn settle(
    before: &Content,
    after: &Content,
    staging: &mut Staging<'_>,
    bodies: &mut dyn MergeBodies,
) -> Result<Content, ObjectError> {
    if after.conflicts.is_empty() {
        return Ok(after.clone());
    }
    let mut settled_keys: Vec<Bytes> = Vec::new();
    for change in diff(before, after, &*staging, usize::MAX)?.changes {
        let SettledBy { prefixes, text } = SettledBy::change(&change)?;
        for prefix in prefixes {
            let found = with_prefix(&after.conflicts, &*staging, &prefix)?;
            settled_keys.extend(found.into_iter().map(|(key, _)| key));
        }
        let Some((item, was, is)) = text else { continue };
        for (key, conflict) in with_prefix(&after.conflicts, &*staging, &item)? {
            if let Subject::Page(_, PageSubject::Part(part))
            | Subject::Reusable(_, ReusableSubject::Part(part)) = &conflict.subject
                && match (was, is) {
                    (Some(was), Some(is)) => bodies.differs(staging, was, is, part)?,
                    _ => true,
                }
            {
                settled_keys.push(key);
            }
        }
    }
    let mut settled = after.clone();
    let edits = settled_keys.into_iter().map(|key| (key, None));
    settled.conflicts = after.conflicts.apply(staging, edits)?;
    Ok(settled)
}

/// Removes the open conflicts of a page for which `is_decided` returns `true`, keeping the current
/// values as the decision.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn settle_page(
    content: &Content,
    staging: &mut Staging<'_>,
    page: PageId,
    is_decided: impl Fn(&PageSubject) -> bool,
) -> Result<Content, ObjectError> {
    if content.conflicts.is_empty() {
        return Ok(content.clone());
    }
    let open = with_prefix(&content.conflicts, &*staging, &page_prefix(page)?)?;
    let settled_keys = open.into_iter().filter(|(_, conflict)| match &conflict.subject {
        Subject::Page(_, of) => is_decided(of),
        _ => false,
    });
    let mut decided = content.clone();
    decided.conflicts =
        content.conflicts.apply(staging, settled_keys.map(|(key, _)| (key, None)))?;
    Ok(decided)
}

/// The conflicts that a change settles.
struct SettledBy {
    /// The key prefixes of these conflicts.
    prefixes: Vec<Vec<u8>>,
    /// The changed document: the key prefix of its item, and the old and new objects. Conflicts
    /// about its parts may be settled.
    text: Option<(Vec<u8>, Option<Hash>, Option<Hash>)>,
}

impl SettledBy {
    fn change(change: &Change) -> Result<Self, ObjectError> {
        let mut text = None;
        let mut prefixes = Vec::new();
        match change {
            Change::PageDeleted(page) => prefixes.push(page_prefix(page.id)?),
            Change::PageMoved(edit) => {
                prefixes
                    .push(subject_prefix(&Subject::Page(edit.after.id, PageSubject::Position))?);
            }
            Change::PageEdited(edit, attributes) => {
                let id = edit.after.id;
                if attributes.contains(&PageAttribute::Document) {
                    text = Some((page_prefix(id)?, edit.before.body, edit.after.body));
                }
                for one in attributes {
                    let subject = Subject::Page(id, PageSubject::Attribute(*one));
                    prefixes.push(subject_prefix(&subject)?);
                }
            }
            Change::FileDeleted(file) => {
                prefixes.push(item_prefix(&Subject::File(file.id, FileSubject::Existence))?);
            }
            Change::FileEdited(edit, attributes) => {
                let id = edit.after.id;
                if attributes.contains(&FileAttribute::Hash) {
                    prefixes.push(subject_prefix(&Subject::File(id, FileSubject::Bytes))?);
                }
                for one in attributes {
                    let subject = Subject::File(id, FileSubject::Attribute(*one));
                    prefixes.push(subject_prefix(&subject)?);
                }
            }
            Change::ReusableDeleted(one) => {
                let subject = Subject::Reusable(one.id, ReusableSubject::Existence);
                prefixes.push(item_prefix(&subject)?);
            }
            Change::ReusableEdited(edit, attributes) => {
                let id = edit.after.id;
                if attributes.contains(&ReusableAttribute::Document) {
                    let item = item_prefix(&Subject::Reusable(id, ReusableSubject::Existence))?;
                    text = Some((item, edit.before.body, edit.after.body));
                }
                for one in attributes {
                    let subject = Subject::Reusable(id, ReusableSubject::Attribute(*one));
                    prefixes.push(subject_prefix(&subject)?);
                }
            }
            Change::VariablesEdited(names) => {
                for name in names.keys() {
                    prefixes.push(subject_prefix(&Subject::Variable(name.clone()))?);
                }
            }
            Change::RedirectEdited(path, _) => {
                prefixes.push(subject_prefix(&Subject::Redirect(path.clone()))?);
            }
            Change::SourceEdited(path, _) => {
                prefixes.push(subject_prefix(&Subject::Source(path.clone()))?);
            }
            Change::PageCreated(_) | Change::FileCreated(_) | Change::ReusableCreated(_) => {}
        }
        Ok(Self { prefixes, text })
    }
}

impl Merger<'_, '_> {
    /// Returns the open conflicts of the merged content: those of both sides that neither side
    /// removed, and those in `found`, which replace the earlier conflicts that they continue.
    pub(super) fn merge_open_conflicts(
        &mut self,
        found: &[Conflict],
        deleted: &[PageId],
    ) -> Result<Map, ObjectError> {
        let maps = [self.base, self.ours, self.theirs].map(|content| content.conflicts);
        let [base, ours, theirs] = maps;
        let mut open = OpenConflicts { map: ours, on: &*self.staging, edits: BTreeMap::new() };
        for difference in base.diff(&theirs, &*self.staging) {
            let Difference { key, old, new } = difference?;
            let held = open.map.get(open.on, &key)?;
            if held == new || new.is_none() && held != old {
                continue;
            }
            match new.as_deref().map(Conflict::decode).transpose()? {
                // Our side changed or resolved the conflict, so their version is added separately.
                Some(conflict) if held.is_some() && held != old => open.add(conflict)?,
                Some(conflict) => open.set(key, Some(conflict)),
                None => open.set(key, None),
            }
        }
        if !(ours.is_empty() && theirs.is_empty()) {
            for side in Side::BOTH {
                self.remove_agreed(side, &mut open)?;
            }
            for id in deleted {
                for (key, _) in open.with_prefix(&page_prefix(*id)?)? {
                    open.set(key, None);
                }
            }
        }
        for conflict in found {
            self.continue_or_add(conflict, &mut open)?;
        }
        let mut edits = Vec::new();
        for (key, conflict) in open.edits {
            edits.push((key, conflict.map(|conflict| conflict.encode()).transpose()?));
        }
        ours.apply(self.staging, edits)
    }

    /// Removes conflicts of one side where the other side now has the same value.
    fn remove_agreed(&self, side: Side, open: &mut OpenConflicts<'_>) -> Result<(), ObjectError> {
        let on = &*self.staging;
        let (own, other) = (self.side(side), self.side(side.other()));
        for difference in self.base.conflicts.diff(&own.conflicts, on) {
            let Difference { key, new: Some(new), .. } = difference? else { continue };
            let Conflict { subject, sides, .. } = Conflict::decode(&new)?;
            let Some(held) = value(own, on, &subject)? else { continue };
            let moved = value(other, on, &subject)? != value(self.base, on, &subject)?;
            if moved
                && sides.ours.as_ref() == Some(&held)
                && value(other, on, &subject)? == Some(held)
            {
                open.set(key, None);
            }
        }
        Ok(())
    }

    /// Adds a conflict, or updates the earlier conflict that it continues: one side still had its
    /// value of that conflict, and the other side started from its own.
    fn continue_or_add(
        &self,
        found: &Conflict,
        open: &mut OpenConflicts<'_>,
    ) -> Result<(), ObjectError> {
        let Sides { base, ours, theirs } = &found.sides;
        for (key, known) in open.with_prefix(&subject_prefix(&found.subject)?)? {
            let from = |side: Side| {
                let held = self.side(side).conflicts.get(&*self.staging, &key)?;
                Ok::<_, ObjectError>(held.is_some())
            };
            let held = &known.sides.ours;
            let continues = &known.sides.theirs == base
                && (held == ours && from(Side::Ours)? || held == theirs && from(Side::Theirs)?);
            if !continues {
                continue;
            }
            let base = known.sides.base.clone();
            let sides = Sides { base, ours: ours.clone(), theirs: theirs.clone() };
            // They returned to the common base, so our value stands without a conflict.
            let over = sides.theirs == sides.base;
            open.set(key, (!over).then_some(Conflict { sides, ..known }));
            return Ok(());
        }
        open.add(found.clone())
    }
}

/// The open conflicts while they are computed.
struct OpenConflicts<'o> {
    map: Map,
    on: &'o dyn Objects,
    edits: BTreeMap<Bytes, Option<Conflict>>,
}

impl OpenConflicts<'_> {
    fn set(&mut self, key: Bytes, conflict: Option<Conflict>) {
        self.edits.insert(key, conflict);
    }

    fn with_prefix(&self, prefix: &[u8]) -> Result<Vec<(Bytes, Conflict)>, ObjectError> {
        let held = with_prefix(&self.map, self.on, prefix)?;
        let mut all: BTreeMap<Bytes, Option<Conflict>> =
            held.into_iter().map(|(key, conflict)| (key, Some(conflict))).collect();
        let edits = self.edits.range(Bytes::copy_from_slice(prefix)..);
        for (key, edit) in edits.take_while(|(key, _)| key.starts_with(prefix)) {
            all.insert(key.clone(), edit.clone());
        }
        Ok(all.into_iter().filter_map(|(key, conflict)| Some((key, conflict?))).collect())
    }

    /// Adds a conflict under the first free number, unless an equal one exists.
    fn add(&mut self, mut conflict: Conflict) -> Result<(), ObjectError> {
        conflict.number = 0;
        for (_, known) in self.with_prefix(&subject_prefix(&conflict.subject)?)? {
            if known.sides == conflict.sides {
                return Ok(());
            }
            if known.number == conflict.number {
                conflict.number += 1;
            }
        }
        self.set(key(&conflict.subject, conflict.number)?, Some(conflict));
        Ok(())
    }
}

/// Returns the value that a content has for a conflict's subject, if the subject is a single value.
fn value(
    content: &Content,
    on: &dyn Objects,
    subject: &Subject,
) -> Result<Option<Value>, ObjectError> {
    Ok(match subject {
        Subject::Page(id, PageSubject::Attribute(one)) => {
            content.page(on, *id)?.map(|page| Value::PageAttribute(page.get(*one)))
        }
        Subject::Page(id, PageSubject::Position) => {
            content.page(on, *id)?.map(|page| Value::Position(super::PagePosition::of(&page)))
        }
        Subject::File(id, FileSubject::Attribute(one)) => {
            content.file(on, *id)?.map(|file| Value::FileAttribute(file.get(*one)))
        }
        Subject::Reusable(id, ReusableSubject::Attribute(one)) => {
            content.reusable(on, *id)?.map(|text| Value::ReusableAttribute(text.get(*one)))
        }
        Subject::Variable(name) => content.variables.get(name).cloned().map(Value::Variable),
        Subject::Redirect(path) => content.redirect(on, path)?.map(Value::Redirect),
        Subject::Source(path) => {
            let found = content.sources.iter().find(|(one, _)| one == path);
            found.map(|(_, hash)| Value::Source(*hash))
        }
        Subject::Page(_, PageSubject::Existence | PageSubject::Part(_))
        | Subject::File(_, FileSubject::Existence | FileSubject::Bytes)
        | Subject::Reusable(_, ReusableSubject::Existence | ReusableSubject::Part(_)) => None,
    })
}
