//! Imports of Git repositories and archives.

pub(crate) mod archives;
pub(crate) mod block_keys;
pub(crate) mod failures;
pub(crate) mod git;
pub(crate) mod publication;
