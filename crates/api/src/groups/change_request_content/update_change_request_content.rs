//! `updateChangeRequestContent`: edits a change request by content changes.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::content_changes::{ChangeResult, PageChange, PreparedFile};
use bindery_app::content::links::{BrokenLink, broken_links};
use bindery_app::content::spaces::Space;
use bindery_app::review::change_requests::{self, ChangeRequestTarget};
use bindery_model::{PageId, Result, RevisionId};
use bindery_wire::response::{
    ChangeRequest, ChangeRequestContentUpdate, ChangeRequestContentUpdateChange,
    ChangeRequestContentUpdateDeletedPage, ChangeRequestContentUpdateInsertedPage,
    ChangeRequestContentUpdatePageRef, ChangeRequestContentUpdatePageRefUrls,
    ChangeRequestContentUpdateUpdatedPage, ContentWarning,
};
use bindery_wire::values::ContentWarningType;
use serde::Serialize;

use super::changes::{self, Changes};
use crate::call::Call;
use crate::groups::space_content::LoadedRevision;
use crate::operation::{Operation, write_with_files};
use crate::present;
use crate::reply::Reply;

/// Maximum number of warnings in an answer.
const MAX_WARNINGS: usize = 200;

pub(super) fn operation() -> Operation {
    write_with_files("updateChangeRequestContent", Action::EditChangeRequest, changes::prepare, run)
}

fn run(
    cx: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    call: &Call,
    changes: &Changes<PreparedFile>,
) -> Result<Reply> {
    call.check_if_match(target.change_request.head)?;
    let changes = changes.resolve(cx, &target.space)?;
    let (revision, changed) =
        change_requests::change_content(cx, target, changes, call.made_for())?;
    let row = change_requests::reload(cx, target)?;
    let warnings = warnings(cx, &target.space, &changed)?;
    let response = present::change_request(cx.app, change_requests::view(cx.tx, row)?)?;
    if call.flag("compat", true) {
        let response = ChangeRequestWithWarnings { change_request: response, warnings };
        return Ok(Reply::json(200, &response)?.with_revision_etag(revision));
    }
    let base = format!("{}/content/page", response.urls.location);
    let (changes, inserted_files) =
        render_changes(cx, &target.space, call, revision, changed, &base)?;
    let answer =
        ChangeRequestContentUpdate { change_request: response, changes, inserted_files, warnings };
    Ok(Reply::json(200, &answer)?.with_revision_etag(revision))
}

/// A change request with the warnings about an update.
#[derive(Serialize)]
struct ChangeRequestWithWarnings {
    #[serde(flatten)]
    change_request: ChangeRequest,
    #[serde(skip_serializing_if = "Option::is_none")]
    warnings: Option<Vec<ContentWarning>>,
}

/// Returns the problems in the written texts that do not prevent the change, which are broken
/// links; `None` if there are none.
pub(in crate::groups) fn warnings(
    cx: &Context<'_>,
    space: &Space,
    changed: &ChangeResult,
) -> Result<Option<Vec<ContentWarning>>> {
    let broken = broken_links(cx, space, &changed.content, &changed.texts, MAX_WARNINGS)?;
    let warning = |BrokenLink { page, block, text, url }: BrokenLink| ContentWarning {
        r#type: ContentWarningType::BrokenLink,
        message: format!("the target of the link {url:?} does not exist"),
        page: page.to_string(),
        block: Some(block.to_string()),
        text: Some(text).filter(|text| !text.is_empty()),
        url,
    };
    Ok((!broken.is_empty()).then(|| broken.into_iter().map(warning).collect()))
}

type RenderedChanges =
    (Vec<ChangeRequestContentUpdateChange>, Option<Vec<bindery_wire::response::RevisionFile>>);

/// Presents the changes page by page, and the inserted files. `base` is the address of pages.
pub(in crate::groups) fn render_changes(
    cx: &Context<'_>,
    space: &Space,
    call: &Call,
    revision: RevisionId,
    changed: ChangeResult,
    base: &str,
) -> Result<RenderedChanges> {
    let ChangeResult { content: _, touched, files, objects: _, texts: _ } = changed;
    let page = |id: PageId| ChangeRequestContentUpdatePageRef {
        id: id.to_string(),
        urls: ChangeRequestContentUpdatePageRefUrls { location: format!("{base}/{id}") },
    };
    let changes = touched
        .into_iter()
        .map(|(id, touch)| match touch {
            PageChange::Inserted(reference) => {
                ChangeRequestContentUpdateChange::ChangeRequestContentUpdateInsertedPage(
                    ChangeRequestContentUpdateInsertedPage { r#ref: reference, page: page(id) },
                )
            }
            PageChange::Updated => {
                ChangeRequestContentUpdateChange::ChangeRequestContentUpdateUpdatedPage(
                    ChangeRequestContentUpdateUpdatedPage { page: page(id) },
                )
            }
            PageChange::Deleted => {
                ChangeRequestContentUpdateChange::ChangeRequestContentUpdateDeletedPage(
                    ChangeRequestContentUpdateDeletedPage { page: id.to_string() },
                )
            }
        })
        .collect();
    if files.is_empty() {
        return Ok((changes, None));
    }
    let loaded = LoadedRevision::at(cx, space, call, revision)?;
    let view = loaded.view();
    let files = files.into_iter().map(|file| present::file(&view, file));
    Ok((changes, Some(files.collect::<Result<_>>()?)))
}
