//! The HTTP operations: one folder per group of the contract, one file per operation or family.

mod access_matrix;
mod bodies;
mod call;
mod closed_sets;
mod error_body;
mod groups;
mod idempotency;
mod intake;
mod json;
mod lists;
mod operation;
mod pipeline;
mod present;
mod rate_limit;
mod reply;
mod respond;
mod router;

pub use access_matrix::access_matrix;
pub use bodies::Upload;
pub use call::Call;
pub use operation::{Operation, PathTarget};
pub use pipeline::{Api, OperationIndex};
pub use reply::Reply;
