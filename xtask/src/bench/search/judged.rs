//! Judged queries, and the quality of the results of an engine.

use super::{Found, Space};
use anyhow::{Result, ensure};

/// Queries that rules of the engine were compared with.
const TUNED: &str = include_str!("../../../data/search-judged.tsv");
/// Queries that were written before any engine ran them.
const FRESH: &str = include_str!("../../../data/search-judged-fresh.tsv");

/// A query with the pages that should come first.
pub(super) struct Query {
    pub(super) is_fresh: bool,
    pub(super) kind: &'static str,
    pub(super) space: usize,
    pub(super) text: &'static str,
    /// Positions in the pages of the space.
    expected: Vec<usize>,
}

/// Reads the queries. Those whose pages are not published are left out.
pub(super) fn read(spaces: &[Space]) -> Result<Vec<Query>> {
    let mut queries = Vec::new();
    for (is_fresh, lines) in [(false, TUNED), (true, FRESH)] {
        for line in lines.lines().filter(|line| !line.starts_with('#')) {
            let columns: Vec<&str> = line.split('\t').collect();
            ensure!(columns.len() == 4, "not four columns: {line}");
            let [name, kind, text, expected] = columns[..] else { continue };
            let space = spaces.iter().position(|space| space.name == name);
            let pages = space.and_then(|space| spaces.get(space)).map(|space| &space.pages);
            let expected: Vec<usize> = expected
                .split('|')
                .filter_map(|path| pages?.iter().position(|page| page.path == path))
                .collect();
            match space {
                Some(space) if !expected.is_empty() => {
                    queries.push(Query { is_fresh, kind, space, text, expected });
                }
                _ => println!("left out, because its page is not published: {name} {text:?}"),
            }
        }
    }
    Ok(queries)
}

/// Returns the kinds of queries, sorted.
pub(super) fn kinds(queries: &[Query]) -> Vec<&'static str> {
    let mut kinds: Vec<&str> = queries.iter().map(|query| query.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// The quality of the results of some queries.
pub(super) struct Score {
    /// The share of queries with an expected page in the first place.
    pub(super) one: f64,
    /// The same for the first three places.
    pub(super) three: f64,
    /// The mean reciprocal rank.
    pub(super) mrr: f64,
}

/// An engine with its results for all queries.
pub(super) struct Engine {
    pub(super) name: &'static str,
    /// The ranks of the first expected pages, counted from 1.
    ranks: Vec<Option<usize>>,
    /// The times of the queries in seconds, sorted.
    times: Vec<f64>,
    /// The size of the index with the stored texts.
    bytes: u64,
}

impl Engine {
    pub(super) fn new(name: &'static str, queries: &[Query], found: &[Found], bytes: u64) -> Self {
        let ranks = queries.iter().zip(found).map(|(query, found)| {
            let rank = found.pages.iter().position(|page| query.expected.contains(page));
            rank.map(|rank| rank + 1)
        });
        let ranks = ranks.collect();
        let mut times: Vec<f64> = found.iter().map(|found| found.seconds).collect();
        times.sort_by(f64::total_cmp);
        Self { name, ranks, times, bytes }
    }

    /// Returns the quality of the results of the queries that `is_counted` selects.
    #[expect(clippy::cast_precision_loss, reason = "a figure of a report")]
    pub(super) fn score(&self, queries: &[Query], is_counted: impl Fn(&Query) -> bool) -> Score {
        let counted = queries.iter().zip(&self.ranks).filter(|(query, _)| is_counted(query));
        let ranks: Vec<Option<usize>> = counted.map(|(_, rank)| *rank).collect();
        let share = |most: usize| {
            let found = ranks.iter().flatten().filter(|rank| **rank <= most).count();
            found as f64 / ranks.len().max(1) as f64
        };
        let sum = ranks.iter().flatten().fold(0.0, |sum, rank| sum + 1.0 / *rank as f64);
        Score { one: share(1), three: share(3), mrr: sum / ranks.len().max(1) as f64 }
    }

    /// Returns a percentile of the times in milliseconds.
    fn percentile(&self, percent: usize) -> f64 {
        let at = self.times.len() * percent / 100;
        self.times.get(at).copied().unwrap_or(f64::NAN) * 1e3
    }
}

/// Prints the quality by kind and set, and the times and sizes.
pub(super) fn report(queries: &[Query], engines: &[&Engine]) {
    println!("\nsuccess@1, success@3 and mean reciprocal rank");
    print!("{:24} {:>7}", "", "queries");
    for engine in engines {
        print!("   {:17}", engine.name);
    }
    println!();
    let line = |name: &str, is_counted: &dyn Fn(&Query) -> bool| {
        let count = queries.iter().filter(|query| is_counted(query)).count();
        if count == 0 {
            return;
        }
        print!("{name:24} {count:>7}");
        for engine in engines {
            let Score { one, three, mrr } = engine.score(queries, is_counted);
            print!("   {one:.3} {three:.3} {mrr:.3}");
        }
        println!();
    };
    for kind in kinds(queries) {
        line(kind, &|query| query.kind == kind);
        line("  of them fresh", &|query| query.kind == kind && query.is_fresh);
    }
    line("all", &|_| true);
    line("  of them fresh", &|query| query.is_fresh);
    println!("\n{:24} {:>10} {:>10} {:>10}", "", "p50", "p99", "index");
    for engine in engines {
        println!(
            "{:24} {:>7.2} ms {:>7.2} ms {:>10}",
            engine.name,
            engine.percentile(50),
            engine.percentile(99),
            crate::bench::megabytes(engine.bytes)
        );
    }
    println!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quality_is_that_of_the_first_expected_page() {
        let query = |expected| Query {
            is_fresh: false,
            kind: "typo",
            space: 0,
            text: "",
            expected: vec![expected],
        };
        let queries = [query(3), query(9)];
        let found = [(); 2].map(|()| Found { pages: vec![7, 3], seconds: 0.1 });
        let engine = Engine::new("tested", &queries, &found, 0);
        let Score { one, three, mrr } = engine.score(&queries, |_| true);
        assert_eq!([one, three, mrr].map(|share| (share * 100.0).round()), [0.0, 50.0, 25.0]);
    }
}
