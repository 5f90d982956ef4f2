//! A page saved, its change shown and merged, in spaces of three sizes, beside the same edit as a
//! commit and a merge with libgit2: the cost must follow the change and not the size.

use super::product::Product;
use super::source::Source;
use super::usage::written_bytes;
use super::{Options, median, verdict};
use anyhow::{Context, Result};
use git2::{FileMode, Oid, Repository, Signature};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Spaces of so many pages; `--pages` takes the larger ones away.
const SIZES: [usize; 3] = [100, 10_000, 100_000];
/// Changes in each space and round.
const CHANGES: usize = 60;
/// The most that anything may cost more in the largest space than in the smallest.
const GROWTH: f64 = 1.5;
/// The most that a merge may take.
const MERGE: Duration = Duration::from_millis(5);
/// The most that a comparison of two revisions may take that differ in ten pages.
const COMPARISON: Duration = Duration::from_millis(5);

/// A space with its pages, and the same as a repository.
struct Side {
    product: Product,
    space: String,
    pages: Vec<String>,
    source: Source,
    files: Vec<String>,
    count: usize,
    took: Vec<Took>,
    git: Vec<Duration>,
}

/// What one change took, step by step.
#[derive(Default)]
struct Took {
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
    // In turn, so that what else the machine does falls on all of them alike.
    let mut texts = Vec::new();
    for number in 0..options.rounds() * CHANGES {
        for side in &mut sides {
            let (took, text) = side.change(number)?;
            side.took.push(took);
            texts.push(text);
        }
    }
    // Afterwards: it reads so much that it would empty the processor's caches for the others.
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
        fine &= verdict(&format!("{name}: {ratio:.2} times the smallest"), ratio <= GROWTH);
    }
    let merge = large.merge * 1e3;
    fine &= verdict(&format!("merge: {merge:.2} ms"), large.merge <= MERGE.as_secs_f64());
    let compare = large.compare * 1e3;
    fine &=
        verdict(&format!("compare: {compare:.2} ms"), large.compare <= COMPARISON.as_secs_f64());
    Ok(fine)
}

/// Medians, in seconds.
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

    /// A paragraph more in one page, as a change request; also what the page says then.
    fn change(&self, number: usize) -> Result<(Took, String)> {
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
        Ok((Took { open, save, show, merge, written }, text))
    }

    /// An edit of the same size with libgit2.
    fn change_with_git(&mut self, number: usize, text: &str) -> Result<()> {
        let file = self.files.get(place(number, self.files.len())).context("a file")?;
        self.git.push(commit_and_merge(self.source.folder_of_repository(), file, text)?);
        Ok(())
    }

    /// Prints a line and gives back the medians.
    #[expect(clippy::cast_precision_loss, reason = "a figure of a report")]
    fn report(&self) -> Result<Row> {
        let over = |figure: fn(&Took) -> f64| median(self.took.iter().map(figure).collect());
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

    /// How long it takes to tell what differs between two revisions, ten merges apart.
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

    /// How long it takes to tell who refers to a page.
    fn backlinks(&self) -> Result<f64> {
        let page = self.pages.get(self.pages.len() / 2).context("a page")?;
        self.repeated(&format!("/spaces/{}/content/page/{page}/backlinks", self.space))
    }

    /// The median of some answers to one question.
    fn repeated(&self, path: &str) -> Result<f64> {
        let mut times = Vec::new();
        for _ in 0..20 {
            times.push(timed(|| self.product.get(path))?.1.as_secs_f64());
        }
        Ok(median(times))
    }
}

/// Where the next change is: far from the one before, in no order.
const fn place(number: usize, of: usize) -> usize {
    number * 7_919 % of
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let start = Instant::now();
    let made = work()?;
    Ok((made, start.elapsed()))
}

/// The ids of all pages with documents.
fn documents(pages: &Value, found: &mut Vec<String>) {
    for page in pages.as_array().into_iter().flatten() {
        if page.get("type").and_then(Value::as_str) == Some("document") {
            found.extend(page.get("id").and_then(Value::as_str).map(str::to_owned));
        }
        documents(page.get("pages").unwrap_or(&Value::Null), found);
    }
}

/// The same edit with libgit2: a commit beside the branch, and its merge into it.
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
