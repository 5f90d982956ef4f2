//! Replaces the values in a response that differ between runs.

use std::collections::BTreeMap;
use std::mem;

use serde_json::{Map, Value};

use crate::support::every_operation::Ids;

/// Texts of more characters are shortened to their length and hash.
const MAX_TEXT: usize = 600;

/// Fields that are written with a delay after a request, so that a response has them or not.
const DELAYED: [&str; 3] = ["lastUsedAt", "lastSeenAt", "sentAt"];

/// Operations whose lists are in the order of random ids.
const UNORDERED: [&str; 11] = [
    "getChangeRequestChanges",
    "listInvitations",
    "getRevisionSemanticChanges",
    "listSpaceLinks",
    "listChangeRequestLinks",
    "listPageLinksInSpace",
    "listPageLinksInChangeRequest",
    "listSpacePageBacklinks",
    "listChangeRequestPageBacklinks",
    "listSpaceFileBacklinks",
    "listChangeRequestFileBacklinks",
];

/// Replaces ids, times, secrets and addresses in one response. Equal values have equal
/// replacements.
pub(super) struct Normalizer<'a> {
    address: &'a str,
    /// The replacements of known values, and of those found so far.
    names: BTreeMap<String, String>,
    /// The number of different values of each kind found so far.
    found: BTreeMap<&'static str, usize>,
}

impl<'a> Normalizer<'a> {
    pub(super) fn new(address: &'a str, ids: &Ids) -> Self {
        // Digests and secrets are numbered, as only some of them have the form of an id.
        let ids = ids
            .iter()
            .filter(|(name, _)| !matches!(**name, "documentId" | "invitation" | "webhookSecret"))
            .filter(|(_, id)| kind_of(id).is_some() || is_uuid(id));
        let names = ids.map(|(name, id)| (id.clone(), format!("[{name}]"))).collect();
        Self { address, names, found: BTreeMap::new() }
    }

    /// Returns a JSON body with indentation.
    pub(super) fn json(&mut self, operation: &str, body: &Value) -> String {
        let mut body = body.clone();
        if UNORDERED.contains(&operation) {
            self.sort(&mut body);
        }
        self.replace("", &mut body);
        serde_json::to_string_pretty(&body).unwrap()
    }

    /// Sorts all arrays by their content without the replaced values.
    fn sort(&self, value: &mut Value) {
        match value {
            Value::Object(fields) => fields.values_mut().for_each(|value| self.sort(value)),
            Value::Array(items) => {
                items.iter_mut().for_each(|item| self.sort(item));
                items.sort_by_cached_key(|item| {
                    let mut item = item.clone();
                    let mut normalizer =
                        Normalizer { names: self.names.clone(), found: BTreeMap::new(), ..*self };
                    normalizer.replace("", &mut item);
                    item.to_string()
                });
            }
            _ => {}
        }
    }

    fn replace(&mut self, field: &str, value: &mut Value) {
        match value {
            Value::Object(fields) => {
                let mut replaced = Map::new();
                for (name, mut value) in mem::take(fields) {
                    if !DELAYED.contains(&name.as_str()) {
                        self.replace(&name, &mut value);
                        replaced.insert(self.text(&name), value);
                    }
                }
                *fields = replaced;
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.replace(field, item)),
            Value::String(text) => *text = self.field(field, text),
            _ => {}
        }
    }

    fn field(&mut self, field: &str, text: &str) -> String {
        match field {
            // The keys of the nodes of a document.
            "key" | "node" | "block" if text.chars().all(|c| c.is_ascii_alphanumeric()) => {
                self.numbered("key", text)
            }
            "version" => "[version]".to_owned(),
            // The cursor of a list.
            "page" if text.len() > 20 => "[cursor]".to_owned(),
            _ => self.text(text),
        }
    }

    /// Returns a text with its varying parts replaced. A long text is shortened.
    pub(super) fn text(&mut self, text: &str) -> String {
        if text.len() == 24 && text.starts_with("20") && text.ends_with('Z') {
            return "[time]".to_owned();
        }
        let text = text.replace(self.address, "[url]").replace("https://docs.example.org", "[url]");
        let mut replaced = String::new();
        let is_other = |c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-';
        for part in text.split_inclusive(is_other) {
            let (run, rest) = part.split_at(part.trim_end_matches(is_other).len());
            let run = self.run(&replaced, run);
            replaced.push_str(&run);
            replaced.push_str(rest);
        }
        match replaced.chars().count() {
            0..=MAX_TEXT => replaced,
            length => format!("[{length} characters: {}]", blake3::hash(replaced.as_bytes())),
        }
    }

    /// Replaces a run of letters, digits, hyphens and underscores.
    fn run(&mut self, before: &str, run: &str) -> String {
        if before.ends_with("sig=") || before.ends_with("bindery-session=") {
            return "[secret]".to_owned();
        }
        if before.ends_with("exp=") {
            return "[time]".to_owned();
        }
        if before.ends_with("127.0.0.1:") {
            return "[port]".to_owned();
        }
        if is_uuid(run) {
            return self.numbered("id", run);
        }
        // Hashes and secrets in base64 contain hyphens and underscores.
        let capitals = run.chars().filter(char::is_ascii_uppercase).count();
        match run.len() {
            64 if capitals > 1 => return self.numbered("digest", run),
            32.. if capitals > 1 && !self.names.contains_key(run) => return "[secret]".to_owned(),
            _ => {}
        }
        let parts: Vec<_> = run.split('-').map(|part| self.part(part)).collect();
        parts.join("-")
    }

    fn part(&mut self, part: &str) -> String {
        match kind_of(part) {
            Some("secret") if !self.names.contains_key(part) => "[secret]".to_owned(),
            Some(kind) => self.numbered(kind, part),
            None => part.to_owned(),
        }
    }

    /// Returns the name of a value: that of its path parameter, or its number in this response.
    fn numbered(&mut self, kind: &'static str, value: &str) -> String {
        if let Some(name) = self.names.get(value) {
            return name.clone();
        }
        let number = self.found.entry(kind).or_default();
        *number += 1;
        let name = format!("[{kind}:{number}]");
        self.names.insert(value.to_owned(), name.clone());
        name
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36 && text.split('-').map(str::len).eq([8, 4, 4, 4, 12])
}

/// Returns the kind of a run of letters and digits that differs between runs.
fn kind_of(run: &str) -> Option<&'static str> {
    if run.starts_with("bnd_") {
        return Some("secret");
    }
    let has_digits = run.contains(|c: char| c.is_ascii_digit());
    let is_random = has_digits || run.chars().filter(char::is_ascii_uppercase).count() > 1;
    if !run.chars().all(|c| c.is_ascii_alphanumeric()) || !is_random {
        return None;
    }
    let is_hex = run.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'));
    match run.len() {
        16 if is_hex => Some("key"),
        20 => Some("id"),
        32.. if is_hex => Some("hash"),
        32.. => Some("secret"),
        _ => None,
    }
}

#[test]
fn equal_values_have_equal_names() {
    let ids = Ids::from([("spaceId", "aB3aB3aB3aB3aB3aB3aB".to_owned())]);
    let mut normalizer = Normalizer::new("http://127.0.0.1:1234", &ids);
    for (text, expect) in [
        ("http://127.0.0.1:1234/v1/spaces/aB3aB3aB3aB3aB3aB3aB", "[url]/v1/spaces/[spaceId]"),
        ("http://127.0.0.1:99/one.git", "http://127.0.0.1:[port]/one.git"),
        ("cD4cD4cD4cD4cD4cD4cD eF5eF5eF5eF5eF5eF5eF", "[id:1] [id:2]"),
        ("cD4cD4cD4cD4cD4cD4cD", "[id:1]"),
        ("00000000-0000-7000-8000-000000000000", "[id:3]"),
        ("2026-01-02T03:04:05.678Z", "[time]"),
        ("bnd_x1 is a token", "[secret] is a token"),
        ("0123456789abcdef0123456789abcdef01234567", "[hash:1]"),
        ("an ordinary text of 20-odd words", "an ordinary text of 20-odd words"),
    ] {
        assert_eq!(normalizer.text(text), expect);
    }
}
