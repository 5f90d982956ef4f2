//! Organizations: making them, joining them, what they show.

mod update;

pub(crate) use update::is_subdomain;
pub use update::{ContentPointer, OrganizationPatch, update};

use bindery_model::{Error, OrganizationId, Result, Role, Timestamp};
use bindery_store::collections::Collection;
use bindery_store::organizations::{self, DefaultContent, Organization};
use bindery_store::spaces::Space;
use bindery_store::users::User;
use bindery_store::{Event, JoinMethod, NewEvent, Tx, members, teams};

use crate::access::{Action, Authorized, Membership, SignedIn, Target as _, authorize_target};
use crate::sites::NewSite;
use crate::spaces::NewSpace;
use crate::{App, Context, access, sites, spaces, text, users};

/// The longest title, in characters.
const TITLE: (usize, usize) = (2, 255);
/// Characters of an organization's title that go into its first space's.
const SPACE_TITLE: usize = 50;

/// What the caller may do in an organization: the `permissions` of the contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Permissions {
    /// The caller's level on the organization.
    pub role: Role,
    /// A guest sees the organization and nothing of it; so does a token that is limited to spaces.
    pub guest: bool,
    /// The caller manages a team of it.
    pub owns_team: bool,
}

/// An organization with what its answer shows besides its row.
#[derive(Clone, Debug)]
pub struct OrganizationView {
    /// The row; for one who may only join, without what is for members.
    pub organization: Organization,
    /// The mail domains whose people may join.
    pub email_domains: Vec<String>,
    /// What the caller may do; `None` for one who may only join.
    pub permissions: Option<Permissions>,
}

/// The caller's permissions.
///
/// # Errors
/// When the store fails.
pub fn permissions(cx: &Context<'_>, organization: OrganizationId) -> Result<Option<Permissions>> {
    let Some(person) = cx.caller.person() else {
        return Ok(None);
    };
    let (membership, default_role) = access::membership(cx.tx, person, organization)?;
    let role = access::role_in_organization(person, membership, default_role);
    let guest = membership == Membership::Guest || !person.spaces.is_empty();
    let Some(role) = role else { return Ok(None) };
    let owns_team = person.spaces.is_empty()
        && (role == Role::Admin || teams::owns_any(cx.tx, organization, person.user)?);
    Ok(Some(Permissions { role, guest, owns_team }))
}

/// What the answer for an organization shows to the caller.
///
/// # Errors
/// 404 where it does not exist for the caller.
pub fn view(cx: &Context<'_>, organization: Organization) -> Result<OrganizationView> {
    let permissions = permissions(cx, organization.id)?;
    if permissions.is_none() {
        return Err(Error::not_found("organization"));
    }
    let email_domains = organizations::email_domains(cx.tx, organization.id)?;
    let default_content = match organization.default_content {
        Some(content) if is_seen(cx, organization.id, content)? => Some(content),
        _ => None,
    };
    let organization = Organization { default_content, ..organization };
    Ok(OrganizationView { organization, email_domains, permissions })
}

/// Whether the default content is still there, and there for the caller.
fn is_seen(
    cx: &Context<'_>,
    organization: OrganizationId,
    content: DefaultContent,
) -> Result<bool> {
    let Some(person) = cx.caller.person() else {
        return Ok(false);
    };
    if !organizations::contains(cx.tx, organization, content)? {
        return Ok(false);
    }
    Ok(match content {
        DefaultContent::Site(_) => access::sites_role(cx.tx, person, organization)?.is_some(),
        DefaultContent::Space(space) => {
            let loaded = Space::load(cx.tx, Some(person), &space)?;
            loaded.is_some_and(|loaded| loaded.role.is_some())
        }
        DefaultContent::Collection(collection) => {
            let loaded = Collection::load(cx.tx, Some(person), &collection)?;
            loaded.is_some_and(|loaded| loaded.role.is_some())
        }
    })
}

/// Stores a new organization.
///
/// # Errors
/// When the store fails.
pub fn create(tx: &Tx<'_>, app: &App, title: &str, at: Timestamp) -> Result<Organization> {
    let id = OrganizationId::random(&app.entropy);
    insert(tx, Organization::new(id, title.to_owned(), at))
}

fn insert(tx: &Tx<'_>, organization: Organization) -> Result<Organization> {
    organizations::create(tx, &organization)?;
    let event = Event::OrganizationCreated { title: organization.title.clone() };
    tx.record(&NewEvent::new(event).organization(organization.id))?;
    Ok(organization)
}

/// What a new organization is to be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NewOrganization {
    /// The title.
    pub title: String,
    /// The mail domains whose people may join.
    pub email_domains: Vec<String>,
    /// The preferences of the founder, as the contract's JSON.
    pub onboarding: Option<String>,
    /// Whether it gets a site with a space.
    pub with_site: bool,
}

/// Makes an organization that the caller administers.
///
/// # Errors
/// 403 for who administers no organization; what is wrong with the request.
pub fn found(
    cx: &Context<'_>,
    _: &Authorized<SignedIn>,
    new: &NewOrganization,
) -> Result<Organization> {
    let person = cx.caller.person().ok_or_else(|| Error::internal("nobody founds"))?;
    access::require_founder(cx.tx, person)?;
    let title = text::title("/title", &new.title, TITLE.0, TITLE.1)?;
    let domains = update::domains(&new.email_domains)?;
    let id = OrganizationId::random(&cx.app.entropy);
    let made = Organization {
        onboarding: new.onboarding.clone(),
        ..Organization::new(id, title.clone(), cx.now())
    };
    let made = insert(cx.tx, made)?;
    organizations::set_email_domains(cx.tx, made.id, &domains)?;
    add_member(cx, made.id, person.user, Some(Role::Admin), JoinMethod::Founded)?;
    if new.with_site {
        let within =
            authorize_target::<Organization>(cx.tx, cx.caller, Action::CreateSite, Some(&made.id))?;
        let short: String = title.chars().take(SPACE_TITLE).collect();
        let space = spaces::create(cx, made.id, &NewSpace { title: short, ..NewSpace::default() })?;
        let site = NewSite {
            site_type: "basic".to_owned(),
            title: None,
            visibility: "public".to_owned(),
            spaces: vec![space.id.to_string()],
        };
        sites::create(cx, &within, &site)?;
    }
    Ok(made)
}

/// Makes somebody a member and records how; `false` if they were one.
///
/// # Errors
/// When the store fails.
pub(crate) fn add_member(
    cx: &Context<'_>,
    organization: OrganizationId,
    user: bindery_model::UserId,
    role: Option<Role>,
    by: JoinMethod,
) -> Result<bool> {
    if !members::create(cx.tx, organization, user, role, cx.now())? {
        return Ok(false);
    }
    let role = role.map(|role| role.as_str().to_owned());
    cx.tx.record(
        &NewEvent::new(Event::MemberAdded { user, role, by })
            .by(cx.user())
            .organization(organization),
    )?;
    Ok(true)
}

/// The organizations that the caller is in and that the token reaches, oldest first.
///
/// # Errors
/// When the store fails.
pub fn list(
    cx: &Context<'_>,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<Organization>, i64)> {
    let Some(person) = cx.caller.person() else {
        return Ok((Vec::new(), 0));
    };
    let within = (!person.organizations.is_empty()).then_some(person.organizations.as_slice());
    let count = organizations::count_of_user(cx.tx, person.user, within)?;
    let found = organizations::list_of_user(cx.tx, person.user, within, after, rows)?;
    Ok((found, count))
}

/// The domain of the caller's mail address, if they showed that the address is theirs.
fn verified_domain(user: &User) -> Option<String> {
    user.verified_at?;
    let (_, domain) = user.email.rsplit_once('@')?;
    text::domain(domain)
}

/// The organizations that people of a mail domain may join: for those who are of it, and nobody
/// else. Those that the caller is not in show no more than it takes to choose.
///
/// # Errors
/// 400 for a text that is no domain.
pub fn list_by_email_domain(cx: &Context<'_>, domain: &str) -> Result<Vec<OrganizationView>> {
    let domain = text::domain(domain).ok_or_else(|| {
        Error::invalid("path parameter \"emailDomain\": allowed is a domain like example.org")
    })?;
    let limited = cx
        .caller
        .person()
        .is_none_or(|person| !person.organizations.is_empty() || !person.spaces.is_empty());
    if limited || verified_domain(&users::caller(cx)?).as_ref() != Some(&domain) {
        return Ok(Vec::new());
    }
    let found = organizations::list_by_email_domain(cx.tx, &domain)?;
    let shown = found.into_iter().map(|organization| match permissions(cx, organization.id)? {
        Some(_) => view(cx, organization),
        None => Ok(OrganizationView {
            organization: Organization {
                default_content: None,
                merge_rules: None,
                onboarding: None,
                ..organization
            },
            email_domains: vec![domain.clone()],
            permissions: None,
        }),
    });
    shown.collect()
}

/// Makes the caller a member of an organization that takes people of their mail domain.
///
/// # Errors
/// 404 for an organization that takes nobody so, and for disabled members; 400 where it takes
/// people of other domains, and for addresses that nobody showed to be theirs.
pub fn join(cx: &Context<'_>, _: &Authorized<SignedIn>, id: Option<OrganizationId>) -> Result<()> {
    let not_found = || Error::not_found("organization");
    let id = id.ok_or_else(not_found)?;
    let reached = cx.caller.person().is_some_and(|person| person.reaches_organization(id));
    let organization = organizations::get(cx.tx, id)?.filter(|_| reached).ok_or_else(not_found)?;
    let user = users::caller(cx)?;
    if let Some(standing) = members::get_membership(cx.tx, id, user.id)? {
        return if standing.member.disabled { Err(not_found()) } else { Ok(()) };
    }
    let domains = organizations::email_domains(cx.tx, id)?;
    if domains.is_empty() {
        return Err(not_found());
    }
    if user.verified_at.is_none() {
        return Err(Error::invalid(
            "your mail address is not confirmed: sign in by a link, or accept an invitation, that \
             was sent to it",
        ));
    }
    if !verified_domain(&user).is_some_and(|domain| domains.contains(&domain)) {
        return Err(Error::invalid(
            "the domain of your mail address is none of those whose people may join",
        ));
    }
    add_member(cx, id, user.id, organization.default_role, JoinMethod::EmailDomain)?;
    Ok(())
}
