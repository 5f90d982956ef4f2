//! The clustered engine: PostgreSQL, or a database that speaks its protocol.

use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime, Timeouts};
use tokio::runtime::Handle;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Statement, error::SqlState};

use crate::record::FromRow;
use crate::shared::Shared;
use crate::sqlite::run_closure;
use crate::store::ConnectionCounts;
use crate::tx::{Engine, Failure, Tx};
use crate::{StoreError, Value, migrations};

mod tls;

/// Maximum number of attempts to run a transaction against concurrent ones.
const MAX_ATTEMPTS: u32 = 16;

/// Number of attempts beside the other write transactions of this node; the later ones run alone.
const SHARED_ATTEMPTS: u32 = 8;

/// Maximum time to wait for a connection.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);

/// The clustered engine.
pub(crate) struct Postgres {
    pool: Pool,
    handle: Handle,
    /// Held shared by each attempt of a write transaction, and exclusively by one that has lost
    /// too often. Without it, transactions that are longer than others could lose every time.
    turn: RwLock<()>,
}

/// A connection inside a transaction, used from a thread for blocking work.
pub(crate) struct Session {
    client: Object,
    handle: Handle,
}

enum Attempt<T> {
    Committed(T),
    Conflict,
}

impl Postgres {
    pub(crate) fn connect(url: &str, connections: usize) -> Result<Self, StoreError> {
        let (mut config, tls) = tls::read(url)?;
        if config.get_application_name().is_none() {
            config.application_name("bindery");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECTION_TIMEOUT);
        }
        let manager = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let timeouts = Timeouts {
            wait: Some(CONNECTION_TIMEOUT),
            create: Some(CONNECTION_TIMEOUT),
            recycle: Some(CONNECTION_TIMEOUT),
        };
        let pool = Pool::builder(Manager::from_config(config, tls, manager))
            .max_size(connections)
            .timeouts(timeouts)
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| StoreError::Config(error.to_string()))?;
        Ok(Self { pool, handle: Handle::current(), turn: RwLock::new(()) })
    }

    pub(crate) fn connection_counts(&self) -> ConnectionCounts {
        let status = self.pool.status();
        ConnectionCounts {
            in_use: status.size.saturating_sub(status.available),
            idle: status.available,
            waiting: status.waiting,
        }
    }

    /// Applies pending migrations. Blocks. Several nodes may call this at once: the first one locks
    /// the row with the version.
    pub(crate) fn migrate(&self, shared: &Shared) -> Result<(), StoreError> {
        // In byte order, `a` comes after `B`. If the database already compares bytes, no collation
        // is needed.
        let by_locale = self.run(shared, "BEGIN", &mut |tx: &Tx<'_>| {
            tx.query_one("SELECT 'a' < 'B'", &[], bool::from_row)
        })?;
        let collate = if by_locale { " COLLATE \"C\"" } else { "" };
        let mut attempt = 0;
        // If two nodes create the same table at once, one gets a unique violation.
        while let Err(error) = self.run(shared, "BEGIN", &mut migrations::prepare) {
            attempt += 1;
            if attempt == MAX_ATTEMPTS {
                return Err(error);
            }
            std::thread::sleep(backoff(shared, attempt));
        }
        while self.run(shared, "BEGIN", &mut |tx: &Tx<'_>| {
            migrations::step(tx, |sql| migrations::postgres(sql, collate))
        })? {}
        Ok(())
    }

    /// Runs a closure in a serializable transaction and repeats it on conflicts with concurrent
    /// ones, at last without other writes of this node. Blocks.
    pub(crate) fn write<T, E: From<StoreError>>(
        &self,
        shared: &Shared,
        f: &mut impl FnMut(&Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        const BEGIN: &str = "BEGIN ISOLATION LEVEL SERIALIZABLE";
        run_with_retries(shared, |attempt| {
            if attempt < SHARED_ATTEMPTS {
                let _shared = self.turn.read().unwrap_or_else(PoisonError::into_inner);
                self.run_once(shared, BEGIN, f)
            } else {
                let _alone = self.turn.write().unwrap_or_else(PoisonError::into_inner);
                self.run_once(shared, BEGIN, f)
            }
        })
    }

    /// Runs a closure against one snapshot of the database. Blocks.
    pub(crate) fn read<T, E: From<StoreError>>(
        &self,
        shared: &Shared,
        f: impl FnOnce(&Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut once = Some(f);
        let mut f = |tx: &Tx<'_>| once.take().map_or(Err(StoreError::Contended.into()), |f| f(tx));
        self.run(shared, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", &mut f)
    }

    fn run<T, E: From<StoreError>>(
        &self,
        shared: &Shared,
        begin: &str,
        f: &mut impl FnMut(&Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        run_with_retries(shared, |_| self.run_once(shared, begin, f))
    }

    fn run_once<T, E: From<StoreError>>(
        &self,
        shared: &Shared,
        begin: &str,
        f: &mut impl FnMut(&Tx<'_>) -> Result<T, E>,
    ) -> Result<Attempt<T>, E> {
        let client = self.handle.block_on(self.pool.get()).map_err(|error| {
            let why = tls::certificate_error(&error).unwrap_or_else(|| error_chain(&error));
            StoreError::unavailable("connect to the database", why)
        })?;
        let session = Session { client, handle: self.handle.clone() };
        session.batch(begin)?;
        let tx = Tx::new(Engine::Postgres(&session), shared);
        let result = run_closure(&tx, f);
        let (failure, wrote, enqueued) = (tx.failure(), tx.wrote(), tx.enqueued());
        match result {
            Ok(value) => match session.batch("COMMIT") {
                Ok(()) => {
                    shared.signals.committed(wrote, enqueued);
                    Ok(Attempt::Committed(value))
                }
                Err(StoreError::Contended) => {
                    session.roll_back();
                    Ok(Attempt::Conflict)
                }
                Err(error) => {
                    session.roll_back();
                    Err(error.into())
                }
            },
            Err(error) => {
                session.roll_back();
                if failure == Some(Failure::Contended) { Ok(Attempt::Conflict) } else { Err(error) }
            }
        }
    }
}

impl Session {
    pub(crate) fn execute(&self, sql: &str, params: &[Value<'_>]) -> Result<u64, StoreError> {
        let statement = self.prepare(sql)?;
        let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(|value| value as _).collect();
        self.handle.block_on(self.client.execute(&statement, &params)).map_err(|e| error(&e))
    }

    pub(crate) fn query(&self, sql: &str, params: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        let statement = self.prepare(sql)?;
        let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(|value| value as _).collect();
        self.handle.block_on(self.client.query(&statement, &params)).map_err(|e| error(&e))
    }

    pub(crate) fn batch(&self, sql: &str) -> Result<(), StoreError> {
        self.handle.block_on(self.client.batch_execute(sql)).map_err(|e| error(&e))
    }

    fn prepare(&self, sql: &str) -> Result<Statement, StoreError> {
        self.handle.block_on(self.client.prepare_cached(sql)).map_err(|e| error(&e))
    }

    /// Rolls the transaction back. Closes the connection if that fails, so that it is not reused.
    fn roll_back(self) {
        if let Err(error) = self.batch("ROLLBACK") {
            tracing::warn!(%error, "a rollback failed; the connection is closed");
            drop(Object::take(self.client));
        }
    }
}

/// Repeats attempts, which get their number, until one does not conflict with other transactions.
fn run_with_retries<T, E: From<StoreError>>(
    shared: &Shared,
    mut run: impl FnMut(u32) -> Result<Attempt<T>, E>,
) -> Result<T, E> {
    for attempt in 0..MAX_ATTEMPTS {
        match run(attempt)? {
            Attempt::Committed(value) => return Ok(value),
            Attempt::Conflict => std::thread::sleep(backoff(shared, attempt)),
        }
    }
    Err(StoreError::Contended.into())
}

/// Returns the delay before the next attempt: 1 ms doubling up to 128 ms, with a random factor
/// between one half and one.
fn backoff(shared: &Shared, attempt: u32) -> Duration {
    let whole = 1000_u64 << attempt.min(7);
    let [jitter] = shared.entropy.bytes::<1>();
    Duration::from_micros(whole / 2 + whole * u64::from(jitter) / 512)
}

/// Converts an error of the database to a [`StoreError`].
pub(crate) fn error(error: &tokio_postgres::Error) -> StoreError {
    let text = error_chain(error);
    let Some(refusal) = error.as_db_error() else {
        let lost = error.is_closed()
            || std::error::Error::source(error).is_some_and(|s| s.is::<std::io::Error>());
        return if lost { StoreError::Unavailable(text) } else { StoreError::Database(text) };
    };
    match refusal.code() {
        &SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED => {
            StoreError::Contended
        }
        &SqlState::UNIQUE_VIOLATION => {
            StoreError::Unique(refusal.constraint().unwrap_or(refusal.message()).to_owned())
        }
        &SqlState::FOREIGN_KEY_VIOLATION | &SqlState::RESTRICT_VIOLATION => {
            StoreError::Reference(refusal.constraint().unwrap_or(refusal.message()).to_owned())
        }
        // Classes: connection, resources, operator intervention, system error.
        code if ["08", "53", "57", "58"].iter().any(|class| code.code().starts_with(class)) => {
            StoreError::Unavailable(text)
        }
        code => StoreError::Database(format!("{} ({})", refusal.message(), code.code())),
    }
}

/// Returns an error's text with its causes, which the drivers omit from the text.
fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let part = error.to_string();
        if !text.contains(&part) {
            text = format!("{text}: {part}");
        }
        cause = error.source();
    }
    text
}
