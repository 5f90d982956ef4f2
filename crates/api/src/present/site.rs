//! A site.

use bindery_app::App;
use bindery_app::publishing::sites::Site;
use bindery_wire::response;
use bindery_wire::values::{SiteClosedReason, SiteFeatureKey};

use crate::closed_sets::{site_agents_context, site_type, site_visibility};

pub(crate) fn site(app: &App, site: Site, spaces: u64) -> response::Site {
    let published_at = site.published.then(|| app.urls.site(&site));
    let Site {
        id,
        organization,
        site_type: of_type,
        title,
        basename,
        visibility,
        published,
        proxy,
        hostname,
        adaptive,
        agents_context,
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
        hostname,
        visibility: site_visibility(visibility),
        published,
        closed: closed_reason(published),
        site_spaces: spaces,
        created_at,
        adaptive_content: Some(response::SiteAdaptiveContent { enabled: adaptive }),
        ads: None,
        agents_context: site_agents_context(agents_context),
        features: SiteFeatureKey::ALL.iter().map(feature).collect(),
        urls: response::SiteUrls {
            location: app.urls.api(format_args!("/orgs/{organization}/sites/{id}")),
            app: app.urls.app_site(organization, id),
            published: published_at,
        },
        proxy: proxy
            .map(|origin| response::SiteProxy { origin, target: app.urls.proxied_site(id) }),
        basename: Some(basename),
    }
}

/// Returns the reason why readers cannot reach a site; `None` if they can.
fn closed_reason(published: bool) -> Option<response::SiteClosed> {
    let message = "the site is not published: publish it (POST …/publish)".to_owned();
    (!published).then_some(response::SiteClosed { reason: SiteClosedReason::Unpublished, message })
}
