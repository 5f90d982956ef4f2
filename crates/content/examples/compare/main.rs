//! Parses, renders and prints every page below a directory, alternating with comrak and
//! pulldown-cmark on the same pages, and compares the results.
//!
//! `cargo run --release --example compare -- FOLDER [ROUNDS]` exits with status 1 if a target is
//! missed.
//!
//! This crate reads far more than they do (block tags, typed tables, references, keys, anchors), so
//! the target is a third of comrak's speed. All of them use the same counting allocator.

#![expect(clippy::print_stdout, reason = "printing is its purpose")]

mod json;
mod memory;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use bindery_content::html::{self, NoLinks, RenderContext};
use bindery_content::print::{self, PrintContext};
use bindery_content::reference::{self, Names, NoLookup};
use bindery_content::{Document, Page, ParseContext, markdown, source};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const ROUNDS: usize = 5;
/// Minimum speed as a fraction of comrak's.
const LEAST_SPEED: f64 = 1.0 / 3.0;
/// Minimum speed of printing an unchanged document as a fraction of the speed of a copy.
const LEAST_COPY: f64 = 0.5;

const CONTEXT: ParseContext<'static> = ParseContext { path: "page.md", lookup: &NoLookup };

/// Resolves no names: references are printed as written.
struct NoNames;

impl Names for NoNames {
    fn page_path(&self, _page: &str) -> Option<String> {
        None
    }
    fn file_path(&self, _file: &str) -> Option<String> {
        None
    }
    fn reusable_content_path(&self, _reusable_content: &str) -> Option<String> {
        None
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| ".".to_owned());
    let rounds = arguments.next().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS).max(1);
    let pages = Pages::read(Path::new(&folder));
    if pages.0.is_empty() {
        println!("no Markdown files under {folder}");
        return ExitCode::FAILURE;
    }
    println!("{} pages, {:.1} MB, medians of {rounds} rounds", pages.0.len(), pages.megabytes());
    let fine = [
        compare_speed(&pages, rounds),
        compare_print(&pages, rounds),
        memory::compare(&pages),
        memory::hostile(),
        json::bodies(),
    ];
    if fine.iter().all(|fine| *fine) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A page's path and body.
struct Source {
    path: PathBuf,
    body: String,
}

/// The bodies of the pages.
struct Pages(Vec<Source>);

impl Pages {
    fn read(folder: &Path) -> Self {
        let mut files = Vec::new();
        collect(folder, &mut files);
        files.sort();
        let page = |path: PathBuf| {
            let bytes = std::fs::read(&path).ok()?;
            let text = source::decode(&bytes);
            let body = Page::split(&text).body.of(&text).to_owned();
            Some(Source { path, body })
        };
        Self(files.into_iter().filter_map(page).collect())
    }

    #[expect(clippy::cast_precision_loss, reason = "a figure of a report")]
    fn megabytes(&self) -> f64 {
        self.0.iter().map(|page| page.body.len()).sum::<usize>() as f64 / 1e6
    }

    /// Returns the time of a pass over all pages.
    fn time<T>(&self, work: impl Fn(&str) -> T) -> Duration {
        let started = Instant::now();
        for page in &self.0 {
            black_box(work(black_box(&page.body)));
        }
        started.elapsed()
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&path, files),
            Ok(_) if path.extension().is_some_and(|extension| extension == "md") => {
                files.push(path);
            }
            _ => {}
        }
    }
}

fn parse(body: &str) -> Document {
    markdown::parse(body, &CONTEXT)
}

fn render(body: &str) -> html::Html {
    let context = RenderContext { links: &NoLinks, highlight: false };
    html::render(&parse(body), &context)
}

fn comrak_options() -> comrak::Options<'static> {
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    options.render.r#unsafe = true;
    options
}

fn pulldown(body: &str) -> pulldown_cmark::Parser<'_> {
    use pulldown_cmark::Options;
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES;
    pulldown_cmark::Parser::new_ext(body, options)
}

fn compare_speed(pages: &Pages, rounds: usize) -> bool {
    let options = comrak_options();
    println!("{:26} {:>10} {:>10} {:>10} {:>8}", "MB/s", "ours", "comrak", "pulldown", "ratio");
    let (mut read, mut rendered) = ([const { Vec::new() }; 3], [const { Vec::new() }; 3]);
    for _ in 0..rounds {
        let arena_parse = |body: &str| {
            let arena = comrak::Arena::new();
            let root = comrak::parse_document(&arena, body, &options);
            root.children().count()
        };
        let events = |body: &str| pulldown(body).into_offset_iter().map(black_box).count();
        for (times, time) in
            read.iter_mut().zip([pages.time(parse), pages.time(arena_parse), pages.time(events)])
        {
            times.push(time);
        }
        let comrak_html = |body: &str| comrak::markdown_to_html(body, &options);
        let pulldown_html = |body: &str| {
            let mut html = String::with_capacity(body.len() * 2);
            for event in pulldown(body) {
                push_event(&mut html, event);
            }
            html
        };
        for (times, time) in rendered.iter_mut().zip([
            pages.time(render),
            pages.time(comrak_html),
            pages.time(pulldown_html),
        ]) {
            times.push(time);
        }
    }
    let read = speeds(pages, "read, with positions", read);
    let rendered = speeds(pages, "read and rendered as HTML", rendered);
    read && rendered
}

/// Appends the text of an event. The HTML writer of pulldown-cmark is behind a feature that the
/// product does not enable, so its figure is for its events with their text copied.
fn push_event(html: &mut String, event: pulldown_cmark::Event<'_>) {
    use pulldown_cmark::Event;
    match event {
        Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
            html.push_str(&text);
        }
        _ => html.push('\n'),
    }
}

fn speeds(pages: &Pages, what: &str, times: [Vec<Duration>; 3]) -> bool {
    let [ours, comrak, pulldown] = times.map(|times| pages.megabytes() / median(times));
    let ratio = ours / comrak;
    let fine = ratio >= LEAST_SPEED;
    println!("{what:26} {ours:>10.1} {comrak:>10.1} {pulldown:>10.1} {ratio:>8.2}  {}", word(fine));
    fine
}

fn compare_print(pages: &Pages, rounds: usize) -> bool {
    let documents: Vec<Document> = pages.0.iter().map(|page| parse(&page.body)).collect();
    let context = PrintContext { path: CONTEXT.path, lookup: CONTEXT.lookup, names: &NoNames };
    let (mut printed, mut same, mut equal, mut copied) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let clones = documents.clone();
    let all = || pages.0.iter().zip(&documents).zip(&clones);
    for _ in 0..rounds {
        printed.push(time(|| {
            documents.iter().for_each(|document| {
                black_box(print::print(document, &context));
            })
        }));
        same.push(time(|| {
            all().for_each(|((page, document), _)| {
                black_box(print::print_edited(&page.body, document, document, &context));
            })
        }));
        equal.push(time(|| {
            all().for_each(|((page, document), clone)| {
                black_box(print::print_edited(&page.body, document, clone, &context));
            })
        }));
        copied.push(pages.time(str::to_owned));
    }
    let [printed, same, equal, copied] =
        [printed, same, equal, copied].map(|times| pages.megabytes() / median(times));
    println!("{:26} {printed:>10.1} MB/s", "printed canonically");
    let scanned = pages.megabytes() / pages.time(reference::targets).as_secs_f64();
    println!("{:26} {scanned:>10.1} MB/s", "scanned for targets");
    println!("{:26} {copied:>10.1} MB/s", "a copy of the bytes");
    println!("{:26} {equal:>10.1} MB/s", "printed, an equal document");
    let fine = same >= copied * LEAST_COPY;
    println!("{:26} {same:>10.1} MB/s  {}", "printed, not touched", word(fine));
    fine
}

fn time(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn word(fine: bool) -> &'static str {
    if fine { "reached" } else { "MISSED" }
}

/// Returns the median time, in seconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times.get(times.len() / 2).map_or(f64::NAN, Duration::as_secs_f64)
}
