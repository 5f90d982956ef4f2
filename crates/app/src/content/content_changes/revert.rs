//! Restores pages to an earlier state, whole or by block.

use bindery_content::Document;
use bindery_content::document::Key;
use bindery_model::{FieldPath, PageId, Result};
use bindery_revision::tree::{self, Position, Tree};
use bindery_revision::{Content, PageAttribute, PageRecord};

use super::{PageChange, Work, refused};
use crate::content::documents::{self, Parsed};
use crate::content::snapshot::{self, broken_object, broken_tree};

impl Work<'_, '_> {
    /// Restores a page to its state in another content.
    pub(super) fn revert(&mut self, at: &FieldPath, id: PageId, to: &Content) -> Result<()> {
        let was = to.page(&*self.staging, id).map_err(broken_object)?;
        let is = self.content.page(&*self.staging, id).map_err(broken_object)?;
        self.texts.retain(|text| text.page != id);
        match (was, is) {
            (None, None) => Err(at.field("page").not_found(format_args!("page {id}"))),
            (None, Some(_)) => {
                self.free_children(at, id)?;
                self.delete(at, id)
            }
            (Some(was), None) => {
                let (parent, position) = self.former_place(to, &was)?;
                let page = PageRecord { parent, ..self.with_free_path(was)? };
                let (content, _) = tree::insert(&self.content, self.staging, page, position)
                    .map_err(|error| refused(at, error))?;
                self.content = content;
                self.touch(id, PageChange::Updated);
                Ok(())
            }
            (Some(was), Some(is)) => {
                if was.parent != is.parent || was.order != is.order {
                    let (parent, position) = self.former_place(to, &was)?;
                    let moved = tree::relocate(&self.content, self.staging, id, parent, position);
                    match moved {
                        Ok((content, _)) => self.content = content,
                        // The former parent is now a descendant of the page.
                        Err(tree::TreeError::Cycle(_)) => {}
                        Err(error) => return Err(refused(at, error)),
                    }
                }
                let mut page = self.page(at, id)?;
                let before = page.clone();
                for attribute in PageAttribute::ALL {
                    page.set(was.get(*attribute));
                }
                if page.source_path != before.source_path {
                    page = self.with_free_path(page)?;
                }
                if page != before {
                    page.updated_at = self.now;
                    self.put(at, page)?;
                }
                self.touch(id, PageChange::Updated);
                Ok(())
            }
        }
    }

    /// Returns a page with a free source path, in case another item uses its path now.
    fn with_free_path(&self, mut page: PageRecord) -> Result<PageRecord> {
        if let Some(path) = page.source_path.take() {
            page.source_path = Some(self.free_path(&path)?);
        }
        Ok(page)
    }

    /// Moves the children of a page to its parent.
    fn free_children(&mut self, at: &FieldPath, id: PageId) -> Result<()> {
        let parent = self.page(at, id)?.parent;
        let tree = Tree::new(&self.content, &*self.staging);
        let children = tree.children(Some(id)).map(|child| child.map(|child| child.id));
        for child in children.collect::<Result<Vec<_>, _>>().map_err(broken_object)? {
            let before = Position::Before(id);
            let (content, _) = tree::relocate(&self.content, self.staging, child, parent, before)
                .map_err(|error| refused(at, error))?;
            self.content = content;
            self.touch(child, PageChange::Updated);
        }
        Ok(())
    }

    /// Returns the former position of a page as far as it still exists: under the nearest former
    /// ancestor, and after the nearest sibling that came before it.
    fn former_place(&self, to: &Content, was: &PageRecord) -> Result<(Option<PageId>, Position)> {
        let tree = Tree::new(to, &*self.staging);
        let mut parent = was.parent;
        while let Some(id) = parent {
            if self.content.page(&*self.staging, id).map_err(broken_object)?.is_some() {
                break;
            }
            parent = tree.page(id).map_err(broken_tree)?.parent;
        }
        if parent != was.parent {
            return Ok((parent, Position::Last));
        }
        for sibling in tree.siblings(was, bindery_revision::Direction::Descending) {
            let sibling = sibling.map_err(broken_object)?.id;
            let here = self.content.page(&*self.staging, sibling).map_err(broken_object)?;
            if here.is_some_and(|here| here.parent == parent) {
                return Ok((parent, Position::After(sibling)));
            }
        }
        Ok((parent, Position::First))
    }

    /// Restores single blocks of a page and leaves the rest unchanged.
    pub(super) fn revert_blocks(
        &mut self,
        at: &FieldPath,
        id: PageId,
        to: &Content,
        blocks: Vec<String>,
    ) -> Result<()> {
        // Include texts that earlier changes of the request submitted.
        self.write_texts()?;
        let missing = || at.field("page").not_found(format_args!("page {id}"));
        let was = to.page(&*self.staging, id).map_err(broken_object)?.ok_or_else(missing)?;
        let is = self.page(&at.field("page"), id)?;
        let document = |content: &Content, page: &PageRecord| -> Result<Document> {
            let Some(body) = &page.body else { return Ok(Document::default()) };
            let Parsed { document, .. } =
                documents::parse(self.app, &*self.staging, Some(content), body)?;
            Ok(document)
        };
        let (former, present) = (document(to, &was)?, document(&self.content, &is)?);
        let mut after = present.clone();
        for (index, name) in blocks.iter().enumerate() {
            let key = Key::of_name(name);
            if !after.revert(key, &former) {
                let at = at.field("block").field(index);
                return Err(at.not_found(format_args!("block {name:?}")));
            }
        }
        let Some(body) = is.body else { return Ok(()) };
        let stored = snapshot::body(self.app, &*self.staging, &body)?;
        let edited = self.edited(&stored, &present, &after, &self.known(&stored));
        self.put_text(at, is, &edited)?;
        self.touch(id, PageChange::Updated);
        Ok(())
    }
}
