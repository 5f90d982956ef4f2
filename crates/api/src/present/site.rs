//! A site and its spaces.

use bindery_app::App;
use bindery_app::publishing::sites::{Site, SiteSpace};
use bindery_wire::response;
use bindery_wire::values::{SiteAgentsContext, SiteClosedReason, SiteFeatureKey};

use crate::closed_sets::{site_type, site_visibility};

pub(crate) fn site(app: &App, site: Site, spaces: u64) -> response::Site {
    let Site {
        id,
        organization,
        site_type: of_type,
        title,
        basename,
        visibility,
        published,
        version: _,
        created_at,
    } = site;
    let plan = site_type(of_type);
    let feature = |id: &SiteFeatureKey| response::SiteFeature {
        id: *id,
        plan,
        frozen: false,
        customizations: None,
    };
    response::Site {
        id: id.to_string(),
        r#type: plan,
        title,
        icon: None,
        hostname: None,
        visibility: site_visibility(visibility),
        published,
        closed: closed_reason(published),
        site_spaces: spaces,
        created_at,
        adaptive_content: Some(response::SiteAdaptiveContent { enabled: false }),
        ads: None,
        agents_context: SiteAgentsContext::Included,
        features: SiteFeatureKey::ALL.iter().map(feature).collect(),
        urls: response::SiteUrls {
            location: app.urls.api(format_args!("/orgs/{organization}/sites/{id}")),
            app: app.urls.app_site(organization, id),
            published: published.then(|| app.urls.site(&basename)),
        },
        basename: Some(basename),
        proxy: None,
    }
}

/// Returns the reason why readers cannot reach a site; `None` if they can.
fn closed_reason(published: bool) -> Option<response::SiteClosed> {
    let message = "the site is not published: publish it (POST …/publish)".to_owned();
    (!published).then_some(response::SiteClosed { reason: SiteClosedReason::Unpublished, message })
}

pub(crate) fn site_space(
    app: &App,
    site: &Site,
    site_space: SiteSpace,
    space: response::Space,
) -> response::SiteSpace {
    let SiteSpace { id, site: _, space: _, path, title, position: _, is_default } = site_space;
    let base = app.urls.site(&site.basename);
    let published = if is_default { base } else { format!("{base}{path}/") };
    response::SiteSpace {
        id: id.to_string(),
        path,
        section: None,
        space,
        title,
        default: Some(is_default),
        condition: None,
        has_advanced_customization_feature: Some(true),
        urls: response::SiteSpaceUrls { published: site.published.then_some(published) },
    }
}
