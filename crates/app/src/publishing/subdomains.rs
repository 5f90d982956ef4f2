//! Subdomains of public content: those of organizations and those of their sites.

use bindery_model::{Error, OrganizationId, Result};
use bindery_store::{organizations, sites};

use crate::people::organizations::is_subdomain;
use crate::{Context, access};

/// A subdomain in use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subdomain {
    /// The subdomain.
    pub name: String,
    /// The organization that owns it.
    pub organization: OrganizationId,
    /// `true` if it leads to public content.
    pub is_active: bool,
}

/// Returns the organization or site with this subdomain, if it exists for the caller. An
/// organization takes precedence over a site.
///
/// # Errors
/// Returns 404 if the subdomain is not in use.
pub fn get(cx: &Context<'_>, name: &str) -> Result<Subdomain> {
    let not_found = || Error::not_found("subdomain");
    let person = cx.caller.person().ok_or_else(not_found)?;
    let name = name.to_ascii_lowercase();
    if !is_subdomain(&name) {
        return Err(not_found());
    }
    if let Some(found) = organizations::get_by_hostname(cx.tx, &name)?
        && access::organization_role(cx.tx, person, found.id)?.is_some()
    {
        return Ok(Subdomain { name, organization: found.id, is_active: true });
    }
    let site = sites::get_by_basename(cx.tx, &name)?.ok_or_else(not_found)?;
    access::site_access(cx.tx, person, &site)?.role().ok_or_else(not_found)?;
    Ok(Subdomain { name, organization: site.organization, is_active: site.published })
}
