//! Documents read from the contract's JSON, checked against the model.
//!
//! The reader is strict where a mistake would lose content: it rejects a block in place of an
//! inline, an unknown type, a missing list of nodes, a value of the wrong type, and an unknown key
//! in an object that the contract closes. It is lenient where clients are: it accepts any block
//! among any blocks, absent keys and `isVoid`, and unknown keys in open objects, which it ignores.

mod block;
mod inline;
mod parts;
mod table;

use serde_json::{Map, Value};

use crate::document::{Document, JSON_LEVELS, Key, Reference};
use crate::reference::{self, ContentRef, Lookup, Names, ParseContext};
use crate::source::Span;

/// Maximum number of errors reported.
const ERROR_LIMIT: usize = 20;
/// Maximum number of nodes in a document sent as JSON, leaves included. Each takes several
/// kilobytes of memory until it is validated.
pub const NODE_LIMIT: usize = 200_000;
/// Maximum length in bytes of a text, title, label, name, address, formula or expression. Markdown
/// source can contain a text of this length, so the same text is accepted as JSON.
pub const TEXT_LIMIT: usize = 1_000_000;

/// An error in a document sent as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentError {
    /// The location, as a JSON pointer from the document.
    pub pointer: String,
    /// The cause and the accepted form, in one sentence.
    pub message: String,
}

/// The context in which a document is read from JSON.
#[derive(Clone, Copy)]
pub struct JsonContext<'c> {
    /// The path from the content root of the file for which the document is.
    pub path: &'c str,
    /// Finds pages and files by path.
    pub lookup: &'c dyn Lookup,
    /// Finds the paths of pages and files by id.
    pub names: &'c dyn Names,
    /// Parses the Markdown source that opaque blocks contain.
    pub parse: fn(&str, &ParseContext<'_>) -> Document,
}

impl Document {
    /// Reads a document from the contract's JSON.
    ///
    /// Keys in Bindery's own form are kept; other keys are hashed. Nodes without a key and headings
    /// without an id get one.
    ///
    /// # Errors
    ///
    /// Returns the first errors, up to a limit, each with its location.
    pub fn from_json(value: &Value, context: &JsonContext<'_>) -> Result<Self, Vec<DocumentError>> {
        Self::read_json(value, context, false)
    }

    /// Reads a document like [`from_json`](Self::from_json), but accepts unknown properties in the
    /// `data` of blocks. The result does not contain these properties; the caller keeps them.
    ///
    /// # Errors
    ///
    /// Returns the first errors, up to a limit, each with its location.
    pub fn from_rich_text(
        value: &Value,
        context: &JsonContext<'_>,
    ) -> Result<Self, Vec<DocumentError>> {
        Self::read_json(value, context, true)
    }

    fn read_json(
        value: &Value,
        context: &JsonContext<'_>,
        allows_unknown_data: bool,
    ) -> Result<Self, Vec<DocumentError>> {
        let (nodes, level, annotations) = (0, 0, 0);
        let errors = Vec::new();
        let mut reader = Reader { context, allows_unknown_data, errors, nodes, level, annotations };
        let document = reader.document(At::root(value));
        match document {
            Some(mut document) if reader.errors.is_empty() => {
                document.complete();
                Ok(document)
            }
            _ => Err(reader.errors),
        }
    }
}

/// A value and the path to it, as a linked list on the stack. The pointer is built only for errors.
#[derive(Clone, Copy)]
struct At<'v> {
    value: &'v Value,
    parent: Option<(&'v At<'v>, Step<'v>)>,
}

#[derive(Clone, Copy)]
enum Step<'v> {
    Key(&'v str),
    Index(usize),
}

impl<'v> At<'v> {
    fn root(value: &'v Value) -> Self {
        Self { value, parent: None }
    }

    fn pointer(&self) -> String {
        let mut steps = Vec::new();
        let mut at = self;
        while let Some((outer, step)) = &at.parent {
            steps.push(*step);
            at = outer;
        }
        let mut pointer = String::new();
        for step in steps.iter().rev() {
            pointer.push('/');
            match step {
                Step::Index(index) => pointer.push_str(&index.to_string()),
                Step::Key(key) => pointer.push_str(&key.replace('~', "~0").replace('/', "~1")),
            }
        }
        pointer
    }
}

/// Names the type of a value in error messages.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

struct Reader<'c> {
    context: &'c JsonContext<'c>,
    /// `true` if blocks can have unknown data.
    allows_unknown_data: bool,
    errors: Vec<DocumentError>,
    nodes: usize,
    /// The current depth in the JSON.
    level: usize,
    /// The number of annotations so far; numbers their labels.
    annotations: usize,
}

impl Reader<'_> {
    fn fail<T>(&mut self, at: &At<'_>, message: impl Into<String>) -> Option<T> {
        if self.errors.len() < ERROR_LIMIT {
            self.errors.push(DocumentError { pointer: at.pointer(), message: message.into() });
        }
        None
    }

    fn document(&mut self, at: At<'_>) -> Option<Document> {
        let object = self.object(at)?;
        match object.get("object") {
            Some(Value::String(name)) if name == "document" => {}
            _ => {
                return self
                    .fail(&object.child("object"), "a document has \"object\": \"document\"");
            }
        }
        if let Some(data) = object.at("data") {
            self.object(data);
        }
        let nodes = match object.at("nodes") {
            Some(nodes) => self.blocks(nodes)?,
            None => Vec::new(),
        };
        Some(Document { nodes, ..Document::default() })
    }

    fn object<'a>(&mut self, at: At<'a>) -> Option<Object<'a>> {
        match at.value {
            Value::Object(map) => Some(Object { at, map }),
            other => self.fail(&at, format!("an object is needed here, not {}", kind_of(other))),
        }
    }

    /// Calls `read` with each item of an array and collects the results.
    fn list<T>(
        &mut self,
        at: At<'_>,
        mut read: impl FnMut(&mut Self, At<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Value::Array(values) = at.value else {
            let found = kind_of(at.value);
            return self.fail(&at, format!("an array is needed here, not {found}"));
        };
        let most = NODE_LIMIT.saturating_sub(self.nodes);
        let mut list = Vec::with_capacity(values.len().min(most));
        for (index, value) in values.iter().enumerate() {
            if self.errors.len() >= ERROR_LIMIT {
                break;
            }
            list.extend(read(self, At { value, parent: Some((&at, Step::Index(index))) }));
        }
        Some(list)
    }

    /// Counts a node and fails if the document has too many.
    fn count(&mut self, at: &At<'_>) -> Option<()> {
        self.nodes += 1;
        if self.nodes > NODE_LIMIT {
            let message = format!(
                "a document sent as JSON has at most {NODE_LIMIT} nodes; divide it into several pages"
            );
            // The error is reported only once.
            return if self.nodes == NODE_LIMIT + 1 { self.fail(at, message) } else { None };
        }
        Some(())
    }

    /// Runs `read` within a container that adds `levels` levels of JSON.
    fn nested<T>(
        &mut self,
        at: &At<'_>,
        levels: usize,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        if self.level + levels > JSON_LEVELS {
            return self.fail(at, "this is nested too deeply; use fewer blocks within blocks");
        }
        self.level += levels;
        let read = read(self);
        self.level -= levels;
        read
    }

    fn string(&mut self, at: &At<'_>, limit: usize) -> Option<String> {
        match at.value {
            Value::String(text) if text.len() <= limit => Some(text.clone()),
            Value::String(text) => {
                let length = text.len();
                self.fail(
                    at,
                    format!("at most {limit} bytes are allowed here; this text has {length}"),
                )
            }
            other => {
                let found = kind_of(other);
                self.fail(at, format!("a string is needed here, not {found}"))
            }
        }
    }

    fn key(&mut self, object: &Object<'_>) -> Key {
        let Some(at) = object.at("key") else { return Key::default() };
        match self.string(&at, TEXT_LIMIT) {
            Some(key) => Key::of_name(&key),
            None => Key::default(),
        }
    }

    /// Reads the reference in the property `name` of `object`.
    fn reference(&mut self, object: &Object<'_>, name: &str) -> Option<Reference> {
        let Some(at) = object.at(name) else {
            return self.missing(object, name, "a reference");
        };
        self.reference_at(at)
    }

    fn reference_at(&mut self, at: At<'_>) -> Option<Reference> {
        let target = self.target(at)?;
        let raw = reference::write(&target, self.context.path, self.context.names);
        match raw {
            Some(raw) => Some(Reference { raw, span: Span::default(), target, name: None }),
            None => self
                .fail(&at, "the target of this reference does not exist; refer to an existing one"),
        }
    }

    fn target(&mut self, at: At<'_>) -> Option<ContentRef> {
        let object = self.object(at)?;
        let kind = self.name(&object, "kind")?;
        Some(match kind.as_str() {
            "file" => ContentRef::File { file: self.name(&object, "file")? },
            "url" => ContentRef::Url { url: self.name(&object, "url")? },
            "page" => ContentRef::Page {
                page: self.name(&object, "page")?,
                space: self.optional_name(&object, "space"),
            },
            "anchor" => ContentRef::Anchor {
                anchor: self.name(&object, "anchor")?,
                page: self.optional_name(&object, "page"),
                space: self.optional_name(&object, "space"),
            },
            "user" => ContentRef::User { user: self.name(&object, "user")? },
            "collection" => {
                ContentRef::Collection { collection: self.name(&object, "collection")? }
            }
            "space" => ContentRef::Space { space: self.name(&object, "space")? },
            "reusable-content" => ContentRef::ReusableContent {
                reusable_content: self.name(&object, "reusableContent")?,
                space: self.optional_name(&object, "space"),
            },
            "openapi" => ContentRef::OpenApi { spec: self.name(&object, "spec")? },
            _ => {
                return self.unknown(
                    &object,
                    "kind",
                    "file, url, page, anchor, user, collection, space, reusable-content, openapi",
                );
            }
        })
    }

    fn parse(&self, source: &str) -> Document {
        let context = ParseContext { path: self.context.path, lookup: self.context.lookup };
        (self.context.parse)(source, &context)
    }

    fn missing<T>(&mut self, object: &Object<'_>, name: &str, what: &str) -> Option<T> {
        self.fail(&object.child(name), format!("\"{name}\" is missing; it is {what}"))
    }

    fn unknown<T>(&mut self, object: &Object<'_>, name: &str, known: &str) -> Option<T> {
        let at = object.at(name).unwrap_or(object.at);
        let found = match at.value {
            Value::String(found) if found.len() <= 100 => format!("\"{found}\" is"),
            _ => "this is".to_owned(),
        };
        self.fail(&at, format!("{found} not known; known values: {known}"))
    }

    /// Reads a required string.
    fn name(&mut self, object: &Object<'_>, name: &str) -> Option<String> {
        match object.at(name) {
            Some(at) => self.string(&at, TEXT_LIMIT),
            None => self.missing(object, name, "a string"),
        }
    }

    fn optional_name(&mut self, object: &Object<'_>, name: &str) -> Option<String> {
        let at = object.at(name)?;
        self.string(&at, TEXT_LIMIT)
    }

    fn long_text(&mut self, object: &Object<'_>, name: &str, limit: usize) -> Option<String> {
        match object.at(name) {
            Some(at) => self.string(&at, limit),
            None => self.missing(object, name, "a string"),
        }
    }

    fn expression(&mut self, object: &Object<'_>) -> Option<String> {
        self.long_text(object, "expression", TEXT_LIMIT)
    }

    fn flag(&mut self, object: &Object<'_>, name: &str) -> Option<bool> {
        let at = object.at(name)?;
        match at.value {
            Value::Bool(flag) => Some(*flag),
            other => {
                let found = kind_of(other);
                self.fail(&at, format!("true or false is needed here, not {found}"))
            }
        }
    }

    fn count_of(&mut self, object: &Object<'_>, name: &str, range: [u64; 2]) -> Option<u64> {
        let at = object.at(name)?;
        let [least, most] = range;
        match whole_number(at.value) {
            Some(count) if (least..=most).contains(&count) => Some(count),
            _ => self.fail(&at, format!("a whole number from {least} to {most} is needed here")),
        }
    }

    fn number(&mut self, at: &At<'_>) -> Option<f64> {
        match at.value.as_f64().filter(|number| number.is_finite()) {
            Some(number) => Some(number),
            None => {
                let found = kind_of(at.value);
                self.fail(at, format!("a number is needed here, not {found}"))
            }
        }
    }

    /// Reads an optional string that must be one of `choices`.
    fn choice<T: Copy>(
        &mut self,
        object: &Object<'_>,
        name: &str,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let at = object.at(name)?;
        let found = at.value.as_str();
        match choices.iter().find(|(choice, _)| Some(*choice) == found) {
            Some((_, value)) => Some(*value),
            None => {
                let known: Vec<&str> = choices.iter().map(|(choice, _)| *choice).collect();
                self.unknown(object, name, &known.join(", "))
            }
        }
    }

    /// Reports unknown keys of an object that the contract closes.
    fn reject_unknown_keys(&mut self, object: &Object<'_>, known: &[&str]) {
        if self.allows_unknown_data {
            return;
        }
        for key in object.map.keys().filter(|key| !known.contains(&key.as_str())) {
            if self.errors.len() >= ERROR_LIMIT {
                return;
            }
            let known = match known {
                [] => "none".to_owned(),
                known => known.join(", "),
            };
            let message = format!("the key \"{key:.100}\" is not known here; known keys: {known}");
            let _: Option<()> = self.fail(&object.child(key), message);
        }
    }
}

/// Returns the value as a whole number. Accepts a decimal with a zero fraction, such as `2.0`.
fn whole_number(value: &Value) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
        let whole = number as u64;
        (number.fract() == 0.0 && (0.0..EXACT).contains(&number)).then_some(whole)
    })
}

/// Normalizes line endings and replaces characters that Markdown text cannot contain.
fn normalized_text(text: &str) -> String {
    text.replace("\r\n", "\n").replace(['\0', crate::source::INVALID_BYTE], "\u{FFFD}")
}

/// A JSON object with the path to it.
struct Object<'v> {
    at: At<'v>,
    map: &'v Map<String, Value>,
}

impl Object<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.map.get(name)
    }

    fn at<'a>(&'a self, name: &'a str) -> Option<At<'a>> {
        let value = self.map.get(name)?;
        Some(At { value, parent: Some((&self.at, Step::Key(name))) })
    }

    /// Returns the path of a key, which may be missing.
    fn child<'a>(&'a self, name: &'a str) -> At<'a> {
        At { value: self.at.value, parent: Some((&self.at, Step::Key(name))) }
    }
}

#[cfg(test)]
mod tests;
