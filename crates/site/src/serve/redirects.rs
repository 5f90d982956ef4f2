//! Redirects of sites, which apply to paths without a page.

use bindery_app::publishing::redirects::{self, Destination, Match, page_below};
use bindery_model::{PageId, Result};
use bindery_revision::PageKind;
use bytes::Bytes;
use http::header::LOCATION;

use super::page::PageContext;
use super::validity::ReadTracker;
use super::{RenderedResponse, SiteRequest};
use crate::http::{CacheControl, PreparedResponse};
use crate::urls;

/// The form in which a reader requests a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// A page for browsers.
    Html,
    /// The Markdown text.
    Markdown,
}

/// Returns the redirect that applies to a decoded path of the site.
pub(super) fn find(request: &SiteRequest<'_>, path: &str) -> Result<Option<Match>> {
    redirects::find(request.tx, request.site.site.id, &urls::encode(path))
}

/// Returns `true` if the source of the redirect is the whole path.
pub(super) const fn is_exact(found: &Match) -> bool {
    found.rest.is_empty()
}

/// Responds to a path that has another spelling, `target`: with the redirect of the site whose
/// source is exactly this path, or to the other spelling.
pub(super) fn respelled(
    request: &SiteRequest<'_>,
    path: &str,
    target: &str,
) -> Result<RenderedResponse> {
    if redirects::canonical(path) != redirects::canonical(target) {
        let found = redirects::find(request.tx, request.site.site.id, path)?;
        if let Some(found) = found.filter(is_exact)
            && let Some(response) = respond(request, &found, Form::Html)?
        {
            return Ok(response);
        }
    }
    Ok(PreparedResponse::redirect(&format!("{}{target}", request.site.base())).into())
}

/// Responds with a redirect; `None` if its destination does not exist for readers.
pub(super) fn respond(
    request: &SiteRequest<'_>,
    found: &Match,
    form: Form,
) -> Result<Option<RenderedResponse>> {
    let site = request.site;
    let destination = Destination::of(&found.redirect);
    let Some((site_space, page)) = destination.and_then(|one| one.locate(&site.structure)) else {
        return Ok(None);
    };
    let Some(space) = site.spaces.iter().find(|one| one.site_space.id == site_space.id) else {
        return Ok(None);
    };
    let objects = request.tx.objects();
    let objects = ReadTracker::new(&objects, space.space.id);
    let context = PageContext::new(request, space, &objects)?;
    let is_present = |page: PageId| context.tree.is_present(page).unwrap_or(false);
    if page.is_some_and(|page| !is_present(page)) {
        return Ok(None);
    }
    let below = page_below(&context.tree.tree, page, &found.rest)?;
    let address = match below.filter(|below| is_present(*below)).or(page) {
        Some(page) => address(&context, page, form)?,
        None if form == Form::Markdown => Some(urls::markdown_href(&context.tree.base, "")),
        None => Some(context.tree.base.clone()),
    };
    let status = if found.redirect.permanent { 308 } else { 307 };
    let response = |address: String| {
        let cache = CacheControl::Revalidate;
        PreparedResponse::new(status, "text/plain; charset=utf-8", cache, Bytes::new())
            .with_header(LOCATION, &address)
            .into()
    };
    Ok(address.map(response))
}

/// Returns the address at which readers find a page without another redirect.
fn address(context: &PageContext<'_>, id: PageId, form: Form) -> Result<Option<String>> {
    let tree = &context.tree;
    let address = match context.record(id)?.kind {
        PageKind::Link { target } => tree.target(&target)?,
        PageKind::Group => tree.first_below(id)?,
        PageKind::Document | PageKind::Computed if form == Form::Markdown => {
            Some(urls::markdown_href(&tree.base, &tree.path(id)?))
        }
        PageKind::Document | PageKind::Computed => Some(tree.href(id)?),
    };
    let is_web = |address: &String| {
        ["/", "https://", "http://"].iter().any(|start| address.starts_with(start))
    };
    Ok(address.filter(is_web))
}
