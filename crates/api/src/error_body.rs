//! Maps errors to HTTP statuses and response bodies.

use bindery_model::{Error, ErrorKind, Location, Problem};
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
        _ => (status, message(error)),
    }
}

/// Returns the message of an error with the locations of its problems in the HTTP request.
fn message(error: &Error) -> String {
    if error.problems().is_empty() {
        return error.message().to_owned();
    }
    let problems = error.problems().iter().map(|Problem { location, text }| match location {
        Location::Body(path) if path.pointer().is_empty() => format!("body: {text}"),
        Location::Body(path) => format!("body at {path}: {text}"),
        Location::Query(_) | Location::Path(_) => format!("{location}: {text}"),
    });
    problems.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use bindery_model::FieldPath;

    use super::*;

    #[test]
    fn messages_state_the_location_in_the_request() {
        for (error, expect) in [
            (Error::invalid("no text"), "no text"),
            (FieldPath::new("/a/0").invalid("no text"), "body at /a/0: no text"),
            (FieldPath::default().invalid("no object"), "body: no object"),
            (FieldPath::new("/space").not_found("space"), "body at /space: space not found"),
            (
                FieldPath::new("/a").invalid("one").and(FieldPath::new("/b").invalid("two")),
                "body at /a: one; body at /b: two",
            ),
            (
                Error::invalid("no time").at(Location::Query("to")),
                "query parameter \"to\": no time",
            ),
        ] {
            assert_eq!(render(&error, "1").1, expect);
        }
    }
}
