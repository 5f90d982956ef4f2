//! The product with every space of the corpus imported and published as a site of its own.

use super::corpus::{self, Page, Source};
use super::judged::Query;
use super::{Found, Space};
use crate::bench::http::Connection;
use crate::bench::product::{Product, Site};
use crate::bench::source::{publish, request_import, wait_for_job};
use anyhow::{Context, Result, ensure};
use bindery_testkit::git_server::{Change, GitServer};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The folder of the index below the cache folder.
const INDEX: &str = "cache/search";
/// Time after which an imported space must be indexed.
const MAX_INDEXING: Duration = Duration::from_mins(2);

/// The product with the published spaces.
pub(super) struct Published {
    product: Product,
    spaces: Vec<Space>,
    sites: Vec<Addresses>,
}

/// The addresses of a site.
struct Addresses {
    /// The address of the site without its origin, and without a slash at the end.
    base: String,
    /// Positions in the pages of the space, by their paths below the base.
    pages: HashMap<String, usize>,
}

impl Published {
    /// Imports and publishes the spaces, and waits until they are indexed.
    pub(super) fn new(sources: Vec<Source>) -> Result<Self> {
        let server = GitServer::start();
        let product = Product::empty()?;
        let (mut spaces, mut sites) = (Vec::new(), Vec::new());
        for (number, Source { name, language, files }) in (0..).zip(sources) {
            crate::process::check_interrupted()?;
            let repository = format!("space-{number}.git");
            let files = files.into_iter().map(|(path, bytes)| Change::file(path, bytes));
            server.repository(&repository).commit("main", "All files", files.collect::<Vec<_>>());
            let site = product.new_site()?;
            product
                .patch(&format!("/spaces/{}", site.space), &json!({ "languageTag": language }))?;
            let job = request_import(&product, &site, &server.url(&repository))?;
            wait_for_job(&mut product.connect()?, &job)?;
            let published = publish(&product, &site)?;
            let (addresses, pages) = published_pages(&product, &site, &published)
                .with_context(|| format!("the pages of {name}"))?;
            wait_for_index(&product, &site.space, &pages)?;
            spaces.push(Space { name, language, pages });
            sites.push(addresses);
        }
        Ok(Self { product, spaces, sites })
    }

    /// Takes the spaces with their pages.
    pub(super) fn spaces(&mut self) -> Result<Vec<Space>> {
        ensure!(!self.spaces.is_empty(), "the corpus is empty");
        Ok(std::mem::take(&mut self.spaces))
    }

    /// Runs the queries in the searches of the sites. Returns the results and the size of the index.
    pub(super) fn search(&self, queries: &[Query]) -> Result<(Vec<Found>, u64)> {
        let mut connection = self.product.connect()?;
        let mut found = Vec::new();
        // The first pass reads the files of the index into memory.
        for pass in 0..2 {
            for query in queries {
                let site = self.sites.get(query.space).context("the site of a query")?;
                let text = encode(query.text);
                let url = self.product.url(&format!("{}/~search?part=results&q={text}", site.base));
                let start = Instant::now();
                let answer = connection.send(&url, &[], None)?.success(&url)?;
                let seconds = start.elapsed().as_secs_f64();
                if pass == 1 {
                    let html = String::from_utf8(answer.body).context("the results")?;
                    let pages = links(&html).filter_map(|link| site.page(link)).collect();
                    found.push(Found { pages, seconds });
                }
            }
            crate::process::check_interrupted()?;
        }
        let bytes = super::folder_bytes(&self.product.data().join(INDEX))?;
        Ok((found, bytes))
    }
}

impl Addresses {
    /// Returns the page with an address.
    fn page(&self, link: &str) -> Option<usize> {
        let path = link.strip_prefix(self.base.as_str())?.trim_matches('/');
        self.pages.get(&decode(path)).copied()
    }
}

/// Returns the addresses of the pages in results of a search.
fn links(html: &str) -> impl Iterator<Item = &str> {
    let pages = html.split("<a class=\"found-page\" href=\"").skip(1);
    pages.filter_map(|page| page.split(['"', '#']).next())
}

/// Reads the pages of a space as its site serves them.
fn published_pages(
    product: &Product,
    site: &Site,
    published: &str,
) -> Result<(Addresses, Vec<Page>)> {
    let origin = product.url("");
    let base = published.strip_prefix(&origin).context("a site at another origin")?;
    let base = base.trim_end_matches('/').to_owned();
    let mut connection: Connection = product.connect()?;
    let (mut pages, mut addresses) = (Vec::new(), HashMap::new());
    for (file, path, title) in documents(&product.get(&format!("/spaces/{}/content", site.space))?)
    {
        // The first page is at the address of the site.
        let address = if pages.is_empty() { String::new() } else { path };
        let url = product.url(&format!("{base}/{}", encode_path(&address)));
        let answer = connection.send(&url, &[], None)?;
        // Pages below hidden ones are not shown.
        if answer.status == 404 {
            continue;
        }
        let document = String::from_utf8(answer.success(&url)?.body).context("a page")?;
        let html = corpus::main_part(&document).with_context(|| format!("the text of {url}"))?;
        addresses.insert(address, pages.len());
        pages.push(Page { path: corpus::page_path(&file), title, html });
    }
    Ok((Addresses { base, pages: addresses }, pages))
}

/// Returns the file, the path and the title of each page of a revision with a document.
fn documents(revision: &Value) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    let pages = |value: &Value| value.get("pages").and_then(Value::as_array).cloned();
    let mut waiting: Vec<Value> = pages(revision).unwrap_or_default();
    waiting.reverse();
    while let Some(page) = waiting.pop() {
        let text = |at: &str| page.pointer(at).and_then(Value::as_str).map(str::to_owned);
        let is_hidden = page.get("hidden") == Some(&Value::Bool(true));
        let kind = text("/type");
        if let (Some("document"), false, Some(file), Some(path), Some(title)) =
            (kind.as_deref(), is_hidden, text("/git/path"), text("/path"), text("/title"))
        {
            found.push((file, path, title));
        }
        waiting.extend(pages(&page).unwrap_or_default().into_iter().rev());
    }
    found
}

/// Waits until a search in a space finds its last page. A space is indexed at once.
fn wait_for_index(product: &Product, space: &str, pages: &[Page]) -> Result<()> {
    let Some(last) = pages.last() else { return Ok(()) };
    let start = Instant::now();
    let address = format!("/spaces/{space}/search?query={}", encode(&last.title));
    while product.get(&address)?.pointer("/count").and_then(Value::as_u64).unwrap_or(0) == 0 {
        ensure!(start.elapsed() < MAX_INDEXING, "no search finds {}", last.title);
        std::thread::sleep(Duration::from_millis(20));
        crate::process::check_interrupted()?;
    }
    Ok(())
}

/// Encodes a value in an address.
fn encode(text: &str) -> String {
    let encoded = text.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    });
    encoded.collect()
}

fn encode_path(path: &str) -> String {
    path.split('/').map(encode).collect::<Vec<_>>().join("/")
}

/// Decodes a path of an address.
fn decode(path: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        match (first, code) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_encoded_and_decoded() {
        assert_eq!(encode_path("a b/c+"), "a%20b/c%2B");
        assert_eq!(decode("a%20b/c%2B%"), "a b/c+%");
    }

    #[test]
    fn links_are_those_of_pages() {
        let html = "<a href=\"/x\"></a><ol><li><a class=\"found-page\" href=\"/s/a#b\">A</a>\
            <ul><li><a class=\"found-section\" href=\"/s/a#c\">C</a></li></ul></li>\
            <li><a class=\"found-page\" href=\"/s/d\">D</a></li></ol>";
        assert_eq!(links(html).collect::<Vec<_>>(), ["/s/a", "/s/d"]);
    }
}
