//! The transaction that closures see: one SQL text, either engine.

use std::cell::{Cell, RefCell};

use bindery_model::{Entropy, Timestamp};

use crate::origin::Origin;
use crate::postgres::Session;
use crate::row::Source;
use crate::shared::Shared;
use crate::sqlite;
use crate::{Row, StoreError, Value};

/// A transaction. It is handed to the closures of [`Store::write`](crate::Store::write) and
/// [`Store::read`](crate::Store::read), and ends with them.
///
/// Statements name their parameters `$1`, `$2`, … and must be text that both engines understand.
/// A statement that fails gives up the transaction, on both engines: what follows is refused with
/// [`StoreError::Aborted`]. Whoever expects a conflict says so (`ON CONFLICT … DO NOTHING`) and
/// looks at the number of rows.
pub struct Tx<'a> {
    engine: Engine<'a>,
    shared: &'a Shared,
    now: Timestamp,
    failure: RefCell<Option<Failure>>,
    wrote: Cell<bool>,
    enqueued: Cell<bool>,
    pub(crate) generation: Cell<Option<i64>>,
    as_of: Option<u64>,
    origin: Cell<Origin>,
}

#[derive(Clone, Copy)]
pub(crate) enum Engine<'a> {
    Sqlite(&'a rusqlite::Connection),
    Postgres(&'a Session),
}

/// How a transaction came to be given up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Against a concurrent one: it is worth running again.
    Contended,
    /// For good.
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
            as_of: None,
            origin: Cell::new(Origin::default()),
        }
    }

    /// As of a count of changes that was taken before it began.
    pub(crate) const fn at(mut self, changes: u64) -> Self {
        self.as_of = Some(changes);
        self
    }

    /// The store's [count of changes](crate::Store::changes) before this transaction began, if it
    /// only reads and this process alone makes changes. It sees every change counted, and may see
    /// later ones.
    pub const fn as_of(&self) -> Option<u64> {
        self.as_of
    }

    /// The time of this transaction: one moment for all that is written in it.
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// Says where everything comes from that this transaction does.
    pub fn comes_from(&self, origin: Origin) {
        self.origin.set(origin);
    }

    /// Where it comes from; the server itself, where nothing else was said.
    pub fn origin(&self) -> Origin {
        self.origin.get()
    }

    /// Randomness for ids that are made in a transaction.
    pub fn entropy(&self) -> &'a Entropy {
        &self.shared.entropy
    }

    /// Runs a statement that returns no rows; the number of rows it changed.
    ///
    /// # Errors
    /// As the engine says; the transaction is given up then.
    pub fn execute(&self, sql: &str, params: &[Value<'_>]) -> Result<u64, StoreError> {
        self.ready(params)?;
        let changed = self.watch(match self.engine {
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
    /// As the engine or `map` says.
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

    /// Runs a statement and maps its first row, if it has one.
    ///
    /// # Errors
    /// As the engine or `map` says.
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

    /// Runs a statement that always has a row, such as a count, and maps it.
    ///
    /// # Errors
    /// As the engine or `map` says; [`StoreError::NoRow`] when there is none.
    pub fn query_one<T>(
        &self,
        sql: &str,
        params: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.query_opt(sql, params, map)?.ok_or(StoreError::NoRow)
    }

    /// Whether a statement has any row.
    ///
    /// # Errors
    /// As the engine says.
    pub fn exists(&self, sql: &str, params: &[Value<'_>]) -> Result<bool, StoreError> {
        Ok(self.query_opt(sql, params, |_| Ok(()))?.is_some())
    }

    /// Hands each row to `map`, which says whether it wants another.
    fn each(
        &self,
        sql: &str,
        params: &[Value<'_>],
        map: &mut dyn FnMut(&Row<'_>) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        self.ready(params)?;
        match self.engine {
            Engine::Sqlite(connection) => {
                let mut statement = self.watch(sqlite::bind(connection, sql, params))?;
                // A statement that changes rows and returns them counts as a change.
                if !statement.readonly() {
                    self.wrote.set(true);
                }
                let mut rows = statement.raw_query();
                while let Some(row) = self.watch(rows.next().map_err(StoreError::from))? {
                    if !map(&Row(Source::Sqlite(row)))? {
                        break;
                    }
                }
            }
            Engine::Postgres(session) => {
                self.wrote.set(true);
                for row in self.watch(session.query(sql, params))? {
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
        self.watch(match self.engine {
            Engine::Sqlite(connection) => connection.execute_batch(sql).map_err(Into::into),
            Engine::Postgres(session) => session.batch(sql),
        })
    }

    /// Whether transactions run one after the other, as they commit.
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

    /// Notes that a job was enqueued, so that workers hear of it after the commit.
    pub(crate) fn note_enqueued(&self) {
        self.enqueued.set(true);
    }

    pub(crate) fn enqueued(&self) -> bool {
        self.enqueued.get()
    }

    fn ready(&self, params: &[Value<'_>]) -> Result<(), StoreError> {
        if self.failure.borrow().is_some() {
            return Err(StoreError::Aborted);
        }
        params.iter().try_for_each(Value::check)
    }

    fn watch<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(error) = &result {
            let contended = matches!(error, StoreError::Contended);
            let failure = if contended { Failure::Contended } else { Failure::Final };
            self.failure.borrow_mut().get_or_insert(failure);
        }
        result
    }
}
