//! Work in threads of its own.

use thiserror::Error as ThisError;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Reason for work without a result.
#[derive(ThisError, Debug)]
pub(crate) enum NoResult {
    #[error("the thread {name} cannot start: {error}")]
    NotStarted { name: &'static str, error: std::io::Error },
    #[error("the thread {0} has panicked")]
    Panicked(&'static str),
}

/// Runs a function in a new thread with a name. The allocator returns the memory of a thread when it
/// ends, which the many threads of the pool do only after a while without work.
pub(crate) async fn in_own_thread<T: Send + 'static>(
    name: &'static str,
    run: impl FnOnce() -> T + Send + 'static,
) -> Result<T, NoResult> {
    let (sender, result) = oneshot::channel();
    let runtime = Handle::current();
    let thread = std::thread::Builder::new().name(name.to_owned());
    let started = thread.spawn(move || {
        let _runtime = runtime.enter();
        // The receiver is dropped if the server stops.
        let _ = sender.send(run());
    });
    started.map_err(|error| NoResult::NotStarted { name, error })?;
    result.await.map_err(|_| NoResult::Panicked(name))
}
