//! Findings of the runs that read specifications.

use bindery_model::OpenApiFailure;
use bindery_openapi::Problem;
use bindery_store::StoreError;
use serde::{Deserialize, Serialize};

/// Maximum number of findings that are kept of a run.
const MAX: usize = 100;
/// Maximum length of a finding in characters.
const MAX_LENGTH: usize = 1_000;
/// The code of findings that leave the rest of a description usable.
const WARNING: &str = "WARNING";

/// A finding of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Message {
    /// The code of the failure, or `WARNING`.
    pub code: String,
    /// A sentence that names the file, the line and the value.
    pub message: String,
}

/// A reason why a source could not be read.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    pub(super) code: OpenApiFailure,
    pub(super) messages: Vec<String>,
}

impl Failed {
    pub(super) fn new(code: OpenApiFailure, message: impl Into<String>) -> Self {
        Self { code, messages: vec![message.into()] }
    }

    /// Converts the failure for the store.
    pub(super) fn messages(&self) -> Vec<Message> {
        let messages = self.messages.iter().take(MAX);
        messages.map(|message| of(self.code.as_str(), message)).collect()
    }
}

/// Returns the findings about a description that can be used.
pub(super) fn warnings(problems: &[Problem]) -> Vec<Message> {
    problems.iter().take(MAX).map(|problem| of(WARNING, &problem.to_string())).collect()
}

fn of(code: &str, message: &str) -> Message {
    // The database stores no null characters, which a description can contain.
    let shown = message.chars().filter(|char| *char != '\0').take(MAX_LENGTH);
    Message { code: code.to_owned(), message: shown.collect() }
}

/// Encodes findings for the store.
pub(super) fn write(messages: &[Message]) -> Result<String, StoreError> {
    serde_json::to_string(messages)
        .map_err(|error| StoreError::Corrupt(format!("findings of a specification: {error}")))
}

/// Decodes stored findings.
pub(super) fn read(stored: &str) -> Result<Vec<Message>, StoreError> {
    serde_json::from_str(stored)
        .map_err(|error| StoreError::Corrupt(format!("findings of a specification: {error}")))
}
