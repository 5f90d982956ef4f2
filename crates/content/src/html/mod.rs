//! Rendering of documents to HTML for readers, without scripts, style attributes or HTML from
//! authors.
//!
//! The output contains only elements that this module writes. All text and attributes are escaped,
//! and links use only a short list of schemes. The site's stylesheet styles the output by its
//! classes.

mod api_method;
mod block;
mod code;
mod container;
mod difference;
mod elements;
mod foreign;
mod ids;
mod inline;
mod math;
pub(crate) mod media;
mod table;
mod tags;
pub(crate) mod target;
mod updates;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::anchor_index::AnchorIndex;
use crate::document::{Block, Document, Reference};
use crate::reference::has_scheme;

use ids::PageIds;
use target::Destination;

pub use crate::labels::{Labels, fill};
pub use crate::links::{EmbedCard, FileLink, Links, NoLinks, OpenApiView, PageLink};
pub use crate::syntax::markup::escape;
pub use difference::{DifferenceContext, RenderedDifference, render_difference};
pub use math::is_formula;
pub use updates::{TagLabel, Update};

/// Maximum depth to which reusable contents within reusable contents are rendered.
const INCLUDE_DEPTH: usize = 4;
/// Maximum number of reusable contents rendered in a page.
const INCLUDE_LIMIT: usize = 500;
/// Maximum number of blocks and inlines processed for a page. Those of included contents and of
/// false conditions count too.
const NODE_LIMIT: usize = 1 << 20;
/// Number of nodes between two calls of [`Links::is_exhausted`].
const NODES_BETWEEN_CHECKS: usize = 256;
/// Maximum size of a rendered document in bytes, apart from the end tags of elements that are open
/// when it is reached.
pub const OUTPUT_LIMIT: usize = 12 << 20;

/// A rendered document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Html {
    /// The HTML of the blocks.
    pub body: String,
    /// The headings, in order, for the table of contents.
    pub outline: Vec<OutlineEntry>,
    /// `true` if the document has a condition or expression whose value can differ between
    /// visitors.
    pub is_adaptive: bool,
    /// The ids that the title needs, because links lead to them and no part of the body has them.
    pub title_ids: Vec<String>,
    /// The ids of the rendered reusable contents, in order.
    pub includes: Vec<String>,
    /// The updates of the page's changelogs, in order.
    pub updates: Vec<Update>,
    /// `true` if the document was too large to be rendered in full. A notice at the end says so.
    pub is_truncated: bool,
}

/// A heading in the outline of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineEntry {
    /// The level, 1 to 3.
    pub level: u8,
    /// The id that links use.
    pub id: String,
    /// The text.
    pub text: String,
}

/// The options for rendering a document.
#[derive(Clone, Copy)]
pub struct RenderContext<'r> {
    /// Resolves references.
    pub links: &'r dyn Links,
    /// `true` if code is highlighted.
    pub highlight: bool,
}

/// Renders a document.
#[must_use]
pub fn render(document: &Document, context: &RenderContext<'_>) -> Html {
    let mut renderer = Renderer::new(*context, document, 0);
    renderer.blocks(&document.nodes);
    renderer.blocks(&document.unused_notes);
    renderer.write_notes();
    renderer.write_notice();
    renderer.html.title_ids = renderer.title_ids();
    renderer.html
}

/// Writes the notice that a page is not shown in full.
pub fn write_notice(labels: &Labels, to: &mut String) {
    to.push_str("<div class=\"hint hint-warning\" role=\"note\"><div class=\"hint-body\">\n<p>");
    to.push_str(labels.truncated);
    to.push_str("</p>\n</div></div>\n");
}

struct Renderer<'r> {
    context: RenderContext<'r>,
    /// The document of the page.
    document: &'r Document,
    html: Html,
    /// The number of groups of tabs so far.
    tabs: usize,
    /// The number of lists of updates so far.
    update_lists: usize,
    /// The reusable contents being rendered, innermost last.
    included: Vec<Arc<Document>>,
    /// The ids in use, collected when first needed.
    ids: Option<PageIds>,
    /// The page's own anchors, collected when first needed.
    anchors: OnceCell<AnchorIndex>,
    /// `true` within a link.
    in_link: bool,
    /// `true` within a cell of a table or a card.
    in_cell: bool,
    /// The announced level of the last heading; at first that of the page's title.
    last_heading: u8,
    /// Maximum size of the HTML in bytes.
    limit: usize,
    /// The number of bytes of code that may still be highlighted.
    code_budget: usize,
    /// The number of nodes that may still be rendered.
    node_budget: usize,
    /// The notes that the text refers to.
    notes: Vec<Arc<Vec<Block>>>,
    /// The indices in `notes` by the digest of their content.
    notes_by_digest: HashMap<u64, Vec<usize>>,
    /// The number of notes on the page before those of this document.
    notes_before: usize,
}

impl<'r> Renderer<'r> {
    /// Creates a renderer for a document on a page that already has `notes_before` notes.
    fn new(context: RenderContext<'r>, document: &'r Document, notes_before: usize) -> Self {
        Self {
            context,
            document,
            html: Html::default(),
            tabs: 0,
            update_lists: 0,
            included: Vec::new(),
            ids: None,
            anchors: OnceCell::new(),
            in_link: false,
            in_cell: false,
            last_heading: 1,
            limit: OUTPUT_LIMIT,
            code_budget: code::PAGE_LIMIT,
            node_budget: NODE_LIMIT,
            notes: Vec::new(),
            notes_by_digest: HashMap::new(),
            notes_before,
        }
    }
}

impl Renderer<'_> {
    /// Writes HTML that contains no text from authors.
    fn raw(&mut self, html: &str) {
        self.html.body.push_str(html);
    }

    fn labels(&self) -> &'static Labels {
        self.context.links.labels()
    }

    /// Returns `true` if only end tags may follow.
    fn is_full(&self) -> bool {
        self.html.is_truncated
    }

    /// Returns the number of bytes that may still be written.
    fn remaining_bytes(&self) -> usize {
        self.limit.saturating_sub(self.html.body.len())
    }

    /// Marks the document as truncated.
    fn truncate(&mut self) {
        self.html.is_truncated = true;
    }

    /// Charges work equivalent to `nodes` nodes.
    fn charge(&mut self, nodes: usize) {
        self.node_budget = self.node_budget.saturating_sub(nodes);
    }

    /// Counts a node. Returns `true` if it may be rendered.
    fn begin_node(&mut self) -> bool {
        let is_due = self.node_budget.is_multiple_of(NODES_BETWEEN_CHECKS);
        self.node_budget = self.node_budget.saturating_sub(1);
        let is_exhausted = is_due && self.context.links.is_exhausted();
        if self.node_budget == 0 || self.remaining_bytes() == 0 || is_exhausted {
            self.truncate();
        }
        !self.is_full()
    }

    /// Writes the notice about truncation if the document is truncated.
    fn write_notice(&mut self) {
        if self.html.is_truncated {
            write_notice(self.context.links.labels(), &mut self.html.body);
        }
    }

    /// Writes escaped text, as far as the limit permits.
    fn text(&mut self, text: &str) {
        let limit = self.remaining_bytes();
        let text = if text.len() > limit {
            self.truncate();
            text.get(..text.floor_char_boundary(limit)).unwrap_or_default()
        } else {
            text
        };
        escape(text, &mut self.html.body);
    }

    /// Writes an attribute with a leading space, if the limit permits.
    fn attribute(&mut self, name: &str, value: &str) {
        if value.len() > self.remaining_bytes() {
            return self.truncate();
        }
        let body = &mut self.html.body;
        let _ = write!(body, " {name}=\"");
        escape(value, body);
        body.push('"');
    }

    fn destination(&self, reference: &Reference) -> Destination {
        target::destination(self.context.links, self, &reference.raw, &reference.target)
    }

    /// Returns the text for a reference that has no text of its own.
    fn name(&self, reference: &Reference) -> String {
        target::name(self.context.links, self, reference)
    }

    fn image_file(&self, reference: &Reference) -> Option<FileLink> {
        target::image_file(self.context.links, &reference.target)
    }
}

/// Returns the URL if a link may have it: if its scheme is known and does not run scripts.
pub fn safe_url(url: &str) -> Option<&str> {
    const SCHEMES: [&str; 12] = [
        "http", "https", "mailto", "tel", "sms", "ftp", "ssh", "git", "slack", "vscode", "irc",
        "xmpp",
    ];
    let url = url.trim();
    if url == "#" {
        return Some(url);
    }
    if url.starts_with("//") {
        return Some(url);
    }
    let scheme = url.split_once(':').map(|(scheme, _)| scheme).filter(|_| has_scheme(url))?;
    SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme)).then_some(url)
}

/// Returns the URL if a browser may load an image or a frame from it or an embed may link to it: if
/// it is on the web.
pub fn safe_web_url(url: &str) -> Option<&str> {
    safe_url(url).filter(|url| is_web(url))
}

/// Returns `true` if the URL's scheme is `http` or `https`.
fn is_web(url: &str) -> bool {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")
    })
}

#[cfg(test)]
mod tests;
