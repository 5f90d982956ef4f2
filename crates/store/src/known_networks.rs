//! Networks from which people have signed in.

use bindery_model::{Timestamp, UserId};

use crate::record::FromRow;
use crate::{StoreError, Tx};

/// Maximum number of networks kept per person. The most recent ones are kept.
const MAX_NETWORKS: i64 = 20;

/// Records that a person signed in from a network. Deletes all records from before `since`, and
/// this person's oldest records beyond 20.
///
/// # Errors
/// Returns an error if the store fails.
pub fn remember(
    tx: &Tx<'_>,
    user: UserId,
    network: &[u8; 32],
    now: Timestamp,
    since: Timestamp,
) -> Result<(), StoreError> {
    tx.execute("DELETE FROM known_networks WHERE last_used_at < $1", &[since.into()])?;
    tx.execute(
        "INSERT INTO known_networks (user_id, network, last_used_at) VALUES ($1, $2, $3) \
         ON CONFLICT (user_id, network) DO UPDATE SET last_used_at = excluded.last_used_at",
        &[user.into(), network.as_slice().into(), now.into()],
    )?;
    tx.execute(
        "DELETE FROM known_networks WHERE user_id = $1 AND network NOT IN \
         (SELECT n.network FROM known_networks n WHERE n.user_id = $1 \
          ORDER BY n.last_used_at DESC, n.network LIMIT $2)",
        &[user.into(), MAX_NETWORKS.into()],
    )?;
    Ok(())
}

/// Returns `true` if a person has signed in from a network since `since`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn is_known(
    tx: &Tx<'_>,
    user: UserId,
    network: &[u8; 32],
    since: Timestamp,
) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM known_networks n \
               WHERE n.user_id = $1 AND n.network = $2 AND n.last_used_at >= $3";
    let values = [user.into(), network.as_slice().into(), since.into()];
    Ok(tx.query_opt(sql, &values, i64::from_row)?.is_some())
}
