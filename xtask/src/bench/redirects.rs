//! Redirects of a site with 100,000 of them, compared with those of a site with one.

use super::http::Connection;
use super::product::Product;
use super::{Options, median, verdict};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::time::Instant;

const REDIRECTS: usize = 100_000;
/// The maximum number of redirects in one request.
const BATCH: usize = 500;
/// Number of measured requests of each kind.
const REQUESTS: usize = 2_000;
/// Maximum ratio of the median times.
const MAX_GROWTH: f64 = 1.2;

/// A server with a site and its redirects.
struct Side {
    product: Product,
    address: String,
    count: usize,
}

pub(super) fn run(options: &Options) -> Result<bool> {
    let one = Side::new(1)?;
    let many = Side::new(options.pages.unwrap_or(REDIRECTS))?;
    let mut reached = true;
    for (what, status) in [("followed", 307), ("missing", 404)] {
        let (mut small, mut large) = (Vec::new(), Vec::new());
        for _ in 0..options.rounds() {
            small.push(one.request(what, status)?);
            large.push(many.request(what, status)?);
        }
        let (small, large) = (median(small), median(large));
        println!("{what}: {:.1} µs with one, {:.1} µs with all", small * 1e6, large * 1e6);
        let text = format!("{what}: {:.2} times that of one redirect", large / small);
        reached &= verdict(&text, large <= MAX_GROWTH * small);
    }
    Ok(reached)
}

impl Side {
    fn new(count: usize) -> Result<Self> {
        let product = Product::empty()?;
        let site = product.new_site()?;
        let page = json!({
            "operation": "insert_page", "title": "Page", "document": { "markdown": "A text.\n" },
        });
        let content = format!("/bindery/spaces/{}/content", site.space);
        product.post(&content, &json!({ "changes": [page] }))?;
        product.post(&format!("{}/publish", site.path), &json!({}))?;
        let spaces = product.get(&format!("{}/site-spaces", site.path))?;
        let space = spaces.pointer("/items/0/id").and_then(Value::as_str);
        let space = space.context("the space of the site")?;
        let start = Instant::now();
        for first in (0..count).step_by(BATCH) {
            let redirects: Vec<Value> = (first..count.min(first + BATCH))
                .map(|number| {
                    json!({
                        "source": format!("/followed/{number}"),
                        "destination": { "kind": "site-space", "siteSpaceId": space },
                        "permanent": false,
                    })
                })
                .collect();
            let body = json!({ "redirects": redirects });
            let made = product.put(&format!("{}/redirects", site.path), &body)?;
            let created = made.pointer("/results/0/status").and_then(Value::as_str);
            ensure!(created == Some("created"), "a redirect was not created: {made}");
        }
        println!("{count} redirects created in {:.2} s", start.elapsed().as_secs_f64());
        let shown = product.get(&site.path)?;
        let address = shown.pointer("/urls/published").and_then(Value::as_str);
        let address = address.context("the published address")?.trim_end_matches('/').to_owned();
        Ok(Self { product, address, count })
    }

    /// Returns the median time of requests for paths below a prefix, in seconds.
    fn request(&self, prefix: &str, status: u16) -> Result<f64> {
        let mut connection: Connection = self.product.connect()?;
        let mut times = Vec::with_capacity(REQUESTS);
        for number in 0..REQUESTS {
            let url = format!("{}/{prefix}/{}", self.address, number * 7_919 % self.count);
            let start = Instant::now();
            let answer = connection.send(&url, &[], None)?;
            times.push(start.elapsed().as_secs_f64());
            ensure!(answer.status == status, "{url}: {}", answer.status);
        }
        Ok(median(times))
    }
}
