//! A repository of generated pages on a local Git server, and its import into the product.

use super::http::Connection;
use super::product::{Product, Site};
use anyhow::{Context, Result, bail, ensure};
use bindery_testkit::git_server::{Change, GitServer, Repository, generated_pages};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const NAME: &str = "pages.git";
/// The interval between checks of a job or a page.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// The time limit for an import.
const TIMEOUT: Duration = Duration::from_mins(10);

/// A repository with its server.
pub(super) struct Source {
    server: GitServer,
    repository: Repository,
    pages: usize,
    /// The folder of the pages with a trailing slash; empty for the top folder.
    folder: String,
    /// The total size of the pages in bytes.
    pub(super) bytes: usize,
}

impl Source {
    /// Creates a repository with this number of pages of about 4 KB and a front page.
    pub(super) fn generate(pages: usize) -> Result<Self> {
        ensure!(pages > 0, "there must be pages");
        let server = GitServer::start();
        let repository = server.repository(NAME);
        let front = Change::file("README.md", "# Front page\n\nGenerated pages follow.\n");
        let mut bytes = 0;
        let counted = generated_pages(pages).inspect(|page| bytes += content(page).len());
        repository.commit("main", "Pages", std::iter::once(front).chain(counted));
        Ok(Self { server, repository, pages, folder: String::new(), bytes })
    }

    /// Lets clients push to the repository.
    pub(super) fn accept_pushes(&self) {
        self.repository.git(&["config", "http.receivepack", "true"]);
    }

    pub(super) fn url(&self) -> String {
        self.server.url(NAME)
    }

    /// Returns the path of the bare repository.
    pub(super) fn folder_of_repository(&self) -> &std::path::Path {
        self.repository.path()
    }

    /// Returns the paths of all pages in order.
    pub(super) fn files(&self) -> Vec<String> {
        let pages = generated_pages(self.pages).filter_map(|page| match page {
            Change::File(path, _) => String::from_utf8(path).ok(),
            _ => None,
        });
        pages.map(|path| format!("{}{path}", self.folder)).collect()
    }

    /// Returns the path of a page in the middle, without its extension.
    pub(super) fn some_page(&self) -> Result<String> {
        let page = generated_pages(self.pages).nth(self.pages / 2).context("a page")?;
        let Change::File(path, _) = page else { bail!("a generated page is a file") };
        let path = String::from_utf8(path).context("its path")?;
        Ok(format!("{}{}", self.folder, path.trim_end_matches(".md")))
    }

    /// Moves all pages to a folder and adds a line with this text to each, in one commit.
    pub(super) fn rewrite(&mut self, folder: &str, text: &str) -> Result<()> {
        let mut changes = Vec::new();
        for page in generated_pages(self.pages) {
            let Change::File(path, mut content) = page else { bail!("a generated page is a file") };
            let path = String::from_utf8(path).context("its path")?;
            content.extend_from_slice(format!("\n{text}\n").as_bytes());
            if folder != self.folder {
                changes.push(Change::Delete(format!("{}{path}", self.folder).into_bytes()));
            }
            changes.push(Change::file(format!("{folder}{path}"), content));
        }
        self.repository.commit("main", "All pages", changes);
        folder.clone_into(&mut self.folder);
        Ok(())
    }

    /// Adds a line with this text to the page in the middle, in one commit.
    pub(super) fn change(&self, text: &str) -> Result<()> {
        let page = generated_pages(self.pages).nth(self.pages / 2).context("a page")?;
        let Change::File(path, mut content) = page else { bail!("a generated page is a file") };
        content.extend_from_slice(format!("\n{text}\n").as_bytes());
        self.repository.commit("main", "One page", [Change::File(path, content)]);
        Ok(())
    }

    /// Adds a page at the top level, in one commit.
    pub(super) fn add(&self, path: &str) {
        self.repository.commit("main", "A page", [Change::file(path, "# Another page\n")]);
    }

    /// Imports the repository, publishes the site if necessary, and waits until the page in the
    /// middle is served with this text.
    pub(super) fn import(&self, product: &Product, site: &Site, text: &str) -> Result<Duration> {
        let some_page = self.some_page()?;
        let start = Instant::now();
        let job = request_import(product, site, &self.url())?;
        let mut connection = product.connect()?;
        wait_for_job(&mut connection, &job)?;
        let published = publish(product, site)?;
        let page = format!("{}/{some_page}", published.trim_end_matches('/'));
        loop {
            let answer = connection.send(&page, &[], None)?;
            let body = String::from_utf8_lossy(&answer.body);
            if answer.status == 200 && body.contains(text) {
                return Ok(start.elapsed());
            }
            ensure!(start.elapsed() < TIMEOUT, "{page} is not served: {}", answer.status);
            pause()?;
        }
    }
}

fn content(page: &Change) -> &[u8] {
    match page {
        Change::File(_, content) => content,
        _ => &[],
    }
}

/// Requests the import of a repository, and returns the address of the job.
pub(super) fn request_import(product: &Product, site: &Site, url: &str) -> Result<String> {
    let body = json!({ "url": url, "ref": "refs/heads/main" });
    request_job(product, site, "import", &body)
}

/// Requests an import or an export, and returns the address of the job.
pub(super) fn request_job(
    product: &Product,
    site: &Site,
    kind: &str,
    body: &Value,
) -> Result<String> {
    let answer = product.post_for_answer(&format!("/spaces/{}/git/{kind}", site.space), body)?;
    Ok(answer.header("location").context("the answer names no job")?.to_owned())
}

/// Waits until a job is done.
pub(super) fn wait_for_job(connection: &mut Connection, job: &str) -> Result<()> {
    let start = Instant::now();
    loop {
        let answer = connection.send(job, &[&Product::authorization()], None)?.success(job)?;
        let answer: Value = serde_json::from_slice(&answer.body)?;
        match answer.pointer("/status").and_then(Value::as_str) {
            Some("done") => return Ok(()),
            Some("failed" | "cancelled") => bail!("the job failed: {answer}"),
            _ => ensure!(start.elapsed() < TIMEOUT, "the job takes too long: {answer}"),
        }
        pause()?;
    }
}

/// Publishes a site, if it is not published already, and returns its address.
pub(super) fn publish(product: &Product, site: &Site) -> Result<String> {
    let shown = product.get(&site.path)?;
    if shown.get("published") != Some(&Value::Bool(true)) {
        product.post_for_answer(&format!("{}/publish", site.path), &json!({}))?;
    }
    let shown = product.get(&site.path)?;
    let published = shown.pointer("/urls/published").and_then(Value::as_str);
    Ok(published.context("the site has no published address")?.to_owned())
}

fn pause() -> Result<()> {
    crate::process::check_interrupted()?;
    std::thread::sleep(POLL_INTERVAL);
    Ok(())
}
