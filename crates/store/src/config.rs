//! What a store is opened with.

use std::path::PathBuf;
use std::sync::Arc;

use bindery_model::{Clock, Entropy};

/// What a store is opened with.
#[derive(Clone)]
pub struct StoreConfig {
    /// Where records are kept.
    pub engine: EngineConfig,
    /// Where large objects are kept.
    pub objects: ObjectsConfig,
    /// Bytes of decompressed objects kept in memory.
    pub object_cache: u64,
    /// The time of everything that is written.
    pub clock: Arc<dyn Clock>,
    /// Randomness for ids and secrets.
    pub entropy: Arc<Entropy>,
}

/// Where records are kept.
#[derive(Clone)]
pub enum EngineConfig {
    /// SQLite in a folder, which one process at a time may use.
    Sqlite {
        /// The data folder; it is created when it is missing.
        dir: PathBuf,
    },
    /// PostgreSQL, or anything that speaks its protocol.
    Postgres {
        /// `postgres://user:password@host:port/database?option=value`. Of the options, `sslmode`
        /// and `sslrootcert` say how TLS is spoken, as for PostgreSQL's own clients.
        url: String,
        /// Connections at most.
        connections: usize,
    },
}

/// Where large objects are kept.
#[derive(Clone)]
pub enum ObjectsConfig {
    /// A local folder; it is created when it is missing.
    Folder(PathBuf),
    /// An S3-compatible object store: `s3://bucket/prefix?region=…&endpoint=…`. Credentials come
    /// from `AWS_ACCESS_KEY_ID` and its siblings in the environment.
    Url(String),
}

impl StoreConfig {
    /// Bytes of decompressed objects kept in memory unless told otherwise.
    pub const OBJECT_CACHE: u64 = 24 << 20;

    /// Connections to PostgreSQL unless told otherwise.
    pub const CONNECTIONS: usize = 16;

    /// Everything in one data folder.
    pub fn embedded(dir: impl Into<PathBuf>, clock: Arc<dyn Clock>, entropy: Arc<Entropy>) -> Self {
        let dir = dir.into();
        Self {
            objects: ObjectsConfig::Folder(dir.join("objects")),
            engine: EngineConfig::Sqlite { dir },
            object_cache: Self::OBJECT_CACHE,
            clock,
            entropy,
        }
    }
}

/// Without URLs, which hold passwords.
impl std::fmt::Debug for StoreConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreConfig")
            .field("object_cache", &self.object_cache)
            .finish_non_exhaustive()
    }
}
