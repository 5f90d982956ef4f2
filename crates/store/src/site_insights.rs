//! Events of the readers of sites.

use bindery_model::{SiteId, SiteInsightsEventType, Timestamp};

use crate::record::{FromRow, Insert, Record, insert, record};
use crate::{StoreError, Tx, Value};

/// The length of a day in milliseconds.
pub const DAY_MILLIS: i64 = 24 * 60 * 60 * 1_000;

record! {
    /// An event as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct StoredEvent in site_insights_events as e, insert {
        /// The site.
        pub site: SiteId,
        /// The time of the event.
        pub at: Timestamp,
        /// A random number. Events of the same millisecond are ordered by it.
        pub id: i64,
        /// The type.
        pub kind: SiteInsightsEventType,
        /// A digest of the visitor's id.
        pub visitor: Option<i64>,
        /// A digest of the session's id.
        pub session: Option<i64>,
        /// The other properties as JSON.
        pub properties: String,
    }
}

record! {
    /// The numbers of events of a site on one day. Large events count as several.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub struct DayCount in site_insights_days as d {
        /// The day, counted in days since 1970.
        pub day: i64,
        /// Events with a time in the day.
        pub stored: i64,
        /// Events that programs sent on the day.
        pub sent: i64,
        /// Events that pages of the site observed on the day.
        pub observed: i64,
    }
}

/// Selects events of a site.
#[derive(Clone, Copy, Debug)]
pub struct EventFilter<'a> {
    /// The site.
    pub site: SiteId,
    /// The first time.
    pub from: Timestamp,
    /// The time before which the events are.
    pub to: Timestamp,
    /// The types; empty for all.
    pub kinds: &'a [SiteInsightsEventType],
    /// `true` if the properties are read. Otherwise, they are empty.
    pub with_properties: bool,
}

/// Inserts an event.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, event: &StoredEvent) -> Result<(), StoreError> {
    tx.execute(insert!(StoredEvent), &event.values())?;
    Ok(())
}

/// Returns events of a site in the order of their times, after the one with the given time and id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    filter: &EventFilter<'_>,
    after: Option<(Timestamp, i64)>,
    limit: u32,
) -> Result<Vec<StoredEvent>, StoreError> {
    let EventFilter { site, from, to, kinds, with_properties } = *filter;
    let (from, after_id) = after.unwrap_or((from, i64::MIN));
    let mut values: Vec<Value<'_>> =
        vec![site.into(), from.into(), to.into(), after_id.into(), limit.into()];
    let columns = match with_properties {
        true => StoredEvent::COLUMNS,
        false => "e.site, e.at, e.id, e.kind, e.visitor, e.session, ''",
    };
    let mut of_kinds = String::new();
    if !kinds.is_empty() {
        let places = kinds.iter().map(|kind| {
            values.push((*kind).into());
            format!("${}", values.len())
        });
        let places: Vec<String> = places.collect();
        of_kinds = format!(" AND e.kind IN ({})", places.join(", "));
    }
    let sql = format!(
        "SELECT {columns} FROM {} e WHERE e.site = $1 AND e.at >= $2 AND e.at < $3 \
         AND (e.at > $2 OR e.id > $4){of_kinds} ORDER BY e.at, e.id LIMIT $5",
        StoredEvent::TABLE
    );
    tx.query(&sql, &values, StoredEvent::from_row)
}

/// Returns the numbers of events of a site by day, newest first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_days(tx: &Tx<'_>, site: SiteId) -> Result<Vec<DayCount>, StoreError> {
    tx.query(
        "SELECT d.day, d.stored, d.sent, d.observed FROM site_insights_days d WHERE d.site = $1 \
         ORDER BY d.day DESC",
        &[site.into()],
        DayCount::from_row,
    )
}

/// Returns the numbers of events of a site on a day.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_day(tx: &Tx<'_>, site: SiteId, day: i64) -> Result<DayCount, StoreError> {
    let found = tx.query_opt(
        "SELECT d.day, d.stored, d.sent, d.observed FROM site_insights_days d \
         WHERE d.site = $1 AND d.day = $2",
        &[site.into(), day.into()],
        DayCount::from_row,
    )?;
    Ok(found.unwrap_or(DayCount { day, ..DayCount::default() }))
}

/// Adds to the numbers of events of a site on a day.
///
/// # Errors
/// Returns an error if the store fails.
pub fn add_to_day(tx: &Tx<'_>, site: SiteId, added: DayCount) -> Result<(), StoreError> {
    let DayCount { day, stored, sent, observed } = added;
    tx.execute(
        "INSERT INTO site_insights_days (site, day, stored, sent, observed) \
         VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (site, day) DO UPDATE SET stored = site_insights_days.stored + excluded.stored, \
         sent = site_insights_days.sent + excluded.sent, \
         observed = site_insights_days.observed + excluded.observed",
        &[site.into(), day.into(), stored.into(), sent.into(), observed.into()],
    )?;
    Ok(())
}

/// Returns sites that have more than `limit` events or events before `day`, and deleted sites that
/// still have events.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_oversized(tx: &Tx<'_>, day: i64, limit: i64) -> Result<Vec<SiteId>, StoreError> {
    tx.query(
        "SELECT d.site FROM site_insights_days d GROUP BY d.site \
         HAVING SUM(d.stored) > CAST($2 AS BIGINT) OR MIN(d.day) < $1 \
         OR NOT EXISTS (SELECT 1 FROM sites s WHERE s.id = d.site)",
        &[day.into(), limit.into()],
        FromRow::from_row,
    )
}

/// Deletes up to `limit` of the oldest events of a site: those before a day, or of all days. Once
/// none is left, deletes the numbers of these days, too. Returns the number of deleted events.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_oldest(
    tx: &Tx<'_>,
    site: SiteId,
    before: Option<i64>,
    limit: u32,
) -> Result<u64, StoreError> {
    let day = before.unwrap_or(i64::MAX);
    let deleted = tx.execute(
        "DELETE FROM site_insights_events WHERE site = $1 AND (at, id) IN \
         (SELECT e.at, e.id FROM site_insights_events e WHERE e.site = $1 AND e.at < $2 \
          ORDER BY e.at, e.id LIMIT $3)",
        &[site.into(), day.saturating_mul(DAY_MILLIS).into(), limit.into()],
    )?;
    if deleted < u64::from(limit) {
        tx.execute(
            "DELETE FROM site_insights_days WHERE site = $1 AND day < $2",
            &[site.into(), day.into()],
        )?;
    }
    Ok(deleted)
}

/// Returns the random value of a day, which is created if there is none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn salt(tx: &Tx<'_>, day: i64) -> Result<Vec<u8>, StoreError> {
    let new: [u8; 32] = tx.entropy().bytes();
    tx.execute(
        "INSERT INTO site_insights_salts (day, salt) VALUES ($1, $2) ON CONFLICT (day) DO NOTHING",
        &[day.into(), (&new).into()],
    )?;
    tx.query_one(
        "SELECT salt FROM site_insights_salts WHERE day = $1",
        &[day.into()],
        FromRow::from_row,
    )
}

/// Deletes the random values of the days before a day.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_salts(tx: &Tx<'_>, before: i64) -> Result<(), StoreError> {
    tx.execute("DELETE FROM site_insights_salts WHERE day < $1", &[before.into()])?;
    Ok(())
}
