//! Access: roles, tokens, guests and strangers, and items that a caller does not see.

mod callers;
mod hidden_ids;
mod hidden_ids_in_bodies;
mod privilege_escalation;
mod token_lineage;
mod visitors;
