//! Events: a typed log of all changes. The transaction that makes a change writes its event, and
//! all consumers read the events in one order.

use std::collections::BTreeMap;

use bindery_model::{
    ChangeRequestId, CollectionId, CommentId, CommentReplyId, EventId, InvitationId, Level,
    OrganizationId, ReviewId, RevisionId, Role, Scope, SessionId, SiteId, SiteSpaceId, SpaceId,
    TeamId, TeamRole, Timestamp, TokenId, UserId,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::change_request_reviews::Verdict;
use crate::record::{Columns, FromRow, Record, record, sql};
use crate::sessions::SignInMethod;
use crate::sign_in_attempts::AttemptScope;
use crate::{Store, StoreError, Tx, params};

/// Maximum number of events that one transaction puts into order.
const POSITION_BATCH: i64 = 500;

/// A change. The variant's name is the event's kind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the kinds are named after the noun and the verb of the change")]
pub enum Event {
    UserCreated {
        user: UserId,
    },
    UserUpdated {
        user: UserId,
        changes: Vec<FieldChange>,
    },
    UserVerified {
        user: UserId,
    },
    TokenCreated {
        token: TokenId,
        user: UserId,
        #[serde(default)]
        name: String,
        #[serde(default)]
        scopes: Vec<Scope>,
        /// Milliseconds since 1970.
        #[serde(default)]
        expires_at: Option<i64>,
    },
    TokenRevoked {
        token: TokenId,
        user: UserId,
        #[serde(default)]
        name: String,
    },
    SessionBegun {
        session: SessionId,
        user: UserId,
        way: SignInMethod,
    },
    SessionEnded {
        session: SessionId,
        user: UserId,
    },
    SignInFailed {
        user: UserId,
        of: AttemptScope,
        attempts: i64,
        limit: i64,
    },
    PasswordSet {
        user: UserId,
    },
    PasswordRemoved {
        user: UserId,
    },
    OrganizationCreated {
        title: String,
    },
    OrganizationUpdated {
        changes: Vec<FieldChange>,
    },
    AgentInstructionsUpdated {
        changes: Vec<FieldChange>,
    },
    MemberAdded {
        user: UserId,
        role: Option<Role>,
        #[serde(default)]
        by: JoinMethod,
    },
    MemberUpdated {
        user: UserId,
        changes: Vec<FieldChange>,
    },
    MemberRemoved {
        user: UserId,
        changes: Vec<FieldChange>,
    },
    TeamCreated {
        team: TeamId,
        title: String,
        members: BTreeMap<UserId, TeamRole>,
    },
    TeamUpdated {
        team: TeamId,
        before: TeamSettings,
        after: TeamSettings,
    },
    /// `before` and `after` contain only the people whose role changed.
    TeamMembersUpdated {
        team: TeamId,
        before: BTreeMap<UserId, TeamRole>,
        after: BTreeMap<UserId, TeamRole>,
    },
    /// Includes the members and grants that were deleted with the team.
    TeamDeleted {
        team: TeamId,
        title: String,
        members: BTreeMap<UserId, TeamRole>,
        spaces: BTreeMap<SpaceId, Role>,
        collections: BTreeMap<CollectionId, Role>,
    },
    /// `link` is only the beginning of the link, because the whole link grants access.
    InviteLinkCreated {
        link: String,
        to: Option<String>,
        role: Option<Role>,
    },
    InviteLinkUpdated {
        link: String,
        changes: Vec<FieldChange>,
    },
    InviteLinkRevoked {
        link: String,
        to: Option<String>,
        role: Option<Role>,
    },
    InvitationCreated {
        invitation: InvitationId,
        email: String,
        role: Option<Role>,
    },
    InvitationAccepted {
        invitation: InvitationId,
        user: UserId,
    },
    InvitationRevoked {
        invitation: InvitationId,
        email: String,
    },
    SpaceCreated {
        title: Option<String>,
    },
    SpaceUpdated {
        #[serde(default)]
        changes: Vec<FieldChange>,
    },
    SpaceDeleted,
    SpaceRestored,
    SpaceRemoved,
    SpaceDuplicated {
        from: SpaceId,
    },
    SpaceMoved {
        from: Option<CollectionId>,
        to: Option<CollectionId>,
    },
    SpaceTransferred {
        from: OrganizationId,
        to: OrganizationId,
    },
    CollectionCreated {
        collection: CollectionId,
        title: String,
    },
    CollectionUpdated {
        collection: CollectionId,
        before: CollectionSettings,
        after: CollectionSettings,
    },
    CollectionMoved {
        collection: CollectionId,
        from: Option<CollectionId>,
        to: Option<CollectionId>,
    },
    CollectionTransferred {
        collection: CollectionId,
        from: OrganizationId,
        to: OrganizationId,
    },
    CollectionDeleted {
        collection: CollectionId,
        title: String,
    },
    PermissionChanged {
        collection: Option<CollectionId>,
        user: Option<UserId>,
        team: Option<TeamId>,
        before: Option<Role>,
        after: Option<Role>,
    },
    RevisionCreated {
        /// The content before the change.
        #[serde(default)]
        before: Option<RevisionId>,
        revision: RevisionId,
        revision_kind: String,
    },
    ChangeRequestCreated {
        change_request: ChangeRequestId,
        number: i64,
    },
    ChangeRequestUpdated {
        change_request: ChangeRequestId,
        fields: Vec<String>,
    },
    ChangeRequestContentUpdated {
        change_request: ChangeRequestId,
        revision: RevisionId,
        revision_kind: String,
    },
    ChangeRequestMerged {
        change_request: ChangeRequestId,
        revision: RevisionId,
    },
    ReviewSubmitted {
        change_request: ChangeRequestId,
        review: ReviewId,
        status: Verdict,
    },
    ReviewerRequested {
        change_request: ChangeRequestId,
        user: UserId,
    },
    ReviewerRemoved {
        change_request: ChangeRequestId,
        user: UserId,
    },
    CommentPosted {
        comment: CommentId,
        change_request: Option<ChangeRequestId>,
    },
    CommentUpdated {
        comment: CommentId,
        change_request: Option<ChangeRequestId>,
        fields: Vec<String>,
    },
    CommentResolved {
        comment: CommentId,
        change_request: Option<ChangeRequestId>,
    },
    CommentReopened {
        comment: CommentId,
        change_request: Option<ChangeRequestId>,
    },
    CommentDeleted {
        comment: CommentId,
        change_request: Option<ChangeRequestId>,
    },
    CommentReplyPosted {
        comment: CommentId,
        reply: CommentReplyId,
        change_request: Option<ChangeRequestId>,
    },
    CommentReplyUpdated {
        comment: CommentId,
        reply: CommentReplyId,
        change_request: Option<ChangeRequestId>,
        fields: Vec<String>,
    },
    CommentReplyDeleted {
        comment: CommentId,
        reply: CommentReplyId,
        change_request: Option<ChangeRequestId>,
    },
    ImportStarted {
        job: String,
    },
    ImportFinished {
        job: String,
        revision: Option<RevisionId>,
    },
    ImportFailed {
        job: String,
        code: String,
    },
    SiteCreated {
        title: String,
    },
    SiteUpdated {
        fields: Vec<String>,
    },
    SiteDeleted,
    SitePublished,
    SiteUnpublished,
    SiteSpaceAdded {
        site_space: SiteSpaceId,
        #[serde(default)]
        after: Option<SiteSpaceSettings>,
    },
    SiteSpaceRemoved {
        site_space: SiteSpaceId,
        #[serde(default)]
        before: Option<SiteSpaceSettings>,
    },
}

/// A field's value before and after a change; null if there was or is none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FieldChange {
    /// The field's name in the API contract.
    pub field: String,
    /// The old value.
    pub before: Value,
    /// The new value.
    pub after: Value,
}

impl FieldChange {
    /// Returns the change of a field, or `None` if the values are equal.
    ///
    /// # Errors
    /// Returns an error if a value cannot be written as JSON.
    pub fn of<T: Serialize + PartialEq>(
        field: &str,
        before: &T,
        after: &T,
    ) -> Result<Option<Self>, StoreError> {
        if before == after {
            return Ok(None);
        }
        let json = |value: &T| serde_json::to_value(value).map_err(|error| corrupt(&error));
        let (before, after) = (json(before)?, json(after)?);
        Ok(Some(Self { field: field.to_owned(), before, after }))
    }
}

/// The settings of a collection that can be changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CollectionSettings {
    /// Its title.
    pub title: String,
    /// Its description.
    pub description: String,
    /// The default level of members.
    pub default_level: Level,
}

/// The settings of a space on a site. Events recorded before this type existed lack it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SiteSpaceSettings {
    /// Its title on the site.
    pub title: String,
    /// Its path below the site's path.
    pub path: String,
    /// `true` if it is served at the site's root.
    pub default: bool,
}

/// The settings of a team.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TeamSettings {
    /// Its title.
    pub title: String,
}

/// The way in which a person became a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum JoinMethod {
    /// An administrator added them.
    #[default]
    Added,
    /// They created the organization.
    Founded,
    /// They followed an invite link.
    Link,
    /// They accepted an invitation to their email address.
    Invitation,
    /// Their email address has a domain that joins automatically.
    EmailDomain,
}

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
        let sql = "SELECT COALESCE(MAX(position), 0) FROM events";
        let mut position: i64 = self.query_one(sql, &[], FromRow::from_row)?;
        let events = self.list_unpositioned()?;
        for id in &events {
            position += 1;
            self.execute("UPDATE events SET position = $1 WHERE id = $2", params![position, id])?;
        }
        Ok(!events.is_empty())
    }
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
