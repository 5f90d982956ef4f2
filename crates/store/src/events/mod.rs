//! Events: a typed log of all changes. The transaction that makes a change writes its event, and
//! all consumers read the events in one order.

mod table;
mod values;

use bindery_model::{EventId, OrganizationId, SiteId, SpaceId, Timestamp, UserId};
use serde_json::Value;

pub use self::table::{AuditAction, Event};
pub use self::values::{
    CollectionSettings, FieldChange, JoinMethod, SiteSpaceSettings, TeamSettings,
};

pub(crate) use self::table::AuditTarget;
use crate::record::{Columns, FromRow, Record, record, sql};
use crate::{Store, StoreError, Tx, params};

/// Maximum number of events that one transaction puts into order.
const POSITION_BATCH: i64 = 500;

/// An event to record, with its actor and the objects it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewEvent {
    /// The person who acted; `None` if the server acted by itself.
    pub actor: Option<UserId>,
    /// The organization it belongs to.
    pub organization: Option<OrganizationId>,
    /// The space it belongs to.
    pub space: Option<SpaceId>,
    /// The site it belongs to.
    pub site: Option<SiteId>,
    /// Organizations that the event does not belong to but whose administrators must learn of it.
    pub affected: Vec<OrganizationId>,
    /// The change.
    pub event: Event,
}

record! {
    /// An event as recorded.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct RecordedEvent in events as e {
        /// Its id.
        pub id: EventId,
        /// Its position in the order of all events, from 1.
        pub position: i64,
        /// Time of the event.
        pub at: Timestamp,
        /// The person who acted; `None` if the server acted by itself.
        pub actor: Option<UserId>,
        /// The organization it belongs to.
        pub organization: Option<OrganizationId>,
        /// The space it belongs to.
        pub space: Option<SpaceId>,
        /// The site it belongs to.
        pub site: Option<SiteId>,
        /// The change.
        pub event: Event = payload,
    }
}

impl NewEvent {
    /// Creates an event that belongs to no object yet.
    pub const fn new(event: Event) -> Self {
        let (actor, organization, space, site) = (None, None, None, None);
        Self { actor, organization, space, site, affected: Vec::new(), event }
    }

    /// Sets the actor.
    #[must_use]
    pub fn by(mut self, actor: impl Into<Option<UserId>>) -> Self {
        self.actor = actor.into();
        self
    }

    /// Sets the organization.
    #[must_use]
    pub fn organization(mut self, organization: impl Into<Option<OrganizationId>>) -> Self {
        self.organization = organization.into();
        self
    }

    /// Sets the space.
    #[must_use]
    pub fn space(mut self, space: impl Into<Option<SpaceId>>) -> Self {
        self.space = space.into();
        self
    }

    /// Sets further organizations whose administrators must learn of the event.
    #[must_use]
    pub fn affecting(mut self, organizations: Vec<OrganizationId>) -> Self {
        self.affected = organizations;
        self
    }

    /// Sets the site.
    #[must_use]
    pub fn site(mut self, site: impl Into<Option<SiteId>>) -> Self {
        self.site = site.into();
        self
    }
}

impl Tx<'_> {
    /// Records an event in this transaction.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn record(&self, new: &NewEvent) -> Result<EventId, StoreError> {
        let id = EventId::random(self.entropy());
        let NewEvent { actor, organization, space, site, affected: _, event } = new;
        let payload = serde_json::to_value(event).map_err(|error| corrupt(&error))?;
        let kind = payload.get("kind").and_then(Value::as_str).unwrap_or_default();
        // If transactions overlap, a position assigned here could become visible before a lower
        // one commits. A reader would then miss the lower one.
        self.execute(
            "INSERT INTO events
             (id, position, stamp, at, kind, actor, organization, space, site, payload)
             VALUES ($1,
                 CASE WHEN $2 = 1 THEN (SELECT COALESCE(MAX(position), 0) + 1 FROM events) END,
                 $3, $4, $5, $6, $7, $8, $9, $10)",
            params![
                id,
                self.is_serial(),
                self.shared().stamps.next(self.now()),
                self.now(),
                kind,
                *actor,
                *organization,
                *space,
                *site,
                payload.to_string(),
            ],
        )?;
        self.audit(new, &payload)?;
        Ok(id)
    }

    fn events(&self, after: i64, limit: u32) -> Result<Vec<RecordedEvent>, StoreError> {
        self.query(
            sql!(RecordedEvent::SELECT, " WHERE e.position > $1 ORDER BY e.position LIMIT $2"),
            params![after, limit],
            RecordedEvent::from_row,
        )
    }

    fn list_unpositioned(&self) -> Result<Vec<EventId>, StoreError> {
        self.query(
            "SELECT id FROM events WHERE position IS NULL ORDER BY stamp, id LIMIT $1",
            params![POSITION_BATCH],
            FromRow::from_row,
        )
    }

    /// Assigns positions to committed events. Returns `true` if there were any.
    fn assign_positions(&self) -> Result<bool, StoreError> {
        let mut position = last_position(self)?;
        let events = self.list_unpositioned()?;
        for id in &events {
            position += 1;
            self.execute("UPDATE events SET position = $1 WHERE id = $2", params![position, id])?;
        }
        Ok(!events.is_empty())
    }
}

/// Returns the position of the last event that has one; 0 without events.
///
/// # Errors
/// Returns the error of the engine.
pub fn last_position(tx: &Tx<'_>) -> Result<i64, StoreError> {
    tx.query_one("SELECT COALESCE(MAX(position), 0) FROM events", &[], FromRow::from_row)
}

/// The kind of the event for a new content of a change request.
const CONTENT_UPDATED: &str = "changeRequestContentUpdated";
/// The kinds of events that change nobody's access.
const KINDS_OF_CONTENT: [&str; 2] = [CONTENT_UPDATED, "revisionCreated"];
/// Maximum number of events that are summed up at once.
const SUMMED_EVENTS: u32 = 1_000;

/// A summary of the events after a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventSummary {
    /// The position of the last event.
    pub position: i64,
    /// `true` if somebody's access may have changed.
    pub changed_access: bool,
    /// `true` if the content of a change request changed.
    pub changed_content: bool,
}

/// Sums up the events after a position.
///
/// # Errors
/// Returns the error of the engine.
pub fn sum_up_events(tx: &Tx<'_>, position: i64) -> Result<EventSummary, StoreError> {
    let events: Vec<(i64, String)> = tx.query(
        "SELECT position, kind FROM events WHERE position > $1 ORDER BY position LIMIT $2",
        params![position, SUMMED_EVENTS],
        FromRow::from_row,
    )?;
    let mut kinds = events.iter().map(|(_, kind)| kind.as_str());
    Ok(EventSummary {
        position: events.last().map_or(position, |(position, _)| *position),
        changed_content: kinds.clone().any(|kind| kind == CONTENT_UPDATED),
        changed_access: kinds.any(|kind| !KINDS_OF_CONTENT.contains(&kind)),
    })
}

impl Store {
    /// Returns the events after a position, oldest first. Positions only grow, and no event appears
    /// later before one that was already read.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub async fn events_after(
        &self,
        position: i64,
        limit: u32,
    ) -> Result<Vec<RecordedEvent>, StoreError> {
        let serial = self.changes().is_some();
        if !serial && !self.read(|tx| tx.list_unpositioned()).await?.is_empty() {
            while self.write(|tx| tx.assign_positions()).await? {}
        }
        self.read(move |tx| tx.events(position, limit)).await
    }
}

impl FromRow for Event {
    fn from_columns(columns: &mut Columns<'_, '_>) -> Result<Self, StoreError> {
        serde_json::from_str(&columns.read::<String>()?).map_err(|error| corrupt(&error))
    }
}

fn corrupt(error: &serde_json::Error) -> StoreError {
    StoreError::Corrupt(format!("an event: {error}"))
}
