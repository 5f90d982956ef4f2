//! The handle of a store: transactions, reads and the signal that something changed.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, Semaphore, watch};

use crate::config::{EngineConfig, StoreConfig};
use crate::objects::{Cache, Place, before};
use crate::postgres::Postgres;
use crate::shared::{Shared, Signals, Stamps};
use crate::sqlite::Sqlite;
use crate::{StoreError, Tx};

/// Long reads at once on the embedded engine; each may hold a thread and a connection.
const LONG_READS: usize = 8;

/// Lanes of writes that would meet each other; two things share one now and then.
const LANES: usize = 512;

/// What an interrupted write left is removed at the start after this time; no write takes so long.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// A handle of an open store; clones share it.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    engine: Engine,
    shared: Arc<Shared>,
    long_reads: Semaphore,
    lanes: Vec<Mutex<()>>,
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
    /// Opens a store, creating what is missing and applying missing migrations.
    ///
    /// # Errors
    /// [`StoreError::InUse`] when another process has the embedded store open,
    /// [`StoreError::Newer`] when a newer program wrote it, or what the system says.
    pub async fn open(config: StoreConfig) -> Result<Self, StoreError> {
        blocking(move || {
            let place = Place::open(&config.objects, &config.entropy)?;
            place.sweep_temporary(before(config.clock.now(), STALE))?;
            let shared = Arc::new(Shared {
                place,
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
            let long_reads = Semaphore::new(LONG_READS);
            let lanes = (0..LANES).map(|_| Mutex::new(())).collect();
            Ok(Self(Arc::new(Inner { engine, shared, long_reads, lanes })))
        })
        .await
    }

    /// Runs a transaction that writes, and returns once it is durable. The closure may run more
    /// than once; all that it does besides the transaction must bear that. It runs to its end even
    /// when the caller stops waiting. Errors roll it back.
    ///
    /// On SQLite it shares one thread with every other write: prepare outside what takes long.
    ///
    /// # Errors
    /// Those of the closure; [`StoreError::Contended`] when concurrent transactions did not let it
    /// through; [`StoreError::Panicked`]; what the engine says.
    pub async fn write<T, E, F>(&self, mut f: F) -> Result<T, E>
    where
        F: FnMut(&Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
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
    }

    /// As [`write`](Self::write), one after another for what is about the same thing on this node.
    /// Where transactions overlap they would meet and run again, each time but one for nothing.
    ///
    /// # Errors
    /// As for [`write`](Self::write).
    pub async fn write_about<T, E, F>(&self, thing: &str, f: F) -> Result<T, E>
    where
        F: FnMut(&Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let lane = match &self.0.engine {
            Engine::Sqlite(_) => None,
            Engine::Postgres(_) => {
                let hash = thing
                    .bytes()
                    .fold(5381_usize, |hash, byte| hash.wrapping_mul(33).wrapping_add(byte.into()));
                self.0.lanes.get(hash % LANES)
            }
        };
        let _turn = match lane {
            Some(lane) => Some(lane.lock().await),
            None => None,
        };
        self.write(f).await
    }

    /// Runs a closure that only reads, all of it against one state of the database. For reads of
    /// microseconds: on SQLite it runs at once on the caller's thread.
    ///
    /// # Errors
    /// Those of the closure and what the engine says.
    pub async fn read<T, E, F>(&self, f: F) -> Result<T, E>
    where
        F: FnOnce(&Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        match &self.0.engine {
            Engine::Sqlite(sqlite) => sqlite.read(&self.0.shared, f),
            Engine::Postgres(_) => {
                let store = self.clone();
                blocking(move || store.read_here(f)).await
            }
        }
    }

    /// As [`read`](Self::read), on a thread of its own: for reads that take longer than about a
    /// millisecond.
    ///
    /// # Errors
    /// Those of the closure and what the engine says.
    pub async fn read_blocking<T, E, F>(&self, f: F) -> Result<T, E>
    where
        F: FnOnce(&Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let _permit = self.0.long_reads.acquire().await;
        let store = self.clone();
        blocking(move || store.read_here(f)).await
    }

    /// As [`read`](Self::read), for callers that are on a thread of their own already.
    ///
    /// # Errors
    /// Those of the closure and what the engine says.
    pub fn read_here<T, E: From<StoreError>>(
        &self,
        f: impl FnOnce(&Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        match &self.0.engine {
            Engine::Sqlite(sqlite) => sqlite.read(&self.0.shared, f),
            Engine::Postgres(postgres) => postgres.read(&self.0.shared, f),
        }
    }

    /// A number that grows with every committed change, as long as this process alone can make
    /// any; `None` on an engine where others write too. Who takes the number before reading, and
    /// finds it unchanged later, knows that what was read still holds.
    pub fn changes(&self) -> Option<u64> {
        match self.0.engine {
            Engine::Sqlite(_) => Some(self.0.shared.signals.changes()),
            Engine::Postgres(_) => None,
        }
    }

    /// Says when this process has committed a change.
    pub fn watch_changes(&self) -> watch::Receiver<u64> {
        self.0.shared.signals.watch_changes()
    }

    /// Says when this process has committed a new job.
    pub fn watch_jobs(&self) -> watch::Receiver<u64> {
        self.0.shared.signals.watch_enqueued()
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.0.shared
    }
}

/// Runs what blocks where it may.
pub(crate) async fn blocking<T, E, F>(f: F) -> Result<T, E>
where
    F: FnOnce() -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    match tokio::task::spawn_blocking(f).await {
        Ok(result) => result,
        Err(error) => Err(StoreError::Panicked(error.to_string()).into()),
    }
}
