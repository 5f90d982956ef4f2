//! Caches that are bounded in bytes.

use std::hash::Hash;
use std::sync::Arc;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

/// Estimated overhead of an entry in memory, in bytes.
const ENTRY_OVERHEAD: usize = 128;

/// A value with a known size.
pub(crate) trait CachedSize {
    /// Returns the size in memory in bytes.
    fn bytes(&self) -> usize;
}

impl CachedSize for String {
    fn bytes(&self) -> usize {
        self.len()
    }
}

/// Weighs entries by their size.
#[derive(Clone, Debug)]
pub(crate) struct SizeWeighter;

impl<K, V: CachedSize> Weighter<K, Arc<V>> for SizeWeighter {
    fn weight(&self, _: &K, value: &Arc<V>) -> u64 {
        (value.bytes() + ENTRY_OVERHEAD) as u64
    }
}

/// A cache that is bounded in bytes.
pub(crate) type SizedCache<K, V> = Cache<K, Arc<V>, SizeWeighter>;

/// Creates a cache of at most `capacity` bytes, for entries of about `entry_size` bytes.
pub(crate) fn sized_cache<K: Eq + Hash, V: CachedSize>(
    capacity: u64,
    entry_size: u64,
) -> SizedCache<K, V> {
    let items = usize::try_from(capacity / entry_size).unwrap_or(usize::MAX);
    let mut options = OptionsBuilder::new();
    // An entry larger than a shard is not cached, so there is only one.
    options.shards(1).estimated_items_capacity(items).weight_capacity(capacity);
    match options.build() {
        Ok(options) => Cache::with_options(
            options,
            SizeWeighter,
            DefaultHashBuilder::default(),
            DefaultLifecycle::default(),
        ),
        Err(_) => Cache::with_weighter(items, capacity, SizeWeighter),
    }
}
