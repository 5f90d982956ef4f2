//! `cargo xtask contract`: generates the wire types, or checks that they are up to date.

mod lower;
mod names;
mod print;
mod schema;
mod sizes;

use anyhow::{Context, Result, ensure};
use bindery_contract::Contract;
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folders below `crates/wire/src` with only generated files.
const FOLDERS: [&str; 3] = ["values", "request", "response"];

#[derive(Args)]
pub(crate) struct Options {
    /// Writes nothing and fails if the generated code is out of date
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(options: &Options) -> Result<bool> {
    let contract = serde_json::from_slice(&Contract::embedded().openapi(&serde_json::Value::Null))?;
    let source = schema::Source::new(contract, areas()?);
    let items = lower::lower(&source)?;
    let target = crate::workspace::root().join("crates/wire/src");
    let wanted: BTreeMap<PathBuf, String> = print::files(&items)
        .into_iter()
        .map(|(path, text)| Ok((target.join(path), formatted(&text)?)))
        .collect::<Result<_>>()?;
    let stale = stale(&target, &wanted)?;
    if options.check {
        for path in &stale {
            println!("{} is stale: run cargo xtask contract", path.display());
        }
        return Ok(stale.is_empty());
    }
    for path in &stale {
        match wanted.get(path) {
            Some(text) => write(path, text)?,
            None => std::fs::remove_file(path)?,
        }
        println!("{}", path.display());
    }
    Ok(true)
}

/// Returns the file of each schema, by name.
fn areas() -> Result<BTreeMap<String, String>> {
    let folder = crate::workspace::root().join("crates/contract/contract/schemas");
    let mut areas = BTreeMap::new();
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        let area = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let schemas: BTreeMap<String, serde_json::Value> =
            serde_json::from_str(&std::fs::read_to_string(&path)?)?;
        areas.extend(schemas.into_keys().map(|name| (name, names::module(area))));
    }
    Ok(areas)
}

/// Returns the files that differ from the generated ones or should not exist.
fn stale(target: &Path, wanted: &BTreeMap<PathBuf, String>) -> Result<BTreeSet<PathBuf>> {
    let differs = |(path, text): &(&PathBuf, &String)| {
        std::fs::read_to_string(path).ok().as_ref() != Some(*text)
    };
    let mut stale: BTreeSet<PathBuf> =
        wanted.iter().filter(differs).map(|(path, _)| path.clone()).collect();
    for folder in FOLDERS {
        let Ok(entries) = std::fs::read_dir(target.join(folder)) else {
            continue;
        };
        for entry in entries {
            let path = entry?.path();
            if !wanted.contains_key(&path) {
                stale.insert(path);
            }
        }
    }
    Ok(stale)
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text).with_context(|| path.display().to_string())
}

fn formatted(text: &str) -> Result<String> {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path"])
        .arg(crate::workspace::root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("rustfmt formats the generated code")?;
    let mut input = rustfmt.stdin.take().context("rustfmt reads")?;
    input.write_all(text.as_bytes())?;
    drop(input);
    let output = rustfmt.wait_with_output()?;
    ensure!(output.status.success(), "rustfmt refuses:\n{text}");
    Ok(String::from_utf8(output.stdout)?)
}
