//! Where the files of an archive go: one temporary file without a name, written once, read by
//! position. No path of an archive ever becomes a path of this machine.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A place in the spool.
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
    /// A spool in `folder`; it goes away with its last user, also after a crash.
    pub(crate) fn new(folder: &Path) -> io::Result<Self> {
        let file = tempfile::tempfile_in(folder)?;
        Ok(Self { file: BufWriter::with_capacity(256 << 10, file), at: 0 })
    }

    /// Appends what `from` gives.
    pub(crate) fn append(&mut self, from: &mut impl Read) -> io::Result<Extent> {
        let len = io::copy(from, &mut self.file)?;
        let extent = Extent { at: self.at, len };
        self.at += len;
        Ok(extent)
    }

    /// No more comes.
    pub(crate) fn finish(mut self) -> io::Result<Spool> {
        self.file.flush()?;
        self.file.into_inner().map(Spool).map_err(io::IntoInnerError::into_error)
    }
}

impl Spool {
    /// The bytes of a place.
    pub(crate) fn read(&self, extent: Extent) -> io::Result<Vec<u8>> {
        let len = usize::try_from(extent.len).map_err(io::Error::other)?;
        let mut bytes = vec![0; len];
        self.0.read_exact_at(&mut bytes, extent.at)?;
        Ok(bytes)
    }
}
