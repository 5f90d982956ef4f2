//! Cached published pages: ours from memory, those of nginx with one worker from the page cache.

use super::http::fetch;
use super::load::Load;
use super::nginx::Nginx;
use super::product::Product;
use super::{Case, Options};
use anyhow::{Context, Result, ensure};

pub(super) fn run(options: &Options) -> Result<bool> {
    let product = Product::start()?;
    let nginx = Nginx::start()?;
    let site = product.sample_site()?;
    let page = some_page(&site)?;
    let plain = fetch(&page, &[], None)?;
    let gzip = fetch(&page, &["Accept-Encoding: gzip"], None)?;
    ensure!(gzip.starts_with(&[0x1f, 0x8b]), "{page} is not sent as gzip");
    let peer = nginx.serve("page.html", &plain, Some(&gzip))?;
    println!("{page}: {} bytes, {} as gzip", plain.len(), gzip.len());

    let mut cases = Vec::new();
    for encoding in ["identity", "gzip"] {
        for connections in [16, 64] {
            let headers = vec![format!("Accept-Encoding: {encoding}")];
            cases.push(Case {
                name: format!("page, {encoding}"),
                connections,
                ours: Load {
                    url: page.clone(),
                    headers: headers.clone(),
                    server: product.process(),
                },
                peer: Load { url: peer.clone(), headers, server: nginx.process() },
                min_rate: 0.6,
                max_cpu: Some(1.6),
                max_p99: None,
            });
        }
    }
    super::compare(options, &cases)
}

/// Returns a page in the middle of the sitemap, to avoid the front page and short pages at the end.
fn some_page(site: &str) -> Result<String> {
    let map = fetch(&format!("{}/sitemap.xml", site.trim_end_matches('/')), &[], None)?;
    let map = String::from_utf8(map).context("the site's map is not UTF-8")?;
    let pages = super::locations(&map);
    let page = pages.get(pages.len() / 2).context("the site's map names no page")?;
    Ok(page.clone())
}
