//! The search of published sites on judged queries, compared with Pagefind and with the full-text
//! search of PostgreSQL on the same pages, and the speed of the engine with 100,000 pages.
//!
//! `BINDERY_CORPUS` names the folder with the repositories. Every repository is imported and
//! published, each query is sent to the search of its site, as the search field does, and the other
//! engines index the pages as the site serves them.

mod corpus;
mod judged;
mod ours;
mod pagefind;
mod postgres;
mod speed;

use super::{Options, verdict};
use anyhow::{Context, Result};
use corpus::Page;
use judged::{Engine, Query};
use std::path::{Path, PathBuf};

/// Maximum number of results of a query, as many as the search field shows.
const RESULTS: usize = 8;
/// Minimum share of queries with an expected page among the first three.
const MIN_SUCCESS: f64 = 0.95;
/// The same for queries with a title or an identifier.
const MIN_EXACT: f64 = 0.99;
/// The kinds of these queries.
const EXACT_KINDS: [&str; 2] = ["identifier", "navigational"];

/// A space of the corpus with its published pages.
struct Space {
    name: String,
    /// The language as a tag of BCP 47.
    language: String,
    pages: Vec<Page>,
}

/// The result of a query: positions in the pages of its space, best first, and the time.
struct Found {
    pages: Vec<usize>,
    seconds: f64,
}

pub(super) fn run(options: &Options) -> Result<bool> {
    let corpus = PathBuf::from(std::env::var_os("BINDERY_CORPUS").context("no BINDERY_CORPUS")?);
    let is_relevant = relevance(&corpus)?;
    let is_fast = speed::run(&corpus, options.pages)?;
    Ok(is_relevant && is_fast)
}

/// Returns the total size of the files below a folder.
fn folder_bytes(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let kind = entry.metadata()?;
        bytes += if kind.is_dir() { folder_bytes(&entry.path())? } else { kind.len() };
    }
    Ok(bytes)
}

fn relevance(corpus: &Path) -> Result<bool> {
    let mut site = ours::Published::new(corpus::read(corpus)?)?;
    let spaces = site.spaces()?;
    let queries = judged::read(&spaces)?;
    let pages: usize = spaces.iter().map(|space| space.pages.len()).sum();
    println!("{} queries in {} spaces with {pages} pages", queries.len(), spaces.len());
    let engine =
        |name, (found, bytes): (Vec<Found>, u64)| Engine::new(name, &queries, &found, bytes);
    let ours = engine("Bindery", site.search(&queries)?);
    let mut peers = Vec::new();
    match pagefind::search(&spaces, &queries)? {
        Some(found) => peers.push(engine("Pagefind", found)),
        None => println!("skipped: Pagefind, {}", pagefind::HOW_TO_INSTALL),
    }
    match postgres::search(&spaces, &queries)? {
        Some((words, trigrams)) => {
            peers.push(engine("PostgreSQL", words));
            peers.push(engine("with pg_trgm", trigrams));
        }
        None => println!("skipped: PostgreSQL, {}", crate::postgres::HOW_TO_INSTALL),
    }
    let engines: Vec<&Engine> = std::iter::once(&ours).chain(&peers).collect();
    judged::report(&queries, &engines);
    Ok(verdicts(&queries, &ours, &peers))
}

/// Prints the results against the limits and the other engines.
fn verdicts(queries: &[Query], ours: &Engine, peers: &[Engine]) -> bool {
    let all = ours.score(queries, |_| true);
    let text = format!("success@3 of all {:.3}, limit {MIN_SUCCESS}", all.three);
    let mut reached = verdict(&text, all.three >= MIN_SUCCESS);
    for kind in judged::kinds(queries) {
        let of_kind = |query: &Query| query.kind == kind;
        let own = ours.score(queries, of_kind);
        if EXACT_KINDS.contains(&kind) {
            let text = format!("success@3 of {kind} {:.3}, limit {MIN_EXACT}", own.three);
            reached &= verdict(&text, own.three >= MIN_EXACT);
        }
        for peer in peers {
            let theirs = peer.score(queries, of_kind);
            let text = format!("MRR of {kind} {:.3}, {} {:.3}", own.mrr, peer.name, theirs.mrr);
            reached &= verdict(&text, own.mrr >= theirs.mrr);
        }
    }
    reached
}
