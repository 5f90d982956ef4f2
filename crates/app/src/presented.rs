//! Answers' parts that are kept until anything at all changes.
//!
//! Only where this process alone makes changes, the store counts them: a part that was made in a
//! reading transaction is kept under the count that stood before that transaction began. It may
//! then show something newer than the count, never something older: whoever reads later under the
//! same count was told of no change since.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use bindery_model::{Role, SpaceId};
use bindery_store::Tx;
use serde_json::value::RawValue;

/// Parts that are kept at most; a part is about a kilobyte.
const MOST: usize = 4_096;

/// A space, the level that its permissions are shown for, and whether its collection is shown.
type Key = (SpaceId, Role, bool);

/// Spaces in the form that the API sends.
#[derive(Debug, Default)]
pub struct PresentedSpaces(RwLock<Kept>);

#[derive(Debug, Default)]
struct Kept {
    as_of: u64,
    parts: HashMap<Key, Arc<RawValue>>,
}

impl PresentedSpaces {
    /// What is kept of these, in their order; `None` for what must be made.
    pub fn get(&self, tx: &Tx<'_>, keys: impl Iterator<Item = Key>) -> Vec<Option<Arc<RawValue>>> {
        let kept = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let holds = tx.change_count() == Some(kept.as_of);
        keys.map(|key| kept.parts.get(&key).filter(|_| holds).cloned()).collect()
    }

    /// Keeps what was made in this transaction.
    pub fn keep(&self, tx: &Tx<'_>, made: impl IntoIterator<Item = (Key, Arc<RawValue>)>) {
        let Some(as_of) = tx.change_count() else { return };
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if as_of < kept.as_of {
            return;
        }
        if as_of > kept.as_of || kept.parts.len() >= MOST {
            *kept = Kept { as_of, parts: HashMap::new() };
        }
        kept.parts.extend(made);
    }
}
