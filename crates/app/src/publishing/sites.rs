//! Sites: creation, settings, publication and deletion.

use bindery_model::{
    Error, FieldPath, OrganizationId, Result, SiteAgentsContext, SiteId, SiteType, SiteVisibility,
    Timestamp,
};
use bindery_store::organizations::Organization;
pub use bindery_store::site_spaces::SiteSpace;
use bindery_store::sites::SiteAddressKind;
pub use bindery_store::sites::{Site, SiteFilter};
use bindery_store::{Event, NewEvent, Tx, site_spaces, sites};

use super::structure;
use crate::access::{
    Authorized, Loaded, Person, Target, TargetKind, VisibleSites, site_access, visible_sites,
};
use crate::content::git_installations;
use crate::{App, Context, text};

/// Basenames that are used by other paths of the server.
const RESERVED: [&str; 9] =
    ["v1", "app", "assets", "healthz", "readyz", "metrics", "favicon-ico", "robots-txt", "index"];
/// Maximum length of a basename in characters.
const MAX_BASENAME: usize = 100;

/// A site of the organization in the request's path.
#[derive(Clone, Debug)]
pub struct SiteTarget(pub Site);

impl Target for SiteTarget {
    const KIND: TargetKind = TargetKind::Site;
    type Key = (OrganizationId, SiteId);

    fn load(tx: &Tx<'_>, person: Option<&Person>, key: &Self::Key) -> Result<Option<Loaded<Self>>> {
        let (organization, site) = *key;
        let Some(person) = person else {
            return Ok(None);
        };
        let Some(site) = sites::get(tx, site)?.filter(|site| site.organization == organization)
        else {
            return Ok(None);
        };
        let role = site_access(tx, person, &site)?.role();
        Ok(Some(Loaded { target: Self(site), role }))
    }
}

/// Lists the matching sites of an organization in the order of their creation, after the given
/// position, and returns their total number. The list contains only sites that the caller sees.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    filter: &SiteFilter,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<Site>, i64)> {
    let Some(person) = cx.caller.person() else { return Ok((Vec::new(), 0)) };
    let granted_to = match visible_sites(cx.tx, person, organization.id)? {
        VisibleSites::All => None,
        VisibleSites::Granted(user) => Some(user),
        VisibleSites::None => return Ok((Vec::new(), 0)),
    };
    let filter = SiteFilter { granted_to, ..filter.clone() };
    let found = sites::list(cx.tx, organization.id, &filter, after, rows)?;
    Ok((found, sites::count(cx.tx, organization.id, &filter)?))
}

/// Returns the number of spaces on a site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_spaces(cx: &Context<'_>, site: &Site) -> Result<u64> {
    Ok(u64::try_from(site_spaces::count(cx.tx, site.id)?).unwrap_or_default())
}

/// The values of a new site.
#[derive(Clone, Debug)]
pub struct NewSite {
    /// The type.
    pub site_type: SiteType,
    /// The title; `None` for the title of the first space or a default title.
    pub title: Option<String>,
    /// The visibility.
    pub visibility: SiteVisibility,
    /// Spaces to add, in order.
    pub spaces: Vec<String>,
}

/// Creates an unpublished site.
///
/// # Errors
/// Returns an error if the request is invalid, and 404 if a space does not exist for the caller.
pub fn create(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    new: &NewSite,
) -> Result<Site> {
    let spaces = new
        .spaces
        .iter()
        .map(|id| structure::placeable(cx, organization.id, id))
        .collect::<Result<Vec<_>>>()?;
    let title = match (&new.title, spaces.first()) {
        (Some(title), _) => text::title("/title", title, 2, 128)?,
        (None, Some(space)) if space.title.chars().count() >= 2 => space.title.clone(),
        _ => "Docs".to_owned(),
    };
    let site = store(cx.tx, cx.app, organization.id, &title, new)?;
    cx.tx.record(
        &NewEvent::new(Event::SiteCreated { title })
            .by(cx.user())
            .organization(organization.id)
            .site(site.id),
    )?;
    for space in &spaces {
        structure::place(cx, &site, space, None)?;
    }
    Ok(site)
}

/// Stores a site with an unused basename.
///
/// # Errors
/// Returns an error if the store fails.
pub fn store(
    tx: &Tx<'_>,
    app: &App,
    organization: OrganizationId,
    title: &str,
    new: &NewSite,
) -> Result<Site> {
    let wanted = text::basename(title);
    let mut site = Site {
        id: SiteId::random(&app.entropy),
        organization,
        site_type: new.site_type,
        title: title.to_owned(),
        basename: wanted.clone(),
        visibility: new.visibility,
        published: false,
        proxy: None,
        hostname: None,
        adaptive: false,
        agents_context: SiteAgentsContext::Included,
        version: 1,
        created_at: app.clock.now(),
    };
    let mut number = 0;
    while RESERVED.contains(&site.basename.as_str()) || !sites::create(tx, &site)? {
        number += 1;
        site.basename = format!("{wanted}-{number}");
    }
    Ok(site)
}

/// Publishes or unpublishes a site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_published(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    published: bool,
) -> Result<Site> {
    let site = &site.0;
    if site.published != published {
        sites::set_published(cx.tx, site.id, published)?;
        let event = if published { Event::SitePublished } else { Event::SiteUnpublished };
        cx.tx.record(
            &NewEvent::new(event).by(cx.user()).organization(site.organization).site(site.id),
        )?;
    }
    Ok(Site { published, ..site.clone() })
}

/// Changes of a site's settings. `None` keeps a value, `Some(None)` removes it.
#[derive(Clone, Debug, Default)]
pub struct SitePatch {
    /// The title.
    pub title: Option<String>,
    /// The audience.
    pub visibility: Option<SiteVisibility>,
    /// The path on the main host.
    pub basename: Option<String>,
    /// `true` if conditions see the claims of visitors.
    pub adaptive: Option<bool>,
    /// The permission of agents to use the site as context.
    pub agents_context: Option<SiteAgentsContext>,
    /// The id of the section at the site's root.
    pub default_section: Option<String>,
    /// The id of the site space at the root of the site, or of the default section.
    pub default_site_space: Option<String>,
    /// The address under which another server passes the site on.
    pub proxy: Option<Option<String>>,
    /// The site's own host.
    pub hostname: Option<Option<String>>,
}

/// Updates the settings of a site.
///
/// # Errors
/// Returns 400 with the invalid field, and 409 if another site has the basename, the hostname or the
/// address of the proxy.
pub fn update(cx: &Context<'_>, site: &Authorized<SiteTarget>, patch: SitePatch) -> Result<Site> {
    let before = &site.0;
    let mut after = before.clone();
    let SitePatch {
        title,
        visibility,
        basename,
        adaptive,
        agents_context,
        default_section,
        default_site_space,
        proxy,
        hostname,
    } = patch;
    if let Some(title) = title {
        after.title = text::title("/title", &title, 2, 128)?;
    }
    if let Some(basename) = basename {
        after.basename = checked_basename(&basename)?;
    }
    if let Some(proxy) = proxy {
        after.proxy = proxy.map(|proxy| checked_proxy(cx, &proxy)).transpose()?;
    }
    if let Some(hostname) = hostname {
        after.hostname =
            hostname.map(|name| checked_hostname(cx, "/hostname", &name)).transpose()?;
    }
    after.visibility = visibility.unwrap_or(before.visibility);
    after.adaptive = adaptive.unwrap_or(before.adaptive);
    after.agents_context = agents_context.unwrap_or(before.agents_context);
    let mut fields = changed_fields(before, &after);
    if !fields.is_empty()
        && let Some(taken) = sites::update(cx.tx, &after)?
    {
        return Err(taken_error(taken, &after));
    }
    if let Some(section) = default_section {
        structure::set_default_section(cx, before, &section)?;
        fields.push("defaultSiteSection".to_owned());
    }
    if let Some(site_space) = default_site_space {
        structure::set_default_site_space(cx, before, &site_space)?;
        fields.push("defaultSiteSpace".to_owned());
    }
    if !fields.is_empty() {
        let event = NewEvent::new(Event::SiteUpdated { fields });
        cx.tx.record(&event.by(cx.user()).organization(before.organization).site(before.id))?;
    }
    Ok(after)
}

fn taken_error(taken: SiteAddressKind, site: &Site) -> Error {
    let (field, found, name) = match taken {
        SiteAddressKind::Basename => ("/basename", Some(&site.basename), "basename"),
        SiteAddressKind::Hostname => ("/hostname", site.hostname.as_ref(), "hostname"),
        SiteAddressKind::Proxy => ("/proxy", site.proxy.as_ref(), "proxy address"),
    };
    let found = found.map(String::as_str).unwrap_or_default();
    FieldPath::new(field).conflict(format!("found {found:?}, which is the {name} of another site"))
}

/// Returns the address of a proxy with its host in lower case.
fn checked_proxy(cx: &Context<'_>, proxy: &str) -> Result<String> {
    let (host, path) = proxy.split_once('/').unwrap_or((proxy, ""));
    Ok(format!("{}/{path}", checked_hostname(cx, "/proxy", host)?))
}

/// Checks that a hostname is not one of this server.
fn checked_hostname(cx: &Context<'_>, field: &'static str, hostname: &str) -> Result<String> {
    let hostname = hostname.to_ascii_lowercase();
    if cx.app.urls.is_main_host(&hostname) || cx.app.urls.subdomain(&hostname).is_some() {
        return Err(FieldPath::new(field).conflict(format!(
            "found {hostname:?}, which belongs to this server: allowed: another host"
        )));
    }
    Ok(hostname)
}

fn changed_fields(before: &Site, after: &Site) -> Vec<String> {
    let pairs = [
        ("title", before.title != after.title),
        ("visibility", before.visibility != after.visibility),
        ("basename", before.basename != after.basename),
        ("adaptiveContent", before.adaptive != after.adaptive),
        ("agentsContext", before.agents_context != after.agents_context),
        ("proxy", before.proxy != after.proxy),
        ("hostname", before.hostname != after.hostname),
    ];
    pairs.iter().filter(|(_, changed)| *changed).map(|(name, _)| (*name).to_owned()).collect()
}

/// Checks a basename that a caller chose.
fn checked_basename(basename: &str) -> Result<String> {
    let field = FieldPath::new("/basename");
    let valid = (1..=MAX_BASENAME).contains(&basename.len())
        && !basename.starts_with('-')
        && !basename.ends_with('-')
        && basename.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    if !valid {
        return Err(field.invalid(format!(
            "found {basename:?}, allowed: 1 to {MAX_BASENAME} lower-case letters, digits and \
             hyphens, without a hyphen at either end"
        )));
    }
    if RESERVED.contains(&basename) {
        return Err(field.conflict(format!("found {basename:?}, which is reserved")));
    }
    Ok(basename.to_owned())
}

/// Deletes a site. Its spaces remain.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(cx: &Context<'_>, site: &Authorized<SiteTarget>) -> Result<()> {
    let site = &site.0;
    git_installations::remove_webhooks_of_site(cx, site.id)?;
    sites::delete(cx.tx, site.id)?;
    let event = NewEvent::new(Event::SiteDeleted);
    cx.tx.record(&event.by(cx.user()).organization(site.organization).site(site.id))?;
    Ok(())
}
