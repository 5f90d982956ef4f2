//! A server with 10,000 published sites: its start and its first responses, compared with a server
//! that has one.

use super::http::fetch;
use super::product::{Product, id};
use super::usage::Memory;
use super::{Options, median, megabytes, verdict};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::time::Instant;

const SITES: usize = 10_000;
/// Maximum ratio of the times with all sites to those with one.
const MAX_GROWTH: f64 = 1.5;
/// Number of first requests, each to another site after another start.
const FIRST_REQUESTS: usize = 10;

/// The times of a server in seconds.
struct Times {
    start: f64,
    first: f64,
}

pub(super) fn run(options: &Options) -> Result<bool> {
    let one = measure(1)?;
    let many = measure(options.pages.unwrap_or(SITES))?;
    let start = format!("start: {:.2} times that of one site", many.start / one.start);
    let first = format!("first request: {:.2} times that of one site", many.first / one.first);
    let reached = [
        verdict(&start, many.start <= MAX_GROWTH * one.start),
        verdict(&first, many.first <= MAX_GROWTH * one.first),
    ];
    Ok(!reached.contains(&false))
}

fn measure(sites: usize) -> Result<Times> {
    let mut product = Product::empty()?;
    let paths = create(&product, sites)?;
    let (mut starts, mut firsts) = (Vec::new(), Vec::new());
    // One additional start: the first one can have to replay a log.
    for round in 0..=FIRST_REQUESTS {
        product = product.restart()?;
        // The server listens on another port after each start.
        let path = paths.get(round * 7_919 % paths.len()).context("a site")?;
        let url = product.url(path);
        let start = Instant::now();
        fetch(&url, &["Accept-Encoding: gzip"], None)?;
        if round > 0 {
            starts.push(product.started_in().as_secs_f64());
            firsts.push(start.elapsed().as_secs_f64());
        }
    }
    let times = Times { start: median(starts), first: median(firsts) };
    let idle = Memory::of(product.process())?;
    let mut connection = product.connect()?;
    let start = Instant::now();
    for path in &paths {
        connection.send(&product.url(path), &["Accept-Encoding: gzip"], None)?.success(path)?;
        crate::process::check_interrupted()?;
    }
    let took = start.elapsed();
    println!(
        "{sites} sites: start {:.1} ms, first request {:.2} ms, {} after it; all served in {:.2} s, \
         {} after them",
        times.start * 1e3,
        times.first * 1e3,
        megabytes(idle.resident),
        took.as_secs_f64(),
        megabytes(Memory::of(product.process())?.resident),
    );
    Ok(times)
}

/// Publishes this number of sites, which all show one space, and returns their paths.
fn create(product: &Product, sites: usize) -> Result<Vec<String>> {
    let organization = product.organization()?;
    let space =
        product.post(&format!("/orgs/{organization}/spaces"), &json!({ "title": "Measured" }))?;
    let space = id(&space).context("the new space")?;
    let page = json!({
        "operation": "insert_page", "title": "Page", "document": { "markdown": "A text.\n" },
    });
    product.post(&format!("/bindery/spaces/{space}/content"), &json!({ "changes": [page] }))?;
    let mut paths = Vec::with_capacity(sites);
    for number in 0..sites {
        let body = json!({ "title": format!("Site {number}"), "spaces": [space] });
        let site = product.post(&format!("/orgs/{organization}/sites"), &body)?;
        let site = format!("/orgs/{organization}/sites/{}", id(&site).context("the new site")?);
        product.post(&format!("{site}/publish"), &json!({}))?;
        let shown = product.get(&site)?;
        let published = shown.pointer("/urls/published").and_then(Value::as_str);
        let published = published.context("the published address")?;
        let path = published.splitn(4, '/').nth(3).context("a path")?;
        paths.push(format!("/{path}"));
        crate::process::check_interrupted()?;
    }
    Ok(paths)
}
