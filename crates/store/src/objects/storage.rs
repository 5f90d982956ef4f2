//! Storage of large objects outside the database: a local folder or an object store.

use std::fs::File;
use std::io::{BufWriter, Read, Seek};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bindery_model::{Entropy, Timestamp};
use bindery_revision::Hash;
use bytes::Bytes;
use tempfile::TempPath;

use super::folder::Folder;
use super::s3::S3;
use crate::{ObjectsConfig, StoreError};

/// Size of the buffer for copying files, in bytes.
pub(crate) const COPY_BUFFER: usize = 256 << 10;

/// Bytes whose hash was not known when they arrived, in a temporary file.
#[derive(Debug)]
pub(crate) enum ReceivedFile {
    /// A file in the folder of the objects, which is renamed if it becomes an object.
    Local(TempPath),
    /// A file without a name, which is uploaded if it becomes an object.
    Unnamed(File),
}

/// Storage of large objects. All methods block.
pub(crate) enum Storage {
    Folder(Folder),
    S3(S3),
}

impl Storage {
    pub(crate) fn open(config: &ObjectsConfig, entropy: &Arc<Entropy>) -> Result<Self, StoreError> {
        match config {
            ObjectsConfig::Folder(root) => Folder::open(root, entropy).map(Self::Folder),
            ObjectsConfig::Url(url) => S3::open(url).map(Self::S3),
        }
    }

    /// Writes an object. It is durable when this method returns.
    pub(crate) fn write(&self, hash: &Hash, bytes: &Bytes) -> Result<(), StoreError> {
        match self {
            Self::Folder(folder) => folder.write(hash, &mut bytes.as_ref()),
            Self::S3(s3) => s3.write(hash, bytes.clone()),
        }
    }

    /// Writes bytes to a temporary file, which disappears unless it is kept. Memory use is
    /// independent of their number.
    pub(crate) fn receive(&self, from: &mut dyn Read) -> Result<ReceivedFile, StoreError> {
        match self {
            Self::Folder(folder) => folder.receive(from).map(ReceivedFile::Local),
            Self::S3(_) => spool(from).map(ReceivedFile::Unnamed),
        }
    }

    /// Makes a received file the object with this hash. It is durable when this method returns.
    pub(crate) fn keep(&self, hash: &Hash, received: ReceivedFile) -> Result<(), StoreError> {
        match (self, received) {
            (Self::Folder(folder), ReceivedFile::Local(path)) => folder.keep(hash, &path),
            (Self::Folder(folder), ReceivedFile::Unnamed(mut file)) => {
                folder.write(hash, &mut file)
            }
            (Self::S3(s3), ReceivedFile::Unnamed(file)) => s3.write_file(hash, file),
            (Self::S3(s3), ReceivedFile::Local(path)) => s3.write_file(hash, open(&path)?),
        }
    }

    /// Returns a file with the stored bytes of an object, for reading. It stays readable after the
    /// object was deleted. Memory use is independent of the object's size.
    pub(crate) fn open_object(&self, hash: &Hash) -> Result<File, StoreError> {
        match self {
            Self::Folder(folder) => folder.open_object(hash),
            Self::S3(s3) => s3.download(hash),
        }
    }

    pub(crate) fn read(&self, hash: &Hash) -> Result<Bytes, StoreError> {
        match self {
            Self::Folder(folder) => folder.read(hash),
            Self::S3(s3) => s3.read(hash, None),
        }
    }

    /// Reads a range that lies within the object.
    pub(crate) fn read_range(&self, hash: &Hash, range: Range<u64>) -> Result<Bytes, StoreError> {
        match self {
            Self::Folder(folder) => folder.read_range(hash, range),
            Self::S3(s3) => s3.read(hash, Some(range)),
        }
    }

    /// Removes temporary files of interrupted writes that were last modified before `before`.
    pub(crate) fn sweep_temporary(&self, before: Timestamp) -> Result<(), StoreError> {
        match self {
            Self::Folder(folder) => folder.sweep_temporary(before),
            // The object store itself cleans up incomplete multipart uploads.
            Self::S3(_) => Ok(()),
        }
    }

    /// Returns the objects whose hash begins with this byte.
    pub(crate) fn list(&self, first: u8) -> Result<Vec<Hash>, StoreError> {
        let folder = format!("{first:02x}");
        let names = match self {
            Self::Folder(local) => local.list(&folder)?,
            Self::S3(s3) => s3.list(&folder)?,
        };
        Ok(names.iter().filter_map(|name| parse_file_name(&folder, name)).collect())
    }

    /// Deletes an object, if it exists.
    pub(crate) fn delete(&self, hash: &Hash) -> Result<(), StoreError> {
        match self {
            Self::Folder(folder) => folder.delete(hash),
            Self::S3(s3) => s3.delete(hash),
        }
    }
}

/// Copies bytes to a file without a name and returns the file at its start.
pub(crate) fn spool(from: &mut dyn Read) -> Result<File, StoreError> {
    let error = |error| StoreError::unavailable("write a temporary file", error);
    let file = tempfile::tempfile().map_err(error)?;
    let mut file = BufWriter::with_capacity(COPY_BUFFER, file);
    std::io::copy(from, &mut file).map_err(error)?;
    let mut file = file.into_inner().map_err(|failed| error(failed.into_error()))?;
    file.rewind().map_err(error)?;
    Ok(file)
}

fn open(path: &Path) -> Result<File, StoreError> {
    File::open(path).map_err(|error| StoreError::unavailable("read a temporary file", error))
}

/// Returns the object of a file, or `None` if the name is not an object's name.
fn parse_file_name(folder: &str, file: &str) -> Option<Hash> {
    let hex = format!("{folder}{file}");
    let digit = |at: usize| hex.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..hex.len()).step_by(2).map(digit).collect();
    Hash::from_bytes(&bytes?).filter(|hash| file_name(hash) == (folder.to_owned(), file.to_owned()))
}

/// Returns the folder and name of an object's file: the first two hexadecimal digits, and the rest.
pub(crate) fn file_name(hash: &Hash) -> (String, String) {
    let mut hex: String = hash.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let rest = hex.split_off(2);
    (hex, rest)
}
