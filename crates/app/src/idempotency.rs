//! Responses that are stored under idempotency keys, so that a repeated write returns the first
//! response and is not executed twice. Their bodies are sealed.

use bindery_model::{Error, Result};
use bindery_revision::Hash;
pub use bindery_store::IdempotencyKey;
use bindery_store::StoredResponse;
use bytes::Bytes;

use crate::Context;
use crate::access::Credential;

/// Name of the stored header that holds the hint for a response with a secret.
const SECRET_HINT: &str = "secret";

/// A response to a write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// Names and values of the headers.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Body,
}

/// The body of a response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Body {
    /// The response has no body.
    Empty,
    /// The text of the body.
    Text(Bytes),
    /// The body held a secret and is not stored. The text is a hint for the caller.
    Secret(String),
}

/// Limits a key to the credential of the request, as another credential of the same person may have
/// fewer rights. Returns `None` for callers who are not signed in.
pub fn key(cx: &Context<'_>, operation: &str, key: &str) -> Option<IdempotencyKey> {
    let caller = match cx.caller.person()?.credential {
        Credential::Token(token) => format!("token:{token}"),
        Credential::Session(session) => format!("session:{session}"),
    };
    Some(IdempotencyKey { caller, operation: operation.to_owned(), key: key.to_owned() })
}

/// Returns the response that is stored under a key. `request` is the hash of the request. The
/// caller must be authorized for the request before the response is shown.
///
/// # Errors
/// Returns 422 if the key was used with another request.
pub fn get(cx: &Context<'_>, key: &IdempotencyKey, request: &Hash) -> Result<Option<Response>> {
    let Some(stored) = cx.tx.stored_response(key)? else { return Ok(None) };
    let StoredResponse { request: first, status, mut headers, body } = stored;
    if first != *request {
        return Err(Error::key_reused(
            "header \"Idempotency-Key\": this key was used before with another request",
        ));
    }
    if let Some(at) = headers.iter().position(|(name, _)| name == SECRET_HINT) {
        let (_, hint) = headers.swap_remove(at);
        return Ok(Some(Response { status, headers, body: Body::Secret(hint) }));
    }
    let body = match String::from_utf8_lossy(&body).as_ref() {
        "" => Body::Empty,
        sealed => {
            let text = cx.app.secrets.open(sealed);
            let text =
                text.ok_or_else(|| Error::internal("a stored answer was sealed with another key"))?;
            Body::Text(Bytes::from(text))
        }
    };
    Ok(Some(Response { status, headers, body }))
}

/// Stores the response to the current request in its transaction. `request` is the hash of the
/// request.
///
/// # Errors
/// Returns an error if a response is stored under the key already.
pub fn put(
    cx: &Context<'_>,
    key: &IdempotencyKey,
    request: Hash,
    response: Response,
) -> Result<()> {
    let Response { status, mut headers, body } = response;
    let body = match body {
        Body::Empty => String::new(),
        Body::Text(bytes) => {
            cx.app.secrets.seal(&cx.app.entropy, &String::from_utf8_lossy(&bytes))?
        }
        Body::Secret(hint) => {
            headers.push((SECRET_HINT.to_owned(), hint));
            String::new()
        }
    };
    cx.tx.store_response(
        key,
        &StoredResponse { request, status, headers, body: body.into_bytes() },
    )?;
    Ok(())
}
