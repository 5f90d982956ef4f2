//! The files of the repositories in `BINDERY_CORPUS`.

use anyhow::{Context, Result};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the folders of the repositories that have a table of contents, in alphabetical order.
pub(super) fn repositories() -> Result<Vec<PathBuf>> {
    let corpus = std::env::var_os("BINDERY_CORPUS").context("BINDERY_CORPUS is not set")?;
    let mut folders: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(corpus)? {
        let folder = entry?.path();
        if folder.join("SUMMARY.md").is_file() {
            folders.push(folder);
        }
    }
    folders.sort();
    Ok(folders)
}

/// Returns the paths and contents of all files below a folder, except those of Git itself.
pub(super) fn files(folder: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    collect(folder, "", &mut files)?;
    Ok(files)
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() && name != ".git" {
            collect(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file() {
            files.push((path, fs::read(entry.path())?));
        }
    }
    Ok(())
}

/// Returns the path in the repository and the path on the site of each page of a revision that comes
/// from a file, in the order of the revision.
pub(super) fn pages(revision: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let of = |page: &Value| page.get("pages").and_then(Value::as_array).cloned();
    let mut waiting: Vec<Value> = of(revision).into_iter().flatten().rev().collect();
    while let Some(page) = waiting.pop() {
        let text = |pointer: &str| page.pointer(pointer).and_then(Value::as_str);
        if let (Some("document"), Some(source), Some(path)) =
            (text("/type"), text("/git/path"), text("/path"))
        {
            found.push((source.to_owned(), path.to_owned()));
        }
        waiting.extend(of(&page).into_iter().flatten().rev());
    }
    found
}
