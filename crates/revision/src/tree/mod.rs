//! The page tree of a revision: reading ranges of it, and edits that write only a few objects.
//!
//! The tree consists of three maps. `pages` holds every page under its id. `children` lists the
//! pages under each parent in their order, with their navigation entries. `slugs` maps a parent and
//! a slug to a page. A path is resolved downwards through `slugs`; the path of a page is found
//! upwards through `pages`. Renaming a page with 100,000 descendants therefore changes only that
//! page.

mod builder;
mod edit;
mod read;
#[cfg(test)]
pub(crate) mod tests;
mod walk;
mod write;

use bindery_model::{Id, PageId};
use bytes::{Bytes, BytesMut};

pub use builder::{ContentBuilder, DrainFn};
pub use edit::{Position, delete, insert, relocate, update};
pub use read::{Child, Children, Tree};
pub use walk::Walk;
pub use write::{Change, write};

use crate::object::ObjectError;
use crate::order::OrderKey;

/// The maximum length of a slug in characters.
pub const MAX_SLUG: usize = 100;

/// The reason why a tree could not be read or edited.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TreeError {
    /// An object could not be read.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The page does not exist.
    #[error("there is no page {0}")]
    NotFound(PageId),
    /// A page with this id already exists.
    #[error("page {0} exists already")]
    Exists(PageId),
    /// A page cannot be placed under itself or its descendants.
    #[error("page {0} cannot be moved under itself")]
    Cycle(PageId),
    /// Another page under the same parent has this slug.
    #[error("the slug `{0}` is taken")]
    SlugTaken(String),
    /// The page that a position names has another parent.
    #[error("page {0} has another parent")]
    NotASibling(PageId),
}

/// The parent id of the top level in keys. No page has this id, and it sorts first.
const TOP: [u8; Id::LEN] = [0; Id::LEN];

/// Returns the prefix of the keys of everything under `parent`.
fn parent_prefix(parent: Option<&PageId>) -> &[u8; Id::LEN] {
    parent.map_or(&TOP, PageId::as_bytes)
}

/// Returns the key of a page in its parent's list of children. A zero byte terminates the order
/// key, so that shorter keys sort first; order keys contain no zero byte.
pub(crate) fn child_key(parent: Option<&PageId>, order: &OrderKey, id: &PageId) -> Bytes {
    let mut key = BytesMut::with_capacity(2 * Id::LEN + order.as_bytes().len() + 1);
    key.extend_from_slice(parent_prefix(parent));
    key.extend_from_slice(order.as_bytes());
    key.extend_from_slice(&[0]);
    key.extend_from_slice(id.as_bytes());
    key.freeze()
}

/// Reads the order key and the page id from a key of `children`.
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

/// Reads the parent and the page id from a key of `children`.
pub(crate) fn parse_parent_and_page(key: &[u8]) -> Result<(Option<PageId>, PageId), ObjectError> {
    let (_, page) = parse_child_key(key)?;
    let parent = key.get(..Id::LEN).filter(|parent| *parent != TOP.as_slice());
    Ok((parent.and_then(PageId::from_bytes), page))
}

fn slug_key(parent: Option<&PageId>, slug: &str) -> Bytes {
    [parent_prefix(parent), slug.as_bytes()].concat().into()
}

/// Appends a number to `slug`, shortening it to stay within [`MAX_SLUG`].
pub fn numbered(slug: &str, number: u64) -> String {
    let suffix = format!("-{number}");
    let room = MAX_SLUG.saturating_sub(suffix.len());
    let base: String = slug.chars().take(room).collect();
    base + &suffix
}
