//! Paths without a page that lead to one: earlier paths of moved pages, redirects of the
//! configuration of a repository, and the paths of source files.

use bindery_model::{PageId, Result};
use bindery_revision::tree::Tree;
use bindery_revision::{Content, Objects, PathEntry, Redirect};

use super::snapshot::{broken_object, broken_tree};

/// Maximum number of redirects between paths that are followed to a page. Longer chains, and loops,
/// are treated as if the redirects did not exist.
const MAX_REDIRECT_CHAIN: usize = 16;
/// Maximum number of moves of ancestor pages that are followed to resolve a path.
const MAX_REDIRECT_HOPS: usize = 4;
/// Maximum number of segments of a path that is resolved through moved ancestor pages. Each segment
/// costs a lookup.
const MAX_PATH_SEGMENTS: usize = 32;

/// The pages that a reader sees.
pub trait PresentPages {
    /// Returns the page at a path.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    fn at(&self, path: &str) -> Result<Option<PageId>>;

    /// Returns `true` if the reader sees this page.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    fn is_present(&self, page: PageId) -> Result<bool>;
}

/// The target of a path without a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FormerTarget {
    /// A page that the reader sees.
    Page(PageId),
    /// Another path without a page, or an external address.
    Path(String),
}

/// Returns the target of a path without a page; `None` if it leads nowhere.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn target(
    content: &Content,
    objects: &dyn Objects,
    pages: &dyn PresentPages,
    path: &str,
) -> Result<Option<FormerTarget>> {
    let present = |page| Ok(pages.is_present(page)?.then_some(FormerTarget::Page(page)));
    let mut followed = Vec::new();
    let mut at = path.to_owned();
    while let Some(redirect) = content.redirect(objects, &at).map_err(broken_object)? {
        let next = match redirect {
            Redirect::Page(page) => return present(page),
            Redirect::Path(next) => next.trim_matches('/').to_owned(),
        };
        followed.push(at);
        if followed.contains(&next) || followed.len() > MAX_REDIRECT_CHAIN {
            return Ok(None);
        }
        if let Some(page) = pages.at(&next)? {
            return Ok(Some(FormerTarget::Page(page)));
        }
        at = next;
    }
    if !followed.is_empty() {
        return Ok(Some(FormerTarget::Path(at)));
    }
    // If the path of the source file and the path in the tree differ, the file's path leads to the
    // page.
    for spelling in [format!("{path}.md"), format!("{path}/README.md"), path.to_owned()] {
        let entry = content.at_path(objects, &spelling).map_err(broken_object)?;
        if let Some(PathEntry::Page(page)) = entry
            && let Some(found) = present(page)?
        {
            return Ok(Some(found));
        }
    }
    through_ancestor(content, objects, pages, path)
}

/// Returns the page for a path below the earlier path of a page that moved with its subpages.
fn through_ancestor(
    content: &Content,
    objects: &dyn Objects,
    pages: &dyn PresentPages,
    path: &str,
) -> Result<Option<FormerTarget>> {
    if path.split('/').count() > MAX_PATH_SEGMENTS {
        return Ok(None);
    }
    let tree = Tree::new(content, objects);
    let redirect = |path: &str| content.redirect(objects, path).map_err(broken_object);
    let mut path = path.to_owned();
    // A page below the moved one may itself have moved later, and so on.
    for _ in 0..MAX_REDIRECT_HOPS {
        let mut next = None;
        for (at, _) in path.rmatch_indices('/') {
            let (above, below) = path.split_at(at);
            if let Some(Redirect::Page(page)) = redirect(above)?
                && content.page(objects, page).map_err(broken_object)?.is_some()
            {
                let above = tree.path(page).map_err(broken_tree)?;
                next = Some(format!("{above}{below}"));
                break;
            }
        }
        let Some(next) = next.filter(|next| *next != path) else { return Ok(None) };
        if let Some(page) = pages.at(&next)? {
            return Ok(Some(FormerTarget::Page(page)));
        }
        if let Some(Redirect::Page(page)) = redirect(&next)? {
            return Ok(pages.is_present(page)?.then_some(FormerTarget::Page(page)));
        }
        path = next;
    }
    Ok(None)
}
