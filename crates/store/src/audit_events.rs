//! What administrators look up: who changed access, published content, made tokens or changed
//! settings. Written with the change, in its transaction, and never changed.

mod action;

pub use action::AuditAction;

use action::{AuditTarget, audited};
use bindery_model::{AuditEventId, OrganizationId, Timestamp, TokenId, UserId};
use serde_json::Value as Json;

use crate::events::NewEvent;
use crate::origin::Source;
use crate::{Row, Store, StoreError, Tx, Value};

/// Stamps of a millisecond; see `Stamps`.
const STAMPS: i64 = 1 << 16;
/// Rows that are removed in one go.
const AT_ONCE: i64 = 1_000;

/// An audit event as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuditEvent {
    /// Its id.
    pub id: AuditEventId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// Its place in the order.
    pub stamp: i64,
    /// When it happened.
    pub at: Timestamp,
    /// What was done; the text of an [`AuditAction`].
    pub action: String,
    /// Who did it; `None`: the server.
    pub actor: Option<UserId>,
    /// The door it came through.
    pub source: Source,
    /// The address it came from.
    pub address: Option<String>,
    /// The token that was shown.
    pub token: Option<TokenId>,
    /// What kind of thing it was done to.
    pub target_kind: String,
    /// Its id.
    pub target: String,
    /// What it was called.
    pub target_label: Option<String>,
    /// Everything else, as a JSON object.
    pub payload: String,
}

const COLUMNS: &str = "a.id, a.organization, a.stamp, a.at, a.action, a.actor, a.source, \
     a.address, a.token, a.target_kind, a.target, a.target_label, a.payload";

fn read(row: &Row<'_>) -> Result<AuditEvent, StoreError> {
    let source: String = row.get(6)?;
    Ok(AuditEvent {
        id: row.get(0)?,
        organization: row.get(1)?,
        stamp: row.get(2)?,
        at: row.get(3)?,
        action: row.get(4)?,
        actor: row.get(5)?,
        source: Source::parse(&source)
            .ok_or_else(|| StoreError::Corrupt(format!("the source {source} of a change")))?,
        address: row.get(7)?,
        token: row.get(8)?,
        target_kind: row.get(9)?,
        target: row.get(10)?,
        target_label: row.get(11)?,
        payload: row.get(12)?,
    })
}

impl Tx<'_> {
    /// Writes what an event means to the organizations that it concerns.
    pub(crate) fn audit(&self, new: &NewEvent, payload: &Json) -> Result<(), StoreError> {
        let Some((action, target)) = audited(new) else { return Ok(()) };
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
        for organization in new.organization.iter().chain(&new.concerning) {
            self.execute(
                "INSERT INTO audit_events (id, organization, stamp, at, action, actor, source, \
                 address, token, target_kind, target, target_label, payload) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
                &[
                    AuditEventId::random(self.entropy()).into(),
                    organization.into(),
                    self.shared().stamps.next(self.now()).into(),
                    self.now().into(),
                    action.as_str().into(),
                    new.actor.into(),
                    origin.source.as_str().into(),
                    origin.address.map(|address| address.to_string()).into(),
                    origin.token.into(),
                    kind.into(),
                    id.as_str().into(),
                    label.as_deref().into(),
                    details.as_str().into(),
                ],
            )?;
        }
        Ok(())
    }
}

/// An audit event of an organization.
///
/// # Errors
/// When the store fails.
pub fn get(
    tx: &Tx<'_>,
    organization: OrganizationId,
    id: AuditEventId,
) -> Result<Option<AuditEvent>, StoreError> {
    let sql =
        format!("SELECT {COLUMNS} FROM audit_events a WHERE a.id = $1 AND a.organization = $2");
    tx.query_opt(&sql, &[id.into(), organization.into()], read)
}

/// Whose doing is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AuditActor {
    /// A person's.
    User(UserId),
    /// The server's own.
    System,
}

/// What a list of audit events is narrowed to.
#[derive(Clone, Debug)]
pub struct AuditFilter {
    /// Of this organization.
    pub organization: OrganizationId,
    /// Not before this moment.
    pub from: Option<Timestamp>,
    /// Before this moment.
    pub to: Option<Timestamp>,
    /// With this action.
    pub action: Option<AuditAction>,
    /// By this actor.
    pub actor: Option<AuditActor>,
    /// On the thing with this id.
    pub target: Option<String>,
}

impl AuditFilter {
    fn conditions(&self, values: &mut Vec<Value<'static>>) -> String {
        values.push(self.organization.into());
        let mut sql = "FROM audit_events a WHERE a.organization = $1".to_owned();
        let mut narrow = |condition: &str, value: Value<'static>| {
            values.push(value);
            sql.push_str(&format!(" AND {condition} ${}", values.len()));
        };
        if let Some(from) = self.from {
            narrow("a.stamp >=", from.millis().saturating_mul(STAMPS).into());
        }
        if let Some(to) = self.to {
            narrow("a.stamp <", to.millis().saturating_mul(STAMPS).into());
        }
        if let Some(action) = self.action {
            narrow("a.action =", action.as_str().into());
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

/// The audit events that a filter lets through, newest first, after the given place.
///
/// # Errors
/// When the store fails.
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
    let sql =
        format!("SELECT {COLUMNS} {sql} ORDER BY a.stamp DESC, a.id DESC LIMIT ${}", values.len());
    tx.query(&sql, &values, read)
}

/// How many audit events a filter lets through.
///
/// # Errors
/// When the store fails.
pub fn count(tx: &Tx<'_>, filter: &AuditFilter) -> Result<i64, StoreError> {
    let mut values = Vec::new();
    let sql = format!("SELECT COUNT(*) {}", filter.conditions(&mut values));
    tx.query_one(&sql, &values, |row| row.get(0))
}

/// Removes audit events of before a moment, some at a time; whether there may be more.
///
/// # Errors
/// When the store fails.
pub async fn remove_before(store: &Store, moment: Timestamp) -> Result<bool, StoreError> {
    store
        .write(move |tx| {
            let removed = tx.execute(
                "DELETE FROM audit_events WHERE id IN \
                 (SELECT a.id FROM audit_events a WHERE a.at < $1 ORDER BY a.at LIMIT $2)",
                &[moment.into(), AT_ONCE.into()],
            )?;
            Ok(i64::try_from(removed).unwrap_or_default() >= AT_ONCE)
        })
        .await
}
