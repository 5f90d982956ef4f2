//! Links and backlinks, and the index that stores them.

mod lists;
mod stored_index;
