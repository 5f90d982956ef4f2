//! The handle of a running job.

use std::sync::Arc;

use bindery_outbound::CancellationToken;
use bindery_store::{JobLease, Progress};
use tokio::sync::watch;

/// The handle of a running job, which reports progress and receives cancellation.
#[derive(Clone, Debug)]
pub(crate) struct RunningJob {
    /// The worker's lease of the job.
    pub(crate) lease: JobLease,
    /// Cancelled when the job must stop.
    pub(crate) cancel: CancellationToken,
    progress: Arc<watch::Sender<Progress>>,
}

impl RunningJob {
    /// Returns the handle of a leased job and the receiver of its progress.
    pub(super) fn new(lease: JobLease) -> (Self, watch::Receiver<Progress>) {
        let (progress, seen) = watch::channel(Progress::default());
        let cancel = CancellationToken::new();
        (Self { lease, cancel, progress: Arc::new(progress) }, seen)
    }

    /// Returns the handle for a part of the job's work, whose success does not end the job.
    pub(crate) fn step(&self) -> Self {
        Self { lease: self.lease.step(), ..self.clone() }
    }

    /// Sets the progress that the worker stores with its next report.
    pub(crate) fn report(&self, done: u64, total: Option<u64>, message: &str) {
        self.progress.send_replace(Progress { done, total, message: Some(message.to_owned()) });
    }
}
