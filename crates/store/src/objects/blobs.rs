//! Access to objects outside transactions: bulk writes, large objects and ranges.

use std::fs::File;
use std::io::Read;
use std::ops::Range;

use bindery_revision::Hash;
use bytes::Bytes;

use super::codec::{Codec, Location, MAX_COMPRESSIBLE, PreparedObject, decode};
use super::rows::{ObjectInfo, StoreObjects, missing};
use super::storage::{ReceivedFile, spool};
use crate::store::blocking;
use crate::{Store, StoreError};

/// Limits of one transaction of a bulk write: number of objects and bytes.
const MAX_CHUNK_OBJECTS: usize = 1024;
const MAX_CHUNK_BYTES: u64 = 2 << 20;

/// The bytes of an object, which are read piece by piece while they are sent.
#[derive(Clone, Copy, Debug)]
pub struct ObjectPieces {
    object: Hash,
    at: u64,
    end: u64,
}

impl ObjectPieces {
    /// Size of a piece in bytes. The allocator keeps little of pieces of this size for each thread that
    /// has read one; of larger ones it keeps megabytes.
    pub const SIZE: u64 = 64 << 10;

    /// Begins with the first byte of a range of an object.
    #[must_use]
    pub const fn new(object: Hash, range: Range<u64>) -> Self {
        Self { object, at: range.start, end: range.end }
    }

    /// Returns the number of bytes that are left.
    #[must_use]
    pub const fn left(&self) -> u64 {
        self.end.saturating_sub(self.at)
    }

    /// Returns the next piece; `None` after the last.
    ///
    /// # Errors
    /// Returns the errors of [`Store::object_range`].
    pub async fn next(&mut self, store: &Store) -> Result<Option<Bytes>, StoreError> {
        if self.left() == 0 {
            return Ok(None);
        }
        let end = self.end.min(self.at + Self::SIZE);
        let bytes = store.object_range(&self.object, self.at..end).await?;
        self.at = end;
        Ok(Some(bytes))
    }
}

/// An object that was read from a stream and is not stored yet. Dropping it deletes its bytes.
#[derive(Debug)]
pub struct ReceivedObject(Received);

#[derive(Debug)]
enum Received {
    Small(PreparedObject),
    Large { hash: Hash, size: u64, file: ReceivedFile },
}

/// A reader that hashes and counts the bytes that pass through it.
struct HashingReader<'r> {
    from: &'r mut dyn Read,
    hasher: blake3::Hasher,
    size: u64,
}

impl Read for HashingReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.from.read(into)?;
        self.hasher.update(into.get(..read).unwrap_or_default());
        self.size += read as u64;
        Ok(read)
    }
}

impl Store {
    /// Returns a reader of objects outside transactions.
    pub fn objects(&self) -> StoreObjects {
        StoreObjects::new(self.clone())
    }

    /// Writes a large object durably to its storage; small objects stay unchanged. Call
    /// [`put_prepared`](crate::Tx::put_prepared) afterwards, in the transaction that refers to the
    /// object, to store its row. The garbage collector removes staged objects that are never
    /// stored.
    ///
    /// # Errors
    /// Returns the error of the object store.
    pub async fn stage(&self, mut object: PreparedObject) -> Result<PreparedObject, StoreError> {
        if !object.is_large() || object.location == Location::External {
            return Ok(object);
        }
        if let Some(info) = self.object_info(&object.hash).await? {
            // If the collector deletes the row now, the file remains for longer than the caller's
            // transaction takes.
            let Some(codec) = Codec::read(info.codec).filter(|_| info.is_large()) else {
                return Ok(object);
            };
            let (location, stored) = (Location::External, Bytes::new());
            return Ok(PreparedObject {
                codec,
                location,
                stored_size: info.stored,
                stored,
                ..object
            });
        }
        self.cancel_removal(&object.hash).await?;
        let store = self.clone();
        blocking(move || {
            // The bytes are not needed again, so that a list of staged objects takes no memory.
            let stored = std::mem::take(&mut object.stored);
            store.shared().storage.write(&object.hash, &stored)?;
            object.location = Location::External;
            Ok(object)
        })
        .await
    }

    /// Stores many objects in transactions of bounded size. The caller prepares them on its own
    /// threads. After an error, some objects may be stored, which is harmless.
    ///
    /// # Errors
    /// Returns the error of the engine or the object store.
    pub async fn put_objects(&self, objects: Vec<PreparedObject>) -> Result<(), StoreError> {
        let mut chunk = Vec::new();
        let mut bytes = 0;
        for object in objects {
            let object = self.stage(object).await?;
            bytes += object.stored_size();
            chunk.push(object);
            if chunk.len() >= MAX_CHUNK_OBJECTS || bytes >= MAX_CHUNK_BYTES {
                bytes = 0;
                let chunk = std::mem::take(&mut chunk);
                self.write(move |tx| tx.put_prepared(&chunk)).await?;
            }
        }
        if chunk.is_empty() {
            return Ok(());
        }
        self.write(move |tx| tx.put_prepared(&chunk)).await
    }

    /// Stores one object of any size. It is durable when this method returns.
    ///
    /// # Errors
    /// Returns the error of the engine or the object store.
    pub async fn put_blob(&self, bytes: Bytes) -> Result<Hash, StoreError> {
        let object = blocking(move || Ok::<_, StoreError>(PreparedObject::new(bytes))).await?;
        self.put_one(object).await
    }

    /// Stores an object from a reader. It may be larger than memory and is durable when this method
    /// returns.
    ///
    /// # Errors
    /// Returns the error of the reader, the engine or the object store.
    pub async fn put_blob_from(
        &self,
        mut reader: impl Read + Send + 'static,
    ) -> Result<Hash, StoreError> {
        let store = self.clone();
        let object = blocking(move || store.receive_object(&mut reader)).await?;
        self.put_received(object).await
    }

    /// Stores an object that was received. It is durable when this method returns.
    ///
    /// # Errors
    /// Returns the error of the engine or the object store.
    pub async fn put_received(&self, object: ReceivedObject) -> Result<Hash, StoreError> {
        let (hash, size, file) = match object.0 {
            Received::Small(object) => return self.put_one(object).await,
            Received::Large { hash, size, file } => (hash, size, file),
        };
        // As in `stage`, the file of an object that exists stays for long enough.
        let info = self.object_info(&hash).await?;
        if !info.is_some_and(|info| info.is_large()) {
            self.cancel_removal(&hash).await?;
            let store = self.clone();
            blocking(move || store.shared().storage.keep(&hash, file)).await?;
        }
        self.put_one(PreparedObject {
            hash,
            size,
            codec: Codec::Plain,
            location: Location::External,
            stored_size: size,
            stored: Bytes::new(),
        })
        .await
    }

    async fn put_one(&self, object: PreparedObject) -> Result<Hash, StoreError> {
        let hash = object.hash();
        let object = self.stage(object).await?;
        self.write(move |tx| tx.put_prepared(std::slice::from_ref(&object))).await?;
        Ok(hash)
    }

    /// Reads a small object into memory and a large one into a temporary file, from which it is
    /// hashed on the way. Memory use is independent of the object's size. Blocks; call it on a
    /// thread for blocking work, and [`Self::put_received`] afterwards.
    ///
    /// # Errors
    /// Returns the error of the reader or the object store.
    pub fn receive_object(&self, reader: &mut dyn Read) -> Result<ReceivedObject, StoreError> {
        let read_error = |error| StoreError::unavailable("read the object", error);
        let mut start = Vec::new();
        let limit = MAX_COMPRESSIBLE as u64 + 1;
        (&mut *reader).take(limit).read_to_end(&mut start).map_err(read_error)?;
        if start.len() <= MAX_COMPRESSIBLE {
            return Ok(ReceivedObject(Received::Small(PreparedObject::new(start.into()))));
        }
        let mut whole = start.as_slice().chain(reader);
        let mut from = HashingReader { from: &mut whole, hasher: blake3::Hasher::new(), size: 0 };
        let file = self.shared().storage.receive(&mut from)?;
        let HashingReader { hasher, size, .. } = from;
        let hash = Hash::from_bytes(hasher.finalize().as_bytes())
            .ok_or_else(|| StoreError::Corrupt("a hash of another length".to_owned()))?;
        Ok(ReceivedObject(Received::Large { hash, size, file }))
    }

    /// Returns a file with an object's bytes, only for reading. It stays readable after the object
    /// was deleted. Memory use is independent of the size of an object that is not compressed.
    ///
    /// # Errors
    /// Returns [`StoreError::NoObject`] if there is no such object, or the error of the engine or
    /// the object store.
    pub async fn open_object(&self, hash: &Hash) -> Result<File, StoreError> {
        let info = self.object_info(hash).await?.ok_or_else(|| missing(hash))?;
        let (store, hash) = (self.clone(), *hash);
        if info.is_large() && Codec::read(info.codec) == Some(Codec::Plain) {
            return blocking(move || store.shared().storage.open_object(&hash)).await;
        }
        let bytes = self.object(&hash).await?;
        blocking(move || spool(&mut bytes.as_ref())).await
    }

    /// Returns an object's bytes.
    ///
    /// # Errors
    /// Returns [`StoreError::NoObject`] if there is no such object, or the error of the engine or
    /// the object store.
    pub async fn object(&self, hash: &Hash) -> Result<Bytes, StoreError> {
        if let Some(bytes) = self.shared().cache.get(hash) {
            return Ok(bytes);
        }
        let hash = *hash;
        let row = self.read(move |tx| tx.object_row(&hash)).await?;
        let (info, inline) = row.ok_or_else(|| missing(&hash))?;
        let bytes = match inline {
            Some(stored) => decode(info.codec, info.size, stored)?,
            None => {
                let store = self.clone();
                blocking(move || decode(info.codec, info.size, store.shared().storage.read(&hash)?))
                    .await?
            }
        };
        self.shared().cache.insert(hash, &bytes);
        Ok(bytes)
    }

    /// Returns an object's metadata.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub async fn object_info(&self, hash: &Hash) -> Result<Option<ObjectInfo>, StoreError> {
        let hash = *hash;
        self.read(move |tx| tx.object_info(&hash)).await
    }

    /// Returns a range of an object's bytes, cut at the object's end. Of an uncompressed large
    /// object, reads only the range.
    ///
    /// # Errors
    /// Returns [`StoreError::NoObject`] if there is no such object, or the error of the engine or
    /// the object store.
    pub async fn object_range(&self, hash: &Hash, range: Range<u64>) -> Result<Bytes, StoreError> {
        let info = self.object_info(hash).await?.ok_or_else(|| missing(hash))?;
        let range = range.start.min(info.size)..range.end.min(info.size);
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        if !info.is_large() || Codec::read(info.codec) != Some(Codec::Plain) {
            let whole = self.object(hash).await?;
            let index = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(whole.len());
            let part = whole.slice(index(range.start)..index(range.end));
            // A slice keeps the whole object in memory, so a small range is copied.
            let is_small = part.len() < whole.len() / 2;
            return Ok(if is_small { Bytes::copy_from_slice(&part) } else { part });
        }
        let (store, hash) = (self.clone(), *hash);
        let wanted = range.end - range.start;
        let bytes = blocking(move || store.shared().storage.read_range(&hash, range)).await?;
        if bytes.len() as u64 == wanted {
            Ok(bytes)
        } else {
            Err(StoreError::Corrupt(format!("object {hash:?} is truncated")))
        }
    }
}
