//! Stored responses for idempotency keys, so that a repeated request gets the first response
//! instead of a second execution. The transaction that executes the request stores its response.

use bindery_revision::Hash;

use crate::record::FromRow;
use crate::{StoreError, Tx, params};

/// Time for which a response is kept, in milliseconds: 24 hours.
const RETENTION_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// The scope and value of an idempotency key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IdempotencyKey {
    /// A text that identifies the caller.
    pub caller: String,
    /// The operation's id.
    pub operation: String,
    /// The key that the caller sent.
    pub key: String,
}

/// A stored response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredResponse {
    /// Hash of the request: its path, its query and its body.
    pub request: Hash,
    /// The HTTP status.
    pub status: u16,
    /// Names and values of the response's headers.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Tx<'_> {
    /// Returns the response stored for this key, unless it has expired.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn stored_response(
        &self,
        key: &IdempotencyKey,
    ) -> Result<Option<StoredResponse>, StoreError> {
        self.query_opt(
            "SELECT body_hash, status, headers, body FROM idempotency
             WHERE caller = $1 AND operation = $2 AND key = $3 AND expires_at > $4",
            params![&key.caller, &key.operation, &key.key, self.now()],
            |row| {
                let (request, status, headers, body) = <(_, _, String, _)>::from_row(row)?;
                let headers = serde_json::from_str(&headers).map_err(corrupt)?;
                Ok(StoredResponse { request, status, headers, body })
            },
        )
    }

    /// Stores the response to the current request. Of two concurrent transactions with the same
    /// key, one fails.
    ///
    /// # Errors
    /// Returns [`StoreError::Unique`] if a response is stored already, or the error of the engine.
    pub fn store_response(
        &self,
        key: &IdempotencyKey,
        answer: &StoredResponse,
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
                serde_json::to_string(&answer.headers).map_err(corrupt)?,
                &answer.body,
                self.now().plus_millis(RETENTION_MILLIS),
            ],
        )?;
        Ok(())
    }

    /// Deletes expired responses and returns their number.
    ///
    /// # Errors
    /// Returns the error of the engine.
    pub fn delete_expired_responses(&self) -> Result<u64, StoreError> {
        self.execute("DELETE FROM idempotency WHERE expires_at <= $1", params![self.now()])
    }
}

fn corrupt(error: serde_json::Error) -> StoreError {
    StoreError::Corrupt(format!("a stored response: {error}"))
}
