//! The contract in the program: the table of operations, the checks of requests and responses, and
//! the published description.
//!
//! Its sources are the files under `contract/`: operations by group, schemas by area, shared
//! parameters and responses, the widenings of the base contract with their reasons, and the list of
//! pending operations.

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
pub use error::{ContractError, Location};
pub use operation::{
    Body, BodyLimit, Content, Method, Operation, Parameter, ParameterLocation, Response,
};
pub use query::Query;
