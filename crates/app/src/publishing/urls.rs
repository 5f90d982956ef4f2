//! Absolute addresses of the API, the application and published pages.

use std::fmt::Display;

use bindery_model::{CollectionId, OrganizationId, SiteId, SpaceId, UserId};

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

    /// Returns the address of a site in the application.
    pub fn app_site(&self, organization: OrganizationId, site: SiteId) -> String {
        format!("{}/app/o/{organization}/sites/{site}", self.base)
    }

    /// Returns the address of a published site.
    pub fn site(&self, basename: &str) -> String {
        format!("{}/{basename}/", self.sites)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_proxy_says_counts_where_the_operator_said_nothing() {
        let assumed = Urls::assumed("http://127.0.0.1:8080/");
        let reached = assumed.reached_at(true, "docs.example.com").unwrap();
        assert_eq!(reached.api("/user"), "https://docs.example.com/v1/user");
        assert_eq!(reached.site("a"), "https://docs.example.com/a/");
        let apart = assumed.with_sites(Some("https://sites.example.com"));
        let reached = apart.reached_at(false, "docs.example.com:81").unwrap();
        assert_eq!(reached.base(), "http://docs.example.com:81");
        assert_eq!(reached.site("a"), "https://sites.example.com/a/");
        assert!(Urls::new("https://told.example.com").reached_at(true, "x").is_none());
    }
}
