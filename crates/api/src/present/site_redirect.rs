//! Redirects of sites.

use bindery_app::publishing::redirects::{Destination, SiteRedirect};
use bindery_model::{Error, Result};
use bindery_wire::response::{
    self, SiteRedirectDestination, SiteRedirectDestinationPage, SiteRedirectDestinationSiteSection,
    SiteRedirectDestinationSiteSpace,
};

pub(crate) fn site_redirect(redirect: SiteRedirect) -> Result<response::SiteRedirect> {
    let destination = Destination::of(&redirect)
        .ok_or_else(|| Error::internal("a stored redirect has no destination"))?;
    let SiteRedirect {
        id,
        site: _,
        source,
        source_key: _,
        draft: _,
        section: _,
        site_space: _,
        page: _,
        wildcard: _,
        permanent: _,
        created_at: _,
    } = redirect;
    Ok(response::SiteRedirect {
        id: id.to_string(),
        source,
        destination: match destination {
            Destination::Section(section) => {
                SiteRedirectDestination::SiteSection(SiteRedirectDestinationSiteSection {
                    site_section_id: section.to_string(),
                })
            }
            Destination::SiteSpace(site_space) => {
                SiteRedirectDestination::SiteSpace(SiteRedirectDestinationSiteSpace {
                    site_space_id: site_space.to_string(),
                })
            }
            Destination::Page(site_space, page) => {
                SiteRedirectDestination::Page(SiteRedirectDestinationPage {
                    site_space_id: site_space.to_string(),
                    page_id: page.to_string(),
                })
            }
        },
    })
}
