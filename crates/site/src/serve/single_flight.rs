//! Renderings in progress. Requests for the same response wait for one rendering, which is
//! cancelled when none of them waits for it any more.

use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bindery_model::{Error, Result};
use tokio::sync::watch;

/// Tells a rendering whether a request still waits for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Returns `true` if no request waits for the rendering.
    pub(super) fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The result that several requests share.
type Outcome<T> = Option<std::result::Result<T, String>>;

/// A rendering in progress, owned by the requests that wait for it.
#[derive(Debug)]
struct Flight<T> {
    outcome: watch::Receiver<Outcome<T>>,
    cancellation: Cancellation,
}

impl<T> Drop for Flight<T> {
    fn drop(&mut self) {
        self.cancellation.0.store(true, Ordering::Relaxed);
    }
}

/// The renderings in progress by their key.
#[derive(Debug)]
pub(super) struct SingleFlight<K, T>(Arc<Mutex<HashMap<K, Weak<Flight<T>>>>>);

impl<K, T> Default for SingleFlight<K, T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K, T> SingleFlight<K, T>
where
    K: Hash + Eq + Clone + Send + 'static,
    T: Clone + Send + Sync + 'static,
{
    /// Returns the result of the rendering with this key that is in progress, or of the one that
    /// `start` begins. A rendering whose last caller leaves is dropped at its next `await`, and its
    /// [`Cancellation`] stops the part that runs on a blocking thread.
    ///
    /// # Errors
    /// Returns the errors of the rendering as internal errors.
    pub(super) async fn join<F>(&self, key: K, start: impl FnOnce(Cancellation) -> F) -> Result<T>
    where
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let flight = self.flight(key, start);
        let mut outcome = flight.outcome.clone();
        let outcome = outcome.wait_for(Option::is_some).await.ok().and_then(|value| value.clone());
        match outcome {
            Some(Ok(value)) => Ok(value),
            Some(Err(message)) => Err(Error::internal(message)),
            None => Err(Error::internal("the rendering of a page ended without a result")),
        }
    }

    fn flight<F>(&self, key: K, start: impl FnOnce(Cancellation) -> F) -> Arc<Flight<T>>
    where
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(flight) = running.get(&key).and_then(Weak::upgrade) {
            return flight;
        }
        let cancellation = Cancellation::default();
        let (sender, outcome) = watch::channel(None);
        let flight = Arc::new(Flight { outcome, cancellation: cancellation.clone() });
        let own = Arc::downgrade(&flight);
        running.insert(key.clone(), Weak::clone(&own));
        drop(running);
        let work = start(cancellation);
        let all = Arc::clone(&self.0);
        tokio::spawn(async move {
            let outcome = tokio::select! {
                outcome = work => Some(outcome.map_err(|error| error.to_string())),
                () = sender.closed() => None,
            };
            let mut running = all.lock().unwrap_or_else(PoisonError::into_inner);
            // If no request waited any more, another rendering of the same key may already be in
            // progress.
            if running.get(&key).is_some_and(|flight| flight.ptr_eq(&own)) {
                running.remove(&key);
            }
            drop(running);
            sender.send_replace(outcome);
        });
        flight
    }

    /// Returns the number of renderings in progress.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    use tokio::sync::{Notify, oneshot};

    use super::*;

    #[tokio::test]
    async fn concurrent_requests_share_one_rendering() {
        let flights = SingleFlight::<&str, u32>::default();
        let begun = AtomicUsize::new(0);
        let go = Arc::new(Notify::new());
        let join = || {
            let go = Arc::clone(&go);
            flights.join("a", |_| {
                begun.fetch_add(1, Ordering::Relaxed);
                async move {
                    go.notified().await;
                    Ok(7)
                }
            })
        };
        let release = async {
            tokio::task::yield_now().await;
            go.notify_one();
        };
        let (one, two, three, ()) = tokio::join!(join(), join(), join(), release);
        assert_eq!((one.unwrap(), two.unwrap(), three.unwrap()), (7, 7, 7));
        assert_eq!(begun.load(Ordering::Relaxed), 1);
        assert_eq!(flights.len(), 0);
        let failed = flights.join("a", |_| async { Err(Error::internal("no")) }).await;
        assert!(failed.is_err() && flights.len() == 0);
    }

    #[tokio::test]
    async fn a_rendering_without_waiting_requests_is_cancelled() {
        let flights = SingleFlight::<&str, u32>::default();
        let (sender, receiver) = oneshot::channel();
        let mut sender = Some(sender);
        let mut seen = None;
        {
            let waiting = flights.join("a", |cancellation| {
                seen = Some(cancellation);
                let sender = sender.take();
                async move {
                    // Dropped with the future, which closes the receiver's channel.
                    let _sender: Option<oneshot::Sender<()>> = sender;
                    std::future::pending().await
                }
            });
            assert!(tokio::time::timeout(Duration::from_millis(1), waiting).await.is_err());
        }
        assert!(receiver.await.is_err());
        assert!(seen.unwrap().is_cancelled());
        assert_eq!(flights.join("a", |_| async { Ok(1) }).await.unwrap(), 1);
    }
}
