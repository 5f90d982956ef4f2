//! A submitted form.

use bindery_app::App;
use bindery_http::{ReadBodyError, RequestBody, query_pairs, read_body};
use bindery_model::{Error, Result};
use http::header;
use http::request::Parts;

/// Maximum size of a form in bytes.
const MAX_FORM_BYTES: u64 = 64 << 10;
const MEDIA_TYPE: &str = "application/x-www-form-urlencoded";

/// The fields of a form.
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// Returns a field, or an empty string if it is absent.
    pub(crate) fn get(&self, name: &str) -> &str {
        let field = self.0.iter().find(|(known, _)| known == name);
        field.map_or("", |(_, value)| value.as_str())
    }

    /// Returns a field that is present and not empty.
    pub(crate) fn non_empty(&self, name: &str) -> Option<&str> {
        Some(self.get(name)).filter(|value| !value.is_empty())
    }
}

pub(crate) async fn read(app: &App, parts: &Parts, body: RequestBody) -> Result<Form> {
    let media_type = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.unwrap_or_default().split(';').next().unwrap_or_default();
    if !media_type.trim().eq_ignore_ascii_case(MEDIA_TYPE) {
        return Err(Error::wrong_media_type(format!(
            "This address accepts only forms ({MEDIA_TYPE})."
        )));
    }
    let read = tokio::time::timeout(app.limits.body_time, read_body(body, MAX_FORM_BYTES)).await;
    let bytes = match read {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(ReadBodyError::TooLarge)) => {
            return Err(Error::too_large("This form is larger than 64 KiB."));
        }
        Ok(Err(ReadBodyError::Broken | ReadBodyError::TooSlow)) | Err(_) => {
            return Err(Error::invalid("The form was not received completely. Send it again."));
        }
    };
    let text = std::str::from_utf8(&bytes).ok();
    let fields = text.and_then(query_pairs);
    fields.map(Form).ok_or_else(|| Error::invalid("The form is not UTF-8."))
}
