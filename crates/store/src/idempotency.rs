//! Answers to writes that came with a key of the caller's, so that a repetition is answered and
//! not done again. They are kept in the transaction that did it.

use bindery_revision::Hash;

use crate::{StoreError, Tx, params};

/// How long an answer is kept: 24 hours.
const KEPT: i64 = 24 * 60 * 60 * 1000;

/// Whose key it is: one caller's, for one operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IdempotencyKey {
    /// The caller, as text that is theirs alone.
    pub caller: String,
    /// The operation's id.
    pub operation: String,
    /// What the caller sent.
    pub key: String,
}

/// An answer to give again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredAnswer {
    /// The hash of everything that told the request from others: its path, its query, its body.
    pub request: Hash,
    /// The status.
    pub status: u16,
    /// Names and values of headers that belong to the answer.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Tx<'_> {
    /// The answer that was given under this key, unless it is too old.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn stored_answer(&self, key: &IdempotencyKey) -> Result<Option<StoredAnswer>, StoreError> {
        self.query_opt(
            "SELECT body_hash, status, headers, body FROM idempotency
             WHERE caller = $1 AND operation = $2 AND key = $3 AND expires_at > $4",
            params![&key.caller, &key.operation, &key.key, self.now()],
            |row| {
                let headers = row.get::<String>(2)?;
                Ok(StoredAnswer {
                    request: row.get(0)?,
                    status: row.get(1)?,
                    headers: serde_json::from_str(&headers).map_err(damaged)?,
                    body: row.get(3)?,
                })
            },
        )
    }

    /// Keeps the answer that is about to be given. A concurrent transaction under the same key
    /// makes one of the two fail.
    ///
    /// # Errors
    /// [`StoreError::Unique`] when there is one already; what the engine says.
    pub fn store_answer(
        &self,
        key: &IdempotencyKey,
        answer: &StoredAnswer,
    ) -> Result<(), StoreError> {
        self.execute(
            "DELETE FROM idempotency
             WHERE caller = $1 AND operation = $2 AND key = $3 AND expires_at <= $4",
            params![&key.caller, &key.operation, &key.key, self.now()],
        )?;
        self.execute(
            "INSERT INTO idempotency
             (caller, operation, key, body_hash, status, headers, body, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            params![
                &key.caller,
                &key.operation,
                &key.key,
                &answer.request,
                answer.status,
                serde_json::to_string(&answer.headers).map_err(damaged)?,
                &answer.body,
                self.now().plus_millis(KEPT),
            ],
        )?;
        Ok(())
    }

    /// Forgets answers that are too old; how many.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn forget_answers(&self) -> Result<u64, StoreError> {
        self.execute("DELETE FROM idempotency WHERE expires_at <= $1", params![self.now()])
    }
}

fn damaged(error: serde_json::Error) -> StoreError {
    StoreError::Corrupt(format!("a stored answer: {error}"))
}
