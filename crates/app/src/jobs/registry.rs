//! The registry of all kinds of background jobs.

use bindery_model::JobKind;
use bindery_revision::ObjectRef;
use bindery_store::{Job, JobFilter, JobStatus, StoreError, Tx};

use super::{BackgroundJob, JobFailure, RunningJob};
use crate::App;
use crate::content::embeds::EmbedDescriptionsJob;
use crate::content::exports::GitExportJob;
use crate::content::git_installations::GitWebhookJob;
use crate::content::git_sync::{GitSyncDryRunJob, GitSyncJob};
use crate::content::imports::{ArchiveImportJob, GitImportJob};
use crate::content::openapi::{OpenApiComparisonJob, OpenApiJob};
use crate::content::pdf::PdfJob;
use crate::people::organization_invites::InvitationMailJob;
use crate::people::sign_in::SignInMailJob;
use crate::review::notifications::NotificationMailJob;

/// All kinds of jobs that this server runs.
const REGISTRY: [Registered; 13] = [
    Registered::new::<GitImportJob>(),
    Registered::new::<ArchiveImportJob>(),
    Registered::new::<GitExportJob>(),
    Registered::new::<GitSyncJob>(),
    Registered::new::<GitWebhookJob>(),
    Registered::new::<GitSyncDryRunJob>(),
    Registered::new::<InvitationMailJob>(),
    Registered::new::<SignInMailJob>(),
    Registered::new::<NotificationMailJob>(),
    Registered::new::<PdfJob>(),
    Registered::new::<EmbedDescriptionsJob>(),
    Registered::new::<OpenApiJob>(),
    Registered::new::<OpenApiComparisonJob>(),
];

/// A registered kind: its functions, without the type of its payload.
struct Registered {
    kind: JobKind,
    run: fn(&App, &Job, &RunningJob) -> Result<(), JobFailure>,
    referenced_objects: fn(Job) -> Result<Vec<ObjectRef>, StoreError>,
}

impl Registered {
    const fn new<J: BackgroundJob>() -> Self {
        Self { kind: J::KIND, run: run_decoded::<J>, referenced_objects: decoded_objects::<J> }
    }
}

fn run_decoded<J: BackgroundJob>(
    app: &App,
    job: &Job,
    running: &RunningJob,
) -> Result<(), JobFailure> {
    let payload = serde_json::from_value(job.payload.clone()).map_err(|error| {
        tracing::error!(%error, "a job's payload cannot be decoded");
        JobFailure::fatal("internal", J::PAYLOAD_ERROR)
    })?;
    J::run(app, job, payload, running)
}

fn decoded_objects<J: BackgroundJob>(job: Job) -> Result<Vec<ObjectRef>, StoreError> {
    let payload = serde_json::from_value(job.payload)
        .map_err(|error| StoreError::Corrupt(format!("a job's payload: {error}")))?;
    Ok(J::referenced_objects(&payload))
}

fn find(kind: JobKind) -> Option<&'static Registered> {
    REGISTRY.iter().find(|registered| registered.kind == kind)
}

/// Runs one attempt of a job. Blocks, so it needs a thread of its own.
///
/// # Errors
/// Returns the failure of the attempt. A kind that is not registered fails without retries.
pub(super) fn run(app: &App, job: &Job, running: &RunningJob) -> Result<(), JobFailure> {
    let Some(registered) = job.kind.known().and_then(find) else {
        tracing::error!("the kind of a job is not registered");
        let message = format!("this server cannot run jobs of the kind {}", job.kind.as_str());
        return Err(JobFailure::fatal("unknown-kind", message));
    };
    (registered.run)(app, job, running)
}

/// Returns the objects that waiting and running jobs need.
///
/// # Errors
/// Fails if the store fails or a payload cannot be decoded.
pub(crate) fn referenced_objects(tx: &Tx<'_>) -> Result<Vec<ObjectRef>, StoreError> {
    let mut objects = Vec::new();
    for registered in &REGISTRY {
        for status in [JobStatus::Queued, JobStatus::Running] {
            let (kind, status) = (Some(registered.kind), Some(status));
            let filter = JobFilter { kind, status, ..JobFilter::default() };
            for job in tx.list_jobs(&filter, u32::MAX)? {
                objects.extend((registered.referenced_objects)(job)?);
            }
        }
    }
    Ok(objects)
}

#[cfg(test)]
mod tests {
    use bindery_model::JobKind;

    use super::REGISTRY;

    #[test]
    fn every_kind_is_registered_once() {
        for kind in JobKind::ALL {
            let count = REGISTRY.iter().filter(|registered| registered.kind == kind).count();
            assert_eq!(count, 1, "{}", kind.as_str());
        }
    }
}
