//! The job that makes a PDF.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bindery_model::{JobKind, Result};
use bindery_paper::folder::Folder;
use bindery_revision::Hash;
use bindery_store::{Job, Retry, pdf_files, spaces};
use serde_json::{Map, Value};
use tokio::runtime::Handle;

use super::PdfPayload;
use super::compose::{Composition, Stop};
use super::typesetter::{self, Failure};
use crate::App;
use crate::content::openapi::CurrentSpecs;
use crate::content::snapshot::Snapshot;
use crate::jobs::{BackgroundJob, JobError, JobFailure, RunningJob};
use crate::publishing::adaptive::{Answers, ClaimsOf};
use crate::publishing::audience::Visitor;

/// Time since the last change to the folder of a job after which no process uses it. A job takes
/// minutes.
const ABANDONED_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// The job that makes a PDF.
pub(crate) struct PdfJob;

impl BackgroundJob for PdfJob {
    const KIND: JobKind = JobKind::Pdf;
    const MAX_ATTEMPTS: u32 = 2;
    type Payload = PdfPayload;

    fn run(
        app: &App,
        job: &Job,
        payload: PdfPayload,
        running: &RunningJob,
    ) -> std::result::Result<(), JobFailure> {
        let folder = WorkFolder::create(app, job).map_err(|error| internal(&error))?;
        let (input, pages) = compose(app, &payload, &folder.0, running)?;
        let organization = job.organization;
        let made = app.store.read_sync(|tx| match organization {
            Some(organization) => pdf_files::find_made(tx, organization, &input),
            None => Ok(None),
        })?;
        let (object, size) = match made {
            Some(made) => made,
            None => {
                typeset(&folder.0, pages, running)?;
                store(app, &Folder::at(&folder.0))?
            }
        };
        let (file, lease) = (payload.file, running.lease.clone());
        let finish = app.store.write(move |tx| {
            pdf_files::complete(tx, file, &input, &object, size)?;
            tx.finish_job(&lease, None)?;
            Ok::<_, JobFailure>(())
        });
        Handle::current().block_on(finish)
    }
}

/// Writes the input of the typesetter. Returns a digest of it and the number of pages.
fn compose(
    app: &App,
    payload: &PdfPayload,
    folder: &Path,
    running: &RunningJob,
) -> std::result::Result<(Hash, usize), JobFailure> {
    let loaded = app.store.read_sync(|tx| {
        let space = spaces::get(tx, payload.space)?.filter(|space| space.deleted_at.is_none());
        let Some(space) = space else { return Ok(None) };
        let specs = CurrentSpecs::of(tx, space.organization)?;
        Ok(Some((Snapshot::of(app, tx, &space, Some(payload.revision))?, specs)))
    });
    let loaded = loaded.map_err(|error: bindery_model::Error| internal(&error))?;
    let (snapshot, specs) =
        loaded.ok_or_else(|| JobFailure::fatal("space-deleted", "the space was deleted"))?;
    let answers = Answers::new(claims(app, payload).map_err(|error| internal(&error))?);
    let objects = app.store.objects();
    let composition = Composition {
        app,
        objects: &objects,
        content: &snapshot.revision.content,
        answers: &answers,
        specs,
        payload,
    };
    let progress = |done: usize, total: usize| {
        running.report(units(done), Some(units(total)), "reading the pages");
        !running.cancel.is_cancelled()
    };
    match composition.write(folder, &progress) {
        Ok(written) => Ok(written),
        Err(Stop::Cancelled) => Err(JobFailure::Cancelled),
        Err(Stop::Empty) => Err(JobFailure::fatal("empty", "there are no pages")),
        Err(Stop::TooLarge(reason)) => Err(JobFailure::fatal(
            "too-large",
            format!("the content is too large for one PDF: {reason}"),
        )),
        Err(Stop::Failed(error)) => Err(internal(&error)),
    }
}

/// Returns the claims of the visitor for whom conditions are evaluated.
fn claims(app: &App, payload: &PdfPayload) -> Result<Option<ClaimsOf>> {
    let Some(sealed) = &payload.claims else { return Ok(None) };
    let lost = || bindery_model::Error::internal("the claims of a PDF cannot be decrypted");
    let text = app.secrets.open(sealed).ok_or_else(lost)?;
    let (claims, unsigned_claims): (Map<String, Value>, Map<String, Value>) =
        serde_json::from_str(&text).map_err(|_| lost())?;
    ClaimsOf::visitor(&Visitor { claims, unsigned_claims, ..Visitor::default() }).map(Some)
}

fn typeset(
    folder: &Path,
    pages: usize,
    running: &RunningJob,
) -> std::result::Result<(), JobFailure> {
    let total = Some(units(pages));
    let progress = |done: usize| {
        running.report(units(done), total, "setting the pages");
        !running.cancel.is_cancelled()
    };
    typesetter::run(folder, &progress).map_err(|failure| match failure {
        Failure::Cancelled => JobFailure::Cancelled,
        Failure::TimeLimit => JobFailure::fatal(
            "too-large",
            "the content is too large for one PDF: it takes too long; ask for its sections",
        ),
        Failure::Ended(reason) => {
            tracing::warn!(reason, "the typesetter ended without a PDF");
            JobFailure::fatal(
                "too-large",
                "the content is too large for one PDF: it takes too much memory; ask for its \
                 sections",
            )
        }
        Failure::Io(error) => internal(&error),
    })
}

/// Stores the finished PDF.
fn store(app: &App, folder: &Folder) -> std::result::Result<(Hash, i64), JobFailure> {
    let summary = folder.summary().map_err(|error| internal(&error))?;
    let (pages, images) = (summary.failed_pages, summary.refused_images);
    if pages > 0 || images > 0 {
        tracing::warn!(pages, images, "parts of a PDF could not be typeset");
    }
    if summary.omitted_pages > 0 {
        let text = "the content is too large for one PDF: it has too many sheets; ask for its \
                    sections";
        return Err(JobFailure::fatal("too-large", text));
    }
    let file = std::fs::File::open(folder.output()).map_err(|error| internal(&error))?;
    let object = Handle::current().block_on(app.store.put_blob_from(file))?;
    Ok((object, i64::try_from(summary.bytes).unwrap_or(i64::MAX)))
}

fn units(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Logs an error and returns a failure that does not show its details.
fn internal(error: &dyn std::fmt::Display) -> JobFailure {
    tracing::error!(%error, "a PDF could not be made");
    let message = "the server failed while making the PDF".to_owned();
    JobFailure::Failed(JobError { code: "internal".to_owned(), message }, Retry::Later)
}

/// The folder of a job, which is removed with the value.
struct WorkFolder(PathBuf);

impl WorkFolder {
    fn create(app: &App, job: &Job) -> std::io::Result<Self> {
        let folders = app.cache_dir.join("pdf");
        remove_abandoned(&folders);
        let path = folders.join(job.id.to_string());
        // An earlier attempt may have left the folder.
        if path.exists() {
            std::fs::remove_dir_all(&path)?;
        }
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

/// Removes the folders of jobs whose process was killed.
fn remove_abandoned(folders: &Path) {
    // There are no folders before the first job.
    for folder in std::fs::read_dir(folders).into_iter().flatten().flatten() {
        let age = folder.metadata().and_then(|known| known.modified()).map(|at| at.elapsed());
        if let Ok(Ok(age)) = age
            && age > ABANDONED_AFTER
        {
            // Another process may have removed it meanwhile.
            let _ = std::fs::remove_dir_all(folder.path());
        }
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, "the folder of a PDF cannot be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{File, create_dir, create_dir_all};

    #[test]
    fn folders_of_killed_jobs_are_removed() {
        let folders = tempfile::tempdir().unwrap();
        remove_abandoned(&folders.path().join("absent"));
        let (old, new) = (folders.path().join("old"), folders.path().join("new"));
        create_dir_all(old.join("pages")).unwrap();
        create_dir(&new).unwrap();
        let now = new.metadata().and_then(|known| known.modified()).unwrap();
        let past = now - 2 * ABANDONED_AFTER;
        File::open(&old).unwrap().set_modified(past).unwrap();
        remove_abandoned(folders.path());
        assert!(!old.exists() && new.exists());
    }
}
