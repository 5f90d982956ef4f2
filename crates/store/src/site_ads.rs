//! The status of ads on sites. A site without a row has never been submitted.

use bindery_model::{OrganizationId, SiteAdsStatus, SiteAdsTopic, SiteId, Timestamp, UserId};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::sites::Site;
use crate::value::placeholders;
use crate::{StoreError, Tx, Value};

record! {
    /// The ads of a site as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct SiteAds in site_ads as a, insert {
        /// The site.
        pub site: SiteId,
        /// The state of the review.
        pub status: SiteAdsStatus,
        /// The subject of the ads.
        pub topic: SiteAdsTopic,
        /// The place of the ads in their network.
        pub zone: Option<String>,
        /// The name under which the network reports about the ads.
        pub reporting: Option<String>,
        /// The reason for a rejection.
        pub reason: Option<String>,
        /// The user who submitted the site last.
        pub submitted_by: UserId,
        /// Time of the last submission.
        pub submitted_at: Timestamp,
    }
}

/// Returns the ads of a site; `None` if it was never submitted.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, site: SiteId) -> Result<Option<SiteAds>, StoreError> {
    tx.query_opt(sql!(SiteAds::SELECT, " WHERE a.site = $1"), &[site.into()], SiteAds::from_row)
}

/// Stores the ads of a site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(tx: &Tx<'_>, ads: &SiteAds) -> Result<(), StoreError> {
    let sql = sql!(
        insert!(SiteAds),
        " ON CONFLICT (site) DO UPDATE SET status = excluded.status, topic = excluded.topic, \
         zone = excluded.zone, reporting = excluded.reporting, reason = excluded.reason, \
         submitted_by = excluded.submitted_by, submitted_at = excluded.submitted_at"
    );
    tx.execute(sql, &ads.values())?;
    Ok(())
}

/// Selects the submitted sites in a list.
#[derive(Clone, Copy, Debug)]
pub struct SubmittedFilter<'a> {
    /// The state of the review.
    pub status: SiteAdsStatus,
    /// An administrator of the sites.
    pub administrator: UserId,
    /// The organizations of the sites; empty for all.
    pub organizations: &'a [OrganizationId],
}

impl<'a> SubmittedFilter<'a> {
    /// Returns the condition for `a` and `s`, with its values.
    fn condition(&self) -> (String, Vec<Value<'a>>) {
        let mut values = vec![self.status.into(), self.administrator.into()];
        let mut sql = String::from(
            "a.status = $1 AND (s.organization IN (SELECT m.organization FROM members m \
             WHERE m.user_id = $2 AND m.role = 'admin') \
             OR s.id IN (SELECT g.site FROM site_users g WHERE g.user_id = $2 \
             AND g.role = 'admin' UNION SELECT g.site FROM team_members m \
             CROSS JOIN site_teams g WHERE m.user_id = $2 AND g.team = m.team \
             AND g.role = 'admin'))",
        );
        if !self.organizations.is_empty() {
            let list = placeholders(&mut values, self.organizations);
            sql.push_str(&format!(" AND s.organization IN ({list})"));
        }
        (sql, values)
    }
}

/// Lists submitted sites in the order of their submission, after the given position.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    filter: SubmittedFilter<'_>,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<(SiteAds, Site)>, StoreError> {
    let (condition, mut values) = filter.condition();
    let (time, id) = after.unwrap_or((Timestamp::from_millis(i64::MIN), ""));
    let first = values.len();
    values.extend([time.into(), id.to_owned().into(), limit.into()]);
    let (time, id, limit) = (first + 1, first + 2, first + 3);
    let sql = format!(
        "SELECT {}, {} FROM site_ads a JOIN sites s ON s.id = a.site WHERE {condition} \
         AND (a.submitted_at > ${time} OR (a.submitted_at = ${time} AND a.site > ${id})) \
         ORDER BY a.submitted_at, a.site LIMIT ${limit}",
        SiteAds::COLUMNS,
        Site::COLUMNS,
    );
    tx.query(&sql, &values, <(SiteAds, Site)>::from_row)
}

/// Returns the number of submitted sites.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, filter: SubmittedFilter<'_>) -> Result<i64, StoreError> {
    let (condition, values) = filter.condition();
    let sql =
        format!("SELECT COUNT(*) FROM site_ads a JOIN sites s ON s.id = a.site WHERE {condition}");
    tx.query_one(&sql, &values, FromRow::from_row)
}
