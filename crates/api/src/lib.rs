//! Answers requests to the HTTP API under `/v1`.
//!
//! [`Api`] takes a request through the stages of the pipeline: it finds the operation by the path,
//! limits the rate, authenticates the caller, checks parameters and body against the contract,
//! authorizes the caller for the target, runs the use case in `bindery-app`, and converts the result
//! into the wire type. Each operation of the contract is an [`Operation`] in the folder of its group,
//! which receives a [`Call`] and returns a [`Reply`]; its target implements [`PathTarget`].
//! [`access_matrix()`] lists the requirements of every operation for the manual.

mod access_matrix;
mod bodies;
mod call;
mod closed_sets;
mod error_body;
mod groups;
mod idempotency;
mod intake;
mod json;
mod languages;
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
