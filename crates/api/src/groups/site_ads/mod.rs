//! Group `site-ads`.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized, SignedIn};
use bindery_app::publishing::ads::{self, Review, ReviewedSite, SubmittedSite};
use bindery_app::publishing::sites::SiteTarget;
use bindery_model::{Result, SiteAdsStatus};
use bindery_wire::request::{AdsUpdateSiteBody, UpdateSiteAdsByIdBody};
use bindery_wire::response::AdsListSitesResponseItem;
use bindery_wire::values::{AdsListSitesResponseItemStatus, UpdateSiteAdsByIdBodyStatus};

use crate::call::Call;
use crate::closed_sets::{site_ads_topic, site_ads_topic_of};
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read, write};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        write("updateSiteAdsById", Action::ManageSite, update_site_ads),
        read("adsListSites", Action::ActAsSelf, list_sites),
        write("adsUpdateSite", Action::ReviewAds, review_site),
    ]
}

/// `updateSiteAdsById`: submits the ads of a site for review, or stops them.
fn update_site_ads(cx: &Context<'_>, site: &Authorized<SiteTarget>, call: &Call) -> Result<Reply> {
    let UpdateSiteAdsByIdBody { status, topic } = call.body()?;
    let status = status.map(|status| match status {
        UpdateSiteAdsByIdBodyStatus::InReview => SiteAdsStatus::InReview,
        UpdateSiteAdsByIdBodyStatus::Disabled => SiteAdsStatus::Disabled,
    });
    ads::update(cx, site, status, topic.map(site_ads_topic_of))?;
    Ok(Reply::empty(204))
}

/// `adsListSites`: lists the sites of the caller whose ads are in review, live or rejected.
fn list_sites(cx: &Context<'_>, _: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let status = match call.query().text("status") {
        Some("live") => SiteAdsStatus::Live,
        Some("rejected") => SiteAdsStatus::Rejected,
        _ => SiteAdsStatus::InReview,
    };
    let (rows, count) = ads::list(cx, status, page.after_time(), page.rows())?;
    let list = page.list(
        rows,
        count,
        |row| time_position(row.ads.submitted_at, row.site.id),
        |SubmittedSite { ads, site, email }| {
            Ok(AdsListSitesResponseItem {
                id: site.id.to_string(),
                url: cx.app.urls.site(&site),
                email,
                topic: site_ads_topic(ads.topic),
                status: match status {
                    SiteAdsStatus::Live => AdsListSitesResponseItemStatus::Live,
                    SiteAdsStatus::Rejected => AdsListSitesResponseItemStatus::Rejected,
                    _ => AdsListSitesResponseItemStatus::InReview,
                },
                zone_id: ads.zone,
                reason: ads.reason,
            })
        },
    )?;
    Reply::json(200, &list)
}

/// `adsUpdateSite`: stores the result of the review of a site's ads.
fn review_site(cx: &Context<'_>, site: &Authorized<ReviewedSite>, call: &Call) -> Result<Reply> {
    let body: AdsUpdateSiteBody = call.body()?;
    let review = match &body {
        AdsUpdateSiteBody::Live(live) => {
            Review::Live { zone: &live.zone_id, reporting: &live.reporting_id }
        }
        AdsUpdateSiteBody::Rejected(rejected) => Review::Rejected(rejected.reason.as_deref()),
        AdsUpdateSiteBody::Pending(_) => Review::Pending,
    };
    ads::review(cx, site, review)?;
    Ok(Reply::empty(204))
}
