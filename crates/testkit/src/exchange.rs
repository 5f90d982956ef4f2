//! Validation of an exchange against the contract.

use crate::Answer;
use bindery_contract::{ContractError, Operation};
use http::HeaderMap;
use serde_json::Value;

/// A request in decoded form.
pub(crate) struct SentRequest<'a> {
    pub(crate) path: &'a [(String, String)],
    pub(crate) query: &'a [(String, String)],
    pub(crate) headers: &'a HeaderMap,
    /// The content type and the bytes.
    pub(crate) body: Option<(&'a str, &'a [u8])>,
}

/// Returns a description of how the exchange violates the contract. An invalid request alone is not
/// a violation, since tests send such requests intentionally, but its success is one.
pub(crate) fn check(
    operation: &Operation,
    sent: &SentRequest<'_>,
    answer: &Answer,
) -> Result<(), String> {
    let content_type = answer.header("content-type");
    let has_body = !answer.body.is_empty();
    if has_body && answer.json.is_null() && content_type.starts_with("application/json") {
        return Err("the answer says that it is JSON, and is not".into());
    }
    operation.check_response(
        answer.status,
        (!content_type.is_empty()).then_some(content_type),
        has_body.then_some(&answer.json),
    )?;
    match check_request(operation, sent) {
        Err(refusal) if answer.status < 400 => {
            Err(format!("{refusal}, and yet the answer is {}", answer.status))
        }
        _ => Ok(()),
    }
}

fn check_request(operation: &Operation, sent: &SentRequest<'_>) -> Result<(), String> {
    let words = |error: ContractError| error.to_string();
    operation.check_path(sent.path).map_err(words)?;
    operation.check_query(sent.query).map_err(words)?;
    let header = |name: &str| Some(sent.headers.get(name)?.to_str().ok()?.to_owned());
    operation.check_headers(header).map_err(words)?;
    let Some((content_type, bytes)) = sent.body else {
        return operation.check_no_body().map_err(words);
    };
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if let Some(body) = &operation.body
        && !body.accepts(media_type)
    {
        return Err(format!("it takes no {media_type}"));
    }
    if media_type != "application/json" {
        return Ok(());
    }
    let json: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    operation.check_body(&json).map_err(words)
}
