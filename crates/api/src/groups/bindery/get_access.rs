//! `getAccess`: the permissions of a person and their sources.

use bindery_app::Context;
use bindery_app::access::{
    self, Action, Authorized, SignedIn, Source, Sources, Target, authorize_target,
};
use bindery_app::content::collections::Collection;
use bindery_app::content::spaces::Space;
use bindery_app::people::organizations::Organization;
use bindery_app::people::users;
use bindery_model::{
    CollectionId, Error, ErrorKind, OrganizationId, Result, Role, SpaceId, UserId,
};

use crate::call::Call;
use crate::operation::{Operation, read};
use crate::present::{self, ExplanationSubject};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    // A person may always see their own access.
    read("getAccess", Action::ActAsSelf, run).additional_action(Action::ManagePermissions)
}

/// A resource that the caller sees, with the facts for the explanation.
struct AccessTarget {
    organization: OrganizationId,
    about: ExplanationSubject,
    sources: Sources,
    /// The caller's own role.
    role: Role,
}

fn find_target(cx: &Context<'_>, resource: &str) -> Result<AccessTarget> {
    if let Some(space) = try_authorize::<Space>(cx, Action::ReadSpace, SpaceId::parse(resource))? {
        return Ok(AccessTarget {
            organization: space.organization,
            about: ExplanationSubject::Space(space.id),
            sources: Sources::of_space(cx.tx, &space)?,
            role: space.role(),
        });
    }
    let id = CollectionId::parse(resource);
    if let Some(collection) = try_authorize::<Collection>(cx, Action::ReadCollection, id)? {
        return Ok(AccessTarget {
            organization: collection.organization,
            about: ExplanationSubject::Collection(collection.id),
            sources: Sources::of_collection(cx.tx, &collection)?,
            role: collection.role(),
        });
    }
    let id = OrganizationId::parse(resource);
    if let Some(organization) = try_authorize::<Organization>(cx, Action::ViewOrganization, id)? {
        return Ok(AccessTarget {
            organization: organization.id,
            about: ExplanationSubject::Organization,
            sources: Sources::of_organization(organization.id),
            role: organization.role(),
        });
    }
    Err(Error::not_found("space, collection or organization"))
}

fn try_authorize<T: Target>(
    cx: &Context<'_>,
    action: Action,
    key: Option<T::Key>,
) -> Result<Option<Authorized<T>>> {
    match authorize_target::<T>(cx.tx, cx.caller, action, key.as_ref()) {
        Ok(target) => Ok(Some(target)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn run(cx: &Context<'_>, _: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    let resource = call.query().text("resource").unwrap_or_default();
    let AccessTarget { organization, about, sources, role } = find_target(cx, resource)?;
    let user = UserId::parse(call.query().text("user").unwrap_or_default());
    if user.is_none() || user != cx.user() {
        if role != Role::Admin {
            return Err(Error::forbidden(
                "you may not see the access of others here: it needs the permission admin",
            ));
        }
        access::require_scope(cx.caller, Action::ManagePermissions)?;
    }
    let missing = || Error::not_found("member");
    let user = user.ok_or_else(missing)?;
    let (membership, default_role) = access::membership_of(cx.tx, user, organization)?;
    let who = users::get(cx, user)?.filter(|_| membership != access::Membership::Stranger);
    let who = who.ok_or_else(missing)?;
    let sources = sources.of(cx.tx, &[user])?.remove(&user).unwrap_or_default();
    let role = match about {
        ExplanationSubject::Organization => access::role_of_member(membership, default_role),
        ExplanationSubject::Space(_) | ExplanationSubject::Collection(_) => highest_role(&sources),
    };
    Reply::json(200, &present::explanation(cx.app, who, organization, about, role, sources))
}

/// Returns the role that results from all sources together.
fn highest_role(sources: &[Source]) -> Option<Role> {
    sources.iter().filter_map(|source| source.role).max()
}
