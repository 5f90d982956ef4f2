//! Reads sources of content, which are Git repositories over smart HTTP, archives and local folders,
//! and converts a folder of files into a revision.
//!
//! [`Remote`] and [`RefName`] validate user input, and a [`Fetcher`] fetches the commit of a ref into a
//! cache on the disk. A commit ([`CommitFolder`]), an unpacked archive ([`ArchiveFolder`]) and a
//! [`LocalFolder`] all implement [`Folder`]; [`import`] converts any of them.
//!
//! # Example
//!
//! ```
//! use bindery_git::{RefName, Remote};
//!
//! let remote = Remote::parse("https://reader:secret@example.org/docs.git")?;
//! // Credentials are separate from the address, so that it can be shown and logged.
//! assert_eq!(remote.url.as_str(), "https://example.org/docs.git");
//! assert_eq!(RefName::parse("refs/heads/main")?.branch(), Some("main"));
//! # Ok::<(), bindery_git::RemoteError>(())
//! ```

mod archive;
mod cache;
mod commit;
mod error;
pub mod export;
mod fetch;
mod folder;
mod history;
pub mod import;
mod indexing;
mod lfs;
mod local;
pub mod media;
mod memory;
mod packs;
mod pkt;
mod protocol;
mod push;
mod remote;
mod spool;
mod trees;

pub use archive::{ArchiveError, ArchiveFolder, ArchiveLimits};
pub use commit::{CommitFolder, CommitInfo, SkippedEntry};
pub use error::GitError;
pub use fetch::{FetchLimits, FetchProgress, FetchRequest, FetchedCommit, Fetcher, MAX_BRANCHES};
pub use folder::{BlobId, Folder, FolderEntry, FolderEntryKind, FolderError};
pub use lfs::{Download, LargeFile, LargeFiles, Pointer};
pub use local::LocalFolder;
pub use memory::FilesInMemory;
pub use push::Pushed;
pub use remote::{Credentials, RefName, Remote, RemoteError, SafeUrl, SshAccess};
