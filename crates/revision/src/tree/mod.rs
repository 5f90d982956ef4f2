//! The page tree of a revision: reading windows of it, and edits that touch a handful of objects.
//!
//! Three maps hold it. `pages` has every page under its id; `children` lists the pages under each
//! parent in their order with what navigation shows of them; `slugs` finds a page by parent and
//! slug. A path is walked down through `slugs`, a page's own path up through `pages`, so that
//! renaming a page with 100,000 descendants changes that page alone.

mod bulk;
mod edit;
mod read;
#[cfg(test)]
pub(crate) mod tests;
mod walk;
mod write;

use bindery_model::{Id, PageId};
use bytes::{Bytes, BytesMut};

pub use bulk::{Bulk, Drain};
pub use edit::{Position, delete, insert, relocate, update};
pub use read::{Child, Children, Tree};
pub use walk::Walk;
pub use write::{Change, write};

use crate::object::ObjectError;
use crate::order::OrderKey;

/// The longest slug, in characters.
pub const MAX_SLUG: usize = 100;

/// Why a tree could not be read or edited.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TreeError {
    /// An object could not be read.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// There is no such page.
    #[error("there is no page {0}")]
    NotFound(PageId),
    /// A page of this id is there already.
    #[error("page {0} exists already")]
    Exists(PageId),
    /// A page cannot stand under itself or its descendants.
    #[error("page {0} cannot be moved under itself")]
    Cycle(PageId),
    /// Another page of the parent has this slug.
    #[error("the slug `{0}` is taken")]
    SlugTaken(String),
    /// The page that a position names stands under another parent.
    #[error("page {0} stands elsewhere")]
    NotASibling(PageId),
}

/// What stands for the top level in keys: no id looks like it, and it comes first.
const TOP: [u8; Id::LEN] = [0; Id::LEN];

/// What the keys of everything under `parent` begin with.
fn parent_prefix(parent: Option<&PageId>) -> &[u8; Id::LEN] {
    parent.map_or(&TOP, PageId::as_bytes)
}

/// The key of a page among its parent's children. A zero ends the order key, so that shorter keys
/// come first; no order key holds a zero.
pub(crate) fn child_key(parent: Option<&PageId>, order: &OrderKey, id: &PageId) -> Bytes {
    let mut key = BytesMut::with_capacity(2 * Id::LEN + order.as_bytes().len() + 1);
    key.extend_from_slice(parent_prefix(parent));
    key.extend_from_slice(order.as_bytes());
    key.extend_from_slice(&[0]);
    key.extend_from_slice(id.as_bytes());
    key.freeze()
}

/// Reads order key and page id from a key of `children`.
pub(crate) fn parse_child_key(key: &[u8]) -> Result<(OrderKey, PageId), ObjectError> {
    let parse = || {
        let rest = key.get(Id::LEN..)?;
        let (order, id) = rest.split_at_checked(rest.len().checked_sub(Id::LEN)?)?;
        let (zero, order) = order.split_last()?;
        let order = OrderKey::from_bytes(order).filter(|_| *zero == 0)?;
        Some((order, PageId::from_bytes(id)?))
    };
    parse().ok_or(ObjectError::Corrupt("a place in the page tree"))
}

/// Reads parent and page id from a key of `children`.
pub(crate) fn parse_place(key: &[u8]) -> Result<(Option<PageId>, PageId), ObjectError> {
    let (_, page) = parse_child_key(key)?;
    let parent = key.get(..Id::LEN).filter(|parent| *parent != TOP.as_slice());
    Ok((parent.and_then(PageId::from_bytes), page))
}

fn slug_key(parent: Option<&PageId>, slug: &str) -> Bytes {
    [parent_prefix(parent), slug.as_bytes()].concat().into()
}

/// `slug` with a number, so that siblings differ, within [`MAX_SLUG`].
pub fn numbered(slug: &str, number: u64) -> String {
    let suffix = format!("-{number}");
    let room = MAX_SLUG.saturating_sub(suffix.len());
    let base: String = slug.chars().take(room).collect();
    base + &suffix
}
