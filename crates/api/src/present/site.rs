//! A site.

use bindery_app::App;
use bindery_app::publishing::ads::{AdsState, SiteAds};
use bindery_app::publishing::sites::Site;
use bindery_model::SiteAdsStatus;
use bindery_wire::response;
use bindery_wire::values::{SiteAdsStatusStatus, SiteClosedReason, SiteFeatureKey};

use crate::closed_sets::{site_ads_topic, site_agents_context, site_type, site_visibility};

pub(crate) fn site(app: &App, site: Site, spaces: u64, ads: AdsState) -> response::Site {
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
        ads: Some(site_ads(ads)),
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

/// Presents the ads of a site.
pub(crate) fn site_ads(ads: AdsState) -> response::SiteAds {
    let SiteAds { status, topic, zone, reason, .. } = match ads {
        AdsState::Pending { submittable } => {
            return response::SiteAds::Pending(response::SiteAdsPending { submittable });
        }
        AdsState::Submitted(ads) => ads,
    };
    let topic = site_ads_topic(topic);
    let shown = |status| {
        let zone_id = zone.unwrap_or_default();
        response::SiteAds::Status(response::SiteAdsStatus { status, topic, zone_id })
    };
    match status {
        SiteAdsStatus::Live => shown(SiteAdsStatusStatus::Live),
        SiteAdsStatus::Disabled => shown(SiteAdsStatusStatus::Disabled),
        SiteAdsStatus::Rejected => {
            response::SiteAds::Rejected(response::SiteAdsRejected { reason })
        }
        SiteAdsStatus::Pending | SiteAdsStatus::InReview => {
            response::SiteAds::InReview(response::SiteAdsInReview { topic })
        }
    }
}

/// Returns the reason why readers cannot reach a site; `None` if they can.
fn closed_reason(published: bool) -> Option<response::SiteClosed> {
    let message = "the site is not published: publish it (POST …/publish)".to_owned();
    (!published).then_some(response::SiteClosed { reason: SiteClosedReason::Unpublished, message })
}
