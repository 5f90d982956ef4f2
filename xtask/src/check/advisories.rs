//! Checks dependencies for known vulnerabilities with a local copy of the RustSec advisory
//! database. The copy is provided by the caller, because the check must give the same result
//! everywhere and cannot use the network.

use super::Outcome;
use crate::workspace::root;
use anyhow::{Context as _, Result, ensure};
use clap::Args;
use semver::{Version, VersionReq};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The environment variable that names the folder of the copy.
const VARIABLE: &str = "BINDERY_ADVISORY_DB";
const ADDRESS: &str = "https://github.com/rustsec/advisory-db";

#[derive(Args)]
pub(crate) struct Options {
    /// Folder for the copy, which is created or updated
    folder: PathBuf,
}

/// Fetches or updates the copy of the database.
pub(crate) fn fetch(options: &Options) -> Result<bool> {
    let folder = std::path::absolute(&options.folder)?;
    let mut git = Command::new("git");
    if folder.join(".git").exists() {
        git.arg("-C").arg(&folder).args(["pull", "--quiet", "--ff-only"]);
    } else {
        git.args(["clone", "--quiet", "--depth", "1", ADDRESS]).arg(&folder);
    }
    let done = crate::process::run(&mut git)?;
    if done {
        println!("export {VARIABLE}={}", folder.display());
    }
    Ok(done)
}

pub(super) fn run() -> Result<Outcome> {
    let Some(folder) = std::env::var_os(VARIABLE) else {
        return Ok(Outcome::Warned(vec![format!(
            "not checked: {VARIABLE} names no copy of the database; \
             `cargo xtask advisories FOLDER` fetches one"
        )]));
    };
    let locked = std::fs::read_to_string(root().join("Cargo.lock")).context("Cargo.lock")?;
    let locked: Lock = toml::from_str(&locked).context("Cargo.lock")?;
    let rules = std::fs::read_to_string(root().join("deny.toml")).context("deny.toml")?;
    let rules: Rules = toml::from_str(&rules).context("deny.toml")?;
    let advisories = read(&Path::new(&folder).join("crates"))?;
    let ignored = rules.advisories.ignore.iter().map(|ignored| ignored.id.as_str());
    Ok(Outcome::of(complaints(&locked, &advisories, &ignored.collect::<Vec<_>>())))
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: Version,
    source: Option<String>,
}

#[derive(Deserialize)]
struct Rules {
    advisories: AdvisoryRules,
}

#[derive(Deserialize)]
struct AdvisoryRules {
    ignore: Vec<Ignored>,
}

#[derive(Deserialize)]
struct Ignored {
    id: String,
}

#[derive(Deserialize)]
struct Advisory {
    advisory: About,
    versions: Versions,
}

#[derive(Deserialize)]
struct About {
    id: String,
    package: String,
    informational: Option<String>,
    withdrawn: Option<toml::Value>,
}

#[derive(Deserialize)]
struct Versions {
    #[serde(default)]
    patched: Vec<VersionReq>,
    #[serde(default)]
    unaffected: Vec<VersionReq>,
}

type Advisories = BTreeMap<String, Vec<Advisory>>;

/// Reads the advisories, grouped by package.
fn read(crates: &Path) -> Result<Advisories> {
    let mut found = Advisories::new();
    let list = |folder: &Path| {
        std::fs::read_dir(folder).with_context(|| {
            format!("{}: {VARIABLE} must name a copy of {ADDRESS}", folder.display())
        })
    };
    for package in list(crates)? {
        let package = package?.path();
        if !package.is_dir() {
            continue;
        }
        for file in list(&package)? {
            let file = file?.path();
            if file.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            let text = std::fs::read_to_string(&file)?;
            let one = parse(&text).with_context(|| file.display().to_string())?;
            found.entry(one.advisory.package.clone()).or_default().push(one);
        }
    }
    ensure!(!found.is_empty(), "{} has no advisories", crates.display());
    Ok(found)
}

/// Parses the header of an advisory, which is a fenced block in TOML.
fn parse(text: &str) -> Result<Advisory> {
    let (_, rest) = text.split_once("```toml\n").context("no head in TOML")?;
    let (head, _) = rest.split_once("\n```").context("the head does not end")?;
    Ok(toml::from_str(head)?)
}

fn complaints(locked: &Lock, advisories: &Advisories, ignored: &[&str]) -> Vec<String> {
    let mut complaints = Vec::new();
    let foreign = locked.package.iter().filter(|package| package.source.is_some());
    for Package { name, version, .. } in foreign {
        for Advisory { advisory, versions } in advisories.get(name).into_iter().flatten() {
            let kind = advisory.informational.as_deref().unwrap_or("vulnerable");
            let is_safe = versions
                .patched
                .iter()
                .chain(&versions.unaffected)
                .any(|versions| versions.matches(version));
            let is_known = ignored.contains(&advisory.id.as_str());
            if !is_safe && !is_known && kind != "notice" && advisory.withdrawn.is_none() {
                let id = &advisory.id;
                complaints.push(format!(
                    "{name} {version} is {kind}: https://rustsec.org/advisories/{id}"
                ));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpatched_versions_are_reported() {
        let advisory = |id: &str, more: &str| {
            let head = format!("[advisory]\nid = \"{id}\"\npackage = \"a\"\n{more}");
            parse(&format!("```toml\n{head}\n```\n# Title\n")).unwrap()
        };
        let versions = "[versions]\npatched = [\">= 1.2.3\"]\nunaffected = [\"< 1.0.0\"]";
        let unmaintained = "informational = \"unmaintained\"\n[versions]\npatched = []";
        let withdrawn = "withdrawn = \"2024-01-01\"\n[versions]\npatched = []";
        let notice = "informational = \"notice\"\n[versions]\npatched = []";
        let advisories = Advisories::from([(
            "a".to_owned(),
            vec![
                advisory("flaw", versions),
                advisory("old", unmaintained),
                advisory("withdrawn", withdrawn),
                advisory("notice", notice),
            ],
        )]);
        let told = |version: &str, ignored: &[&str]| {
            let text = format!(
                "[[package]]\nname = \"a\"\nversion = \"{version}\"\nsource = \"registry\"\n\
                 [[package]]\nname = \"ours\"\nversion = \"0.1.0\"\n"
            );
            complaints(&toml::from_str(&text).unwrap(), &advisories, ignored).len()
        };
        for (version, ignored, count) in [
            ("1.2.2", &[][..], 2),
            ("1.2.3", &[], 1),
            ("0.9.0", &[], 1),
            ("1.2.2", &["old"], 1),
            ("1.2.2", &["old", "flaw"], 0),
        ] {
            assert_eq!(told(version, ignored), count, "{version} {ignored:?}");
        }
    }
}
