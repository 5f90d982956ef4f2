//! `cargo xtask report`: measures the product on a corpus and writes what it found among the
//! project's documents.

use crate::workspace::{cargo, read_text, root};
use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use std::ffi::OsStr;
use std::path::Path;

#[derive(Args)]
pub(crate) struct Options {
    /// What to report on
    name: Name,
}

#[derive(Clone, Copy, ValueEnum)]
enum Name {
    /// How documents come through reading, editing and printing: docs/reports/content.md
    Content,
}

/// Names the folder of repositories.
const CORPUS: &str = "BINDERY_CORPUS";
const CONTENT: &str = "docs/reports/content.md";

const HEAD: &str = "\
# How documents come through

What teams write in Git has to come out of Bindery as it went in. This report says how far that holds on real repositories. `cargo xtask report content` writes it, with `BINDERY_CORPUS` naming a folder with a repository in each subfolder. A folder `page-edits` in it holds edits of people, as `before.md` and `after.md`.

The corpus of this report is not part of the project, as its texts belong to others: public documentation repositories in the format that the dialect comes from, in several languages, some written by the exporter alone and some by hand. Counts depend on nothing but the corpus and the program; a test compares them where the corpus is at hand. To see the same on your own repository: `bindery content print FOLDER --out DIR`, with `--edits SEED` for edits by chance, writes every file as it is printed, and `DIR/report.json`.

";

const SPEED: &str = "
## Speed and memory

These figures are of the machine that wrote this report; the ratios, taken from the same pages in turn in one run, are what carries over; on a machine that builds other things at the same time they were seen to fall to 0.33. `cargo xtask bench content` prints them. Reading to the document model includes places in the source, keys, anchors and references; comrak and pulldown-cmark read less. Pages of memory are those from a kilobyte on. Below them are sources that nobody writes, made of the smallest pieces there are, where a node is larger than its source.

";

/// Writes a report; false when a figure in it misses its aim.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let Name::Content = options.name;
    let folder = std::env::var_os(CORPUS)
        .with_context(|| format!("{CORPUS} names a folder of repositories to report on"))?;
    let (counts, _) = example("report", &[&folder])?;
    let (speed, reached) = example("compare", &[&folder, OsStr::new("5")])?;
    // Pages are named by their paths in the corpus.
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

/// What the tests know of the specifications' examples: which are read otherwise, and why.
fn differences() -> Result<String> {
    let path = Path::new("crates/content/tests/commonmark/differences.txt");
    if !root().join(path).is_file() {
        return Ok(String::new());
    }
    let list = read_text(path)?.unwrap_or_default();
    let count: usize =
        list.lines().filter(|l| l.starts_with(' ')).flat_map(str::split_whitespace).count();
    let mut section = format!(
        "\n## CommonMark and GFM\n\nA test reads every example of the two specifications. {count} \
         are read otherwise, because the dialect says so:\n\n"
    );
    for line in list.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("  ") {
            Some(names) => section.push_str(&format!("  `{names}`\n")),
            None => section.push_str(&format!("* {line}\n")),
        }
    }
    Ok(section)
}

/// What an example of the content crate prints, and whether it reached its aims.
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
