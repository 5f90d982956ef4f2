//! Finds the published site that the host and the path of a request address.

use std::sync::Arc;

use bindery_app::App;
use bindery_app::publishing::resolve::{HostSites, SitePath};
use bindery_app::publishing::urls::PROXIED_PATH;
use bindery_model::{Result, SiteId};

use super::root;
use super::site_cache::{LoadedSite, SiteCache, SiteKey};
use super::{Answer, PageRequest};
use crate::http::PreparedResponse;
use crate::style;

/// The content that a request addresses.
pub(super) enum Located<'a> {
    /// A published site.
    Site(Arc<LoadedSite>, SiteLocation<'a>),
    /// A preview: the id of the site and the path below it.
    Preview(&'a str),
    /// The answer to the request, which addresses no site.
    Answer(Answer),
}

/// The part of a request that concerns the site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SiteLocation<'a> {
    /// The path below the base of the site, encoded; `None` if there is no slash after the base.
    pub(super) below: Option<&'a str>,
    /// `true` if readers should use another address of the site.
    pub(super) has_moved: bool,
}

/// Finds the site of a request for a host that leads to `sites`.
pub(super) async fn locate<'a>(
    app: &Arc<App>,
    cache: &SiteCache,
    sites: &HostSites,
    request: PageRequest<'a>,
) -> Result<Located<'a>> {
    let owner = match sites {
        HostSites::All => None,
        HostSites::Organization(organization) => Some(*organization),
        HostSites::One { basename } => {
            if request.path == "/favicon.ico" {
                return Ok(favicon());
            }
            let below = Some(request.path.strip_prefix('/').unwrap_or(request.path));
            let site = cache.get(app, SiteKey::Basename(basename)).await?;
            return Ok(located(app, site, below, |site| site.site.proxy.is_some()));
        }
    };
    let is_there =
        |site: &Arc<LoadedSite>| owner.is_none_or(|owner| site.site.organization == owner);
    if let Some(rest) = request.path.strip_prefix(PROXIED_PATH) {
        let (id, below) = match rest.split_once('/') {
            Some((id, below)) => (id, Some(below)),
            None => (rest, None),
        };
        let site = match SiteId::parse(id) {
            Some(id) => cache.get(app, SiteKey::Id(id)).await?,
            None => None,
        };
        let site = site.filter(|site| site.site.proxy.is_some() && is_there(site));
        return Ok(located(app, site, below, |_| false));
    }
    let (basename, below) = match SitePath::parse(request.path) {
        SitePath::Preview(rest) if owner.is_none() => return Ok(Located::Preview(rest)),
        SitePath::Preview(_) => return Ok(Located::Answer(root::unknown_site(app).into())),
        SitePath::Site { basename, below } => (basename, below),
    };
    match basename {
        "" => return root::index(app, owner).await.map(|index| Located::Answer(index.into())),
        "robots.txt" => {
            return root::robots(app, owner).await.map(|robots| Located::Answer(robots.into()));
        }
        "favicon.ico" => return Ok(favicon()),
        _ => {}
    }
    let site = cache.get(app, SiteKey::Basename(basename)).await?;
    let site = site.filter(is_there);
    Ok(located(app, site, below, |site| site.site.basename != basename || !site.is_on_main_host()))
}

fn located<'a>(
    app: &App,
    site: Option<Arc<LoadedSite>>,
    below: Option<&'a str>,
    has_moved: impl FnOnce(&LoadedSite) -> bool,
) -> Located<'a> {
    match site {
        Some(site) => {
            let has_moved = has_moved(&site);
            Located::Site(site, SiteLocation { below, has_moved })
        }
        None => Located::Answer(root::unknown_site(app).into()),
    }
}

fn favicon<'a>() -> Located<'a> {
    Located::Answer(PreparedResponse::redirect(style::favicon().path()).into())
}
