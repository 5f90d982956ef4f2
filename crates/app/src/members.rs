//! Members of organizations: who they are, their roles, and how they leave.

use bindery_model::{Error, Result, Role, Timestamp, UserId};
use bindery_store::members::{self, Member, MemberFilter, MemberOrder, MemberRow, MemberSort};
use bindery_store::organizations::Organization;
use bindery_store::users::{self, User};
use bindery_store::{Event, FieldChange, NewEvent};
use serde_json::{Value, json};
use unicode_normalization::UnicodeNormalization;

use crate::access::{Authorized, LeavingMember, MemberTarget};
use crate::{Context, access};

/// How exact "last seen" is, in milliseconds.
const SEEN: i64 = 60_000;

/// A member with who it is.
#[derive(Clone, Debug)]
pub struct MemberView {
    /// The membership.
    pub row: MemberRow,
    /// The person.
    pub user: User,
}

/// What a list of members is to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemberQuery {
    /// Members with this role; `Some(None)`: guests.
    pub role: Option<Option<Role>>,
    /// Members with this text in their name or mail address.
    pub search: Option<String>,
    /// What the list goes by.
    pub order: MemberOrder,
}

/// The members of an organization after the given place, each with the time that the list goes by,
/// and how many there are.
///
/// # Errors
/// 403 for guests.
pub fn list(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    asked: &MemberQuery,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<(Timestamp, MemberView)>, i64)> {
    let what = "see the members of this organization";
    access::require_member(cx.tx, cx.caller.person(), organization.id, what)?;
    let search = asked.search.as_ref().map(|text| text.trim().nfc().collect::<String>());
    let filter = MemberFilter { role: asked.role, search: search.filter(|text| !text.is_empty()) };
    let count = members::count(cx.tx, organization.id, &filter, asked.order.sort)?;
    let found = members::list(cx.tx, organization.id, &filter, asked.order, after, rows)?;
    let ids: Vec<UserId> = found.iter().map(|(_, row)| row.user).collect();
    let mut people = users::get_many(cx.tx, &ids)?;
    let views = found.into_iter().map(|(time, row)| {
        let user = people.remove(&row.user);
        let user = user.ok_or_else(|| Error::internal("a member who is nobody"))?;
        Ok((time, MemberView { row, user }))
    });
    Ok((views.collect::<Result<_>>()?, count))
}

/// What the answer for a member shows.
///
/// # Errors
/// When the store fails.
pub fn view(cx: &Context<'_>, target: &MemberTarget) -> Result<MemberView> {
    let row = members::get(cx.tx, target.organization, target.row.user)?;
    let row = row.ok_or_else(|| Error::not_found("member"))?;
    let user = users::get(cx.tx, row.user)?;
    let user = user.ok_or_else(|| Error::internal("a member who is nobody"))?;
    Ok(MemberView { row, user })
}

/// What of a membership is to be from now on; absent stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemberPatch {
    /// The role; `Some(None)`: a guest.
    pub role: Option<Option<Role>>,
    /// Whether the member has no access for now.
    pub disabled: Option<bool>,
}

/// Changes a membership.
///
/// # Errors
/// 409 where nobody would administer the organization any more.
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

/// Removes a member, or lets the caller leave. Access ends with this transaction; what they wrote
/// stays theirs.
///
/// # Errors
/// 409 where nobody would administer the organization any more.
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

/// Notes that the caller is there.
///
/// # Errors
/// When the store fails.
pub fn ping(cx: &Context<'_>, organization: &Authorized<Organization>) -> Result<MemberView> {
    let user = cx.user().ok_or_else(|| Error::not_found("member"))?;
    let row = members::get(cx.tx, organization.id, user)?;
    let row = row.ok_or_else(|| Error::not_found("member"))?;
    members::touch(cx.tx, organization.id, user, cx.now(), cx.now().plus_millis(-SEEN))?;
    view(cx, &MemberTarget { organization: organization.id, row })
}

/// Binds a member to the organization's sign-in provider.
///
/// # Errors
/// 409: no organization has one yet.
pub fn set_sso(_: &Authorized<MemberTarget>) -> Result<MemberView> {
    Err(Error::conflict("the organization has no provider to sign in through"))
}

fn administers(member: Member) -> bool {
    member.role == Some(Role::Admin) && !member.disabled
}

/// Refuses to take the last administrator away.
fn require_administrator(cx: &Context<'_>, target: &MemberTarget) -> Result<()> {
    let MemberTarget { organization, row } = target;
    if !administers(row.member) || members::has_other_administrator(cx.tx, *organization, row.user)?
    {
        return Ok(());
    }
    Err(Error::conflict(
        "this is the last administrator of the organization: make somebody else one first",
    ))
}

fn record(cx: &Context<'_>, target: &MemberTarget, event: Event) -> Result<()> {
    cx.tx.record(&NewEvent::new(event).by(cx.user()).organization(target.organization))?;
    Ok(())
}

/// The order of a list that was begun at this time.
pub const fn order(by_last_seen: Option<Timestamp>, descending: bool) -> MemberOrder {
    let sort = match by_last_seen {
        Some(as_of) => MemberSort::LastSeenAt(as_of),
        None => MemberSort::JoinedAt,
    };
    MemberOrder { sort, descending }
}
