//! Synchronisation with a repository: the first import, the import of one changed page and the
//! export of one edit, compared with what Git needs for the same over the same server.

use super::product::{Product, Site};
use super::source::{Source, request_job, wait_for_job};
use super::usage::folder_size;
use super::{Options, median, megabytes, verdict};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const PAGES: usize = 100_000;
/// The maximum time of an import or an export of one page as a multiple of Git's time.
const LIMIT: f64 = 3.0;

/// A space, and a clone that a person works in.
struct Sides {
    product: Product,
    site: Site,
    source: Source,
    folder: tempfile::TempDir,
}

pub(super) fn run(options: &Options) -> Result<bool> {
    let pages = options.pages.unwrap_or(PAGES);
    let folder = tempfile::Builder::new().prefix("bindery-sync-").tempdir()?;
    let source = Source::generate(pages)?;
    source.accept_pushes();
    let product = Product::empty()?;
    let site = product.new_site()?;
    let sides = Sides { product, site, source, folder };
    let url = sides.source.url();
    let clone = time(|| sides.git(Path::new("."), &["clone", "-q", "--depth=1", &url, "clone"]))?;
    let first = time(|| sides.job("import"))?;
    println!("{:28} {:>10} {:>10} {:>7}", format!("{pages} pages"), "Bindery", "Git", "ratio");
    report("first import, clone", &[first], &[clone]);
    let (mut imports, mut fetches) = (Vec::new(), Vec::new());
    let (mut exports, mut pushes) = (Vec::new(), Vec::new());
    let clone = Path::new("clone");
    for round in 0..options.rounds() {
        sides.source.change(&format!("Changed for the {round}th time."))?;
        imports.push(time(|| sides.job("import"))?);
        let fetch = ["fetch", "-q", "--depth=1", "origin", "main"];
        fetches.push(time(|| sides.git(clone, &fetch))?);
        sides.edit(round)?;
        exports.push(time(|| sides.job("export"))?);
        sides.git(clone, &fetch)?;
        sides.git(clone, &["reset", "-q", "--hard", "FETCH_HEAD"])?;
        let page = sides.folder.path().join(clone).join("README.md");
        std::fs::write(&page, format!("# Front page\n\nEdited for the {round}th time.\n"))?;
        pushes.push(time(|| {
            sides.git(clone, &["commit", "-q", "-am", "An edit"])?;
            sides.git(clone, &["push", "-q", "origin", "HEAD:main"])
        })?);
    }
    let import = report("import of one page, fetch", &imports, &fetches);
    let export = report("export of one edit, push", &exports, &pushes);
    let cache = folder_size(&sides.product.data().join("cache"))?;
    println!("the cached repository takes {}", megabytes(cache));
    let import = verdict(&format!("import {import:.2} × Git, limit {LIMIT}"), import < LIMIT);
    let export = verdict(&format!("export {export:.2} × Git, limit {LIMIT}"), export < LIMIT);
    Ok(import && export)
}

impl Sides {
    /// Runs Git in a folder below the temporary one.
    fn git(&self, folder: &Path, arguments: &[&str]) -> Result<()> {
        let mut git = Command::new("git");
        git.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]).args(arguments);
        let done = git.current_dir(self.folder.path().join(folder)).output()?;
        let said = String::from_utf8_lossy(&done.stderr);
        ensure!(done.status.success(), "git {arguments:?}: {said}");
        Ok(())
    }

    /// Imports or exports, and waits until it is done.
    fn job(&self, kind: &str) -> Result<()> {
        let mut body = json!({ "url": self.source.url(), "ref": "refs/heads/main" });
        if kind == "export" {
            body["commitMessage"] = "An edit".into();
        }
        let job = request_job(&self.product, &self.site, kind, &body)?;
        wait_for_job(&mut self.product.connect()?, &job)
    }

    /// Changes the text of a page in the space.
    fn edit(&self, round: usize) -> Result<()> {
        let path = format!("/spaces/{}/content/path/{}", self.site.space, self.source.some_page()?);
        let page = self.product.get(&path)?;
        let page = page.get("id").and_then(Value::as_str).context("the id of a page")?;
        let change = json!({ "changes": [{
            "operation": "update_page",
            "page": page,
            "document": { "markdown": format!("Written here for the {round}th time.\n") },
        }] });
        let path = format!("/bindery/spaces/{}/content", self.site.space);
        self.product.post_for_answer(&path, &change)?;
        Ok(())
    }
}

/// Returns the seconds that a step takes.
fn time(step: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    step()?;
    Ok(start.elapsed().as_secs_f64())
}

/// Prints the medians of both sides and returns their ratio.
fn report(name: &str, ours: &[f64], peer: &[f64]) -> f64 {
    let (ours, peer) = (median(ours.to_vec()), median(peer.to_vec()));
    println!("{name:28} {:>7.0} ms {:>7.0} ms {:>7.2}", ours * 1e3, peer * 1e3, ours / peer);
    ours / peer
}
