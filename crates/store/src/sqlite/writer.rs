//! The single writer thread. It commits many closures together, each in its own savepoint, and
//! answers their callers only after the commit is on disk.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::oneshot;
use tracing::Span;

use super::run_statement;
use crate::StoreError;
use crate::counted::Counted;
use crate::shared::Shared;
use crate::tx::{Engine, Tx};

/// Maximum number of closures in one commit.
const MAX_BATCH: usize = 512;

/// Time after which a batch is committed, so that short writes do not wait for many long ones.
const MAX_BATCH_DURATION: Duration = Duration::from_millis(4);

/// The handle of the writer thread.
pub(crate) struct Writer {
    queue: Option<Sender<Box<dyn Work>>>,
    /// Number of closures that are not answered yet.
    queued: AtomicUsize,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(crate) fn start(connection: Connection, shared: Arc<Shared>) -> Result<Self, StoreError> {
        let (queue, work) = channel();
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || run(&connection, &work, &shared))
            .map_err(|error| StoreError::unavailable("start the writer thread", error))?;
        Ok(Self { queue: Some(queue), queued: AtomicUsize::new(0), thread: Some(thread) })
    }

    /// Returns the number of closures that wait for their commit.
    pub(crate) fn queued(&self) -> usize {
        self.queued.load(Ordering::Relaxed)
    }

    /// Runs a closure on the writer thread and returns after the commit.
    pub(crate) async fn write<T, E, F>(&self, f: F) -> Result<T, E>
    where
        F: FnMut(&Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let _queued = Counted::new(&self.queued);
        let (answer, answered) = oneshot::channel();
        let call = Box::new(Call { f, span: Span::current(), result: None, answer });
        let gone = || E::from(StoreError::Unavailable("the writer has stopped".to_owned()));
        self.queue.as_ref().ok_or_else(gone)?.send(call).map_err(|_| gone())?;
        answered.await.unwrap_or_else(|_| Err(gone()))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        // A closure may hold the last handle of its own store, and a thread cannot wait for itself.
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != std::thread::current().id()
            && thread.join().is_err()
        {
            tracing::error!("the writer thread panicked");
        }
    }
}

/// A closure without its type parameters.
trait Work: Send {
    /// Runs the closure. Returns `true` if its changes should be kept.
    fn run(&mut self, tx: &Tx<'_>) -> bool;

    /// Sends the result to the caller, after the commit succeeded or failed.
    fn finish(self: Box<Self>, commit: Result<(), StoreError>);
}

struct Call<F, T, E> {
    f: F,
    /// The caller's span, which contains the events of the closure.
    span: Span,
    result: Option<Result<T, E>>,
    answer: oneshot::Sender<Result<T, E>>,
}

impl<F, T, E> Work for Call<F, T, E>
where
    F: FnMut(&Tx<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn run(&mut self, tx: &Tx<'_>) -> bool {
        let result = self.span.in_scope(|| run_closure(tx, &mut self.f));
        let keep = result.is_ok();
        self.result = Some(result);
        keep
    }

    fn finish(self: Box<Self>, commit: Result<(), StoreError>) {
        let result = match (commit, self.result) {
            (Ok(()), Some(result)) => result,
            (Ok(()), None) => Err(StoreError::Aborted.into()),
            (Err(error), _) => Err(error.into()),
        };
        // The caller may have stopped waiting, but the write is done all the same.
        let _ = self.answer.send(result);
    }
}

/// Runs a closure. Turns a panic, or a failed statement that the closure ignored, into an error.
pub(crate) fn run_closure<T, E: From<StoreError>>(
    tx: &Tx<'_>,
    f: &mut impl FnMut(&Tx<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let result = catch_unwind(AssertUnwindSafe(|| f(tx)));
    match (result, tx.failure()) {
        (Err(panic), _) => {
            let what = panic_text(panic.as_ref());
            tracing::error!(panic = what, "a transaction panicked");
            Err(StoreError::Panicked(what.to_owned()).into())
        }
        (Ok(Ok(_)), Some(failure)) => Err(StoreError::from(failure).into()),
        (Ok(result), _) => result,
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no text")
}

fn run(connection: &Connection, work: &Receiver<Box<dyn Work>>, shared: &Shared) {
    while let Ok(first) = work.recv() {
        let mut batch = Batch { wrote: false, enqueued: false, done: Vec::new() };
        let commit = batch.commit(connection, shared, first, work);
        if commit.is_ok() {
            shared.signals.committed(batch.wrote, batch.enqueued);
        }
        for done in batch.done {
            done.finish(commit.clone());
        }
    }
}

struct Batch {
    wrote: bool,
    enqueued: bool,
    done: Vec<Box<dyn Work>>,
}

impl Batch {
    fn commit(
        &mut self,
        connection: &Connection,
        shared: &Shared,
        first: Box<dyn Work>,
        more: &Receiver<Box<dyn Work>>,
    ) -> Result<(), StoreError> {
        let result = self.work(connection, shared, first, more);
        let result = result.and_then(|()| run_statement(connection, "COMMIT"));
        if let Err(error) = &result {
            tracing::error!(%error, writes = self.done.len(), "a commit failed");
            if !connection.is_autocommit()
                && let Err(error) = run_statement(connection, "ROLLBACK")
            {
                tracing::error!(%error, "a rollback failed");
            }
        }
        result
    }

    fn work(
        &mut self,
        connection: &Connection,
        shared: &Shared,
        first: Box<dyn Work>,
        more: &Receiver<Box<dyn Work>>,
    ) -> Result<(), StoreError> {
        let begun = run_statement(connection, "BEGIN IMMEDIATE");
        let start = Instant::now();
        let mut next = Some(first);
        while let Some(mut call) = next {
            let result =
                begun.clone().and_then(|()| self.run_one(connection, shared, call.as_mut()));
            self.done.push(call);
            result?;
            let full = self.done.len() >= MAX_BATCH || start.elapsed() > MAX_BATCH_DURATION;
            next = if full { None } else { more.try_recv().ok() };
        }
        Ok(())
    }

    /// Runs one closure in its savepoint. An error fails the whole batch.
    fn run_one(
        &mut self,
        connection: &Connection,
        shared: &Shared,
        call: &mut dyn Work,
    ) -> Result<(), StoreError> {
        run_statement(connection, "SAVEPOINT one")?;
        let tx = Tx::new(Engine::Sqlite(connection), shared);
        let keep = call.run(&tx);
        if connection.is_autocommit() {
            // If the disk is full or failing, SQLite rolls back the whole transaction by itself.
            return Err(StoreError::Unavailable("the disk refused the transaction".to_owned()));
        }
        if keep {
            self.wrote |= tx.wrote();
            self.enqueued |= tx.enqueued();
        } else {
            run_statement(connection, "ROLLBACK TO one")?;
        }
        run_statement(connection, "RELEASE one")
    }
}
