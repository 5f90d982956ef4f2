//! `Idempotency-Key`: a write that is repeated is answered again and not done again.

use bindery_app::Cx;
use bindery_app::access::Credential;
use bindery_model::{Error, Result};
use bindery_revision::Hash;
use bindery_store::{IdempotencyKey, StoreError, StoredAnswer};
use bytes::Bytes;
use http::header::HeaderMap;

use crate::call::Call;
use crate::reply::Reply;

/// The header, and the most characters of a key.
const HEADER: &str = "idempotency-key";
const LONGEST: usize = 255;
/// Stands among the kept headers of an answer that held a secret, with a hint for the caller.
const SECRET: &str = "secret";

/// The key of a request, if it has one.
///
/// # Errors
/// When it is empty, too long, or not plain text.
pub(crate) fn key(headers: &HeaderMap) -> Result<Option<String>> {
    let Some(value) = headers.get(HEADER) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default();
    if text.is_empty() || text.len() > LONGEST {
        return Err(Error::invalid(format!(
            "header \"Idempotency-Key\": allowed are 1 to {LONGEST} visible ASCII characters"
        )));
    }
    Ok(Some(text.to_owned()))
}

/// Why the transaction of a write is undone.
pub(crate) enum Undone {
    /// The write was refused or failed.
    Failed(Error),
    /// The write was done before: its answer is given again.
    Repeated(Box<Reply>),
}

impl From<Error> for Undone {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<StoreError> for Undone {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// Runs a write once for its key: in the transaction that does it, its answer is kept.
///
/// A repeated write is run again and undone, to learn whether its caller may still do it. Its
/// answer is the kept one unless access is denied by now.
///
/// # Errors
/// 422 when the key came before with another request; 409 when the answer held a secret; the
/// errors of the write.
pub(crate) fn once(
    cx: &Cx<'_>,
    call: &Call,
    key: &str,
    write: impl FnOnce() -> Result<Reply>,
) -> Result<Reply, Undone> {
    let Some(key) = key_of(cx, call, key) else { return Ok(write()?) };
    let request = fingerprint(call);
    let Some(kept) = kept(cx, &key, &request)? else {
        let reply = write()?;
        cx.tx.store_answer(&key, &keep(cx, request, &reply)?)?;
        return Ok(reply);
    };
    if let Some(denial) = write().err().filter(Error::is_denial) {
        return Err(Undone::Failed(denial));
    }
    Err(Undone::Repeated(Box::new(restore(cx, kept)?)))
}

/// The answer that a request with this key was given before, for a caller who is known to be
/// allowed to do what it asks for.
///
/// # Errors
/// 422 when the key came before with another request.
pub(crate) fn answered(cx: &Cx<'_>, call: &Call, key: &str) -> Result<Option<Reply>> {
    let Some(key) = key_of(cx, call, key) else { return Ok(None) };
    kept(cx, &key, &fingerprint(call))?.map(|kept| restore(cx, kept)).transpose()
}

/// A key belongs to the token or the session that it came with: another credential of the same
/// person may be allowed less.
fn key_of(cx: &Cx<'_>, call: &Call, key: &str) -> Option<IdempotencyKey> {
    let caller = match cx.caller.person()?.credential {
        Credential::Token(token) => format!("token:{token}"),
        Credential::Session(session) => format!("session:{session}"),
    };
    Some(IdempotencyKey { caller, operation: call.operation.id.clone(), key: key.to_owned() })
}

fn kept(cx: &Cx<'_>, key: &IdempotencyKey, request: &Hash) -> Result<Option<StoredAnswer>> {
    let Some(answer) = cx.tx.stored_answer(key)? else { return Ok(None) };
    if answer.request != *request {
        return Err(Error::key_reused(
            "header \"Idempotency-Key\": this key came before with another request",
        ));
    }
    Ok(Some(answer))
}

fn fingerprint(call: &Call) -> Hash {
    let body = call.body.as_ref().map(ToString::to_string).unwrap_or_default();
    Hash::of(format!("{}\u{1f}{}", call.list_key, body).as_bytes())
}

/// Keeps an answer sealed. One that holds a secret is not kept: only that it was given is.
fn keep(cx: &Cx<'_>, request: Hash, reply: &Reply) -> Result<StoredAnswer> {
    let status = reply.status;
    if let Some(hint) = &reply.secret {
        let headers = vec![(SECRET.to_owned(), hint.clone())];
        return Ok(StoredAnswer { request, status, headers, body: Vec::new() });
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
    Ok(StoredAnswer { request, status, headers, body: body.into_bytes() })
}

fn restore(cx: &Cx<'_>, answer: StoredAnswer) -> Result<Reply> {
    let StoredAnswer { request: _, status, headers, body } = answer;
    let header = |name: &str| {
        headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    if let Some(hint) = header(SECRET) {
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
                .ok_or_else(|| Error::internal("a kept answer was sealed with another key"))?,
        )),
    };
    let reply = Reply { body, ..Reply::empty(status) };
    let (location, link, version) = (header("location"), header("link"), header("version"));
    Ok(Reply { location, link, version, ..reply })
}
