//! Access: roles, tokens, guests and strangers, and items that a caller does not see.

pub(crate) mod callers;
pub(crate) mod hidden_ids;
pub(crate) mod hidden_ids_in_bodies;
pub(crate) mod privilege_escalation;
pub(crate) mod token_lineage;
pub(crate) mod visitors;
