//! Permissions in spaces and collections.

mod grants;
mod many_teams;
