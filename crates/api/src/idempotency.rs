//! `Idempotency-Key`: a write that is repeated is answered again and not done again.

use bindery_app::Cx;
use bindery_model::{Error, Result};
use bindery_revision::Hash;
use bindery_store::{IdempotencyKey, StoredAnswer};
use bytes::Bytes;
use http::header::HeaderMap;

use crate::call::Call;
use crate::reply::Reply;

/// The header, and the most characters of a key.
const HEADER: &str = "idempotency-key";
const LONGEST: usize = 255;

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

/// Runs a write once for its key: in the transaction that does it, its answer is kept.
///
/// # Errors
/// 422 when the key came before with another request; the errors of the write.
pub(crate) fn once(
    cx: &Cx<'_>,
    call: &Call,
    key: &str,
    write: impl FnOnce() -> Result<Reply>,
) -> Result<Reply> {
    let Some(key) = key_of(cx, call, key) else { return write() };
    let request = fingerprint(call);
    if let Some(reply) = kept(cx, &key, &request)? {
        return Ok(reply);
    }
    let reply = write()?;
    cx.tx.store_answer(&key, &keep(cx, request, &reply)?)?;
    Ok(reply)
}

/// The answer that a request with this key was given before.
///
/// # Errors
/// 422 when the key came before with another request.
pub(crate) fn answered(cx: &Cx<'_>, call: &Call, key: &str) -> Result<Option<Reply>> {
    let Some(key) = key_of(cx, call, key) else { return Ok(None) };
    kept(cx, &key, &fingerprint(call))
}

fn key_of(cx: &Cx<'_>, call: &Call, key: &str) -> Option<IdempotencyKey> {
    Some(IdempotencyKey {
        caller: cx.user()?.to_string(),
        operation: call.operation.id.clone(),
        key: key.to_owned(),
    })
}

fn kept(cx: &Cx<'_>, key: &IdempotencyKey, request: &Hash) -> Result<Option<Reply>> {
    let Some(answer) = cx.tx.stored_answer(key)? else { return Ok(None) };
    if answer.request != *request {
        return Err(Error::key_reused(
            "header \"Idempotency-Key\": this key came before with another request",
        ));
    }
    restore(cx, answer).map(Some)
}

fn fingerprint(call: &Call) -> Hash {
    let body = call.body.as_ref().map(ToString::to_string).unwrap_or_default();
    Hash::of(format!("{}\u{1f}{}", call.list_key, body).as_bytes())
}

/// An answer may hold a secret that is shown once: it is kept sealed.
fn keep(cx: &Cx<'_>, request: Hash, reply: &Reply) -> Result<StoredAnswer> {
    let header = |name: &str, value: &Option<String>| {
        value.as_ref().map(|value| (name.to_owned(), value.clone()))
    };
    let headers = [header("location", &reply.location), header("version", &reply.version)];
    let body = match &reply.body {
        None => String::new(),
        Some(bytes) => cx.app.secrets.seal(&cx.app.entropy, &String::from_utf8_lossy(bytes))?,
    };
    Ok(StoredAnswer {
        request,
        status: reply.status,
        headers: headers.into_iter().flatten().collect(),
        body: body.into_bytes(),
    })
}

fn restore(cx: &Cx<'_>, answer: StoredAnswer) -> Result<Reply> {
    let StoredAnswer { request: _, status, headers, body } = answer;
    let header = |name: &str| {
        headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
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
    Ok(Reply { location: header("location"), version: header("version"), ..reply })
}
