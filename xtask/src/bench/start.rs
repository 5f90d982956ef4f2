//! Start with a store of pages, and memory: when idle, and after every page was served once.

use super::http::{Connection, fetch};
use super::product::Product;
use super::source::Source;
use super::usage::Memory;
use super::{Options, locations, median, megabytes, verdict};
use anyhow::{Context, Result};
use std::time::Duration;

const PAGES: usize = 10_000;
/// The time after the start until memory is measured as idle.
const SETTLE: Duration = Duration::from_secs(2);
const START_LIMIT: f64 = 0.2;
const IDLE_LIMIT: u64 = 60_000_000;
const SERVED_LIMIT: u64 = 200_000_000;

pub(super) fn run(options: &Options) -> Result<bool> {
    let pages = options.pages.unwrap_or(PAGES);
    let mut product = Product::empty()?;
    let site = product.new_site()?;
    Source::generate(pages)?.import(&product, &site, "<h1")?;
    let mut starts = Vec::new();
    // One additional start: the first start after the import can have to replay a log.
    for _ in 0..=options.rounds() {
        product = product.restart()?;
        starts.push(product.started_in().as_secs_f64());
    }
    let first = starts.remove(0);
    std::thread::sleep(SETTLE);
    let idle = Memory::of(product.process())?;
    let (served, bytes) = serve_all(&product, &site.path)?;
    let after = Memory::of(product.process())?;
    let time = median(starts);
    println!("{pages} pages; {served} served once, {} as gzip", megabytes(bytes));
    println!("first start after the import {:.0} ms", first * 1e3);
    let memory = |now: Memory| {
        format!("{} ({} anonymous)", megabytes(now.resident), megabytes(now.anonymous))
    };
    let start = format!("start {:.0} ms, limit {:.0} ms", time * 1e3, START_LIMIT * 1e3);
    let at_rest = format!("idle {}, limit {}", memory(idle), megabytes(IDLE_LIMIT));
    let in_use = format!("all served {}, limit {}", memory(after), megabytes(SERVED_LIMIT));
    let reached = [
        verdict(&start, time < START_LIMIT),
        verdict(&at_rest, idle.resident < IDLE_LIMIT),
        verdict(&in_use, after.resident < SERVED_LIMIT),
    ];
    Ok(!reached.contains(&false))
}

/// Requests every page of the site's sitemap. Returns the number of pages and their total size.
fn serve_all(product: &Product, site: &str) -> Result<(usize, usize)> {
    let shown = product.get(site)?;
    let site = shown.pointer("/urls/published").and_then(|url| url.as_str());
    let site = site.context("the site has no published address")?;
    let mut connection = product.connect()?;
    let (mut count, mut bytes) = (0, 0);
    for page in site_map(site)? {
        bytes += serve(&mut connection, &page)?;
        count += 1;
        crate::process::check_interrupted()?;
    }
    Ok((count, bytes))
}

/// Returns the addresses of all pages in a site's sitemap, which can be an index of sitemaps.
pub(super) fn site_map(site: &str) -> Result<Vec<String>> {
    let map = fetch(&format!("{}/sitemap.xml", site.trim_end_matches('/')), &[], None)?;
    let map = String::from_utf8(map).context("the site's map is not UTF-8")?;
    if !map.contains("<sitemapindex") {
        return Ok(locations(&map));
    }
    let mut pages = Vec::new();
    for part in locations(&map) {
        let part = String::from_utf8(fetch(&part, &[], None)?).context("a map is not UTF-8")?;
        pages.extend(locations(&part));
    }
    Ok(pages)
}

fn serve(connection: &mut Connection, page: &str) -> Result<usize> {
    let answer = connection.send(page, &["Accept-Encoding: gzip"], None)?;
    Ok(answer.success(page)?.body.len())
}
