//! A published site of 100,000 pages: the first response after a merge, and the memory after many
//! pages were read.

use super::http::Connection;
use super::product::Product;
use super::source::Source;
use super::usage::Memory;
use super::{Options, median, megabytes, verdict};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const PAGES: usize = 100_000;
const MAX_FIRST: Duration = Duration::from_millis(20);
const MAX_MEMORY: u64 = 300_000_000;
/// Time in which the server returns the memory of what it has finished.
const REST: Duration = Duration::from_secs(5);
/// Time after which the imported pages must be indexed.
const MAX_INDEXING: Duration = Duration::from_secs(600);
/// Pages that are read before the first merge.
const READ: usize = 20_000;
/// Merges of each kind.
const MERGES: usize = 10;

pub(super) fn run(options: &Options) -> Result<bool> {
    let source = Source::generate(options.pages.unwrap_or(PAGES))?;
    let product = Product::empty()?;
    let site = product.new_site()?;
    let took = source.import(&product, &site, "<h1")?;
    println!("imported and published in {:.1} s", took.as_secs_f64());
    report_memory(&product, "import")?;
    let shown = product.get(&site.path)?;
    let address = shown.pointer("/urls/published").and_then(Value::as_str);
    let address = address.context("the published address")?.to_owned();
    let mut connection: Connection = product.connect()?;
    let pages = super::start::site_map(&address)?;
    report_memory(&product, "the site map")?;
    for url in pages.iter().take(READ) {
        connection.send(url, &["Accept-Encoding: gzip"], None)?.success(url)?;
        crate::process::check_interrupted()?;
    }
    report_memory(&product, "the pages")?;
    let url = format!("{}/{}", address.trim_end_matches('/'), source.some_page()?);
    let page = page_at(&product, &site.space, &source.some_page()?)?;
    let mut reached = true;
    for kind in ["text", "title", "new page"] {
        let mut times = Vec::new();
        for number in 0..MERGES {
            let change = match kind {
                "text" => json!({
                    "operation": "update_page", "page": page,
                    "document": { "markdown": format!("Merged {kind} {number}.\n") },
                }),
                "title" => json!({
                    "operation": "update_page", "page": page,
                    "title": format!("Merged {kind} {number}"),
                }),
                _ => json!({
                    "operation": "insert_page", "title": format!("Merged {kind} {number}"),
                    "document": { "markdown": "A text.\n" }, "at": 0,
                }),
            };
            merge(&product, &site.space, &change)?;
            let start = Instant::now();
            let answer = connection.send(&url, &[], None)?.success(&url)?;
            times.push(start.elapsed().as_secs_f64());
            let text = String::from_utf8_lossy(&answer.body);
            let expected = format!("Merged {kind} {number}");
            ensure!(kind == "new page" || text.contains(&expected), "{url} is not current");
        }
        let most = times.iter().copied().fold(0.0, f64::max);
        let text = format!(
            "first page after a merge of a {kind}: {:.2} ms, at most {:.2} ms, limit {} ms",
            median(times) * 1e3,
            most * 1e3,
            MAX_FIRST.as_millis()
        );
        reached &= verdict(&text, most < MAX_FIRST.as_secs_f64());
    }
    report_memory(&product, "the merges")?;
    let took = wait_for_index(&product, &site.space, &format!("Merged new page {}", MERGES - 1))?;
    println!("the last merge is found {took:.1} s later");
    report_memory(&product, "the indexing")?;
    std::thread::sleep(REST);
    let memory = Memory::of(product.process())?;
    let text = format!(
        "memory at rest {}, {} anonymous, limit {}",
        megabytes(memory.resident),
        megabytes(memory.anonymous),
        megabytes(MAX_MEMORY)
    );
    Ok(verdict(&text, memory.resident < MAX_MEMORY) && reached)
}

/// Waits until a search finds a page by its title, and returns the seconds that it took. The pages of
/// the import are indexed meanwhile.
fn wait_for_index(product: &Product, space: &str, title: &str) -> Result<f64> {
    let start = Instant::now();
    let address = format!("/spaces/{space}/search?query={}", title.replace(' ', "%20"));
    loop {
        let found = product.get(&address)?;
        if found.pointer("/items/0/title").and_then(Value::as_str) == Some(title) {
            return Ok(start.elapsed().as_secs_f64());
        }
        ensure!(start.elapsed() < MAX_INDEXING, "no search finds {title}");
        std::thread::sleep(Duration::from_millis(100));
        crate::process::check_interrupted()?;
    }
}

/// Prints the memory of the server after a step.
fn report_memory(product: &Product, step: &str) -> Result<()> {
    let Memory { resident, anonymous, .. } = Memory::of(product.process())?;
    println!("memory after {step}: {}, {} anonymous", megabytes(resident), megabytes(anonymous));
    Ok(())
}

/// Returns the id of the page at a path.
fn page_at(product: &Product, space: &str, path: &str) -> Result<String> {
    let path = path.replace('/', "%2F");
    let page = product.get(&format!("/spaces/{space}/content/path/{path}"))?;
    super::product::id(&page).context("the page in the middle")
}

/// Merges a change request with one change.
fn merge(product: &Product, space: &str, change: &Value) -> Result<()> {
    let base = format!("/spaces/{space}/change-requests");
    let made = product.post(&base, &json!({ "subject": "Measured" }))?;
    let request = format!("{base}/{}", super::product::id(&made).context("a change request")?);
    product.post(&format!("{request}/content"), &json!({ "changes": [change] }))?;
    let merged = product.post(&format!("{request}/merge"), &json!({}))?;
    let result = merged.pointer("/result").and_then(Value::as_str);
    ensure!(result == Some("merge"), "not merged: {merged}");
    Ok(())
}
