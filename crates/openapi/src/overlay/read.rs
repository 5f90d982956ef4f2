//! Reads the text of an overlay.

use serde_json::{Map, Value};

use super::{Action, Change, MAX_PROBLEMS, Overlay, Selection, problem};
use crate::positions::place;
use crate::{JsonPath, Pointer, Problem, parse};

/// Maximum size of the text of an overlay in bytes.
const MAX_SIZE: usize = 4 << 20;
/// Maximum number of characters of a text that messages repeat.
const MAX_SHOWN: usize = 80;
/// The fields of an action in version 1.1.
const ACTION: [&str; 5] = ["target", "description", "update", "copy", "remove"];

type Fields = Map<String, Value>;

impl Overlay {
    /// Reads the text of an overlay, in JSON or YAML, from a file with a name.
    ///
    /// # Errors
    /// Returns all places where the text does not follow the specification.
    pub fn read(file: &str, text: &str) -> Result<Self, Vec<Problem>> {
        if text.len() > MAX_SIZE {
            let message = format!("found more than {} MiB", MAX_SIZE >> 20);
            return Err(vec![problem(file, Pointer::default(), message)]);
        }
        let root = parse(file, text).map_err(|problem| vec![problem])?;
        let mut reader = Reader { file, has_copy: true, problems: Vec::new() };
        let actions = reader.overlay(root);
        if reader.problems.is_empty() {
            return Ok(Self { file: file.to_owned(), text: text.to_owned(), actions });
        }
        place(text, &mut reader.problems);
        Err(reader.problems)
    }
}

struct Reader<'t> {
    file: &'t str,
    /// `true` if the version has `copy`.
    has_copy: bool,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn fail(&mut self, pointer: Pointer, message: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem(self.file, pointer, message));
        }
    }

    fn overlay(&mut self, root: Value) -> Vec<Action> {
        let top = Pointer::default();
        let Value::Object(mut root) = root else {
            let message =
                format!("found {}, allowed: an overlay, which is an object", shown(&root));
            self.fail(top, message);
            return Vec::new();
        };
        self.version(&root);
        self.only(&root, &top, &["overlay", "info", "extends", "actions"]);
        self.string(&root, &top, "extends");
        self.info(&root, &top);
        let at = top.child("actions");
        let actions = match root.remove("actions") {
            Some(Value::Array(actions)) if !actions.is_empty() => actions,
            Some(other) => {
                let message = format!("found {}, allowed: a list of actions", shown(&other));
                self.fail(at, message);
                return Vec::new();
            }
            None => {
                self.fail(top, "found no `actions`, allowed: a list of actions".to_owned());
                return Vec::new();
            }
        };
        let actions = actions.into_iter().enumerate();
        actions
            .filter_map(|(index, action)| self.action(action, &at.child(index.to_string())))
            .collect()
    }

    fn version(&mut self, root: &Fields) {
        let allowed = "allowed: `overlay` 1.0 or 1.1";
        let top = Pointer::default();
        let found = match root.get("overlay") {
            Some(Value::String(text)) => text.clone(),
            // YAML without quotes.
            Some(Value::Number(number)) => number.to_string(),
            Some(other) => {
                let message = format!("found {}, {allowed}", shown(other));
                return self.fail(top.child("overlay"), message);
            }
            None => return self.fail(top, format!("found no version, {allowed}")),
        };
        let mut parts = found.splitn(3, '.');
        match (parts.next(), parts.next()) {
            (Some("1"), Some("0")) => self.has_copy = false,
            (Some("1"), Some("1")) => {}
            _ => {
                let message = format!("found the version {}, {allowed}", quoted(&found));
                self.fail(top.child("overlay"), message);
            }
        }
    }

    fn info(&mut self, root: &Fields, top: &Pointer) {
        let at = top.child("info");
        let allowed = "allowed: an object with `title` and `version`";
        match root.get("info") {
            Some(Value::Object(info)) => {
                self.only(info, &at, &["title", "version", "description"]);
                self.string(info, &at, "description");
                // YAML without quotes has numbers as versions.
                if !info.get("version").is_some_and(Value::is_number) {
                    self.string(info, &at, "version");
                }
                self.string(info, &at, "title");
                for name in ["title", "version"] {
                    if !info.contains_key(name) {
                        self.fail(at.clone(), format!("found no `{name}`, allowed: a text"));
                    }
                }
            }
            Some(other) => self.fail(at, format!("found {}, {allowed}", shown(other))),
            None => self.fail(top.clone(), format!("found no `info`, {allowed}")),
        }
    }

    /// Rejects fields that have none of some names, and are no extensions.
    fn only(&mut self, fields: &Fields, at: &Pointer, names: &[&str]) {
        for name in fields.keys() {
            if !names.contains(&name.as_str()) && !name.starts_with("x-") {
                let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
                let message = format!(
                    "found the field {}, allowed: {}, and names that begin with `x-`",
                    quoted(name),
                    names.join(", ")
                );
                self.fail(at.child(name), message);
            }
        }
    }

    /// Rejects a field that is there and no text.
    fn string(&mut self, fields: &Fields, at: &Pointer, name: &str) {
        if let Some(other) = fields.get(name).filter(|value| !value.is_string()) {
            self.fail(at.child(name), format!("found {}, allowed: a text", shown(other)));
        }
    }

    fn action(&mut self, action: Value, at: &Pointer) -> Option<Action> {
        let Value::Object(mut action) = action else {
            self.fail(at.clone(), format!("found {}, allowed: an action", shown(&action)));
            return None;
        };
        let names = ACTION.into_iter().filter(|name| self.has_copy || *name != "copy");
        self.only(&action, at, &names.collect::<Vec<_>>());
        self.string(&action, at, "description");
        if !action.contains_key("target") {
            self.fail(at.clone(), "found no `target`, allowed: a JSONPath".to_owned());
        }
        let target = self.path(&action, at, "target");
        let copy = self.path(&action, at, "copy");
        let removes = match action.get("remove") {
            None => false,
            Some(Value::Bool(removes)) => *removes,
            Some(other) => {
                let message = format!("found {}, allowed: true or false", shown(other));
                self.fail(at.child("remove"), message);
                false
            }
        };
        if action.contains_key("update") && action.contains_key("copy") && !removes {
            let message = "found `update` and `copy`, allowed: one of them".to_owned();
            self.fail(at.child("copy"), message);
        }
        let change = match (removes, action.remove("update"), copy) {
            (true, ..) => Change::Remove,
            (_, Some(update), _) => Change::Update(update),
            (_, None, Some(copy)) => Change::Copy(copy),
            (_, None, None) => Change::Nothing,
        };
        target.map(|target| Action { target, change })
    }

    fn path(&mut self, action: &Fields, at: &Pointer, name: &str) -> Option<Selection> {
        let value = action.get(name)?;
        let at = at.child(name);
        let Value::String(text) = value else {
            self.fail(at, format!("found {}, allowed: a JSONPath", shown(value)));
            return None;
        };
        match JsonPath::parse(text) {
            Ok(path) => Some(Selection { text: quoted(text), path }),
            Err(error) => {
                let message = format!("{} is no JSONPath (RFC 9535): {error}", quoted(text));
                self.fail(at, message);
                None
            }
        }
    }
}

/// Returns a text in quotes, shortened.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{:?}", format!("{}…", text.get(..end).unwrap_or_default())),
        None => format!("{text:?}"),
    }
}

/// Returns the name of a value for a message.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) if items.is_empty() => "an empty array".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        _ => value.to_string(),
    }
}
