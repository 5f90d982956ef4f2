//! Checks that the manual's table of contents lists every page, and that links between documents
//! are valid.

use super::Outcome;
use crate::workspace::{files, read_text, root};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The manual's folder, followed by files in it that do not belong to the manual.
const MANUAL: &str = "docs";
const EXCLUDED: [&str; 3] = ["docs/decisions", "docs/reports", "docs/SUMMARY.md"];

pub(super) fn run() -> Result<Outcome> {
    let mut complaints = Vec::new();
    let summary = read_text(&Path::new(MANUAL).join("SUMMARY.md"))?.context("docs/SUMMARY.md")?;
    let listed: Vec<PathBuf> =
        links(&summary).iter().map(|link| Path::new(MANUAL).join(link)).collect();
    for path in files()? {
        let outer = path.components().count() == 1;
        let in_manual = path.starts_with(MANUAL);
        if path.extension().is_none_or(|end| end != "md") || !(outer || in_manual) {
            continue;
        }
        let belongs = in_manual && !EXCLUDED.iter().any(|other| path.starts_with(other));
        if belongs && !listed.contains(&path) {
            complaints.push(format!("{}: not in docs/SUMMARY.md", path.display()));
        }
        let text = read_text(&path)?.unwrap_or_default();
        let folder = path.parent().unwrap_or(Path::new(""));
        for link in links(&text) {
            if !root().join(folder).join(&link).exists() {
                complaints
                    .push(format!("{}: links to {link}, which does not exist", path.display()));
            }
        }
    }
    Ok(Outcome::of(complaints))
}

/// Returns the targets of links to files, outside of code and without anchors.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let ticks = line.trim_start();
        let ticks = ticks.get(..ticks.len() - ticks.trim_start_matches('`').len()).unwrap_or("");
        if let Some(open) = fence {
            if ticks.len() >= open.len() {
                fence = None;
            }
            continue;
        }
        if ticks.len() >= 3 {
            fence = Some(ticks);
            continue;
        }
        // Every second part between backticks is code.
        for prose in line.split('`').step_by(2) {
            let markdown =
                prose.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
            let html = prose.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
            found.extend(markdown.chain(html).filter_map(file_of));
        }
    }
    found
}

/// Returns the file of a link's target; `None` for external addresses and anchors of the same page.
fn file_of(target: &str) -> Option<String> {
    let file = target.split('#').next().unwrap_or_default();
    (!file.is_empty() && !file.contains(':')).then(|| file.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_files_are_found_outside_code() {
        let check = |text: &str, expect: &[&str]| assert_eq!(links(text), expect, "{text}");
        check("[a](b.md) and ![c](d.png \"t\")", &["b.md", "d.png"]);
        check("[a](b.md#c) [d](#e) [f](https://g.example)", &["b.md"]);
        check("<a href=\"x/y.md\">y</a>", &["x/y.md"]);
        check("`[a](b.md)`", &[]);
        check("````\n```\n[a](b.md)\n```\n````\n[c](d.md)", &["d.md"]);
    }
}
