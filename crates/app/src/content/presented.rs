//! A cache of parts of responses, emptied by any change in the store.
//!
//! The store counts changes only if this process is the sole writer. A part that is rendered in a
//! read transaction is cached under the count from before that transaction began. The part may
//! therefore be newer than its count, but never older, so a later reader with the same count never
//! gets outdated data.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use bindery_model::{Role, SpaceId};
use bindery_store::Tx;
use serde_json::value::RawValue;

/// Maximum number of cached parts. A part is about one kilobyte.
const MAX_PARTS: usize = 4_096;

/// A space, the role that its permissions are rendered for, and `true` if its collection is
/// included.
type Key = (SpaceId, Role, bool);

/// A cache of spaces in the JSON form that the API sends.
#[derive(Debug, Default)]
pub struct PresentedSpaces(RwLock<Cache>);

#[derive(Debug, Default)]
struct Cache {
    as_of: u64,
    parts: HashMap<Key, Arc<RawValue>>,
}

impl PresentedSpaces {
    /// Returns `true` if parts can be cached in this transaction.
    pub fn is_usable(&self, tx: &Tx<'_>) -> bool {
        tx.change_count().is_some()
    }

    /// Returns the cached parts of these keys, in their order; `None` for those that are missing.
    pub fn get(&self, tx: &Tx<'_>, keys: impl Iterator<Item = Key>) -> Vec<Option<Arc<RawValue>>> {
        let cache = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let is_valid = tx.change_count() == Some(cache.as_of);
        keys.map(|key| cache.parts.get(&key).filter(|_| is_valid).cloned()).collect()
    }

    /// Caches parts that were rendered in this transaction.
    pub fn keep(&self, tx: &Tx<'_>, rendered: impl IntoIterator<Item = (Key, Arc<RawValue>)>) {
        let Some(as_of) = tx.change_count() else { return };
        let mut cache = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if as_of < cache.as_of {
            return;
        }
        if as_of > cache.as_of || cache.parts.len() >= MAX_PARTS {
            *cache = Cache { as_of, parts: HashMap::new() };
        }
        cache.parts.extend(rendered);
    }
}
