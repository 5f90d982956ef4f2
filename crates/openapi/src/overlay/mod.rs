//! Overlays: lists of changes to a description, by the Overlay Specification 1.0 and 1.1.

mod apply;
mod merge;
mod read;

use serde_json::Value;

use crate::{JsonPath, Pointer, Problem};

/// Maximum number of problems of an overlay that are reported.
const MAX_PROBLEMS: usize = 100;

/// Changes to descriptions.
#[derive(Clone, Debug)]
pub struct Overlay {
    /// The name of the file.
    file: String,
    /// The text of the file, in which the places of problems are looked up.
    text: String,
    actions: Vec<Action>,
}

/// A change to the values that a path selects.
#[derive(Clone, Debug)]
struct Action {
    target: Selection,
    change: Change,
}

#[derive(Clone, Debug)]
enum Change {
    /// An action without `update`, `copy` and `remove`, which the specification allows.
    Nothing,
    Update(Value),
    Copy(Selection),
    Remove,
}

/// A path, and its text for messages.
#[derive(Clone, Debug)]
struct Selection {
    text: String,
    path: JsonPath,
}

/// The kind of a value, on which it depends if another value fits it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Object,
    Array,
    Primitive,
}

impl Kind {
    fn of(value: &Value) -> Self {
        match value {
            Value::Object(_) => Self::Object,
            Value::Array(_) => Self::Array,
            _ => Self::Primitive,
        }
    }

    /// Returns the kind with its article, such as "an object".
    fn name(self) -> &'static str {
        match self {
            Self::Object => "an object",
            Self::Array => "an array",
            Self::Primitive => "a primitive value",
        }
    }
}

/// Returns a problem of an overlay, whose place is looked up later.
fn problem(file: &str, pointer: Pointer, message: String) -> Problem {
    Problem { file: file.to_owned(), position: None, pointer, message }
}
