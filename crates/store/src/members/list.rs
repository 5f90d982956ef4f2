//! Lists of members with filters and sort orders. Paging through a list stays complete while
//! members change.

use bindery_model::{OrganizationId, Role, Timestamp};

use super::spaces::count_spaces;
use super::{COLUMNS, MemberRow};
use crate::record::FromRow;
use crate::sites::like_containing;
use crate::{StoreError, Tx, Value};

/// Selects the members in a list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MemberFilter {
    /// Members with this role; `Some(None)` selects guests.
    pub role: Option<Option<Role>>,
    /// Members whose name or email address contains this text, ignoring case.
    pub search: Option<String>,
}

/// The sort key of a list of members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemberSort {
    /// The time at which they became members.
    JoinedAt,
    /// The time of their last activity as of the given time. Members without activity by then are
    /// omitted, and later activity does not change the order.
    LastSeenAt(Timestamp),
}

/// The order of a list of members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemberOrder {
    /// The sort key.
    pub sort: MemberSort,
    /// `true` sorts the latest time first.
    pub descending: bool,
}

struct Query {
    conditions: String,
    values: Vec<Value<'static>>,
}

impl Query {
    fn of(organization: OrganizationId, filter: &MemberFilter) -> Self {
        let mut query = Self {
            conditions: "m.organization = $1".to_owned(),
            values: vec![organization.into()],
        };
        match filter.role {
            None => {}
            Some(None) => query.conditions.push_str(" AND m.role IS NULL"),
            Some(Some(role)) => {
                let role = query.bind(role);
                query.conditions.push_str(&format!(" AND m.role = {role}"));
            }
        }
        if let Some(search) = &filter.search {
            let like = query.bind(like_containing(&search.to_lowercase()));
            query.conditions.push_str(&format!(
                " AND EXISTS (SELECT 1 FROM users u WHERE u.id = m.user_id \
                 AND (u.display_name_folded LIKE {like} ESCAPE '\\' \
                  OR u.email_folded LIKE {like} ESCAPE '\\'))"
            ));
        }
        query
    }

    fn bind(&mut self, value: impl Into<Value<'static>>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }
}

/// Returns the members of an organization with their sort times, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    organization: OrganizationId,
    filter: &MemberFilter,
    order: MemberOrder,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<(Timestamp, MemberRow)>, StoreError> {
    let mut query = Query::of(organization, filter);
    let (beyond, direction) = if order.descending { ("<", "DESC") } else { (">", "ASC") };
    let after = after.map(|(time, user)| (query.bind(time), query.bind(user.to_owned())));
    let limit = query.bind(limit);
    let part = |column: &str, condition: &str| {
        let mut sql = format!(
            "SELECT {column} AS sorted, {COLUMNS} FROM members m WHERE {} AND {condition}",
            query.conditions
        );
        if let Some((time, user)) = &after {
            sql.push_str(&format!(" AND ({column}, m.user_id) {beyond} ({time}, {user})"));
        }
        sql.push_str(&format!(" ORDER BY {column} {direction}, m.user_id {direction}"));
        sql.push_str(&format!(" LIMIT {limit}"));
        sql
    };
    let sql = match order.sort {
        MemberSort::JoinedAt => part("m.joined_at", "m.joined_at IS NOT NULL"),
        MemberSort::LastSeenAt(as_of) => {
            query.values.push(as_of.into());
            let as_of = format!("${}", query.values.len());
            let still = part("m.last_seen_at", &format!("m.last_seen_at <= {as_of}"));
            let since = format!("m.last_seen_at > {as_of} AND m.seen_before_at <= {as_of}");
            let since = part("m.seen_before_at", &since);
            format!(
                "SELECT * FROM (SELECT * FROM ({still}) AS a UNION ALL SELECT * FROM ({since}) AS b) \
                 AS c ORDER BY sorted {direction}, user_id {direction} LIMIT {limit}"
            )
        }
    };
    let mut found: Vec<(Timestamp, MemberRow)> =
        tx.query(&sql, &query.values, FromRow::from_row)?;
    count_spaces(tx, organization, found.iter_mut().map(|(_, row)| row))?;
    Ok(found)
}

/// Returns the number of matching members that the list contains.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(
    tx: &Tx<'_>,
    organization: OrganizationId,
    filter: &MemberFilter,
    sort: MemberSort,
) -> Result<i64, StoreError> {
    let mut query = Query::of(organization, filter);
    if let MemberSort::LastSeenAt(as_of) = sort {
        let as_of = query.bind(as_of);
        query.conditions.push_str(&format!(
            " AND (m.last_seen_at <= {as_of} \
             OR (m.last_seen_at > {as_of} AND m.seen_before_at <= {as_of}))"
        ));
    }
    let sql = format!("SELECT COUNT(*) FROM members m WHERE {}", query.conditions);
    tx.query_one(&sql, &query.values, FromRow::from_row)
}
