//! Hostnames of sites.

use bindery_model::Result;
use bindery_store::sites::{self, Site};
use bindery_store::{Event, NewEvent, Tx};

use crate::Context;
use crate::access::{Authorized, Loaded, Person, Target, TargetKind, site_access};

/// A site, identified by its hostname.
#[derive(Clone, Debug)]
pub struct NamedSite {
    /// The hostname.
    pub hostname: String,
    /// The site.
    pub site: Site,
}

impl Target for NamedSite {
    const KIND: TargetKind = TargetKind::Site;
    type Key = String;

    fn load(tx: &Tx<'_>, person: Option<&Person>, key: &String) -> Result<Option<Loaded<Self>>> {
        let Some(person) = person else { return Ok(None) };
        let hostname = key.to_ascii_lowercase();
        let Some(site) = sites::get_by_hostname(tx, &hostname)? else { return Ok(None) };
        let role = site_access(tx, person, &site)?.role();
        Ok(Some(Loaded { target: Self { hostname, site }, role }))
    }
}

/// Removes the hostname of a site, which is found at its path on the main host from then on.
///
/// # Errors
/// Returns an error if the store fails.
pub fn remove(cx: &Context<'_>, named: &Authorized<NamedSite>) -> Result<()> {
    let site = Site { hostname: None, ..named.site.clone() };
    sites::update(cx.tx, &site)?;
    let event = NewEvent::new(Event::SiteUpdated { fields: vec!["hostname".to_owned()] });
    cx.tx.record(&event.by(cx.user()).organization(site.organization).site(site.id))?;
    Ok(())
}
