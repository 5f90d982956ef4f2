//! `Idempotency-Key`: a repeated write returns the stored answer and is not executed twice.

use bindery_app::idempotency::{self, Body, Response};
use bindery_app::{Context, StoreError};
use bindery_model::{Error, Result};
use bindery_revision::Hash;
use http::header::HeaderMap;

use crate::call::Call;
use crate::reply::Reply;

/// The header that carries the key.
const HEADER: &str = "idempotency-key";
/// Maximum length of a key in characters.
const MAX_KEY_LENGTH: usize = 255;

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
    let Some(key) = idempotency::key(cx, &call.operation.id, key) else { return Ok(write()?) };
    let request = fingerprint(call);
    let Some(stored) = idempotency::get(cx, &key, &request)? else {
        let reply = write()?;
        idempotency::put(cx, &key, request, to_stored(&reply))?;
        return Ok(reply);
    };
    if let Some(denial) = write().err().filter(Error::is_denial) {
        return Err(RolledBack::Failed(denial));
    }
    Err(RolledBack::Replayed(Box::new(from_stored(stored)?)))
}

/// Returns the answer that was stored under this key. The caller must be authorized for the request
/// already.
///
/// # Errors
/// 422 if the key was used with another request.
pub(crate) fn stored_reply(cx: &Context<'_>, call: &Call, key: &str) -> Result<Option<Reply>> {
    let Some(key) = idempotency::key(cx, &call.operation.id, key) else { return Ok(None) };
    idempotency::get(cx, &key, &fingerprint(call))?.map(from_stored).transpose()
}

fn fingerprint(call: &Call) -> Hash {
    let body = call.body.as_ref().map(ToString::to_string).unwrap_or_default();
    Hash::of(format!("{}\u{1f}{}", call.list_key(), body).as_bytes())
}

/// Returns the answer in the form in which it is stored. An answer that holds a secret is stored
/// without its body and headers, only with the hint.
fn to_stored(reply: &Reply) -> Response {
    let status = reply.status;
    if let Some(hint) = &reply.secret {
        return Response { status, headers: Vec::new(), body: Body::Secret(hint.clone()) };
    }
    let header = |name: &str, value: &Option<String>| {
        value.as_ref().map(|value| (name.to_owned(), value.clone()))
    };
    let headers = [
        header("location", &reply.location),
        header("link", &reply.link),
        header("version", &reply.version),
        reply.is_minimal.then(|| ("preference-applied".to_owned(), String::new())),
    ];
    let body = reply.body.clone().map_or(Body::Empty, Body::Text);
    Response { status, headers: headers.into_iter().flatten().collect(), body }
}

fn from_stored(answer: Response) -> Result<Reply> {
    let Response { status, headers, body } = answer;
    let header = |name: &str| {
        headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    let body = match body {
        Body::Empty => None,
        Body::Text(text) => Some(text),
        Body::Secret(hint) => {
            return Err(Error::conflict(format!(
                "header \"Idempotency-Key\": this request was carried out before, and its answer \
                 held a secret, which is shown once; {hint}"
            )));
        }
    };
    let reply = Reply { body, ..Reply::empty(status) };
    let (location, link, version) = (header("location"), header("link"), header("version"));
    let is_minimal = header("preference-applied").is_some();
    Ok(Reply { location, link, version, is_minimal, ..reply })
}
