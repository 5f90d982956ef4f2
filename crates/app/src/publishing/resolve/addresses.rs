//! The published site that an absolute address leads to.

use bindery_model::{Result, SiteId};
use bindery_outbound::Url;
use bindery_store::sites::{self, Site};

use super::{HostSites, SitePath};
use crate::Context;
use crate::publishing::urls::{PROXIED_PATH, SiteAddress};

/// Maximum number of path segments of the address under which another server passes a site on.
const MAX_PROXY_SEGMENTS: usize = 8;

/// The content that an address on a host of this server leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Addressed<'u> {
    /// The application, or the API.
    Application,
    /// A preview. The path begins with the id of the site.
    Preview(&'u str),
    /// A published site.
    Site(Box<AddressedSite<'u>>),
}

/// A published site at an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct AddressedSite<'u> {
    /// The site.
    pub(super) site: Site,
    /// The path of the site in the address. It begins and ends with `/`.
    pub(super) base: String,
    /// The path below the base, encoded.
    pub(super) below: &'u str,
    /// `true` if readers should use another address of the site.
    pub(super) has_moved: bool,
}

impl<'u> Addressed<'u> {
    /// Returns the content that an address leads to; `None` if it is not an address of this server.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub(super) fn find(cx: &Context<'_>, url: &'u Url) -> Result<Option<Self>> {
        let Some(host) = url.host_str() else { return Ok(None) };
        if is_main_host(cx, url) {
            return match url.path().split('/').nth(1) {
                Some("app" | "v1") => Ok(Some(Self::Application)),
                _ => Self::on_shared_host(cx, url.path(), |_| true),
            };
        }
        match HostSites::find(cx.tx, &cx.app.urls, host)? {
            HostSites::All => {}
            HostSites::Organization(organization) => {
                let is_own = |site: &Site| site.organization == organization;
                return Self::on_shared_host(cx, url.path(), is_own);
            }
            HostSites::One { basename } => {
                let site = sites::get_by_basename(cx.tx, &basename)?;
                let below = url.path().trim_start_matches('/');
                let has_moved = site.as_ref().is_some_and(|site| site.proxy.is_some());
                let found = site.map(|site| (site, "/".to_owned(), has_moved));
                return Ok(found.and_then(|found| Self::published(found, below)));
            }
        }
        Self::proxied(cx, host, url.path())
    }

    fn published((site, base, has_moved): (Site, String, bool), below: &'u str) -> Option<Self> {
        let addressed = AddressedSite { site, base, below, has_moved };
        addressed.site.published.then(|| Self::Site(Box::new(addressed)))
    }

    /// Returns the content at a path of a host with several sites.
    fn on_shared_host(
        cx: &Context<'_>,
        path: &'u str,
        is_there: impl Fn(&Site) -> bool,
    ) -> Result<Option<Self>> {
        if let Some(rest) = path.strip_prefix(PROXIED_PATH) {
            let (id, below) = rest.split_once('/').unwrap_or((rest, ""));
            let site = SiteId::parse(id).map(|id| sites::get(cx.tx, id)).transpose()?.flatten();
            let site = site.filter(|site| site.proxy.is_some() && is_there(site));
            let found = site.map(|site| (site, format!("{PROXIED_PATH}{id}/"), false));
            return Ok(found.and_then(|found| Self::published(found, below)));
        }
        let (basename, below) = match SitePath::parse(path) {
            SitePath::Preview(rest) => return Ok(Some(Self::Preview(rest))),
            SitePath::Site { basename, below } => (basename, below.unwrap_or_default()),
        };
        let found = match sites::get_by_basename(cx.tx, basename)? {
            Some(site) => {
                let has_moved = !SiteAddress::from(&site).is_on_main_host();
                Some((site, has_moved))
            }
            None => sites::get_by_former_basename(cx.tx, basename)?.map(|site| (site, true)),
        };
        let found = found.filter(|(site, _)| is_there(site));
        let found = found.map(|(site, has_moved)| (site, format!("/{basename}/"), has_moved));
        Ok(found.and_then(|found| Self::published(found, below)))
    }

    /// Returns the site that another server passes on at a path of its host.
    fn proxied(cx: &Context<'_>, host: &str, path: &'u str) -> Result<Option<Self>> {
        let ends = path.match_indices('/').map(|(at, _)| at).skip(1).chain([path.len()]);
        let mut ends: Vec<usize> = ends.take(MAX_PROXY_SEGMENTS).collect();
        ends.reverse();
        for end in ends {
            let Some((base, below)) = path.split_at_checked(end) else { continue };
            if let Some(site) = sites::get_by_proxy(cx.tx, &format!("{host}{base}"))? {
                let found = (site, format!("{base}/"), false);
                return Ok(Self::published(found, below.trim_start_matches('/')));
            }
        }
        Ok(None)
    }
}

/// Returns `true` if an address is on the host of the application or of published sites.
pub(super) fn is_main_host(cx: &Context<'_>, url: &Url) -> bool {
    let hosts = [cx.app.urls.sites(), cx.app.urls.base()];
    hosts.into_iter().filter_map(|base| Url::parse(base).ok()).any(|base| {
        base.host_str() == url.host_str()
            && base.port_or_known_default() == url.port_or_known_default()
    })
}
