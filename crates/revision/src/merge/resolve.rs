//! Resolving conflicts, one at a time or all at once.

use bindery_model::{FileId, Id, PageId, ReusableContentId, Timestamp};
use bytes::Bytes;

use super::MergeBodies;
use super::conflict::{
    Conflict, FileSubject, PagePosition, PageSubject, ReusableSubject, Subject, Value, page_prefix,
};
use super::open_conflicts::{conflicts, with_prefix};
use super::paths::free_path;
use crate::content::{Content, PathEntry};
use crate::edit;
use crate::map::Direction;
use crate::object::{Hash, ObjectError, Staging};
use crate::record::{PageAttribute, PageRecord, Record};
use crate::tree::{self, Position, Tree, TreeError, child_key};

/// The value that replaces a conflict.
#[derive(Clone, PartialEq, Debug)]
pub enum Choice {
    /// The value of the common base.
    Base,
    /// Our value.
    Ours,
    /// Their value.
    Theirs,
    /// The value that the content has now.
    Current,
    /// Another value of the same kind; `None` deletes the subject.
    Value(Option<Value>),
}

/// The reason why a conflict could not be resolved.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ResolveError {
    /// The content has no such conflict.
    #[error("there is no such conflict")]
    NotFound,
    /// The value does not fit the subject of the conflict.
    #[error("the value is of another kind than what is in conflict")]
    WrongKind,
    /// The tree does not allow the choice: a parent is deleted, or a page would be placed under
    /// itself.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl From<ObjectError> for ResolveError {
    fn from(error: ObjectError) -> Self {
        Self::Tree(error.into())
    }
}

/// Resolves the conflict with this key, as returned by [`Conflict::key`]. `now` is recorded as the
/// time of change of the affected pages. Choosing a side that does not have the page, file,
/// variable or other subject deletes it. The children of a page deleted in this way move to the
/// position of the page, since nobody chose to delete them.
///
/// # Errors
/// Returns an error if there is no such conflict, the choice does not fit the subject or the tree,
/// or an object cannot be read.
pub fn resolve(
    content: &Content,
    staging: &mut Staging<'_>,
    key: &[u8],
    choice: Choice,
    bodies: &mut dyn MergeBodies,
    now: Timestamp,
) -> Result<Content, ResolveError> {
    let conflict = content.conflicts.get(staging, key)?.ok_or(ResolveError::NotFound)?;
    let conflict = Conflict::decode(&conflict)?;
    let chosen = match choice {
        Choice::Base => conflict.sides.base.clone(),
        Choice::Ours => conflict.sides.ours.clone(),
        Choice::Theirs => conflict.sides.theirs.clone(),
        Choice::Value(value) => value,
        Choice::Current => {
            let mut next = content.clone();
            next.conflicts = content.conflicts.apply(staging, [(key.to_vec().into(), None)])?;
            return Ok(next);
        }
    };
    let mut resolver = Resolver { content: content.clone(), staging, bodies, now };
    resolver.apply(&conflict, chosen)?;
    let Resolver { content: mut next, staging, .. } = resolver;
    let mut settled = vec![(Bytes::copy_from_slice(key), None)];
    if let Some(page) = conflict.subject.page()
        && next.page(staging, page)?.is_none()
    {
        let rest = with_prefix(&next.conflicts, staging, &page_prefix(page)?)?;
        settled.extend(rest.into_iter().map(|(key, _)| (key, None)));
    }
    next.conflicts = next.conflicts.apply(staging, settled)?;
    Ok(next)
}

/// Resolves all conflicts in the same way. Conflicts for which this is impossible stay, for example
/// a position under a deleted page.
///
/// # Errors
/// Returns an error if a value was chosen that does not fit all subjects, or an object cannot be
/// read.
pub fn resolve_all(
    content: &Content,
    staging: &mut Staging<'_>,
    choice: &Choice,
    bodies: &mut dyn MergeBodies,
    now: Timestamp,
) -> Result<Content, ResolveError> {
    let mut content = content.clone();
    // Resolving one conflict can make another one resolvable, for example by restoring a parent.
    loop {
        let open = content.conflicts.len();
        let all: Vec<Conflict> =
            conflicts(&content, &*staging).collect::<Result<_, ObjectError>>()?;
        for conflict in all {
            match resolve(&content, staging, &conflict.key()?, choice.clone(), bodies, now) {
                Ok(next) => content = next,
                // An earlier conflict deleted the page of this one.
                Err(ResolveError::NotFound) => {}
                Err(ResolveError::Tree(error)) if !matches!(error, TreeError::Object(_)) => {}
                Err(error) => return Err(error),
            }
        }
        if content.conflicts.is_empty() || content.conflicts.len() == open {
            return Ok(content);
        }
    }
}

struct Resolver<'r, 's> {
    content: Content,
    staging: &'r mut Staging<'s>,
    bodies: &'r mut dyn MergeBodies,
    now: Timestamp,
}

impl Resolver<'_, '_> {
    fn apply(&mut self, conflict: &Conflict, chosen: Option<Value>) -> Result<(), ResolveError> {
        match &conflict.subject {
            Subject::Page(id, of) => self.page(*id, of, conflict, chosen),
            Subject::File(id, of) => self.file(*id, of, chosen),
            Subject::Reusable(id, of) => self.reusable(*id, of, chosen),
            Subject::Variable(name) => {
                let value = expect_kind(chosen, |value| match value {
                    Value::Variable(value) => Some(value),
                    _ => None,
                })?;
                edit::set_variable(&mut self.content, name, value);
                Ok(())
            }
            Subject::Redirect(path) => {
                let value = expect_kind(chosen, |value| match value {
                    Value::Redirect(to) => Some(to),
                    _ => None,
                })?;
                let value = value.map(|to| to.encode()).transpose()?;
                let edit = (Bytes::copy_from_slice(path.as_bytes()), value);
                self.content.redirects = self.content.redirects.apply(self.staging, [edit])?;
                Ok(())
            }
            Subject::Source(path) => {
                let value = expect_kind(chosen, |value| match value {
                    Value::Source(hash) => Some(hash),
                    _ => None,
                })?;
                self.content.sources.retain(|(one, _)| one != path);
                self.content.sources.extend(value.map(|hash| (path.clone(), hash)));
                self.content.sources.sort_unstable();
                Ok(())
            }
        }
    }

    fn page(
        &mut self,
        id: PageId,
        of: &PageSubject,
        conflict: &Conflict,
        chosen: Option<Value>,
    ) -> Result<(), ResolveError> {
        match of {
            PageSubject::Existence => {
                let chosen = expect_kind(chosen, |value| match value {
                    Value::Page(page) => Some(page),
                    _ => None,
                })?;
                self.existence(id, conflict, chosen.map(|page| *page))
            }
            PageSubject::Position => {
                let chosen = expect_kind(chosen, |value| match value {
                    Value::Position(target) => Some(target),
                    _ => None,
                })?;
                // A side without the page does not state a position.
                chosen.map_or(Ok(()), |target| self.move_to(id, &target))
            }
            PageSubject::Attribute(attribute) => {
                let value = expect_kind(chosen, |value| match value {
                    Value::PageAttribute(value) if value.attribute() == *attribute => Some(value),
                    _ => None,
                })?;
                let Some(value) = value else { return Ok(()) };
                self.update(id, |page| page.set(value))
            }
            PageSubject::Part(part) => {
                let part_of = self.content.page(self.staging, id)?.and_then(|page| page.body);
                let body = self.part(part_of, part, chosen)?;
                self.update(id, |page| page.body = body)
            }
        }
    }

    fn update(
        &mut self,
        id: PageId,
        change: impl FnOnce(&mut PageRecord),
    ) -> Result<(), ResolveError> {
        let old = Tree::new(&self.content, self.staging).page(id)?;
        let mut new = old.clone();
        change(&mut new);
        if new != old {
            new.updated_at = self.now;
        }
        self.free_path(&mut new)?;
        let (content, _) = tree::update(&self.content, self.staging, id, |page| *page = new)?;
        self.content = content;
        Ok(())
    }

    /// Changes the path of a page's file if another item has taken the path.
    fn free_path(&self, page: &mut PageRecord) -> Result<(), ObjectError> {
        if let Some(path) = page.source_path.take() {
            let own = PathEntry::Page(page.id);
            page.source_path = Some(free_path(&self.content, &*self.staging, path, own)?);
        }
        Ok(())
    }

    /// Returns the document with the chosen version of a part.
    fn part(
        &mut self,
        body: Option<Hash>,
        part: &str,
        chosen: Option<Value>,
    ) -> Result<Option<Hash>, ResolveError> {
        let chosen = expect_kind(chosen, |value| match value {
            Value::Part(hash) => Some(hash),
            _ => None,
        })?;
        Ok(match body {
            Some(body) => self.bodies.choose(self.staging, body, part, chosen)?,
            None => None,
        })
    }

    fn existence(
        &mut self,
        id: PageId,
        conflict: &Conflict,
        chosen: Option<PageRecord>,
    ) -> Result<(), ResolveError> {
        let here = self.content.page(self.staging, id)?;
        match (chosen, here) {
            (None, None) => {}
            (None, Some(_)) => self.delete(id)?,
            (Some(page), Some(_)) => {
                // The content already holds the version of the side that still has the page.
                let of =
                    |side: &Option<Value>| matches!(side, Some(Value::Page(one)) if **one == page);
                if !of(&conflict.sides.ours) && !of(&conflict.sides.theirs) {
                    self.update(id, |here| {
                        for attribute in PageAttribute::ALL {
                            here.set(page.get(*attribute));
                        }
                    })?;
                }
            }
            (Some(mut page), None) => {
                page.id = id;
                self.free_path(&mut page)?;
                let target = PagePosition::of(&page);
                let position = self.position(id, &target)?;
                let (content, _) = tree::insert(&self.content, self.staging, page, position)?;
                self.content = content;
            }
        }
        Ok(())
    }

    /// Deletes a page; its children take its position.
    fn delete(&mut self, id: PageId) -> Result<(), ResolveError> {
        let tree = Tree::new(&self.content, self.staging);
        let parent = tree.page(id)?.parent;
        let children: Vec<PageId> = tree
            .children(Some(id))
            .map(|child| child.map(|child| child.id))
            .collect::<Result<_, _>>()?;
        for child in children {
            let before = Position::Before(id);
            let (content, _) = tree::relocate(&self.content, self.staging, child, parent, before)?;
            self.content = content;
        }
        let (content, _) = tree::delete(&self.content, self.staging, id)?;
        self.content = content;
        Ok(())
    }

    fn move_to(&mut self, id: PageId, target: &PagePosition) -> Result<(), ResolveError> {
        if let Some(parent) = target.parent {
            Tree::new(&self.content, self.staging).page(parent)?;
        }
        let position = self.position(id, target)?;
        let (content, mut page) =
            tree::relocate(&self.content, self.staging, id, target.parent, position)?;
        self.content = content;
        // Restore the original order key if no sibling has it now: other conflicts compare
        // positions by it.
        let mut key = child_key(target.parent.as_ref(), &target.order, &id).to_vec();
        key.truncate(key.len() - Id::LEN);
        if self.content.children.count_prefix(&*self.staging, &key)? == 0 {
            page.order = target.order.clone();
            let put = [tree::Change::Put(Box::new(page))];
            self.content = tree::write(&self.content, self.staging, put)?;
        }
        Ok(())
    }

    /// Returns the position among the present siblings that corresponds to an order key.
    fn position(&self, id: PageId, target: &PagePosition) -> Result<Position, ResolveError> {
        let key = child_key(target.parent.as_ref(), &target.order, &id);
        let tree = Tree::new(&self.content, &*self.staging);
        for sibling in tree.siblings_from(target.parent, key, Direction::Ascending) {
            let sibling = sibling?.id;
            if sibling != id {
                return Ok(Position::Before(sibling));
            }
        }
        Ok(Position::Last)
    }

    fn file(
        &mut self,
        id: FileId,
        of: &FileSubject,
        chosen: Option<Value>,
    ) -> Result<(), ResolveError> {
        let here = self.content.file(self.staging, id)?;
        let file = match of {
            FileSubject::Existence | FileSubject::Bytes => {
                let chosen = expect_kind(chosen, |value| match value {
                    Value::File(file) if file.id == id => Some(file),
                    _ => None,
                })?;
                match (chosen, here) {
                    (Some(chosen), Some(mut here)) if *of == FileSubject::Bytes => {
                        here.copy_bytes_from(&chosen);
                        Some(here)
                    }
                    // No side deleted the file: the base merely had no bytes.
                    (None, Some(here)) if *of == FileSubject::Bytes => Some(here),
                    (chosen, _) => chosen,
                }
            }
            FileSubject::Attribute(attribute) => {
                let value = expect_kind(chosen, |value| match value {
                    Value::FileAttribute(value) if value.attribute() == *attribute => Some(value),
                    _ => None,
                })?;
                let (Some(value), Some(mut here)) = (value, here) else { return Ok(()) };
                here.set(value);
                Some(here)
            }
        };
        self.content = match file {
            Some(mut file) => {
                if let Some(path) = file.path.take() {
                    let own = PathEntry::File(id);
                    file.path = Some(free_path(&self.content, &*self.staging, path, own)?);
                }
                edit::put_file(&self.content, self.staging, &file)?
            }
            None => edit::delete_file(&self.content, self.staging, id)?.0,
        };
        Ok(())
    }

    fn reusable(
        &mut self,
        id: ReusableContentId,
        of: &ReusableSubject,
        chosen: Option<Value>,
    ) -> Result<(), ResolveError> {
        let here = self.content.reusable(self.staging, id)?;
        let text = match of {
            ReusableSubject::Existence => expect_kind(chosen, |value| match value {
                Value::Reusable(text) if text.id == id => Some(text),
                _ => None,
            })?,
            ReusableSubject::Attribute(attribute) => {
                let value = expect_kind(chosen, |value| match value {
                    Value::ReusableAttribute(value) if value.attribute() == *attribute => {
                        Some(value)
                    }
                    _ => None,
                })?;
                let (Some(value), Some(mut here)) = (value, here) else { return Ok(()) };
                here.set(value);
                Some(here)
            }
            ReusableSubject::Part(part) => {
                let Some(mut here) = here else { return Ok(()) };
                here.body = self.part(here.body, part, chosen)?;
                Some(here)
            }
        };
        self.content = match text {
            Some(mut text) => {
                if let Some(path) = text.path.take() {
                    let own = PathEntry::Reusable(id);
                    text.path = Some(free_path(&self.content, &*self.staging, path, own)?);
                }
                edit::put_reusable(&self.content, self.staging, &text)?
            }
            None => edit::delete_reusable(&self.content, self.staging, id)?.0,
        };
        Ok(())
    }
}

/// Returns the chosen value if it is of the expected kind.
fn expect_kind<T>(
    chosen: Option<Value>,
    read: impl FnOnce(Value) -> Option<T>,
) -> Result<Option<T>, ResolveError> {
    chosen.map(|value| read(value).ok_or(ResolveError::WrongKind)).transpose()
}
