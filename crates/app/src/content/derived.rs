//! Derives data from the main content of spaces a moment after it has changed.

use bindery_model::{Error, SpaceId, Timestamp};
use bindery_outbound::CancellationToken;
use bindery_store::outdated::{self, Derived};
use bindery_store::{Store, StoreError, Tx};

use crate::own_thread::in_own_thread;

/// Time after which another node may derive the data of a space again, in milliseconds.
const LEASE: i64 = 10 * 60 * 1_000;

/// Derives the data of the space whose data has been outdated for longest, if that is longer than
/// `delay` milliseconds. Returns `true` if there was one. A space for which that fails is tried
/// again later.
///
/// `make` derives the data on a thread of its own. `settle` stores it and ends the claim of
/// the space, which it gets as a time.
///
/// # Errors
/// Returns an error if the store or `make` fails, or if `stop` is cancelled.
pub(super) async fn derive_next<T: Send + 'static>(
    store: &Store,
    (derived, delay): (Derived, i64),
    now: Timestamp,
    stop: &CancellationToken,
    make: impl FnOnce(&Store, SpaceId) -> Result<T, Error> + Send + 'static,
    settle: impl Fn(&Tx<'_>, SpaceId, &T, Timestamp) -> Result<(), StoreError> + Send + 'static,
) -> Result<bool, StoreError> {
    let before = now.plus_millis(-delay);
    let next = store.read(move |tx| outdated::oldest(tx, derived, before)).await?;
    let Some((space, since)) = next else { return Ok(false) };
    let until = now.plus_millis(LEASE);
    let claim = move |tx: &Tx<'_>| outdated::change(tx, derived, space, since, Some(until));
    if !store.write(claim).await? {
        return Ok(true);
    }
    let work = store.clone();
    let made = in_own_thread("derived", move || make(&work, space)).await;
    match made.map_err(|error| StoreError::Panicked(error.to_string()))? {
        Ok(made) => store.write(move |tx| settle(tx, space, &made, until)).await?,
        Err(error) => {
            if stop.is_cancelled() {
                let release =
                    move |tx: &Tx<'_>| outdated::change(tx, derived, space, until, Some(since));
                store.write(release).await?;
            }
            return Err(StoreError::Corrupt(format!("{derived} of space {space}: {error}")));
        }
    }
    Ok(true)
}
