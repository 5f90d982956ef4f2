//! Waiting for conditions and for several futures.

use std::future::Future;
use std::time::{Duration, Instant};

use super::{TestEnv, items};

/// The time limit for a condition, far longer than needed.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(180);
/// The interval between checks of a condition.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Calls `ask` repeatedly until it returns a value.
pub(crate) async fn until<T, F: Future<Output = Option<T>>>(mut ask: impl FnMut() -> F) -> T {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(Instant::now() < deadline, "it never happens");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Polls futures of one type to completion.
pub(crate) async fn join_all<F: Future<Output = ()>>(futures: impl Iterator<Item = F>) {
    let mut futures: Vec<_> = futures.map(Box::pin).collect();
    std::future::poll_fn(|context| {
        futures.retain_mut(|future| future.as_mut().poll(context).is_pending());
        if futures.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}

impl TestEnv {
    /// Waits until no job of this kind of a space is queued or running.
    pub(crate) async fn no_jobs(&self, space: &str, kind: &str) {
        until(async || {
            for status in ["queued", "running"] {
                let list = self.client.call("listJobs").query("space", space);
                let list = list.query("status", status).query("kind", kind);
                if !items(&list.send().await.expect(200)).is_empty() {
                    return None;
                }
            }
            Some(())
        })
        .await;
    }
}
