//! Compares descriptions of a folder and tells how often the changes are those that are expected.
//!
//! Each file `NAME.json` of the folder is a case:
//!
//! ```json
//! {
//!   "before": "one.yaml", "after": "two.yaml", "today": "2026-01-31",
//!   "level": "info", "rules": ["request-parameter-removed"], "is_whole": true,
//!   "absent": [], "count": 1,
//!   "expected": [{"rule": "request-parameter-removed", "method": "get", "path": "/ships"}]
//! }
//! ```
//!
//! Only changes of the `rules` count if there are any, and only those of at least the `level`. Other
//! changes than the expected ones are permitted unless the case `is_whole` or states their `count`, and
//! except for the rules that are `absent`. A change that is expected can leave out its level, method
//! and path; the names of parameters in paths do not matter.
//!
//! Run it with `cargo run --release --example agreement -- FOLDER`, or with two files to see the
//! changes from the first to the second.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "printing is its purpose")]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bindery_openapi::{Change, Day, Description, Level, Loader, compare_on};
use serde::Deserialize;

type Failure = Box<dyn Error>;

#[derive(Deserialize)]
struct Case {
    before: PathBuf,
    after: PathBuf,
    today: Option<String>,
    level: String,
    rules: Vec<String>,
    is_whole: bool,
    absent: Vec<String>,
    count: Option<usize>,
    expected: Vec<Expected>,
}

#[derive(Deserialize, Debug)]
struct Expected {
    rule: String,
    level: Option<String>,
    method: Option<String>,
    path: Option<String>,
}

impl Expected {
    fn is(&self, change: &Change) -> bool {
        self.rule == change.rule
            && self.level.as_ref().is_none_or(|level| level_of(level) == change.level)
            && self.method.as_ref().is_none_or(|method| method.eq_ignore_ascii_case(&change.method))
            && self.path.as_ref().is_none_or(|path| shape(path) == shape(&change.path))
    }
}

/// Returns a path without the names of its parameters, which can differ in both states.
fn shape(path: &str) -> String {
    let parts = path.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    parts.collect::<Vec<_>>().join("{}")
}

fn level_of(name: &str) -> Level {
    match name {
        "breaking" => Level::Breaking,
        "warning" => Level::Warning,
        _ => Level::Info,
    }
}

/// Reads a description with the files that it refers to.
fn read(path: &Path) -> Result<Description, Failure> {
    let path = path.canonicalize()?;
    let url = format!("file://{}", path.display());
    let mut loader = Loader::new(Some(url.parse()?));
    loader.add(std::fs::read_to_string(path)?);
    while let Some(wanted) = loader.wanted(1).pop() {
        let text = wanted.url.to_file_path().map_err(|()| "this is no file".to_owned());
        let text =
            text.and_then(|path| std::fs::read_to_string(path).map_err(|error| error.to_string()));
        match text {
            Ok(text) => loader.found(&wanted, &wanted.url, text),
            Err(reason) => loader.lost(&wanted, &reason),
        }
    }
    loader.finish().map_err(|problems| format!("{:?}", problems.first()).into())
}

/// Returns what is wrong with the changes of a case.
fn judged(folder: &Path, case: &Case) -> Result<Vec<String>, Failure> {
    let (before, after) = (read(&folder.join(&case.before))?, read(&folder.join(&case.after))?);
    let today = case.today.as_deref().and_then(Day::parse);
    let mut changes = compare_on(&before, &after, today);
    changes.retain(|change| {
        let is_judged = case.rules.is_empty() || case.rules.iter().any(|rule| rule == change.rule);
        is_judged && change.level >= level_of(&case.level)
    });
    let mut wrong = Vec::new();
    if case.count.is_some_and(|count| count != changes.len()) {
        wrong.push(format!("found {} changes, expected {:?}", changes.len(), case.count));
    }
    let is_absent = |change: &&Change| case.absent.iter().any(|rule| rule == change.rule);
    wrong.extend(changes.iter().filter(is_absent).map(|change| format!("not absent: {change:?}")));
    for expected in &case.expected {
        match changes.iter().position(|change| expected.is(change)) {
            Some(at) => {
                changes.remove(at);
            }
            None => wrong.push(format!("missing {expected:?}")),
        }
    }
    if case.is_whole {
        wrong.extend(changes.iter().map(|change| format!("found {change:?}")));
    }
    Ok(wrong)
}

fn print(before: &Path, after: &Path) -> Result<(), Failure> {
    let (before, after) = (read(before)?, read(after)?);
    let start = Instant::now();
    let changes = compare_on(&before, &after, None);
    let time = start.elapsed();
    for Change { rule, level, method, path, text, .. } in &changes {
        println!("{level:?} {rule}: {method} {path}: {text}");
    }
    eprintln!("{} changes in {time:?}", changes.len());
    Ok(())
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let folder = match arguments.as_slice() {
        [before, after] => return print(before, after),
        [folder] => folder,
        _ => return Err("found no folder; expected: a folder of cases, or two files".into()),
    };
    let files = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let files = files.collect::<Result<BTreeSet<PathBuf>, Failure>>()?;
    let (mut agreed, mut all) = (0, 0);
    let mut rules: BTreeMap<String, bool> = BTreeMap::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "json")) {
        let case: Case = serde_json::from_str(&std::fs::read_to_string(file)?)?;
        let wrong = judged(folder, &case).unwrap_or_else(|error| vec![error.to_string()]);
        all += 1;
        agreed += usize::from(wrong.is_empty());
        for expected in &case.expected {
            *rules.entry(expected.rule.clone()).or_insert(true) &= wrong.is_empty();
        }
        for problem in wrong {
            println!("{}: {problem}", file.file_stem().unwrap_or_default().display());
        }
    }
    let (right, known) = (rules.values().filter(|right| **right).count(), rules.len());
    println!("agree {agreed} of {all} cases, {right} of {known} rules");
    Ok(())
}
