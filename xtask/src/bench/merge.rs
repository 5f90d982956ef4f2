//! Saving a page, showing its change and merging it in spaces of three sizes, compared with a
//! commit and a merge in libgit2. The cost must depend on the change and not on the size.

use super::product::Product;
use super::source::Source;
use super::usage::written_bytes;
use super::{Options, median, verdict};
use anyhow::{Context, Result};
use git2::{FileMode, Oid, Repository, Signature};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The numbers of pages in the spaces. `--pages` removes the larger ones.
const SIZES: [usize; 3] = [100, 10_000, 100_000];
/// The number of changes in each space and round.
const CHANGES: usize = 60;
/// The maximum ratio of the costs in the largest and in the smallest space.
const MAX_GROWTH: f64 = 1.5;
/// The maximum time for a merge.
const MAX_MERGE_TIME: Duration = Duration::from_millis(5);
/// The maximum time for comparing two revisions that differ in ten pages.
const MAX_COMPARISON_TIME: Duration = Duration::from_millis(5);

/// A space with its pages, and a repository with the same pages.
struct Side {
    product: Product,
    space: String,
    pages: Vec<String>,
    source: Source,
    files: Vec<String>,
    count: usize,
    took: Vec<Times>,
    git: Vec<Duration>,
}

/// The times of the steps of one change.
#[derive(Default)]
struct Times {
    open: Duration,
    save: Duration,
    show: Duration,
    merge: Duration,
    written: u64,
}

pub(super) fn run(options: &Options) -> Result<bool> {
    let largest = options.pages.unwrap_or(usize::MAX);
    let sizes = SIZES.into_iter().filter(|size| *size <= largest);
    let mut sides = sizes.map(Side::new).collect::<Result<Vec<_>>>()?;
    // The sides alternate, so that other activity on the machine affects them equally.
    let mut texts = Vec::new();
    for number in 0..options.rounds() * CHANGES {
        for side in &mut sides {
            let (took, text) = side.change(number)?;
            side.took.push(took);
            texts.push(text);
        }
    }
    // Git is measured afterwards: it reads so much data that it would evict the other sides from
    // the processor's caches.
    for (at, text) in texts.into_iter().enumerate() {
        let at = (at / sides.len(), at % sides.len());
        if let Some(side) = sides.get_mut(at.1) {
            side.change_with_git(at.0, &text)?;
        }
    }
    println!(
        "{:>8} {:>10} {:>10} {:>10} {:>10} {:>10} {:>12} {:>12} {:>10} {:>10}",
        "pages",
        "open",
        "save",
        "show",
        "merge",
        "written",
        "libgit2",
        "compare 10",
        "50 links",
        "backlinks"
    );
    let mut rows = Vec::new();
    for side in &sides {
        rows.push(side.report()?);
    }
    let (Some(small), Some(large)) = (rows.first(), rows.last()) else { return Ok(true) };
    let mut fine = true;
    for (name, small, large) in [
        ("open", small.open, large.open),
        ("save", small.save, large.save),
        ("show", small.show, large.show),
        ("merge", small.merge, large.merge),
        ("links", small.links, large.links),
        ("backlinks", small.backlinks, large.backlinks),
    ] {
        let ratio = large / small;
        fine &= verdict(&format!("{name}: {ratio:.2} times the smallest"), ratio <= MAX_GROWTH);
    }
    let merge = large.merge * 1e3;
    fine &= verdict(&format!("merge: {merge:.2} ms"), large.merge <= MAX_MERGE_TIME.as_secs_f64());
    let compare = large.compare * 1e3;
    fine &= verdict(
        &format!("compare: {compare:.2} ms"),
        large.compare <= MAX_COMPARISON_TIME.as_secs_f64(),
    );
    Ok(fine)
}

/// Median times in seconds.
struct Row {
    open: f64,
    save: f64,
    show: f64,
    merge: f64,
    compare: f64,
    links: f64,
    backlinks: f64,
}

impl Side {
    fn new(count: usize) -> Result<Self> {
        let source = Source::generate(count)?;
        let product = Product::empty()?;
        let site = product.new_site()?;
        let took = source.import(&product, &site, "<h1")?;
        println!("{count} pages imported in {:.2} s", took.as_secs_f64());
        let list = product.get(&format!("/spaces/{}/content/pages", site.space))?;
        let mut pages = Vec::new();
        documents(list.get("pages").unwrap_or(&Value::Null), &mut pages);
        let files = source.files();
        let space = site.space;
        Ok(Self { product, space, pages, source, files, count, took: Vec::new(), git: Vec::new() })
    }

    /// Adds a paragraph to a page in a change request and merges it. Also returns the page's new
    /// text.
    fn change(&self, number: usize) -> Result<(Times, String)> {
        let page = self.pages.get(place(number, self.pages.len())).context("a page")?;
        let base = format!("/spaces/{}/change-requests", self.space);
        let before = written_bytes(self.product.process())?;
        let made = self.product.post(&base, &json!({ "subject": "Measured" }))?;
        let id = made.pointer("/id").and_then(Value::as_str).context("a change request")?;
        let request = format!("{base}/{id}");
        let content = format!("{request}/content/page/{page}");
        let (_, open) = timed(|| {
            self.product.get(&request)?;
            self.product.get(&content)
        })?;
        let shown = self.product.get(&format!("{content}?format=markdown"))?;
        let text = shown.pointer("/markdown").and_then(Value::as_str).context("its text")?;
        let text = format!("{}\n\nChanged for the {number}th time.\n", text.trim_end());
        let change = json!({
            "operation": "update_page", "page": page, "document": { "markdown": text },
        });
        let body = json!({ "changes": [change] });
        let (_, save) = timed(|| self.product.post(&format!("{request}/content"), &body))?;
        let (_, show) = timed(|| self.product.get(&format!("{request}/changes")))?;
        let (_, merge) = timed(|| self.product.post(&format!("{request}/merge"), &json!({})))?;
        let written = written_bytes(self.product.process())?.saturating_sub(before);
        Ok((Times { open, save, show, merge, written }, text))
    }

    /// Makes an edit of the same size with libgit2.
    fn change_with_git(&mut self, number: usize, text: &str) -> Result<()> {
        let file = self.files.get(place(number, self.files.len())).context("a file")?;
        self.git.push(commit_and_merge(self.source.folder_of_repository(), file, text)?);
        Ok(())
    }

    /// Prints a line and returns the medians.
    #[expect(clippy::cast_precision_loss, reason = "a figure of a report")]
    fn report(&self) -> Result<Row> {
        let over = |figure: fn(&Times) -> f64| median(self.took.iter().map(figure).collect());
        let row = Row {
            open: over(|took| took.open.as_secs_f64()),
            save: over(|took| took.save.as_secs_f64()),
            show: over(|took| took.show.as_secs_f64()),
            merge: over(|took| took.merge.as_secs_f64()),
            compare: self.compare()?,
            links: self.repeated(&format!("/spaces/{}/links?limit=50", self.space))?,
            backlinks: self.backlinks()?,
        };
        println!(
            "{:>8} {:>7.2} ms {:>7.2} ms {:>7.2} ms {:>7.2} ms {:>7.1} KB {:>9.2} ms {:>9.2} ms \
             {:>7.2} ms {:>7.2} ms",
            self.count,
            row.open * 1e3,
            row.save * 1e3,
            row.show * 1e3,
            row.merge * 1e3,
            over(|took| took.written as f64) / 1e3,
            median(self.git.iter().map(Duration::as_secs_f64).collect()) * 1e3,
            row.compare * 1e3,
            row.links * 1e3,
            row.backlinks * 1e3,
        );
        Ok(row)
    }

    /// Returns the median time for comparing two revisions that are ten merges apart.
    fn compare(&self) -> Result<f64> {
        let path = format!("/bindery/spaces/{}/history?limit=11", self.space);
        let history = self.product.get(&path)?;
        let revision = |at: usize| {
            let entry = history.pointer(&format!("/items/{at}/revision"));
            entry.and_then(Value::as_str).context("a revision")
        };
        let (from, to) = (revision(10)?, revision(0)?);
        self.repeated(&format!("/bindery/spaces/{}/compare?from={from}&to={to}", self.space))
    }

    /// Returns the median time for listing the backlinks of a page.
    fn backlinks(&self) -> Result<f64> {
        let page = self.pages.get(self.pages.len() / 2).context("a page")?;
        self.repeated(&format!("/spaces/{}/content/page/{page}/backlinks", self.space))
    }

    /// Returns the median time of several requests for a path.
    fn repeated(&self, path: &str) -> Result<f64> {
        let mut times = Vec::new();
        for _ in 0..20 {
            times.push(timed(|| self.product.get(path))?.1.as_secs_f64());
        }
        Ok(median(times))
    }
}

/// Returns the index of the page to change, far from that of the previous change.
const fn place(number: usize, of: usize) -> usize {
    number * 7_919 % of
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let start = Instant::now();
    let made = work()?;
    Ok((made, start.elapsed()))
}

/// Collects the ids of all pages with documents.
fn documents(pages: &Value, found: &mut Vec<String>) {
    for page in pages.as_array().into_iter().flatten() {
        if page.get("type").and_then(Value::as_str) == Some("document") {
            found.extend(page.get("id").and_then(Value::as_str).map(str::to_owned));
        }
        documents(page.get("pages").unwrap_or(&Value::Null), found);
    }
}

/// Makes the same edit with libgit2: a commit that is not on the branch, and its merge into the
/// branch.
fn commit_and_merge(folder: &std::path::Path, path: &str, text: &str) -> Result<Duration> {
    let repository = Repository::open_bare(folder)?;
    let start = Instant::now();
    let signature = Signature::now("Bench", "bench@example.com")?;
    let main = repository.find_reference("refs/heads/main")?.peel_to_commit()?;
    let tree = main.tree()?;
    let blob = repository.blob(text.as_bytes())?;
    let edited = git2::build::TreeUpdateBuilder::new()
        .upsert(path, blob, FileMode::Blob)
        .create_updated(&repository, &tree)?;
    let commit = |tree: Oid, parents: &[&git2::Commit<'_>]| -> Result<Oid> {
        let tree = repository.find_tree(tree)?;
        Ok(repository.commit(None, &signature, &signature, "Measured", &tree, parents)?)
    };
    let proposed = repository.find_commit(commit(edited, &[&main])?)?;
    let mut index = repository.merge_commits(&main, &proposed, None)?;
    let merged = index.write_tree_to(&repository)?;
    let merge = commit(merged, &[&main, &proposed])?;
    repository.reference("refs/heads/main", merge, true, "measured")?;
    Ok(start.elapsed())
}
