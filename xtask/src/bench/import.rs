//! Importing and publishing a repository of generated pages, compared with a plain clone and with
//! static site generators.

use super::generators::{self, MDBOOK_PAGES, Run};
use super::product::Product;
use super::source::Source;
use super::usage::{Watch, cpu_seconds};
use super::{Options, median, megabytes, verdict};
use anyhow::Result;
use std::time::Duration;

const PAGES: usize = 10_000;
/// The maximum time to the first served page, by number of pages. There is no target for more
/// pages.
const LIMITS: [(usize, f64); 2] = [(10_000, 4.0), (100_000, 45.0)];
/// The maximum peak resident memory in bytes.
const MEMORY_LIMIT: u64 = 500_000_000;

/// The cost of one import into an empty store.
struct Import {
    took: Duration,
    cpu_seconds: f64,
    peak: u64,
    anonymous: u64,
}

/// The measurements of each side.
#[derive(Default)]
struct Rounds {
    ours: Vec<Import>,
    clone: Vec<Run>,
    hugo: Vec<Run>,
    mdbook: Vec<Run>,
}

pub(super) fn run(options: &Options) -> Result<bool> {
    let pages = options.pages.unwrap_or(PAGES);
    let source = Source::generate(pages)?;
    println!("{pages} pages, {}, medians of {}", megabytes(source.bytes), options.rounds());
    let mut rounds = Rounds::default();
    for _ in 0..options.rounds() {
        rounds.ours.push(import(&source)?);
        let folder = tempfile::Builder::new().prefix("bindery-peer-").tempdir()?;
        let content = folder.path().join("content");
        rounds.clone.push(generators::clone(&source.url(), &content)?);
        rounds.hugo.extend(generators::hugo(&content, &folder.path().join("hugo"))?);
        if pages <= MDBOOK_PAGES {
            rounds.mdbook.extend(generators::mdbook(&content, &folder.path().join("mdbook"))?);
        }
    }
    Ok(report(pages, &rounds))
}

fn import(source: &Source) -> Result<Import> {
    let product = Product::empty()?;
    let site = product.new_site()?;
    let watch = Watch::start(product.process());
    let before = cpu_seconds(product.process())?;
    let took = source.import(&product, &site, "<h1")?;
    let cpu_seconds = cpu_seconds(product.process())? - before;
    let memory = watch.finish();
    Ok(Import { took, cpu_seconds, peak: memory.peak, anonymous: memory.anonymous })
}

#[expect(clippy::cast_precision_loss, reason = "a figure of a report")]
fn report(pages: usize, rounds: &Rounds) -> bool {
    let ours = &rounds.ours;
    let time = median(ours.iter().map(|one| one.took.as_secs_f64()).collect());
    let cpu = median(ours.iter().map(|one| one.cpu_seconds).collect());
    let peak = ours.iter().map(|one| one.peak).max().unwrap_or_default();
    let anonymous = ours.iter().map(|one| one.anonymous).max().unwrap_or_default();
    let each = time / pages as f64 * 1e3;
    println!("{:24} {:>8} {:>9} {:>12} {:>7}", "", "time", "per page", "peak memory", "ratio");
    println!("{:24} {time:>6.2} s {each:>6.3} ms {:>12}", "import and publish", megabytes(peak));
    println!("{:24} {cpu:>6.2} s of CPU, {} anonymous at the peak", "", megabytes(anonymous));
    peer("git clone", pages, &rounds.clone, time);
    peer("Hugo", pages, &rounds.hugo, time);
    peer("mdBook", pages, &rounds.mdbook, time);
    if rounds.hugo.is_empty() {
        println!("skipped: Hugo, which is not installed (Debian: apt-get install hugo)");
    }
    if pages > MDBOOK_PAGES {
        println!("skipped: mdBook, which is compared at --pages {MDBOOK_PAGES}");
    } else if rounds.mdbook.is_empty() {
        println!("skipped: mdBook, which is not installed (cargo install mdbook)");
    }
    let limit = LIMITS.iter().find(|(most, _)| pages <= *most);
    let in_time = limit.is_none_or(|&(most, limit)| {
        verdict(&format!("time {time:.2} s, limit {limit} s at {most}"), time <= limit)
    });
    let in_memory = verdict(
        &format!("peak memory {}, limit {}", megabytes(peak), megabytes(MEMORY_LIMIT)),
        peak < MEMORY_LIMIT,
    );
    in_time && in_memory
}

#[expect(clippy::cast_precision_loss, reason = "a figure of a report")]
fn peer(name: &str, pages: usize, runs: &[Run], ours: f64) {
    if runs.is_empty() {
        return;
    }
    let time = median(runs.iter().map(|run| run.took.as_secs_f64()).collect());
    let peak = runs.iter().filter_map(|run| run.peak).max().map(megabytes).unwrap_or_default();
    let each = time / pages as f64 * 1e3;
    println!("{name:24} {time:>6.2} s {each:>6.3} ms {peak:>12} {:>7.2}", ours / time);
}
