//! The speed of the engine with pages of 4 KB, measured by the example `bench` of its crate.

use crate::bench::verdict;
use crate::process::{self, Group};
use crate::workspace::{cargo, target_dir};
use anyhow::{Context, Result, ensure};
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

const PAGES: usize = 100_000;
/// Spaces of ten pages that are indexed beside the large one.
const SPACES: usize = 10_000;
/// The beginning of the lines of the example with a figure: a name and a number.
const FIGURE: &str = "figure ";
/// Maximum factor by which a space may be slower among others than alone, with the variation
/// between two measurements.
const MAX_SLOWER: f64 = 1.1;

/// A limit of a figure.
enum Limit {
    Most(f64),
    Least(f64),
}

const LIMITS: [(&str, Limit); 8] = [
    ("query p50 ms", Limit::Most(2.0)),
    ("query p99 ms", Limit::Most(15.0)),
    ("indexed pages/s", Limit::Least(5_000.0)),
    ("index bytes per byte of text", Limit::Most(1.0)),
    ("changed page p50 ms", Limit::Most(20.0)),
    ("changed page longest ms", Limit::Most(1_000.0)),
    ("idle index MB", Limit::Most(50.0)),
    ("idle index resident MB", Limit::Most(50.0)),
];

/// Measures the index. Prints the figures with their limits.
pub(super) fn run(corpus: &Path, pages: Option<usize>) -> Result<bool> {
    let mut build = cargo();
    build.args(["build", "--release", "--workspace", "--example", "bench"]);
    ensure!(process::run(&mut build)?, "the example could not be built");
    let mut example = Command::new(target_dir().join("release/examples/bench"));
    example.arg(corpus).arg(pages.unwrap_or(PAGES).to_string()).arg(SPACES.to_string());
    let figures = figures(&mut example)?;
    let figure = |name: &str| {
        figures.get(name).copied().with_context(|| format!("the example printed no {name:?}"))
    };
    let mut reached = true;
    for (name, limit) in LIMITS {
        let value = figure(name)?;
        let (word, limit, fine) = match limit {
            Limit::Most(most) => ("at most", most, value <= most),
            Limit::Least(least) => ("at least", least, value >= least),
        };
        reached &= verdict(&format!("{name} {value:.2}, {word} {limit}"), fine);
    }
    for percentile in ["p50", "p99"] {
        let alone = figure(&format!("query {percentile} ms"))?;
        let among = figure(&format!("query among others {percentile} ms"))?;
        let text = format!("{percentile} among {SPACES} spaces {among:.2} ms, alone {alone:.2} ms");
        reached &= verdict(&text, among <= alone * MAX_SLOWER);
    }
    Ok(reached)
}

/// Runs the example, prints its output, and returns its figures.
fn figures(example: &mut Command) -> Result<HashMap<String, f64>> {
    let mut child = Group::start(example.stdin(Stdio::null()).stdout(Stdio::piped()))?;
    let output = child.child.stdout.take().context("the output of the example")?;
    let mut figures = HashMap::new();
    for line in BufReader::new(output).lines() {
        let line = line?;
        process::check_interrupted()?;
        match line.strip_prefix(FIGURE).and_then(figure) {
            Some((name, value)) => {
                figures.insert(name, value);
            }
            None => println!("{line}"),
        }
    }
    ensure!(child.child.wait()?.success(), "the example failed");
    Ok(figures)
}

/// Reads a name and a number: `query p50 ms: 1.5`.
fn figure(text: &str) -> Option<(String, f64)> {
    let (name, value) = text.rsplit_once(": ")?;
    Some((name.to_owned(), value.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_names() {
        assert_eq!(figure("query p50 ms: 1.5"), Some(("query p50 ms".into(), 1.5)));
        assert_eq!(figure("query p50 ms"), None);
    }
}
