//! Storage of large objects outside the database: a local folder or an object store.

use std::fs::File;
use std::io::Seek;
use std::ops::Range;
use std::sync::Arc;

use bindery_model::{Entropy, Timestamp};
use bindery_revision::Hash;
use bytes::Bytes;

use super::folder::Folder;
use super::s3::S3;
use crate::{ObjectsConfig, StoreError};

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

    /// Writes an object from the start of `file`. It is durable when this method returns.
    pub(crate) fn write_file(&self, hash: &Hash, mut file: File) -> Result<(), StoreError> {
        file.rewind().map_err(|error| StoreError::unavailable("read a temporary file", error))?;
        match self {
            Self::Folder(folder) => folder.write(hash, &mut file),
            Self::S3(s3) => s3.write_file(hash, file),
        }
    }

    /// Returns a file for bytes whose hash is not known yet. The file disappears when it is closed.
    pub(crate) fn temporary(&self) -> Result<File, StoreError> {
        match self {
            Self::Folder(folder) => folder.temporary(),
            Self::S3(_) => tempfile::tempfile(),
        }
        .map_err(|error| StoreError::unavailable("create a temporary file", error))
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
