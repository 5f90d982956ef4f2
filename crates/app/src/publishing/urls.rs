//! Absolute addresses of the API, the application and published pages.

use std::fmt::Display;

use bindery_model::{CollectionId, OrganizationId, SiteId, SpaceId, UserId};
use bindery_store::sites::{PublishedSite, PublishedSpace, Site};

/// Path prefix of sites that another server passes on, followed by the id of the site.
pub const PROXIED_PATH: &str = "/~proxied/";

/// The settings of a site that determine its address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SiteAddress<'a> {
    /// The path on the main host.
    pub basename: &'a str,
    /// The site's own host.
    pub hostname: Option<&'a str>,
    /// The address under which another server passes the site on: a host and a path.
    pub proxy: Option<&'a str>,
}

impl SiteAddress<'_> {
    /// Returns `true` if the site is on the main host.
    pub const fn is_on_main_host(&self) -> bool {
        self.hostname.is_none() && self.proxy.is_none()
    }

    /// Returns the path with which all addresses of the site begin. It begins and ends with `/`.
    pub fn base(&self) -> String {
        match (self.proxy, self.hostname) {
            (Some(proxy), _) => {
                let path = proxy.split_once('/').map_or("", |(_, path)| path);
                format!("/{path}/")
            }
            (None, Some(_)) => "/".to_owned(),
            (None, None) => format!("/{}/", self.basename),
        }
    }

    /// Returns the path under which the files are that all sites have in common. It begins and ends
    /// with `/`.
    pub fn root(&self) -> String {
        // Another server passes only the path of the site on.
        if self.proxy.is_some() { self.base() } else { "/".to_owned() }
    }
}

impl<'a> From<&'a Site> for SiteAddress<'a> {
    fn from(site: &'a Site) -> Self {
        let Site { basename, hostname, proxy, .. } = site;
        Self { basename, hostname: hostname.as_deref(), proxy: proxy.as_deref() }
    }
}

impl<'a> From<&'a PublishedSite> for SiteAddress<'a> {
    fn from(site: &'a PublishedSite) -> Self {
        let PublishedSite { basename, hostname, proxy, visibility: _ } = site;
        Self { basename, hostname: hostname.as_deref(), proxy: proxy.as_deref() }
    }
}

/// Builds addresses from the public address of the server.
#[derive(Clone, Debug)]
pub struct Urls {
    base: String,
    sites: String,
    /// `true` if the base was not configured but assumed from the listen address.
    assumed: bool,
}

impl Urls {
    /// Creates an instance from the public address, with or without a trailing slash.
    pub fn new(base: &str) -> Self {
        let base = base.trim_end_matches('/').to_owned();
        Self { sites: base.clone(), base, assumed: false }
    }

    /// Creates an instance from the listen address, for use until a better address is known.
    pub fn assumed(base: &str) -> Self {
        Self { assumed: true, ..Self::new(base) }
    }

    /// Returns the addresses under which a client reached the server, according to a proxy; `None`
    /// if the operator has configured the public address.
    pub fn reached_at(&self, secure: bool, host: &str) -> Option<Self> {
        let scheme = if secure { "https" } else { "http" };
        let base = format!("{scheme}://{host}");
        let sites = if self.sites == self.base { base.clone() } else { self.sites.clone() };
        self.assumed.then_some(Self { base, sites, assumed: true })
    }

    /// Sets a separate origin for published sites.
    #[must_use]
    pub fn with_sites(mut self, sites: Option<&str>) -> Self {
        if let Some(sites) = sites {
            self.sites = sites.trim_end_matches('/').to_owned();
        }
        self
    }

    /// Returns the address of published sites, without a trailing slash.
    pub fn sites(&self) -> &str {
        &self.sites
    }

    /// Returns the public address, without a trailing slash.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns the host of the public address, with its port if it has one.
    pub fn host(&self) -> &str {
        self.base.split_once("://").map_or(self.base.as_str(), |(_, host)| host)
    }

    /// Returns `true` if browsers reach the application over HTTPS.
    pub fn secure(&self) -> bool {
        self.base.starts_with("https://")
    }

    /// Returns an address of the API. `path` starts after `/v1`.
    pub fn api(&self, path: impl Display) -> String {
        format!("{}/v1{path}", self.base)
    }

    /// Returns the address of a user in the API.
    pub fn user(&self, user: UserId) -> String {
        self.api(format_args!("/users/{user}"))
    }

    /// Returns the address of the application's start page.
    pub fn application(&self) -> String {
        format!("{}/app", self.base)
    }

    /// Returns the address of an organization in the application.
    pub fn app_organization(&self, organization: OrganizationId) -> String {
        format!("{}/app/o/{organization}", self.base)
    }

    /// Returns the address of a collection in the application.
    pub fn app_collection(&self, organization: OrganizationId, collection: CollectionId) -> String {
        format!("{}/app/o/{organization}/c/{collection}", self.base)
    }

    /// Returns the address under which the application accepts an invitation.
    pub fn app_invitation(&self, secret: &str) -> String {
        format!("{}/app/invitations/{secret}", self.base)
    }

    /// Returns the address of a sign-in link.
    pub fn app_sign_in(&self, secret: &str) -> String {
        format!("{}/app/sign-in/{secret}", self.base)
    }

    /// Returns the address of a space in the application.
    pub fn app_space(&self, organization: OrganizationId, space: SpaceId) -> String {
        format!("{}/app/o/{organization}/s/{space}", self.base)
    }

    /// Returns the address of an OpenAPI specification in the application.
    pub fn app_openapi(&self, organization: OrganizationId, slug: &str) -> String {
        format!("{}/app/o/{organization}/openapi/{slug}", self.base)
    }

    /// Returns the address of a site in the application.
    pub fn app_site(&self, organization: OrganizationId, site: SiteId) -> String {
        format!("{}/app/o/{organization}/sites/{site}", self.base)
    }

    /// Returns the address at which readers find a site, with a slash at its end. Other addresses
    /// of the site lead there.
    pub fn site<'a>(&self, site: impl Into<SiteAddress<'a>>) -> String {
        let site = site.into();
        format!("{}{}", self.site_origin(site), site.base())
    }

    /// Returns the address at which readers find a space.
    pub fn space(&self, PublishedSpace { site, path }: &PublishedSpace) -> String {
        format!("{}{path}", self.site(site))
    }

    /// Returns the scheme and the host at which readers find a site, without a slash at the end. A
    /// site's own host has the scheme and the port of the main host; a server that passes a site on
    /// has the default port.
    pub fn site_origin<'a>(&self, site: impl Into<SiteAddress<'a>>) -> String {
        let SiteAddress { hostname, proxy, .. } = site.into();
        let (scheme, main) = self.sites.split_once("://").unwrap_or(("http", &self.sites));
        match (proxy, hostname) {
            (Some(proxy), _) => {
                format!("{scheme}://{}", proxy.split('/').next().unwrap_or_default())
            }
            (None, Some(hostname)) => {
                let port = main.rsplit_once(':').map(|(_, port)| port);
                match port.filter(|port| port.bytes().all(|byte| byte.is_ascii_digit())) {
                    Some(port) => format!("{scheme}://{hostname}:{port}"),
                    None => format!("{scheme}://{hostname}"),
                }
            }
            (None, None) => self.sites.clone(),
        }
    }

    /// Returns the address from which another server takes a site to pass it on, without a slash at
    /// the end.
    pub fn proxied_site(&self, site: SiteId) -> String {
        format!("{}{PROXIED_PATH}{site}", self.sites)
    }

    /// Returns `true` if a host, with a port or without, is one of the public address or of the
    /// published sites.
    pub fn is_main_host(&self, host: &str) -> bool {
        [&self.base, &self.sites].into_iter().any(|url| {
            let own = host_of(url);
            own.eq_ignore_ascii_case(host)
                || own.split(':').next().is_some_and(|own| own.eq_ignore_ascii_case(host))
        })
    }

    /// Returns `true` if a host has only published sites, and not the application.
    pub fn is_sites_host(&self, host: &str) -> bool {
        let (base, sites) = (host_of(&self.base), host_of(&self.sites));
        base != sites && sites.eq_ignore_ascii_case(host)
    }

    /// Returns the name directly below the host of published sites, such as `acme` for
    /// `acme.docs.example.com`, if `host` without a port is there.
    pub fn subdomain<'h>(&self, host: &'h str) -> Option<&'h str> {
        let sites = host_of(&self.sites);
        let sites = sites.split(':').next().unwrap_or_default();
        let name = host.strip_suffix(sites)?.strip_suffix('.')?;
        (!name.is_empty() && !name.contains('.')).then_some(name)
    }
}

/// Returns the host of an address, with its port if it has one. The address has no path.
fn host_of(url: &str) -> &str {
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    host.unwrap_or(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: SiteAddress<'_> = SiteAddress { basename: "a", hostname: None, proxy: None };

    #[test]
    fn sites_have_one_address() {
        let own = SiteAddress { hostname: Some("docs.acme.example"), ..A };
        let proxied = SiteAddress { proxy: Some("acme.example/help/docs"), ..own };
        for (sites, at_main, at_own, at_proxy) in [
            ("http://h:8080", "http://h:8080/a/", "http://docs.acme.example:8080/", "http"),
            ("https://h", "https://h/a/", "https://docs.acme.example/", "https"),
            ("http://[::1]", "http://[::1]/a/", "http://docs.acme.example/", "http"),
        ] {
            let urls = Urls::new("http://app.example").with_sites(Some(sites));
            assert_eq!(urls.site(A), at_main);
            assert_eq!(urls.site(own), at_own);
            assert_eq!(urls.site(proxied), format!("{at_proxy}://acme.example/help/docs/"));
        }
        assert_eq!((own.root(), proxied.root()), ("/".to_owned(), "/help/docs/".to_owned()));
    }

    #[test]
    fn hosts_are_told_apart() {
        let urls = Urls::new("https://app.example:81").with_sites(Some("https://docs.example:82"));
        for (host, main, sites, subdomain) in [
            ("app.example:81", true, false, None),
            ("App.Example", true, false, None),
            ("docs.example:82", true, true, None),
            ("acme.docs.example", false, false, Some("acme")),
            ("a.b.docs.example", false, false, None),
            ("xdocs.example", false, false, None),
            (".docs.example", false, false, None),
        ] {
            assert_eq!(urls.is_main_host(host), main, "{host}");
            assert_eq!(urls.is_sites_host(host), sites, "{host}");
            assert_eq!(urls.subdomain(host), subdomain, "{host}");
        }
    }

    #[test]
    fn what_a_proxy_says_counts_where_the_operator_said_nothing() {
        let assumed = Urls::assumed("http://127.0.0.1:8080/");
        let reached = assumed.reached_at(true, "docs.example.com").unwrap();
        assert_eq!(reached.api("/user"), "https://docs.example.com/v1/user");
        assert_eq!(reached.site(A), "https://docs.example.com/a/");
        let apart = assumed.with_sites(Some("https://sites.example.com"));
        let reached = apart.reached_at(false, "docs.example.com:81").unwrap();
        assert_eq!(reached.base(), "http://docs.example.com:81");
        assert_eq!(reached.site(A), "https://sites.example.com/a/");
        assert!(Urls::new("https://told.example.com").reached_at(true, "x").is_none());
    }
}
