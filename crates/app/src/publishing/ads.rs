//! Ads on sites: whether a site shows them, and the review before it does.
//!
//! Bindery has no network of ads. The review is left to the administrators of the site, or to a
//! program with a token of one, and the pages show no ads of their own.

use bindery_model::{
    Error, FieldPath, Result, SiteAdsStatus, SiteAdsTopic, SiteId, SiteVisibility, Timestamp,
};
pub use bindery_store::site_ads::SiteAds;
use bindery_store::site_ads::{self, SubmittedFilter};
use bindery_store::sites::{self, Site};
use bindery_store::{Event, NewEvent, Tx, users};

use super::sites::SiteTarget;
use crate::access::{Authorized, Loaded, Person, Target, TargetKind, site_access};
use crate::{Context, text};

/// Maximum length of the names in the network of ads, in characters.
const MAX_NAME: usize = 200;
/// Maximum length of the reason for a rejection, in characters.
const MAX_REASON: usize = 512;

/// A site whose ads are reviewed, identified by its id alone.
#[derive(Clone, Debug)]
pub struct ReviewedSite(pub Site);

impl Target for ReviewedSite {
    const KIND: TargetKind = TargetKind::Site;
    type Key = SiteId;

    fn load(tx: &Tx<'_>, person: Option<&Person>, key: &SiteId) -> Result<Option<Loaded<Self>>> {
        let (Some(person), Some(site)) = (person, sites::get(tx, *key)?) else { return Ok(None) };
        let role = site_access(tx, person, &site)?.role();
        Ok(Some(Loaded { target: Self(site), role }))
    }
}

/// The ads of a site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AdsState {
    /// The site was never submitted, or the submission was withdrawn.
    Pending {
        /// `true` if the site can be submitted: search engines may index it.
        submittable: bool,
    },
    /// The site was submitted.
    Submitted(SiteAds),
}

/// Returns the ads of a site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(cx: &Context<'_>, site: &Site) -> Result<AdsState> {
    let stored = site_ads::get(cx.tx, site.id)?;
    Ok(match stored.filter(|ads| ads.status != SiteAdsStatus::Pending) {
        Some(ads) => AdsState::Submitted(ads),
        None => AdsState::Pending { submittable: is_submittable(site) },
    })
}

fn is_submittable(site: &Site) -> bool {
    site.published && site.visibility == SiteVisibility::Public
}

/// Submits a site for review, or stops its ads, or changes the topic of a submission.
///
/// # Errors
/// Returns 400 if a submission has no topic, and 409 if the ads of the site do not permit the change.
pub fn update(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    status: Option<SiteAdsStatus>,
    topic: Option<SiteAdsTopic>,
) -> Result<()> {
    let site = &site.0;
    let before = site_ads::get(cx.tx, site.id)?;
    let present = before.as_ref().map_or(SiteAdsStatus::Pending, |ads| ads.status);
    let after = match status {
        Some(SiteAdsStatus::InReview) => submitted(cx, site, before.as_ref(), topic)?,
        Some(SiteAdsStatus::Disabled) => {
            let before = before.clone().ok_or_else(|| refused("disabled", present))?;
            let status = match present {
                SiteAdsStatus::Live => SiteAdsStatus::Disabled,
                SiteAdsStatus::InReview => SiteAdsStatus::Pending,
                _ => return Err(refused("disabled", present)),
            };
            SiteAds { status, topic: topic.unwrap_or(before.topic), ..before }
        }
        Some(_) => return Err(Error::invalid("/status: allowed: in-review or disabled")),
        None => {
            let (Some(topic), Some(before)) = (topic, before.clone()) else {
                return Err(Error::invalid(
                    "found no change, expected a status, or a topic for a site in review",
                ));
            };
            if present != SiteAdsStatus::InReview {
                return Err(refused("given another topic", present));
            }
            SiteAds { topic, ..before }
        }
    };
    store(cx, site, before.as_ref(), &after)
}

fn submitted(
    cx: &Context<'_>,
    site: &Site,
    before: Option<&SiteAds>,
    topic: Option<SiteAdsTopic>,
) -> Result<SiteAds> {
    if let Some(before) = before
        && matches!(before.status, SiteAdsStatus::Live | SiteAdsStatus::InReview)
        && topic.is_none_or(|topic| topic == before.topic || before.status == SiteAdsStatus::Live)
    {
        return Err(refused("submitted", before.status));
    }
    if !is_submittable(site) {
        return Err(Error::conflict(
            "the ads of this site cannot be submitted: only a published site with the visibility \
             public can show ads",
        ));
    }
    let topic = topic.or(before.map(|ads| ads.topic)).ok_or_else(|| {
        FieldPath::new("/topic").invalid("found no topic, allowed: webdev or crypto".to_owned())
    })?;
    Ok(SiteAds {
        site: site.id,
        status: SiteAdsStatus::InReview,
        topic,
        zone: None,
        reporting: None,
        reason: None,
        submitted_by: cx.user().ok_or_else(|| Error::not_found("site"))?,
        submitted_at: cx.now(),
    })
}

fn refused(what: &str, status: SiteAdsStatus) -> Error {
    let status = status.as_str();
    Error::conflict(format!("the ads of this site cannot be {what}: their status is {status}"))
}

/// The result of a review.
#[derive(Clone, Copy, Debug)]
pub enum Review<'a> {
    /// The site shows ads.
    Live {
        /// The place of the ads in their network.
        zone: &'a str,
        /// The name under which the network reports about the ads.
        reporting: &'a str,
    },
    /// The site must not show ads.
    Rejected(Option<&'a str>),
    /// The site has to be submitted again.
    Pending,
}

/// Stores the result of the review of a site.
///
/// # Errors
/// Returns 400 if a text is too long, and 409 if the site was not submitted.
pub fn review(cx: &Context<'_>, site: &Authorized<ReviewedSite>, review: Review<'_>) -> Result<()> {
    let site = &site.0;
    let (status, zone, reporting, reason) = match review {
        Review::Live { zone, reporting } => {
            let zone = text::title("/zoneId", zone, 1, MAX_NAME)?;
            let reporting = text::title("/reportingId", reporting, 1, MAX_NAME)?;
            (SiteAdsStatus::Live, Some(zone), Some(reporting), None)
        }
        Review::Rejected(reason) => {
            let reason = reason.map(|reason| text::title("/reason", reason, 0, MAX_REASON));
            (SiteAdsStatus::Rejected, None, None, reason.transpose()?)
        }
        Review::Pending => (SiteAdsStatus::Pending, None, None, None),
    };
    let before = site_ads::get(cx.tx, site.id)?;
    let stored = before.as_ref().filter(|ads| ads.status != SiteAdsStatus::Pending);
    let submitted = stored.cloned().ok_or_else(|| refused("reviewed", SiteAdsStatus::Pending))?;
    if (submitted.status, status) == (SiteAdsStatus::Rejected, SiteAdsStatus::Live) {
        return Err(refused("shown", submitted.status));
    }
    let after = SiteAds { status, zone, reporting, reason, ..submitted };
    store(cx, site, before.as_ref(), &after)
}

fn store(cx: &Context<'_>, site: &Site, before: Option<&SiteAds>, after: &SiteAds) -> Result<()> {
    if before == Some(after) {
        return Ok(());
    }
    site_ads::set(cx.tx, after)?;
    let event = NewEvent::new(Event::SiteAdsUpdated {
        status: after.status.as_str().to_owned(),
        topic: after.topic.as_str().to_owned(),
    });
    cx.tx.record(&event.by(cx.user()).organization(site.organization).site(site.id))?;
    Ok(())
}

/// A site in a list of submitted sites.
#[derive(Clone, Debug)]
pub struct SubmittedSite {
    /// Its ads.
    pub ads: SiteAds,
    /// The site.
    pub site: Site,
    /// The mail address of the user who submitted it.
    pub email: String,
}

/// Lists the sites that the caller administers whose review has a status, in the order of their
/// submission, after the given position, and returns their total number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    cx: &Context<'_>,
    status: SiteAdsStatus,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<SubmittedSite>, i64)> {
    let Some(person) = cx.caller.person().filter(|person| person.spaces.is_empty()) else {
        return Ok((Vec::new(), 0));
    };
    let organizations = &person.organizations;
    let filter = SubmittedFilter { status, administrator: person.user, organizations };
    let mut found = Vec::new();
    for (ads, site) in site_ads::list(cx.tx, filter, after, rows)? {
        let user = users::get(cx.tx, ads.submitted_by)?;
        let email = user.map(|user| user.email).unwrap_or_default();
        found.push(SubmittedSite { ads, site, email });
    }
    Ok((found, site_ads::count(cx.tx, filter)?))
}
