//! Audit events: changes of access, publication, tokens and settings, for administrators. The
//! transaction that makes a change writes its event, and events never change.

use bindery_model::{AuditEventId, AuditTargetKind, OrganizationId, Timestamp, TokenId, UserId};
use serde_json::Value as Json;

pub use crate::events::AuditAction;
use crate::events::{AuditTarget, NewEvent};
use crate::origin::Source;
use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{Store, StoreError, Tx, Value};

/// Number of stamps per millisecond; see `Stamps`.
const STAMPS_PER_MILLI: i64 = 1 << 16;
/// Maximum number of rows deleted by one transaction.
const DELETE_BATCH: i64 = 1_000;

record! {
    /// An audit event as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct AuditEvent in audit_events as a, insert {
        /// Its id.
        pub id: AuditEventId,
        /// The organization it belongs to.
        pub organization: OrganizationId,
        /// Its position in the order of events.
        pub stamp: i64,
        /// Time of the event.
        pub at: Timestamp,
        /// The action.
        pub action: AuditAction,
        /// The person who acted; `None` if the server acted by itself.
        pub actor: Option<UserId>,
        /// The interface through which the change came.
        pub source: Source,
        /// The client's IP address.
        pub address: Option<String>,
        /// The token that authenticated the request.
        pub token: Option<TokenId>,
        /// The kind of the target.
        pub target_kind: AuditTargetKind,
        /// Its id.
        pub target: String,
        /// The target's title at that time.
        pub target_label: Option<String>,
        /// All other details, as a JSON object.
        pub payload: String,
    }
}

impl Tx<'_> {
    /// Writes the audit event for an event to each organization that it concerns.
    pub(crate) fn audit(&self, new: &NewEvent, payload: &Json) -> Result<(), StoreError> {
        let Some((action, target)) = new.audit() else { return Ok(()) };
        let AuditTarget { kind, id, label } = target;
        let mut details = payload.clone();
        if let Some(details) = details.as_object_mut() {
            details.remove("kind");
            let space = new.space.map(|space| ("space", space.to_string()));
            let site = new.site.map(|site| ("site", site.to_string()));
            for (name, place) in space.into_iter().chain(site) {
                details.entry(name).or_insert(Json::String(place));
            }
        }
        let details = details.to_string();
        let origin = self.origin();
        for organization in new.organization.iter().chain(&new.affected) {
            let event = AuditEvent {
                id: AuditEventId::random(self.entropy()),
                organization: *organization,
                stamp: self.shared().stamps.next(self.now()),
                at: self.now(),
                action,
                actor: new.actor,
                source: origin.source,
                address: origin.address.map(|address| address.to_string()),
                token: origin.token,
                target_kind: kind,
                target: id.clone(),
                target_label: label.clone(),
                payload: details.clone(),
            };
            self.execute(insert!(AuditEvent), &event.values())?;
        }
        Ok(())
    }
}

/// Returns an organization's audit event.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    organization: OrganizationId,
    id: AuditEventId,
) -> Result<Option<AuditEvent>, StoreError> {
    let sql = sql!(AuditEvent::SELECT, " WHERE a.id = $1 AND a.organization = $2");
    tx.query_opt(sql, &[id.into(), organization.into()], AuditEvent::from_row)
}

/// Selects events by their actor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AuditActor {
    /// Events of this person.
    User(UserId),
    /// Events of the server itself.
    System,
}

/// Selects the audit events in a list.
#[derive(Clone, Debug)]
pub struct AuditFilter {
    /// Events of this organization.
    pub organization: OrganizationId,
    /// Events at this time or later.
    pub from: Option<Timestamp>,
    /// Events before this time.
    pub to: Option<Timestamp>,
    /// Events with this action.
    pub action: Option<AuditAction>,
    /// Events by this actor.
    pub actor: Option<AuditActor>,
    /// Events on the target with this id.
    pub target: Option<String>,
}

impl AuditFilter {
    fn conditions(&self, values: &mut Vec<Value<'static>>) -> String {
        values.push(self.organization.into());
        let mut sql = " WHERE a.organization = $1".to_owned();
        let mut narrow = |condition: &str, value: Value<'static>| {
            values.push(value);
            sql.push_str(&format!(" AND {condition} ${}", values.len()));
        };
        if let Some(from) = self.from {
            narrow("a.stamp >=", from.millis().saturating_mul(STAMPS_PER_MILLI).into());
        }
        if let Some(to) = self.to {
            narrow("a.stamp <", to.millis().saturating_mul(STAMPS_PER_MILLI).into());
        }
        if let Some(action) = self.action {
            narrow("a.action =", action.into());
        }
        if let Some(AuditActor::User(user)) = self.actor {
            narrow("a.actor =", user.into());
        }
        if let Some(target) = &self.target {
            narrow("a.target =", target.clone().into());
        }
        if self.actor == Some(AuditActor::System) {
            sql.push_str(" AND a.actor IS NULL");
        }
        sql
    }
}

/// Returns the matching audit events, newest first, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    filter: &AuditFilter,
    after: Option<(i64, &str)>,
    limit: u32,
) -> Result<Vec<AuditEvent>, StoreError> {
    let mut values = Vec::new();
    let mut sql = filter.conditions(&mut values);
    if let Some((stamp, id)) = after {
        values.extend([Value::from(stamp), Value::from(id.to_owned())]);
        let (stamp, id) = (values.len() - 1, values.len());
        sql.push_str(&format!(
            " AND (a.stamp < ${stamp} OR (a.stamp = ${stamp} AND a.id < ${id}))"
        ));
    }
    values.push(limit.into());
    let sql = format!(
        "{}{sql} ORDER BY a.stamp DESC, a.id DESC LIMIT ${}",
        AuditEvent::SELECT,
        values.len()
    );
    tx.query(&sql, &values, AuditEvent::from_row)
}

/// Returns the number of matching audit events.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, filter: &AuditFilter) -> Result<i64, StoreError> {
    let mut values = Vec::new();
    let sql = format!("SELECT COUNT(*) FROM audit_events a{}", filter.conditions(&mut values));
    tx.query_one(&sql, &values, FromRow::from_row)
}

/// Deletes a batch of the audit events from before `moment`. Returns `true` if more may remain.
///
/// # Errors
/// Returns an error if the store fails.
pub async fn remove_before(store: &Store, moment: Timestamp) -> Result<bool, StoreError> {
    store
        .write(move |tx| {
            let removed = tx.execute(
                "DELETE FROM audit_events WHERE id IN \
                 (SELECT a.id FROM audit_events a WHERE a.at < $1 ORDER BY a.at LIMIT $2)",
                &[moment.into(), DELETE_BATCH.into()],
            )?;
            Ok(i64::try_from(removed).unwrap_or_default() >= DELETE_BATCH)
        })
        .await
}
