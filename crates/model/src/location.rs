//! Locations of values in a request, for error messages.

use std::borrow::Cow;
use std::fmt;

use crate::Error;

/// The path of a value in the body of a request, as a JSON pointer (RFC 6901). The empty pointer is
/// the body itself.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct FieldPath(Cow<'static, str>);

impl FieldPath {
    /// Creates a path from a JSON pointer such as `/changes/0/title`.
    pub fn new(pointer: impl Into<Cow<'static, str>>) -> Self {
        Self(pointer.into())
    }

    /// Returns the path of a field of this value, or of one of its items by number.
    #[must_use]
    pub fn field(&self, name: impl fmt::Display) -> Self {
        let name = name.to_string().replace('~', "~0").replace('/', "~1");
        Self(format!("{self}/{name}").into())
    }

    /// Returns the path of a value that a JSON pointer relative to this value names.
    #[must_use]
    pub fn join(&self, pointer: &str) -> Self {
        Self(format!("{self}{pointer}").into())
    }

    /// Returns the JSON pointer.
    pub fn pointer(&self) -> &str {
        &self.0
    }

    /// Returns the error that this value is malformed or out of range.
    pub fn invalid(&self, text: impl fmt::Display) -> Error {
        Error::invalid(text.to_string()).at(self.clone())
    }

    /// Returns the error that this value conflicts with the current state.
    pub fn conflict(&self, text: impl fmt::Display) -> Error {
        Error::conflict(text.to_string()).at(self.clone())
    }

    /// Returns the error that the object that this value names does not exist for the caller.
    pub fn not_found(&self, what: impl fmt::Display) -> Error {
        Error::not_found(&what.to_string()).at(self.clone())
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&'static str> for FieldPath {
    fn from(pointer: &'static str) -> Self {
        Self::new(pointer)
    }
}

impl From<&Self> for FieldPath {
    fn from(path: &Self) -> Self {
        path.clone()
    }
}

/// The part of a request that a problem is in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Location {
    /// A value of the body.
    Body(FieldPath),
    /// A query parameter.
    Query(&'static str),
    /// A parameter of the path.
    Path(&'static str),
}

impl From<&FieldPath> for Location {
    fn from(path: &FieldPath) -> Self {
        Self::Body(path.clone())
    }
}

impl From<FieldPath> for Location {
    fn from(path: FieldPath) -> Self {
        Self::Body(path)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body(path) => path.fmt(f),
            Self::Query(name) => write!(f, "query parameter \"{name}\""),
            Self::Path(name) => write!(f, "path parameter \"{name}\""),
        }
    }
}

/// A problem at a location of the request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The location.
    pub location: Location,
    /// The description: the found and the allowed values.
    pub text: Cow<'static, str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_in_pointers() {
        let path = FieldPath::new("/params").field("a/b~c").field(3);
        assert_eq!(path.pointer(), "/params/a~1b~0c/3");
        assert_eq!(path.join("/x").pointer(), "/params/a~1b~0c/3/x");
        assert_eq!(FieldPath::default().pointer(), "");
    }

    #[test]
    fn errors_state_their_locations() {
        let first = FieldPath::new("/title").invalid("found nothing");
        assert_eq!(first.message(), "/title: found nothing");
        let second = Error::invalid("not a number").at(Location::Query("limit"));
        let both = first.and(second);
        assert_eq!(
            both.message(),
            "/title: found nothing; query parameter \"limit\": not a number"
        );
        let texts: Vec<&str> = both.problems().iter().map(|problem| &*problem.text).collect();
        assert_eq!(texts, ["found nothing", "not a number"]);
        assert_eq!(FieldPath::new("/page").not_found("page").message(), "/page: page not found");
    }
}
