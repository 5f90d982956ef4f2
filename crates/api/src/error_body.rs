//! Maps errors to HTTP statuses and response bodies.

use bindery_model::{Error, ErrorKind};
use serde::Serialize;

/// Returns the HTTP status of an error.
pub(crate) const fn status(kind: ErrorKind) -> u16 {
    match kind {
        ErrorKind::Invalid => 400,
        ErrorKind::Unauthenticated => 401,
        ErrorKind::Forbidden => 403,
        ErrorKind::NotFound => 404,
        ErrorKind::Conflict => 409,
        ErrorKind::PreconditionFailed => 412,
        ErrorKind::TooLarge => 413,
        ErrorKind::WrongMediaType => 415,
        ErrorKind::KeyReused => 422,
        ErrorKind::RateLimited => 429,
        ErrorKind::Internal => 500,
        ErrorKind::Pending => 501,
        ErrorKind::Unavailable => 503,
    }
}

#[derive(Serialize)]
struct Envelope<'a> {
    error: Inner<'a>,
}

#[derive(Serialize)]
struct Inner<'a> {
    code: u16,
    message: &'a str,
}

/// Serializes the response body of an error.
pub(crate) fn body(status: u16, message: &str) -> Vec<u8> {
    let envelope = Envelope { error: Inner { code: status, message } };
    serde_json::to_vec(&envelope).unwrap_or_default()
}

/// Returns the status and the message for the caller. Logs internal details, which the caller must
/// not see; errors are logged nowhere else.
pub(crate) fn render(error: &Error, request: &str) -> (u16, String) {
    let status = status(error.kind());
    match error.kind() {
        ErrorKind::Internal => {
            tracing::error!(request, detail = error.message(), "a request failed");
            (
                status,
                format!(
                    "internal error; the log of the server has the details under request {request}"
                ),
            )
        }
        ErrorKind::Unavailable => {
            tracing::warn!(request, detail = error.message(), "unavailable");
            (status, error.message().to_owned())
        }
        _ => (status, error.message().to_owned()),
    }
}
