//! Responses at the server's root and for unknown sites.

use bindery_app::App;
use bindery_app::publishing::published;
use bindery_app::publishing::urls::SiteAddress;
use bindery_model::{OrganizationId, Result};

use crate::feeds;
use crate::http::{CacheControl, PreparedResponse};
use crate::view::{SiteView, render_empty_space, render_not_found};

/// Redirects to the oldest public site, or renders an empty site if there is none. On the host of an
/// organization, only its sites count.
pub(super) async fn index(app: &App, owner: Option<OrganizationId>) -> Result<PreparedResponse> {
    let found = app.store.read(move |tx| published::list_public(tx, owner, 1)).await?;
    Ok(match found.first() {
        Some(site) => {
            let address = SiteAddress::from(site);
            let target = match address.is_on_main_host() {
                true => address.base(),
                false => app.urls.site(address),
            };
            PreparedResponse::temporary_redirect(&target)
        }
        None => {
            PreparedResponse::page(render_empty_space(&server_view(app)), CacheControl::Revalidate)
        }
    })
}

/// Renders the host's robots.txt, which names the sitemaps of all public sites on it.
pub(super) async fn robots(app: &App, owner: Option<OrganizationId>) -> Result<PreparedResponse> {
    let sites = app.store.read(move |tx| published::list_public(tx, owner, 1_000)).await?;
    let mut text = feeds::robots("", false);
    for site in &sites {
        text.push_str(&format!("\nSitemap: {}sitemap.xml", app.urls.site(site)));
    }
    text.push('\n');
    Ok(PreparedResponse::new(200, "text/plain; charset=utf-8", CacheControl::Revalidate, text))
}

/// Responds that no site has this name. An unpublished site yields the same response, so that its
/// existence is not disclosed.
pub(super) fn unknown_site(app: &App) -> PreparedResponse {
    let html = render_not_found(&server_view(app), &[], &[], "");
    PreparedResponse::new(404, "text/html; charset=utf-8", CacheControl::Revalidate, html)
}

fn server_view(app: &App) -> SiteView {
    SiteView { noindex: true, ..SiteView::new("Bindery", app.urls.sites(), "/") }
}
