//! The rows of objects: written in transactions, read through the cache.

use std::sync::Arc;

use bindery_revision::{Hash, ObjectError, Objects};
use bytes::Bytes;

use super::cache::Cache;
use super::codec::{Location, PreparedObject, decode};
use crate::record::{FromRow, Record, record, sql};
use crate::value::Column;
use crate::{FromColumn, Store, StoreError, Tx, Value, params};

/// Maximum bytes in the cache of a [`StoreObjects`].
const OWN_CACHE_BYTES: u64 = 4 << 20;

/// Maximum number of rows in one statement. Each takes seven parameters.
const ROWS_PER_STATEMENT: usize = 32;

const COLUMN_COUNT: usize = 7;

record! {
    /// An object's metadata.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct ObjectInfo in objects as o {
        /// Size of the object in bytes.
        pub size: u64,
        /// Stored size in bytes.
        pub stored: u64,
        pub(crate) codec: i64,
        pub(crate) location: i64,
    }
}

impl ObjectInfo {
    /// Returns `true` if it is stored outside the database.
    pub const fn is_large(&self) -> bool {
        self.location == Location::External as i64
    }
}

impl From<Hash> for Value<'_> {
    fn from(hash: Hash) -> Self {
        Value::from(hash.as_bytes().to_vec())
    }
}

impl<'a> From<&'a Hash> for Value<'a> {
    fn from(hash: &'a Hash) -> Self {
        Value::from(hash.as_bytes())
    }
}

impl FromColumn for Hash {
    const EXPECTED: &'static str = "a hash";

    fn from_column(column: Column<'_>) -> Option<Self> {
        match column {
            Column::Blob(bytes) => Self::from_bytes(bytes),
            _ => None,
        }
    }
}

impl Tx<'_> {
    /// Stores an object in the database. Intended for small objects; pass objects that may be large
    /// through [`Store::stage`] first.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn put_object(&self, bytes: impl Into<Bytes>) -> Result<Hash, StoreError> {
        let object = PreparedObject::new(bytes.into());
        self.put_prepared(std::slice::from_ref(&object))?;
        Ok(object.hash)
    }

    /// Stores objects with known hashes in the database.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn put_objects(
        &self,
        objects: impl IntoIterator<Item = (Hash, Bytes)>,
    ) -> Result<(), StoreError> {
        let prepared: Vec<_> = objects
            .into_iter()
            .map(|(hash, bytes)| PreparedObject::with_hash(hash, bytes))
            .collect();
        self.put_prepared(&prepared)
    }

    /// Stores the rows of prepared objects. Objects that were not staged are stored in the
    /// database. An object that exists is marked as needed, so that the garbage collector keeps it.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn put_prepared(&self, objects: &[PreparedObject]) -> Result<(), StoreError> {
        let generation = self.object_generation()?;
        for chunk in objects.chunks(ROWS_PER_STATEMENT) {
            if chunk.len() == ROWS_PER_STATEMENT {
                self.insert_objects(chunk, generation)?;
            } else {
                for object in chunk {
                    self.insert_objects(std::slice::from_ref(object), generation)?;
                }
            }
        }
        Ok(())
    }

    fn insert_objects(
        &self,
        objects: &[PreparedObject],
        generation: i64,
    ) -> Result<(), StoreError> {
        let mut values = Vec::with_capacity(objects.len() * COLUMN_COUNT);
        for object in objects {
            let inline = object.location == Location::Database;
            values.extend([
                Value::from(&object.hash),
                Value::Int(object.size.cast_signed()),
                Value::Int(object.stored_size.cast_signed()),
                Value::Int(object.codec as i64),
                Value::Int(object.location as i64),
                Value::Int(generation),
                inline.then_some(object.stored.as_ref()).into(),
            ]);
        }
        self.execute(insert_sql(objects.len()), &values)?;
        Ok(())
    }

    /// Returns an object's metadata.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn object_info(&self, hash: &Hash) -> Result<Option<ObjectInfo>, StoreError> {
        self.query_opt(
            sql!(ObjectInfo::SELECT, " WHERE o.hash = $1"),
            params![hash],
            ObjectInfo::from_row,
        )
    }

    /// Returns an object's bytes.
    ///
    /// # Errors
    /// Returns [`StoreError::NoObject`] if there is no such object, or the error of the engine or
    /// the object store.
    pub fn object(&self, hash: &Hash) -> Result<Bytes, StoreError> {
        if let Some(bytes) = self.shared().cache.get(hash) {
            return Ok(bytes);
        }
        let bytes = self.object_uncached(hash)?;
        self.shared().cache.insert(*hash, &bytes);
        Ok(bytes)
    }

    /// Returns an object's bytes without caching them, for callers that read very many objects once
    /// each.
    ///
    /// # Errors
    /// The same as for [`Tx::object`].
    pub fn object_uncached(&self, hash: &Hash) -> Result<Bytes, StoreError> {
        let (info, inline) = self.object_row(hash)?.ok_or_else(|| missing(hash))?;
        let stored = match inline {
            Some(stored) => stored,
            None => self.shared().storage.read(hash)?,
        };
        decode(info.codec, info.size, stored)
    }

    /// Returns a reader of objects in this transaction.
    pub const fn objects(&self) -> TxObjects<'_> {
        TxObjects(self)
    }

    /// Returns an object's row. The bytes are present only if the database stores them.
    pub(crate) fn object_row(
        &self,
        hash: &Hash,
    ) -> Result<Option<(ObjectInfo, Option<Bytes>)>, StoreError> {
        self.query_opt(
            sql!("SELECT ", ObjectInfo::COLUMNS, ", o.bytes FROM objects o WHERE o.hash = $1"),
            params![hash],
            |row| {
                let (info, bytes) = <(ObjectInfo, Option<Vec<u8>>)>::from_row(row)?;
                Ok((info, bytes.map(Bytes::from)))
            },
        )
    }

    /// Returns the generation for objects that are stored now.
    pub(crate) fn object_generation(&self) -> Result<i64, StoreError> {
        if let Some(known) = self.generation.get() {
            return Ok(known);
        }
        let sql = "SELECT generation FROM object_generation WHERE id = 1";
        let generation = self.query_one(sql, &[], FromRow::from_row)?;
        self.generation.set(Some(generation));
        Ok(generation)
    }
}

/// Returns the statement that stores one or [`ROWS_PER_STATEMENT`] objects. Each is built once.
fn insert_sql(rows: usize) -> &'static str {
    use std::sync::LazyLock;

    static ONE: LazyLock<String> = LazyLock::new(|| build_insert(1));
    static MANY: LazyLock<String> = LazyLock::new(|| build_insert(ROWS_PER_STATEMENT));
    if rows == 1 { &ONE } else { &MANY }
}

fn build_insert(rows: usize) -> String {
    let rows: Vec<String> = (0..rows)
        .map(|row| {
            let row: Vec<String> = (1..=COLUMN_COUNT)
                .map(|column| format!("${}", row * COLUMN_COUNT + column))
                .collect();
            format!("({})", row.join(", "))
        })
        .collect();
    // An object in the database stays there, because another transaction may be reading its row.
    format!(
        "INSERT INTO objects (hash, size, stored, codec, location, generation, bytes) VALUES {}
         ON CONFLICT (hash) DO UPDATE SET generation = excluded.generation
         WHERE objects.generation < excluded.generation",
        rows.join(", ")
    )
}

pub(crate) fn missing(hash: &Hash) -> StoreError {
    StoreError::NoObject(format!("{hash:?}"))
}

/// A reader of objects in a transaction.
#[derive(Clone, Copy, Debug)]
pub struct TxObjects<'a>(&'a Tx<'a>);

impl Objects for TxObjects<'_> {
    fn get(&self, hash: &Hash) -> Result<Bytes, ObjectError> {
        self.0.object(hash).map_err(|error| object_error(hash, error))
    }
}

/// A reader of objects outside transactions, which is safe because objects never change. It may
/// block, so on PostgreSQL it belongs on a thread for blocking work.
///
/// Background work reads whole contents with it. What it reads stays in a small cache of its own:
/// in the cache of all readers, it would replace what they need, and keep the memory of its thread
/// from being returned.
#[derive(Clone)]
pub struct StoreObjects {
    store: Store,
    cache: Arc<Cache>,
}

impl std::fmt::Debug for StoreObjects {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreObjects").finish_non_exhaustive()
    }
}

impl StoreObjects {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, cache: Arc::new(Cache::new(OWN_CACHE_BYTES)) }
    }
}

impl Objects for StoreObjects {
    fn get(&self, hash: &Hash) -> Result<Bytes, ObjectError> {
        let shared = || self.store.shared().cache.get(hash);
        if let Some(bytes) = self.cache.get(hash).or_else(shared) {
            return Ok(bytes);
        }
        let read = self.store.read_sync(|tx| tx.object_uncached(hash));
        let bytes = read.map_err(|error| object_error(hash, error))?;
        self.cache.insert(*hash, &bytes);
        Ok(bytes)
    }
}

fn object_error(hash: &Hash, error: StoreError) -> ObjectError {
    match error {
        StoreError::NoObject(_) => ObjectError::Missing(*hash),
        error => ObjectError::Failed(error.to_string()),
    }
}
