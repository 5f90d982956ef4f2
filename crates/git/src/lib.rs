//! Sources of content: Git repositories over smart HTTP, archives and local folders, and the import
//! of a folder of files into a revision.
//!
//! [`Remote`] and [`RefName`] validate user input, and [`Fetcher`] fetches the commit of a ref into
//! a cache on the disk. A commit, an unpacked archive and a local folder all implement [`Folder`].

mod archive;
mod cache;
mod commit;
mod error;
mod fetch;
mod folder;
pub mod import;
mod indexing;
mod local;
pub mod media;
mod packs;
mod pkt;
mod protocol;
mod remote;
mod spool;
mod trees;

pub use archive::{ArchiveError, ArchiveFolder, ArchiveLimits};
pub use commit::{CommitFolder, CommitInfo, SkippedEntry};
pub use error::GitError;
pub use fetch::{FetchLimits, FetchProgress, FetchRequest, FetchedCommit, Fetcher};
pub use folder::{BlobId, Folder, FolderEntry, FolderEntryKind, FolderError};
pub use local::LocalFolder;
pub use remote::{Credentials, RefName, Remote, RemoteError, SafeUrl};
