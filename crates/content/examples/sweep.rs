//! Measures the processor time and memory of everything that reads, prints, compares or merges a
//! text, on texts that are expensive to process.
//!
//! `cargo run --release --features hostile --example sweep -- [BYTES] [FAMILY] [OPERATION]`: each
//! text grows to `BYTES` in steps (default: the longest text that is parsed as Markdown). The
//! program prints the measurements that exceed the limits, or every measurement of `FAMILY`, and
//! exits with status 1 if any exceeds them.

#![expect(clippy::print_stdout, reason = "printing is its purpose")]

use std::process::ExitCode;

use bindery_content::document::{Block, BlockKind, InlineKind, Leaf, Node, Paragraph};
use bindery_content::html::{self, DifferenceContext, NoLinks, RenderContext};
use bindery_content::json::JsonContext;
use bindery_content::print::{self, PrintContext};
use bindery_content::rebase::Rebase;
use bindery_content::reference::{self, Lookup, Names};
use bindery_content::{
    Change, Document, Identity, Page, ParseContext, Span, config, diff, front_matter, hostile,
    identity, markdown, merge, summary, text,
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Maximum processor time of one operation, in seconds.
const SECONDS: f64 = 2.0;
/// Maximum memory of one operation: a fixed number of bytes, and a number for each byte of its
/// text.
const FIXED_BYTES: usize = 64_000_000;
const BYTES_PER_BYTE: usize = 100;

/// Resolves every path to a page and a file.
struct World;

impl Lookup for World {
    fn page(&self, path: &str) -> Option<String> {
        (path.ends_with(".md") && path != "i.md").then(|| path.to_owned())
    }
    fn file(&self, path: &str) -> Option<String> {
        (path.contains('.') && !path.ends_with(".md")).then(|| path.to_owned())
    }
    fn reusable_content(&self, path: &str) -> Option<String> {
        (path == "i.md").then(|| path.to_owned())
    }
}

impl Names for World {
    fn page_path(&self, page: &str) -> Option<String> {
        Some(page.to_owned())
    }
    fn file_path(&self, file: &str) -> Option<String> {
        Some(file.to_owned())
    }
    fn reusable_content_path(&self, reusable_content: &str) -> Option<String> {
        Some(reusable_content.to_owned())
    }
}

/// A text, its document, and edits of it.
struct Sample {
    source: String,
    body: String,
    document: Document,
    /// The document as JSON, as in a request.
    json: serde_json::Value,
    /// The document with an additional paragraph in the middle.
    longer: Document,
    /// The document without a block in the middle.
    shorter: Document,
    /// The document with all words changed.
    reworded: Document,
    /// The document in reverse order.
    reversed: Document,
}

type Operation = (&'static str, fn(&Sample));

const OPERATIONS: [Operation; 24] = [
    ("json", |sample| drop(serde_json::to_string(&sample.document).map(|json| json.len()))),
    ("from json", from_json),
    ("html", |sample| drop(render(&sample.document))),
    ("plain text", |sample| drop(text::plain(&sample.document))),
    ("sections", |sample| drop(text::sections(&sample.document))),
    ("references", |sample| drop(sample.document.references())),
    ("targets", |sample| drop(reference::targets(&sample.source))),
    ("rebase", rebase),
    ("contents", contents),
    ("configuration", |sample| drop(config::parse(&sample.source))),
    ("print", |sample| drop(print::print(&sample.document, &printer()))),
    ("edit: longer", |sample| edit(sample, &sample.longer)),
    ("edit: shorter", |sample| edit(sample, &sample.shorter)),
    ("edit: reworded", |sample| edit(sample, &sample.reworded)),
    ("edit: reversed", |sample| edit(sample, &sample.reversed)),
    ("identity: longer", |sample| identities(sample, &sample.longer)),
    ("identity: reworded", |sample| identities(sample, &sample.reworded)),
    ("identity: reversed", |sample| identities(sample, &sample.reversed)),
    ("compare: longer", |sample| compare(sample, &sample.longer)),
    ("compare: reworded", |sample| compare(sample, &sample.reworded)),
    ("compare: reversed", |sample| compare(sample, &sample.reversed)),
    ("merge: one paragraph", |sample| {
        drop(merge::merge(&sample.document, &sample.longer, &sample.shorter));
    }),
    ("merge: everything", |sample| {
        drop(merge::merge(&sample.document, &sample.reworded, &sample.reversed));
    }),
    ("merge: without a base", |sample| {
        drop(merge::merge(&Document::default(), &sample.document, &sample.reworded));
    }),
];

fn reader() -> ParseContext<'static> {
    ParseContext { path: "page.md", lookup: &World }
}

fn printer() -> PrintContext<'static> {
    PrintContext { path: "page.md", lookup: &World, names: &World }
}

fn read(body: &str) -> Document {
    markdown::parse(body, &reader())
}

fn render(document: &Document) -> html::Html {
    html::render(document, &RenderContext { links: &NoLinks, highlight: false })
}

fn split(sample: &Sample) {
    let page = Page::split(&sample.source);
    let (front, _) = page.metadata(&sample.source);
    let change = Change::set(&["layout", "title", "visible"], false);
    drop(front_matter::edit(&sample.source, std::slice::from_ref(&change)));
    drop(front_matter::update(&sample.source, &front));
    drop(bindery_content::page::set_title(&sample.source, &Identity::default(), "New title"));
}

fn from_json(sample: &Sample) {
    let context =
        JsonContext { path: "page.md", lookup: &World, names: &World, parse: markdown::parse };
    drop(Document::from_json(&sample.json, &context));
}

fn rebase(sample: &Sample) {
    let (from, to) = ("a/b/page.md", "c/page.md");
    let rebase = Rebase { from, to, before: &World, after: &World, names: &World };
    drop(rebase.apply(&sample.source));
}

fn contents(sample: &Sample) {
    let read = summary::parse(&sample.source, "SUMMARY.md");
    let mut items = read.items();
    drop(summary::edit(&sample.source, "SUMMARY.md", &items));
    items.reverse();
    drop(summary::edit(&sample.source, "SUMMARY.md", &items));
}

fn edit(sample: &Sample, after: &Document) {
    drop(print::print_edited(&sample.body, &sample.document, after, &printer()));
}

fn identities(sample: &Sample, after: &Document) {
    drop(identity::transfer(&sample.document, &Identity::default(), after).encode());
}

fn compare(sample: &Sample, after: &Document) {
    let difference = diff::diff(&sample.document, after);
    let context = RenderContext { links: &NoLinks, highlight: false };
    let sides = DifferenceContext { before: context, after: context, notes: 0, limit: usize::MAX };
    drop(html::render_difference(&difference, &sides));
    drop(diff::text(&difference, &NoLinks));
}

impl Sample {
    fn of(source: String) -> Self {
        let body = Page::split(&source).body.of(&source).to_owned();
        let empty = Document::default;
        let (document, longer, shorter) = (empty(), empty(), empty());
        let (reworded, reversed) = (empty(), empty());
        let json = serde_json::Value::Null;
        Self { source, body, document, json, longer, shorter, reworded, reversed }
    }

    /// Parses the text and makes the edits.
    fn read(&mut self) {
        self.document = read(&self.body);
        self.json = serde_json::to_value(&self.document).unwrap_or_default();
        [self.longer, self.shorter, self.reversed] = std::array::from_fn(|_| self.document.clone());
        let middle = self.document.nodes.len() / 2;
        self.longer.nodes.insert(middle, new_paragraph());
        if middle < self.shorter.nodes.len() {
            self.shorter.nodes.remove(middle);
        }
        self.reversed.nodes.reverse();
        self.reworded = read(&self.body.replace('a', "c d"));
    }
}

fn new_paragraph() -> Block {
    let leaf = Leaf { text: "New words.".to_owned(), ..Leaf::default() };
    let text = Node::new(Span::default(), InlineKind::Text(vec![leaf]));
    let paragraph = Paragraph { align: None, nodes: vec![text] };
    Node::new(Span::default(), BlockKind::Paragraph(paragraph))
}

/// Returns the processor time of this thread, in seconds.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.unwrap_or_default() / 1e9
}

struct Measured {
    seconds: f64,
    bytes: usize,
}

impl Measured {
    fn of(run: impl FnOnce()) -> Self {
        ALLOCATOR.reset_peak_usage();
        let (memory, time) = (ALLOCATOR.current_usage(), processor_time());
        run();
        let seconds = processor_time() - time;
        Self { seconds, bytes: ALLOCATOR.peak_usage().saturating_sub(memory) }
    }

    fn is_too_much(&self, length: usize) -> bool {
        self.seconds > SECONDS || self.bytes > FIXED_BYTES + BYTES_PER_BYTE * length
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let largest: usize =
        arguments.next().and_then(|text| text.parse().ok()).unwrap_or(markdown::PARSE_LIMIT);
    let family = arguments.next().unwrap_or_default();
    let operation = arguments.next().unwrap_or_default();
    let mut found = 0;
    let mut worst: Vec<(f64, String)> = Vec::new();
    let names = hostile::sources(1_000).into_iter().map(|(name, _)| name);
    for (at, name) in names.enumerate().filter(|(_, name)| family.is_empty() || *name == family) {
        let mut too_much: Vec<&str> = Vec::new();
        for size in [largest / 16, largest / 4, largest] {
            let Some((_, source)) = hostile::sources(size).into_iter().nth(at) else { continue };
            let length = source.len();
            let mut sample = Sample::of(source);
            let mut measure = |operation: Operation, sample: &Sample| {
                if too_much.contains(&operation.0) {
                    return false;
                }
                let measured = Measured::of(|| operation.1(sample));
                let Measured { seconds, bytes } = &measured;
                let per_byte = *bytes / length.max(1);
                let line = format!(
                    "{name} / {}: {length} bytes: {seconds:.3} s, {bytes} bytes of memory ({per_byte} each)",
                    operation.0
                );
                let exceeds = measured.is_too_much(length);
                if exceeds {
                    too_much.push(operation.0);
                    found += 1;
                }
                if exceeds || !family.is_empty() {
                    println!("{}{line}", if exceeds { "EXCEEDED: " } else { "" });
                }
                worst.push((*seconds, line));
                !exceeds
            };
            let is_asked = |one: &Operation| operation.is_empty() || one.0 == operation;
            measure(("split", split), &sample);
            if !measure(("read", |sample| drop(read(&sample.body))), &sample) {
                break;
            }
            sample.read();
            for one in OPERATIONS.into_iter().filter(is_asked) {
                measure(one, &sample);
            }
        }
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("\nSlowest measurements:");
    worst.iter().take(40).for_each(|(_, line)| println!("{line}"));
    if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
