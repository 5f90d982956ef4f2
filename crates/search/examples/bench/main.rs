//! Measures the index with pages made from real ones.
//!
//! `cargo run --release -p bindery-search --example bench -- CORPUS PAGES SPACES` makes `PAGES` pages
//! of about 4 KB in one space and further ones of ten pages in each of `SPACES` other spaces, and
//! prints the speed of indexing, the size of the index, the time of queries and of one changed
//! page, and the memory. Lines that begin with `figure` are for `cargo xtask bench search`.

#![expect(clippy::print_stdout, reason = "printing is its purpose")]
#![expect(clippy::unwrap_used, reason = "an error ends the example")]

#[path = "../corpus/mod.rs"]
mod corpus;

use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use bindery_model::{Entropy, PageId, SpaceId};
use bindery_search::{
    Mode, PageEntry, PageKey, Preparation, Query, Scope, SearchIndex, Section, Snapshot,
};

/// The allocator of the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PAGE_BYTES: usize = 4_096;
const PAGES_PER_SPACE: usize = 10;
/// The number of pages of a commit.
const COMMIT: usize = 20_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, folder] = arguments.as_slice()
        && mode == "idle"
    {
        return idle(Path::new(folder));
    }
    let number =
        |at: usize| arguments.get(at).and_then(|text| text.parse::<usize>().ok()).unwrap_or(0);
    let texts = texts(Path::new(arguments.first().map_or("", String::as_str)));
    let entropy = Entropy::seeded(1);
    let folder = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(folder.path(), 32 << 20).unwrap();
    let large = SpaceId::random(&entropy);
    let (pages, spaces) = (number(1), number(2));

    let mut entries = Pages { texts: &texts, entropy: &entropy, next: 0, bytes: 0 };
    let start = Instant::now();
    fill(&index, pages, |_| large, &mut entries);
    let took = start.elapsed();
    report("indexing", pages, took, &index, entries.bytes);
    figure("indexed pages/s", pages as f64 / took.as_secs_f64());
    let page = settle(&index);
    println!("resident after indexing: {} MB", resident());
    figure("index bytes per byte of text", index.disk_bytes() as f64 / entries.bytes as f64);
    let (p50, p99) = queries("alone", &index.snapshot(), &[large], &texts);
    figure("query p50 ms", milliseconds(p50));
    figure("query p99 ms", milliseconds(p99));
    let (p50, longest) = changes(&index, large, &mut entries);
    figure("changed page p50 ms", milliseconds(p50));
    figure("changed page longest ms", milliseconds(longest));
    if spaces > 0 {
        let others: Vec<SpaceId> = (0..spaces).map(|_| SpaceId::random(&entropy)).collect();
        let start = Instant::now();
        fill(&index, spaces * PAGES_PER_SPACE, |at| others[at / PAGES_PER_SPACE], &mut entries);
        report(
            "indexing small spaces",
            spaces * PAGES_PER_SPACE,
            start.elapsed(),
            &index,
            entries.bytes,
        );
        settle(&index);
        let name = "one large space among others";
        let (p50, p99) = queries(name, &index.snapshot(), &[large], &texts);
        figure("query among others p50 ms", milliseconds(p50));
        figure("query among others p99 ms", milliseconds(p99));
        queries("one small space among others", &index.snapshot(), &others[..1], &texts);
        queries(
            "1000 small spaces at once",
            &index.snapshot(),
            &others[..1_000.min(spaces)],
            &texts,
        );
        changes(&index, others[0], &mut entries);
    }
    drop(index);
    println!("{page} segments at first");
    let program = std::env::current_exe().unwrap();
    std::process::Command::new(program).arg("idle").arg(folder.path()).status().unwrap();
}

/// Opens an index in a process of its own, and prints what that takes.
fn idle(folder: &Path) {
    let before = anonymous();
    let start = Instant::now();
    let (index, state) = SearchIndex::open(folder, 32 << 20).unwrap();
    println!("opening: {:?}, {state:?}", start.elapsed());
    let (own, resident) = (anonymous() - before, resident());
    println!("memory of an idle index: {own} MB, resident {resident} MB");
    figure("idle index MB", own as f64);
    figure("idle index resident MB", resident as f64);
    let start = Instant::now();
    index.verify().unwrap();
    println!("verification: {:?}", start.elapsed());
}

/// Prints a figure for a program that reads the output.
fn figure(name: &str, value: f64) {
    println!("figure {name}: {value:.3}");
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Waits for merges, and returns the number of files.
fn settle(index: &SearchIndex) -> usize {
    index.wait_for_merges().unwrap();
    index.snapshot().segment_count()
}

/// Returns texts of the corpus of about the length of a page, with their titles and headings.
fn texts(folder: &Path) -> Vec<(String, Vec<Section>)> {
    let mut texts = Vec::new();
    let mut spaces = corpus::read(folder);
    spaces.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
    for page in spaces.into_iter().flat_map(|space| space.pages) {
        let mut sections: Vec<Section> = Vec::new();
        let mut length = 0;
        for section in page.sections {
            length += section.text.len() + section.code.len();
            sections.push(section);
            if length >= PAGE_BYTES {
                texts.push((page.title.clone(), std::mem::take(&mut sections)));
                length = 0;
            }
        }
    }
    for (_, sections) in &mut texts {
        let mut left = PAGE_BYTES;
        for section in sections {
            section.text.truncate(section.text.floor_char_boundary(left));
            left -= section.text.len();
            section.code.truncate(section.code.floor_char_boundary(left));
            left -= section.code.len();
        }
    }
    texts
}

struct Pages<'t> {
    texts: &'t [(String, Vec<Section>)],
    entropy: &'t Entropy,
    next: usize,
    bytes: usize,
}

impl Pages<'_> {
    /// Returns a page: a text of the corpus with words of its own.
    fn make(&mut self) -> PageEntry {
        let (title, sections) = &self.texts[self.next * 7 % self.texts.len()];
        self.next += 1;
        let number = self.next;
        let mut sections = sections.clone();
        for (at, section) in sections.iter_mut().enumerate() {
            section.text.push_str(&format!(
                " item{number}x{at} Value{}Of{}",
                number % 977,
                number % 1_013
            ));
            self.bytes += section.text.len() + section.code.len() + section.heading.len();
        }
        PageEntry {
            id: PageId::random(self.entropy),
            path: format!("part-{}/page-{number}", number % 100),
            title: format!("{title} {}", number / self.texts.len()),
            description: String::new(),
            ancestors: vec![format!("Part {}", number % 100)],
            language: Some("en".into()),
            boost: 1.0,
            conditions: Vec::new(),
            sections,
        }
    }
}

/// Indexes pages. One thread analyses them, the index writes them.
fn fill(
    index: &SearchIndex,
    count: usize,
    space: impl Fn(usize) -> SpaceId,
    pages: &mut Pages<'_>,
) {
    let mut done = 0;
    while done < count {
        let now = COMMIT.min(count - done);
        let entries: Vec<PageEntry> = (0..now).map(|_| pages.make()).collect();
        let (sender, receiver) = sync_channel(256);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut preparation = Preparation::default();
                for entry in entries {
                    sender.send(preparation.prepare(&entry)).unwrap();
                }
            });
            let mut batch = index.bulk_batch().unwrap();
            for (at, page) in receiver.into_iter().enumerate() {
                batch.add_page(space(done + at), page).unwrap();
            }
            batch.commit().unwrap();
        });
        done += now;
    }
}

fn report(what: &str, pages: usize, time: Duration, index: &SearchIndex, bytes: usize) {
    println!(
        "{what}: {pages} pages in {:.1} s, {:.0} pages/s; index {} MB for {} MB of text",
        time.as_secs_f64(),
        pages as f64 / time.as_secs_f64(),
        index.disk_bytes() >> 20,
        bytes >> 20
    );
}

/// Measures queries of several kinds, and returns the median and the 99th percentile.
fn queries(
    what: &str,
    snapshot: &Snapshot,
    spaces: &[SpaceId],
    texts: &[(String, Vec<Section>)],
) -> (Duration, Duration) {
    let holds = |_: &_| false;
    let scopes: Vec<Scope<'_>> = spaces.iter().map(|space| Scope::new(*space, &holds)).collect();
    let words: Vec<String> =
        texts.iter().step_by(texts.len() / 60).map(|(title, _)| title.clone()).collect();
    let mut kinds: Vec<(&str, Mode, Vec<String>)> = vec![("titles", Mode::Full, words.clone())];
    let typed = words.iter().flat_map(|word| {
        (1..=4).map(|part| word.chars().take(word.chars().count() * part / 4).collect::<String>())
    });
    kinds.push(("typing", Mode::Typing, typed.collect()));
    let common = [
        "server",
        "to be",
        "how to use the api",
        "page",
        "file name",
        "error",
        "data",
        "the",
        "a",
        "e",
        "s",
    ];
    kinds.push(("common", Mode::Typing, common.map(str::to_owned).to_vec()));
    let errors = [
        "serevr",
        "configuraton",
        "documantation",
        "databse",
        "instalation guide",
        "autentication",
        "xyzzyxyzzy",
    ];
    kinds.push(("errors", Mode::Typing, errors.map(str::to_owned).to_vec()));
    let rare: Vec<String> = (0..50).map(|number| format!("item{}x0", number * 131 + 1)).collect();
    kinds.push(("rare", Mode::Full, rare));
    let phrases =
        ["\"in the\"", "\"you can use the\"", "資料庫", "建立索引的指令", "getUserById", "--help"];
    kinds.push(("phrases", Mode::Full, phrases.map(str::to_owned).to_vec()));
    let mut all = Vec::new();
    for (kind, mode, queries) in kinds {
        let mut times = Vec::new();
        for text in queries.iter().cycle().take(queries.len() * 3) {
            let query = Query { mode, ..Query::new(text, &scopes) };
            let start = Instant::now();
            let hits = snapshot.search(&query).unwrap();
            times.push((start.elapsed(), text.clone(), hits.total));
        }
        times.sort();
        all.extend(times.iter().map(|(time, ..)| *time));
        let last = times.last().unwrap();
        println!(
            "  {what}, {kind}: p50 {:?} p99 {:?} longest {:?} ({:?}, {} pages)",
            times[times.len() / 2].0,
            times[times.len() * 99 / 100].0,
            last.0,
            last.1,
            last.2
        );
    }
    all.sort();
    let (p50, p99) = (all[all.len() / 2], all[all.len() * 99 / 100]);
    println!("{what}: p50 {p50:?} p99 {p99:?}");
    let mut times = Vec::new();
    for text in ["get", "inst", "overview", "a", "data b"].iter().cycle().take(50) {
        let start = Instant::now();
        snapshot.suggest(&scopes, text, 10).unwrap();
        times.push(start.elapsed());
    }
    times.sort();
    println!("{what}: suggestions p50 {:?} longest {:?}", times[25], times[49]);
    let pages = snapshot.pages(spaces[0]).unwrap();
    let start = Instant::now();
    let related =
        snapshot.related(&scopes, PageKey { space: spaces[0], page: pages[0] }, 5).unwrap();
    println!("{what}: related pages {:?} ({})", start.elapsed(), related.len());
    let start = Instant::now();
    snapshot.nearest(&scopes, "/getting-startd/instalation", 5).unwrap();
    println!("{what}: nearest pages {:?}", start.elapsed());
    (p50, p99)
}

/// Measures the replacement of one page until it is visible, and returns the median and the longest
/// time.
fn changes(index: &SearchIndex, space: SpaceId, pages: &mut Pages<'_>) -> (Duration, Duration) {
    let mut times = Vec::new();
    for _ in 0..40 {
        let entry = pages.make();
        let start = Instant::now();
        let mut batch = index.batch().unwrap();
        batch.replace_page(space, Preparation::default().prepare(&entry)).unwrap();
        batch.set_payload(space, vec![0; 20]);
        batch.commit().unwrap();
        times.push(start.elapsed());
    }
    times.sort();
    println!("one changed page: p50 {:?} longest {:?}", times[20], times[39]);
    (times[20], times[39])
}

fn status(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<usize>().ok()).unwrap_or(0) / 1_024
}

fn resident() -> usize {
    status("VmRSS")
}

fn anonymous() -> usize {
    status("RssAnon")
}
