//! Rules of all requests: malformed ones, preconditions and pagination.

mod edge_cases;
mod paging;
mod preconditions;
