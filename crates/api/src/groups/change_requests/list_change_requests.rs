//! `listChangeRequestsForSpace` and `listChangeRequestsForOrganization`, newest first.

use bindery_app::access::{Action, Authorized};
use bindery_app::content::spaces::Space;
use bindery_app::people::organizations::Organization;
use bindery_app::review::change_requests::{ChangeRequestFilter, ListPosition, ListScope, Status};
use bindery_app::{Context, content::spaces, review::change_requests};
use bindery_model::{ChangeRequestId, Result, UserId};
use bindery_wire::List;

use crate::call::Call;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("listChangeRequestsForSpace", Action::ReadSpace, of_space),
        read("listChangeRequestsForOrganization", Action::ViewOrganization, of_organization),
    ]
}

fn of_space(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    list(cx, Some(ListScope::Space(space.id)), call)
}

fn of_organization(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let filter = spaces::filter(cx, organization.id)?;
    list(cx, filter.as_ref().map(ListScope::Visible), call)
}

/// Reads the filter of a query. Returns `None` if nothing can match: for a malformed user id, and
/// for clusters of conversations, which do not exist.
fn filter(call: &Call) -> Option<ChangeRequestFilter> {
    let query = call.query();
    let person = |name| match query.text(name) {
        None => Some(None),
        Some(id) => UserId::parse(id).map(Some),
    };
    let filter = ChangeRequestFilter {
        status: query.text("status").and_then(Status::parse),
        creator: person("creator")?,
        contributor: person("contributor")?,
        requested_reviewer: person("requestedReviewer")?,
    };
    query.text("conversationsIssuesCluster").is_none().then_some(filter)
}

/// Returns the position after which a page begins.
fn list_position(page: &Page<'_>) -> Option<ListPosition> {
    let (created_at, rest) = page.after_time()?;
    let (number, id) = rest.split_once(' ')?;
    Some(ListPosition { created_at, number: number.parse().ok()?, id: ChangeRequestId::parse(id)? })
}

fn list(cx: &Context<'_>, within: Option<ListScope<'_>>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let (Some(within), Some(filter)) = (within, filter(call)) else {
        return Reply::json(200, &List::<()> { next: None, count: Some(0), items: Vec::new() });
    };
    let (rows, count) =
        change_requests::list(cx.tx, within, &filter, list_position(&page), page.rows())?;
    let list = page.list_of(
        rows,
        count,
        |row| time_position(row.created_at, format_args!("{} {}", row.number, row.id)),
        |rows| {
            let views = change_requests::views(cx.tx, rows)?.into_iter();
            views.map(|view| present::change_request(cx.app, view)).collect()
        },
    )?;
    Reply::json(200, &list)
}
