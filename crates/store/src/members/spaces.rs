//! Counts the spaces that members can access, for a page of members at once.

use std::collections::HashMap;

use bindery_model::{OrganizationId, Role, UserId};

use super::MemberRow;
use crate::record::FromRow;
use crate::value::placeholders;
use crate::{StoreError, Tx, Value};

/// Sets `spaces` of each member to the number of spaces that they can access. Administrators can
/// access all spaces, other members those with a default level or a grant, and guests those with a
/// grant.
pub(super) fn count_spaces<'a>(
    tx: &Tx<'_>,
    organization: OrganizationId,
    members: impl Iterator<Item = &'a mut MemberRow>,
) -> Result<(), StoreError> {
    let members: Vec<&mut MemberRow> = members.filter(|row| !row.member.disabled).collect();
    if members.is_empty() {
        return Ok(());
    }
    let (all, by_default) = tx.query_one(
        "SELECT COUNT(*), COUNT(CASE WHEN s.effective_level IS NOT NULL \
         AND s.deleted_at IS NULL THEN 1 END) FROM spaces s WHERE s.organization = $1",
        &[organization.into()],
        <(i64, i64)>::from_row,
    )?;
    let others = members.iter().filter(|row| row.member.role != Some(Role::Admin));
    let others: Vec<UserId> = others.map(|row| row.user).collect();
    let granted = granted(tx, organization, &others)?;
    for row in members {
        let (whole, hidden) = granted.get(&row.user).copied().unwrap_or_default();
        row.spaces = match row.member.role {
            Some(Role::Admin) => all,
            Some(_) => by_default + hidden,
            None => whole,
        };
    }
    Ok(())
}

/// Returns, for each of these users, the number of spaces with a grant, directly or through an
/// ancestor, and the number of those without a default level.
fn granted(
    tx: &Tx<'_>,
    organization: OrganizationId,
    users: &[UserId],
) -> Result<HashMap<UserId, (i64, i64)>, StoreError> {
    if users.is_empty() {
        return Ok(HashMap::new());
    }
    let mut values = vec![Value::from(organization)];
    let users = placeholders(&mut values, users);
    // CROSS JOIN fixes the order of the joins, as in `spaces::granted`.
    let sql = format!(
        "WITH RECURSIVE held (user_id, id) AS ( \
           SELECT g.user_id, g.collection FROM collection_users g WHERE g.user_id IN ({users}) \
           UNION SELECT m.user_id, g.collection FROM team_members m \
             CROSS JOIN collection_teams g WHERE m.user_id IN ({users}) AND g.team = m.team \
           UNION SELECT h.user_id, c.id FROM held h CROSS JOIN collections c \
             WHERE c.parent = h.id), \
         granted (user_id, id) AS ( \
           SELECT g.user_id, g.space FROM space_users g WHERE g.user_id IN ({users}) \
           UNION SELECT m.user_id, g.space FROM team_members m \
             CROSS JOIN space_teams g WHERE m.user_id IN ({users}) AND g.team = m.team \
           UNION SELECT h.user_id, i.id FROM held h CROSS JOIN spaces i WHERE i.parent = h.id) \
         SELECT r.user_id, COUNT(*), \
           COUNT(CASE WHEN s.effective_level IS NULL THEN 1 END) \
         FROM granted r CROSS JOIN spaces s \
         WHERE s.id = r.id AND s.organization = $1 AND s.deleted_at IS NULL GROUP BY r.user_id"
    );
    let rows = tx.query(&sql, &values, FromRow::from_row)?;
    Ok(rows.into_iter().collect())
}
