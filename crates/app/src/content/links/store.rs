//! Updates the stored indexes of spaces a few seconds after their main content has changed. A save
//! only marks the index as outdated.

use bindery_model::{Error, RevisionId, SpaceId, Timestamp};
use bindery_outbound::CancellationToken;
use bindery_revision::{Hash, ObjectError, Objects, Record, Revision};
use bindery_store::link_indexes::{self, StoredIndex};
use bindery_store::outdated::Derived;
use bindery_store::{
    PreparedObject, Store, StoreError, StoreObjects, Tx, revisions, space_references, spaces,
};
use bytes::Bytes;
use tokio::runtime::Handle;

use super::index::{index, indexed, other_spaces};
use crate::content::derived::derive_next;

/// Delay between a change and the update of the index, in milliseconds. Changes within the delay
/// share one update.
pub const DELAY: i64 = 5_000;

/// Updates the index of the space that has been outdated for longest, if that is longer than
/// [`DELAY`]. Returns `true` if there was one. A space that cannot be indexed is retried later.
///
/// # Errors
/// Returns an error if the store fails, or if `stop` is cancelled.
pub async fn store_next(
    store: &Store,
    now: Timestamp,
    stop: &CancellationToken,
) -> Result<bool, StoreError> {
    let objects = Stoppable { objects: store.objects(), stop: stop.clone() };
    let make = move |store: &Store, space| make(store, &objects, space);
    let settle = move |tx: &Tx<'_>, space, made: &Option<IndexUpdate>, _| {
        settle(tx, space, made.as_ref(), now)
    };
    derive_next(store, (Derived::LinkIndex, DELAY), now, stop, make, settle).await
}

/// Objects whose reads fail once `stop` is cancelled.
struct Stoppable {
    objects: StoreObjects,
    stop: CancellationToken,
}

impl Objects for Stoppable {
    fn get(&self, hash: &Hash) -> Result<Bytes, ObjectError> {
        if self.stop.is_cancelled() {
            return Err(ObjectError::Failed("the server is stopping".to_owned()));
        }
        self.objects.get(hash)
    }
}

/// A new index of a space.
#[derive(Clone)]
struct IndexUpdate {
    /// The main content that it describes.
    head: RevisionId,
    before: Option<StoredIndex>,
    now: StoredIndex,
    /// Spaces with newly found references from this one.
    others: Vec<SpaceId>,
}

/// Builds the index of a space's main content from the stored one; `None` if the space no longer
/// exists.
fn make(
    store: &Store,
    objects: &dyn Objects,
    space: SpaceId,
) -> Result<Option<IndexUpdate>, Error> {
    let found = store.read_sync(|tx| {
        let Some(row) = spaces::get(tx, space)? else { return Ok(None) };
        let Some(head) = revisions::get(tx, space, row.head)? else { return Ok(None) };
        let known = space_references::targets(tx, space)?;
        Ok::<_, StoreError>(Some((head, link_indexes::get(tx, space)?, known)))
    });
    let Some((head, before, known)) = found? else { return Ok(None) };
    let content = |object: &Hash| {
        let bytes = objects.get(object)?;
        Revision::decode(&bytes).map(|revision| revision.content)
    };
    let broken = |error: ObjectError| Error::internal(error.to_string());
    let now = content(&head.object).map_err(broken)?;
    let made = match &before {
        Some(before) if before.index.source == Some(indexed(&now)) => *before,
        _ => {
            let base = before.map(|before| Ok((content(&before.base)?, before.index)));
            let base = base.transpose().map_err(broken)?;
            let base = base.as_ref().map(|(content, index)| (content, *index));
            let mut keep = |new: Vec<(Hash, Bytes)>| {
                let new =
                    new.into_iter().map(|(hash, bytes)| PreparedObject::with_hash(hash, bytes));
                Handle::current()
                    .block_on(store.put_objects(new.collect()))
                    .map_err(|error| ObjectError::Failed(error.to_string()))
            };
            StoredIndex { base: head.object, index: index(objects, base, &now, &mut keep)? }
        }
    };
    let mut others = other_spaces(objects, &made.index).map_err(broken)?;
    others.retain(|other| !known.contains(other));
    Ok(Some(IndexUpdate { head: head.id, before, now: made, others }))
}

/// Stores the new index, if the stored one is still its base. Otherwise marks the space as outdated
/// again.
fn settle(
    tx: &Tx<'_>,
    space: SpaceId,
    made: Option<&IndexUpdate>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Some((made, row)) = made.zip(spaces::get(tx, space)?) else { return Ok(()) };
    if link_indexes::get(tx, space)? != made.before {
        return link_indexes::set_outdated_since(tx, space, Some(now));
    }
    if made.before != Some(made.now) {
        link_indexes::set(tx, space, &made.now)?;
    }
    for other in &made.others {
        space_references::create(tx, *other, space)?;
    }
    link_indexes::set_outdated_since(tx, space, (row.head != made.head).then_some(now))
}
