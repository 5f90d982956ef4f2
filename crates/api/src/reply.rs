//! What a handler answers, before it becomes an HTTP response.

use bindery_model::{Error, Result};
use bytes::Bytes;
use serde::Serialize;

/// An answer: status, body, and the few headers that operations set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// The status.
    pub(crate) status: u16,
    /// JSON, if there is a body.
    pub(crate) body: Option<Bytes>,
    /// The address of what was made.
    pub(crate) location: Option<String>,
    /// The revision that stands for the state that was read.
    pub(crate) revision: Option<String>,
    /// The media type of the body.
    pub(crate) content_type: &'static str,
}

/// The media type of nearly all answers.
pub(crate) const JSON: &str = "application/json; charset=utf-8";

impl Reply {
    /// A JSON answer.
    ///
    /// # Errors
    /// When the value cannot be written as JSON, which is a defect.
    pub fn json(status: u16, value: &impl Serialize) -> Result<Self> {
        let body = serde_json::to_vec(value)
            .map_err(|error| Error::internal(format!("an answer is not JSON: {error}")))?;
        Ok(Self { body: Some(body.into()), ..Self::empty(status) })
    }

    /// An answer that is JSON already.
    pub fn raw_json(status: u16, json: String) -> Self {
        Self { body: Some(json.into()), ..Self::empty(status) }
    }

    /// An answer without a body.
    pub const fn empty(status: u16) -> Self {
        Self { status, body: None, location: None, revision: None, content_type: JSON }
    }

    /// Names the address of what was made.
    #[must_use]
    pub fn at(mut self, location: String) -> Self {
        self.location = Some(location);
        self
    }

    /// Makes the revision the `ETag`.
    #[must_use]
    pub fn of_revision(mut self, revision: impl std::fmt::Display) -> Self {
        self.revision = Some(revision.to_string());
        self
    }
}
