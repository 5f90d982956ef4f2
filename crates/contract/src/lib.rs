//! Contains the API contract: the operations, the checks of requests and responses, and the published
//! description.
//!
//! [`Contract`] is built from the files under `contract/`: operations by group, schemas by area, shared
//! parameters and responses, the widenings of the base contract with their reasons, and the list of
//! pending operations. An [`Operation`] describes one operation and checks its parameters
//! ([`Query`]) and bodies; a violation is a [`ContractError`] with its [`Location`].
//!
//! # Example
//!
//! ```
//! use bindery_contract::{Contract, Method};
//!
//! let operation = Contract::embedded().operation("getSpaceById").ok_or("no such operation")?;
//! assert_eq!((operation.method, operation.path.as_str()), (Method::Get, "/v1/spaces/{spaceId}"));
//! # Ok::<(), &str>(())
//! ```

mod check;
mod contract;
mod description;
mod descriptions;
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
pub use reference::ReferenceFile;
