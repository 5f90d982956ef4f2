//! Reactions to comments and replies.

use std::collections::HashMap;

use bindery_model::{Id, Timestamp, UserId};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::value::placeholders;
use crate::{StoreError, Tx, Value};

record! {
    /// A person's reaction to a comment or reply.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Reaction in comment_reactions as e, insert {
        /// The emoji's code.
        pub emoji: String,
        /// The person who reacted.
        pub user: UserId = user_id,
        /// Time of the reaction.
        pub at: Timestamp,
    }
}

/// Adds a reaction to a comment or reply. Returns `false` if it already exists.
///
/// # Errors
/// Returns an error if the store fails.
pub fn add_reaction(tx: &Tx<'_>, subject: Id, reaction: &Reaction) -> Result<bool, StoreError> {
    let mut values = reaction.values();
    values.push(subject.into());
    let added = tx.execute(
        sql!(insert!(Reaction, subject), " ON CONFLICT (subject, emoji, user_id) DO NOTHING"),
        &values,
    )?;
    Ok(added > 0)
}

/// Removes a reaction. Returns `false` if there was none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn remove_reaction(
    tx: &Tx<'_>,
    subject: Id,
    emoji: &str,
    user: UserId,
) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM comment_reactions WHERE subject = $1 AND emoji = $2 AND user_id = $3",
        &[subject.into(), emoji.into(), user.into()],
    )?;
    Ok(removed > 0)
}

/// Returns the number of one person's reactions to a comment or reply.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_reactions_by(tx: &Tx<'_>, subject: Id, user: UserId) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM comment_reactions e WHERE e.subject = $1 AND e.user_id = $2",
        &[subject.into(), user.into()],
        FromRow::from_row,
    )
}

/// Returns the reactions to each of these comments or replies, oldest first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn reactions(tx: &Tx<'_>, subjects: &[Id]) -> Result<HashMap<Id, Vec<Reaction>>, StoreError> {
    let mut reactions: HashMap<Id, Vec<Reaction>> = HashMap::new();
    if subjects.is_empty() {
        return Ok(reactions);
    }
    let mut values: Vec<Value<'static>> = Vec::new();
    let sql = format!(
        "SELECT e.subject, {} FROM comment_reactions e \
         WHERE e.subject IN ({}) ORDER BY e.at, e.user_id, e.emoji",
        Reaction::COLUMNS,
        placeholders(&mut values, subjects)
    );
    let rows = tx.query(&sql, &values, <(Id, Reaction)>::from_row)?;
    for (subject, reaction) in rows {
        reactions.entry(subject).or_default().push(reaction);
    }
    Ok(reactions)
}
