//! Configuration of a store.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bindery_model::{Clock, Entropy};

/// Configuration of a store.
#[derive(Clone)]
pub struct StoreConfig {
    /// The database engine for records.
    pub engine: EngineConfig,
    /// The storage for large objects.
    pub objects: ObjectsConfig,
    /// Size of the cache of decompressed objects, in bytes.
    pub object_cache: u64,
    /// The clock for all stored times.
    pub clock: Arc<dyn Clock>,
    /// Source of randomness for ids and secrets.
    pub entropy: Arc<Entropy>,
    /// Duration from which a transaction is logged as slow; `None` to log none.
    pub slow_transaction: Option<Duration>,
}

/// The database engine for records.
#[derive(Clone)]
pub enum EngineConfig {
    /// SQLite in a folder. One process at a time may use it.
    Sqlite {
        /// The data folder. The store creates it if it is missing.
        dir: PathBuf,
    },
    /// PostgreSQL, or a database that speaks its protocol.
    Postgres {
        /// `postgres://user:password@host:port/database?option=value`. The options `sslmode` and
        /// `sslrootcert` configure TLS as they do for PostgreSQL's own clients.
        url: String,
        /// Maximum number of connections.
        connections: usize,
    },
}

/// The storage for large objects.
#[derive(Clone)]
pub enum ObjectsConfig {
    /// A local folder. The store creates it if it is missing.
    Folder(PathBuf),
    /// An S3-compatible object store: `s3://bucket/prefix?region=…&endpoint=…`. Credentials come
    /// from `AWS_ACCESS_KEY_ID` and the related variables of the environment.
    Url(String),
}

impl StoreConfig {
    /// Default size of the cache of decompressed objects, in bytes.
    pub const OBJECT_CACHE: u64 = 24 << 20;

    /// Default maximum number of connections to PostgreSQL.
    pub const CONNECTIONS: usize = 16;

    /// Returns a configuration that keeps everything in one data folder.
    pub fn embedded(dir: impl Into<PathBuf>, clock: Arc<dyn Clock>, entropy: Arc<Entropy>) -> Self {
        let dir = dir.into();
        Self {
            objects: ObjectsConfig::Folder(dir.join("objects")),
            engine: EngineConfig::Sqlite { dir },
            object_cache: Self::OBJECT_CACHE,
            clock,
            entropy,
            slow_transaction: None,
        }
    }
}

/// Omits the URLs, which contain passwords.
impl std::fmt::Debug for StoreConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreConfig")
            .field("object_cache", &self.object_cache)
            .finish_non_exhaustive()
    }
}
