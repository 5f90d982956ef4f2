//! Writes of programs that do not know what people typed in the last minutes.

use bindery_model::{PageId, Result, RevisionId, UserId};
use bindery_steps::{Merged, Node};
use bindery_store::{amended_revisions, editing as rows};

use super::content::EditedContent;
use super::save::{KEPT, page_change};
use super::text::page_at;
use crate::Context;
use crate::content::snapshot::Snapshot;

/// Maximum number of revisions that a program may have read.
const MAX_READ: usize = 30;

/// The revision that a program made its changes for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MadeFor {
    /// The head, as the program said.
    Head,
    /// An unknown one, which may be older than what people typed in the last minutes.
    Unknown,
}

/// Keeps what people typed in pages that a program has replaced without saying which revision it
/// had read. That is taken to be the one of the last minutes of which the new text removes least;
/// what was typed since then is merged into the new text. Returns the revision with it.
pub(in crate::review) fn keep_typed(
    cx: &Context<'_>,
    before: &EditedContent,
    author: UserId,
    written: RevisionId,
    pages: &[PageId],
) -> Result<RevisionId> {
    let mut revision = written;
    for page in pages {
        let Some(session) = rows::of_page(cx.tx, before.key(), *page, None)? else { continue };
        if !rows::has_typed(cx.tx, session.id)? {
            continue;
        }
        let after = before.reload(cx.tx)?;
        let (Some((mine, _)), Some((new, _))) =
            (page_at(cx, before, before.head(), *page)?, page_at(cx, &after, after.head(), *page)?)
        else {
            continue;
        };
        let (mine, theirs) = (mine.document()?, new.document()?);
        let Some(base) = read_by_program(cx, before, *page, &mine, &theirs)? else { continue };
        let Merged { doc, .. } = mine.merged(&base, &theirs);
        if doc != theirs {
            let change = page_change(cx, (*page, &new, &doc))?;
            revision = after.change(cx, &[author], vec![change])?;
        }
    }
    Ok(revision)
}

/// Returns the text of a page, in the revisions of the last minutes, of which a new text removes
/// least; `None` if that is the present one.
fn read_by_program(
    cx: &Context<'_>,
    content: &EditedContent,
    page: PageId,
    present: &Node,
    new: &Node,
) -> Result<Option<Node>> {
    let mut least = removed(present, new);
    let mut found = None;
    let mut at = Snapshot::of(cx.app, cx.tx, &content.space, Some(content.head()))?;
    let begin = cx.now().plus_millis(-KEPT);
    for _ in 0..MAX_READ {
        // The revision before the first one of these minutes could still be read in them.
        let is_late = at.revision.created_at >= begin;
        let amendment = amended_revisions::get(cx.tx, content.space.id, at.row.id)?;
        let superseded = amendment.and_then(|amendment| amendment.supersedes);
        let previous = superseded.or_else(|| at.revision.parents.first().copied());
        let Some(previous) = previous.filter(|_| is_late) else { break };
        at = Snapshot::of(cx.app, cx.tx, &content.space, Some(previous))?;
        let Some((earlier, _)) = page_at(cx, content, previous, page)? else { break };
        let earlier = earlier.document()?;
        let count = removed(&earlier, new);
        if count < least {
            (least, found) = (count, Some(earlier));
        }
    }
    Ok(found)
}

/// Returns the number of bytes of text that a new version removes.
fn removed(before: &Node, after: &Node) -> usize {
    before.differences(after).iter().map(|difference| difference.before.len()).sum()
}
