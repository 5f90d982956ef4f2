//! Background jobs: the trait that each kind implements, their failures, and their progress.
//!
//! A job is implemented in the module of its subject and listed in `registry`. The worker runs
//! jobs through the registry, and the collector asks it for the objects that waiting jobs need.

pub mod collector;
mod failure;
pub(crate) mod mail;
pub(crate) mod registry;
mod requests;
mod running;
mod schedule;
mod worker;

use bindery_model::{Error, JobKind, Result};
use bindery_revision::ObjectRef;
use bindery_store::NewJob;
pub use bindery_store::{Job, JobError, JobStatus, Progress};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use self::failure::JobFailure;
pub use self::requests::{JobQuery, JobTarget, cancel, list};
pub(crate) use self::running::RunningJob;
pub use self::worker::run_jobs;
pub(crate) use self::worker::wait_for_stop;

use crate::App;

/// A kind of background job.
pub(crate) trait BackgroundJob {
    /// The kind that this type implements.
    const KIND: JobKind;
    /// Maximum number of attempts.
    const MAX_ATTEMPTS: u32;
    /// Error message of a job whose stored payload cannot be decoded.
    const PAYLOAD_ERROR: &str = "the job's payload cannot be decoded";

    /// The input of a job. It is stored as JSON, so jobs that an earlier release enqueued must stay
    /// readable. It must not contain secrets in clear text.
    type Payload: Serialize + DeserializeOwned;

    /// Runs one attempt on a thread of its own, where it may block. Several attempts can run one
    /// after the other, also after a crash, so every effect must be safe to repeat. The attempt
    /// must stop soon after [`RunningJob::cancel`] is cancelled.
    ///
    /// # Errors
    /// Returns the failure of the attempt. A successful attempt must call `Tx::finish_job` in the
    /// transaction of its last effect.
    fn run(
        app: &App,
        job: &Job,
        payload: Self::Payload,
        running: &RunningJob,
    ) -> std::result::Result<(), JobFailure>;

    /// Returns the objects that an unfinished job needs and that only its payload names. The
    /// collector keeps them.
    fn referenced_objects(_: &Self::Payload) -> Vec<ObjectRef> {
        Vec::new()
    }
}

/// Creates a job of kind `J` for `Tx::enqueue`, without an organization, a space or an actor.
///
/// # Errors
/// Fails if the payload cannot be encoded.
pub(crate) fn new_job<J: BackgroundJob>(payload: &J::Payload) -> Result<NewJob> {
    let payload = serde_json::to_value(payload)
        .map_err(|error| Error::internal(format!("a job's payload: {error}")))?;
    Ok(NewJob { payload, max_attempts: J::MAX_ATTEMPTS, ..NewJob::new(J::KIND) })
}
