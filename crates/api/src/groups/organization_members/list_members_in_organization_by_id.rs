//! `listMembersInOrganizationById`: lists the members of an organization.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::people::members::{self, MemberQuery};
use bindery_app::people::organizations::Organization;
use bindery_model::{Error, Result, Role, Timestamp};

use crate::call::Call;
use crate::lists::Page;
use crate::operation::{Operation, read};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("listMembersInOrganizationById", Action::ViewOrganization, run)
}

fn run(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let query = call.query();
    // A list by last activity has the state of its first page, so that later activity moves nobody.
    let by_last_seen = query.text("sort") == Some("lastSeenAt");
    let (as_of, after) = match page.after().map(parse_position) {
        None => (cx.now(), None),
        Some(None) => return Err(Error::internal("a cursor of this list that it cannot read")),
        Some(Some((as_of, at, user))) => (as_of, Some((at, user))),
    };
    let role = query.text("role").map(Role::parse);
    let filter = MemberQuery {
        role,
        search: query.text("search").map(str::to_owned),
        order: members::order(by_last_seen.then_some(as_of), query.text("order") != Some("asc")),
    };
    let (found, count) = members::list(cx, organization, &filter, after, page.rows())?;
    let list = page.list(
        found,
        count,
        |(at, view)| format!("{} {} {}", as_of.millis(), at.millis(), view.row.user),
        |(_, view)| Ok(present::member(cx.app, view.row, view.user)),
    )?;
    Reply::json(200, &list)
}

/// Parses a position: the time of the first page, and the item after which to continue.
fn parse_position(position: &str) -> Option<(Timestamp, Timestamp, &str)> {
    let mut parts = position.splitn(3, ' ');
    let mut time = || Some(Timestamp::from_millis(parts.next()?.parse().ok()?));
    let (as_of, at) = (time()?, time()?);
    Some((as_of, at, parts.next()?))
}
