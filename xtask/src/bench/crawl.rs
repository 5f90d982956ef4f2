//! Reading every page after an edit, with the default cache sizes, with unlimited caches and
//! without caches.

use super::http::Connection;
use super::product::{Product, Site};
use super::source::Source;
use super::usage::{Memory, cpu_seconds};
use super::{Options, megabytes};
use anyhow::{Context, Result};
use std::time::{Duration, Instant};

const PAGES: usize = 10_000;

/// The cache sizes of the server.
const SIDES: [(&str, &str); 4] = [
    ("no caches", "page_cache_bytes = 0\ntext_cache_bytes = 0\n"),
    ("page cache only", "text_cache_bytes = 0\n"),
    ("default", ""),
    ("unlimited", "page_cache_bytes = 8_000_000_000\ntext_cache_bytes = 2_000_000_000\n"),
];

/// The cost of reading every page.
struct Crawl {
    took: Duration,
    cpu_seconds: f64,
    pages_made: u64,
    texts_made: u64,
}

pub(super) fn run(options: &Options) -> Result<bool> {
    let pages = options.pages.unwrap_or(PAGES);
    let source = Source::generate(pages)?;
    println!(
        "{:16} {:24} {:>9} {:>9} {:>10} {:>10} {:>10}",
        "", "all pages read", "time", "CPU", "pages", "texts", "resident"
    );
    for (side, limits) in SIDES {
        measure(side, limits, &source)?;
    }
    Ok(true)
}

fn measure(side: &str, limits: &str, source: &Source) -> Result<()> {
    let product = Product::with_limits(limits)?;
    let site = product.new_site()?;
    source.import(&product, &site, "<h1")?;
    let urls = urls(&product, &site)?;
    crawl(&product, &urls)?.report(side, "first time", &product)?;
    crawl(&product, &urls)?.report(side, "once more", &product)?;
    source.change(&format!("A text of a page, {side}."))?;
    source.import(&product, &site, &format!("A text of a page, {side}."))?;
    crawl(&product, &urls)?.report(side, "after a text changed", &product)?;
    source.add(&format!("{}.md", side.replace(' ', "-")));
    source.import(&product, &site, "<h1")?;
    crawl(&product, &urls)?.report(side, "after a page was added", &product)
}

fn urls(product: &Product, site: &Site) -> Result<Vec<String>> {
    let shown = product.get(&site.path)?;
    let published = shown.pointer("/urls/published").and_then(|url| url.as_str());
    super::start::site_map(published.context("the site has no published address")?)
}

/// Reads every page over one connection.
fn crawl(product: &Product, urls: &[String]) -> Result<Crawl> {
    let mut connection: Connection = product.connect()?;
    let (pages, texts) = made(product)?;
    let cpu = cpu_seconds(product.process())?;
    let start = Instant::now();
    for url in urls {
        connection.send(url, &["Accept-Encoding: gzip"], None)?.success(url)?;
        crate::process::check_interrupted()?;
    }
    let took = start.elapsed();
    let cpu_seconds = cpu_seconds(product.process())? - cpu;
    let (pages_now, texts_now) = made(product)?;
    Ok(Crawl { took, cpu_seconds, pages_made: pages_now - pages, texts_made: texts_now - texts })
}

/// Returns the numbers of pages and of texts rendered since the server's start.
fn made(product: &Product) -> Result<(u64, u64)> {
    let metrics = product.metrics()?;
    let value = |part: &str| {
        let name = format!("bindery_site_renders_total{{part=\"{part}\"}} ");
        let line = metrics.lines().find_map(|line| line.strip_prefix(&name));
        line.and_then(|value| value.parse().ok()).with_context(|| format!("no metric {name}"))
    };
    Ok((value("page")?, value("text")?))
}

impl Crawl {
    fn report(&self, side: &str, what: &str, product: &Product) -> Result<()> {
        println!(
            "{side:16} {what:24} {:>7.2} s {:>7.2} s {:>10} {:>10} {:>10}",
            self.took.as_secs_f64(),
            self.cpu_seconds,
            self.pages_made,
            self.texts_made,
            megabytes(Memory::of(product.process())?.resident),
        );
        Ok(())
    }
}
