//! The manual order of spaces and collections within a collection or at the top level of an
//! organization.

use bindery_model::{CollectionId, OrganizationId, SpaceId};

use crate::record::FromRow;
use crate::{StoreError, Tx, Value};

/// An item in an ordered list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Item {
    /// A space.
    Space(SpaceId),
    /// A collection.
    Collection(CollectionId),
}

/// The container of an ordered list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Container {
    /// The organization.
    pub organization: OrganizationId,
    /// The collection; `None` for the top level.
    pub parent: Option<CollectionId>,
}

impl Container {
    /// Returns the SQL condition for a row `t` in this container.
    fn condition(self, values: &mut Vec<Value<'static>>) -> String {
        values.push(self.organization.into());
        let organization = values.len();
        match self.parent {
            Some(parent) => {
                values.push(parent.into());
                format!("t.parent = ${} AND t.organization = ${organization}", values.len())
            }
            None => format!("t.parent IS NULL AND t.organization = ${organization}"),
        }
    }
}

/// Returns an item's container and its position there. The position is empty if none is set.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, item: Item) -> Result<Option<(Container, String)>, StoreError> {
    let (table, id): (_, Value<'_>) = match item {
        Item::Space(id) => ("spaces", id.into()),
        Item::Collection(id) => ("collections", id.into()),
    };
    let sql = format!("SELECT t.organization, t.parent, t.position FROM {table} t WHERE t.id = $1");
    tx.query_opt(&sql, &[id], |row| {
        let (organization, parent, position) = FromRow::from_row(row)?;
        Ok((Container { organization, parent }, position))
    })
}

/// Returns the position next to `position` on the given side, or `None` if there is none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn neighbour(
    tx: &Tx<'_>,
    container: Container,
    position: &str,
    side: Side,
) -> Result<Option<String>, StoreError> {
    let mut values = vec![Value::from(position.to_owned())];
    let condition = container.condition(&mut values);
    let (function, sign) = match side {
        Side::Before => ("MAX", "<"),
        Side::After => ("MIN", ">"),
    };
    let one = |table: &str| {
        format!(
            "SELECT {function}(t.position) AS position FROM {table} t \
             WHERE {condition} AND t.position {sign} $1"
        )
    };
    let sql = format!(
        "SELECT {function}(b.position) FROM ({} UNION ALL {}) b",
        one("spaces"),
        one("collections")
    );
    tx.query_one(&sql, &values, FromRow::from_row)
}

/// A direction in the order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Towards the start.
    Before,
    /// Towards the end.
    After,
}

/// Returns the last position in a container, or `None` if no item has one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn last(tx: &Tx<'_>, container: Container) -> Result<Option<String>, StoreError> {
    let mut values = Vec::new();
    let condition = container.condition(&mut values);
    let sql = format!(
        "SELECT MAX(b.position) FROM (\
         SELECT MAX(t.position) AS position FROM spaces t WHERE {condition} UNION ALL \
         SELECT MAX(t.position) AS position FROM collections t WHERE {condition}) b"
    );
    let last: Option<String> = tx.query_one(&sql, &values, FromRow::from_row)?;
    Ok(last.filter(|last| !last.is_empty()))
}

/// Returns the spaces without a position in a container, oldest first. They come from schemas
/// without positions.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_unpositioned(tx: &Tx<'_>, container: Container) -> Result<Vec<SpaceId>, StoreError> {
    let mut values = Vec::new();
    let condition = container.condition(&mut values);
    let sql = format!(
        "SELECT t.id FROM spaces t WHERE {condition} AND t.position = '' \
         ORDER BY t.created_at, t.id"
    );
    tx.query(&sql, &values, FromRow::from_row)
}

/// Returns the first position in a container, or `None` if no item has one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn first(tx: &Tx<'_>, container: Container) -> Result<Option<String>, StoreError> {
    neighbour(tx, container, "", Side::After)
}

/// Sets an item's position.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_position(tx: &Tx<'_>, item: Item, position: &str) -> Result<(), StoreError> {
    let (table, id): (_, Value<'_>) = match item {
        Item::Space(id) => ("spaces", id.into()),
        Item::Collection(id) => ("collections", id.into()),
    };
    let sql = format!("UPDATE {table} SET position = $2 WHERE id = $1");
    tx.execute(&sql, &[id, position.into()])?;
    Ok(())
}
