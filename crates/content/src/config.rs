//! Reads and updates a repository's configuration files, `.gitbook.yaml` and `.gitbook/vars.yaml`.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::html::TagLabel;
use crate::source::Warning;
use crate::yaml::{Change, YamlError};
use crate::{reference, yaml};

/// The variables of a space, in the order in which the file lists them.
pub type Variables = Map<String, Value>;

/// Maximum length of a variable's text, in characters.
const MAX_VARIABLE_CHARS: usize = 256;

/// The contents of `.gitbook.yaml`, with defaults for keys that it omits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The content's root folder, relative to the project directory, without leading or trailing
    /// slashes. Empty for the project directory itself.
    pub root: String,
    /// The path of the first page, relative to `root`.
    pub readme: String,
    /// The path of the table of contents, relative to `root`.
    pub summary: String,
    /// Redirects: an old path without leading or trailing slashes, and the file of the page that
    /// replaces it.
    pub redirects: Vec<(String, String)>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            root: String::new(),
            readme: "README.md".to_owned(),
            summary: "SUMMARY.md".to_owned(),
            redirects: Vec::new(),
        }
    }
}

/// Parses `.gitbook.yaml`. An unusable value yields a warning and the default.
#[must_use]
pub fn parse(text: &str) -> (Config, Vec<Warning>) {
    let mut config = Config::default();
    let mut warnings = Vec::new();
    let map = match yaml::parse(text) {
        Ok(Value::Object(map)) => map,
        Ok(Value::Null) => return (config, warnings),
        Ok(_) => {
            warnings.push(Warning::new("The file is not a list of keys and values."));
            return (config, warnings);
        }
        Err(message) => {
            warnings.push(Warning::new(format!("The file is not valid YAML: {message}")));
            return (config, warnings);
        }
    };
    for (key, value) in &map {
        match key.as_str() {
            "root" => path(key, value, &mut config.root, &mut warnings),
            "structure" => structure(value, &mut config, &mut warnings),
            "redirects" => redirects(value, &mut config, &mut warnings),
            _ => warnings.push(Warning::new(format!("The key `{key}` is not known."))),
        }
    }
    (config, warnings)
}

fn structure(value: &Value, config: &mut Config, warnings: &mut Vec<Warning>) {
    let Some(map) = value.as_object() else {
        if !value.is_null() {
            warnings.push(Warning::new("`structure` is not a list of keys and values."));
        }
        return;
    };
    for (key, value) in map {
        match key.as_str() {
            "readme" => path(key, value, &mut config.readme, warnings),
            "summary" => path(key, value, &mut config.summary, warnings),
            _ => warnings.push(Warning::new(format!("The key `structure.{key}` is not known."))),
        }
    }
}

fn path(key: &str, value: &Value, target: &mut String, warnings: &mut Vec<Warning>) {
    match value {
        Value::Null => {}
        Value::String(text) => match reference::join("", text.trim_start_matches('/')) {
            Some(path) => path.trim_end_matches('/').clone_into(target),
            None => warnings.push(Warning::new(format!("`{key}` leaves the project directory."))),
        },
        _ => warnings.push(Warning::new(format!("`{key}` is not a path."))),
    }
}

fn redirects(value: &Value, config: &mut Config, warnings: &mut Vec<Warning>) {
    let Some(map) = value.as_object() else {
        if !value.is_null() {
            warnings.push(Warning::new("`redirects` is not a list of keys and values."));
        }
        return;
    };
    for (from, to) in map {
        let target = to.as_str().and_then(|to| reference::join("", to.trim_start_matches('/')));
        match target {
            Some(target) => {
                config.redirects.push((from.trim_matches('/').to_owned(), target));
            }
            None => {
                let message =
                    format!("The redirect from `{from}` does not lead to a file of the project.");
                warnings.push(Warning::new(message));
            }
        }
    }
}

/// Updates `.gitbook.yaml` to hold the values of `new`. Leaves keys that already have their value,
/// and unusable entries, untouched.
///
/// # Errors
/// Returns an error if the file cannot be parsed. The caller must not overwrite it then.
pub fn update(source: &str, new: &Config) -> Result<String, YamlError> {
    const ORDER: [&str; 5] =
        ["root", "structure", "structure.readme", "structure.summary", "redirects"];
    let Config { root, readme, summary, redirects } = new;
    let (old, _) = parse(source);
    let mut changes = Vec::new();
    if old.root != *root {
        changes.push(match root.as_str() {
            "" => Change::remove(&["root"]),
            root => Change::set(&["root"], format!("./{root}/")),
        });
    }
    for (key, old, new) in [("readme", &old.readme, readme), ("summary", &old.summary, summary)] {
        if old != new {
            changes.push(Change::set(&["structure", key], new.as_str()));
        }
    }
    // Keys are compared without surrounding slashes, and changed under their spelling in the file.
    let written = match yaml::parse(source) {
        Ok(Value::Object(mut map)) => map.remove("redirects"),
        _ => None,
    };
    let written = written.as_ref().and_then(Value::as_object);
    let spellings = |from: &str| -> Vec<&str> {
        let keys = written.into_iter().flat_map(Map::keys).map(String::as_str);
        keys.filter(|key| key.trim_matches('/') == from).collect()
    };
    for (from, _) in &old.redirects {
        if !redirects.iter().any(|(kept, _)| kept == from) {
            let gone = spellings(from).into_iter();
            changes.extend(gone.map(|key| Change::remove(&["redirects", key])));
        }
    }
    for (from, to) in redirects.iter().filter(|redirect| !old.redirects.contains(redirect)) {
        let key = spellings(from).pop().unwrap_or(from);
        changes.push(Change::set(&["redirects", key], to.as_str()));
    }
    yaml::edit(source, &changes, &ORDER, yaml::line_end(source))
}

/// Updates `.gitbook/vars.yaml` to hold the variables of `new`. Leaves entries that already have
/// their value, and unusable entries, untouched.
///
/// # Errors
/// Returns an error if the file cannot be parsed. The caller must not overwrite it then.
pub fn update_variables(source: &str, new: &Variables) -> Result<String, YamlError> {
    let (old, _) = parse_variables(source);
    let gone = old.keys().filter(|name| !new.contains_key(*name));
    let changed = new.iter().filter(|(name, value)| old.get(*name) != Some(value));
    let changes: Vec<Change> = gone
        .map(|name| Change::remove(&[name]))
        .chain(changed.map(|(name, value)| Change::set(&[name], value.clone())))
        .collect();
    yaml::edit(source, &changes, &[], yaml::line_end(source))
}

/// Parses `.gitbook/vars.yaml`. Omits unusable entries, with a warning for each.
#[must_use]
pub fn parse_variables(text: &str) -> (Variables, Vec<Warning>) {
    match yaml::parse(text) {
        Ok(Value::Null) => (Variables::new(), Vec::new()),
        Ok(value @ Value::Object(_)) => {
            let read = variables(Some(&value));
            let left_out = value.as_object().into_iter().flat_map(Map::keys);
            let warnings = left_out
                .filter(|name| !read.contains_key(*name))
                .map(|name| Warning::new(format!("The variable `{name}` cannot be used.")))
                .collect();
            (read, warnings)
        }
        Ok(_) => {
            (Variables::new(), vec![Warning::new("The file is not a list of names and values.")])
        }
        Err(message) => {
            let message = format!("The file is not valid YAML: {message}");
            (Variables::new(), vec![Warning::new(message)])
        }
    }
}

/// Maximum number of tags that are read.
const MAX_TAGS: usize = 1_000;

/// Parses `.gitbook/tags.yaml`, a list of tags. Returns their labels by their names, and omits
/// entries without a name. A file that is not valid yields no tags.
#[must_use]
pub fn parse_tags(text: &str) -> HashMap<String, TagLabel> {
    let parsed = yaml::parse(text).unwrap_or_default();
    let items = parsed.as_array().map(Vec::as_slice).unwrap_or_default();
    let tags = items.iter().take(MAX_TAGS).filter_map(|item| {
        let text = |key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
        let label = text("label").unwrap_or_default();
        Some((text("tag")?, TagLabel { label, icon: text("icon"), emoji: text("emoji") }))
    });
    tags.collect()
}

/// Returns the usable variables of a map: valid names whose values are text, numbers or booleans.
pub(crate) fn variables(value: Option<&Value>) -> Variables {
    let Some(map) = value.and_then(Value::as_object) else {
        return Variables::new();
    };
    let usable = |name: &str, value: &Value| {
        is_variable_name(name)
            && match value {
                Value::String(text) => text.chars().count() <= MAX_VARIABLE_CHARS,
                Value::Number(_) | Value::Bool(_) => true,
                _ => false,
            }
    };
    map.iter()
        .filter(|(name, value)| usable(name, value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Returns `true` if `name` is a valid variable name: an ASCII letter, then ASCII letters, digits
/// and `_`.
#[must_use]
pub fn is_variable_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_is_read() {
        let (config, warnings) = parse(
            "root: ./docs/\nstructure:\n  readme: ./intro.md\nredirects:\n  /old/page: new/page.md\n",
        );
        assert_eq!(warnings, []);
        assert_eq!(config.root, "docs");
        assert_eq!(config.readme, "intro.md");
        assert_eq!(config.summary, "SUMMARY.md");
        assert_eq!(config.redirects, [("old/page".to_owned(), "new/page.md".to_owned())]);
    }

    #[test]
    fn unusable_values_are_warnings() {
        for (source, count) in [
            ("", 0),
            ("root:\n", 0),
            ("root: ../x\n", 1),
            ("root: [a]\n", 1),
            ("readme: x.md\n", 1),
            ("structure: x\nredirects: [y]\n", 2),
            ("redirects:\n  a: ../../b.md\n", 1),
            ("a: b: c", 1),
            ("text", 1),
        ] {
            let (config, warnings) = parse(source);
            assert_eq!(config, Config::default(), "{source}");
            assert_eq!(warnings.len(), count, "{source}: {warnings:?}");
        }
    }

    #[test]
    fn variables_keep_their_types() {
        let (read, warnings) = parse_variables("a: '5.8'\nb: 5.8\nc: true\n1d: x\ne: [x]\n");
        assert_eq!(warnings.len(), 2);
        assert_eq!(read.get("a"), Some(&Value::from("5.8")));
        assert_eq!(read.get("b"), Some(&Value::from(5.8)));
        assert_eq!(read.get("c"), Some(&Value::from(true)));
        assert_eq!(read.len(), 3);
    }

    #[test]
    fn tags_have_labels() {
        let text =
            "- tag: new\n  label: New features\n  emoji: 1f680\n- tag: fix\n- label: nameless\n";
        let tags = parse_tags(text);
        assert_eq!(tags.len(), 2);
        let label = "New features".to_owned();
        let emoji = Some("1f680".to_owned());
        assert_eq!(tags.get("new"), Some(&TagLabel { label, icon: None, emoji }));
        assert_eq!(tags.get("fix"), Some(&TagLabel::default()));
        for other in ["", "a: b", "[", "- - x", "- 1"] {
            assert!(parse_tags(other).is_empty(), "{other}");
        }
    }

    fn redirect(from: &str, to: &str) -> (String, String) {
        (from.to_owned(), to.to_owned())
    }

    #[test]
    fn only_what_differs_is_written() {
        let source =
            "# why\nroot: ./docs\n\nredirects:\n  /a: b.md # old\n  c/: ../d.md\n  e: f.md\n";
        let (old, _) = parse(source);
        assert_eq!(update(source, &old).as_deref(), Ok(source));
        let mut new = old.clone();
        new.redirects = vec![redirect("a", "x y.md"), redirect("g", "h.md")];
        new.summary = "toc.md".to_owned();
        let written = "# why\nroot: ./docs\nstructure:\n  summary: toc.md\n\nredirects:\n  /a: x y.md # old\n  c/: ../d.md\n  g: h.md\n";
        assert_eq!(update(source, &new).as_deref(), Ok(written));
        assert_eq!(parse(written).0, new);
        assert_eq!(
            update("", &new).as_deref(),
            Ok(
                "root: ./docs/\nstructure:\n  summary: toc.md\nredirects:\n  a: x y.md\n  g: h.md\n"
            )
        );
        assert_eq!(update("root: docs\n", &Config::default()).as_deref(), Ok(""));
        assert!(update("a: b: c", &new).is_err());
    }

    #[test]
    fn variables_are_written_with_their_types() {
        let source = "a: '5.8'   # text\nb: 5.8\n1d: x\n";
        let (mut new, _) = parse_variables(source);
        assert_eq!(update_variables(source, &new).as_deref(), Ok(source));
        new.insert("b".to_owned(), Value::from("true"));
        new.insert("c".to_owned(), Value::from(false));
        let written = "a: '5.8'   # text\nb: 'true'\n1d: x\nc: false\n";
        assert_eq!(update_variables(source, &new).as_deref(), Ok(written));
        new.remove("a");
        assert_eq!(update_variables(written, &new).as_deref(), Ok("b: 'true'\n1d: x\nc: false\n"));
    }
}
