//! Reads every page under a folder and says how much of it was understood, and how fast.
//!
//! `cargo run --release --example corpus_report -- FOLDER`

#![expect(clippy::print_stdout, reason = "printing is its purpose")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bindery_content::document::{Block, BlockKind, OpaqueKind, Visit};
use bindery_content::reference::NoLookup;
use bindery_content::{Page, ParseContext, markdown, source};

fn main() {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let verbose = std::env::args().nth(2).is_some();
    let mut files = Vec::new();
    collect(Path::new(&folder), &mut files);
    files.sort();
    let mut report = Report::default();
    for file in &files {
        let Ok(bytes) = std::fs::read(file) else {
            continue;
        };
        report.page(&file.display().to_string(), &bytes, verbose);
    }
    report.print();
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
}

#[derive(Default)]
struct Report {
    pages: usize,
    bytes: usize,
    seconds: f64,
    json_seconds: f64,
    json_bytes: usize,
    blocks: BTreeMap<&'static str, usize>,
    opaque: BTreeMap<String, usize>,
    references: usize,
}

impl Report {
    fn page(&mut self, name: &str, bytes: &[u8], verbose: bool) {
        let text = source::decode(bytes);
        let started = Instant::now();
        let page = Page::split(&text);
        let context = ParseContext { path: "page.md", lookup: &NoLookup };
        let document = markdown::parse(page.body.of(&text), &context);
        self.seconds += started.elapsed().as_secs_f64();
        let started = Instant::now();
        self.json_bytes += serde_json::to_vec(&document).map_or(0, |json| json.len());
        self.json_seconds += started.elapsed().as_secs_f64();
        self.pages += 1;
        self.bytes += bytes.len();
        self.references += document.references().len();
        let mut seen = Seen { report: self, name, verbose };
        document.walk(&mut seen);
    }

    fn print(&self) {
        let Self { pages, bytes, seconds, json_seconds, json_bytes, .. } = self;
        println!("{pages} pages, {bytes} bytes, {} references", self.references);
        println!(
            "parsed in {seconds:.3} s: {:.0} pages of 4 KB a second",
            *bytes as f64 / 4096.0 / seconds
        );
        println!("JSON of {json_bytes} bytes in {json_seconds:.3} s");
        for (name, count) in &self.blocks {
            println!("{count:8} {name}");
        }
        let total: usize = self.opaque.values().sum();
        println!("{total} opaque blocks:");
        let mut opaque: Vec<_> = self.opaque.iter().collect();
        opaque.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (name, count) in opaque.iter().take(60) {
            println!("{count:8} {name}");
        }
    }
}

struct Seen<'r> {
    report: &'r mut Report,
    name: &'r str,
    verbose: bool,
}

impl<'d> Visit<'d> for Seen<'_> {
    fn block(&mut self, block: &'d Block) {
        let name = match &block.kind {
            BlockKind::Paragraph(_) => "paragraph",
            BlockKind::Heading(_) => "heading",
            BlockKind::OrderedList { .. } => "list-ordered",
            BlockKind::UnorderedList { .. } => "list-unordered",
            BlockKind::TaskList { .. } => "list-tasks",
            BlockKind::Quote { .. } => "blockquote",
            BlockKind::Hint(_) => "hint",
            BlockKind::Code(_) => "code",
            BlockKind::Math { .. } => "math",
            BlockKind::Divider => "divider",
            BlockKind::Images(_) => "images",
            BlockKind::File(_) => "file",
            BlockKind::Drawing(_) => "drawing",
            BlockKind::Embed(_) => "embed",
            BlockKind::Table(_) => "table",
            BlockKind::Expandable(_) => "expandable",
            BlockKind::Tabs { .. } => "tabs",
            BlockKind::Stepper { .. } => "stepper",
            BlockKind::Columns { .. } => "columns",
            BlockKind::ContentRef(_) => "content-ref",
            BlockKind::ReusableContent(_) => "reusable-content",
            BlockKind::If { .. } => "if",
            BlockKind::OpenApi(_) => "openapi",
            BlockKind::Integration(_) => "integration",
            BlockKind::Opaque(opaque) => {
                let start: String = match opaque.block {
                    OpaqueKind::Unknown => {
                        let end =
                            opaque.source.find([' ', '>', '\n']).unwrap_or(opaque.source.len());
                        let from = if opaque.source.starts_with("{%") { 14 } else { end };
                        opaque.source.chars().take(from).collect()
                    }
                    other => format!("{other:?}"),
                };
                if self.verbose && opaque.block == OpaqueKind::Unknown {
                    let short: String = opaque.source.chars().take(200).collect();
                    println!("{}: {short:?}", self.name);
                }
                *self.report.opaque.entry(start).or_default() += 1;
                "opaque"
            }
        };
        *self.report.blocks.entry(name).or_default() += 1;
    }
}
