//! Old addresses of pages that changes move or rename: they go on leading to their pages.

use bindery_model::Result;
use bindery_revision::tree::Tree;
use bindery_revision::{PageKind, Record, Redirect};
use bytes::Bytes;

use super::{Touch, Work};
use crate::content::{broken_object, broken_tree};

impl Work<'_, '_> {
    /// Notes where pages were in the base that are elsewhere now. What stands below a page needs no
    /// redirect of its own: it is found below that page.
    pub(super) fn leave_redirects(&mut self) -> Result<()> {
        let mut edits = Vec::new();
        for (id, touch) in &self.touched {
            if *touch != Touch::Updated {
                continue;
            }
            let was = self.base.page(&*self.staging, *id).map_err(broken_object)?;
            let is = self.content.page(&*self.staging, *id).map_err(broken_object)?;
            let (Some(was), Some(is)) = (was, is) else { continue };
            if matches!(was.kind, PageKind::Link { .. }) {
                continue;
            }
            let path = Tree::new(self.base, &*self.staging).path(*id).map_err(broken_tree)?;
            let to = Redirect::Page(*id);
            let known = self.content.redirect(&*self.staging, &path).map_err(broken_object)?;
            let moved = (was.parent, &was.slug) != (is.parent, &is.slug);
            let entry = if moved && known.as_ref() != Some(&to) {
                Some(to.encode().map_err(broken_object)?)
            } else if !moved && known.as_ref() == Some(&to) {
                // It went and came back.
                None
            } else {
                continue;
            };
            edits.push((Bytes::from(path), entry));
        }
        if !edits.is_empty() {
            let redirects = self.content.redirects.apply(self.staging, edits);
            self.content.redirects = redirects.map_err(broken_object)?;
        }
        Ok(())
    }
}
