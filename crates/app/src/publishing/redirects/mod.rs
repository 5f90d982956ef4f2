//! Redirects of sites: from paths without a page to sections, spaces and pages of the same site.
//!
//! A redirect never leads to another host or to a path without a page, so redirects form neither
//! chains nor loops, and do not send readers to sites of others.

mod bulk;
mod destination;
mod source;

use bindery_model::{Error, FieldPath, Result, SiteRedirectId, Timestamp};
pub use bindery_store::site_redirects::SiteRedirect;
use bindery_store::{Event, FieldChange, NewEvent, site_redirects, sites};

pub use self::bulk::{BulkItem, BulkOutcome, bulk_upsert};
pub use self::destination::{Destination, NewDestination, page_below};
pub use self::source::{Match, canonical, find};
use crate::Context;
use crate::access::Authorized;
use crate::publishing::published::ReadableSite;
use crate::publishing::sites::{Site, SiteTarget};
use crate::publishing::structure::SiteStructure;

/// Maximum number of redirects of a site, including drafts.
pub const MAX_REDIRECTS: i64 = 100_000;

/// Lists the redirects of a site in effect whose source contains `search`, oldest first, after the
/// given position, and returns their total number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    search: &str,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<SiteRedirect>, i64)> {
    let found = site_redirects::list(cx.tx, site.0.id, search, after, rows)?;
    Ok((found, site_redirects::count(cx.tx, site.0.id, search)?))
}

/// Returns the redirect that applies to a path of a site, and the address to which it leads.
///
/// # Errors
/// Returns 404 if no redirect applies, or the destination does not exist for readers of the site.
pub fn get_by_source(
    cx: &Context<'_>,
    site: &Authorized<ReadableSite>,
    source: &str,
) -> Result<(SiteRedirect, String)> {
    let none = || Error::not_found("redirect");
    let found = find(cx.tx, site.0.id, source)?.ok_or_else(none)?;
    let address = destination::address(cx, &site.0, &found)?.ok_or_else(none)?;
    Ok((found.redirect, address))
}

/// Creates a redirect that is in effect.
///
/// # Errors
/// Returns 400 if the source is the address of the destination or cannot be requested, 404 if the destination does not
/// exist for the caller, and 409 if the site has a redirect with this source or the maximum number
/// of redirects.
pub fn create(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    source: &str,
    destination: &NewDestination,
) -> Result<SiteRedirect> {
    let structure = lock(cx, &site.0)?;
    let destination = destination::checked(cx, &structure, destination)?;
    let redirect = with_source(&new(cx, &site.0, destination), source);
    check(cx, &structure, &redirect)?;
    check_free(cx, &redirect)?;
    check_limit(site_redirects::count_all(cx.tx, site.0.id)?)?;
    store(cx, &site.0, &redirect)?;
    Ok(redirect)
}

/// Changes the source or the destination of a redirect.
///
/// # Errors
/// Returns 404 if the site has no such redirect, and the errors of [`create`].
pub fn update(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    id: &str,
    source: Option<&str>,
    destination: Option<&NewDestination>,
) -> Result<SiteRedirect> {
    let site = &site.0;
    let structure = lock(cx, site)?;
    let before = get(cx, site, id)?.ok_or_else(|| Error::not_found("redirect"))?;
    let mut after = match source {
        Some(source) => with_source(&before, source),
        None => before.clone(),
    };
    if let Some(destination) = destination {
        destination::checked(cx, &structure, destination)?.store_in(&mut after);
    }
    check(cx, &structure, &after)?;
    if after.source_key != before.source_key {
        check_free(cx, &after)?;
    }
    replace(cx, site, &before, &after)?;
    Ok(after)
}

/// Deletes a redirect. Returns `false` if the site has no such redirect.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(cx: &Context<'_>, site: &Authorized<SiteTarget>, id: &str) -> Result<bool> {
    let Some(redirect) = get(cx, &site.0, id)? else { return Ok(false) };
    sites::increment_version(cx.tx, site.0.id)?;
    remove(cx, &site.0, &redirect)?;
    Ok(true)
}

/// Loads the structure for a change. Changes of one site wait for each other.
fn lock(cx: &Context<'_>, site: &Site) -> Result<SiteStructure> {
    sites::increment_version(cx.tx, site.id)?;
    SiteStructure::load(cx.tx, site.id)
}

fn get(cx: &Context<'_>, site: &Site, id: &str) -> Result<Option<SiteRedirect>> {
    match SiteRedirectId::parse(id) {
        Some(id) => Ok(site_redirects::get(cx.tx, site.id, id)?),
        None => Ok(None),
    }
}

/// Returns a new permanent redirect without a source.
fn new(cx: &Context<'_>, site: &Site, destination: Destination) -> SiteRedirect {
    let mut redirect = SiteRedirect {
        id: SiteRedirectId::random(&cx.app.entropy),
        site: site.id,
        source: String::new(),
        source_key: String::new(),
        draft: false,
        section: None,
        site_space: None,
        page: None,
        wildcard: false,
        permanent: true,
        created_at: cx.now(),
    };
    destination.store_in(&mut redirect);
    redirect
}

fn with_source(redirect: &SiteRedirect, source: &str) -> SiteRedirect {
    SiteRedirect { source: source.to_owned(), source_key: canonical(source), ..redirect.clone() }
}

/// Checks that readers can request the source of a redirect, and that it is not the present address
/// of its destination.
fn check(cx: &Context<'_>, structure: &SiteStructure, redirect: &SiteRedirect) -> Result<()> {
    if source::has_dot_segments(&redirect.source_key) {
        return Err(FieldPath::new("/source").invalid(format!(
            "found {:?}; allowed: a path without the segments `.` and `..`, which browsers remove",
            redirect.source
        )));
    }
    let Some(destination) = Destination::of(redirect) else { return Ok(()) };
    let path = destination::path(cx.app, cx.tx, structure, destination)?;
    // The path is not encoded, so a percent sign in it has to be.
    let is_same =
        path.is_some_and(|path| canonical(&path.replace('%', "%25")) == redirect.source_key);
    if is_same {
        return Err(FieldPath::new("/source").invalid(format!(
            "found {:?}, the address of the destination itself; allowed: the path of another place",
            redirect.source
        )));
    }
    Ok(())
}

/// Checks that no other redirect has the same source.
fn check_free(cx: &Context<'_>, redirect: &SiteRedirect) -> Result<()> {
    let SiteRedirect { site, source_key, draft, .. } = redirect;
    match site_redirects::get_by_key(cx.tx, *site, source_key, *draft)? {
        None => Ok(()),
        Some(other) => Err(FieldPath::new("/source").conflict(format!(
            "found {:?}, which is the source of the redirect {} already",
            redirect.source, other.id
        ))),
    }
}

/// Checks that a site with this number of redirects can have one more.
fn check_limit(count: i64) -> Result<()> {
    if count >= MAX_REDIRECTS {
        return Err(Error::conflict(format!(
            "this site has {MAX_REDIRECTS} redirects, the maximum: delete some first"
        )));
    }
    Ok(())
}

fn store(cx: &Context<'_>, site: &Site, redirect: &SiteRedirect) -> Result<()> {
    site_redirects::create(cx.tx, redirect)?;
    let SiteRedirect { id, source, draft, .. } = redirect.clone();
    record(cx, site, Event::SiteRedirectCreated { redirect: id, source, draft })
}

fn replace(
    cx: &Context<'_>,
    site: &Site,
    before: &SiteRedirect,
    after: &SiteRedirect,
) -> Result<()> {
    let destination = |redirect| Destination::of(redirect).map(Destination::describe);
    let changes = [
        FieldChange::of("source", &before.source, &after.source)?,
        FieldChange::of("destination", &destination(before), &destination(after))?,
        FieldChange::of("captureWildcard", &before.wildcard, &after.wildcard)?,
        FieldChange::of("permanent", &before.permanent, &after.permanent)?,
    ];
    let changes: Vec<FieldChange> = changes.into_iter().flatten().collect();
    if changes.is_empty() {
        return Ok(());
    }
    site_redirects::update(cx.tx, after)?;
    let source = after.source.clone();
    record(cx, site, Event::SiteRedirectUpdated { redirect: after.id, source, changes })
}

fn remove(cx: &Context<'_>, site: &Site, redirect: &SiteRedirect) -> Result<()> {
    site_redirects::delete(cx.tx, redirect.id)?;
    let SiteRedirect { id, source, draft, .. } = redirect.clone();
    record(cx, site, Event::SiteRedirectDeleted { redirect: id, source, draft })
}

fn record(cx: &Context<'_>, site: &Site, event: Event) -> Result<()> {
    let event = NewEvent::new(event).by(cx.user()).organization(site.organization).site(site.id);
    cx.tx.record(&event)?;
    Ok(())
}
