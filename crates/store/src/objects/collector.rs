//! Primitives of the garbage collector. It deletes objects that two successive collections did not
//! reach, and files in the object store after a further delay. The caller traverses the reachable
//! objects.

use std::sync::LazyLock;
use std::time::Duration;

use bindery_model::Timestamp;
use bindery_revision::Hash;

use super::codec::Location;
use crate::record::FromRow;
use crate::store::blocking;
use crate::{Store, StoreError, Tx, Value, params};

/// Maximum number of files looked up in one transaction.
const LOOKUP_BATCH: usize = 256;

/// Maximum number of objects marked by one statement.
const MARK_BATCH: usize = 64;

/// A collection in progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GarbageCollection {
    generation: i64,
}

impl Store {
    /// Begins a collection, unless the last one began less than `apart` ago. An object survives if
    /// it was reached or stored since the previous collection began. `apart` is therefore the
    /// longest time allowed between storing an object and referring to it.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub async fn begin_collection(
        &self,
        apart: Duration,
    ) -> Result<Option<GarbageCollection>, StoreError> {
        self.write(move |tx| {
            let begun = tx.execute(
                "UPDATE object_generation SET generation = generation + 1, raised_at = $1
                 WHERE id = 1 AND raised_at <= $2",
                params![tx.now(), time_before(tx.now(), apart)],
            )?;
            if begun == 0 {
                return Ok(None);
            }
            Ok(Some(GarbageCollection { generation: tx.object_generation()? }))
        })
        .await
    }

    /// Marks objects as reached. Returns the objects that had not been reached or stored since the
    /// collection began. The caller must mark their children next; the children of the other
    /// objects are or will be marked elsewhere.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub async fn mark_objects(
        &self,
        collection: GarbageCollection,
        reached: Vec<Hash>,
    ) -> Result<Vec<Hash>, StoreError> {
        self.write(move |tx| {
            let mut fresh = Vec::new();
            let (chunks, rest) = reached.as_chunks::<MARK_BATCH>();
            let chunks = chunks.iter().map(|chunk| chunk.as_slice());
            for hashes in chunks.chain(rest.iter().map(std::slice::from_ref)) {
                let mut params = vec![Value::from(collection.generation)];
                params.extend(hashes.iter().map(Value::from));
                fresh.extend(tx.query(mark_sql(hashes.len()), &params, Hash::from_row)?);
            }
            Ok(fresh)
        })
        .await
    }

    /// Deletes at most `limit` unreachable objects and returns their number. Call it only after all
    /// reachable objects are marked.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub async fn sweep_objects(
        &self,
        collection: GarbageCollection,
        limit: u32,
    ) -> Result<u64, StoreError> {
        self.write(move |tx| {
            let unneeded: Vec<(Hash, i64)> = tx.query(
                "SELECT hash, location FROM objects WHERE generation < $1
                 ORDER BY generation LIMIT $2",
                params![collection.generation - 1, limit],
                FromRow::from_row,
            )?;
            for (hash, location) in &unneeded {
                tx.execute("DELETE FROM objects WHERE hash = $1", params![hash])?;
                if *location == Location::External as i64 {
                    tx.execute(
                        "INSERT INTO object_removals (hash, removed_at, claimed) VALUES ($1, $2, 0)
                         ON CONFLICT (hash) DO UPDATE SET removed_at = excluded.removed_at",
                        params![hash, tx.now()],
                    )?;
                }
            }
            Ok(unneeded.len() as u64)
        })
        .await
    }

    /// Schedules the removal of files without a row, which were staged but never stored. The delay
    /// is the same as for files whose rows were just deleted, so writes in progress store their
    /// rows in time. Returns the number of such files.
    ///
    /// # Errors
    /// Returns the error of the engine or the object store.
    pub async fn schedule_orphan_removal(&self) -> Result<u64, StoreError> {
        let mut count = 0;
        for first in 0..=u8::MAX {
            let store = self.clone();
            let found = blocking(move || store.shared().storage.list(first)).await?;
            let mut strays = Vec::new();
            for chunk in found.chunks(LOOKUP_BATCH) {
                let chunk = chunk.to_vec();
                let unknown = move |tx: &Tx<'_>| {
                    let mut unknown = Vec::new();
                    for hash in &chunk {
                        let known = "SELECT 1 FROM objects WHERE hash = $1
                                     UNION ALL SELECT 1 FROM object_removals WHERE hash = $1";
                        if !tx.exists(known, params![hash])? {
                            unknown.push(*hash);
                        }
                    }
                    Ok::<_, StoreError>(unknown)
                };
                strays.extend(self.read(unknown).await?);
            }
            count += strays.len() as u64;
            for chunk in strays.chunks(LOOKUP_BATCH) {
                let chunk = chunk.to_vec();
                self.write(move |tx| {
                    chunk.iter().try_for_each(|hash| {
                        let sql = "INSERT INTO object_removals (hash, removed_at, claimed)
                             VALUES ($1, $2, 0) ON CONFLICT (hash) DO NOTHING";
                        tx.execute(sql, params![hash, tx.now()]).map(drop)
                    })
                })
                .await?;
            }
        }
        Ok(count)
    }

    /// Deletes at most `limit` files whose rows were deleted more than `grace` ago and returns
    /// their number. `grace` must exceed the duration of any read or upload. Also deletes temporary
    /// files of interrupted writes that are older than `grace`.
    ///
    /// # Errors
    /// Returns the error of the engine or the object store.
    pub async fn sweep_files(&self, grace: Duration, limit: u32) -> Result<u64, StoreError> {
        let (store, written) = (self.clone(), time_before(self.shared().clock.now(), grace));
        blocking(move || store.shared().storage.sweep_temporary(written)).await?;
        let claimed = self.write(move |tx| tx.claim_removals(grace, limit)).await?;
        let count = claimed.len() as u64;
        let store = self.clone();
        let deleted = blocking(move || {
            claimed.iter().try_for_each(|hash| store.shared().storage.delete(hash))?;
            Ok::<_, StoreError>(claimed)
        })
        .await?;
        self.write(move |tx| {
            deleted.iter().try_for_each(|hash| {
                let sql = "DELETE FROM object_removals WHERE hash = $1 AND claimed = 1";
                tx.execute(sql, params![hash]).map(drop)
            })
        })
        .await?;
        Ok(count)
    }

    /// Cancels a file's removal. Call it before writing the file. A later removal waits for its
    /// full grace period, and by then the row is stored.
    pub(crate) async fn cancel_removal(&self, hash: &Hash) -> Result<(), StoreError> {
        let hash = *hash;
        let to_be_removed = move |tx: &Tx<'_>| {
            tx.exists("SELECT 1 FROM object_removals WHERE hash = $1", params![hash])
        };
        if !self.read(to_be_removed).await? {
            return Ok(());
        }
        self.write(move |tx| {
            let sql = "DELETE FROM object_removals WHERE hash = $1 AND claimed = 0";
            tx.execute(sql, params![hash])?;
            if to_be_removed(tx)? {
                let text = "the object is being removed; try again";
                return Err(StoreError::Unavailable(text.to_owned()));
            }
            Ok(())
        })
        .await
    }
}

impl Tx<'_> {
    /// Claims the files that may be deleted now. They stay claimed until they are deleted, even
    /// across a crash.
    fn claim_removals(&self, grace: Duration, limit: u32) -> Result<Vec<Hash>, StoreError> {
        // The row may exist again, because the same object was stored again.
        self.execute(
            "DELETE FROM object_removals WHERE claimed = 0
             AND EXISTS (SELECT 1 FROM objects WHERE objects.hash = object_removals.hash)",
            &[],
        )?;
        let hashes = self.query(
            "SELECT hash FROM object_removals WHERE claimed = 1 OR removed_at <= $1
             ORDER BY removed_at LIMIT $2",
            params![time_before(self.now(), grace), limit],
            FromRow::from_row,
        )?;
        for hash in &hashes {
            let sql = "UPDATE object_removals SET claimed = 1 WHERE hash = $1";
            self.execute(sql, params![hash])?;
        }
        Ok(hashes)
    }
}

/// Returns the statement that marks one or [`MARK_BATCH`] objects. Each is built once.
fn mark_sql(objects: usize) -> &'static str {
    static ONE: LazyLock<String> = LazyLock::new(|| build_mark(1));
    static MANY: LazyLock<String> = LazyLock::new(|| build_mark(MARK_BATCH));
    if objects == 1 { &ONE } else { &MANY }
}

fn build_mark(objects: usize) -> String {
    let hashes: Vec<String> = (2..objects + 2).map(|at| format!("${at}")).collect();
    format!(
        "UPDATE objects SET generation = $1 WHERE generation < $1 AND hash IN ({}) RETURNING hash",
        hashes.join(", ")
    )
}

/// Returns the time `span` before `now`.
pub(crate) fn time_before(now: Timestamp, span: Duration) -> Timestamp {
    let millis = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
    now.plus_millis(millis.saturating_neg())
}
