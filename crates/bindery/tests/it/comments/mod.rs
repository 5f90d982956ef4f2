//! Comments on spaces and change requests.

pub(crate) mod lifecycle;
pub(crate) mod refusals;
