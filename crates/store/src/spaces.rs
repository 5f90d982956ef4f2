//! Spaces and what was granted on them.

use std::collections::HashMap;

use bindery_model::{
    CollectionId, Level, OrganizationId, RevisionId, Role, SpaceId, Timestamp, UserId,
};

use crate::value::placeholders;
use crate::{Row, StoreError, Tx, Value};

/// A space as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Space {
    /// Its id.
    pub id: SpaceId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// Its title.
    pub title: String,
    /// Its emoji; may be empty.
    pub emoji: String,
    /// The collection it is in.
    pub parent: Option<CollectionId>,
    /// The language of its content.
    pub language: Option<String>,
    /// Locked: its main content cannot be changed.
    pub locked: bool,
    /// What members may do who have no grant of their own.
    pub default_level: Level,
    /// The address of its picture.
    pub icon: Option<String>,
    /// What a merge needs, as the contract's JSON; absent: what the organization says.
    pub merge_rules: Option<String>,
    /// Whether its content is offered as a template.
    pub template: bool,
    /// How much is open in it.
    pub counts: SpaceCounts,
    /// The revision that is its main content.
    pub head: RevisionId,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it or its content was last changed.
    pub updated_at: Timestamp,
    /// When it was deleted.
    pub deleted_at: Option<Timestamp>,
}

/// How many change requests and comments a space has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SpaceCounts {
    /// All change requests.
    pub change_requests: i64,
    /// Those that are open.
    pub open: i64,
    /// Those that are drafts.
    pub draft: i64,
    /// Comments on the main content that are not resolved.
    pub comments: i64,
}

macro_rules! columns {
    () => {
        "s.id, s.organization, s.title, s.emoji, s.parent, s.language, s.edit_mode, \
         s.default_level, s.head, s.created_at, s.updated_at, s.deleted_at, s.icon, \
         s.merge_rules, s.template, s.change_requests, s.change_requests_open, \
         s.change_requests_draft, s.comments"
    };
}

fn read(row: &Row<'_>) -> Result<Space, StoreError> {
    Ok(Space {
        id: row.get(0)?,
        organization: row.get(1)?,
        title: row.get(2)?,
        emoji: row.get(3)?,
        parent: row.get(4)?,
        language: row.get(5)?,
        locked: row.get::<String>(6)? == "locked",
        default_level: Level::parse(row.get::<Option<String>>(7)?.as_deref())
            .unwrap_or(Level::None),
        head: row.get(8)?,
        created_at: row.get(9)?,
        updated_at: row.get(10)?,
        deleted_at: row.get(11)?,
        icon: row.get(12)?,
        merge_rules: row.get(13)?,
        template: row.get(14)?,
        counts: SpaceCounts {
            change_requests: row.get(15)?,
            open: row.get(16)?,
            draft: row.get(17)?,
            comments: row.get(18)?,
        },
    })
}

/// Stores a new space.
///
/// # Errors
/// When the store fails.
pub fn create(tx: &Tx<'_>, space: &Space) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO spaces (id, organization, title, emoji, parent, language, edit_mode, \
         default_level, head, created_at, updated_at, icon, merge_rules, template) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        &[
            space.id.into(),
            space.organization.into(),
            space.title.as_str().into(),
            space.emoji.as_str().into(),
            space.parent.into(),
            space.language.as_deref().into(),
            if space.locked { "locked" } else { "live" }.into(),
            space.default_level.as_str().into(),
            space.head.into(),
            space.created_at.into(),
            space.updated_at.into(),
            space.icon.as_deref().into(),
            space.merge_rules.as_deref().into(),
            space.template.into(),
        ],
    )?;
    Ok(())
}

/// Changes what of a space is its own, not its content: title, emoji, picture, language, edit
/// mode, default level, merge rules, whether it is a template.
///
/// # Errors
/// When the store fails.
pub fn update(tx: &Tx<'_>, space: &Space) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE spaces SET title = $2, emoji = $3, language = $4, edit_mode = $5, \
         default_level = $6, icon = $7, merge_rules = $8, template = $9, updated_at = $10 \
         WHERE id = $1",
        &[
            space.id.into(),
            space.title.as_str().into(),
            space.emoji.as_str().into(),
            space.language.as_deref().into(),
            if space.locked { "locked" } else { "live" }.into(),
            space.default_level.as_str().into(),
            space.icon.as_deref().into(),
            space.merge_rules.as_deref().into(),
            space.template.into(),
            space.updated_at.into(),
        ],
    )?;
    Ok(())
}

/// Marks a space as deleted, or brings it back; `false` if it is so already.
///
/// # Errors
/// When the store fails.
pub fn set_deleted(
    tx: &Tx<'_>,
    space: SpaceId,
    deleted_at: Option<Timestamp>,
) -> Result<bool, StoreError> {
    let state = if deleted_at.is_some() { "IS NULL" } else { "IS NOT NULL" };
    let sql = format!("UPDATE spaces SET deleted_at = $2 WHERE id = $1 AND deleted_at {state}");
    Ok(tx.execute(&sql, &[space.into(), deleted_at.into()])? > 0)
}

/// Gives people on a space what they were granted on another one.
///
/// # Errors
/// When the store fails.
pub fn copy_grants(tx: &Tx<'_>, from: SpaceId, to: SpaceId) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO space_users (space, user_id, role) \
         SELECT $2, g.user_id, g.role FROM space_users g WHERE g.space = $1",
        &[from.into(), to.into()],
    )?;
    Ok(())
}

/// A space that was deleted before a time, if there is one.
///
/// # Errors
/// When the store fails.
pub fn deleted_before(tx: &Tx<'_>, time: Timestamp) -> Result<Option<Space>, StoreError> {
    tx.query_opt(
        concat!(
            "SELECT ",
            columns!(),
            " FROM spaces s WHERE s.deleted_at < $1 ORDER BY s.deleted_at LIMIT 1"
        ),
        &[time.into()],
        read,
    )
}

/// Removes a space with everything that is about it alone. Its objects are for the collector.
///
/// # Errors
/// When the store fails.
pub fn remove(tx: &Tx<'_>, space: SpaceId) -> Result<(), StoreError> {
    for sql in [
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
        "DELETE FROM change_requests WHERE space = $1",
        "DELETE FROM revision_commits WHERE space = $1",
        "DELETE FROM revisions WHERE space = $1",
        "DELETE FROM git_states WHERE space = $1",
        "DELETE FROM site_spaces WHERE space = $1",
        "DELETE FROM space_users WHERE space = $1",
        "DELETE FROM space_references WHERE source = $1 OR target = $1",
        "DELETE FROM spaces WHERE id = $1",
    ] {
        tx.execute(sql, &[space.into()])?;
    }
    Ok(())
}

/// Adds to what is counted of a space.
///
/// # Errors
/// When the store fails.
pub fn count(tx: &Tx<'_>, space: SpaceId, by: SpaceCounts) -> Result<(), StoreError> {
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

/// The next number of a change request in a space.
///
/// # Errors
/// When the store fails.
pub fn next_number(tx: &Tx<'_>, space: SpaceId) -> Result<i64, StoreError> {
    tx.query_one(
        "UPDATE spaces SET last_number = last_number + 1 WHERE id = $1 RETURNING last_number",
        &[space.into()],
        |row| row.get(0),
    )
}

/// The space with this id.
///
/// # Errors
/// When the store fails.
pub fn get(tx: &Tx<'_>, id: SpaceId) -> Result<Option<Space>, StoreError> {
    tx.query_opt(
        concat!("SELECT ", columns!(), " FROM spaces s WHERE s.id = $1"),
        &[id.into()],
        read,
    )
}

/// What was granted to a person on a space.
///
/// # Errors
/// When the store fails.
pub fn granted(tx: &Tx<'_>, space: SpaceId, user: UserId) -> Result<Option<Role>, StoreError> {
    let role = tx.query_opt(
        "SELECT g.role FROM space_users g WHERE g.space = $1 AND g.user_id = $2",
        &[space.into(), user.into()],
        |row| Ok(Role::parse(&row.get::<String>(0)?)),
    )?;
    Ok(role.flatten())
}

/// What was granted to a person on each of these spaces.
///
/// # Errors
/// When the store fails.
pub fn granted_on(
    tx: &Tx<'_>,
    user: UserId,
    ids: &[SpaceId],
) -> Result<HashMap<SpaceId, Role>, StoreError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut values = vec![Value::from(user)];
    let sql = format!(
        "SELECT g.space, g.role FROM space_users g WHERE g.user_id = $1 AND g.space IN ({})",
        placeholders(&mut values, ids)
    );
    let rows = tx.query(&sql, &values, |row| {
        Ok((row.get::<SpaceId>(0)?, Role::parse(&row.get::<String>(1)?)))
    })?;
    Ok(rows.into_iter().filter_map(|(space, role)| Some((space, role?))).collect())
}

/// Moves the head of a space if it is still where the caller saw it; `false` otherwise.
///
/// # Errors
/// When the store fails.
pub fn move_head(
    tx: &Tx<'_>,
    space: SpaceId,
    from: RevisionId,
    to: RevisionId,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let moved = tx.execute(
        "UPDATE spaces SET head = $1, updated_at = $2 \
         WHERE id = $3 AND head = $4 AND deleted_at IS NULL",
        &[to.into(), at.into(), space.into(), from.into()],
    )?;
    Ok(moved > 0)
}

/// Which spaces of an organization a person sees, as the policy would decide for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visible {
    /// All, deleted ones too: an administrator.
    All,
    /// Those that members see by default, and those with a grant.
    Defaults {
        /// Whether a default of `inherit` shows the space.
        inherited: bool,
    },
    /// Those with a grant only: a guest.
    Granted,
}

/// What a list of spaces is narrowed to.
#[derive(Clone, Copy, Debug)]
pub struct SpaceFilter<'a> {
    /// The organization.
    pub organization: OrganizationId,
    /// Who is asking.
    pub user: UserId,
    /// What the asker sees.
    pub visible: Visible,
    /// The only spaces that the asker's token reaches; `None`: no limit.
    pub within: Option<&'a [SpaceId]>,
}

impl SpaceFilter<'_> {
    /// What a row `s` of `spaces` must fulfil.
    pub(crate) fn conditions(&self, values: &mut Vec<Value<'static>>) -> Vec<String> {
        let mut bind = |value: Value<'static>| {
            values.push(value);
            format!("${}", values.len())
        };
        let mut conditions = vec![format!("s.organization = {}", bind(self.organization.into()))];
        let default = match self.visible {
            Visible::All => None,
            Visible::Defaults { inherited: true } => Some("s.default_level IS NOT NULL OR "),
            Visible::Defaults { inherited: false } => Some("s.default_level <> 'inherit' OR "),
            Visible::Granted => Some(""),
        };
        if let Some(default) = default {
            let user = bind(self.user.into());
            conditions.push(format!(
                "s.deleted_at IS NULL AND ({default}EXISTS \
                 (SELECT 1 FROM space_users g WHERE g.space = s.id AND g.user_id = {user}))"
            ));
        }
        if let Some(within) = self.within {
            conditions.push(format!("s.id IN ({})", placeholders(values, within)));
        }
        conditions
    }

    fn query(&self, select: &str) -> (String, Vec<Value<'static>>) {
        let mut values = Vec::new();
        let conditions = self.conditions(&mut values).join(" AND ");
        (format!("SELECT {select} FROM spaces s WHERE {conditions}"), values)
    }
}

/// The spaces of an organization that a person sees, oldest first, after the given place.
///
/// # Errors
/// When the store fails.
pub fn list_visible(
    tx: &Tx<'_>,
    filter: &SpaceFilter<'_>,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<Space>, StoreError> {
    let (mut sql, mut values) = filter.query(columns!());
    if let Some((time, id)) = after {
        values.extend([Value::from(time), Value::from(id.to_owned())]);
        let (time, id) = (values.len() - 1, values.len());
        sql.push_str(&format!(
            " AND (s.created_at > ${time} OR (s.created_at = ${time} AND s.id > ${id}))"
        ));
    }
    values.push(limit.into());
    sql.push_str(&format!(" ORDER BY s.created_at, s.id LIMIT ${}", values.len()));
    tx.query(&sql, &values, read)
}

/// The spaces of an organization that a person sees and that are marked as templates, by title.
///
/// # Errors
/// When the store fails.
pub fn list_templates(
    tx: &Tx<'_>,
    filter: &SpaceFilter<'_>,
    limit: u32,
) -> Result<Vec<Space>, StoreError> {
    let (mut sql, mut values) = filter.query(columns!());
    values.push(limit.into());
    sql.push_str(&format!(
        " AND s.template <> 0 AND s.deleted_at IS NULL ORDER BY s.title, s.id LIMIT ${}",
        values.len()
    ));
    tx.query(&sql, &values, read)
}

/// How many spaces of an organization a person sees.
///
/// # Errors
/// When the store fails.
pub fn count_visible(tx: &Tx<'_>, filter: &SpaceFilter<'_>) -> Result<i64, StoreError> {
    let (sql, values) = filter.query("COUNT(*)");
    tx.query_one(&sql, &values, |row| row.get(0))
}
