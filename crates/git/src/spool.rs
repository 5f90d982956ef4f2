//! A temporary file without a name that holds the unpacked files of an archive. It is written once
//! and read by position, so that no path of an archive becomes a path of this machine.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A range of bytes in the spool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Extent {
    pub(crate) at: u64,
    pub(crate) len: u64,
}

/// A spool that is being written.
#[derive(Debug)]
pub(crate) struct SpoolWriter {
    file: BufWriter<File>,
    at: u64,
}

/// A finished spool.
#[derive(Debug)]
pub(crate) struct Spool(File);

impl SpoolWriter {
    /// Creates a spool in `folder`. The system deletes it with its last user, even after a crash.
    pub(crate) fn new(folder: &Path) -> io::Result<Self> {
        let file = tempfile::tempfile_in(folder)?;
        Ok(Self { file: BufWriter::with_capacity(256 << 10, file), at: 0 })
    }

    /// Appends the bytes of `from` and returns their range.
    pub(crate) fn append(&mut self, from: &mut impl Read) -> io::Result<Extent> {
        let len = io::copy(from, &mut self.file)?;
        let extent = Extent { at: self.at, len };
        self.at += len;
        Ok(extent)
    }

    /// Finishes writing.
    pub(crate) fn finish(mut self) -> io::Result<Spool> {
        self.file.flush()?;
        self.file.into_inner().map(Spool).map_err(io::IntoInnerError::into_error)
    }
}

impl Spool {
    /// Reads a range of bytes.
    pub(crate) fn read(&self, extent: Extent) -> io::Result<Vec<u8>> {
        let len = usize::try_from(extent.len).map_err(io::Error::other)?;
        let mut bytes = vec![0; len];
        self.0.read_exact_at(&mut bytes, extent.at)?;
        Ok(bytes)
    }
}
