//! Rendering of HTML in the source that the dialect does not define.
//!
//! The source itself is never copied. It is parsed into tags and text, and the allowed elements are
//! written anew: balanced, nested as HTML permits, and with a few validated attributes. Of
//! everything else, at most the text is kept.

use std::borrow::Cow;
use std::ops::Deref;

use super::media::{ImageStyle, Size};
use super::tags::{LastEndTags, anchor_id};
use super::{Destination, FileLink, Renderer, is_web, safe_url, safe_web_url};
use crate::document::{FileBlock, Length, Opaque, Reference};
use crate::reference::ContentRef;
use crate::syntax::markup::{self, OpenTag, Token};

/// Maximum length in bytes of a source that is rendered as HTML; a longer one is rendered as text.
const LENGTH_LIMIT: usize = 256 * 1024;
/// Maximum nesting depth; of deeper elements only the content is rendered.
const DEPTH_LIMIT: usize = 32;

/// An element that may be written.
struct Element {
    name: &'static str,
    role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// An inline element.
    Inline,
    /// A block of text, which ends when another block begins.
    Text,
    /// An element that contains blocks.
    Container,
    /// An element without content.
    Void,
    /// An element that is valid only within one of these.
    Within(&'static [&'static str]),
}

const fn element(name: &'static str, role: Role) -> Element {
    Element { name, role }
}

const ELEMENTS: [Element; 70] = [
    element("a", Role::Inline),
    element("abbr", Role::Inline),
    element("b", Role::Inline),
    element("bdi", Role::Inline),
    element("big", Role::Inline),
    element("cite", Role::Inline),
    element("code", Role::Inline),
    element("del", Role::Inline),
    element("dfn", Role::Inline),
    element("em", Role::Inline),
    element("i", Role::Inline),
    element("ins", Role::Inline),
    element("kbd", Role::Inline),
    element("mark", Role::Inline),
    element("q", Role::Inline),
    element("rp", Role::Inline),
    element("rt", Role::Inline),
    element("ruby", Role::Inline),
    element("s", Role::Inline),
    element("samp", Role::Inline),
    element("small", Role::Inline),
    element("strong", Role::Inline),
    element("sub", Role::Inline),
    element("sup", Role::Inline),
    element("time", Role::Inline),
    element("tt", Role::Inline),
    element("u", Role::Inline),
    element("var", Role::Inline),
    element("p", Role::Text),
    element("h1", Role::Text),
    element("h2", Role::Text),
    element("h3", Role::Text),
    element("h4", Role::Text),
    element("h5", Role::Text),
    element("h6", Role::Text),
    element("pre", Role::Text),
    element("address", Role::Container),
    element("article", Role::Container),
    element("aside", Role::Container),
    element("blockquote", Role::Container),
    element("center", Role::Container),
    element("details", Role::Container),
    element("div", Role::Container),
    element("dl", Role::Container),
    element("figure", Role::Container),
    element("footer", Role::Container),
    element("header", Role::Container),
    element("main", Role::Container),
    element("nav", Role::Container),
    element("ol", Role::Container),
    element("section", Role::Container),
    element("table", Role::Container),
    element("ul", Role::Container),
    element("br", Role::Void),
    element("hr", Role::Void),
    element("img", Role::Void),
    element("source", Role::Void),
    element("wbr", Role::Void),
    element("caption", Role::Within(&["table"])),
    element("dd", Role::Within(&["dl"])),
    element("dt", Role::Within(&["dl"])),
    element("figcaption", Role::Within(&["figure"])),
    element("li", Role::Within(&["ul", "ol"])),
    element("summary", Role::Within(&["details"])),
    element("tbody", Role::Within(&["table"])),
    element("td", Role::Within(&["tr"])),
    element("tfoot", Role::Within(&["table"])),
    element("th", Role::Within(&["tr"])),
    element("thead", Role::Within(&["table"])),
    element("tr", Role::Within(&["table", "thead", "tbody", "tfoot"])),
];

fn find(name: &str) -> Option<&'static Element> {
    ELEMENTS.iter().find(|element| element.name.eq_ignore_ascii_case(name))
}

impl Renderer<'_> {
    /// Writes the readable part of an unknown source.
    pub(super) fn foreign(&mut self, opaque: &Opaque) {
        let is_html = opaque.source.len() <= LENGTH_LIMIT
            && markup::tokens(&opaque.source).any(|(token, _)| match token {
                Token::Open(tag) => find(tag.name).is_some() || tag.is_frame(),
                _ => false,
            });
        let body = if is_html {
            let references = &opaque.references;
            let mut writer = Writer {
                renderer: self,
                references,
                dark: None,
                open: Vec::new(),
                has_content: false,
            };
            let start = writer.renderer.html.body.len();
            writer.source(&opaque.source);
            writer.close_to(0);
            let has_content = writer.has_content;
            let written = self.html.body.split_off(start);
            if has_content { written } else { String::new() }
        } else {
            paragraphs(&opaque.source)
        };
        if body.len() > self.remaining_bytes() {
            return self.truncate();
        }
        if !body.is_empty() {
            self.raw("<div class=\"opaque\">");
            self.raw(&body);
            self.raw("</div>\n");
        }
    }
}

/// Returns the text of a source with a paragraph for each line.
fn paragraphs(source: &str) -> String {
    let text = markup::readable_text(source);
    let mut html = String::new();
    for line in text.split('\n').map(str::trim).filter(|line| !line.is_empty()) {
        html.push_str("<p>");
        super::escape(line, &mut html);
        html.push_str("</p>");
    }
    html
}

/// An element that has been opened.
struct OpenElement {
    element: &'static Element,
    /// The offset of its start tag in the output.
    start: usize,
    /// The offset of its content in the output.
    content: usize,
    /// `true` if it contains a title.
    has_summary: bool,
}

impl Deref for OpenElement {
    type Target = Element;

    fn deref(&self) -> &Element {
        self.element
    }
}

struct Writer<'w, 'r> {
    renderer: &'w mut Renderer<'r>,
    /// The references of the source, sorted by `raw`.
    references: &'w [Reference],
    /// The dark variant of the next image.
    dark: Option<FileLink>,
    /// The open elements, outermost first.
    open: Vec<OpenElement>,
    /// `true` if anything visible was written.
    has_content: bool,
}

impl<'w> Writer<'w, '_> {
    fn source(&mut self, source: &str) {
        let mut skipping: Option<&str> = None;
        // The open frame whose content is skipped, and `true` if the frame is shown.
        let mut frame: Option<(&str, bool)> = None;
        let mut ends: Option<LastEndTags> = None;
        for (token, span) in markup::tokens(source) {
            if let Some((open, is_shown)) = frame {
                match token {
                    Token::Close(name) if open.eq_ignore_ascii_case(name) => frame = None,
                    Token::Open(tag) if tag.is("source") && !is_shown => {
                        frame = Some((open, self.frame(&tag)));
                    }
                    _ => {}
                }
                continue;
            }
            match token {
                Token::Close(name)
                    if skipping.is_some_and(|open| open.eq_ignore_ascii_case(name)) =>
                {
                    skipping = None;
                }
                _ if skipping.is_some() => {}
                Token::Open(tag) if !tag.is_frame() && markup::is_unreadable(&tag) => {
                    skipping = (!tag.is_self_closing).then_some(tag.name);
                }
                Token::Open(tag) if tag.is_frame() => {
                    let is_shown = self.frame(&tag);
                    let ends = ends.get_or_insert_with(|| LastEndTags::of(source));
                    let holds = tag.has_fallback() && ends.after(tag.name) > span.end;
                    frame = holds.then_some((tag.name, is_shown));
                }
                Token::Open(tag) => self.start(&tag),
                Token::Close(name) => self.end(name),
                Token::Text(text) => self.text(&markup::unescape(text)),
                Token::Comment => {}
            }
        }
    }

    fn text(&mut self, text: &str) {
        let is_code = |open: &&Element| matches!(open.name, "code" | "kbd" | "pre" | "samp" | "tt");
        let text = match self.open.iter().any(|open| is_code(&&**open)) {
            true => Cow::Borrowed(text),
            false => Cow::Owned(markup::without_block_tags(text)),
        };
        if !text.trim().is_empty() {
            self.has_content = true;
            self.open_implied();
        }
        self.renderer.text(&text);
    }

    /// Opens the row, cell or item that text needs in an element that permits only those.
    fn open_implied(&mut self) {
        while let Some(last) = self.open.last() {
            let needed = match last.name {
                "table" | "thead" | "tbody" | "tfoot" => "tr",
                "tr" => "td",
                "ul" | "ol" => "li",
                "dl" => "dd",
                _ => return,
            };
            let Some(element) = find(needed) else { return };
            let start = self.renderer.html.body.len();
            self.renderer.raw("<");
            self.renderer.raw(needed);
            self.renderer.raw(">");
            self.push(element, start);
        }
    }

    fn start(&mut self, tag: &OpenTag<'_>) {
        let Some(element) = find(tag.name) else { return };
        match element.role {
            Role::Void => return self.void(element, tag),
            Role::Within(parents) => {
                // End tags are implied: a row ends the previous row, and an item the previous item.
                let Some(parent) = self.open.iter().rposition(|open| parents.contains(&open.name))
                else {
                    return;
                };
                // Do not leave a cell for the table around it.
                let table = self.open.iter().rposition(|open| open.name == "table");
                let is_part = matches!(
                    element.name,
                    "tr" | "td" | "th" | "tbody" | "thead" | "tfoot" | "caption"
                );
                if is_part && table.is_some_and(|table| parent < table) {
                    return;
                }
                self.close_to(parent + 1);
            }
            Role::Text | Role::Container => {
                if let Some(text) = self.open.iter().position(|open| open.role == Role::Text) {
                    self.close_to(text);
                }
            }
            // A link within a link ends the outer one.
            Role::Inline if element.name == "a" => {
                if let Some(link) = self.open.iter().position(|open| open.name == "a") {
                    self.close_to(link);
                }
            }
            Role::Inline => {}
        }
        if self.open.len() >= DEPTH_LIMIT {
            return;
        }
        let start = self.renderer.html.body.len();
        self.renderer.raw("<");
        self.renderer.raw(output_name(element));
        self.attributes(element, tag);
        self.renderer.raw(">");
        if element.name == "summary"
            && let Some(details) = self.open.last_mut()
        {
            details.has_summary = true;
        }
        self.push(element, start);
    }

    /// Notes that an element is open, after its start tag was written at `start`.
    fn push(&mut self, element: &'static Element, start: usize) {
        let content = self.renderer.html.body.len();
        self.open.push(OpenElement { element, start, content, has_summary: false });
    }

    fn end(&mut self, name: &str) {
        let Some(element) = find(name) else { return };
        let open = self.open.iter().rposition(|open| open.name == element.name);
        // The end of an inline element does not end the block around it.
        let block = self.open.iter().rposition(|open| open.role != Role::Inline);
        match open {
            Some(at) if element.role != Role::Inline || block.is_none_or(|block| block < at) => {
                self.close_to(at);
            }
            _ => {}
        }
    }

    /// Closes all elements from the depth `depth` on.
    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            let Some(closed) = self.open.pop() else { return };
            let mut name = output_name(closed.element);
            let labels = self.renderer.labels();
            let body = &mut self.renderer.html.body;
            let is_empty = body.get(closed.content..).is_none_or(|text| text.trim().is_empty());
            if name == "details" && !closed.has_summary {
                let title = format!("<summary>{}</summary>", labels.details);
                body.insert_str(closed.content, &title);
            } else if name == "th" && is_empty {
                // An empty cell is not the header of anything.
                name = "td";
                body.replace_range(closed.start..closed.start + "<th".len(), "<td");
            }
            self.renderer.raw("</");
            self.renderer.raw(name);
            self.renderer.raw(">");
        }
    }

    fn void(&mut self, element: &Element, tag: &OpenTag<'_>) {
        match element.name {
            "br" => self.renderer.raw("<br>"),
            "wbr" => self.renderer.raw("<wbr>"),
            "hr" => {
                if let Some(text) = self.open.iter().position(|open| open.role == Role::Text) {
                    self.close_to(text);
                }
                self.has_content = true;
                self.renderer.raw("<hr>");
            }
            "source" => self.variant(tag),
            _ => self.image(tag),
        }
    }

    fn image(&mut self, tag: &OpenTag<'_>) {
        let alt = tag.text("alt").unwrap_or_default();
        let source = tag.text("src").unwrap_or_default();
        let Some(file) = self.image_file(&source) else {
            // A missing image is replaced by its text.
            return self.text(&alt);
        };
        self.has_content = true;
        let length = |name| tag.text(name).as_deref().and_then(Length::parse);
        let size = Size::of(length("width").as_ref(), length("height").as_ref());
        let dark = self.dark.take();
        self.renderer.picture_element(
            &file,
            dark.as_ref(),
            &alt,
            ImageStyle { size, ..ImageStyle::default() },
        );
    }

    /// Reads the dark variant of the next image from a `<source>`.
    fn variant(&mut self, tag: &OpenTag<'_>) {
        let is_dark = tag.text("media").is_some_and(|media| {
            media.split_whitespace().collect::<String>().contains("prefers-color-scheme:dark")
        });
        if is_dark && let Some(source) = tag.text("srcset") {
            self.dark = self.image_file(&source);
        }
    }

    fn reference(&self, raw: &str) -> Option<&'w Reference> {
        let at = self.references.binary_search_by(|found| found.raw.as_str().cmp(raw)).ok()?;
        self.references.get(at)
    }

    /// Returns the image for a target as written in the source.
    fn image_file(&self, raw: &str) -> Option<FileLink> {
        match self.reference(raw) {
            Some(reference) => self.renderer.image_file(reference),
            None => Some(raw.trim())
                .filter(|raw| is_web(raw))
                .map(|raw| FileLink { href: raw.to_owned(), ..FileLink::default() }),
        }
    }

    /// Returns the URL for the target of a link in the source.
    fn link(&self, raw: &str) -> Option<String> {
        match self.reference(raw).map(|reference| self.renderer.destination(reference)) {
            Some(Destination::Address { href, .. }) => Some(href),
            Some(Destination::Broken) => None,
            None => {
                let raw = raw.trim();
                safe_url(raw).or_else(|| raw.starts_with('#').then_some(raw)).map(str::to_owned)
            }
        }
    }

    /// Writes a link to the target of a frame. Returns `true` if it has one.
    fn frame(&mut self, tag: &OpenTag<'_>) -> bool {
        let Some(source) = tag.text("src") else { return false };
        if let Some(url) = safe_web_url(&source) {
            self.has_content = true;
            self.close_links();
            self.renderer.link_card(url);
            return true;
        }
        if let Some(reference) = self.reference(&source)
            && let ContentRef::File { .. } = reference.target
        {
            self.has_content = true;
            self.close_links();
            let file = FileBlock { reference: reference.clone(), caption: Vec::new() };
            self.renderer.file(&file);
            return true;
        }
        false
    }

    fn close_links(&mut self) {
        if let Some(link) = self.open.iter().position(|open| open.name == "a") {
            self.close_to(link);
        }
    }

    fn attributes(&mut self, element: &Element, tag: &OpenTag<'_>) {
        let align = tag.text("align").map(|align| align.to_ascii_lowercase());
        match (element.name, align.as_deref()) {
            ("big", _) => self.renderer.attribute("class", "big"),
            ("center", _) | (_, Some("center" | "middle")) => {
                self.renderer.attribute("data-align", "center");
            }
            (_, Some("right")) => self.renderer.attribute("data-align", "end"),
            _ => {}
        }
        if let Some(id) = anchor_id(tag)
            && self.renderer.reserve_id(&id)
        {
            self.has_content = true;
            self.renderer.attribute("id", &id);
        }
        let count = |name: &str, most| tag.text(name).filter(|text| is_count(text, most));
        match element.name {
            "a" => {
                if let Some(href) = tag.text("href").and_then(|href| self.link(&href)) {
                    self.renderer.attribute("href", &href);
                    if is_web(&href) {
                        self.renderer.attribute("rel", "noopener nofollow");
                    }
                }
                if let Some(title) = tag.text("title").filter(|title| !title.trim().is_empty()) {
                    self.renderer.attribute("title", &title);
                }
            }
            "td" | "th" => {
                for name in ["colspan", "rowspan"] {
                    if let Some(cells) = count(name, 1_000) {
                        self.renderer.attribute(name, &cells);
                    }
                }
            }
            "ol" => {
                if let Some(start) = count("start", 1_000_000) {
                    self.renderer.attribute("start", &start);
                }
            }
            "details" if tag.has("open") => self.renderer.raw(" open"),
            "abbr" | "dfn" => {
                if let Some(title) = tag.text("title") {
                    self.renderer.attribute("title", &title);
                }
            }
            _ => {}
        }
    }
}

/// Returns the name under which an element is written. `h1` becomes `h2`, as the page's title is
/// its only `h1`.
fn output_name(element: &Element) -> &'static str {
    match element.name {
        "h1" => "h2",
        "center" => "div",
        "big" => "span",
        "tt" => "code",
        // Landmarks are reserved for the page's layout.
        "article" | "aside" | "footer" | "header" | "main" | "nav" | "section" => "div",
        name => name,
    }
}

fn is_count(text: &str, most: u32) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
        && text.parse().is_ok_and(|number: u32| (1..=most).contains(&number))
}
