//! Rejects long test functions, and warns about long files. Long files do not fail the check,
//! because only a person can decide where a file should be divided.

use super::Outcome;
use crate::workspace::{read_text, rust_files};
use anyhow::Result;

const MAX_LINES: usize = 700;
const MAX_TEST_LINES: usize = 60;

pub(super) fn run() -> Result<Outcome> {
    let (mut files, mut tests) = (Vec::new(), Vec::new());
    for path in rust_files("")? {
        let text = read_text(&path)?.unwrap_or_default();
        let lines = text.lines().count();
        if lines > MAX_LINES && !text.contains("@generated") {
            files.push(format!("{}: {lines} lines", path.display()));
        }
        let long = long_tests(&text).into_iter();
        tests.extend(long.map(|(name, lines)| {
            format!(
                "{}: the test {name} has {lines} lines, at most {MAX_TEST_LINES} are allowed",
                path.display()
            )
        }));
    }
    Ok(match (files.is_empty(), tests.is_empty()) {
        (true, true) => Outcome::Passed,
        (false, true) => Outcome::Warned(files),
        _ => Outcome::of(tests),
    })
}

/// Returns the names and the lengths of the tests that are too long, from `fn` to the closing
/// brace. The source is formatted: the closing brace has the indentation of the function.
fn long_tests(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let mut is_test = false;
    for (at, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        if code == "#[test]" || code.starts_with("#[tokio::test") {
            is_test = true;
        }
        let Some((before, after)) = code.split_once("fn ").filter(|_| is_test) else {
            continue;
        };
        if !matches!(before.trim_end(), "" | "async") {
            continue;
        }
        is_test = false;
        let indentation = &line[..line.len() - code.len()];
        let ends = |line: &&str| line.strip_prefix(indentation) == Some("}");
        let length = lines[at..].iter().position(ends).map_or(1, |end| end + 1);
        if length > MAX_TEST_LINES {
            found.push((after.split('(').next().unwrap_or(after), length));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_of(lines: usize) -> String {
        format!("#[test]\nfn one() {{\n{}}}\n", "    step();\n".repeat(lines - 2))
    }

    #[test]
    fn only_long_tests_are_found() {
        assert!(long_tests(&test_of(MAX_TEST_LINES)).is_empty());
        assert_eq!(long_tests(&test_of(MAX_TEST_LINES + 1)), [("one", MAX_TEST_LINES + 1)]);
        let helper = test_of(MAX_TEST_LINES + 1).replace("#[test]\n", "");
        assert!(long_tests(&helper).is_empty());
        let inner = test_of(MAX_TEST_LINES + 1).replace('\n', "\n    ");
        assert_eq!(long_tests(&inner), [("one", MAX_TEST_LINES + 1)]);
        let asynchronous = test_of(70).replace("fn", "async fn").replace("test]", "tokio::test]");
        assert_eq!(long_tests(&asynchronous), [("one", 70)]);
    }
}
