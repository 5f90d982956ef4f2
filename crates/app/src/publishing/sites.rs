//! Sites: creation, their spaces, and publication.

use bindery_model::{
    Error, OrganizationId, Result, SiteId, SiteSpaceId, SiteType, SiteVisibility, SpaceId,
    Timestamp,
};
use bindery_store::organizations::Organization;
pub use bindery_store::site_spaces::SiteSpace;
pub use bindery_store::sites::{Site, SiteFilter};
use bindery_store::spaces::Space;
use bindery_store::{Event, NewEvent, SiteSpaceSettings, Tx, site_spaces, sites};

use crate::access::{
    Action, Authorized, Loaded, Person, Target, TargetKind, authorize_target, sites_role,
};
use crate::{App, Context, text};

/// Basenames that are used by other paths of the server.
const RESERVED: [&str; 9] =
    ["v1", "app", "assets", "healthz", "readyz", "metrics", "favicon-ico", "robots-txt", "index"];
/// Maximum length of a basename that is derived from a title, in characters.
const BASENAME: usize = 60;

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
        let role = sites_role(tx, person, organization)?;
        Ok(Some(Loaded { target: Self(site), role }))
    }
}

/// Lists the matching sites of an organization in the order of their creation, after the given
/// position, and returns their total number. The list is empty for callers who do not see the sites
/// of the organization.
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
    if sites_role(cx.tx, person, organization.id)?.is_none() {
        return Ok((Vec::new(), 0));
    }
    let found = sites::list(cx.tx, organization.id, filter, after, rows)?;
    Ok((found, sites::count(cx.tx, organization.id, filter)?))
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
        .map(|id| placeable(cx, organization.id, id))
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
        place(cx, &site, space)?;
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
    let wanted = basename(title);
    let mut site = Site {
        id: SiteId::random(&app.entropy),
        organization,
        site_type: new.site_type,
        title: title.to_owned(),
        basename: wanted.clone(),
        visibility: new.visibility,
        published: false,
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

/// Returns the basename for a title: lower-case letters, digits and hyphens.
fn basename(title: &str) -> String {
    let slug = bindery_content::slug::page(title);
    let mut out = String::new();
    for char in slug.chars().take(BASENAME) {
        match char {
            'a'..='z' | '0'..='9' => out.push(char),
            _ if out.ends_with('-') => {}
            _ => out.push('-'),
        }
    }
    match out.trim_matches('-') {
        "" => "docs".to_owned(),
        out => out.to_owned(),
    }
}

/// Returns a space of the organization that the caller can add to a site.
fn placeable(cx: &Context<'_>, organization: OrganizationId, id: &str) -> Result<Space> {
    let key = SpaceId::parse(id);
    let space = authorize_target::<Space>(cx.tx, cx.caller, Action::PublishSpace, key.as_ref())?;
    if space.organization != organization {
        return Err(Error::not_found("space"));
    }
    Ok(space.into_inner())
}

/// Adds a space to a site.
///
/// # Errors
/// Returns 404 if the space does not exist for the caller, and 409 if the site already has it.
pub fn add_space(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    space: &str,
) -> Result<SiteSpace> {
    let space = placeable(cx, site.0.organization, space)?;
    place(cx, &site.0, &space)
}

fn place(cx: &Context<'_>, site: &Site, space: &Space) -> Result<SiteSpace> {
    let placed = store_place(cx.tx, cx.app, site, space)?;
    let after = SiteSpaceSettings {
        title: placed.title.clone(),
        path: placed.path.clone(),
        default: placed.is_default,
    };
    cx.tx.record(
        &NewEvent::new(Event::SiteSpaceAdded { site_space: placed.id, after: Some(after) })
            .by(cx.user())
            .organization(site.organization)
            .site(site.id)
            .space(space.id),
    )?;
    Ok(placed)
}

/// Adds a space at the end of a site. The first space is at the root of the site.
///
/// # Errors
/// Returns 409 if the site already has the space.
pub fn store_place(tx: &Tx<'_>, app: &App, site: &Site, space: &Space) -> Result<SiteSpace> {
    let placed = site_spaces::list(tx, site.id)?;
    if placed.iter().any(|place| place.space == space.id) {
        return Err(Error::conflict("this space is on the site already"));
    }
    let wanted = basename(&space.title);
    let mut path = wanted.clone();
    let mut number = 0;
    while placed.iter().any(|place| place.path == path) {
        number += 1;
        path = format!("{wanted}-{number}");
    }
    let place = SiteSpace {
        id: SiteSpaceId::random(&app.entropy),
        site: site.id,
        space: space.id,
        path,
        title: space.title.clone(),
        position: placed.last().map_or(0, |last| last.position + 1),
        is_default: placed.is_empty(),
    };
    if !site_spaces::create(tx, &place)? {
        return Err(Error::conflict("this space is on the site already"));
    }
    sites::increment_version(tx, site.id)?;
    Ok(place)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basenames_are_plain() {
        for (title, expect) in [
            ("Product Docs", "product-docs"),
            ("v1.2 API", "v1-2-api"),
            ("Été", "ete"),
            ("!!!", "page"),
            ("a_b", "a-b"),
        ] {
            assert_eq!(basename(title), expect, "{title}");
        }
    }
}
