//! Collections, which group spaces and other collections.

use std::collections::HashMap;

use bindery_model::{CollectionId, Level, OrganizationId, SpaceId, Timestamp};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::value::placeholders;
use crate::{StoreError, Tx, Value};

record! {
    /// A collection as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Collection in collections as c, insert {
        /// Its id.
        pub id: CollectionId,
        /// The organization that owns it.
        pub organization: OrganizationId,
        /// The collection that contains it.
        pub parent: Option<CollectionId>,
        /// Its title.
        pub title: String,
        /// A description; may be empty.
        pub description: String,
        /// The level of members without a grant of their own.
        pub default_level: Level,
        /// The nearest default level, from this collection upwards, that is not "inherit".
        pub effective_level: Level,
        /// Sort key among the siblings in the same collection.
        pub position: String,
        /// Time of creation.
        pub created_at: Timestamp,
    }
}

/// Inserts a new collection.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, collection: &Collection) -> Result<(), StoreError> {
    tx.execute(insert!(Collection), &collection.values())?;
    Ok(())
}

/// Updates a collection's organization, parent, texts, levels and position.
///
/// # Errors
/// Returns an error if the store fails.
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
            collection.default_level.into(),
            collection.effective_level.into(),
            collection.position.as_str().into(),
        ],
    )?;
    Ok(())
}

/// Deletes an empty collection together with the grants and invite links on it.
///
/// # Errors
/// Returns an error if the store fails.
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

/// Returns the collection with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, id: CollectionId) -> Result<Option<Collection>, StoreError> {
    tx.query_opt(sql!(Collection::SELECT, " WHERE c.id = $1"), &[id.into()], Collection::from_row)
}

/// Returns these collections and all their ancestors.
///
/// # Errors
/// Returns an error if the store fails.
pub fn with_ancestors(
    tx: &Tx<'_>,
    ids: &[CollectionId],
) -> Result<HashMap<CollectionId, Collection>, StoreError> {
    let mut found = HashMap::new();
    let mut wanted: Vec<CollectionId> = ids.to_vec();
    while !wanted.is_empty() {
        let mut values = Vec::new();
        let sql = format!(
            "{} WHERE c.id IN ({})",
            Collection::SELECT,
            placeholders(&mut values, &wanted)
        );
        let rows = tx.query(&sql, &values, Collection::from_row)?;
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

/// Returns the collections directly inside a collection.
///
/// # Errors
/// Returns an error if the store fails.
pub fn children(tx: &Tx<'_>, parent: CollectionId) -> Result<Vec<Collection>, StoreError> {
    tx.query(
        sql!(Collection::SELECT, " WHERE c.parent = $1 ORDER BY c.id"),
        &[parent.into()],
        Collection::from_row,
    )
}

/// Returns the ids of the spaces directly inside a collection, including deleted ones.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_space_ids(tx: &Tx<'_>, parent: CollectionId) -> Result<Vec<SpaceId>, StoreError> {
    tx.query(
        "SELECT s.id FROM spaces s WHERE s.parent = $1 ORDER BY s.id",
        &[parent.into()],
        FromRow::from_row,
    )
}

/// Sets the effective level of the spaces and collections directly inside a collection that inherit
/// their level.
///
/// # Errors
/// Returns an error if the store fails.
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

/// Selects the collections in a list.
#[derive(Clone, Copy, Debug)]
pub struct CollectionFilter {
    /// The organization.
    pub organization: OrganizationId,
    /// `true` selects only collections without a parent.
    pub outermost: bool,
    /// The user whose access limits the list; `None` selects all collections.
    pub viewer: Option<super::spaces::SpaceViewer>,
}

impl CollectionFilter {
    fn query(&self, select: &str) -> (String, Vec<Value<'static>>) {
        let mut values = vec![Value::from(self.organization)];
        let mut sql = format!("SELECT {select} FROM collections c WHERE c.organization = $1");
        if self.outermost {
            sql.push_str(" AND c.parent IS NULL");
        }
        if let Some(viewer) = self.viewer {
            values.push(viewer.user.into());
            let default = if viewer.defaults { "c.effective_level IS NOT NULL OR " } else { "" };
            sql.push_str(&format!(" AND ({default}c.id IN ({}))", granted_query(values.len())));
        }
        (sql, values)
    }
}

/// Returns a query for the collections on which the user `${user}` has a grant, directly or through
/// an ancestor.
fn granted_query(user: usize) -> String {
    format!("WITH RECURSIVE {} SELECT h.id FROM held h", held_cte(user))
}

/// Returns the common table expression `held (id)`: the collections on which the user `${user}` has
/// a grant, directly or through an ancestor.
pub(crate) fn held_cte(user: usize) -> String {
    format!(
        "held (id) AS (\
         SELECT g.collection FROM collection_users g WHERE g.user_id = ${user} \
         UNION SELECT g.collection FROM team_members m CROSS JOIN collection_teams g \
         WHERE m.user_id = ${user} AND g.team = m.team \
         UNION SELECT c.id FROM held h CROSS JOIN collections c WHERE c.parent = h.id)"
    )
}

/// Returns the matching collections, oldest first, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    filter: &CollectionFilter,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<Collection>, StoreError> {
    let (mut sql, mut values) = filter.query(Collection::COLUMNS);
    if let Some((time, id)) = after {
        values.extend([Value::from(time), Value::from(id.to_owned())]);
        let (time, id) = (values.len() - 1, values.len());
        sql.push_str(&format!(
            " AND (c.created_at > ${time} OR (c.created_at = ${time} AND c.id > ${id}))"
        ));
    }
    values.push(limit.into());
    sql.push_str(&format!(" ORDER BY c.created_at, c.id LIMIT ${}", values.len()));
    tx.query(&sql, &values, Collection::from_row)
}

/// Returns the number of matching collections.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, filter: &CollectionFilter) -> Result<i64, StoreError> {
    let (sql, values) = filter.query("COUNT(*)");
    tx.query_one(&sql, &values, FromRow::from_row)
}
