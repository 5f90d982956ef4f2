//! The clustered engine: PostgreSQL, or anything that speaks its protocol.

use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime, Timeouts};
use tokio::runtime::Handle;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Statement, error::SqlState};

use crate::shared::Shared;
use crate::sqlite::outcome;
use crate::tx::{Engine, Failure, Tx};
use crate::{StoreError, Value, migrations};

mod tls;

/// How often a transaction runs before it is given up against concurrent ones.
const ATTEMPTS: u32 = 16;

/// How long a caller waits for a connection.
const WAIT: Duration = Duration::from_secs(10);

/// The clustered engine.
pub(crate) struct Postgres {
    pool: Pool,
    handle: Handle,
}

/// One connection inside a transaction, used from a thread that may block.
pub(crate) struct Session {
    client: Object,
    handle: Handle,
}

enum End<T> {
    Done(T),
    Again,
}

impl Postgres {
    pub(crate) fn connect(url: &str, connections: usize) -> Result<Self, StoreError> {
        let (mut config, tls) = tls::read(url)?;
        if config.get_application_name().is_none() {
            config.application_name("bindery");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(WAIT);
        }
        let manager = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let timeouts = Timeouts { wait: Some(WAIT), create: Some(WAIT), recycle: Some(WAIT) };
        let pool = Pool::builder(Manager::from_config(config, tls, manager))
            .max_size(connections)
            .timeouts(timeouts)
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| StoreError::Config(error.to_string()))?;
        Ok(Self { pool, handle: Handle::current() })
    }

    /// Applies what is missing of the migrations. Blocks. Several nodes may do so at once: the
    /// row of the version is locked by whoever comes first.
    pub(crate) fn migrate(&self, shared: &Shared) -> Result<(), StoreError> {
        // In bytes, `a` comes after `B`; then the database needs no telling.
        let by_locale = self.repeat(shared, "BEGIN", &mut |tx: &Tx<'_>| {
            tx.query_one("SELECT 'a' < 'B'", &[], |row| row.get::<bool>(0))
        })?;
        let collate = if by_locale { " COLLATE \"C\"" } else { "" };
        let mut attempt = 0;
        // Two nodes that create the same table at once meet as a unique violation.
        while let Err(error) = self.repeat(shared, "BEGIN", &mut migrations::prepare) {
            attempt += 1;
            if attempt == ATTEMPTS {
                return Err(error);
            }
            std::thread::sleep(backoff(shared, attempt));
        }
        while self.repeat(shared, "BEGIN", &mut |tx: &Tx<'_>| {
            migrations::step(tx, |sql| migrations::postgres(sql, collate))
        })? {}
        Ok(())
    }

    /// Runs a closure in a serializable transaction, again while it meets concurrent ones. Blocks.
    pub(crate) fn write<T, E: From<StoreError>>(
        &self,
        shared: &Shared,
        f: &mut impl FnMut(&Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.repeat(shared, "BEGIN ISOLATION LEVEL SERIALIZABLE", f)
    }

    /// Runs a closure against one state of the database. Blocks.
    pub(crate) fn read<T, E: From<StoreError>>(
        &self,
        shared: &Shared,
        f: impl FnOnce(&Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut once = Some(f);
        let mut f = |tx: &Tx<'_>| once.take().map_or(Err(StoreError::Contended.into()), |f| f(tx));
        self.repeat(shared, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", &mut f)
    }

    fn repeat<T, E: From<StoreError>>(
        &self,
        shared: &Shared,
        begin: &str,
        f: &mut impl FnMut(&Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        for attempt in 0..ATTEMPTS {
            match self.once(shared, begin, f)? {
                End::Done(value) => return Ok(value),
                End::Again => std::thread::sleep(backoff(shared, attempt)),
            }
        }
        Err(StoreError::Contended.into())
    }

    fn once<T, E: From<StoreError>>(
        &self,
        shared: &Shared,
        begin: &str,
        f: &mut impl FnMut(&Tx<'_>) -> Result<T, E>,
    ) -> Result<End<T>, E> {
        let client = self.handle.block_on(self.pool.get()).map_err(|error| {
            let why = tls::refusal(&error).unwrap_or_else(|| chain(&error));
            StoreError::unavailable("connect to the database", why)
        })?;
        let session = Session { client, handle: self.handle.clone() };
        session.batch(begin)?;
        let tx = Tx::new(Engine::Postgres(&session), shared);
        let result = outcome(&tx, f);
        let (failure, wrote, enqueued) = (tx.failure(), tx.wrote(), tx.enqueued());
        match result {
            Ok(value) => match session.batch("COMMIT") {
                Ok(()) => {
                    shared.signals.committed(wrote, enqueued);
                    Ok(End::Done(value))
                }
                Err(StoreError::Contended) => {
                    session.end();
                    Ok(End::Again)
                }
                Err(error) => {
                    session.end();
                    Err(error.into())
                }
            },
            Err(error) => {
                session.end();
                if failure == Some(Failure::Contended) { Ok(End::Again) } else { Err(error) }
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

    /// Rolls back; a connection that cannot is closed rather than used again.
    fn end(self) {
        if let Err(error) = self.batch("ROLLBACK") {
            tracing::warn!(%error, "a rollback failed; the connection is closed");
            drop(Object::take(self.client));
        }
    }
}

/// 1 ms doubling to 128 ms, each between half and the whole of it.
fn backoff(shared: &Shared, attempt: u32) -> Duration {
    let whole = 1000_u64 << attempt.min(7);
    let [jitter] = shared.entropy.bytes::<1>();
    Duration::from_micros(whole / 2 + whole * u64::from(jitter) / 512)
}

/// Puts an error of the database into our words.
pub(crate) fn error(error: &tokio_postgres::Error) -> StoreError {
    let text = chain(error);
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
        // Connection, resources, operator intervention, system error.
        code if ["08", "53", "57", "58"].iter().any(|class| code.code().starts_with(class)) => {
            StoreError::Unavailable(text)
        }
        code => StoreError::Database(format!("{} ({})", refusal.message(), code.code())),
    }
}

/// An error with its causes, which the drivers leave out of their text.
fn chain(error: &dyn std::error::Error) -> String {
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
