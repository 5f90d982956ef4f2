//! `updateSpaceContent`: edits the main content directly, with the content changes of change
//! requests.

use bindery_app::access::{Action, Authorized};
use bindery_app::content::content_changes::PreparedFile;
use bindery_app::content::spaces::Space;
use bindery_app::{Context, review::change_requests};
use bindery_model::Result;
use bindery_wire::response::SpaceContentUpdate;

use crate::call::Call;
use crate::groups::change_request_content::changes::{self, Changes};
use crate::groups::change_request_content::{render_changes, warnings};
use crate::operation::{Operation, write_with_files};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write_with_files("updateSpaceContent", Action::EditContent, changes::prepare, run)
}

fn run(
    cx: &Context<'_>,
    space: &Authorized<Space>,
    call: &Call,
    changes: &Changes<PreparedFile>,
) -> Result<Reply> {
    call.check_if_match(space.head)?;
    let changes = changes.resolve(cx, space)?;
    let (revision, changed) =
        change_requests::change_main_content(cx, space, changes, call.made_for())?;
    // The inserted files belong to the new main content.
    let space = Space { head: revision, ..Space::clone(space) };
    let warnings = warnings(cx, &space, &changed)?;
    let base = cx.app.urls.api(format_args!("/spaces/{}/content/page", space.id));
    let (changes, inserted_files) = render_changes(cx, &space, call, revision, changed, &base)?;
    let answer = SpaceContentUpdate {
        space: space.id.to_string(),
        revision: revision.to_string(),
        changes,
        inserted_files,
        warnings,
    };
    Ok(Reply::json(200, &answer)?.with_revision_etag(revision))
}
