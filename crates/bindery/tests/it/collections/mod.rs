//! Collections: the order of their items, moves and transfers.

mod placement;
mod transfers;
