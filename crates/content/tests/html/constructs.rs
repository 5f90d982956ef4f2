//! A snapshot for each page of a gallery of all constructs. The gallery is a repository that can be
//! imported for a visual check.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bindery_content::document::{Block, Document, Inline, Visit};
use bindery_content::html::{FileLink, Labels, Links, PageLink, RenderContext, render};
use bindery_content::{Lookup, Page, ParseContext, markdown};
use bindery_expression::{Context, Evaluator};

fn gallery() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/html/gallery")
}

/// Resolves the files of the gallery.
struct Repository;

impl Repository {
    fn has(path: &str) -> Option<String> {
        gallery().join(path).is_file().then(|| path.to_owned())
    }
}

impl Lookup for Repository {
    fn page(&self, path: &str) -> Option<String> {
        Self::has(path).filter(|path| path.ends_with(".md") && !path.starts_with(".gitbook"))
    }
    fn file(&self, path: &str) -> Option<String> {
        Self::has(path).filter(|path| !path.ends_with(".md"))
    }
    fn reusable_content(&self, path: &str) -> Option<String> {
        Self::has(path).filter(|path| path.starts_with(".gitbook/includes/"))
    }
}

struct Site<'e> {
    evaluator: Evaluator<'e>,
    labels: &'static Labels,
}

impl Links for Site<'_> {
    fn labels(&self) -> &'static Labels {
        self.labels
    }
    fn page(&self, page: &str, _space: Option<&str>) -> Option<PageLink> {
        let stem = page.trim_end_matches(".md");
        Some(PageLink { href: format!("/docs/{stem}"), title: format!("Page {stem}") })
    }
    fn file(&self, file: &str) -> Option<FileLink> {
        let name = file.rsplit('/').next().unwrap_or(file).to_owned();
        let dimensions = match name.as_str() {
            "line.svg" => Some((24, 24)),
            "small.svg" => Some((96, 64)),
            "tall.svg" => Some((360, 720)),
            name => name.ends_with(".svg").then_some((1280, 720)),
        };
        Some(FileLink { href: format!("/files/{name}"), name, size: Some(12_345), dimensions })
    }
    fn reusable_content(&self, id: &str, _space: Option<&str>) -> Option<Arc<Document>> {
        Some(Arc::new(parsed(id)))
    }
    fn user(&self, user: &str) -> Option<String> {
        Some(format!("User {user}"))
    }
    fn condition(&self, expression: &str) -> bool {
        self.evaluator.condition(expression)
    }
    fn expression(&self, expression: &str) -> Option<String> {
        self.evaluator.text(expression)
    }
}

fn parsed(path: &str) -> Document {
    let source = std::fs::read_to_string(gallery().join(path)).unwrap();
    let body = Page::split(&source).body;
    markdown::parse(body.of(&source), &ParseContext { path, lookup: &Repository })
}

fn html(document: &Document, labels: &'static Labels) -> String {
    let variables = Context::new()
        .with_space([("version".into(), "5.8".into()), ("product".into(), "Paper".into())]);
    let site = Site { evaluator: Evaluator::new(&variables), labels };
    render(document, &RenderContext { links: &site, highlight: true }).body
}

/// Returns the names of the gallery's pages, without extension.
fn pages() -> BTreeSet<String> {
    std::fs::read_dir(gallery())
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_suffix(".md")?.to_owned()))
        .filter(|name| !matches!(name.as_str(), "SUMMARY" | "README"))
        .collect()
}

#[test]
fn every_construct_has_its_html() {
    for page in pages() {
        let html = html(&parsed(&format!("{page}.md")), &Labels::ENGLISH);
        insta::assert_snapshot!(page, html);
    }
}

/// Collects the names of the variants in a document.
#[derive(Default)]
struct Variants(BTreeSet<String>);

impl Variants {
    fn add(&mut self, shown: &str) {
        let name = shown.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        self.0.insert(name.to_owned());
    }
}

impl<'d> Visit<'d> for Variants {
    fn block(&mut self, block: &'d Block) {
        self.add(&format!("{:?}", block.kind));
    }
    fn inline(&mut self, inline: &'d Inline) {
        self.add(&format!("{:?}", inline.kind));
    }
}

#[test]
fn the_gallery_has_every_construct() {
    let mut found = Variants::default();
    for page in pages() {
        parsed(&format!("{page}.md")).walk(&mut found);
    }
    let expected = "Annotation Button Code Columns ContentRef Divider Drawing Embed Emoji Expandable \
        Expression File Heading Hint Icon If Image Images Integration Link Math Mention Opaque OpenApi \
        OrderedList Paragraph Quote ReusableContent Stepper Table Tabs TaskList Text UnorderedList";
    assert_eq!(found.0.into_iter().collect::<Vec<_>>().join(" "), expected);
}

/// Replaces each interface text.
const MARK: &str = "¤";

/// Labels of which each text is the mark.
const OTHER: Labels = Labels {
    heading_link: MARK,
    done: MARK,
    show_lines: MARK,
    tab: MARK,
    table: MARK,
    drawing: MARK,
    details: MARK,
    open: MARK,
    note: MARK,
    info: MARK,
    success: MARK,
    warning: MARK,
    danger: MARK,
    prompt: MARK,
    person: MARK,
    specification: MARK,
    bytes: MARK,
    kilobytes: MARK,
    megabytes: MARK,
    gigabytes: MARK,
    truncated: "x",
    rating: MARK,
    all: MARK,
    filter_by_tag: MARK,
    months: "¤ ¤ ¤ ¤ ¤ ¤ ¤ ¤ ¤ ¤ ¤ ¤",
    date: "{m}",
};

/// The texts of another language replace the English ones everywhere.
#[test]
fn all_interface_texts_are_translated() {
    let mut seen = BTreeSet::new();
    for page in pages() {
        let document = parsed(&format!("{page}.md"));
        let english = html(&document, &Labels::ENGLISH);
        let other = html(&document, &OTHER);
        // Only interface texts differ.
        let mut rest = english.as_str();
        for (at, part) in other.split(MARK).enumerate() {
            let (word, after) = rest.split_once(part).unwrap();
            assert!(at > 0 || word.is_empty(), "{page}: {word}");
            if at > 0 {
                seen.insert(word.to_owned());
            }
            rest = after;
        }
    }
    for word in [
        "Link to this heading",
        "Done",
        "Show all 5 lines",
        "Tab 4",
        "Table",
        "Drawing",
        "Note 1",
        "Info",
        "Success",
        "Warning",
        "Danger",
        "Prompt",
        "OpenAPI specification",
        "12 KB",
        "3 of 5",
        "31 January 2026",
    ] {
        assert!(seen.contains(word), "{word}: {seen:?}");
    }
}

/// Each note appears once at the end of the page, regardless of the number of references.
#[test]
fn notes_stand_at_the_end_each_once() {
    let context = ParseContext { path: "page.md", lookup: &Repository };
    let document = markdown::parse("a[^1] b[^1] c[^2]\n\n[^1]: one\n[^2]: two\n", &context);
    let html = html(&document, &Labels::ENGLISH);
    assert_eq!(html.matches("<aside").count(), 2, "{html}");
    assert_eq!(html.matches("popovertarget=\"B--note-1\"").count(), 2, "{html}");
    assert!(html.ends_with("<p>two</p>\n</aside>\n"), "{html}");
}
