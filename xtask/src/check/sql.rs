//! Checks that only `crates/store` contains SQL, where one test suite runs it on both engines.

use super::Outcome;
use crate::workspace::{read_text, rust_files};
use anyhow::Result;
use std::path::Path;

/// The keywords that begin a statement, in upper case as in the store.
const STATEMENTS: [&str; 7] = [
    "SELECT ",
    "INSERT INTO ",
    "DELETE FROM ",
    "CREATE TABLE ",
    "ALTER TABLE ",
    "DROP TABLE ",
    "UPDATE ",
];

pub(super) fn run() -> Result<Outcome> {
    let mut complaints = Vec::new();
    for path in rust_files("crates")? {
        if path.starts_with("crates/store") || is_test(&path) {
            continue;
        }
        let text = read_text(&path)?.unwrap_or_default();
        for line in lines_with_sql(&text) {
            complaints.push(format!("{}:{line}: SQL text outside crates/store", path.display()));
        }
    }
    Ok(Outcome::of(complaints))
}

/// Tests can contain SQL as sample text, such as code blocks.
fn is_test(path: &Path) -> bool {
    path.components().any(|part| {
        let name = part.as_os_str();
        name == "tests" || name == "tests.rs" || name == "benches"
    })
}

/// Returns the numbers of lines in which a string begins with a statement, except in the tests at
/// the end of a file.
fn lines_with_sql(text: &str) -> Vec<usize> {
    text.lines()
        .enumerate()
        .take_while(|(_, line)| !line.starts_with("#[cfg(test)]"))
        .filter(|(_, line)| {
            line.split('"').skip(1).step_by(2).any(|literal| {
                STATEMENTS.iter().any(|statement| literal.trim_start().starts_with(statement))
            })
        })
        .map(|(index, _)| index + 1)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_statements_in_strings_count() {
        let check =
            |text: &str, expect: &[usize]| assert_eq!(lines_with_sql(text), expect, "{text}");
        check("let q = \"SELECT 1\";", &[1]);
        check("// SELECT 1", &[]);
        check("x\nlet q = (\"a\", \"INSERT INTO t\");", &[2]);
        check("\"Select a page\"", &[]);
        check("#[cfg(test)]\n\"SELECT 1\"", &[]);
    }
}
