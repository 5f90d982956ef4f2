//! Collections: the order of their items, moves and transfers.

pub(crate) mod placement;
pub(crate) mod transfers;
