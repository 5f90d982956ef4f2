//! Divides a description into pieces that can be read alone: each operation, and each value that a
//! reference leads to. A part of the pieces is a description again, in one file.
//!
//! References in pieces are those of one file, with the name of the file as the first step if the
//! value comes from another one.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use serde_json::{Map, Value};

use crate::load::{Description, title_of};
use crate::reference;
use crate::resolve::Part;
use crate::{Pointer, Version};

/// The name of the piece with everything that belongs to the whole description.
pub const HEAD: &str = "head";
/// The first step of references to values of other files.
const FILES: &str = "$files";
/// The fields of a description that are pieces of their own, or belong to operations.
const APART: [&str; 5] = ["paths", "webhooks", "components", "tags", "x-webhooks"];
/// The fields of a path that hold for all its operations.
const SHARED: [&str; 7] = [
    "parameters",
    "servers",
    "summary",
    "description",
    "x-hideTryItPanel",
    "x-expandAllResponses",
    "x-expandAllModelSections",
];

/// The name of a piece.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PieceName {
    /// An operation of a path.
    Operation {
        /// The path.
        path: String,
        /// The method, as written in the description.
        method: String,
    },
    /// An operation of a webhook.
    Webhook {
        /// The name of the webhook.
        name: String,
        /// The method, as written in the description.
        method: String,
    },
    /// A value that references lead to.
    Value(Pointer),
}

impl PieceName {
    /// Parses the text of a name; `None` for names of other things, such as [`HEAD`].
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(' ')?;
        if kind == "value" {
            return Pointer::parse(rest).map(Self::Value);
        }
        let (method, rest) = rest.split_once(' ')?;
        let (method, rest) = (method.to_owned(), rest.to_owned());
        match kind {
            "operation" => Some(Self::Operation { path: rest, method }),
            "webhook" => Some(Self::Webhook { name: rest, method }),
            _ => None,
        }
    }
}

impl std::fmt::Display for PieceName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Operation { path, method } => write!(f, "operation {method} {path}"),
            Self::Webhook { name, method } => write!(f, "webhook {method} {name}"),
            Self::Value(pointer) => write!(f, "value {pointer}"),
        }
    }
}

impl Description {
    /// Passes all pieces with their names to a function. Values that no reference leads to are left
    /// out, except for models.
    pub fn pieces(&self, mut put: impl FnMut(String, Value)) {
        let mut cutter =
            Cutter { description: self, wanted: VecDeque::new(), seen: HashSet::new() };
        let top = self.top();
        let head = top.fields().filter(|(name, _)| !APART.contains(name));
        let mut head: Map<String, Value> =
            head.map(|(name, part)| (name.to_owned(), cutter.cut(part))).collect();
        let components = top.field("components");
        if let Some(schemes) = components.and_then(|parts| parts.field("securitySchemes")) {
            let schemes = Map::from_iter([("securitySchemes".to_owned(), cutter.cut(schemes))]);
            head.insert("components".to_owned(), Value::Object(schemes));
        }
        put(HEAD.to_owned(), Value::Object(head));
        for (field, is_webhook) in [("paths", false), ("webhooks", true)] {
            for (path, item) in top.field(field).into_iter().flat_map(Part::fields) {
                for (method, operation) in cutter.operations(path, item) {
                    let path = path.to_owned();
                    let name = match is_webhook {
                        false => PieceName::Operation { path, method },
                        true => PieceName::Webhook { name: path, method },
                    };
                    put(name.to_string(), operation);
                }
            }
        }
        let models = components.and_then(|parts| parts.field("schemas"));
        for (name, _) in models.into_iter().flat_map(Part::fields) {
            let pointer = Pointer::default().child("components").child("schemas").child(name);
            cutter.want(&self.root, &pointer);
        }
        while let Some((name, part)) = cutter.wanted.pop_front() {
            let value = cutter.cut(part);
            put(PieceName::Value(name).to_string(), value);
        }
    }

    /// Assembles a description from its head and some pieces.
    #[must_use]
    pub fn of_pieces(head: Value, pieces: BTreeMap<PieceName, Value>) -> Self {
        let mut root = head;
        for (name, value) in pieces {
            let pointer = match name {
                PieceName::Operation { path, method } => {
                    Pointer::default().child("paths").child(path).child(method)
                }
                PieceName::Webhook { name, method } => {
                    Pointer::default().child("webhooks").child(name).child(method)
                }
                PieceName::Value(pointer) => pointer,
            };
            pointer.insert(&mut root, value);
        }
        let version = Version::of(&root).unwrap_or(Version::V31);
        // Swagger 2.0 was converted before it was divided.
        let version = if version == Version::V20 { Version::V30 } else { version };
        let title = title_of(&root);
        Self {
            version,
            title,
            root: String::new(),
            texts: BTreeMap::new(),
            anchors: BTreeMap::new(),
            base: None,
            problems: Vec::new(),
            values: BTreeMap::from([(String::new(), root)]),
            size: 0,
        }
    }

    /// Returns the description with the size of its pieces in bytes, which limits the cost of a
    /// comparison.
    #[must_use]
    pub fn of_size(self, size: usize) -> Self {
        Self { size, ..self }
    }
}

/// Returns the names of the values that a piece refers to.
#[must_use]
pub fn needed(piece: &Value) -> BTreeSet<Pointer> {
    let mut needed = BTreeSet::new();
    reference::each(piece, |reference| {
        let pointer = reference.target.strip_prefix('#').and_then(Pointer::of_fragment);
        needed.extend(pointer);
    });
    needed
}

struct Cutter<'d> {
    description: &'d Description,
    /// The values that references lead to, which are not cut yet.
    wanted: VecDeque<(Pointer, Part<'d>)>,
    seen: HashSet<Pointer>,
}

impl<'d> Cutter<'d> {
    /// Returns the operations of a path or a webhook, each with what holds for all of them.
    fn operations(&mut self, path: &str, item: Part<'d>) -> Vec<(String, Value)> {
        let description = self.description;
        let operations = description.operations(path, item);
        let Some(item) = description.followed(item) else { return Vec::new() };
        let mut found = Vec::new();
        for (operation, part) in operations {
            let Value::Object(mut fields) = self.cut(part) else { continue };
            for name in SHARED {
                let Some(shared) = item.field(name) else { continue };
                let shared = self.cut(shared);
                match (fields.get_mut(name), shared) {
                    (None, shared) => {
                        fields.insert(name.to_owned(), shared);
                    }
                    (Some(Value::Array(own)), Value::Array(shared)) if name == "parameters" => {
                        let own_names: Vec<_> = own.iter().map(identity).collect();
                        let added = shared.into_iter().filter(|one| {
                            let identity = identity(one);
                            identity == (None, None, None) || !own_names.contains(&identity)
                        });
                        let added: Vec<Value> = added.collect();
                        own.extend(added);
                    }
                    _ => {}
                }
            }
            found.push((operation.method, Value::Object(fields)));
        }
        found
    }

    /// Returns a value with references of one file.
    fn cut(&mut self, part: Part<'d>) -> Value {
        let mut changed = Vec::new();
        reference::each(part.value, |reference| {
            if let Some((file, pointer)) = self.description.place(part.file, reference.target) {
                changed.push((reference.pointer(), self.want(file, &pointer)));
            }
        });
        let mut value = part.value.clone();
        for (at, name) in changed {
            at.set(&mut value, Value::from(format!("#{}", name.to_fragment())));
        }
        value
    }

    /// Notes that a value is needed. Returns its name.
    fn want(&mut self, file: &'d str, pointer: &Pointer) -> Pointer {
        let name = match file == self.description.root {
            true => pointer.clone(),
            false => pointer.under([FILES, file]),
        };
        if self.seen.insert(name.clone())
            && let Some(value) =
                self.description.values.get(file).and_then(|root| pointer.find(root))
        {
            self.wanted.push_back((name.clone(), Part { file, value }));
        }
        name
    }
}

/// Returns the reference, the name and the place of a parameter, which distinguish it.
fn identity(parameter: &Value) -> (Option<String>, Option<String>, Option<String>) {
    let text = |name: &str| parameter.get(name).and_then(Value::as_str).map(str::to_owned);
    match text("$ref") {
        Some(reference) => (Some(reference), None, None),
        None => (None, text("name"), text("in")),
    }
}
