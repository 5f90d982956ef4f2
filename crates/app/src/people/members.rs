//! Members of organizations: listing them, changing their roles and removing them.

use bindery_model::{Error, Result, Role, Timestamp, UserId};
use bindery_store::members::{self, MemberFilter, MemberOrder, MemberSort};
pub use bindery_store::members::{Member, MemberRow};
use bindery_store::organizations::Organization;
use bindery_store::users::{self, User};
use bindery_store::{Event, FieldChange, NewEvent};
use serde_json::{Value, json};
use unicode_normalization::UnicodeNormalization;

use crate::access::{Authorized, LeavingMember, MemberTarget};
use crate::{Context, access};

/// Resolution of "last seen", in milliseconds.
const LAST_SEEN_RESOLUTION: i64 = 60_000;

/// A membership with its user.
#[derive(Clone, Debug)]
pub struct MemberView {
    /// The membership.
    pub row: MemberRow,
    /// The user.
    pub user: User,
}

/// The filter and order of a list of members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemberQuery {
    /// Lists only members with this role; `Some(None)`: only guests.
    pub role: Option<Option<Role>>,
    /// Lists only members with this text in their name or mail address.
    pub search: Option<String>,
    /// The sort order.
    pub order: MemberOrder,
}

/// Lists the members of an organization after the given position, each with the time by which the
/// list is sorted, and returns the total number of matches.
///
/// # Errors
/// Returns 403 for guests.
pub fn list(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    asked: &MemberQuery,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<(Timestamp, MemberView)>, i64)> {
    let action = "see the members of this organization";
    access::require_member(cx.tx, cx.caller.person(), organization.id, action)?;
    let search = asked.search.as_ref().map(|text| text.trim().nfc().collect::<String>());
    let filter = MemberFilter { role: asked.role, search: search.filter(|text| !text.is_empty()) };
    let count = members::count(cx.tx, organization.id, &filter, asked.order.sort)?;
    let found = members::list(cx.tx, organization.id, &filter, asked.order, after, rows)?;
    let ids: Vec<UserId> = found.iter().map(|(_, row)| row.user).collect();
    let mut people = users::get_many(cx.tx, &ids)?;
    let views = found.into_iter().map(|(time, row)| {
        let user = people.remove(&row.user);
        let user = user.ok_or_else(|| Error::internal("a member has no user"))?;
        Ok((time, MemberView { row, user }))
    });
    Ok((views.collect::<Result<_>>()?, count))
}

/// Loads the membership and the user for a response.
///
/// # Errors
/// Returns an error if the store fails.
pub fn view(cx: &Context<'_>, target: &MemberTarget) -> Result<MemberView> {
    let row = members::get(cx.tx, target.organization, target.row.user)?;
    let row = row.ok_or_else(|| Error::not_found("member"))?;
    let user = users::get(cx.tx, row.user)?;
    let user = user.ok_or_else(|| Error::internal("a member has no user"))?;
    Ok(MemberView { row, user })
}

/// Changes to a membership. Absent fields stay unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemberPatch {
    /// The role; `Some(None)` makes the member a guest.
    pub role: Option<Option<Role>>,
    /// `true` suspends the member's access, `false` restores it.
    pub disabled: Option<bool>,
}

/// Changes a membership.
///
/// # Errors
/// Returns 409 if the organization would have no administrator left.
pub fn update(
    cx: &Context<'_>,
    target: &Authorized<MemberTarget>,
    patch: MemberPatch,
) -> Result<MemberView> {
    let before = target.row.member;
    let after = Member {
        role: patch.role.unwrap_or(before.role),
        disabled: patch.disabled.unwrap_or(before.disabled),
    };
    if after != before {
        if !administers(after) {
            require_administrator(cx, target)?;
        }
        members::update(cx.tx, target.organization, target.row.user, after)?;
        let role = |member: Member| member.role.map(Role::as_str);
        let changes = [
            FieldChange::of("role", &role(before), &role(after))?,
            FieldChange::of("disabled", &before.disabled, &after.disabled)?,
        ];
        let changes = changes.into_iter().flatten().collect();
        record(cx, target, Event::MemberUpdated { user: target.row.user, changes })?;
    }
    view(cx, target)
}

/// Removes a member, or lets the caller leave. Access ends with this transaction; content that the
/// member wrote keeps its author.
///
/// # Errors
/// Returns 409 if the organization would have no administrator left.
pub fn delete(cx: &Context<'_>, target: &Authorized<LeavingMember>) -> Result<()> {
    let target = &target.0;
    require_administrator(cx, target)?;
    let granted = members::delete(cx.tx, target.organization, target.row.user)?;
    let gone = |field: String, before: Value| FieldChange { field, before, after: Value::Null };
    let role = json!(target.row.member.role.map(Role::as_str));
    let mut changes = vec![gone("role".to_owned(), role)];
    changes.extend(granted.into_iter().map(|(place, role)| gone(place, json!(role))));
    record(cx, target, Event::MemberRemoved { user: target.row.user, changes })
}

/// Updates the caller's "last seen" time.
///
/// # Errors
/// Returns an error if the store fails.
pub fn ping(cx: &Context<'_>, organization: &Authorized<Organization>) -> Result<MemberView> {
    let user = cx.user().ok_or_else(|| Error::not_found("member"))?;
    let row = members::get(cx.tx, organization.id, user)?;
    let row = row.ok_or_else(|| Error::not_found("member"))?;
    members::touch(
        cx.tx,
        organization.id,
        user,
        cx.now(),
        cx.now().plus_millis(-LAST_SEEN_RESOLUTION),
    )?;
    view(cx, &MemberTarget { organization: organization.id, row })
}

/// Links a member to the organization's sign-in provider.
///
/// # Errors
/// Always 409, as sign-in providers are not implemented.
pub fn set_sso(_: &Authorized<MemberTarget>) -> Result<MemberView> {
    Err(Error::conflict("the organization has no sign-in provider"))
}

fn administers(member: Member) -> bool {
    member.role == Some(Role::Admin) && !member.disabled
}

/// Rejects a change that would remove the last administrator.
fn require_administrator(cx: &Context<'_>, target: &MemberTarget) -> Result<()> {
    let MemberTarget { organization, row } = target;
    if !administers(row.member) || members::has_other_administrator(cx.tx, *organization, row.user)?
    {
        return Ok(());
    }
    Err(Error::conflict(
        "this member is the last administrator of the organization: give another member \
         the role admin first",
    ))
}

fn record(cx: &Context<'_>, target: &MemberTarget, event: Event) -> Result<()> {
    cx.tx.record(&NewEvent::new(event).by(cx.user()).organization(target.organization))?;
    Ok(())
}

/// Returns the sort order of a list. `by_last_seen` is the time at which the list was first
/// requested; `None` sorts by the time of joining.
pub const fn order(by_last_seen: Option<Timestamp>, descending: bool) -> MemberOrder {
    let sort = match by_last_seen {
        Some(as_of) => MemberSort::LastSeenAt(as_of),
        None => MemberSort::JoinedAt,
    };
    MemberOrder { sort, descending }
}
