//! Organizations: creating, listing and joining them.

mod update;

pub(crate) use update::is_subdomain;
pub use update::{ContentPointer, OrganizationPatch, update};

use bindery_model::{
    Error, Location, OrganizationId, Result, Role, SiteType, SiteVisibility, Timestamp,
};
use bindery_store::collections::Collection;
pub use bindery_store::organizations::{DefaultContent, Organization};
use bindery_store::spaces::Space;
use bindery_store::users::User;
use bindery_store::{Event, JoinMethod, NewEvent, Tx, members, organizations, teams};

use crate::access::{Action, Authorized, Membership, SignedIn, Target as _, authorize_target};
use crate::content::computed::{self, PageSource};
use crate::content::openapi::{self, Sourced};
use crate::content::spaces::NewSpace;
use crate::publishing::sites::{NewSite, SiteTarget};
use crate::{App, Context, access, content::spaces, people::users, publishing::sites, text};

/// Minimum and maximum length of a title, in characters.
const TITLE: (usize, usize) = (2, 255);
/// Maximum number of characters of an organization's title in the title of its first space.
const SPACE_TITLE: usize = 50;

/// The caller's permissions in an organization: the `permissions` of the API contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Permissions {
    /// The caller's role on the organization.
    pub role: Role,
    /// `true` if the caller is a guest or uses a token that is limited to spaces. Such callers see
    /// the organization itself and no more of it.
    pub guest: bool,
    /// `true` if the caller manages a team of the organization.
    pub owns_team: bool,
}

/// An organization with the other data of its response.
#[derive(Clone, Debug)]
pub struct OrganizationView {
    /// The row. Callers who can only join do not see the fields for members.
    pub organization: Organization,
    /// The mail domains whose users can join.
    pub email_domains: Vec<String>,
    /// The caller's permissions; `None` for callers who can only join.
    pub permissions: Option<Permissions>,
}

/// Returns the caller's permissions in an organization; `None` if the caller has no role there.
///
/// # Errors
/// Returns an error if the store fails.
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

/// Returns the organization that owns a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn owner(cx: &Context<'_>, space: &Space) -> Result<Organization> {
    organizations::get(cx.tx, space.organization)?
        .ok_or_else(|| Error::internal("a space without an organization"))
}

/// Loads the data of an organization's response. Leaves out default content that the caller does
/// not see.
///
/// # Errors
/// Returns 404 if the caller has no role in the organization.
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

/// Returns `true` if the default content still exists and the caller sees it.
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
        DefaultContent::Site(site) => {
            let loaded = SiteTarget::load(cx.tx, Some(person), &(organization, site))?;
            loaded.is_some_and(|loaded| loaded.role.is_some())
        }
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
/// Returns an error if the store fails.
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

/// The slug of the OpenAPI specification that an organization is created with.
const FIRST_OPENAPI_SPEC: &str = "openapi";

/// The data of a new organization.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NewOrganization {
    /// The title.
    pub title: String,
    /// The mail domains whose users can join.
    pub email_domains: Vec<String>,
    /// The preferences of the founder, in the API contract's JSON form.
    pub onboarding: Option<String>,
    /// `true` creates a site with one space.
    pub with_site: bool,
    /// The source of its first OpenAPI specification.
    pub openapi: Option<Sourced>,
}

/// Creates an organization with the caller as administrator.
///
/// # Errors
/// Returns 403 if the caller administers no organization, and 400 for an invalid field.
pub fn create_with_admin(
    cx: &Context<'_>,
    _: &Authorized<SignedIn>,
    new: &NewOrganization,
) -> Result<Organization> {
    let person = cx
        .caller
        .person()
        .ok_or_else(|| Error::internal("an organization is created without a user"))?;
    access::require_founder(cx.tx, person)?;
    let title = text::title("/title", &new.title, TITLE.0, TITLE.1)?;
    let domains = update::domains(&new.email_domains)?;
    let id = OrganizationId::random(&cx.app.entropy);
    let organization = Organization {
        onboarding: new.onboarding.clone(),
        ..Organization::new(id, title.clone(), cx.now())
    };
    let organization = insert(cx.tx, organization)?;
    organizations::set_email_domains(cx.tx, organization.id, &domains)?;
    add_member(cx, organization.id, person.user, Some(Role::Admin), JoinMethod::Founded)?;
    if let Some(source) = &new.openapi {
        openapi::insert(cx, organization.id, FIRST_OPENAPI_SPEC, source)?;
    }
    if new.with_site {
        let within = authorize_target::<Organization>(
            cx.tx,
            cx.caller,
            Action::CreateSite,
            Some(&organization.id),
        )?;
        let short: String = title.chars().take(SPACE_TITLE).collect();
        let mut space =
            spaces::create(cx, organization.id, &NewSpace { title: short, ..NewSpace::default() })?;
        if new.openapi.is_some() {
            let source = PageSource::with_models(FIRST_OPENAPI_SPEC);
            space.head = computed::begin(cx, &space, &source)?;
        }
        let site = NewSite {
            site_type: SiteType::Basic,
            title: None,
            visibility: SiteVisibility::Public,
            spaces: vec![space.id.to_string()],
        };
        sites::create(cx, &within, &site)?;
    }
    Ok(organization)
}

/// Makes a user a member and records how they joined. Returns `false` if they already were a
/// member.
///
/// # Errors
/// Returns an error if the store fails.
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
    cx.tx.record(
        &NewEvent::new(Event::MemberAdded { user, role, by })
            .by(cx.user())
            .organization(organization),
    )?;
    Ok(true)
}

/// Lists the caller's organizations that the token reaches, oldest first, and returns the total
/// number.
///
/// # Errors
/// Returns an error if the store fails.
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

/// Returns the domain of a user's mail address, if the address is verified.
fn verified_domain(user: &User) -> Option<String> {
    user.verified_at?;
    let (_, domain) = user.email.rsplit_once('@')?;
    text::domain(domain)
}

/// Lists the organizations that users of a mail domain can join. The list is empty for callers
/// without a verified address of that domain, and for limited tokens. Organizations that the caller
/// is not a member of come without the fields for members.
///
/// # Errors
/// Returns 400 for an invalid domain.
pub fn list_by_email_domain(cx: &Context<'_>, domain: &str) -> Result<Vec<OrganizationView>> {
    let domain = text::domain(domain).ok_or_else(|| {
        Error::invalid("allowed: a domain like example.org").at(Location::Path("emailDomain"))
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

/// Makes the caller a member of an organization that admits people of their mail domain.
///
/// # Errors
/// Returns 404 if the organization admits no mail domain or the caller is a disabled member, and
/// 400 if it admits only other domains or the caller's address is not verified.
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
            "the organization does not admit the domain of your mail address",
        ));
    }
    add_member(cx, id, user.id, organization.default_role, JoinMethod::EmailDomain)?;
    Ok(())
}
