//! `Idempotency-Key`: a repeated write returns the stored answer and is not executed twice.

use bindery_app::Context;
use bindery_app::StoreError;
use bindery_app::access::Credential;
use bindery_model::{Error, Result};
use bindery_revision::Hash;
use bindery_store::{IdempotencyKey, StoredResponse};
use bytes::Bytes;
use http::header::HeaderMap;

use crate::call::Call;
use crate::reply::Reply;

/// The header that carries the key.
const HEADER: &str = "idempotency-key";
/// Maximum length of a key in characters.
const MAX_KEY_LENGTH: usize = 255;
/// Pseudo-header of a stored answer that contained a secret. Its value is a hint for the caller.
const SECRET_HINT: &str = "secret";

/// Returns the idempotency key of a request, if it has one.
///
/// # Errors
/// 400 if the key is empty, too long, or not visible ASCII.
pub(crate) fn key(headers: &HeaderMap) -> Result<Option<String>> {
    let Some(value) = headers.get(HEADER) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default();
    if text.is_empty() || text.len() > MAX_KEY_LENGTH {
        return Err(Error::invalid(format!(
            "header \"Idempotency-Key\": allowed: 1 to {MAX_KEY_LENGTH} visible ASCII characters"
        )));
    }
    Ok(Some(text.to_owned()))
}

/// The reason why the transaction of a write is rolled back.
pub(crate) enum RolledBack {
    /// The write was refused or failed.
    Failed(Error),
    /// The write was executed before: its stored answer is returned.
    Replayed(Box<Reply>),
}

impl From<Error> for RolledBack {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<StoreError> for RolledBack {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// Runs a write once per key and stores its answer in the same transaction.
///
/// A repeated write is executed and rolled back, to check that the caller is still allowed to do
/// it. The result is the stored answer, unless access is now denied.
///
/// # Errors
/// - 422 if the key was used with another request.
/// - 409 if the stored answer contained a secret.
/// - The errors of the write.
pub(crate) fn run_once(
    cx: &Context<'_>,
    call: &Call,
    key: &str,
    write: impl FnOnce() -> Result<Reply>,
) -> Result<Reply, RolledBack> {
    let Some(key) = scoped_key(cx, call, key) else { return Ok(write()?) };
    let request = fingerprint(call);
    let Some(stored) = find_stored(cx, &key, &request)? else {
        let reply = write()?;
        cx.tx.store_response(&key, &to_stored(cx, request, &reply)?)?;
        return Ok(reply);
    };
    if let Some(denial) = write().err().filter(Error::is_denial) {
        return Err(RolledBack::Failed(denial));
    }
    Err(RolledBack::Replayed(Box::new(from_stored(cx, stored)?)))
}

/// Returns the answer that was stored under this key. The caller must be authorized for the request
/// already.
///
/// # Errors
/// 422 if the key was used with another request.
pub(crate) fn stored_reply(cx: &Context<'_>, call: &Call, key: &str) -> Result<Option<Reply>> {
    let Some(key) = scoped_key(cx, call, key) else { return Ok(None) };
    find_stored(cx, &key, &fingerprint(call))?.map(|stored| from_stored(cx, stored)).transpose()
}

/// Scopes the key to the token or session of the request, as another credential of the same person
/// may have fewer rights.
fn scoped_key(cx: &Context<'_>, call: &Call, key: &str) -> Option<IdempotencyKey> {
    let caller = match cx.caller.person()?.credential {
        Credential::Token(token) => format!("token:{token}"),
        Credential::Session(session) => format!("session:{session}"),
    };
    Some(IdempotencyKey { caller, operation: call.operation.id.clone(), key: key.to_owned() })
}

fn find_stored(
    cx: &Context<'_>,
    key: &IdempotencyKey,
    request: &Hash,
) -> Result<Option<StoredResponse>> {
    let Some(answer) = cx.tx.stored_response(key)? else { return Ok(None) };
    if answer.request != *request {
        return Err(Error::key_reused(
            "header \"Idempotency-Key\": this key was used before with another request",
        ));
    }
    Ok(Some(answer))
}

fn fingerprint(call: &Call) -> Hash {
    let body = call.body.as_ref().map(ToString::to_string).unwrap_or_default();
    Hash::of(format!("{}\u{1f}{}", call.list_key(), body).as_bytes())
}

/// Builds the record of an answer with a sealed body. An answer that holds a secret is stored
/// without its body, only with the hint.
fn to_stored(cx: &Context<'_>, request: Hash, reply: &Reply) -> Result<StoredResponse> {
    let status = reply.status;
    if let Some(hint) = &reply.secret {
        let headers = vec![(SECRET_HINT.to_owned(), hint.clone())];
        return Ok(StoredResponse { request, status, headers, body: Vec::new() });
    }
    let header = |name: &str, value: &Option<String>| {
        value.as_ref().map(|value| (name.to_owned(), value.clone()))
    };
    let headers = [
        header("location", &reply.location),
        header("link", &reply.link),
        header("version", &reply.version),
    ];
    let body = match &reply.body {
        None => String::new(),
        Some(bytes) => cx.app.secrets.seal(&cx.app.entropy, &String::from_utf8_lossy(bytes))?,
    };
    let headers = headers.into_iter().flatten().collect();
    Ok(StoredResponse { request, status, headers, body: body.into_bytes() })
}

fn from_stored(cx: &Context<'_>, answer: StoredResponse) -> Result<Reply> {
    let StoredResponse { request: _, status, headers, body } = answer;
    let header = |name: &str| {
        headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    if let Some(hint) = header(SECRET_HINT) {
        return Err(Error::conflict(format!(
            "header \"Idempotency-Key\": this request was carried out before, and its answer held \
             a secret, which is shown once; {hint}"
        )));
    }
    let body = match String::from_utf8_lossy(&body).as_ref() {
        "" => None,
        sealed => Some(Bytes::from(
            cx.app
                .secrets
                .open(sealed)
                .ok_or_else(|| Error::internal("a stored answer was sealed with another key"))?,
        )),
    };
    let reply = Reply { body, ..Reply::empty(status) };
    let (location, link, version) = (header("location"), header("link"), header("version"));
    Ok(Reply { location, link, version, ..reply })
}
