//! Collections: what spaces are gathered in, and the order of what stands in one place.

use std::collections::HashMap;

use bindery_model::{CollectionId, Level, OrganizationId, SpaceId, Timestamp};

use crate::value::placeholders;
use crate::{Row, StoreError, Tx, Value};

/// A collection as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collection {
    /// Its id.
    pub id: CollectionId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// The collection it is in.
    pub parent: Option<CollectionId>,
    /// Its title.
    pub title: String,
    /// What it is for; may be empty.
    pub description: String,
    /// What members may do who have no grant of their own.
    pub default_level: Level,
    /// The nearest default from here upwards that is not to inherit.
    pub effective_level: Level,
    /// Its place among what is in the same collection.
    pub position: String,
    /// When it was made.
    pub created_at: Timestamp,
}

macro_rules! columns {
    () => {
        "c.id, c.organization, c.parent, c.title, c.description, c.default_level, \
         c.effective_level, c.position, c.created_at"
    };
}

fn read(row: &Row<'_>) -> Result<Collection, StoreError> {
    Ok(Collection {
        id: row.get(0)?,
        organization: row.get(1)?,
        parent: row.get(2)?,
        title: row.get(3)?,
        description: row.get(4)?,
        default_level: level(row, 5)?,
        effective_level: level(row, 6)?,
        position: row.get(7)?,
        created_at: row.get(8)?,
    })
}

pub(crate) fn level(row: &Row<'_>, column: usize) -> Result<Level, StoreError> {
    Ok(Level::parse(row.get::<Option<String>>(column)?.as_deref()).unwrap_or(Level::None))
}

/// Stores a new collection.
///
/// # Errors
/// When the store fails.
pub fn create(tx: &Tx<'_>, collection: &Collection) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO collections (id, organization, parent, title, description, default_level, \
         effective_level, position, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        &[
            collection.id.into(),
            collection.organization.into(),
            collection.parent.into(),
            collection.title.as_str().into(),
            collection.description.as_str().into(),
            collection.default_level.as_str().into(),
            collection.effective_level.as_str().into(),
            collection.position.as_str().into(),
            collection.created_at.into(),
        ],
    )?;
    Ok(())
}

/// Stores what a collection is from now on: whose, where, what it says, what it gives.
///
/// # Errors
/// When the store fails.
pub fn update(tx: &Tx<'_>, collection: &Collection) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE collections SET organization = $2, parent = $3, title = $4, description = $5, \
         default_level = $6, effective_level = $7, position = $8 WHERE id = $1",
        &[
            collection.id.into(),
            collection.organization.into(),
            collection.parent.into(),
            collection.title.as_str().into(),
            collection.description.as_str().into(),
            collection.default_level.as_str().into(),
            collection.effective_level.as_str().into(),
            collection.position.as_str().into(),
        ],
    )?;
    Ok(())
}

/// Removes a collection that nothing is in, with what was granted on it.
///
/// # Errors
/// When the store fails.
pub fn delete(tx: &Tx<'_>, id: CollectionId) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM invite_links WHERE collection = $1",
        "DELETE FROM collection_users WHERE collection = $1",
        "DELETE FROM collection_teams WHERE collection = $1",
        "DELETE FROM collections WHERE id = $1",
    ] {
        tx.execute(sql, &[id.into()])?;
    }
    Ok(())
}

/// The collection with this id.
///
/// # Errors
/// When the store fails.
pub fn get(tx: &Tx<'_>, id: CollectionId) -> Result<Option<Collection>, StoreError> {
    tx.query_opt(
        concat!("SELECT ", columns!(), " FROM collections c WHERE c.id = $1"),
        &[id.into()],
        read,
    )
}

/// These collections and all that they are in.
///
/// # Errors
/// When the store fails.
pub fn with_ancestors(
    tx: &Tx<'_>,
    ids: &[CollectionId],
) -> Result<HashMap<CollectionId, Collection>, StoreError> {
    let mut found = HashMap::new();
    let mut wanted: Vec<CollectionId> = ids.to_vec();
    while !wanted.is_empty() {
        let mut values = Vec::new();
        let sql = format!(
            concat!("SELECT ", columns!(), " FROM collections c WHERE c.id IN ({})"),
            placeholders(&mut values, &wanted)
        );
        let rows = tx.query(&sql, &values, read)?;
        wanted.clear();
        for row in rows {
            let above = row.parent.filter(|above| !found.contains_key(above));
            wanted.extend(above.filter(|above| *above != row.id));
            found.insert(row.id, row);
        }
        wanted.retain(|id| !found.contains_key(id));
        wanted.sort_unstable();
        wanted.dedup();
    }
    Ok(found)
}

/// The collections that are directly in one.
///
/// # Errors
/// When the store fails.
pub fn children(tx: &Tx<'_>, parent: CollectionId) -> Result<Vec<Collection>, StoreError> {
    tx.query(
        concat!("SELECT ", columns!(), " FROM collections c WHERE c.parent = $1 ORDER BY c.id"),
        &[parent.into()],
        read,
    )
}

/// The ids of the spaces that are directly in a collection, deleted ones too.
///
/// # Errors
/// When the store fails.
pub fn spaces_of(tx: &Tx<'_>, parent: CollectionId) -> Result<Vec<SpaceId>, StoreError> {
    tx.query(
        "SELECT s.id FROM spaces s WHERE s.parent = $1 ORDER BY s.id",
        &[parent.into()],
        |row| row.get(0),
    )
}

/// Gives the spaces and the collections that are directly in a collection, and inherit, another
/// level.
///
/// # Errors
/// When the store fails.
pub fn set_effective_levels(
    tx: &Tx<'_>,
    parent: CollectionId,
    effective: Level,
) -> Result<(), StoreError> {
    for sql in [
        "UPDATE spaces SET effective_level = $2 WHERE parent = $1 AND default_level = 'inherit'",
        "UPDATE collections SET effective_level = $2 \
         WHERE parent = $1 AND default_level = 'inherit'",
    ] {
        tx.execute(sql, &[parent.into(), effective.as_str().into()])?;
    }
    Ok(())
}

/// Which collections of an organization somebody sees.
#[derive(Clone, Copy, Debug)]
pub struct CollectionFilter {
    /// The organization.
    pub organization: OrganizationId,
    /// Those that are in no other only.
    pub outermost: bool,
    /// Who sees them, with what they see by default; `None`: everybody sees all.
    pub seen_by: Option<super::spaces::Sight>,
}

impl CollectionFilter {
    fn query(&self, select: &str) -> (String, Vec<Value<'static>>) {
        let mut values = vec![Value::from(self.organization)];
        let mut sql = format!("SELECT {select} FROM collections c WHERE c.organization = $1");
        if self.outermost {
            sql.push_str(" AND c.parent IS NULL");
        }
        if let Some(sight) = self.seen_by {
            values.push(sight.user.into());
            let default = if sight.defaults { "c.effective_level IS NOT NULL OR " } else { "" };
            sql.push_str(&format!(" AND ({default}c.id IN ({}))", granted(values.len())));
        }
        (sql, values)
    }
}

/// Selects the collections on which the user `${user}` was granted something, there or above.
fn granted(user: usize) -> String {
    format!("WITH RECURSIVE {} SELECT h.id FROM held h", held(user))
}

/// `held (id)`: the collections on which the user `${user}` was granted something, there or above.
pub(crate) fn held(user: usize) -> String {
    format!(
        "held (id) AS (\
         SELECT g.collection FROM collection_users g WHERE g.user_id = ${user} \
         UNION SELECT g.collection FROM team_members m CROSS JOIN collection_teams g \
         WHERE m.user_id = ${user} AND g.team = m.team \
         UNION SELECT c.id FROM held h CROSS JOIN collections c WHERE c.parent = h.id)"
    )
}

/// The collections that somebody sees, oldest first, after the given place.
///
/// # Errors
/// When the store fails.
pub fn list(
    tx: &Tx<'_>,
    filter: &CollectionFilter,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<Collection>, StoreError> {
    let (mut sql, mut values) = filter.query(columns!());
    if let Some((time, id)) = after {
        values.extend([Value::from(time), Value::from(id.to_owned())]);
        let (time, id) = (values.len() - 1, values.len());
        sql.push_str(&format!(
            " AND (c.created_at > ${time} OR (c.created_at = ${time} AND c.id > ${id}))"
        ));
    }
    values.push(limit.into());
    sql.push_str(&format!(" ORDER BY c.created_at, c.id LIMIT ${}", values.len()));
    tx.query(&sql, &values, read)
}

/// How many collections somebody sees.
///
/// # Errors
/// When the store fails.
pub fn count(tx: &Tx<'_>, filter: &CollectionFilter) -> Result<i64, StoreError> {
    let (sql, values) = filter.query("COUNT(*)");
    tx.query_one(&sql, &values, |row| row.get(0))
}
