//! The result of an attempt that did not succeed.

use bindery_store::{JobError, Retry, StoreError};

/// The result of an attempt that did not succeed.
#[derive(Debug)]
pub(crate) enum JobFailure {
    /// The attempt failed with this error.
    Failed(JobError, Retry),
    /// A user or the shutdown of the server cancelled the attempt.
    Cancelled,
    /// The lease is lost; another worker may have the job.
    Lost,
}

impl From<StoreError> for JobFailure {
    fn from(error: StoreError) -> Self {
        if matches!(error, StoreError::LeaseLost) {
            return Self::Lost;
        }
        tracing::error!(%error, "a job failed in the store");
        Self::Failed(
            JobError { code: "internal".to_owned(), message: "the server failed".to_owned() },
            Retry::Later,
        )
    }
}

/// The message of a job that failed for a reason of the server.
pub(super) const SERVER_FAILED: &str = "the server failed while running this job";

impl JobFailure {
    /// Returns a failure that is not retried.
    pub(crate) fn fatal(code: &str, message: impl Into<String>) -> Self {
        let error = JobError { code: code.to_owned(), message: message.into() };
        Self::Failed(error, Retry::Never)
    }

    /// Logs an error and returns a failure that does not show its details.
    pub(crate) fn internal(error: bindery_model::Error) -> Self {
        tracing::error!(%error, "a job failed for a reason of the server");
        Self::fatal("internal", SERVER_FAILED)
    }

    /// Returns the name of an outcome, for the log.
    pub(super) const fn outcome_name(outcome: &Result<(), Self>) -> &'static str {
        match outcome {
            Ok(()) => "done",
            Err(Self::Cancelled) => "cancelled",
            Err(Self::Lost) => "lost",
            Err(Self::Failed(..)) => "failed",
        }
    }
}
