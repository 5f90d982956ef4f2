//! Stores events that programs send. Anybody can send them, so everything about them is bounded.

use std::collections::BTreeMap;

use bindery_model::{
    Error, FieldPath, OrganizationId, Result, SiteId, SiteInsightsEventType, Timestamp,
};
use bindery_store::site_insights::{self, DAY_MILLIS, DayCount, StoredEvent};
use bindery_store::sites::{self, Site};
use bindery_store::{Tx, site_share_links};

use super::event::Properties;
use super::retention::RETENTION_DAYS;
use crate::access::{Action, Caller, authorize_target};
use crate::publishing::audience::{Audience, Presented, Visitor, jwt::Claims};
use crate::publishing::published::ReadableSite;
use crate::publishing::resolve::SiteReader;
use crate::secrets::{Secrets, equal};
use crate::{App, Context};

/// Maximum number of events that programs can send for a site on a day. Large ones count as several.
const MAX_SENT_PER_DAY: i64 = 100_000;
/// Number of bytes of properties for each of which an event counts once more.
const BYTES_PER_EVENT: usize = 1_024;
/// Claims about a token, which say nothing about its visitor.
const TOKEN_CLAIMS: [&str; 7] = ["iss", "sub", "aud", "exp", "nbf", "iat", "jti"];

/// An event as a program sends it.
#[derive(Clone, Debug)]
pub struct SentEvent {
    /// The time; `None` for now.
    pub at: Option<Timestamp>,
    /// The type.
    pub kind: SiteInsightsEventType,
    /// The id of the visitor; empty if there is none.
    pub visitor_id: String,
    /// The id of the session; empty if there is none.
    pub session_id: String,
    /// A token that the organization has signed for the visitor.
    pub token: Option<String>,
    /// The properties. Their claims and their share key are those that the program states.
    pub properties: Properties,
}

/// Stores events of the readers of a site: all or none.
///
/// # Errors
/// Returns 404 if the site does not exist, and if it is not published or a reader is not admitted to
/// it, unless the caller may read it. Returns 400 for an event that is too old, and 429 if too many
/// events of the site were sent today.
pub fn store_sent(
    cx: &Context<'_>,
    key: Option<(OrganizationId, SiteId)>,
    events: &[SentEvent],
) -> Result<()> {
    let Context { tx, app, caller } = *cx;
    let (site, is_reader) = site_of(cx, key)?;
    if is_preview(caller) {
        return Ok(());
    }
    let is_admitted =
        |visitor: &Visitor| is_reader || visitor.reads(site.visibility, site.published);
    if events.is_empty() && !is_admitted(&Visitor::anonymous()) {
        return Err(Error::not_visible("site"));
    }
    let audience = Audience::load(app, tx, &site)?;
    let share_keys = ShareKeys::load(app, tx, site.id)?;
    let now = cx.now();
    let mut stored = Vec::with_capacity(events.len());
    for (number, sent) in events.iter().enumerate() {
        let share_key = sent.properties.share_key.as_deref();
        let presented = Presented { share_key, token: sent.token.as_deref() };
        let (visitor, _) = audience.identify(&app.secrets, presented, now);
        if !is_admitted(&visitor) {
            return Err(Error::not_visible("site"));
        }
        let at = sent.at.unwrap_or(now).min(now);
        if at < now.plus_millis(-RETENTION_DAYS * DAY_MILLIS) {
            return Err(FieldPath::new(format!("/events/{number}/timestamp")).invalid(format!(
                "found {at}, allowed: a time in the last {RETENTION_DAYS} days"
            )));
        }
        let mut properties = sent.properties.clone();
        properties.share_key = share_key.map(|key| share_keys.named(key));
        if let Some(claims) = verified_claims(caller, visitor) {
            properties.claims = claims;
            properties.claims_verified = true;
        }
        properties.claims.retain(|name, _| !TOKEN_CLAIMS.contains(&name.as_str()));
        stored.push(StoredEvent {
            site: site.id,
            at,
            id: i64::from_be_bytes(app.entropy.bytes()),
            kind: sent.kind,
            visitor: digest(&app.secrets, site.id, "visitor", &sent.visitor_id),
            session: digest(&app.secrets, site.id, "session", &sent.session_id),
            properties: properties.to_json()?,
        });
    }
    let today = day_of(now);
    let sent = stored.iter().map(weight).sum();
    if site_insights::get_day(tx, site.id, today)?.sent.saturating_add(sent) > MAX_SENT_PER_DAY {
        let text = "too many events of this site were sent today: send more tomorrow";
        return Err(Error::rate_limited(text).retry_after(seconds_of_day_after(now)));
    }
    store(tx, &stored, DayCount { day: today, sent, ..DayCount::default() })
}

/// Returns the number of events as which one counts: a large one counts as several, so that the
/// maximum number of events bounds their bytes.
pub(super) fn weight(event: &StoredEvent) -> i64 {
    1 + i64::try_from(event.properties.len() / BYTES_PER_EVENT).unwrap_or(i64::MAX - 1)
}

/// Inserts events of one site and counts them. `arrived` is the number that arrived today.
pub(super) fn store(tx: &Tx<'_>, events: &[StoredEvent], arrived: DayCount) -> Result<()> {
    let Some(site) = events.first().map(|event| event.site) else { return Ok(()) };
    let mut by_day: BTreeMap<i64, i64> = BTreeMap::new();
    for event in events {
        site_insights::create(tx, event)?;
        *by_day.entry(day_of(event.at)).or_default() += weight(event);
    }
    site_insights::add_to_day(tx, site, arrived)?;
    for (day, stored) in by_day {
        site_insights::add_to_day(tx, site, DayCount { day, stored, ..DayCount::default() })?;
    }
    Ok(())
}

/// Returns the site, and `true` if the caller may read it without being one of its visitors.
fn site_of(cx: &Context<'_>, key: Option<(OrganizationId, SiteId)>) -> Result<(Site, bool)> {
    let Context { tx, caller, .. } = *cx;
    let absent = || Error::not_visible("site");
    let key = key.ok_or_else(absent)?;
    if *caller != Caller::Anonymous {
        match authorize_target::<ReadableSite>(tx, caller, Action::ReadSite, Some(&key)) {
            Ok(found) => return Ok((found.0.clone(), true)),
            // The caller is a visitor like any other.
            Err(error) if error.is_denial() => {}
            Err(error) => return Err(error),
        }
    }
    let (organization, id) = key;
    let found = sites::get(tx, id)?.filter(|site| site.organization == organization);
    Ok((found.ok_or_else(absent)?, false))
}

/// Returns `true` if the caller reads a preview, whose events are not those of readers.
fn is_preview(caller: &Caller) -> bool {
    match caller {
        Caller::Visitor(reader) => match &**reader {
            SiteReader::Token(token) => token.visitor.preview.is_some(),
            SiteReader::ShareKey(_) => false,
        },
        Caller::Anonymous | Caller::Person(_) => false,
    }
}

/// Returns the claims of the visitor that a token proves: the one in the event, or the one with which
/// the site is read.
fn verified_claims(caller: &Caller, visitor: Visitor) -> Option<Claims> {
    if visitor.signed_in {
        return Some(visitor.claims);
    }
    let Caller::Visitor(reader) = caller else { return None };
    match &**reader {
        SiteReader::Token(token) if token.visitor.signed_in => Some(token.visitor.claims.clone()),
        SiteReader::Token(_) | SiteReader::ShareKey(_) => None,
    }
}

/// Returns a number that stands for the id of a visitor or a session of a site; `None` for an empty
/// id.
pub(super) fn digest(secrets: &Secrets, site: SiteId, kind: &str, id: &str) -> Option<i64> {
    (!id.is_empty()).then(|| secrets.reader_number(&[site.as_str(), kind, id]))
}

/// Returns the day of a time, counted in days since 1970.
pub(super) const fn day_of(at: Timestamp) -> i64 {
    at.millis().div_euclid(DAY_MILLIS)
}

/// Returns the number of seconds until the next day begins.
fn seconds_of_day_after(now: Timestamp) -> u32 {
    let millis = DAY_MILLIS - now.millis().rem_euclid(DAY_MILLIS);
    u32::try_from(millis / 1_000 + 1).unwrap_or(u32::MAX)
}

/// The share links of a site. Their keys are secrets, so events name them by the ids of the links.
pub(super) struct ShareKeys<'a> {
    secrets: &'a Secrets,
    /// The digest of each key with the id of its link.
    links: Vec<([u8; 32], String)>,
}

impl<'a> ShareKeys<'a> {
    pub(super) fn load(app: &'a App, tx: &Tx<'_>, site: SiteId) -> Result<Self> {
        let links = site_share_links::list(tx, site)?;
        let links = links.into_iter().map(|link| (link.key_digest, link.id.to_string()));
        Ok(Self { secrets: &app.secrets, links: links.collect() })
    }

    /// Returns the id of the link with a key, or the text itself if it is the key of none.
    pub(super) fn named(&self, key: &str) -> String {
        let digest = self.secrets.share_key_digest(key);
        let link = self.links.iter().find(|(known, _)| equal(known, &digest));
        link.map_or_else(|| key.to_owned(), |(_, id)| id.clone())
    }
}

#[cfg(test)]
mod tests {
    use bindery_model::Entropy;

    use super::*;

    #[test]
    fn large_events_count_as_several() {
        let weight_of = |length: usize| {
            weight(&StoredEvent {
                site: SiteId::random(&Entropy::seeded(1)),
                at: Timestamp::from_millis(0),
                id: 0,
                kind: SiteInsightsEventType::PageView,
                visitor: None,
                session: None,
                properties: "x".repeat(length),
            })
        };
        assert_eq!([0, 1_023, 1_024, 32_768].map(weight_of), [1, 1, 2, 33]);
    }
}
