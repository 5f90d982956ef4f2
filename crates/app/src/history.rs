//! The history of a space's main content, and the way back in it.

use bindery_model::{Error, Result, RevisionId};
use bindery_revision::{Author, ContentKind, Revision, Staging};
use bindery_store::revisions::{self as rows, RevisionRow};
use bindery_store::spaces::Space;

use crate::Context;
use crate::change_requests::{author, moved};
use crate::content::{Snapshot, put_staged};
use crate::content_changes::redirects;
use crate::revisions::{self, Committed};

/// A revision in the history of a space.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its place, from 1.
    pub position: i64,
    /// The revision.
    pub snapshot: Snapshot,
}

/// The history of a space, newest first, from before a position; with how long it is.
///
/// # Errors
/// When the store fails.
pub fn list(
    cx: &Context<'_>,
    space: &Space,
    before: Option<i64>,
    limit: u32,
) -> Result<(Vec<Entry>, i64)> {
    let count = rows::count_history(cx.tx, space.id)?;
    let found: Vec<(i64, RevisionRow)> = rows::history(cx.tx, space.id, before, limit)?;
    let entries = found.into_iter().map(|(position, row)| {
        Ok(Entry { position, snapshot: Snapshot::of(cx.app, cx.tx, space, Some(row.id))? })
    });
    Ok((entries.collect::<Result<_>>()?, count))
}

/// Brings the main content back to what it was, as a new revision. Addresses that pages had since
/// lead to where they are then.
///
/// # Errors
/// 404 for a revision that is not of the history; 409 when the space is locked, or the content is
/// that one already.
pub fn revert(cx: &Context<'_>, space: &Space, to: RevisionId) -> Result<RevisionId> {
    if space.locked {
        return Err(Error::conflict("the space is locked: it cannot be reverted"));
    }
    let then = Snapshot::of(cx.app, cx.tx, space, Some(to))?;
    if !then.row.in_history {
        return Err(Error::conflict(
            "body at /revision: this revision is of a change request or of an import that left \
             the main content alone, and was never the main content",
        ));
    }
    let now = Snapshot::of(cx.app, cx.tx, space, None)?;
    let objects = cx.tx.objects();
    let mut staging = Staging::new(&objects);
    let mut content = then.revision.content.clone();
    content.redirects =
        redirects::on_return(&now.revision.content, &then.revision.content, &mut staging)?;
    if content == now.revision.content {
        return Err(Error::conflict("the content is what it was in this revision already"));
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
