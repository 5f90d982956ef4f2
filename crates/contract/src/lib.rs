//! The contract as the program carries it: the table of operations, the checks of requests and
//! answers, and the published description.
//!
//! The files under `contract/` are the source: operations by group, schemas by area, shared
//! parameters and answers, the widenings with their reasons, and the list of pending operations.

mod check;
mod contract;
mod description;
mod embedded;
mod error;
mod explain;
mod load;
mod operation;
mod query;
mod reference;
mod schemas;

#[cfg(test)]
mod tests;

pub use check::UNDECLARED_STATUSES;
pub use contract::Contract;
pub use error::{ContractError, Place};
pub use operation::{
    Body, BodyLimit, Content, Method, Operation, Parameter, ParameterPlace, Response,
};
pub use query::Query;
