//! Carries the changes of a content over to the content that readers see in its place.

use std::collections::BTreeSet;

use bindery_model::PageId;

use crate::content::Content;
use crate::map::{Difference, Map};
use crate::object::{ObjectError, Staging};
use crate::tree;

/// Applies the differences between two contents to the one that is shown for the old content, which
/// has other pages in the place of the computed ones. Returns `None` if a difference concerns what
/// the shown content has changed itself; then it has to be made anew. The cost grows with the
/// differences only.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn carry_over(
    old: &Content,
    new: &Content,
    shown: &Content,
    staging: &mut Staging<'_>,
) -> Result<Option<Content>, ObjectError> {
    if old.computed != new.computed || old.salt() != new.salt() {
        return Ok(None);
    }
    let mut beside = BTreeSet::new();
    for id in &new.computed {
        let page = new.page(staging, *id)?.ok_or(ObjectError::Corrupt("a computed page"))?;
        if old.page(staging, *id)?.as_ref() != Some(&page) {
            return Ok(None);
        }
        beside.insert(page.parent);
    }
    let mut next =
        Content { variables: new.variables.clone(), sources: new.sources.clone(), ..shown.clone() };
    // The order among the pages beside a computed one is that of the pages in its place, too.
    let stays = |one: &Difference| -> Result<bool, ObjectError> {
        let (parent, _): (Option<PageId>, _) = tree::parse_parent_and_page(&one.key)?;
        Ok(!beside.contains(&parent) || one.old.is_some() && one.new.is_some())
    };
    let any = |_: &Difference| Ok(true);
    let mut carry = |from: &Map,
                     to: &Map,
                     shown: &mut Map,
                     admits: &dyn Fn(&Difference) -> Result<bool, ObjectError>|
     -> Result<bool, ObjectError> {
        let mut edits = Vec::new();
        for difference in from.diff(to, staging) {
            let difference = difference?;
            if !admits(&difference)? || shown.get(staging, &difference.key)? != difference.old {
                return Ok(false);
            }
            edits.push((difference.key, difference.new));
        }
        *shown = shown.apply(staging, edits)?;
        Ok(true)
    };
    let is_carried = carry(&old.pages, &new.pages, &mut next.pages, &any)?
        && carry(&old.children, &new.children, &mut next.children, &stays)?
        && carry(&old.slugs, &new.slugs, &mut next.slugs, &any)?
        && carry(&old.files, &new.files, &mut next.files, &any)?
        && carry(&old.reusable, &new.reusable, &mut next.reusable, &any)?
        && carry(&old.paths, &new.paths, &mut next.paths, &any)?
        && carry(&old.redirects, &new.redirects, &mut next.redirects, &any)?
        && carry(&old.conflicts, &new.conflicts, &mut next.conflicts, &any)?;
    Ok(is_carried.then_some(next))
}

#[cfg(test)]
mod tests {
    use bindery_model::{Entropy, Timestamp};

    use super::*;
    use crate::map::Salt;
    use crate::object::MemoryObjects;
    use crate::record::{PageKind, PageRecord};
    use crate::tree::{Change, Position, insert, update, write};

    fn page(entropy: &Entropy, kind: PageKind, title: &str) -> PageRecord {
        let id = PageId::random(entropy);
        PageRecord::new(id, kind, title, title, Timestamp::from_millis(0))
    }

    /// Returns the content with a page "made" in the place of the computed page.
    fn shown(content: &Content, staging: &mut Staging<'_>, made: &PageRecord) -> Content {
        let id = *content.computed.first().unwrap();
        let source = content.page(staging, id).unwrap().unwrap();
        let made = PageRecord { parent: source.parent, order: source.order, ..made.clone() };
        write(content, staging, [Change::Put(Box::new(made)), Change::Delete(id)]).unwrap()
    }

    #[test]
    fn changes_elsewhere_are_carried_over_and_others_are_not() {
        let entropy = Entropy::seeded(4);
        let base = MemoryObjects::new();
        let mut staging = Staging::new(&base);
        let mut content = Content::empty(Salt::new([7; 16]));
        let mut pages = Vec::new();
        for (kind, title) in [
            (PageKind::Document, "first"),
            (PageKind::Computed, "source"),
            (PageKind::Document, "last"),
        ] {
            let page = page(&entropy, kind, title);
            pages.push(page.id);
            content = insert(&content, &mut staging, page, Position::Last).unwrap().0;
        }
        let made = page(&entropy, PageKind::Document, "made");
        let before = shown(&content, &mut staging, &made);

        let rename = |page: &mut PageRecord| page.title = "other".to_owned();
        let (renamed, _) = update(&content, &mut staging, pages[0], rename).unwrap();
        let below =
            PageRecord { parent: Some(pages[2]), ..page(&entropy, PageKind::Document, "b") };
        let (inserted, _) = insert(&content, &mut staging, below, Position::Last).unwrap();
        for after in [renamed, inserted] {
            let carried = carry_over(&content, &after, &before, &mut staging).unwrap();
            assert_eq!(carried, Some(shown(&after, &mut staging, &made)));
        }

        let beside = page(&entropy, PageKind::Document, "beside");
        let (beside, _) = insert(&content, &mut staging, beside, Position::Last).unwrap();
        let (changed, _) = update(&content, &mut staging, pages[1], rename).unwrap();
        let (without, _) = tree::delete(&content, &mut staging, pages[1]).unwrap();
        for after in [beside, changed, without] {
            let carried = carry_over(&content, &after, &before, &mut staging).unwrap();
            assert_eq!(carried, None);
        }
    }
}
