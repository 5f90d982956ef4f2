//! The merge of an import with the changes that were made in the space.

use bindery_revision::merge::{Conflict, merge, merge_into_repository};
use bindery_revision::{Content, Staging};
use bindery_store::PreparedObject;
use tokio::runtime::Handle;

use super::base::{Base, Waiting};
use super::origin::Origin;
use crate::App;
use crate::content::snapshot::{broken_object, broken_tree};
use crate::content::texts::DocumentBodies;
use crate::jobs::JobFailure;

/// The result of a merge.
pub(super) enum Merged {
    /// The space has no changes of its own, so the import is its new content.
    Unchanged,
    /// A content with the changes of both sides.
    Clean {
        content: Box<Content>,
        /// Number of pages that the space changed.
        pages: usize,
    },
    /// Both sides changed the same things. The content is that of a new change request.
    Conflicts { content: Box<Content>, conflicts: Vec<Conflict> },
    /// The import continues one that waits in a change request. The content is the new one of the
    /// change request; `None` if it does not change.
    Waiting {
        content: Option<Box<Content>>,
        /// The conflicts with the main content; `None` if people edited the change request.
        conflicts: Option<Vec<Conflict>>,
    },
}

/// Merges the content of the repository into a space.
pub(super) fn merge_import(
    app: &App,
    base: &Base,
    origin: &Origin,
    theirs: &Content,
) -> Result<Merged, JobFailure> {
    let waiting = base.waiting_import(origin);
    if let Some(waiting) = waiting.filter(|waiting| waiting.pending.is_edited()) {
        let content = continued(app, waiting, theirs)?;
        return Ok(Merged::Waiting { content, conflicts: None });
    }
    let ours = &base.snapshot.revision.content;
    let Some(agreed) = base.agreed.as_ref().map(|agreed| &agreed.content) else {
        return Ok(Merged::Unchanged);
    };
    if ours == agreed {
        return Ok(Merged::Unchanged);
    }
    let objects = app.store.objects();
    let mut staging = Staging::new(&objects);
    // Texts of the repository keep their form where the space changed nothing.
    let merged = merge_into_repository(agreed, theirs, ours, &mut staging, &mut DocumentBodies)
        .map_err(|error| JobFailure::internal(broken_tree(error)))?;
    if merged.content.conflicts.is_empty() {
        put(app, staging, &merged.content)?;
        let pages = agreed.pages.diff(&ours.pages, &objects).count();
        return Ok(Merged::Clean { content: Box::new(merged.content), pages });
    }
    let conflicts = merged.conflicts;
    if let Some(waiting) = waiting {
        let content = continued(app, waiting, theirs)?;
        return Ok(Merged::Waiting { content, conflicts: Some(conflicts) });
    }
    let content = Box::new(merge_into(app, agreed, theirs, ours)?);
    Ok(Merged::Conflicts { content, conflicts })
}

/// Returns the content of a change request with the further changes of the repository, or `None` if
/// there are none.
fn continued(
    app: &App,
    waiting: &Waiting,
    theirs: &Content,
) -> Result<Option<Box<Content>>, JobFailure> {
    let before = &waiting.head.content;
    let content = merge_into(app, &waiting.imported.content, before, theirs)?;
    Ok((content != *before).then(|| Box::new(content)))
}

/// Merges `theirs` into the content of a change request, and stores the result.
pub(in crate::content) fn merge_into(
    app: &App,
    base: &Content,
    ours: &Content,
    theirs: &Content,
) -> Result<Content, JobFailure> {
    let objects = app.store.objects();
    let mut staging = Staging::new(&objects);
    let merged = merge(base, ours, theirs, &mut staging, &mut DocumentBodies)
        .map_err(|error| JobFailure::internal(broken_tree(error)))?;
    put(app, staging, &merged.content)?;
    Ok(merged.content)
}

/// Stores the staged objects that a content needs.
pub(in crate::content) fn put(
    app: &App,
    mut staging: Staging<'_>,
    content: &Content,
) -> Result<(), JobFailure> {
    let objects = staging
        .drain_reachable(content.roots())
        .map_err(|error| JobFailure::internal(broken_object(error)))?;
    let prepared = objects.into_iter().map(|(hash, bytes)| PreparedObject::with_hash(hash, bytes));
    Handle::current().block_on(app.store.put_objects(prepared.collect()))?;
    Ok(())
}
