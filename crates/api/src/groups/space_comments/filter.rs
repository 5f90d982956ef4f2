//! The filter of comment lists: the query parameters `status`, `targetPage` and `authors`.

use bindery_app::review::comments::CommentFilter;
use bindery_model::{PageId, UserId};

use crate::call::Call;

/// Reads the filter of a query; `None` if nothing can match, as the page id is malformed.
pub(super) fn filter(call: &Call) -> Option<CommentFilter> {
    let query = call.query();
    let page = match query.text("targetPage") {
        None => None,
        Some(id) => Some(PageId::parse(id)?),
    };
    let authors = query.get("authors").map(|_| {
        let mut authors: Vec<UserId> = query.texts("authors").filter_map(UserId::parse).collect();
        authors.sort_unstable();
        authors.dedup();
        authors
    });
    let resolved = match query.text("status") {
        Some("open") => Some(false),
        Some("resolved") => Some(true),
        _ => None,
    };
    Some(CommentFilter { resolved, page, authors })
}
