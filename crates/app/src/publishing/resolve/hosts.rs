//! The published sites that a host leads to.

use bindery_model::{OrganizationId, Result};
use bindery_store::{Tx, organizations, sites};

use crate::publishing::urls::Urls;

/// The published sites of a host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostSites {
    /// The sites of all organizations, each below its basename.
    All,
    /// The sites of an organization, each below its basename.
    Organization(OrganizationId),
    /// One site.
    One {
        /// Its path on the main host.
        basename: String,
    },
}

impl HostSites {
    /// Returns the sites that a host leads to. `host` has a port or none. Hosts that nobody has
    /// chosen lead to all sites, because a server can be reached under names that it does not know.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn find(tx: &Tx<'_>, urls: &Urls, host: &str) -> Result<Self> {
        let Some(name) = chosen_name(urls, host) else { return Ok(Self::All) };
        if let Some(name) = urls.subdomain(&name) {
            let organization = organizations::get_by_hostname(tx, name)?;
            return Ok(organization.map_or(Self::All, |found| Self::Organization(found.id)));
        }
        let site = sites::get_by_hostname(tx, &name)?;
        Ok(site.map_or(Self::All, |site| Self::One { basename: site.basename }))
    }

    /// Returns `true` if a host can be the choice of a site or an organization.
    pub fn can_be_chosen(urls: &Urls, host: &str) -> bool {
        chosen_name(urls, host).is_some()
    }
}

/// Returns the name of a host in lower case and without its port, if it can be the choice of a site
/// or an organization.
fn chosen_name(urls: &Urls, host: &str) -> Option<String> {
    if urls.is_main_host(host) {
        return None;
    }
    let name = host.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let name = name.strip_suffix('.').map(str::to_owned).unwrap_or(name);
    let is_name = name.len() <= 253
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.')
        && name.bytes().any(|byte| byte.is_ascii_alphabetic());
    let has_labels = name.matches('.').count() >= 2 || urls.subdomain(&name).is_some();
    (is_name && has_labels).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_can_be_chosen() {
        let urls = Urls::new("http://docs.example.com:8080");
        for (host, expect) in [
            ("docs.example.com:8080", None),
            ("docs.example.com", None),
            ("127.0.0.1:8080", None),
            ("[::1]:8080", None),
            ("localhost:8080", None),
            ("acme.docs.example.com", Some("acme.docs.example.com")),
            ("Help.Acme.Example:99", Some("help.acme.example")),
            ("help.acme.example.", Some("help.acme.example")),
            ("help.acme.example/x", None),
            ("", None),
        ] {
            assert_eq!(chosen_name(&urls, host).as_deref(), expect, "{host}");
        }
        let urls = Urls::new("http://localhost:8080");
        assert_eq!(chosen_name(&urls, "acme.localhost:1").as_deref(), Some("acme.localhost"));
    }
}
