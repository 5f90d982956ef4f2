//! Files in Git LFS: the repository has pointers, and a server has the content. The server is that
//! of the repository; addresses in `.lfsconfig` are not used, because whoever writes to a
//! repository would choose where its credentials are sent.

mod attributes;
mod batch;
mod pointer;
mod server;
mod upload;

use std::io::{self, Read};

use crate::error::GitError;

pub(crate) use attributes::Attributes;
pub(crate) use batch::Operation;
pub use pointer::Pointer;
pub(crate) use pointer::{Digesting, MAX_POINTER_BYTES};
pub(crate) use server::LargeFileServer;
pub use upload::LargeFile;

/// Maximum number of files in a request for their addresses.
pub(crate) const BATCH: usize = 100;

/// The content of files in Git LFS.
pub trait LargeFiles: Sync {
    /// Returns the downloads of at most 100 files, in their order; `None` for a file that the server
    /// lacks or does not give. The content is not checked yet.
    ///
    /// # Errors
    /// See [`GitError`].
    fn locate<'a>(&'a self, files: &[Pointer]) -> Result<Vec<Option<Download<'a>>>, GitError>;

    /// Returns the error of a download that ended with `error`.
    fn failure(&self, error: &io::Error) -> GitError;
}

/// Opens the content of a file.
pub type Download<'a> = Box<dyn FnOnce() -> Result<Box<dyn Read + Send>, GitError> + 'a>;
