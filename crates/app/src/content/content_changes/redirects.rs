//! Redirects from the former addresses of pages that changes move or rename.

use bindery_model::{PageId, Result};
use bindery_revision::tree::Tree;
use bindery_revision::{Content, Difference, Map, PageKind, PageRecord, Record, Redirect, Staging};
use bytes::Bytes;

use super::{PageChange, Work};
use crate::content::snapshot::{broken_object, broken_tree};

impl Work<'_, '_> {
    /// Adds redirects from the addresses that pages had in the base. Descendants of a page need no
    /// redirects of their own, because they are found through the redirect of the page.
    pub(super) fn leave_redirects(&mut self) -> Result<()> {
        let mut edits = Vec::new();
        for (id, touch) in &self.touched {
            if *touch != PageChange::Updated {
                continue;
            }
            let was = self.base.page(&*self.staging, *id).map_err(broken_object)?;
            let is = self.content.page(&*self.staging, *id).map_err(broken_object)?;
            let (Some(was), Some(is)) = (was, is) else { continue };
            if matches!(was.kind, PageKind::Link { .. }) {
                continue;
            }
            let moved = (was.parent, &was.slug) != (is.parent, &is.slug);
            if !moved && self.content.redirects == self.base.redirects {
                // No redirect was added, so none has to be removed.
                continue;
            }
            let path = Tree::new(self.base, &*self.staging).path(*id).map_err(broken_tree)?;
            let to = Redirect::Page(*id);
            let known = self.content.redirect(&*self.staging, &path).map_err(broken_object)?;
            let entry = if moved && known.as_ref() != Some(&to) {
                Some(to.encode().map_err(broken_object)?)
            } else if !moved && known.as_ref() == Some(&to) {
                // The page is back at its address in the base, so the redirect is removed.
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

/// Returns the redirects of a content that replaces another one. These are the redirects of `then`
/// and, for pages that both contents have, redirects from the addresses in `now` and the redirects
/// of `now`.
pub(crate) fn on_return(now: &Content, then: &Content, staging: &mut Staging<'_>) -> Result<Map> {
    let tree = Tree::new(then, &*staging);
    let mut edits = Vec::new();
    for one in then.redirects.diff(&now.redirects, &*staging) {
        let Difference { key, old, new } = one.map_err(broken_object)?;
        let (None, Some(new)) = (old, new) else { continue };
        if let Redirect::Page(id) = Redirect::decode(&new).map_err(broken_object)?
            && then.page(&*staging, id).map_err(broken_object)?.is_some()
            && tree.path(id).map_err(broken_tree)?.as_bytes() != key
        {
            edits.push((key, Some(new)));
        }
    }
    for one in now.pages.diff(&then.pages, &*staging) {
        let Difference { old: Some(was), new: Some(is), .. } = one.map_err(broken_object)? else {
            continue;
        };
        let read = |bytes: &Bytes| PageRecord::decode(bytes).map_err(broken_object);
        let (was, is) = (read(&was)?, read(&is)?);
        if (was.parent, &was.slug) != (is.parent, &is.slug)
            && !matches!(was.kind, PageKind::Link { .. })
        {
            edits.push(redirect_from(now, staging, was.id)?);
        }
    }
    then.redirects.apply(staging, edits).map_err(broken_object)
}

/// Returns the redirect from the address of a page in a content to that page.
fn redirect_from(
    from: &Content,
    staging: &Staging<'_>,
    id: PageId,
) -> Result<(Bytes, Option<Bytes>)> {
    let path = Tree::new(from, staging).path(id).map_err(broken_tree)?;
    Ok((path.into(), Some(Redirect::Page(id).encode().map_err(broken_object)?)))
}
