//! Checks requests before a handler runs, and responses in tests.

use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::error::{ContractError, Location};
use crate::operation::{Operation, ParameterLocation, Response};
use crate::query::{self, Query};
use crate::{explain, schemas};

/// Error statuses that any operation may answer with an error body, without declaring them.
pub const UNDECLARED_STATUSES: [u16; 14] =
    [400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 429, 500, 501, 503];

impl Operation {
    /// Parses and checks the query. Ignores unknown parameters and fills in defaults.
    ///
    /// # Errors
    /// Returns the first parameter that is missing, repeated or invalid.
    pub fn check_query(&self, pairs: &[(String, String)]) -> Result<Query, ContractError> {
        query::read(self.parameters_in(ParameterLocation::Query), pairs)
    }

    /// Checks the decoded path parameters.
    ///
    /// # Errors
    /// Returns the first parameter that is missing or invalid.
    pub fn check_path(&self, pairs: &[(impl AsRef<str>, String)]) -> Result<(), ContractError> {
        self.check_texts(ParameterLocation::Path, |name| {
            pairs.iter().find(|(known, _)| known.as_ref() == name).map(|(_, text)| text.clone())
        })
    }

    /// Checks the headers in the contract; `get` looks a header up.
    ///
    /// # Errors
    /// Returns the first header that is missing or invalid.
    pub fn check_headers(&self, get: impl Fn(&str) -> Option<String>) -> Result<(), ContractError> {
        self.check_texts(ParameterLocation::Header, get)
    }

    fn check_texts(
        &self,
        location: ParameterLocation,
        get: impl Fn(&str) -> Option<String>,
    ) -> Result<(), ContractError> {
        for parameter in self.parameters_in(location) {
            match get(&parameter.name) {
                Some(text) => query::check(parameter, &Value::from(text))?,
                None if parameter.required => {
                    let allowed = explain::describe(&parameter.schema);
                    return Err(query::error(parameter, "nothing".to_owned(), allowed));
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Checks a JSON body. Operations without a JSON body accept any value.
    ///
    /// # Errors
    /// Returns the first violation, in the order of the schema.
    pub fn check_body(&self, body: &Value) -> Result<(), ContractError> {
        let Some(schema) = self.body.as_ref().and_then(|body| body.json()) else {
            return Ok(());
        };
        let at = |violation: explain::Violation| ContractError {
            location: Location::Body(violation.pointer),
            found: violation.found,
            allowed: violation.allowed,
        };
        if let Some(violation) = explain::find_nul(body) {
            return Err(at(violation));
        }
        if validator(&self.validator, schema).is_some_and(|validator| validator.is_valid(body)) {
            return Ok(());
        }
        let unexplained = || explain::Violation {
            pointer: String::new(),
            found: explain::describe_value(body),
            allowed: format!("a body as described for {}", self.id),
        };
        Err(at(explain::explain(schema, body).unwrap_or_else(unexplained)))
    }

    /// Checks a request without a body.
    ///
    /// # Errors
    /// Fails if the operation requires a body.
    pub fn check_no_body(&self) -> Result<(), ContractError> {
        match &self.body {
            Some(body) if body.required => {
                let types: Vec<&str> =
                    body.content.iter().map(|content| content.media_type.as_str()).collect();
                let allowed = match body.json() {
                    Some(schema) => format!("{} (application/json)", explain::describe(schema)),
                    None => types.join(", "),
                };
                let location = Location::Body(String::new());
                Err(ContractError { location, found: "nothing".to_owned(), allowed })
            }
            _ => Ok(()),
        }
    }

    /// Checks a response, for tests. Declared responses are checked by their schema, common errors
    /// by the error schema. Reads may answer 304 without a body.
    ///
    /// # Errors
    /// Returns the violation as one sentence.
    pub fn check_response(
        &self,
        status: u16,
        content_type: Option<&str>,
        body: Option<&Value>,
    ) -> Result<(), String> {
        let media_type = content_type.and_then(|text| text.split(';').next()).map(str::trim);
        let fail = |what: String| Err(format!("{} answered {status}: {what}", self.id));
        if status == 304 && self.method == crate::Method::Get {
            return if body.is_none() { Ok(()) } else { fail("304 has no body".to_owned()) };
        }
        let declared = self.responses.iter().find(|response| response.status == Some(status));
        match declared.or_else(|| self.response(status).filter(|_| status >= 400)) {
            Some(response) => response.check(media_type, body).or_else(fail),
            None if UNDECLARED_STATUSES.contains(&status) => {
                error_shape(status, media_type, body).or_else(fail)
            }
            None => fail("the contract does not declare this status".to_owned()),
        }
    }
}

impl Response {
    fn check(&self, media_type: Option<&str>, body: Option<&Value>) -> Result<(), String> {
        let Some(media_type) = media_type.filter(|_| !self.content.is_empty()) else {
            return match (self.content.is_empty(), body) {
                (true, None) => Ok(()),
                (true, Some(_)) => Err("a body where the contract has none".to_owned()),
                (false, _) => Err("no content type".to_owned()),
            };
        };
        let mut known = self.content.iter();
        let Some(content) = known.find(|content| content.media_type == media_type) else {
            return Err(format!("the content type {media_type} is not declared"));
        };
        match (&content.schema, body) {
            (Some(schema), Some(body)) if media_type == "application/json" => {
                match validator(&self.validator, schema).is_some_and(|v| v.is_valid(body)) {
                    true => Ok(()),
                    false => Err(explain::explain(schema, body)
                        .map_or_else(|| "not as declared".to_owned(), |one| sentence(&one))),
                }
            }
            (Some(_), None) if media_type == "application/json" => Err("no body".to_owned()),
            _ => Ok(()),
        }
    }
}

fn sentence(violation: &explain::Violation) -> String {
    let explain::Violation { pointer, found, allowed } = violation;
    format!("at {pointer:?} found {found}, allowed: {allowed}")
}

fn error_shape(status: u16, media_type: Option<&str>, body: Option<&Value>) -> Result<(), String> {
    if media_type != Some("application/json") {
        return Err(format!("an error with the content type {media_type:?}"));
    }
    let schema = json!({ "allOf": [
        { "$ref": "#/components/schemas/Error" },
        { "properties": { "error": { "properties": { "code": { "enum": [status] } } } } },
    ]});
    let body = body.ok_or("an error without a body")?;
    explain::explain(&schema, body).map_or(Ok(()), |violation| Err(sentence(&violation)))
}

/// Returns the compiled schema; `None` if it does not compile, which a test rules out.
fn validator<'a>(cell: &'a OnceLock<Option<Validator>>, schema: &Value) -> Option<&'a Validator> {
    cell.get_or_init(|| schemas::compile(schema).ok()).as_ref()
}
