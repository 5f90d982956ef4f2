//! Pagefind on the published pages.

use super::judged::Query;
use super::{Found, RESULTS, Space};
use crate::workspace::{find_program, target_dir};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The advice if it cannot be installed.
pub(super) const HOW_TO_INSTALL: &str =
    "which needs Node.js and npm (Debian and Ubuntu: apt-get install nodejs npm)";
const VERSION: &str = "1.6.0";
const SCRIPT: &str = include_str!("pagefind.mjs");

/// Indexes the pages and runs the queries. Returns the results and the size of the indexes, or
/// `None` without Node.js and npm.
pub(super) fn search(spaces: &[Space], queries: &[Query]) -> Result<Option<(Vec<Found>, u64)>> {
    let Some(node) = find_program("node") else { return Ok(None) };
    let Some(packages) = package()? else { return Ok(None) };
    let folder = tempfile::Builder::new().prefix("bindery-peer-").tempdir()?;
    let (script, input) = (folder.path().join("search.mjs"), folder.path().join("input.json"));
    let output = folder.path().join("indexes");
    std::fs::write(&script, SCRIPT)?;
    std::fs::write(&input, document(spaces, queries).to_string())?;
    let mut command = Command::new(node);
    command.arg(script).arg(packages).arg(input).arg(&output);
    let answer = command.stderr(Stdio::inherit()).output().context("node could not be started")?;
    ensure!(answer.status.success(), "Pagefind failed");
    // Messages of the indexer come before the results.
    let text = String::from_utf8(answer.stdout)?;
    let results: Vec<Value> = serde_json::from_str(text.lines().last().unwrap_or_default())?;
    ensure!(results.len() == queries.len(), "Pagefind answered {} queries", results.len());
    let found = results.iter().map(|result| {
        let pages = result.get("pages").and_then(Value::as_array).into_iter().flatten();
        let pages = pages.filter_map(|page| page.as_u64().and_then(|page| page.try_into().ok()));
        let seconds = result.get("seconds").and_then(Value::as_f64).unwrap_or(f64::NAN);
        Found { pages: pages.collect(), seconds }
    });
    let bytes = super::folder_bytes(&output)?;
    Ok(Some((found.collect(), bytes)))
}

/// Returns the folder with the installed package, which is beside the results of builds. Returns
/// `None` if there is no npm.
fn package() -> Result<Option<PathBuf>> {
    let folder = target_dir().join("tools").join(format!("pagefind-{VERSION}"));
    if folder.join("node_modules/pagefind/package.json").is_file() {
        return Ok(Some(folder));
    }
    let Some(npm) = find_program("npm") else { return Ok(None) };
    println!("installing Pagefind {VERSION} once, into {}", folder.display());
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("package.json"), "{ \"private\": true }\n")?;
    let mut install = Command::new(npm);
    install.args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]);
    install.arg(&folder).arg(format!("pagefind@{VERSION}"));
    ensure!(crate::process::run(&mut install)?, "npm could not install Pagefind");
    Ok(Some(folder))
}

/// Returns the pages as plain documents, and the queries.
fn document(spaces: &[Space], queries: &[Query]) -> Value {
    let spaces = spaces.iter().map(|space| {
        let pages = space.pages.iter().map(|page| {
            let title = page.title.replace('&', "&amp;").replace('<', "&lt;");
            let head = format!("<!DOCTYPE html><html lang=\"{}\">", space.language);
            format!(
                "{head}<title>{title}</title><main><h1>{title}</h1>\n{}</main></html>",
                page.html
            )
        });
        json!({ "language": space.language, "pages": pages.collect::<Vec<_>>() })
    });
    let queries = queries.iter().map(|query| json!({ "space": query.space, "text": query.text }));
    json!({
        "spaces": spaces.collect::<Vec<_>>(),
        "queries": queries.collect::<Vec<_>>(),
        "limit": RESULTS,
    })
}
