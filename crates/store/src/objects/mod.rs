//! Immutable content-addressed objects: small ones in the database, large ones in files or S3.

mod blobs;
mod cache;
mod codec;
mod collector;
mod folder;
mod rows;
mod s3;
mod storage;

pub use self::blobs::{ObjectPieces, ReceivedObject};
pub use self::codec::PreparedObject;
pub use self::collector::GarbageCollection;
pub use self::rows::{ObjectInfo, StoreObjects, TxObjects};

pub(crate) use self::cache::Cache;
pub(crate) use self::collector::time_before;
pub(crate) use self::storage::Storage;
