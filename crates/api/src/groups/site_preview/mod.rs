//! Group `site-preview`.

mod get_site_publishing_preview_by_id;

use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    vec![get_site_publishing_preview_by_id::operation()]
}
