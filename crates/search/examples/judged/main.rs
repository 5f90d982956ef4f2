//! Runs judged queries on real repositories and prints how often the right page comes first.
//!
//! `cargo run --release -p bindery-search --example judged -- CORPUS QUERIES [FAILED]` prints the
//! share of queries with an expected page in the first and in the first three places, and the mean
//! reciprocal rank, by kind of query. With a third argument it lists the queries that fail.
//!
//! `… -- CORPUS ask SPACE QUERY` shows the result of one query; `SPACE` is a part of its name.

#![expect(clippy::print_stdout, reason = "printing is its purpose")]
#![expect(clippy::unwrap_used, reason = "an error ends the example")]

#[path = "../corpus/mod.rs"]
mod corpus;

use std::collections::BTreeMap;
use std::path::Path;

use bindery_search::{Hits, Mode, Preparation, Query, Scope, SearchIndex, Snapshot};
use corpus::CorpusSpace;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize| arguments.get(at).map(String::as_str);
    let spaces = corpus::read(Path::new(argument(0).unwrap_or_default()));
    let folder = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(folder.path(), 64 << 20).unwrap();
    let mut batch = index.batch().unwrap();
    let mut preparation = Preparation::default();
    for space in &spaces {
        for page in &space.pages {
            batch.replace_page(space.id, preparation.prepare(page)).unwrap();
        }
    }
    batch.commit().unwrap();
    let snapshot = index.snapshot();
    match (argument(1), argument(2), argument(3)) {
        (Some("ask"), Some(space), Some(query)) => ask(&snapshot, &spaces, space, query),
        (Some(queries), shows_failed, _) => {
            judge(&snapshot, &spaces, queries, shows_failed.is_some())
        }
        _ => println!("usage: judged CORPUS QUERIES [FAILED], or CORPUS ask SPACE QUERY"),
    }
}

fn search(snapshot: &Snapshot, space: &CorpusSpace, text: &str) -> Hits {
    let holds = |_: &_| false;
    let scopes = [Scope::new(space.id, &holds)];
    let query = Query { mode: Mode::Typing, ..Query::new(text, &scopes) };
    snapshot.search(&query).unwrap()
}

fn ask(snapshot: &Snapshot, spaces: &[CorpusSpace], space: &str, text: &str) {
    for space in spaces.iter().filter(|known| known.name.contains(space)) {
        let hits = search(snapshot, space, text);
        println!(
            "{}: {} pages, partial: {}, {:?}",
            space.name, hits.total, hits.is_partial, hits.corrections
        );
        for page in hits.pages {
            println!("  {:6.2} {} ({})", page.score, page.title, page.path);
            for section in page.sections {
                println!("         # {}: {}", section.heading, section.snippet);
            }
        }
    }
}

#[derive(Default)]
struct Sums {
    queries: usize,
    first: usize,
    three: usize,
    reciprocal: f64,
}

fn judge(snapshot: &Snapshot, spaces: &[CorpusSpace], queries: &str, shows_failed: bool) {
    let mut kinds: BTreeMap<String, Sums> = BTreeMap::new();
    for line in
        std::fs::read_to_string(queries).unwrap().lines().filter(|line| !line.starts_with('#'))
    {
        let [name, kind, text, expected] = line.split('\t').collect::<Vec<_>>()[..] else {
            println!("not four columns: {line}");
            continue;
        };
        let Some(space) = spaces.iter().find(|space| space.name == name) else {
            println!("unknown space: {name}");
            continue;
        };
        let expected: Vec<&str> = expected.split('|').collect();
        for path in &expected {
            if !space.pages.iter().any(|page| page.path == *path) {
                println!("unknown page: {name} {path}");
            }
        }
        let hits = search(snapshot, space, text);
        let rank = hits.pages.iter().position(|page| expected.contains(&page.path.as_str()));
        for kind in [kind, "all"] {
            let sums = kinds.entry(kind.to_owned()).or_default();
            sums.queries += 1;
            sums.first += usize::from(rank == Some(0));
            sums.three += usize::from(rank.is_some_and(|rank| rank < 3));
            sums.reciprocal += rank.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0));
        }
        if shows_failed && rank != Some(0) {
            let found: Vec<&str> =
                hits.pages.iter().take(3).map(|page| page.path.as_str()).collect();
            println!(
                "{rank:?} {kind} {name} {text:?} wants {expected:?}: {} {found:?}",
                hits.total
            );
        }
    }
    println!("{:14} {:>7} {:>10} {:>10} {:>6}", "kind", "queries", "success@1", "success@3", "MRR");
    for (kind, sums) in kinds {
        let share = |count: usize| count as f64 / sums.queries as f64;
        println!(
            "{kind:14} {:7} {:10.3} {:10.3} {:6.3}",
            sums.queries,
            share(sums.first),
            share(sums.three),
            sums.reciprocal / sums.queries as f64
        );
    }
}
