//! Permissions in spaces and collections.

pub(crate) mod grants;
pub(crate) mod many_teams;
