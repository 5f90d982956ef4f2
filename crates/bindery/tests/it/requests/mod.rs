//! Rules of all requests: malformed ones, preconditions and pagination.

pub(crate) mod edge_cases;
pub(crate) mod paging;
pub(crate) mod preconditions;
