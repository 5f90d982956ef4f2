//! The first response with a page after the start of the server, for pages of about 20 KB from the
//! repositories of the corpus.

use super::http::Connection;
use super::product::Product;
use super::source::{publish, request_import, wait_for_job};
use super::{Options, corpus, median, verdict};
use anyhow::{Context, Result, ensure};
use bindery_testkit::git_server::{Change, GitServer};
use std::path::Path;
use std::time::Instant;

/// The size in bytes of the Markdown of a measured page.
const SIZES: std::ops::Range<usize> = 18_000..22_000;
/// The number of measured pages of a repository.
const PAGES_EACH: usize = 4;
/// The number of requests that tell the time of a response from the cache.
const CACHED_REQUESTS: usize = 200;
/// The limit for the median of all pages, in seconds.
const LIMIT: f64 = 0.003;

pub(super) fn run(options: &Options) -> Result<bool> {
    let mut product = Product::empty()?;
    let server = GitServer::start();
    let mut sites = Vec::new();
    for folder in corpus::repositories()? {
        sites.push(MeasuredSite::import(&product, &server, &folder)?);
    }
    sites.retain(|site| !site.pages.is_empty());
    ensure!(!sites.is_empty(), "no page of the corpus has about 20 KB");
    for site in &mut sites {
        for page in &mut site.pages {
            page.response_bytes = product.connect()?.send(&page.address, &[], None)?.body.len();
        }
    }
    for _ in 0..options.rounds() {
        product = product.restart()?;
        measure(&product, &mut sites)?;
    }
    println!("{:32} {:>10} {:>10} {:>10}", "page", "Markdown", "HTML", "first");
    let mut times = Vec::new();
    for (site, page) in sites.iter().flat_map(|site| site.pages.iter().map(move |p| (site, p))) {
        let time = median(page.times.clone());
        times.push(time);
        let name: String = site.name.chars().take(32).collect();
        let Page { bytes, response_bytes, .. } = page;
        println!("{name:32} {bytes:>8} B {response_bytes:>8} B {:>7.2} ms", time * 1e3);
    }
    let most = times.iter().copied().fold(0.0, f64::max);
    let time = median(times);
    let text = format!(
        "first response of a page: {:.2} ms, at most {:.2} ms, limit {:.0} ms",
        time * 1e3,
        most * 1e3,
        LIMIT * 1e3
    );
    Ok(verdict(&text, time < LIMIT))
}

/// A repository of the corpus that is published.
struct MeasuredSite {
    name: String,
    address: String,
    pages: Vec<Page>,
}

/// A measured page.
struct Page {
    address: String,
    /// The size of the Markdown.
    bytes: usize,
    /// The size of the uncompressed response.
    response_bytes: usize,
    /// The times of the first responses in seconds.
    times: Vec<f64>,
}

impl MeasuredSite {
    fn import(product: &Product, server: &GitServer, folder: &Path) -> Result<Self> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let files = corpus::files(folder)?;
        let repository_name = format!("{name}.git");
        let repository = server.repository(&repository_name);
        let changes = files.iter().map(|(path, bytes)| Change::file(path.as_str(), bytes.clone()));
        repository.commit("main", "All files", changes.collect::<Vec<_>>());
        let site = product.new_site()?;
        let job = request_import(product, &site, &server.url(&repository_name))?;
        wait_for_job(&mut product.connect()?, &job)?;
        let address = publish(product, &site)?;
        let revision = product.get(&format!("/spaces/{}/content", site.space))?;
        let base = address.trim_end_matches('/');
        let page = |(source, path): (String, String)| {
            let bytes = files.iter().find(|(known, _)| *known == source)?.1.len();
            let address = format!("{base}/{path}");
            let page = Page { address, bytes, response_bytes: 0, times: Vec::new() };
            SIZES.contains(&bytes).then_some(page)
        };
        let found: Vec<Page> = corpus::pages(&revision).into_iter().filter_map(page).collect();
        let step = found.len().div_ceil(PAGES_EACH).max(1);
        let pages = found.into_iter().step_by(step).collect();
        Ok(Self { name, address, pages })
    }
}

/// Requests the front page of each site, so that the sites are loaded, and then each measured page
/// once. The time of a response from the cache is subtracted.
fn measure(product: &Product, sites: &mut [MeasuredSite]) -> Result<()> {
    let mut connection = product.connect()?;
    for site in &*sites {
        let _front = connection.send(&site.address, &ENCODINGS, None)?;
    }
    let front = sites.first().context("a site")?.address.clone();
    let mut cached = Vec::new();
    for _ in 0..CACHED_REQUESTS {
        cached.push(seconds(&mut connection, &front)?);
    }
    let cached = median(cached);
    for page in sites.iter_mut().flat_map(|site| &mut site.pages) {
        let time = seconds(&mut connection, &page.address)?;
        page.times.push(time - cached);
        crate::process::check_interrupted()?;
    }
    Ok(())
}

/// The header of browsers.
const ENCODINGS: [&str; 1] = ["Accept-Encoding: gzip, deflate, br, zstd"];

/// Returns the time of a response in seconds.
fn seconds(connection: &mut Connection, url: &str) -> Result<f64> {
    let start = Instant::now();
    let answer = connection.send(url, &ENCODINGS, None)?;
    let took = start.elapsed().as_secs_f64();
    answer.success(url)?;
    Ok(took)
}
