//! The history of a space's main content, and reverts to earlier revisions.

use bindery_model::{Error, FieldPath, Result, RevisionId};
use bindery_revision::{Author, ContentKind, Revision, Staging};
use bindery_store::revisions::{self as rows, RevisionRow};
use bindery_store::spaces::Space;
use bindery_store::users::{self, User};

use crate::Context;
use crate::content::content_changes::redirects;
use crate::content::revisions::{self, Committed};
use crate::content::snapshot::{Snapshot, put_staged};
use crate::content::spaces::require_unlocked;
use crate::review::change_requests::{author, moved};

/// A revision in the history of a space.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The position in the history, from 1.
    pub position: i64,
    /// The revision.
    pub snapshot: Snapshot,
    /// The user who made the revision; `None` if no user did or the user no longer exists.
    pub author: Option<User>,
    /// The users who wrote the revision together with the author.
    pub other_authors: Vec<User>,
}

/// Returns the history of a space before a position, newest first, and its total length.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    cx: &Context<'_>,
    space: &Space,
    before: Option<i64>,
    limit: u32,
) -> Result<(Vec<Entry>, i64)> {
    let count = rows::count_history(cx.tx, space.id)?;
    let found: Vec<(i64, RevisionRow)> = rows::history(cx.tx, space.id, before, limit)?;
    let entries = found.into_iter().map(|(position, row)| {
        let author = row.author.map(|id| users::get(cx.tx, id)).transpose()?.flatten();
        let snapshot = Snapshot::of(cx.app, cx.tx, space, Some(row.id))?;
        let others = rows::list_authors(cx.tx, space.id, row.id)?;
        let others = others.into_iter().map(|id| users::get(cx.tx, id));
        let other_authors = others.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        Ok(Entry { position, snapshot, author, other_authors })
    });
    Ok((entries.collect::<Result<_>>()?, count))
}

/// Restores the main content of an earlier revision as a new revision. Adds redirects from the
/// addresses that pages had in the meantime.
///
/// # Errors
/// Returns 404 if the space has no such revision, and 409 if the revision was never the main
/// content, the space is locked, or the content is already the same.
pub fn revert(cx: &Context<'_>, space: &Space, to: RevisionId) -> Result<RevisionId> {
    require_unlocked(space)?;
    let then = Snapshot::of(cx.app, cx.tx, space, Some(to))?;
    if !then.row.in_history {
        return Err(Error::conflict(
            "this revision is of a change request or of an import that left \
             the main content alone, and was never the main content",
        )
        .at(FieldPath::new("/revision")));
    }
    let now = Snapshot::of(cx.app, cx.tx, space, None)?;
    let objects = cx.tx.objects();
    let mut staging = Staging::new(&objects);
    let mut content = then.revision.content.clone();
    content.redirects =
        redirects::on_return(&now.revision.content, &then.revision.content, &mut staging)?;
    if content == now.revision.content {
        return Err(Error::conflict(
            "the content of the space equals that of this revision: there is nothing to revert",
        ));
    }
    put_staged(cx.tx, staging, &content)?;
    let revision = Revision {
        parents: vec![space.head],
        kind: ContentKind::Rollback,
        author: Author::User(author(cx)?),
        created_at: cx.now(),
        message: None,
        content,
    };
    let id = RevisionId::random(&cx.app.entropy);
    if revisions::commit(cx.tx, space, id, space.head, &revision)? == Committed::Moved {
        return Err(moved());
    }
    Ok(id)
}
