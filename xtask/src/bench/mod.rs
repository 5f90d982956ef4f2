//! `cargo xtask bench`: measures the product and a comparable program on the same machine,
//! alternating within one run, so that a result is a ratio and not a property of the machine.

mod access;
mod api;
mod audiences;
mod change;
mod cold;
mod content;
mod corpus;
mod crawl;
mod freshness;
mod generators;
pub(crate) mod http;
mod import;
mod load;
mod merge;
mod nginx;
mod pages;
mod paper;
mod product;
mod published;
mod redirects;
mod rewrite;
mod search;
mod sites;
mod source;
mod start;
mod sync;
mod together;
mod unseen;
mod usage;
mod writes;

pub(crate) use product::binary;
pub(crate) use usage::folder_size;

use anyhow::Result;
use clap::{Args, ValueEnum};
use load::{Load, Measured};

#[derive(Args)]
pub(crate) struct Options {
    /// Benchmark to run
    name: Name,
    /// Number of measurements for each side; the report gives medians
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Duration of each measurement in seconds
    #[arg(long, default_value_t = 5)]
    seconds: u32,
    /// Pages of the generated repository, for `import`, `change`, `rewrite`, `crawl`, `start`,
    /// `audiences`, `paper`, `published`, `search` and `sync`; spaces for `access`; sites for `sites`;
    /// redirects for `redirects`
    #[arg(long)]
    pages: Option<usize>,
}

impl Options {
    fn rounds(&self) -> usize {
        self.rounds.max(1)
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Name {
    /// A cached published page, compared with nginx with one worker serving the same bytes
    Pages,
    /// One object and a list of twenty from the API, compared with nginx serving the same bytes
    Api,
    /// Import and publication of 10,000 generated pages, compared with git clone, Hugo and mdBook
    Import,
    /// Import of one changed page among 100,000, compared with one among 100
    Change,
    /// The first import of 100,000 pages, the import of one changed page and the export of one edit,
    /// compared with git clone, fetch and push
    Sync,
    /// The first response with a page of about 20 KB after a start, for the repositories of
    /// `BINDERY_CORPUS`
    Cold,
    /// From a pushed commit of one page to the page being served, for the repositories of
    /// `BINDERY_CORPUS`, compared with a pull and a build by Hugo, mdBook and VitePress
    Freshness,
    /// Import of 10,000 edited pages, then of moved and edited ones, compared with their first
    /// import
    Rewrite,
    /// Reading every page after an edit, with and without caches
    Crawl,
    /// Parsing, rendering and printing documents, compared with comrak and pulldown-cmark
    Content,
    /// Saving and merging a page in spaces of 100, 10,000 and 100,000 pages, compared with libgit2
    Merge,
    /// From a key to the windows of others, with 50 people in one page and 1,000 in 200 pages
    Together,
    /// Durable writes of 64 clients, compared with SQLite and with the store alone
    Writes,
    /// Start with a store of 10,000 pages, and memory when idle and after serving all of them
    Start,
    /// A list of 1,000 spaces out of 100,000, and the cost of a token
    Access,
    /// Time of responses for hidden items, compared with those for items that do not exist
    Unseen,
    /// Cached pages of sites for every audience, compared with nginx serving the same bytes
    Audiences,
    /// Start and first response of a server with 10,000 sites, compared with one site
    Sites,
    /// Redirects of a site with 100,000 of them, compared with one redirect
    Redirects,
    /// A PDF of 2,000 pages with its peak memory, compared with Typst alone
    Paper,
    /// The first response after a merge into a published site of 100,000 pages, and its memory
    Published,
    /// Judged queries on the repositories of `BINDERY_CORPUS`, compared with Pagefind and PostgreSQL,
    /// and the speed of the search engine with 100,000 pages
    Search,
}

/// One line of the report: the same request to both sides, with the targets.
struct Case {
    name: String,
    connections: u32,
    ours: Load,
    peer: Load,
    /// The minimum rate as a share of the other side's rate.
    min_rate: f64,
    /// The maximum CPU time per request as a multiple of the other side's.
    max_cpu: Option<f64>,
    /// The maximum 99th percentile of the response time as a multiple of the other side's.
    max_p99: Option<f64>,
}

/// Runs a benchmark. Returns `false` if a measurement misses its target.
pub(crate) fn run(options: &Options) -> Result<bool> {
    match options.name {
        Name::Pages => pages::run(options),
        Name::Api => api::run(options),
        Name::Import => import::run(options),
        Name::Change => change::run(options),
        Name::Sync => sync::run(options),
        Name::Cold => cold::run(options),
        Name::Freshness => freshness::run(options),
        Name::Rewrite => rewrite::run(options),
        Name::Crawl => crawl::run(options),
        Name::Content => content::run(options),
        Name::Merge => merge::run(options),
        Name::Together => together::run(options),
        Name::Writes => writes::run(options),
        Name::Start => start::run(options),
        Name::Access => access::run(options),
        Name::Unseen => unseen::run(options),
        Name::Audiences => audiences::run(options),
        Name::Sites => sites::run(options),
        Name::Redirects => redirects::run(options),
        Name::Paper => paper::run(options),
        Name::Published => published::run(options),
        Name::Search => search::run(options),
    }
}

/// Measures every case, alternating between both sides, and prints medians and ratios.
fn compare(options: &Options, cases: &[Case]) -> Result<bool> {
    println!(
        "{:28} {:>4}  {:>10} {:>10} {:>6}  {:>9} {:>9} {:>6}  {:>9} {:>9} {:>6}",
        "",
        "conn",
        "ours/s",
        "peer/s",
        "ratio",
        "ours µs",
        "peer µs",
        "ratio",
        "ours p99",
        "peer p99",
        "ratio"
    );
    let mut reached = true;
    for case in cases {
        let (mut ours, mut peer) = (Vec::new(), Vec::new());
        for _ in 0..options.rounds() {
            ours.push(case.ours.run(case.connections, options.seconds)?);
            peer.push(case.peer.run(case.connections, options.seconds)?);
        }
        reached &= report(case, &ours, &peer);
    }
    Ok(reached)
}

fn report(case: &Case, ours: &[Measured], peer: &[Measured]) -> bool {
    let rate = |side: &[Measured]| median(side.iter().map(Measured::rate).collect());
    let cpu = |side: &[Measured]| median(side.iter().map(Measured::cpu_per_request).collect());
    let rate_ratio = rate(ours) / rate(peer);
    let cpu_ratio = cpu(ours) / cpu(peer);
    let p99 = |side: &[Measured]| median(side.iter().map(Measured::p99).collect());
    let p99_ratio = p99(ours) / p99(peer);
    let fine = rate_ratio >= case.min_rate
        && case.max_cpu.is_none_or(|most| cpu_ratio <= most)
        && case.max_p99.is_none_or(|most| p99_ratio <= most);
    println!(
        "{:28} {:>4}  {:>10.0} {:>10.0} {:>6.2}  {:>9.1} {:>9.1} {:>6.2}  {:>6.2} ms {:>6.2} ms \
         {:>6.2}  {}",
        case.name,
        case.connections,
        rate(ours),
        rate(peer),
        rate_ratio,
        cpu(ours) * 1e6,
        cpu(peer) * 1e6,
        cpu_ratio,
        p99(ours) * 1e3,
        p99(peer) * 1e3,
        p99_ratio,
        if fine { "reached" } else { "MISSED" },
    );
    fine
}

/// Prints a measurement with its limit and the result. Returns `fine`.
fn verdict(text: &str, fine: bool) -> bool {
    println!("{text}: {}", if fine { "reached" } else { "MISSED" });
    fine
}

/// Formats a number of bytes in megabytes.
fn megabytes(bytes: impl TryInto<u64>) -> String {
    let tenths = bytes.try_into().unwrap_or(u64::MAX) / 100_000;
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

/// Returns the addresses in a sitemap.
fn locations(map: &str) -> Vec<String> {
    let entries = map.split("<loc>").skip(1);
    entries.filter_map(|entry| Some(entry.split_once("</loc>")?.0.to_owned())).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_is_the_middle_one() {
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn bytes_are_shown_in_decimal_megabytes() {
        assert_eq!(megabytes(41_260_000_u64), "41.2 MB");
        assert_eq!(megabytes(0_usize), "0.0 MB");
    }

    #[test]
    fn site_map_names_addresses() {
        let map = "<urlset><url><loc>http://a/b</loc></url><url><loc>http://a/c</loc>";
        assert_eq!(locations(map), ["http://a/b", "http://a/c"]);
    }
}
