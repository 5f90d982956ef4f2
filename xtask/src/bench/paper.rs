//! A PDF of 2,000 generated pages, compared with the typesetter alone: Typst with the same pages in
//! one piece, without chapters, links between pages, tables of contents and feet.

use super::product;
use super::usage::Watch;
use super::{Options, median, megabytes, verdict};
use anyhow::{Context, Result, ensure};
use bindery_content::html::{self, NoLinks, RenderContext};
use bindery_content::reference::{NoLookup, ParseContext};
use bindery_content::{Page, markdown};
use bindery_paper::PageInput;
use bindery_paper::folder::{Folder, Job, PageText};
use bindery_testkit::git_server::{Change, generated_pages};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PAGES: usize = 2_000;
/// The maximum time for 2,000 pages in seconds.
const TIME_LIMIT: f64 = 45.0;
/// The maximum peak resident memory in bytes.
const MEMORY_LIMIT: u64 = 3_000_000_000;

struct Run {
    took: Duration,
    peak: u64,
}

pub(super) fn run(options: &Options) -> Result<bool> {
    let pages = options.pages.unwrap_or(PAGES);
    let folder = tempfile::Builder::new().prefix("bindery-paper-").tempdir()?;
    let started = Instant::now();
    let bytes = write(folder.path(), pages)?;
    let written = started.elapsed().as_secs_f64();
    println!("{pages} pages, {} of source, medians of {}", megabytes(bytes), options.rounds());
    let (mut ours, mut peer) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds() {
        ours.push(typeset(folder.path(), &[])?);
        peer.push(typeset(folder.path(), &["--whole"])?);
    }
    let summary = Folder::at(folder.path()).summary()?;
    let time = |runs: &[Run]| median(runs.iter().map(|run| run.took.as_secs_f64()).collect());
    let peak = |runs: &[Run]| runs.iter().map(|run| run.peak).max().unwrap_or_default();
    println!("{:28} {:>8} {:>12}", "", "time", "peak memory");
    println!("{:28} {written:>6.2} s", "rendering as HTML and source");
    println!("{:28} {:>6.2} s {:>12}", "PDF", time(&ours), megabytes(peak(&ours)));
    println!("{:28} {:>6.2} s {:>12}", "Typst in one piece", time(&peer), megabytes(peak(&peer)));
    println!("{} sheets, {}", summary.sheets, megabytes(summary.bytes));
    let total = written + time(&ours);
    let in_time = verdict(&format!("time {total:.2} s, limit {TIME_LIMIT} s"), total <= TIME_LIMIT);
    let peak = peak(&ours);
    let in_memory = verdict(
        &format!("peak memory {}, limit {}", megabytes(peak), megabytes(MEMORY_LIMIT)),
        peak < MEMORY_LIMIT,
    );
    Ok(in_time && in_memory)
}

/// Writes the folder of a job. Returns the size of the source in bytes.
fn write(path: &Path, pages: usize) -> Result<usize> {
    let folder = Folder::at(path);
    let mut to = folder.page_writer()?;
    let mut bytes = 0;
    for (at, change) in generated_pages(pages).enumerate() {
        let Change::File(path, content) = change else { continue };
        let (path, text) = (String::from_utf8(path)?, String::from_utf8(content)?);
        let split = Page::split(&text);
        let context = ParseContext { path: &path, lookup: &NoLookup };
        let document = markdown::parse(split.body.of(&text), &context);
        let html = html::render(&document, &RenderContext { links: &NoLinks, highlight: true });
        let title = split.title.map_or_else(|| format!("Page {at}"), |title| title.text);
        let level = 1 + u8::from(at % 20 != 0);
        let input = PageInput {
            key: &path,
            level,
            title: &title,
            html: &html.body,
            ..PageInput::default()
        };
        let source = bindery_paper::page(&input).source;
        bytes += source.len();
        Folder::write_page(&mut to, &PageText { key: path, level, title, source })?;
    }
    to.flush()?;
    folder.write_job(&Job {
        title: "Generated pages".to_owned(),
        language: "en".to_owned(),
        has_front: true,
        ..Job::default()
    })?;
    Ok(bytes)
}

fn typeset(folder: &Path, options: &[&str]) -> Result<Run> {
    let started = Instant::now();
    let mut child = Command::new(product::binary()?)
        .arg("typeset")
        .arg(folder)
        .args(options)
        .stdout(Stdio::null())
        .spawn()
        .context("the typesetter")?;
    let watch = Watch::start(child.id());
    let status = child.wait()?;
    let took = started.elapsed();
    ensure!(status.success(), "the typesetter ended with {status}");
    Ok(Run { took, peak: watch.finish().peak })
}
