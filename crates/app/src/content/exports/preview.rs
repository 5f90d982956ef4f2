//! Previews of exports, which change nothing.

use bindery_git::export::{self, Preview, Synced};
use bindery_git::import::GitState;
use bindery_revision::Content;
use bindery_store::Job;

use super::ExportPayload;
use super::build::Prepared;
use super::job::{Exportable, Run};
use crate::App;
use crate::jobs::{JobFailure, RunningJob};

/// The content that a space would have after an import, and that of the repository.
pub(in crate::content) struct Imported<'a> {
    pub(in crate::content) content: &'a Content,
    pub(in crate::content) repository: &'a Content,
    pub(in crate::content) state: &'a GitState,
}

/// Finds out what an export would change, after an import if one is given. Returns at most `most`
/// changes.
///
/// # Errors
/// Returns the failure of the export.
pub(in crate::content) fn preview(
    app: &App,
    job: &Job,
    payload: &ExportPayload,
    running: &RunningJob,
    imported: Option<&Imported<'_>>,
    most: usize,
) -> Result<Preview, JobFailure> {
    let run = Run::new(app, job, payload, running)?;
    let place = run.place()?;
    let base = run.base(&place)?;
    let exportable = match imported {
        None => Exportable::of(&place),
        Some(imported) => Exportable {
            content: imported.content,
            synced: Some(Synced { content: imported.repository, state: imported.state }),
            is_own: true,
        },
    };
    let with = |export: &Prepared<'_>| {
        let Prepared { edits, objects, open, settings } = export;
        export::preview(edits, *objects, *open, settings, most)
    };
    Ok(run.build(&place, base.as_ref(), &exportable, with)?.1)
}
