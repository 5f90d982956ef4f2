//! The collector's primitives: what nobody reached in two collections in a row is removed, files
//! in the object store later still. Walking what is reachable is the caller's part.

use std::sync::LazyLock;
use std::time::Duration;

use bindery_model::Timestamp;
use bindery_revision::Hash;

use super::codec::Location;
use crate::store::blocking;
use crate::{Store, StoreError, Tx, Value, params};

/// Files that are looked up in one transaction.
const STRAYS: usize = 256;

/// Objects that one statement marks.
const MARKED: usize = 64;

/// A collection under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Collection {
    generation: i64,
}

impl Store {
    /// Begins a collection, unless the last one began less than `apart` ago. Objects are kept
    /// when they were reached or stored since the collection before this one began: `apart` is
    /// the longest time that may pass between storing an object and referring to it.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub async fn begin_collection(
        &self,
        apart: Duration,
    ) -> Result<Option<Collection>, StoreError> {
        self.write(move |tx| {
            let begun = tx.execute(
                "UPDATE object_generation SET generation = generation + 1, raised_at = $1
                 WHERE id = 1 AND raised_at <= $2",
                params![tx.now(), before(tx.now(), apart)],
            )?;
            if begun == 0 {
                return Ok(None);
            }
            Ok(Some(Collection { generation: tx.object_generation()? }))
        })
        .await
    }

    /// Marks objects as reached. Those that were not yet reached or stored since the collection
    /// began come back: their children are to be marked next, the others' were or will be.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub async fn mark_objects(
        &self,
        collection: Collection,
        reached: Vec<Hash>,
    ) -> Result<Vec<Hash>, StoreError> {
        self.write(move |tx| {
            let mut fresh = Vec::new();
            let (chunks, rest) = reached.as_chunks::<MARKED>();
            let chunks = chunks.iter().map(|chunk| chunk.as_slice());
            for hashes in chunks.chain(rest.iter().map(std::slice::from_ref)) {
                let mut params = vec![Value::from(collection.generation)];
                params.extend(hashes.iter().map(Value::from));
                fresh.extend(tx.query(mark_sql(hashes.len()), &params, |row| row.get::<Hash>(0))?);
            }
            Ok(fresh)
        })
        .await
    }

    /// Removes objects that nobody needs, `limit` of them at most; how many. Only after
    /// everything reachable was marked.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub async fn sweep_objects(
        &self,
        collection: Collection,
        limit: u32,
    ) -> Result<u64, StoreError> {
        self.write(move |tx| {
            let unneeded: Vec<(Hash, i64)> = tx.query(
                "SELECT hash, location FROM objects WHERE generation < $1
                 ORDER BY generation LIMIT $2",
                params![collection.generation - 1, limit],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?;
            for (hash, location) in &unneeded {
                tx.execute("DELETE FROM objects WHERE hash = $1", params![hash])?;
                if *location == Location::Place as i64 {
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

    /// Looks for files that no row refers to: they were staged, and what staged them never came
    /// to store them. They are removed like those whose rows went now; a write that is under way
    /// has stored its row before that. How many there are.
    ///
    /// # Errors
    /// What the engine or the object store says.
    pub async fn find_strays(&self) -> Result<u64, StoreError> {
        let mut count = 0;
        for first in 0..=u8::MAX {
            let store = self.clone();
            let found = blocking(move || store.shared().place.list(first)).await?;
            let mut strays = Vec::new();
            for chunk in found.chunks(STRAYS) {
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
            for chunk in strays.chunks(STRAYS) {
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

    /// Deletes files whose rows were removed longer than `grace` ago, `limit` of them at most;
    /// how many. `grace` is longer than any reader or upload takes. What interrupted writes left
    /// goes after the same time.
    ///
    /// # Errors
    /// What the engine or the object store says.
    pub async fn sweep_files(&self, grace: Duration, limit: u32) -> Result<u64, StoreError> {
        let (store, written) = (self.clone(), before(self.shared().clock.now(), grace));
        blocking(move || store.shared().place.sweep_temporary(written)).await?;
        let claimed = self.write(move |tx| tx.claim_removals(grace, limit)).await?;
        let count = claimed.len() as u64;
        let store = self.clone();
        let deleted = blocking(move || {
            claimed.iter().try_for_each(|hash| store.shared().place.delete(hash))?;
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

    /// Before a file is written: calls off its removal. From then on nothing deletes it before a
    /// new removal has waited for its grace, and by then the row is there.
    pub(crate) async fn keep_file(&self, hash: &Hash) -> Result<(), StoreError> {
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
                let text = "the object is just being removed: try again";
                return Err(StoreError::Unavailable(text.to_owned()));
            }
            Ok(())
        })
        .await
    }
}

impl Tx<'_> {
    /// Files that may be deleted now. They stay claimed until they are, also across a crash.
    fn claim_removals(&self, grace: Duration, limit: u32) -> Result<Vec<Hash>, StoreError> {
        // The row may be back: the same object was stored again.
        self.execute(
            "DELETE FROM object_removals WHERE claimed = 0
             AND EXISTS (SELECT 1 FROM objects WHERE objects.hash = object_removals.hash)",
            &[],
        )?;
        let hashes = self.query(
            "SELECT hash FROM object_removals WHERE claimed = 1 OR removed_at <= $1
             ORDER BY removed_at LIMIT $2",
            params![before(self.now(), grace), limit],
            |row| row.get(0),
        )?;
        for hash in &hashes {
            let sql = "UPDATE object_removals SET claimed = 1 WHERE hash = $1";
            self.execute(sql, params![hash])?;
        }
        Ok(hashes)
    }
}

/// The statement that marks one object, or [`MARKED`] of them; made once each.
fn mark_sql(objects: usize) -> &'static str {
    static ONE: LazyLock<String> = LazyLock::new(|| build_mark(1));
    static MANY: LazyLock<String> = LazyLock::new(|| build_mark(MARKED));
    if objects == 1 { &ONE } else { &MANY }
}

fn build_mark(objects: usize) -> String {
    let hashes: Vec<String> = (2..objects + 2).map(|at| format!("${at}")).collect();
    format!(
        "UPDATE objects SET generation = $1 WHERE generation < $1 AND hash IN ({}) RETURNING hash",
        hashes.join(", ")
    )
}

/// The moment that was `span` ago.
pub(crate) fn before(now: Timestamp, span: Duration) -> Timestamp {
    let millis = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
    now.plus_millis(millis.saturating_neg())
}
