//! Spaces.

use bindery_model::{CollectionId, Level, OrganizationId, RevisionId, SpaceId, Timestamp, UserId};

use crate::collections::held_cte;
use crate::record::{FromRow, Record, record, sql};
use crate::value::placeholders;
use crate::{StoreError, Tx, Value, space_moves};

record! {
    /// A space as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Space in spaces as s {
        /// Its id.
        pub id: SpaceId,
        /// The organization that owns it.
        pub organization: OrganizationId,
        /// Its title.
        pub title: String,
        /// Its emoji; may be empty.
        pub emoji: String,
        /// The collection that contains it.
        pub parent: Option<CollectionId>,
        /// The language of its content.
        pub language: Option<String>,
        /// `true` if its main content cannot be edited directly.
        pub locked: bool = "s.edit_mode = 'locked'",
        /// The level of members without a grant of their own.
        pub default_level: Level,
        /// The nearest default level, from this space upwards, that is not "inherit".
        pub effective_level: Level,
        /// Sort key among the siblings in the same collection.
        pub position: String,
        /// The URL of its icon.
        pub icon: Option<String>,
        /// The merge rules, as JSON in the form of the API contract; `None` for the organization's
        /// rules.
        pub merge_rules: Option<String>,
        /// `true` if its content is offered as a template.
        pub template: bool,
        /// Counts of its change requests and comments.
        pub counts: SpaceCounts = *,
        /// The revision with its main content.
        pub head: RevisionId,
        /// Time of creation.
        pub created_at: Timestamp,
        /// Time of the last change to it or its content.
        pub updated_at: Timestamp,
        /// Time of deletion.
        pub deleted_at: Option<Timestamp>,
    }
}

record! {
    /// The part of a space that decides access to it and its place in a list.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct SpaceOutline in spaces as s {
        /// The id of the space.
        pub id: SpaceId,
        /// The organization that owns it.
        pub organization: OrganizationId,
        /// The collection that contains it.
        pub parent: Option<CollectionId>,
        /// The nearest default level, from this space upwards, that is not "inherit".
        pub effective_level: Level,
        /// Time of creation.
        pub created_at: Timestamp,
        /// Time of deletion.
        pub deleted_at: Option<Timestamp>,
    }
}

record! {
    /// The part of a space that its search index depends on.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct SpaceHead in spaces as s {
        /// The id of the space.
        pub id: SpaceId,
        /// The revision with its main content.
        pub head: RevisionId,
        /// The language of its content.
        pub language: Option<String>,
    }
}

impl From<&Space> for SpaceOutline {
    fn from(space: &Space) -> Self {
        Self {
            id: space.id,
            organization: space.organization,
            parent: space.parent,
            effective_level: space.effective_level,
            created_at: space.created_at,
            deleted_at: space.deleted_at,
        }
    }
}

record! {
    /// Counts of a space's change requests and comments.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub struct SpaceCounts in spaces as s {
        /// All change requests.
        pub change_requests: i64,
        /// Open change requests.
        pub open: i64 = change_requests_open,
        /// Draft change requests.
        pub draft: i64 = change_requests_draft,
        /// Unresolved comments on the main content.
        pub comments: i64,
    }
}

/// Inserts a new space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, space: &Space) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO spaces (id, organization, title, emoji, parent, language, edit_mode, \
         default_level, head, created_at, updated_at, icon, merge_rules, template, effective_level, \
         position) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
        &[
            space.id.into(),
            space.organization.into(),
            space.title.as_str().into(),
            space.emoji.as_str().into(),
            space.parent.into(),
            space.language.as_deref().into(),
            if space.locked { "locked" } else { "live" }.into(),
            space.default_level.into(),
            space.head.into(),
            space.created_at.into(),
            space.updated_at.into(),
            space.icon.as_deref().into(),
            space.merge_rules.as_deref().into(),
            space.template.into(),
            space.effective_level.into(),
            space.position.as_str().into(),
        ],
    )?;
    Ok(())
}

/// Updates a space's settings: organization, collection, position, title, emoji, icon, language,
/// edit mode, levels, merge rules and template flag. Its content stays unchanged.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(tx: &Tx<'_>, space: &Space) -> Result<(), StoreError> {
    space_moves::record(tx, space)?;
    tx.execute(
        "UPDATE spaces SET title = $2, emoji = $3, language = $4, edit_mode = $5, \
         default_level = $6, icon = $7, merge_rules = $8, template = $9, updated_at = $10, \
         organization = $11, parent = $12, effective_level = $13, position = $14 WHERE id = $1",
        &[
            space.id.into(),
            space.title.as_str().into(),
            space.emoji.as_str().into(),
            space.language.as_deref().into(),
            if space.locked { "locked" } else { "live" }.into(),
            space.default_level.into(),
            space.icon.as_deref().into(),
            space.merge_rules.as_deref().into(),
            space.template.into(),
            space.updated_at.into(),
            space.organization.into(),
            space.parent.into(),
            space.effective_level.into(),
            space.position.as_str().into(),
        ],
    )?;
    Ok(())
}

/// Marks a space as deleted or restores it. Returns `false` if it already is in that state.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_deleted(
    tx: &Tx<'_>,
    space: SpaceId,
    deleted_at: Option<Timestamp>,
) -> Result<bool, StoreError> {
    let state = if deleted_at.is_some() { "IS NULL" } else { "IS NOT NULL" };
    let sql = format!("UPDATE spaces SET deleted_at = $2 WHERE id = $1 AND deleted_at {state}");
    Ok(tx.execute(&sql, &[space.into(), deleted_at.into()])? > 0)
}

/// Returns the space that was deleted earliest, if that was before `time`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn oldest_deleted_before(tx: &Tx<'_>, time: Timestamp) -> Result<Option<Space>, StoreError> {
    tx.query_opt(
        sql!(Space::SELECT, " WHERE s.deleted_at < $1 ORDER BY s.deleted_at LIMIT 1"),
        &[time.into()],
        Space::from_row,
    )
}

/// Permanently deletes a space with everything that belongs to it. The garbage collector deletes
/// its objects later.
///
/// # Errors
/// Returns an error if the store fails.
pub fn remove(tx: &Tx<'_>, space: SpaceId) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM notifications WHERE space = $1",
        "DELETE FROM comment_reactions WHERE subject IN \
         (SELECT c.id FROM comments c WHERE c.space = $1)",
        "DELETE FROM comment_reactions WHERE subject IN (SELECT r.id FROM comment_replies r \
         JOIN comments c ON c.id = r.comment WHERE c.space = $1)",
        "DELETE FROM comment_replies WHERE comment IN \
         (SELECT c.id FROM comments c WHERE c.space = $1)",
        "DELETE FROM comments WHERE space = $1",
        "DELETE FROM change_request_reviews WHERE change_request IN \
         (SELECT c.id FROM change_requests c WHERE c.space = $1)",
        "DELETE FROM change_request_reviewers WHERE change_request IN \
         (SELECT c.id FROM change_requests c WHERE c.space = $1)",
        "DELETE FROM change_request_contributors WHERE change_request IN \
         (SELECT c.id FROM change_requests c WHERE c.space = $1)",
        "DELETE FROM editing_sessions WHERE space = $1",
        "DELETE FROM editing_windows WHERE space = $1",
        "DELETE FROM import_change_requests WHERE space = $1",
        "DELETE FROM change_requests WHERE space = $1",
        "DELETE FROM revision_commits WHERE space = $1",
        "DELETE FROM revision_authors WHERE space = $1",
        "DELETE FROM revisions WHERE space = $1",
        "DELETE FROM git_states WHERE space = $1",
        "DELETE FROM git_attempts WHERE space = $1",
        "DELETE FROM git_exports WHERE space = $1",
        "DELETE FROM git_branches WHERE space = $1",
        "DELETE FROM git_sync_runs WHERE space = $1",
        "DELETE FROM git_sync_dry_runs WHERE space = $1",
        "DELETE FROM git_hook_deliveries WHERE space = $1",
        "DELETE FROM git_syncs WHERE space = $1",
        "DELETE FROM git_installations WHERE space = $1",
        "DELETE FROM site_spaces WHERE space = $1",
        "DELETE FROM space_users WHERE space = $1",
        "DELETE FROM invite_links WHERE space = $1",
        "DELETE FROM space_teams WHERE space = $1",
        "DELETE FROM space_references WHERE source = $1 OR target = $1",
        "DELETE FROM link_indexes WHERE space = $1",
        "DELETE FROM pdf_files WHERE space = $1",
        "DELETE FROM embed_uses WHERE space = $1",
        "DELETE FROM computed_contents WHERE space = $1",
        "DELETE FROM embed_scans WHERE space = $1",
        "DELETE FROM spaces WHERE id = $1",
    ] {
        tx.execute(sql, &[space.into()])?;
    }
    space_moves::delete_for_space(tx, space)
}

/// Adds `by` to a space's counts.
///
/// # Errors
/// Returns an error if the store fails.
pub fn add_counts(tx: &Tx<'_>, space: SpaceId, by: SpaceCounts) -> Result<(), StoreError> {
    let SpaceCounts { change_requests, open, draft, comments } = by;
    tx.execute(
        "UPDATE spaces SET change_requests = change_requests + $2, \
         change_requests_open = change_requests_open + $3, \
         change_requests_draft = change_requests_draft + $4, comments = comments + $5 \
         WHERE id = $1",
        &[space.into(), change_requests.into(), open.into(), draft.into(), comments.into()],
    )?;
    Ok(())
}

/// Returns the next number for a change request in a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn next_number(tx: &Tx<'_>, space: SpaceId) -> Result<i64, StoreError> {
    tx.query_one(
        "UPDATE spaces SET last_number = last_number + 1 WHERE id = $1 RETURNING last_number",
        &[space.into()],
        FromRow::from_row,
    )
}

/// Returns the space with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, id: SpaceId) -> Result<Option<Space>, StoreError> {
    tx.query_opt(sql!(Space::SELECT, " WHERE s.id = $1"), &[id.into()], Space::from_row)
}

/// Returns the spaces with these ids, in no particular order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn with_ids(tx: &Tx<'_>, ids: &[SpaceId]) -> Result<Vec<Space>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut values = Vec::new();
    let ids = placeholders(&mut values, ids);
    tx.query(&format!("{} WHERE s.id IN ({ids})", Space::SELECT), &values, Space::from_row)
}

/// Returns the heads of all spaces that are not deleted.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_heads(tx: &Tx<'_>) -> Result<Vec<SpaceHead>, StoreError> {
    tx.query(sql!(SpaceHead::SELECT, " WHERE s.deleted_at IS NULL"), &[], SpaceHead::from_row)
}

/// Sets the head of a space to `to` if it still is `from`, and marks what is derived from its
/// content (the link index and the uses of embeds) as outdated.
/// Returns `false` otherwise.
///
/// # Errors
/// Returns an error if the store fails.
pub fn move_head(
    tx: &Tx<'_>,
    space: SpaceId,
    from: RevisionId,
    to: RevisionId,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let moved = tx.execute(
        "UPDATE spaces SET head = $1, updated_at = $2, \
         links_behind = COALESCE(links_behind, $2), embeds_behind = COALESCE(embeds_behind, $2) \
         WHERE id = $3 AND head = $4 AND deleted_at IS NULL",
        &[to.into(), at.into(), space.into(), from.into()],
    )?;
    Ok(moved > 0)
}

/// The view of a user who is not an administrator. They see spaces with a grant and, unless they
/// are a guest, spaces with a default level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpaceViewer {
    /// The user.
    pub user: UserId,
    /// `true` if default levels apply to them.
    pub defaults: bool,
}

/// Selects the spaces in a list.
#[derive(Clone, Copy, Debug)]
pub struct SpaceFilter<'a> {
    /// The organization.
    pub organization: OrganizationId,
    /// The user whose access limits the list; `None` for administrators, who see all spaces,
    /// including deleted ones.
    pub viewer: Option<SpaceViewer>,
    /// The only spaces that the caller's token can access; `None` for no limit.
    pub within: Option<&'a [SpaceId]>,
}

/// SQL condition for the spaces that members see without a grant.
const VISIBLE_BY_DEFAULT: &str = "s.effective_level IS NOT NULL AND s.deleted_at IS NULL";

/// Returns a query for the spaces on which the user `${user}` has a grant, directly or through an
/// ancestor. `CROSS JOIN` fixes the order of the joins: otherwise SQLite would scan all spaces to
/// get a sorted union.
fn granted_query(user: usize) -> String {
    format!(
        "WITH RECURSIVE {} SELECT g.space AS id FROM space_users g WHERE g.user_id = ${user} \
         UNION SELECT g.space FROM team_members m CROSS JOIN space_teams g \
         WHERE m.user_id = ${user} AND g.team = m.team \
         UNION SELECT i.id FROM held h CROSS JOIN spaces i WHERE i.parent = h.id",
        held_cte(user)
    )
}

impl SpaceFilter<'_> {
    /// Returns the SQL conditions for a row `s` of `spaces`.
    pub(crate) fn conditions(&self, values: &mut Vec<Value<'static>>) -> Vec<String> {
        values.push(self.organization.into());
        let organization = values.len();
        let mut conditions = vec![format!("s.organization = ${organization}")];
        if let Some(SpaceViewer { user, defaults }) = self.viewer {
            values.push(user.into());
            let granted = granted_query(values.len());
            let seen = if defaults {
                format!("s.effective_level IS NOT NULL OR s.id IN ({granted})")
            } else {
                format!("s.id IN ({granted})")
            };
            conditions.push(format!("s.deleted_at IS NULL AND ({seen})"));
        }
        if let Some(within) = self.within {
            conditions.push(format!("s.id IN ({})", placeholders(values, within)));
        }
        conditions
    }

    /// Returns the FROM clauses of two disjoint selections: spaces with a default level, and other
    /// spaces with a grant. Each uses an index, so its cost grows only with its result. `narrowed`
    /// is an additional condition on a row `s` of `spaces`.
    fn parts(&self, values: &mut Vec<Value<'static>>, narrowed: &str) -> Vec<String> {
        values.push(self.organization.into());
        let mut narrowed = format!("s.organization = ${}{narrowed}", values.len());
        if let Some(within) = self.within {
            let within = placeholders(values, within);
            narrowed.push_str(&format!(" AND s.id IN ({within})"));
        }
        let Some(SpaceViewer { user, defaults }) = self.viewer else {
            return vec![format!("FROM spaces s WHERE {narrowed}")];
        };
        values.push(user.into());
        let granted = granted_query(values.len());
        let mut parts = Vec::new();
        let mut other = "s.deleted_at IS NULL";
        if defaults {
            parts.push(format!("FROM spaces s WHERE {VISIBLE_BY_DEFAULT} AND {narrowed}"));
            other = "s.effective_level IS NULL AND s.deleted_at IS NULL";
        }
        // The query starts from the grants, as most of the many spaces are not granted to this
        // user.
        parts.push(format!(
            "FROM ({granted}) r CROSS JOIN spaces s WHERE s.id = r.id AND {other} AND {narrowed}"
        ));
        parts
    }
}

/// The sort order of a list by time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Oldest first.
    OldestFirst,
    /// Newest first.
    NewestFirst,
}

/// Returns the visible spaces of an organization, sorted by time of creation, starting after
/// `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_visible(
    tx: &Tx<'_>,
    filter: &SpaceFilter<'_>,
    order: Order,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<Space>, StoreError> {
    visible(tx, filter, order, after, limit)
}

/// Returns the outlines of the spaces that [`list_visible`] returns.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_visible_outlines(
    tx: &Tx<'_>,
    filter: &SpaceFilter<'_>,
    order: Order,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<SpaceOutline>, StoreError> {
    visible(tx, filter, order, after, limit)
}

fn visible<T: Record>(
    tx: &Tx<'_>,
    filter: &SpaceFilter<'_>,
    order: Order,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<T>, StoreError> {
    let (sign, order) = match order {
        Order::OldestFirst => (">", "ASC"),
        Order::NewestFirst => ("<", "DESC"),
    };
    let mut values = vec![Value::from(limit)];
    let mut narrowed = String::new();
    if let Some((time, id)) = after {
        values.extend([Value::from(time), Value::from(id.to_owned())]);
        narrowed =
            format!(" AND (s.created_at {sign} $2 OR (s.created_at = $2 AND s.id {sign} $3))");
    }
    let columns = T::COLUMNS;
    let sorted = format!("ORDER BY s.created_at {order}, s.id {order} LIMIT $1");
    let sql = match filter.parts(&mut values, &narrowed).as_slice() {
        // A single selection is sorted once; administrators' rows come sorted from an index.
        [part] => format!("SELECT {columns} {part} {sorted}"),
        parts => {
            let parts: Vec<String> = parts
                .iter()
                .map(|part| format!("SELECT * FROM (SELECT s.* {part} {sorted}) p"))
                .collect();
            format!("SELECT {columns} FROM ({}) s {sorted}", parts.join(" UNION ALL "))
        }
    };
    tx.query(&sql, &values, T::from_row)
}

/// Returns the number of visible spaces of an organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_visible(tx: &Tx<'_>, filter: &SpaceFilter<'_>) -> Result<i64, StoreError> {
    let mut values = Vec::new();
    let parts: Vec<String> = filter
        .parts(&mut values, "")
        .into_iter()
        .map(|part| format!("(SELECT COUNT(*) {part})"))
        .collect();
    tx.query_one(&format!("SELECT {}", parts.join(" + ")), &values, FromRow::from_row)
}

/// A position in the list of a collection's spaces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListPosition {
    /// The number of the last move when the list began; see [`space_moves`].
    pub since: i64,
    /// The space's position at that time.
    pub position: String,
    /// The space.
    pub space: String,
}

/// Returns the visible spaces in a collection with their positions, starting after `after`. Keeps
/// the order from the time the list began, so that a space moved meanwhile appears once.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_in_collection(
    tx: &Tx<'_>,
    filter: &SpaceFilter<'_>,
    collection: CollectionId,
    after: Option<&ListPosition>,
    limit: u32,
) -> Result<Vec<(Space, String)>, StoreError> {
    let mut values = vec![Value::from(limit)];
    let mut then = "s.position".to_owned();
    let mut beyond = String::new();
    if let Some(ListPosition { since, position, space }) = after {
        if space_moves::last(tx)? > *since {
            values.push(Value::from(*since));
            then = space_moves::position_after_move(values.len());
        }
        values.extend([Value::from(position.clone()), Value::from(space.clone())]);
        let (position, id) = (values.len() - 1, values.len());
        beyond = format!("AND ({then} > ${position} OR ({then} = ${position} AND s.id > ${id}))");
    }
    values.push(collection.into());
    let parent = values.len();
    let conditions = filter.conditions(&mut values).join(" AND ");
    let sql = format!(
        "SELECT {}, {then} AS placed FROM spaces s WHERE s.parent = ${parent} \
         AND {conditions} {beyond} ORDER BY placed, s.id LIMIT $1",
        Space::COLUMNS
    );
    tx.query(&sql, &values, FromRow::from_row)
}

/// Returns the number of visible spaces in a collection.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_in_collection(
    tx: &Tx<'_>,
    filter: &SpaceFilter<'_>,
    collection: CollectionId,
) -> Result<i64, StoreError> {
    let mut values = vec![Value::from(collection)];
    let conditions = filter.conditions(&mut values).join(" AND ");
    let sql = format!("SELECT COUNT(*) FROM spaces s WHERE s.parent = $1 AND {conditions}");
    tx.query_one(&sql, &values, FromRow::from_row)
}

/// Returns the visible spaces of an organization that are templates, sorted by title.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_templates(
    tx: &Tx<'_>,
    filter: &SpaceFilter<'_>,
    limit: u32,
) -> Result<Vec<Space>, StoreError> {
    let mut values = vec![Value::from(limit)];
    let conditions = filter.conditions(&mut values).join(" AND ");
    let sql = format!(
        "{} WHERE {conditions} AND s.template <> 0 AND s.deleted_at IS NULL \
         ORDER BY s.title, s.id LIMIT $1",
        Space::SELECT
    );
    tx.query(&sql, &values, Space::from_row)
}
