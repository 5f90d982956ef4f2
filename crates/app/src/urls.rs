//! Absolute addresses: of the API, of the application, of published pages.

use std::fmt::Display;

use bindery_model::{OrganizationId, SiteId, SpaceId, UserId};

/// Makes addresses from the server's public one.
#[derive(Clone, Debug)]
pub struct Urls {
    base: String,
    sites: String,
}

impl Urls {
    /// From the public address, with or without a final slash.
    pub fn new(base: &str) -> Self {
        let base = base.trim_end_matches('/').to_owned();
        Self { sites: base.clone(), base }
    }

    /// With published sites on an origin of their own.
    #[must_use]
    pub fn with_sites(mut self, sites: Option<&str>) -> Self {
        if let Some(sites) = sites {
            self.sites = sites.trim_end_matches('/').to_owned();
        }
        self
    }

    /// The address of published sites, without a final slash.
    pub fn sites(&self) -> &str {
        &self.sites
    }

    /// The public address, without a final slash.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// An address of the API; `path` starts after `/v1`.
    pub fn api(&self, path: impl Display) -> String {
        format!("{}/v1{path}", self.base)
    }

    /// A user in the API.
    pub fn user(&self, user: UserId) -> String {
        self.api(format_args!("/users/{user}"))
    }

    /// An organization in the application.
    pub fn app_organization(&self, organization: OrganizationId) -> String {
        format!("{}/app/o/{organization}", self.base)
    }

    /// A space in the application.
    pub fn app_space(&self, organization: OrganizationId, space: SpaceId) -> String {
        format!("{}/app/o/{organization}/s/{space}", self.base)
    }

    /// A site in the application.
    pub fn app_site(&self, organization: OrganizationId, site: SiteId) -> String {
        format!("{}/app/o/{organization}/sites/{site}", self.base)
    }

    /// A published site.
    pub fn site(&self, basename: &str) -> String {
        format!("{}/{basename}/", self.sites)
    }
}
