//! Imports of Git repositories and archives.

mod archives;
mod block_keys;
mod failures;
mod git;
mod git_lfs;
mod large_files;
mod merges;
mod publication;
