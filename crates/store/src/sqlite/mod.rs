//! The embedded engine: SQLite in a folder, with one writer thread and a pool of readers.

mod writer;

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::config::DbConfig;
use rusqlite::{CachedStatement, Connection, OpenFlags};

use crate::shared::Shared;
use crate::store::ConnectionCounts;
use crate::tx::{Engine, Failure, Tx};
use crate::{StoreError, Value, migrations};

use self::writer::Writer;
pub(crate) use self::writer::run_closure;

/// Number of prepared statements cached per connection.
const STATEMENT_CACHE_SIZE: usize = 256;

/// Maximum number of idle read connections. More are opened under load.
const MAX_IDLE_READERS: usize = 16;

/// The embedded engine.
pub(crate) struct Sqlite {
    writer: Writer,
    readers: Mutex<Vec<Connection>>,
    /// Number of read transactions that are running.
    reading: AtomicUsize,
    file: PathBuf,
    // The last field, so that the connections close before another process can open the store.
    _lock: File,
}

impl Sqlite {
    /// Opens or creates the store in `dir`. Blocks.
    pub(crate) fn open(dir: &Path, shared: &Arc<Shared>) -> Result<Self, StoreError> {
        create_dir(dir)?;
        let lock = lock(dir)?;
        let file = dir.join("bindery.db");
        let connection = Connection::open_with_flags(
            &file,
            OpenFlags::SQLITE_OPEN_READ_WRITE
                | OpenFlags::SQLITE_OPEN_CREATE
                | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        configure(&connection)?;
        connection.execute_batch(
            "PRAGMA journal_mode = WAL;
             PRAGMA synchronous = FULL;
             PRAGMA wal_autocheckpoint = 4000;
             PRAGMA journal_size_limit = 67108864;
             PRAGMA cache_size = -16384;",
        )?;
        while migrate(&connection, shared)? {}
        // Syncs the folder entries of the files just created.
        File::open(dir)
            .and_then(|dir| dir.sync_all())
            .map_err(|error| StoreError::unavailable("sync the data folder", error))?;
        Ok(Self {
            writer: Writer::start(connection, Arc::clone(shared))?,
            readers: Mutex::new(Vec::new()),
            reading: AtomicUsize::new(0),
            file,
            _lock: lock,
        })
    }

    pub(crate) const fn writer(&self) -> &Writer {
        &self.writer
    }

    pub(crate) fn connection_counts(&self) -> ConnectionCounts {
        let waiting = self.writer.queued();
        let writing = usize::from(waiting > 0);
        ConnectionCounts {
            in_use: self.reading.load(Ordering::Relaxed) + writing,
            idle: self.readers.lock().unwrap_or_else(PoisonError::into_inner).len() + 1 - writing,
            waiting,
        }
    }

    /// Runs `f` on this thread against one snapshot of the database.
    pub(crate) fn read<T, E: From<StoreError>>(
        &self,
        shared: &Shared,
        f: impl FnOnce(&Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let connection = self.reader()?;
        self.reading.fetch_add(1, Ordering::Relaxed);
        let reader = Reader { pool: self, connection: Some(connection) };
        let Some(connection) = &reader.connection else {
            return Err(StoreError::Aborted.into());
        };
        let changes = shared.signals.changes();
        run_statement(connection, "BEGIN DEFERRED")?;
        let tx = Tx::new(Engine::Sqlite(connection), shared).with_change_count(changes);
        let result = f(&tx);
        run_statement(connection, "COMMIT")?;
        match (result, tx.failure()) {
            (Ok(_), Some(_)) => Err(StoreError::Aborted.into()),
            (result, _) => result,
        }
    }

    fn reader(&self) -> Result<Connection, StoreError> {
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(connection) = idle {
            return Ok(connection);
        }
        let connection = Connection::open_with_flags(
            &self.file,
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        configure(&connection)?;
        Ok(connection)
    }
}

/// A borrowed connection. It returns to the pool, or closes if it is still inside a transaction.
struct Reader<'a> {
    pool: &'a Sqlite,
    connection: Option<Connection>,
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        self.pool.reading.fetch_sub(1, Ordering::Relaxed);
        if let Some(connection) = self.connection.take()
            && connection.is_autocommit()
        {
            let mut idle = self.pool.readers.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() < MAX_IDLE_READERS {
                idle.push(connection);
            }
        }
    }
}

fn create_dir(dir: &Path) -> Result<(), StoreError> {
    std::fs::create_dir_all(dir).map_err(|error| {
        StoreError::Unavailable(format!("create the data folder {}: {error}", dir.display()))
    })
}

/// Locks the store. The operating system releases the lock when the process ends, however it ends.
fn lock(dir: &Path) -> Result<File, StoreError> {
    let path = dir.join("bindery.lock");
    let refused = |error: std::io::Error| {
        StoreError::Unavailable(format!("lock {}: {error}", path.display()))
    };
    let file =
        File::options().create(true).truncate(false).write(true).open(&path).map_err(refused)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse(dir.to_owned())),
        Err(TryLockError::Error(error)) => Err(refused(error)),
    }
}

fn configure(connection: &Connection) -> Result<(), StoreError> {
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_SIZE);
    // Without this, SQLite plans statements with joins again for each bound value.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.execute_batch(
        "PRAGMA busy_timeout = 5000;
         PRAGMA foreign_keys = ON;
         PRAGMA trusted_schema = OFF;
         PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -2048;",
    )?;
    Ok(())
}

/// Applies the next migration. Returns `false` if there is none.
fn migrate(connection: &Connection, shared: &Shared) -> Result<bool, StoreError> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let tx = Tx::new(Engine::Sqlite(connection), shared);
    let result = migrations::prepare(&tx).and_then(|()| migrations::step(&tx, str::to_owned));
    let end = if result.is_ok() { "COMMIT" } else { "ROLLBACK" };
    connection.execute_batch(end)?;
    result
}

pub(crate) fn execute(
    connection: &Connection,
    sql: &str,
    params: &[Value<'_>],
) -> Result<u64, StoreError> {
    Ok(bind(connection, sql, params)?.raw_execute()? as u64)
}

/// Prepares a statement and binds its parameters by the number in their names. SQLite treats `$2`
/// as a name and numbers names by their first appearance.
pub(crate) fn bind<'c>(
    connection: &'c Connection,
    sql: &str,
    params: &[Value<'_>],
) -> Result<CachedStatement<'c>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let count = statement.parameter_count();
    if count != params.len() {
        return Err(StoreError::Database(format!(
            "expected {count} parameters, got {}: {sql}",
            params.len()
        )));
    }
    for at in 1..=count {
        let value = statement
            .parameter_name(at)
            .and_then(|name| name.strip_prefix('$')?.parse::<usize>().ok())
            .and_then(|number| params.get(number.checked_sub(1)?))
            .ok_or_else(|| {
                StoreError::Database(format!("a parameter is not one of $1…${count}: {sql}"))
            })?;
        statement.raw_bind_parameter(at, value)?;
    }
    Ok(statement)
}

fn run_statement(connection: &Connection, sql: &str) -> Result<(), StoreError> {
    connection.prepare_cached(sql)?.raw_execute()?;
    Ok(())
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Contended => Self::Contended,
            Failure::Final => Self::Aborted,
        }
    }
}
