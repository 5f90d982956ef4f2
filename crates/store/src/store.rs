//! The handle of a store: transactions, reads and notifications of changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, Semaphore, watch};
use tracing::{Instrument as _, Span};

use crate::config::{EngineConfig, StoreConfig};
use crate::counted::Counted;
use crate::measure::Measurement;
use crate::objects::{Cache, Storage, time_before};
use crate::postgres::Postgres;
use crate::shared::{Shared, Signals, Stamps};
use crate::sqlite::Sqlite;
use crate::{StoreError, Tx};

/// Maximum number of concurrent long reads. Each may occupy a thread and a connection.
const MAX_LONG_READS: usize = 8;

/// Number of locks that serialise conflicting writes. Unrelated writes may share a lock.
const WRITE_LOCKS: usize = 512;

/// Age at which the start removes temporary files of interrupted writes. No write takes this long.
const TEMPORARY_MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// A handle of an open store. Clones share the store.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    engine: Engine,
    shared: Arc<Shared>,
    long_reads: Semaphore,
    waiting_long_reads: AtomicUsize,
    write_locks: Vec<Mutex<()>>,
    slow_transaction: Option<Duration>,
}

/// The use of the connections to the database.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ConnectionCounts {
    /// Connections that run a transaction.
    pub in_use: usize,
    /// Open connections that run none.
    pub idle: usize,
    /// Transactions that wait for a connection: on SQLite, writes that wait for the writer.
    pub waiting: usize,
}

/// The numbers of long reads, which [`Store::read_blocking`] runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LongReadCounts {
    /// Long reads that run.
    pub running: usize,
    /// Long reads that wait for others to end.
    pub waiting: usize,
}

enum Engine {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0.engine {
            Engine::Sqlite(_) => "Store(SQLite)",
            Engine::Postgres(_) => "Store(PostgreSQL)",
        })
    }
}

impl Store {
    /// Opens a store. Creates missing files and tables and applies pending migrations.
    ///
    /// # Errors
    /// Returns [`StoreError::InUse`] if another process has the embedded store open,
    /// [`StoreError::Newer`] if a newer program wrote it, or the error of the system.
    pub async fn open(config: StoreConfig) -> Result<Self, StoreError> {
        blocking(move || {
            let storage = Storage::open(&config.objects, &config.entropy)?;
            storage.sweep_temporary(time_before(config.clock.now(), TEMPORARY_MAX_AGE))?;
            let shared = Arc::new(Shared {
                storage,
                cache: Cache::new(config.object_cache),
                clock: config.clock,
                entropy: config.entropy,
                signals: Signals::new(),
                stamps: Stamps::default(),
            });
            let engine = match &config.engine {
                EngineConfig::Sqlite { dir } => Engine::Sqlite(Sqlite::open(dir, &shared)?),
                EngineConfig::Postgres { url, connections } => {
                    let postgres = Postgres::connect(url, *connections)?;
                    postgres.migrate(&shared)?;
                    Engine::Postgres(postgres)
                }
            };
            let long_reads = Semaphore::new(MAX_LONG_READS);
            let write_locks = (0..WRITE_LOCKS).map(|_| Mutex::new(())).collect();
            let slow_transaction = config.slow_transaction;
            let waiting_long_reads = AtomicUsize::new(0);
            let inner = Inner {
                engine,
                shared,
                long_reads,
                waiting_long_reads,
                write_locks,
                slow_transaction,
            };
            Ok(Self(Arc::new(inner)))
        })
        .await
    }

    /// Runs a write transaction and returns once it is durable. The closure may run more than once,
    /// so its side effects outside the transaction must be repeatable. The transaction runs to its
    /// end even if the caller stops waiting. An error rolls it back.
    ///
    /// On SQLite, all writes share one thread, so prepare expensive work outside the closure.
    ///
    /// # Errors
    /// Returns the closure's errors, [`StoreError::Contended`] if concurrent transactions
    /// conflicted with it on every attempt, [`StoreError::Panicked`] if the closure panicked, or
    /// the error of the engine.
    pub async fn write<T, E, F>(&self, mut f: F) -> Result<T, E>
    where
        F: FnMut(&Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let measurement = self.measure::<F>("write");
        let written = async {
            match &self.0.engine {
                Engine::Sqlite(sqlite) => sqlite.writer().write(f).await,
                Engine::Postgres(_) => {
                    let store = self.clone();
                    blocking(move || match &store.0.engine {
                        Engine::Postgres(postgres) => postgres.write(&store.0.shared, &mut f),
                        Engine::Sqlite(_) => Err(StoreError::Aborted.into()),
                    })
                    .await
                }
            }
        };
        written.instrument(measurement.span()).await
    }

    /// Like [`write`](Self::write), but runs writes with the same `key` one after another on this
    /// node. Without this, overlapping transactions would conflict, and all but one would have to
    /// run again.
    ///
    /// # Errors
    /// The same as for [`write`](Self::write).
    pub async fn write_serialized<T, E, F>(&self, key: &str, f: F) -> Result<T, E>
    where
        F: FnMut(&Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let lock = match &self.0.engine {
            Engine::Sqlite(_) => None,
            Engine::Postgres(_) => {
                let hash = key
                    .bytes()
                    .fold(5381_usize, |hash, byte| hash.wrapping_mul(33).wrapping_add(byte.into()));
                self.0.write_locks.get(hash % WRITE_LOCKS)
            }
        };
        let _guard = match lock {
            Some(lock) => Some(lock.lock().await),
            None => None,
        };
        self.write(f).await
    }

    /// Runs a read-only closure against one snapshot of the database. Intended for reads of
    /// microseconds: on SQLite it runs directly on the caller's thread.
    ///
    /// # Errors
    /// Returns the closure's errors or the error of the engine.
    pub async fn read<T, E, F>(&self, f: F) -> Result<T, E>
    where
        F: FnOnce(&Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        match &self.0.engine {
            Engine::Sqlite(_) => self.read_sync(f),
            Engine::Postgres(_) => {
                let store = self.clone();
                blocking(move || store.read_sync(f)).await
            }
        }
    }

    /// Like [`read`](Self::read), but on a separate thread. Intended for reads that take longer
    /// than about a millisecond.
    ///
    /// # Errors
    /// Returns the closure's errors or the error of the engine.
    pub async fn read_blocking<T, E, F>(&self, f: F) -> Result<T, E>
    where
        F: FnOnce(&Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let waiting = Counted::new(&self.0.waiting_long_reads);
        let _permit = self.0.long_reads.acquire().await;
        drop(waiting);
        let store = self.clone();
        blocking(move || store.read_sync(f)).await
    }

    /// Like [`read`](Self::read), for callers that already run on a thread for blocking work.
    ///
    /// # Errors
    /// Returns the closure's errors or the error of the engine.
    pub fn read_sync<T, E, F>(&self, f: F) -> Result<T, E>
    where
        F: FnOnce(&Tx<'_>) -> Result<T, E>,
        E: From<StoreError>,
    {
        let measurement = self.measure::<F>("read");
        let span = measurement.span();
        let _entered = span.enter();
        match &self.0.engine {
            Engine::Sqlite(sqlite) => sqlite.read(&self.0.shared, f),
            Engine::Postgres(postgres) => postgres.read(&self.0.shared, f),
        }
    }

    /// Starts to measure a transaction that runs a closure of type `F`.
    fn measure<F>(&self, kind: &'static str) -> Measurement {
        Measurement::start(kind, std::any::type_name::<F>(), self.0.slow_transaction)
    }

    /// Returns the use of the connections to the database.
    pub fn connection_counts(&self) -> ConnectionCounts {
        match &self.0.engine {
            Engine::Sqlite(sqlite) => sqlite.connection_counts(),
            Engine::Postgres(postgres) => postgres.connection_counts(),
        }
    }

    /// Returns the numbers of long reads.
    pub fn long_read_counts(&self) -> LongReadCounts {
        LongReadCounts {
            running: MAX_LONG_READS.saturating_sub(self.0.long_reads.available_permits()),
            waiting: self.0.waiting_long_reads.load(Ordering::Relaxed),
        }
    }

    /// Returns a number that grows with every committed change. If a caller takes the number before
    /// it reads and finds it unchanged later, the data it read is still current. Returns `None` on
    /// engines where other processes write too.
    pub fn changes(&self) -> Option<u64> {
        match self.0.engine {
            Engine::Sqlite(_) => Some(self.0.shared.signals.changes()),
            Engine::Postgres(_) => None,
        }
    }

    /// Returns the number of write transactions that this process has committed since it opened the
    /// store. SQLite commits concurrent changes in one transaction.
    pub fn commits(&self) -> u64 {
        self.0.shared.signals.changes()
    }

    /// Returns a receiver that is notified when this process commits a change.
    pub fn watch_changes(&self) -> watch::Receiver<u64> {
        self.0.shared.signals.watch_changes()
    }

    /// Returns a receiver that is notified when this process commits a new job.
    pub fn watch_jobs(&self) -> watch::Receiver<u64> {
        self.0.shared.signals.watch_enqueued()
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.0.shared
    }
}

/// Runs a blocking closure on a thread for blocking work.
pub(crate) async fn blocking<T, E, F>(f: F) -> Result<T, E>
where
    F: FnOnce() -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    // Spans of the closure are children of the caller's span.
    let span = Span::current();
    match tokio::task::spawn_blocking(move || span.in_scope(f)).await {
        Ok(result) => result,
        Err(error) => Err(StoreError::Panicked(error.to_string()).into()),
    }
}
