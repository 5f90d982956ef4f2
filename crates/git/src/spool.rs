//! A temporary file without a name that holds the unpacked files of an archive. It is written once
//! and read by position, so that no path of an archive becomes a path of this machine.

use std::borrow::Borrow;
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

/// A reader of a range of bytes in a file, independent of the file's position.
#[derive(Debug)]
pub(crate) struct ExtentReader<F> {
    file: F,
    extent: Extent,
}

impl<F: Borrow<File>> ExtentReader<F> {
    pub(crate) const fn new(file: F, extent: Extent) -> Self {
        Self { file, extent }
    }
}

impl<F: Borrow<File>> Read for ExtentReader<F> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.extent.len).unwrap_or(usize::MAX).min(into.len());
        let read =
            self.file.borrow().read_at(into.get_mut(..most).unwrap_or_default(), self.extent.at)?;
        if read == 0 && most > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.extent.at += read as u64;
        self.extent.len -= read as u64;
        Ok(read)
    }
}

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
    /// Returns a reader of a range of bytes.
    pub(crate) const fn open(&self, extent: Extent) -> ExtentReader<&File> {
        ExtentReader::new(&self.0, extent)
    }

    /// Reads a range of bytes.
    pub(crate) fn read(&self, extent: Extent) -> io::Result<Vec<u8>> {
        let len = usize::try_from(extent.len).map_err(io::Error::other)?;
        let mut bytes = vec![0; len];
        self.0.read_exact_at(&mut bytes, extent.at)?;
        Ok(bytes)
    }
}
