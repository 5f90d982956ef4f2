//! A job.

use bindery_app::App;
use bindery_app::content::imports;
use bindery_app::jobs::{Job, JobStatus, Progress};
use bindery_wire::{response, values};

pub(crate) fn job(app: &App, job: Job) -> response::Job {
    let folders = imports::folders_of_job(&job);
    let languages: Vec<_> = folders
        .into_iter()
        .map(|folder| {
            let imports::LanguageFolder { title, emoji, directory, tag } = folder;
            response::LanguageFolder { title, emoji, directory, language_tag: tag }
        })
        .collect();
    let Job {
        id,
        kind,
        organization,
        space,
        actor: _,
        payload: _,
        status,
        attempts,
        max_attempts: _,
        progress,
        error,
        revision,
        languages: _,
        cancel_requested: _,
        created_at,
        started_at,
        finished_at,
    } = job;
    let Progress { done, total, message } = progress.unwrap_or_default();
    response::Job {
        id: id.to_string(),
        kind: kind.as_str().to_owned(),
        organization: organization.map(|id| id.to_string()),
        space: space.map(|id| id.to_string()),
        status: job_status(status),
        progress: response::JobProgress { done, total, message },
        attempts: attempts.into(),
        error: error.map(|error| response::JobError { code: error.code, message: error.message }),
        revision: revision.map(|id| id.to_string()),
        languages: Some(languages).filter(|languages| !languages.is_empty()),
        created_at,
        started_at,
        finished_at,
        urls: Some(response::JobUrls {
            location: app.urls.api(format_args!("/bindery/jobs/{id}")),
        }),
    }
}

pub(super) const fn job_status(status: JobStatus) -> values::JobStatus {
    match status {
        JobStatus::Queued => values::JobStatus::Queued,
        JobStatus::Running => values::JobStatus::Running,
        JobStatus::Done => values::JobStatus::Done,
        JobStatus::Failed => values::JobStatus::Failed,
        JobStatus::Cancelled => values::JobStatus::Cancelled,
    }
}
