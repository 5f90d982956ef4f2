//! The transaction that closures receive: one SQL text for both engines.

use std::cell::{Cell, RefCell};

use bindery_model::{Entropy, Timestamp};

use crate::origin::Origin;
use crate::postgres::Session;
use crate::row::Source;
use crate::shared::Shared;
use crate::sqlite;
use crate::{Row, StoreError, Value};

/// A transaction. The closures of [`Store::write`](crate::Store::write) and
/// [`Store::read`](crate::Store::read) receive it, and it ends with them.
///
/// Statements name their parameters `$1`, `$2`, … and must use SQL that both engines understand. A
/// failed statement aborts the transaction on both engines, and later statements return
/// [`StoreError::Aborted`]. Code that expects a conflict must therefore handle it in SQL (`ON
/// CONFLICT … DO NOTHING`) and check the number of changed rows.
pub struct Tx<'a> {
    engine: Engine<'a>,
    shared: &'a Shared,
    now: Timestamp,
    failure: RefCell<Option<Failure>>,
    wrote: Cell<bool>,
    enqueued: Cell<bool>,
    pub(crate) generation: Cell<Option<i64>>,
    change_count: Option<u64>,
    origin: Cell<Origin>,
}

#[derive(Clone, Copy)]
pub(crate) enum Engine<'a> {
    Sqlite(&'a rusqlite::Connection),
    Postgres(&'a Session),
}

/// The reason why a transaction was aborted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// A conflict with a concurrent transaction. The transaction can run again.
    Contended,
    /// A permanent error.
    Final,
}

impl std::fmt::Debug for Tx<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tx").field("now", &self.now).finish_non_exhaustive()
    }
}

impl<'a> Tx<'a> {
    pub(crate) fn new(engine: Engine<'a>, shared: &'a Shared) -> Self {
        Self {
            engine,
            shared,
            now: shared.clock.now(),
            failure: RefCell::new(None),
            wrote: Cell::new(false),
            enqueued: Cell::new(false),
            generation: Cell::new(None),
            change_count: None,
            origin: Cell::new(Origin::default()),
        }
    }

    /// Sets the count of changes taken before the transaction began.
    pub(crate) const fn with_change_count(mut self, changes: u64) -> Self {
        self.change_count = Some(changes);
        self
    }

    /// Returns the store's [count of changes](crate::Store::changes) before this transaction began.
    /// The transaction sees every counted change and possibly later ones. Returns `None` unless the
    /// transaction only reads and only this process makes changes.
    pub const fn change_count(&self) -> Option<u64> {
        self.change_count
    }

    /// Returns the time of this transaction, which is the same for everything it writes.
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// Sets the origin of all changes in this transaction.
    pub fn set_origin(&self, origin: Origin) {
        self.origin.set(origin);
    }

    /// Returns the origin of this transaction's changes. The default is the server itself.
    pub fn origin(&self) -> Origin {
        self.origin.get()
    }

    /// Returns the source of randomness for ids created in the transaction.
    pub fn entropy(&self) -> &'a Entropy {
        &self.shared.entropy
    }

    /// Runs a statement that returns no rows. Returns the number of rows it changed.
    ///
    /// # Errors
    /// Returns the error of the engine. The transaction is then aborted.
    pub fn execute(&self, sql: &str, params: &[Value<'_>]) -> Result<u64, StoreError> {
        self.check_params(params)?;
        let changed = self.track_failure(match self.engine {
            Engine::Sqlite(connection) => sqlite::execute(connection, sql, params),
            Engine::Postgres(session) => session.execute(sql, params),
        })?;
        if changed > 0 {
            self.wrote.set(true);
        }
        Ok(changed)
    }

    /// Runs a statement and maps each of its rows.
    ///
    /// # Errors
    /// Returns the error of the engine or of `map`.
    pub fn query<T>(
        &self,
        sql: &str,
        params: &[Value<'_>],
        mut map: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut out = Vec::new();
        self.each(sql, params, &mut |row| {
            out.push(map(row)?);
            Ok(true)
        })?;
        Ok(out)
    }

    /// Runs a statement and maps its first row, if there is one.
    ///
    /// # Errors
    /// Returns the error of the engine or of `map`.
    pub fn query_opt<T>(
        &self,
        sql: &str,
        params: &[Value<'_>],
        mut map: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mut out = None;
        self.each(sql, params, &mut |row| {
            out = Some(map(row)?);
            Ok(false)
        })?;
        Ok(out)
    }

    /// Runs a statement that always returns a row, such as a count, and maps that row.
    ///
    /// # Errors
    /// Returns the error of the engine or of `map`, or [`StoreError::NoRow`] if there is no row.
    pub fn query_one<T>(
        &self,
        sql: &str,
        params: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.query_opt(sql, params, map)?.ok_or(StoreError::NoRow)
    }

    /// Returns `true` if a statement returns any row.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn exists(&self, sql: &str, params: &[Value<'_>]) -> Result<bool, StoreError> {
        Ok(self.query_opt(sql, params, |_| Ok(()))?.is_some())
    }

    /// Passes each row to `map` until `map` returns `false`.
    fn each(
        &self,
        sql: &str,
        params: &[Value<'_>],
        map: &mut dyn FnMut(&Row<'_>) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        self.check_params(params)?;
        match self.engine {
            Engine::Sqlite(connection) => {
                let mut statement = self.track_failure(sqlite::bind(connection, sql, params))?;
                // A statement that changes rows and returns them counts as a write.
                if !statement.readonly() {
                    self.wrote.set(true);
                }
                let mut rows = statement.raw_query();
                while let Some(row) = self.track_failure(rows.next().map_err(StoreError::from))? {
                    if !map(&Row(Source::Sqlite(row)))? {
                        break;
                    }
                }
            }
            Engine::Postgres(session) => {
                if may_write(sql) {
                    self.wrote.set(true);
                }
                for row in self.track_failure(session.query(sql, params))? {
                    if !map(&Row(Source::Postgres(&row)))? {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Runs several statements without parameters, for migrations.
    pub(crate) fn batch(&self, sql: &str) -> Result<(), StoreError> {
        self.track_failure(match self.engine {
            Engine::Sqlite(connection) => connection.execute_batch(sql).map_err(Into::into),
            Engine::Postgres(session) => session.batch(sql),
        })
    }

    /// Returns `true` if transactions run one after another, in the order of their commits.
    pub(crate) const fn is_serial(&self) -> bool {
        matches!(self.engine, Engine::Sqlite(_))
    }

    pub(crate) const fn shared(&self) -> &'a Shared {
        self.shared
    }

    pub(crate) fn failure(&self) -> Option<Failure> {
        *self.failure.borrow()
    }

    pub(crate) fn wrote(&self) -> bool {
        self.wrote.get()
    }

    /// Records that a job was enqueued, so that workers are notified after the commit.
    pub(crate) fn mark_enqueued(&self) {
        self.enqueued.set(true);
    }

    pub(crate) fn enqueued(&self) -> bool {
        self.enqueued.get()
    }

    fn check_params(&self, params: &[Value<'_>]) -> Result<(), StoreError> {
        if self.failure.borrow().is_some() {
            return Err(StoreError::Aborted);
        }
        params.iter().try_for_each(Value::check)
    }

    fn track_failure<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(error) = &result {
            let contended = matches!(error, StoreError::Contended);
            let failure = if contended { Failure::Contended } else { Failure::Final };
            self.failure.borrow_mut().get_or_insert(failure);
        }
        result
    }
}

/// Returns `true` unless the statement only reads. PostgreSQL does not report this for a prepared
/// statement.
fn may_write(sql: &str) -> bool {
    let sql = sql.trim_start();
    let writes = || ["INSERT INTO", "UPDATE", "DELETE FROM"].iter().any(|verb| sql.contains(verb));
    !sql.starts_with("SELECT") && (!sql.starts_with("WITH") || writes())
}

#[cfg(test)]
mod tests {
    use super::may_write;

    #[test]
    fn statements_that_may_write_are_recognised() {
        for sql in [
            "INSERT INTO meta (key) VALUES ($1) RETURNING key",
            " UPDATE meta SET value = $1 RETURNING key",
            "WITH gone AS (DELETE FROM meta RETURNING key) SELECT key FROM gone",
        ] {
            assert!(may_write(sql), "{sql}");
        }
        for sql in ["SELECT 1", "\n  SELECT updated_at FROM spaces", "WITH a AS (SELECT 1) SELECT"]
        {
            assert!(!may_write(sql), "{sql}");
        }
    }
}
