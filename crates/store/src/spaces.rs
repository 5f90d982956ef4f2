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
    /// The revision that is its main content.
    pub head: RevisionId,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it or its content was last changed.
    pub updated_at: Timestamp,
    /// When it was deleted.
    pub deleted_at: Option<Timestamp>,
}

macro_rules! columns {
    () => {
        "s.id, s.organization, s.title, s.emoji, s.parent, s.language, s.edit_mode, \
         s.default_level, s.head, s.created_at, s.updated_at, s.deleted_at"
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
    })
}

/// Stores a new space.
///
/// # Errors
/// When the store fails.
pub fn create(tx: &Tx<'_>, space: &Space) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO spaces (id, organization, title, emoji, parent, language, edit_mode, \
         default_level, head, created_at, updated_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
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
        ],
    )?;
    Ok(())
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

struct Query {
    sql: String,
    values: Vec<Value<'static>>,
}

impl Query {
    fn bind(&mut self, value: impl Into<Value<'static>>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    fn of(select: &str, filter: &SpaceFilter<'_>) -> Self {
        let mut query = Self { sql: format!("{select} FROM spaces s"), values: Vec::new() };
        let organization = query.bind(filter.organization);
        query.sql.push_str(&format!(" WHERE s.organization = {organization}"));
        let default = match filter.visible {
            Visible::All => None,
            Visible::Defaults { inherited: true } => Some("s.default_level IS NOT NULL OR "),
            Visible::Defaults { inherited: false } => Some("s.default_level <> 'inherit' OR "),
            Visible::Granted => Some(""),
        };
        if let Some(default) = default {
            let user = query.bind(filter.user);
            query.sql.push_str(&format!(
                " AND s.deleted_at IS NULL AND ({default}EXISTS \
                 (SELECT 1 FROM space_users g WHERE g.space = s.id AND g.user_id = {user}))"
            ));
        }
        if let Some(within) = filter.within {
            let ids = placeholders(&mut query.values, within);
            query.sql.push_str(&format!(" AND s.id IN ({ids})"));
        }
        query
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
    let mut query = Query::of(concat!("SELECT ", columns!()), filter);
    if let Some((time, id)) = after {
        let (time, id) = (query.bind(time), query.bind(id.to_owned()));
        query.sql.push_str(&format!(
            " AND (s.created_at > {time} OR (s.created_at = {time} AND s.id > {id}))"
        ));
    }
    let limit = query.bind(limit);
    query.sql.push_str(&format!(" ORDER BY s.created_at, s.id LIMIT {limit}"));
    tx.query(&query.sql, &query.values, read)
}

/// How many spaces of an organization a person sees.
///
/// # Errors
/// When the store fails.
pub fn count_visible(tx: &Tx<'_>, filter: &SpaceFilter<'_>) -> Result<i64, StoreError> {
    let query = Query::of("SELECT COUNT(*)", filter);
    tx.query_one(&query.sql, &query.values, |row| row.get(0))
}
