//! `listSpaceHistory`, `revertSpace`: the previous states of the main content, and reverting to
//! one.

use bindery_app::access::{Action, Authorized};
use bindery_app::content::spaces::Space;
use bindery_app::{Context, content::history, content::revisions, review::change_requests};
use bindery_model::{Error, Result, RevisionId};
use bindery_wire::request::RevertSpaceBody;
use bindery_wire::response::{RevertSpaceResponse, SpaceHistoryEntry};
use bindery_wire::values::SpaceHistoryEntryType;

use crate::call::Call;
use crate::lists::Page;
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("listSpaceHistory", Action::ReadSpace, list),
        write("revertSpace", Action::EditContent, revert),
    ]
}

fn list(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let before = page.after().and_then(|position| position.parse().ok());
    let (entries, count) = history::list(cx, space, before, page.rows())?;
    let list = page.list(
        entries,
        count,
        |entry| entry.position.to_string(),
        |history::Entry { position, snapshot, author, other_authors }| {
            let merged_from = change_requests::merged_into(cx.tx, &snapshot)?
                .map(|view| present::change_request(cx.app, view))
                .transpose()?;
            let kind = revisions::kind_name(snapshot.revision.kind);
            Ok(SpaceHistoryEntry {
                revision: snapshot.row.id.to_string(),
                position: position.unsigned_abs(),
                r#type: SpaceHistoryEntryType::parse(kind)
                    .ok_or_else(|| Error::internal("a revision of an unknown kind"))?,
                created_at: snapshot.row.created_at,
                author: author.map(|author| present::user(cx.app, author)),
                other_authors: (!other_authors.is_empty()).then(|| {
                    let others = other_authors.into_iter();
                    others.map(|author| present::user(cx.app, author)).collect()
                }),
                message: snapshot.revision.message.clone(),
                merged_from,
            })
        },
    )?;
    Reply::json(200, &list)
}

fn revert(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    call.check_if_match(space.head)?;
    let RevertSpaceBody { revision } = call.body()?;
    let to = RevisionId::parse(&revision).ok_or_else(|| Error::not_found("revision"))?;
    let new_revision = history::revert(cx, space, to)?;
    let answer = RevertSpaceResponse { revision: new_revision.to_string() };
    Ok(Reply::json(200, &answer)?.with_revision_etag(new_revision))
}
