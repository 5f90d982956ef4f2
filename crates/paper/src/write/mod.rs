//! The writer: nodes of a rendered page as Typst source.
//!
//! Blocks become calls separated by semicolons within a code block. Runs of text and inline
//! elements between blocks become paragraphs.

mod block;
mod code;
mod inline;
mod math;
mod media;
mod table;

use std::collections::BTreeSet;

use crate::html::{Element, Node};
use crate::source::{Source, is_right_to_left};
use crate::{FILE_SCHEME, PAGE_SCHEME};

/// Maximum depth of containers within each other. Typst limits the depth of its layout; the content
/// of deeper containers follows without their indentation.
const CONTAINER_LIMIT: usize = 10;
/// Maximum length in bytes of an address that is linked.
const ADDRESS_LIMIT: usize = 4_000;

/// Writes the source of one page.
pub(crate) struct Writer<'p> {
    pub(crate) to: Source,
    /// The key of the page.
    key: &'p str,
    /// The level of the page's title in the outline, 1 or more.
    level: u8,
    /// `true` if the document's text runs from right to left.
    is_rtl: bool,
    /// The address with which those of files begin.
    files: Option<&'p str>,
    /// The ids of the images that the source shows.
    pub(crate) images: BTreeSet<String>,
    /// The notes of the page by their ids.
    notes: Vec<(String, Vec<Node>)>,
    /// The numbers of notes that are written already.
    written_notes: BTreeSet<String>,
    /// The depth of containers.
    depth: usize,
    /// `true` within a note, where further notes are written in line.
    in_note: bool,
    /// `true` within a cell of a table, where images are small.
    in_cell: bool,
}

/// The kind of an element in the flow of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flow {
    Inline,
    Block,
    /// Not shown on paper.
    Hidden,
}

impl<'p> Writer<'p> {
    pub(crate) fn new(key: &'p str, level: u8, is_rtl: bool, files: Option<&'p str>) -> Self {
        Self {
            to: Source::default(),
            key,
            level,
            is_rtl,
            files,
            images: BTreeSet::new(),
            notes: Vec::new(),
            written_notes: BTreeSet::new(),
            depth: 0,
            in_note: false,
            in_cell: false,
        }
    }

    /// Writes the nodes of a page. Its notes become footnotes.
    pub(crate) fn page(&mut self, nodes: Vec<Node>) {
        let (notes, nodes): (Vec<_>, Vec<_>) = nodes.into_iter().partition(
            |node| matches!(node, Node::Element(element) if element.has_class("note") && element.name == "aside"),
        );
        self.notes = notes
            .into_iter()
            .filter_map(|note| match note {
                Node::Element(element) => {
                    Some((element.attribute("id")?.to_owned(), element.children))
                }
                Node::Text(_) => None,
            })
            .collect();
        self.flow(&nodes);
    }

    /// Writes nodes in the flow of the page: blocks, and paragraphs for the text between them.
    fn flow(&mut self, nodes: &[Node]) {
        let mut start = 0;
        for (at, node) in nodes.iter().enumerate() {
            let Node::Element(element) = node else { continue };
            match flow_of(element) {
                Flow::Inline => continue,
                Flow::Block => {
                    self.paragraph_of(nodes.get(start..at).unwrap_or_default());
                    self.block(element);
                }
                Flow::Hidden => self.paragraph_of(nodes.get(start..at).unwrap_or_default()),
            }
            start = at + 1;
        }
        self.paragraph_of(nodes.get(start..).unwrap_or_default());
    }

    /// Writes inline nodes as a paragraph if they show anything.
    fn paragraph_of(&mut self, nodes: &[Node]) {
        if nodes.iter().all(|node| matches!(node, Node::Text(text) if text.trim().is_empty())) {
            return;
        }
        self.paragraph(nodes, None);
    }

    /// Writes a paragraph with an alignment such as `center`.
    fn paragraph(&mut self, nodes: &[Node], align: Option<&str>) {
        let start = self.to.len();
        let direction = self.direction_of(nodes);
        self.to.code(match direction {
            None => "par({",
            Some(true) => "rtl({",
            Some(false) => "ltr({",
        });
        let inner = self.to.len();
        self.inlines(nodes);
        if self.to.len() == inner {
            return self.to.truncate(start);
        }
        self.to.code("});");
        if let Some(align) = align {
            self.wrap(
                start,
                match align {
                    "center" => "align(center,{",
                    _ => "align(end,{",
                },
            );
        }
    }

    /// Encloses everything after the first `start` bytes in a call with one argument.
    fn wrap(&mut self, start: usize, open: &str) {
        let inner = self.to.since(start).to_owned();
        self.to.truncate(start);
        self.to.code(open);
        self.to.code(&inner);
        self.to.code("});");
    }

    /// Returns the direction of a text if it differs from that of the document.
    fn direction_of(&self, nodes: &[Node]) -> Option<bool> {
        let mut text = String::new();
        crate::html::collect_text(nodes, &mut text);
        is_right_to_left(&text).filter(|is_rtl| *is_rtl != self.is_rtl)
    }

    /// Writes the content of a container with the call that encloses it, or only the content if
    /// there are too many containers around it.
    fn container(&mut self, open: &str, close: &str, content: impl FnOnce(&mut Self)) {
        let is_shown = self.depth < CONTAINER_LIMIT;
        if is_shown {
            self.to.code(open);
        }
        self.depth += 1;
        content(self);
        self.depth -= 1;
        if is_shown {
            self.to.code(close);
        }
    }

    /// Writes the target of links to an id of the page.
    fn anchor(&mut self, element: &Element) {
        if let Some(id) = element.attribute("id").filter(|id| !id.is_empty()) {
            self.to.code("A(");
            self.to.string(&format!("{}#{id}", self.key));
            self.to.code(");");
        }
    }

    /// Returns the address of a link as the source needs it; `None` if it leads nowhere.
    fn address(&self, href: &str) -> Option<String> {
        let href = href.trim();
        let is_known = href.starts_with(PAGE_SCHEME)
            || href.split_once(':').is_some_and(|(scheme, _)| {
                scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
            });
        match href.strip_prefix('#') {
            Some("") => None,
            Some(anchor) => Some(format!("{PAGE_SCHEME}{}#{anchor}", self.key)),
            None if href.starts_with(FILE_SCHEME) => {
                let file = href.strip_prefix(FILE_SCHEME).unwrap_or_default();
                self.files.map(|files| format!("{files}{file}"))
            }
            None if href.len() <= ADDRESS_LIMIT && is_known => Some(href.to_owned()),
            None => None,
        }
    }
}

/// Returns the kind of an element in the flow of a page.
fn flow_of(element: &Element) -> Flow {
    match element.name.as_str() {
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "div" | "ul" | "ol" | "table"
        | "figure" | "pre" | "blockquote" | "details" | "section" | "article" | "aside" | "hr"
        | "dl" | "dt" | "dd" | "center" | "address" | "footer" | "header" | "main" | "nav"
        | "li" | "summary" | "figcaption" | "tr" | "td" | "th" | "caption" => Flow::Block,
        "script" | "style" | "template" | "label" | "svg" | "form" | "dialog" => Flow::Hidden,
        "button" if !element.has_class("note-mark") => Flow::Hidden,
        "a" if ["content-ref", "file", "embed"].iter().any(|class| element.has_class(class)) => {
            Flow::Block
        }
        "picture" | "img" => Flow::Inline,
        _ if has_block(element) => Flow::Block,
        _ => Flow::Inline,
    }
}

/// Returns `true` if an element that is usually inline contains blocks.
fn has_block(element: &Element) -> bool {
    element.name != "math" && element.elements().any(|child| flow_of(child) == Flow::Block)
}
