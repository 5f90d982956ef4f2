//! A link of a site to another website.

use bindery_app::publishing::structure::{SiteExternalLink, localized};
use bindery_wire::response;

pub(crate) fn site_external_link(link: SiteExternalLink) -> response::SiteExternalLink {
    let SiteExternalLink {
        id,
        site: _,
        section_group,
        title,
        localized_title,
        description,
        localized_description,
        icon,
        url,
        draft,
        condition,
        position: _,
    } = link;
    response::SiteExternalLink {
        id: id.to_string(),
        title,
        localized_title: localized(localized_title.as_deref()),
        description,
        localized_description: localized(localized_description.as_deref()),
        icon,
        url,
        section_group: section_group.map(|group| group.to_string()),
        draft,
        condition,
    }
}
