//! One operation of the contract, as data.

use std::fmt;
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::Value;

/// The method of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Method {
    /// Reads; HEAD is answered wherever this is.
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
    /// The name as in a request line.
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

/// Where a parameter stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParameterPlace {
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
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub place: ParameterPlace,
    /// Whether a request without it is refused.
    pub required: bool,
    /// Its schema; references point into the contract.
    pub schema: Value,
}

/// How large a body may be; the figures are the server's configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BodyLimit {
    /// An ordinary JSON body.
    Json,
    /// A body that carries content.
    Content,
    /// An archive of files.
    Archive,
}

/// One content type of a body or an answer.
#[derive(Debug)]
pub struct Content {
    /// The media type, without parameters.
    pub media_type: String,
    /// The schema, where there is one.
    pub schema: Option<Value>,
}

/// The body that an operation takes.
#[derive(Debug)]
pub struct Body {
    /// Whether a request without a body is refused.
    pub required: bool,
    /// What it may be; nearly always JSON alone.
    pub content: Vec<Content>,
}

impl Body {
    /// The schema of the body as JSON, if it may be JSON.
    pub fn json(&self) -> Option<&Value> {
        json_schema(&self.content)
    }

    /// Whether a body of this media type (without parameters) is taken.
    pub fn accepts(&self, media_type: &str) -> bool {
        self.content.iter().any(|content| content.media_type.eq_ignore_ascii_case(media_type))
    }
}

/// A declared answer of an operation.
#[derive(Debug)]
pub struct Response {
    /// The status; `None` for all statuses that no other answer declares.
    pub status: Option<u16>,
    /// What it carries; empty when it has no body.
    pub content: Vec<Content>,
    pub(crate) validator: OnceLock<Option<Validator>>,
}

impl Response {
    /// The schema of the answer as JSON, if it is JSON.
    pub fn json(&self) -> Option<&Value> {
        json_schema(&self.content)
    }
}

fn json_schema(content: &[Content]) -> Option<&Value> {
    content.iter().find(|one| one.media_type == "application/json")?.schema.as_ref()
}

/// An operation: what is registered, routed, checked and described.
#[derive(Debug)]
pub struct Operation {
    /// The id by which a handler is registered.
    pub id: String,
    /// The group: its file in the contract, its folder in `bindery-api`.
    pub group: String,
    /// The method.
    pub method: Method,
    /// The path with `/v1` and `{parameters}`.
    pub path: String,
    /// One sentence; operations that are not built have none.
    pub summary: Option<String>,
    /// Whether callers should use another operation.
    pub deprecated: bool,
    /// Whether it is not built yet and answers 501.
    pub pending: bool,
    /// Whether it works without a token and without a share key.
    pub public: bool,
    /// Whether a share key stands in for a token.
    pub share_key: bool,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The body that it takes.
    pub body: Option<Body>,
    /// Its declared answers.
    pub responses: Vec<Response>,
    /// How large its body may be.
    pub body_limit: BodyLimit,
    pub(crate) validator: OnceLock<Option<Validator>>,
}

impl Operation {
    /// The parameters that stand in one place.
    pub fn parameters_in(&self, place: ParameterPlace) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(move |parameter| parameter.place == place)
    }

    /// The declared answer for a status.
    pub fn response(&self, status: u16) -> Option<&Response> {
        self.responses
            .iter()
            .find(|response| response.status == Some(status))
            .or_else(|| self.responses.iter().find(|response| response.status.is_none()))
    }
}
