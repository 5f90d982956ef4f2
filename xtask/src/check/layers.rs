//! Checks that dependencies between crates point down. The allowed dependencies are read from the
//! crate table in `ARCHITECTURE.md`, so that the page and the check cannot disagree.

use super::Outcome;
use crate::workspace::{cargo, read_text};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Crates that any other crate may use, but only in its tests.
const TEST_ONLY: [&str; 2] = ["testkit", "faultfs"];

/// Maps a crate to its allowed dependencies.
type Layers = BTreeMap<String, Layer>;

/// The crates that one crate may use.
#[derive(Debug)]
struct Layer {
    /// In its code.
    code: BTreeSet<String>,
    /// In its tests; includes those in `code`.
    tests: BTreeSet<String>,
}

pub(super) fn run() -> Result<Outcome> {
    let map = read_text(Path::new("ARCHITECTURE.md"))?.context("ARCHITECTURE.md is not text")?;
    let layers = read_map(&map)?;
    let listed = cargo()
        .args(["metadata", "--format-version", "1", "--no-deps", "--locked"])
        .output()
        .context("cargo metadata")?;
    ensure!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let metadata: Value = serde_json::from_slice(&listed.stdout).context("cargo metadata")?;
    let mut complaints = Vec::new();
    let mut seen = BTreeSet::new();
    for package in array(&metadata, "packages") {
        let name = layer_name(text(package, "name"));
        seen.insert(name.to_owned());
        match layers.get(name) {
            Some(layer) => complaints.extend(upward(name, layer, package)),
            None => complaints.push(format!("{name} has no row in ARCHITECTURE.md's map")),
        }
    }
    for name in layers.keys().filter(|name| !seen.contains(*name)) {
        complaints
            .push(format!("ARCHITECTURE.md's map has a row for {name}, which is not a crate"));
    }
    Ok(Outcome::of(complaints))
}

/// Lists the dependencies of a package that its layer does not allow.
fn upward(name: &str, layer: &Layer, package: &Value) -> Vec<String> {
    array(package, "dependencies")
        .iter()
        .filter(|dependency| dependency.get("path").is_some_and(Value::is_string))
        .filter_map(|dependency| {
            let target = layer_name(text(dependency, "name"));
            let for_tests = text(dependency, "kind") == "dev";
            let fine = if for_tests {
                layer.tests.contains(target) || TEST_ONLY.contains(&target)
            } else {
                layer.code.contains(target)
            };
            (!fine)
                .then(|| format!("{name} uses {target}, which its row in the map does not allow"))
        })
        .collect()
}

fn layer_name(package: &str) -> &str {
    package.strip_prefix("bindery-").unwrap_or(package)
}

fn array<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Reads the table `| crate | what it is | may use |`, whose rows are ordered from the top layer to
/// the bottom. "`a`, `b`" allows those crates and everything that they may use; "`a` and below" (or
/// "everything below") also allows every later row; "nothing" and "anything" are literal. A rule
/// that ends with ", except `c`" allows a direct dependency on that crate only in tests.
fn read_map(page: &str) -> Result<Layers> {
    let rows: Vec<(String, String)> = page
        .lines()
        .skip_while(|line| !line.starts_with("| crate |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .filter_map(|line| {
            let mut cells = line.trim_matches('|').split('|').map(str::trim);
            let name = cells.next()?.trim_matches('`').to_owned();
            Some((name, cells.next_back()?.to_owned()))
        })
        .collect();
    ensure!(!rows.is_empty(), "ARCHITECTURE.md has no table '| crate | … | may use |'");
    let product = |name: &str| !TEST_ONLY.contains(&name) && name != "xtask";
    let mut layers = Layers::new();
    // From the bottom up, so that the sets of the crates in use are already complete.
    for (index, (name, rule)) in rows.iter().enumerate().rev() {
        let below = rows.iter().skip(index + 1).map(|(lower, _)| lower.clone());
        let mut allowed = BTreeSet::new();
        let (rule, excepted) = rule.split_once(", except ").unwrap_or((rule, ""));
        if rule == "anything" {
            allowed.extend(rows.iter().map(|(other, _)| other.clone()));
        } else if rule == "everything below" {
            allowed.extend(below.filter(|lower| product(lower)));
        } else if rule != "nothing" {
            for used in rule.split('`').skip(1).step_by(2) {
                let Some(place) = rows.iter().position(|(other, _)| other == used) else {
                    bail!("the map's row for {name} names {used}, which has no row");
                };
                allowed.insert(used.to_owned());
                allowed.extend(layers.get(used).into_iter().flat_map(|layer| layer.tests.clone()));
                if rule.ends_with("and below") {
                    let lower = rows.iter().skip(place + 1).map(|(lower, _)| lower.clone());
                    allowed.extend(lower.filter(|lower| product(lower)));
                }
            }
            ensure!(!allowed.is_empty(), "the map's row for {name} is not understood: {rule}");
        }
        allowed.remove(name);
        let mut code = allowed.clone();
        for excluded in excepted.split('`').skip(1).step_by(2) {
            ensure!(
                code.remove(excluded),
                "the map's row for {name} excepts {excluded}, which the row does not allow"
            );
        }
        layers.insert(name.clone(), Layer { code, tests: allowed });
    }
    Ok(layers)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "# A\n\n| crate | what it is | may use |\n|---|---|---|\n\
        | `top` | t | everything below |\n\
        | `mid` | m | `left` and below |\n\
        | `left` | l | `base` |\n\
        | `right` | r | nothing |\n\
        | `base` | b | nothing |\n\
        | `testkit` | k | `base` |\n\
        | `xtask` | x | anything |\n\ntext\n";

    fn allowed(name: &str) -> Vec<String> {
        read_map(MAP).unwrap()[name].code.iter().cloned().collect()
    }

    #[test]
    fn rules_of_the_map_are_understood() {
        assert_eq!(allowed("top"), ["base", "left", "mid", "right"]);
        assert_eq!(allowed("mid"), ["base", "left", "right"]);
        assert_eq!(allowed("left"), ["base"]);
        assert!(allowed("base").is_empty());
        assert_eq!(allowed("xtask").len(), 6);
    }

    #[test]
    fn an_excepted_crate_is_allowed_only_in_tests() {
        let map = MAP.replace("`left` and below", "`left` and below, except `base`");
        let layers = read_map(&map).unwrap();
        let (mid, top) = (&layers["mid"], &layers["top"]);
        assert!(mid.code.contains("left") && !mid.code.contains("base"));
        assert!(mid.tests.contains("base") && top.code.contains("base"));
        assert!(read_map(&MAP.replace("`left` and below", "`left`, except `right`")).is_err());
    }

    #[test]
    fn an_upward_dependency_is_refused() {
        let package = serde_json::json!({"dependencies": [
            {"name": "serde", "kind": null},
            {"name": "bindery-base", "path": "/x", "kind": null},
            {"name": "bindery-testkit", "path": "/x", "kind": "dev"},
            {"name": "bindery-testkit", "path": "/x", "kind": null},
            {"name": "bindery-top", "path": "/x", "kind": "build"},
        ]});
        let layers = read_map(MAP).unwrap();
        let complaints = upward("left", &layers["left"], &package);
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        assert!(complaints[0].contains("testkit") && complaints[1].contains("top"));
    }

    #[test]
    fn unknown_rules_are_refused() {
        let broken = MAP.replace("`left` and below", "whatever it likes");
        assert!(read_map(&broken).is_err());
        assert!(read_map("no table").is_err());
    }
}
