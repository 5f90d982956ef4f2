//! Finds the specification examples in the tests of the CommonMark parser's source.

use std::path::PathBuf;
use std::process::Command;

/// The test files of the parser and the names of their examples.
const SUITES: [(&str, &str); 4] = [
    ("spec.rs", "spec"),
    ("gfm_table.rs", "gfm-table"),
    ("gfm_strikethrough.rs", "gfm-strikethrough"),
    ("gfm_tasklist.rs", "gfm-tasklist"),
];

/// An example from a specification.
pub(crate) struct Example {
    /// The suite and number.
    pub(crate) name: String,
    /// The Markdown source.
    pub(crate) source: String,
    /// The expected HTML.
    pub(crate) html: String,
}

/// Returns all examples, or `None` if the sources are not installed or lack their tests.
pub(crate) fn examples() -> Option<Vec<Example>> {
    let folder = sources()?.join("tests/suite");
    let mut examples = Vec::new();
    for (file, kind) in SUITES {
        let text = std::fs::read_to_string(folder.join(file)).ok()?;
        for (n, test) in text.split("#[test]").skip(1).enumerate() {
            let mut literals = test.split("r##\"").skip(1).map(|rest| rest.split("\"##").next());
            examples.push(Example {
                name: format!("{kind}-{}", n + 1),
                source: literals.next()??.to_owned(),
                html: literals.next()??.to_owned(),
            });
        }
    }
    Some(examples)
}

/// Returns the source directory of the parser with which this crate is built.
fn sources() -> Option<PathBuf> {
    let cargo = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO")).args(arguments).output().ok()?;
        String::from_utf8(output.stdout).ok().filter(|_| output.status.success())
    };
    let version = cargo(&["-vV"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "))?;
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let metadata = cargo(&[
        "metadata",
        "--offline",
        "--locked",
        "--format-version=1",
        "--filter-platform",
        host,
        "--manifest-path",
        manifest,
    ])?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata).ok()?;
    let packages = metadata["packages"].as_array()?;
    let package = packages.iter().find(|package| package["name"] == "pulldown-cmark")?;
    Some(PathBuf::from(package["manifest_path"].as_str()?).parent()?.to_owned())
}
