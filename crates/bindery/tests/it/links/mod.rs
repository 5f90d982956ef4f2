//! Links and backlinks, and the index that stores them.

pub(crate) mod lists;
pub(crate) mod stored_index;
