//! One operation of the contract.

use std::fmt;
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::Value;

/// The HTTP method of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Method {
    /// Reads. HEAD is answered on the same paths.
    Get,
    /// Creates or acts.
    Post,
    /// Creates or replaces.
    Put,
    /// Changes some fields.
    Patch,
    /// Deletes.
    Delete,
}

impl Method {
    /// Returns the name as in a request line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Get, Self::Post, Self::Put, Self::Patch, Self::Delete]
            .into_iter()
            .find(|method| method.as_str() == text)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The location of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParameterLocation {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// In a header.
    Header,
}

/// A parameter of an operation.
#[derive(Debug)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The location.
    pub location: ParameterLocation,
    /// `true` if a request without the parameter is refused.
    pub required: bool,
    /// The schema; references point into the contract.
    pub schema: Value,
}

/// The class of body size limit; the server's configuration sets the sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BodyLimit {
    /// An ordinary JSON body.
    Json,
    /// A body with content.
    Content,
    /// An archive of files.
    Archive,
    /// An event of another server.
    Event,
}

/// One media type of a body or a response.
#[derive(Debug)]
pub struct Content {
    /// The media type without parameters.
    pub media_type: String,
    /// The schema, if there is one.
    pub schema: Option<Value>,
}

/// The body of a request.
#[derive(Debug)]
pub struct Body {
    /// `true` if a request without a body is refused.
    pub required: bool,
    /// The accepted media types, in most cases only JSON.
    pub content: Vec<Content>,
}

impl Body {
    /// Returns the schema of the JSON body, if JSON is accepted.
    pub fn json(&self) -> Option<&Value> {
        json_schema(&self.content)
    }

    /// Returns `true` if this media type (without parameters) is accepted.
    pub fn accepts(&self, media_type: &str) -> bool {
        self.content.iter().any(|content| content.media_type.eq_ignore_ascii_case(media_type))
    }
}

/// A declared response of an operation.
#[derive(Debug)]
pub struct Response {
    /// The status; `None` for all statuses that no other response declares.
    pub status: Option<u16>,
    /// The media types of the body; empty if there is no body.
    pub content: Vec<Content>,
    pub(crate) validator: OnceLock<Option<Validator>>,
}

impl Response {
    /// Returns the schema of the JSON body, if the response is JSON.
    pub fn json(&self) -> Option<&Value> {
        json_schema(&self.content)
    }
}

fn json_schema(content: &[Content]) -> Option<&Value> {
    content.iter().find(|one| one.media_type == "application/json")?.schema.as_ref()
}

/// An operation of the API.
#[derive(Debug)]
pub struct Operation {
    /// The id, under which the handler is registered.
    pub id: String,
    /// The group: the name of its file in the contract and of its folder in `bindery-api`.
    pub group: String,
    /// The HTTP method.
    pub method: Method,
    /// The path with `/v1` and `{parameters}`.
    pub path: String,
    /// One sentence; `None` for pending operations.
    pub summary: Option<String>,
    /// `true` if callers should use another operation.
    pub deprecated: bool,
    /// `true` if the operation is not implemented yet and answers 501.
    pub pending: bool,
    /// `true` if the operation works without a token and without a share key.
    pub public: bool,
    /// `true` if the operation accepts a share key instead of a token.
    pub share_key: bool,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The body of the request.
    pub body: Option<Body>,
    /// The declared responses.
    pub responses: Vec<Response>,
    /// The size limit of the body.
    pub body_limit: BodyLimit,
    pub(crate) validator: OnceLock<Option<Validator>>,
}

impl Operation {
    /// Returns the parameters in one location.
    pub fn parameters_in(&self, location: ParameterLocation) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(move |parameter| parameter.location == location)
    }

    /// Returns the declared response for a status.
    pub fn response(&self, status: u16) -> Option<&Response> {
        self.responses
            .iter()
            .find(|response| response.status == Some(status))
            .or_else(|| self.responses.iter().find(|response| response.status.is_none()))
    }
}
