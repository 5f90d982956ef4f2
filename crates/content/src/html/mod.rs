//! Documents as HTML for readers: complete without scripts, styles and foreign markup.
//!
//! Only elements that this module writes itself reach a reader; all text and every attribute is
//! escaped, and links lead to a short list of schemes. What clients may style is the classes,
//! which the site's stylesheet knows.

mod block;
mod code;
mod container;
mod difference;
mod foreign;
mod inline;
mod math;
mod media;
mod places;
mod table;
mod tags;
mod words;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::document::{Block, Document, Reference};
use crate::reference::{ContentRef, has_scheme};

use places::Places;

pub use difference::{RenderedDifference, Sides, render_difference};
pub use words::{Words, fill};

/// Reusable contents within reusable contents are shown to this depth.
const INCLUDE_DEPTH: usize = 4;
/// Maximum number of reusable contents that a page shows.
const INCLUDE_LIMIT: usize = 500;
/// Maximum number of blocks and inline nodes that a page shows, those of included contents and of
/// conditions that do not hold among them.
const NODE_LIMIT: usize = 1 << 20;
/// Nodes between two looks at [`Links::is_exhausted`].
const NODES_BETWEEN_CHECKS: usize = 256;
/// Maximum size of a rendered document in bytes, but for the end tags of what is open when it is
/// reached.
pub const OUTPUT_LIMIT: usize = 12 << 20;

/// A rendered document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Html {
    /// The HTML of the blocks.
    pub body: String,
    /// The headings, in order.
    pub outline: Vec<OutlineEntry>,
    /// Whether a condition or expression was met whose value may differ by visitor.
    pub is_adaptive: bool,
    /// The ids of the reusable contents that are shown, in order.
    pub includes: Vec<String>,
    /// True if the document is larger than what is shown of it. A notice at its end says so.
    pub is_truncated: bool,
}

/// A heading in the outline of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineEntry {
    /// 1 to 3.
    pub level: u8,
    /// The id that links use.
    pub id: String,
    /// The text.
    pub text: String,
}

/// A page that is linked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLink {
    /// Its address.
    pub href: String,
    /// Its title.
    pub title: String,
}

/// A file that is shown or linked to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileLink {
    /// Its address.
    pub href: String,
    /// Its name.
    pub name: String,
    /// Its size in bytes, where known.
    pub size: Option<u64>,
    /// Width and height in pixels, where it is a picture.
    pub dimensions: Option<(u32, u32)>,
}

/// Tells where things are, and in which words readers are spoken to.
pub trait Links {
    /// The words of the interface within the text.
    fn words(&self) -> &'static Words {
        &Words::ENGLISH
    }
    /// A page of this space or of another one.
    fn page(&self, page: &str, space: Option<&str>) -> Option<PageLink>;
    /// A file.
    fn file(&self, file: &str) -> Option<FileLink>;
    /// A reusable content.
    fn reusable_content(&self, id: &str, space: Option<&str>) -> Option<Arc<Document>> {
        let _ = (id, space);
        None
    }
    /// The first page of another space.
    fn space(&self, space: &str) -> Option<PageLink> {
        let _ = space;
        None
    }
    /// The name of a person.
    fn user(&self, user: &str) -> Option<String> {
        let _ = user;
        None
    }
    /// Whether a condition holds. What cannot be told is not shown.
    fn condition(&self, expression: &str) -> bool {
        let _ = expression;
        false
    }
    /// The value of an expression as text.
    fn expression(&self, expression: &str) -> Option<String> {
        let _ = expression;
        None
    }
    /// Whether rendering has to end: what may be read for one page is used up, or nobody waits for
    /// the result any more. The document is then truncated.
    fn is_exhausted(&self) -> bool {
        false
    }
}

/// Knows no page and no file.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLinks;

impl Links for NoLinks {
    fn page(&self, _page: &str, _space: Option<&str>) -> Option<PageLink> {
        None
    }
    fn file(&self, _file: &str) -> Option<FileLink> {
        None
    }
}

/// How a document is rendered.
#[derive(Clone, Copy)]
pub struct RenderContext<'r> {
    /// Where things are.
    pub links: &'r dyn Links,
    /// True if code is highlighted.
    pub highlight: bool,
}

/// Renders a document.
#[must_use]
pub fn render(document: &Document, context: &RenderContext<'_>) -> Html {
    let mut renderer = Renderer::new(*context, document, 0);
    renderer.blocks(&document.nodes);
    renderer.write_notes();
    renderer.write_notice();
    renderer.html
}

/// Writes the notice that a page is not shown in full.
pub fn write_notice(words: &Words, to: &mut String) {
    to.push_str("<div class=\"hint hint-warning\" role=\"note\"><div class=\"hint-body\">\n<p>");
    to.push_str(words.truncated);
    to.push_str("</p>\n</div></div>\n");
}

struct Renderer<'r> {
    context: RenderContext<'r>,
    /// The document of the page.
    document: &'r Document,
    html: Html,
    /// How many groups of tabs there were.
    tabs: usize,
    /// The reusable contents that are being shown, the innermost last.
    included: Vec<Arc<Document>>,
    /// What has ids, once that is asked for.
    places: Option<Places>,
    /// Whether what comes is within a link.
    in_link: bool,
    /// Maximum size of the HTML in bytes.
    limit: usize,
    /// Bytes of code that may still be highlighted.
    code_budget: usize,
    /// Nodes that may still be shown.
    node_budget: usize,
    /// The notes that the text refers to.
    notes: Vec<Arc<Vec<Block>>>,
    /// Positions in `notes` by the digest of their content.
    notes_by_digest: HashMap<u64, Vec<usize>>,
    /// How many notes the page has that are not of this document.
    notes_before: usize,
}

impl<'r> Renderer<'r> {
    /// Nothing yet of a document, on a page with so many notes before it.
    fn new(context: RenderContext<'r>, document: &'r Document, notes_before: usize) -> Self {
        Self {
            context,
            document,
            html: Html::default(),
            tabs: 0,
            included: Vec::new(),
            places: None,
            in_link: false,
            limit: OUTPUT_LIMIT,
            code_budget: code::PAGE_LIMIT,
            node_budget: NODE_LIMIT,
            notes: Vec::new(),
            notes_by_digest: HashMap::new(),
            notes_before,
        }
    }
}

/// Where a reference leads.
enum Destination {
    Address { href: String, title: Option<String> },
    Broken,
}

impl Renderer<'_> {
    /// Writes HTML that holds nothing foreign.
    fn raw(&mut self, html: &str) {
        self.html.body.push_str(html);
    }

    fn words(&self) -> &'static Words {
        self.context.links.words()
    }

    /// Returns whether nothing but end tags may follow.
    fn is_full(&self) -> bool {
        self.html.is_truncated
    }

    /// Returns how many bytes may still be written.
    fn room(&self) -> usize {
        self.limit.saturating_sub(self.html.body.len())
    }

    /// Ends the document early.
    fn truncate(&mut self) {
        self.html.is_truncated = true;
    }

    /// Counts work that is worth so many nodes.
    fn charge(&mut self, nodes: usize) {
        self.node_budget = self.node_budget.saturating_sub(nodes);
    }

    /// Counts a node, and returns whether it may be shown.
    fn begin_node(&mut self) -> bool {
        let is_due = self.node_budget.is_multiple_of(NODES_BETWEEN_CHECKS);
        self.node_budget = self.node_budget.saturating_sub(1);
        let is_exhausted = is_due && self.context.links.is_exhausted();
        if self.node_budget == 0 || self.room() == 0 || is_exhausted {
            self.truncate();
        }
        !self.is_full()
    }

    /// Tells readers that the document goes on where it was truncated.
    fn write_notice(&mut self) {
        if self.html.is_truncated {
            write_notice(self.context.links.words(), &mut self.html.body);
        }
    }

    /// Writes text, as far as there is room.
    fn text(&mut self, text: &str) {
        let room = self.room();
        let text = if text.len() > room {
            self.truncate();
            text.get(..text.floor_char_boundary(room)).unwrap_or_default()
        } else {
            text
        };
        escape(text, &mut self.html.body);
    }

    /// Writes an attribute with a space before it, if there is room.
    fn attribute(&mut self, name: &str, value: &str) {
        if value.len() > self.room() {
            return self.truncate();
        }
        let body = &mut self.html.body;
        let _ = write!(body, " {name}=\"");
        escape(value, body);
        body.push('"');
    }

    fn destination(&self, reference: &Reference) -> Destination {
        let links = self.context.links;
        let address = |link: PageLink, anchor: Option<&str>| {
            let href = match anchor {
                Some(anchor) => format!("{}#{anchor}", link.href),
                None => link.href,
            };
            Destination::Address { href, title: Some(link.title) }
        };
        let found = match &reference.target {
            ContentRef::Url { url } => safe_url(url)
                .map(|href| Destination::Address { href: href.to_owned(), title: None }),
            ContentRef::Page { page, space } => {
                links.page(page, space.as_deref()).map(|link| address(link, None))
            }
            ContentRef::Anchor { anchor, page: Some(page), space } => {
                links.page(page, space.as_deref()).map(|link| address(link, Some(anchor)))
            }
            ContentRef::Anchor { anchor, .. } => {
                Some(Destination::Address { href: format!("#{anchor}"), title: None })
            }
            ContentRef::File { file } => links
                .file(file)
                .map(|file| Destination::Address { href: file.href, title: Some(file.name) }),
            ContentRef::Space { space } => links.space(space).map(|link| address(link, None)),
            ContentRef::User { .. }
            | ContentRef::Collection { .. }
            | ContentRef::ReusableContent { .. }
            | ContentRef::OpenApi { .. } => None,
        };
        found.unwrap_or(Destination::Broken)
    }

    /// The text that stands for a reference which has none of its own.
    fn name(&mut self, reference: &Reference) -> String {
        if let ContentRef::User { user } = &reference.target {
            let name = self.context.links.user(user);
            return name.unwrap_or_else(|| self.words().person.to_owned());
        }
        if let ContentRef::Anchor { anchor, page: None, .. } = &reference.target {
            return self.title_of(anchor).unwrap_or_else(|| format!("#{anchor}"));
        }
        match self.destination(reference) {
            Destination::Address { title: Some(title), .. } => title,
            Destination::Address { href, title: None } => href,
            Destination::Broken => {
                let raw = reference.raw.trim_end_matches('/');
                raw.rsplit('/').next().unwrap_or(raw).to_owned()
            }
        }
    }

    fn picture(&self, reference: &Reference) -> Option<FileLink> {
        match &reference.target {
            ContentRef::File { file } => self.context.links.file(file),
            ContentRef::Url { url } => safe_web_url(url)
                .map(|href| FileLink { href: href.to_owned(), ..FileLink::default() }),
            _ => None,
        }
    }
}

/// An address that a link may lead to: of a known scheme, not one that runs a script.
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

/// Returns an address from which a browser may load a picture or a frame, or to which an embed may
/// lead: one on the web.
pub fn safe_web_url(url: &str) -> Option<&str> {
    safe_url(url).filter(|url| is_web(url))
}

/// Whether this is an address on the web.
fn is_web(url: &str) -> bool {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")
    })
}

/// Escapes text for content and for attributes in double quotes.
pub fn escape(text: &str, to: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"']) {
        let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        to.push_str(before);
        to.push_str(match after.as_bytes().first() {
            Some(b'&') => "&amp;",
            Some(b'<') => "&lt;",
            Some(b'>') => "&gt;",
            _ => "&quot;",
        });
        rest = after.get(1..).unwrap_or_default();
    }
    to.push_str(rest);
}

#[cfg(test)]
mod tests;
