//! Previews of imports: what an import would change in a space.

use std::sync::Arc;

use bindery_git::import::ImportResult;
use bindery_model::{PageId, Result};
use bindery_revision::merge::{Conflict, FileSubject, PageSubject, ReusableSubject, Subject};
use bindery_revision::tree::Tree;
use bindery_revision::{Content, Objects, Revision};
use bindery_store::Job;

use super::GitPayload;
use super::base::{Base, Waiting};
use super::job::{Branch, Failure, GitRun, build};
use super::merge::{Merged, merge_import};
use super::origin::Origin;
use crate::App;
use crate::content::differences::{self, Difference};
use crate::content::snapshot::{broken_object, broken_tree};
use crate::jobs::{JobFailure, RunningJob};

/// The changes and conflicts of an import that was built but not stored.
pub(in crate::content) struct ImportPreview {
    /// The commit.
    pub(in crate::content) oid: String,
    /// The content of the space before.
    pub(in crate::content) before: Arc<Revision>,
    /// The content of the repository.
    pub(in crate::content) imported: ImportResult,
    /// The content that the space would have, or the change request if there are conflicts; `None`
    /// if neither changes.
    pub(in crate::content) after: Option<Content>,
    /// The differences of these contents, and the number of those that were not compared.
    pub(in crate::content) differences: (Vec<Difference>, u64),
    /// The things that both sides changed. If there are any, the import would wait in a change
    /// request.
    pub(in crate::content) conflicts: Vec<BothChanged>,
}

/// A thing that the repository and the space changed in different ways.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::content) struct BothChanged {
    /// The page, if it is one.
    pub(in crate::content) page: Option<PageId>,
    /// The title or the name.
    pub(in crate::content) title: String,
    /// The path, if the thing has one.
    pub(in crate::content) path: Option<String>,
    /// The reason, as the end of a sentence about the thing.
    pub(in crate::content) reason: &'static str,
}

/// Builds an import and merges it with the content of the space, but changes neither. Objects that
/// the import stores are removed later, as nothing refers to them. Files in Git LFS are not
/// received.
///
/// # Errors
/// Returns the failure of the import.
pub(in crate::content) fn preview(
    app: &App,
    job: &Job,
    payload: &GitPayload,
    running: &RunningJob,
) -> std::result::Result<ImportPreview, JobFailure> {
    let run = GitRun { app, job, payload, running };
    let base = Base::read(app, job)?;
    run.fetch(base, |base, branch, origin| {
        let branch = Branch { large_files: None, ..branch };
        if run.is_merged() {
            merged(&run, base.with_branch(app, &origin)?, branch, origin)
        } else {
            replaced(&run, &base, branch, origin)
        }
    })
}

/// Returns the preview of an import that replaces the content.
fn replaced(
    run: &GitRun<'_>,
    base: &Base,
    branch: Branch<'_>,
    origin: Origin,
) -> std::result::Result<ImportPreview, Failure> {
    let source = run.source(&origin, branch);
    let imported = build(run.app, run.running, branch.folder, source, base.head())?;
    let after = imported.content.clone();
    finish(run, base, origin, imported, (Some(after), Both::default()))
}

/// Returns the preview of an import that is merged with the changes of the space.
fn merged(
    run: &GitRun<'_>,
    base: Base,
    branch: Branch<'_>,
    origin: Origin,
) -> std::result::Result<ImportPreview, Failure> {
    let waiting = base.waiting_import(&origin);
    let is_known = |waiting: &&Waiting| waiting.imported.oid.as_ref() == Some(&origin.oid);
    let imported = match waiting.filter(|waiting| !branch.reread && is_known(waiting)) {
        Some(waiting) => waiting.result(),
        None => {
            let (source, previous) = (run.source(&origin, branch), base.repository(&origin));
            build(run.app, run.running, branch.folder, source, previous)?
        }
    };
    let (after, both) = match merge_import(run.app, &base, &origin, &imported.content)? {
        Merged::Unchanged => (Some(imported.content.clone()), Both::default()),
        Merged::Clean { content, .. } => (Some(*content), Both::default()),
        Merged::Conflicts { content, conflicts } => {
            (Some(*content), Both { conflicts, waiting: None })
        }
        Merged::Waiting { content, conflicts } => {
            let number = |waiting: &Waiting| waiting.pending.change_request.number;
            let waiting = waiting.map(number).filter(|_| conflicts.is_none());
            let conflicts = conflicts.unwrap_or_default();
            (content.map(|content| *content), Both { conflicts, waiting })
        }
    };
    finish(run, &base, origin, imported, (after, both))
}

/// The changes of both sides.
#[derive(Default)]
struct Both {
    conflicts: Vec<Conflict>,
    /// The number of the change request in which people decide about them.
    waiting: Option<i64>,
}

fn finish(
    run: &GitRun<'_>,
    base: &Base,
    origin: Origin,
    imported: ImportResult,
    (after, both): (Option<Content>, Both),
) -> std::result::Result<ImportPreview, Failure> {
    let objects = run.app.store.objects();
    let before = Arc::clone(&base.snapshot.revision);
    let compare = || -> Result<_> {
        let differences = match &after {
            Some(after) => differences::between(&before.content, after, &objects)?,
            None => (Vec::new(), 0),
        };
        let contents = [&before.content, &imported.content];
        let item = |conflict: &Conflict| both_changed(conflict, contents, &objects);
        let mut conflicts = both.conflicts.iter().map(item).collect::<Result<Vec<_>>>()?;
        conflicts.extend(both.waiting.map(|number| BothChanged {
            page: None,
            title: format!("change request {number}"),
            path: None,
            reason: WAITING,
        }));
        // A page with several conflicts is listed once for each reason.
        conflicts.dedup();
        Ok((differences, conflicts))
    };
    let (differences, conflicts) =
        compare().map_err(|error| Failure::Job(JobFailure::internal(error)))?;
    Ok(ImportPreview { oid: origin.oid, before, imported, after, differences, conflicts })
}

/// The reason for changes that people decide about.
const WAITING: &str = "contains changes of the branch, and was not merged yet";

/// Returns a conflict with the name and the path of its thing, which one of the contents has.
fn both_changed(
    conflict: &Conflict,
    contents: [&Content; 2],
    objects: &dyn Objects,
) -> Result<BothChanged> {
    let reason = reason(conflict);
    for content in contents {
        let found = match &conflict.subject {
            Subject::Page(id, _) => match content.page(objects, *id).map_err(broken_object)? {
                None => None,
                Some(page) => {
                    let path = Tree::new(content, objects).path(*id).map_err(broken_tree)?;
                    Some((Some(*id), page.title, Some(path)))
                }
            },
            Subject::File(id, _) => {
                let file = content.file(objects, *id).map_err(broken_object)?;
                file.map(|file| (None, file.name, file.path))
            }
            Subject::Reusable(id, _) => {
                let text = content.reusable(objects, *id).map_err(broken_object)?;
                text.map(|text| (None, text.title, text.path))
            }
            Subject::Variable(name) => Some((None, format!("the variable {name}"), None)),
            Subject::Redirect(path) => Some((None, format!("the redirect from /{path}"), None)),
            Subject::Source(path) => Some((None, path.clone(), Some(path.clone()))),
        };
        if let Some((page, title, path)) = found {
            return Ok(BothChanged { page, title, path, reason });
        }
    }
    Ok(BothChanged { page: None, title: "Untitled".to_owned(), path: None, reason })
}

/// Returns the reason of a conflict. The repository is the first of its sides.
fn reason(conflict: &Conflict) -> &'static str {
    let is_existence = matches!(
        &conflict.subject,
        Subject::Page(_, PageSubject::Existence)
            | Subject::File(_, FileSubject::Existence)
            | Subject::Reusable(_, ReusableSubject::Existence)
    );
    match &conflict.subject {
        Subject::Page(_, PageSubject::Position) => {
            "was moved to different places in the repository and here"
        }
        _ if is_existence && conflict.sides.ours.is_none() => {
            "was deleted in the repository and changed here"
        }
        _ if is_existence => "was changed in the repository and deleted here",
        _ => "was changed in different ways in the repository and here",
    }
}
