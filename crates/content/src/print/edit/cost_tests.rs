//! Tests that edits and merges of adversarial texts take linear work.

use super::*;
use crate::arbitrary::World;
use crate::document::{BlockKind, InlineKind, Leaf, Node, Paragraph};
use crate::markdown::tests::properties::hostile_sources;
use crate::merge;
use crate::reference::{NoLookup, ParseContext};
use crate::work;

fn reader() -> ParseContext<'static> {
    ParseContext { path: "guide/page.md", lookup: &NoLookup }
}

fn new_paragraph() -> Block {
    let leaf = Leaf { text: "New words.".to_owned(), ..Leaf::default() };
    let text = Node::new(Span::default(), InlineKind::Text(vec![leaf]));
    let paragraph = Paragraph { align: None, nodes: vec![text] };
    Node::new(Span::default(), BlockKind::Paragraph(paragraph))
}

/// Returns the document with a paragraph inserted in its middle, and with a block removed there.
fn edits(document: &Document) -> [Document; 2] {
    let middle = document.nodes.len() / 2;
    let (mut longer, mut shorter) = (document.clone(), document.clone());
    longer.nodes.insert(middle, new_paragraph());
    if middle < shorter.nodes.len() {
        shorter.nodes.remove(middle);
    }
    [longer, shorter]
}

/// Asserts that the work per byte stays below `limit` for every adversarial source, regardless of
/// its length. The work per byte varies, because an edit may succeed at the first attempt or at the
/// last.
fn each_hostile_source(limit: u64, work: impl Fn(&str) -> u64) {
    for size in [4_000, 16_000] {
        let title = ("elements in a title", format!("# {}", "<video>".repeat(size / 7)));
        for (name, source) in hostile_sources(size).into_iter().chain([title]) {
            let (work, length) = (work(&source), source.len() as u64);
            assert!(work <= limit * length, "{name}: {work} for {length}");
        }
    }
}

#[test]
fn hostile_sources_are_edited_with_linear_work() {
    let context = PrintContext { path: "guide/page.md", lookup: &NoLookup, names: &World };
    each_hostile_source(6_000, |source| {
        let document = markdown::parse(source, &reader());
        let edits = edits(&document);
        work::measure(|| {
            for after in &edits {
                let _ = print_edited(source, &document, after, &context);
            }
        })
    });
}

#[test]
fn hostile_sources_are_merged_with_linear_work() {
    each_hostile_source(1_000, |source| {
        let document = markdown::parse(source, &reader());
        let [ours, theirs] = edits(&document);
        let words = source.replace('a', "c d");
        let other = markdown::parse(&words, &reader());
        work::measure(|| {
            for (base, ours, theirs) in [
                (&document, &ours, &theirs),
                (&document, &ours, &other),
                (&Document::default(), &ours, &other),
            ] {
                let _ = merge::merge(base, ours, theirs);
            }
        })
    });
}

#[test]
fn large_documents_are_tried_in_fewer_ways() {
    let document = |count: usize| Document {
        nodes: (0..count).map(|_| new_paragraph()).collect(),
        ..Document::default()
    };
    // A page of ordinary size gets all attempts.
    assert!(max_attempts(&"word ".repeat(8_000), &document(800)) >= 10);
    assert_eq!(max_attempts("", &document(200_000)), 1);
    assert_eq!(max_attempts(&" ".repeat(PARSE_BUDGET), &document(1)), 1);
}
