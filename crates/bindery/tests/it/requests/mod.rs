//! Rules of all requests: malformed ones, compression, preconditions and pagination.

mod compression;
mod edge_cases;
mod paging;
mod preconditions;
