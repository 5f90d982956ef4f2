//! `cargo xtask report`: measures the product with a corpus and writes a report to the project's
//! documents.

use crate::workspace::{cargo, read_text, root};
use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use std::ffi::OsStr;
use std::path::Path;

#[derive(Args)]
pub(crate) struct Options {
    /// Report to write
    name: Name,
}

#[derive(Clone, Copy, ValueEnum)]
enum Name {
    /// Preservation of documents when reading, editing and printing: docs/reports/content.md
    Content,
}

/// The environment variable that names the folder of repositories.
const CORPUS: &str = "BINDERY_CORPUS";
const CONTENT: &str = "docs/reports/content.md";

const HEAD: &str = "\
# Document fidelity

Content from Git must leave Bindery unchanged. This report measures that on real repositories. `cargo xtask report content` generates it; `BINDERY_CORPUS` names a folder with one repository in each subfolder. The subfolder `page-edits` contains real edits as pairs of `before.md` and `after.md`.

The corpus is not part of the project, because its texts belong to others: public documentation repositories in the format of the dialect, in several languages, some written by an exporter only and some by hand. The counts depend only on the corpus and the program; a test compares them if the corpus is available. To measure your own repository, run `bindery content print FOLDER --out DIR`, with `--edits SEED` for random edits; it prints all files and writes `DIR/report.json`.

";

const SPEED: &str = "
## Speed and memory

The figures are from the machine that generated this report. Only the ratios, measured on the same pages alternately in one run, apply to other machines; on a busy machine they fell to 0.33. `cargo xtask bench content` prints them. Parsing to the document model includes source positions, keys, anchors and references, which comrak and pulldown-cmark do not compute. The memory figures are for pages of at least one kilobyte. The figures below them are for artificial sources of the smallest possible elements, whose nodes are larger than their source.

";

/// Writes a report. Returns `false` if a measurement misses its target.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let Name::Content = options.name;
    let folder = std::env::var_os(CORPUS)
        .with_context(|| format!("{CORPUS} names a folder of repositories to report on"))?;
    let (counts, _) = example("report", &[&folder])?;
    let (speed, reached) = example("compare", &[&folder, OsStr::new("5")])?;
    // The report names pages by their paths within the corpus.
    let prefix = format!("{}/", folder.to_string_lossy().trim_end_matches('/'));
    let speed = speed.replace(&prefix, "");
    let examples = differences()?;
    let report = format!("{HEAD}{counts}{examples}{SPEED}```text\n{speed}```\n");
    let path = root().join(CONTENT);
    std::fs::create_dir_all(path.parent().unwrap_or(root()))?;
    std::fs::write(&path, report).with_context(|| format!("{CONTENT} cannot be written"))?;
    println!("{CONTENT} is written");
    Ok(reached)
}

/// Returns the section about examples of the specifications that are parsed differently, with the
/// reasons.
fn differences() -> Result<String> {
    let path = Path::new("crates/content/tests/commonmark/differences.txt");
    if !root().join(path).is_file() {
        return Ok(String::new());
    }
    let list = read_text(path)?.unwrap_or_default();
    let count: usize =
        list.lines().filter(|l| l.starts_with(' ')).flat_map(str::split_whitespace).count();
    let mut section = format!(
        "\n## CommonMark and GFM\n\nA test parses all examples of the two specifications. {count} \
         have a different result, as the dialect requires:\n\n"
    );
    for line in list.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("  ") {
            Some(names) => section.push_str(&format!("  `{names}`\n")),
            None => section.push_str(&format!("* {line}\n")),
        }
    }
    Ok(section)
}

/// Runs an example of the content crate. Returns its output, and `true` if it reached its targets.
fn example(name: &str, arguments: &[&OsStr]) -> Result<(String, bool)> {
    let output = cargo()
        .args(["run", "--quiet", "--release", "--package", "bindery-content", "--example", name])
        .arg("--")
        .args(arguments)
        .output()
        .with_context(|| format!("the example {name} could not be run"))?;
    let text = String::from_utf8(output.stdout).context("a report is UTF-8")?;
    ensure!(!text.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok((text, output.status.success()))
}
