//! Rendering of HTML in the source that the dialect does not define.
//!
//! The source itself is never copied. It is parsed into tags and text, and the allowed elements are
//! written anew: balanced, nested as HTML permits, and with a few validated attributes. Of
//! everything else, at most the text is kept.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Deref;

use super::elements::{Element, Role, find, implied, name_in_line, output_name};
use super::ids::ANCHOR_START;
use super::media::{ImageStyle, Size};
use super::tags::{LastEndTags, anchor_id};
use super::{Destination, FileLink, Renderer, is_web, safe_url, safe_web_url};
use crate::document::{FileBlock, Length, Opaque, Reference};
use crate::reference::ContentRef;
use crate::syntax::markup::{self, OpenTag, Token};

/// Maximum length in bytes of a source that is rendered as HTML; a longer one is rendered as text.
const LENGTH_LIMIT: usize = 256 * 1024;
/// Maximum number of inline elements that begin anew after a block.
const MAX_FORMATS: usize = 4;
/// Maximum nesting depth; of deeper elements only the content is rendered.
const DEPTH_LIMIT: usize = 32;

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
                formats: Vec::new(),
                has_content: false,
                breaks: false,
                title_has_content: false,
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
    /// The name under which it is written.
    written: &'static str,
    /// The offset of its start tag in the output.
    start: usize,
    /// The offset of its content in the output.
    content: usize,
    /// `true` if it contains a title: a `<summary>` or a `<caption>`.
    has_title: bool,
    /// `true` if it is a table that contains a row.
    has_row: bool,
    /// The target of a link, as written in the source.
    href: Option<String>,
    /// `true` if it continues an element that a block has ended.
    continues: bool,
}

impl OpenElement {
    /// Returns `true` if it has no content and no attributes.
    fn is_blank(&self, body: &str) -> bool {
        self.is_plain() && body.len() == self.content
    }

    /// Returns `true` if it has no attributes.
    fn is_plain(&self) -> bool {
        self.content - self.start == self.written.len() + "<>".len()
    }
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
    /// The inline elements that a block has ended and that begin anew in the next text.
    formats: Vec<&'static Element>,
    /// `true` if anything visible was written.
    has_content: bool,
    /// `true` if a line of the title ends before its next text.
    breaks: bool,
    /// `true` if anything visible was written in the title.
    title_has_content: bool,
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
            self.begin_text();
        }
        if self.open.iter().any(|open| open.name == "pre") {
            return self.renderer.text(&text);
        }
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.renderer.end_line();
            }
            self.renderer.text(line);
        }
    }

    /// Opens the row, cell or item that content needs in an element that permits only those.
    fn open_implied(&mut self) {
        while let Some(needed) = self.open.last().and_then(|last| implied(last.written)) {
            self.open_plain(needed);
        }
    }

    /// Opens an element without attributes.
    fn open_plain(&mut self, name: &str) {
        let Some(element) = find(name) else { return };
        let start = self.renderer.html.body.len();
        let written = output_name(element);
        self.renderer.raw("<");
        self.renderer.raw(written);
        self.renderer.raw(">");
        self.push(element, written, start);
    }

    /// Writes what precedes a text: the end of the line before it, and the inline elements that a
    /// block has ended.
    fn begin_text(&mut self) {
        if self.in_title() {
            let breaks = std::mem::take(&mut self.breaks);
            if std::mem::replace(&mut self.title_has_content, true) && breaks {
                self.renderer.raw("<br>");
            }
        }
        for element in std::mem::take(&mut self.formats) {
            if self.open.len() < DEPTH_LIMIT && !self.is_open(element.name) {
                self.open_plain(element.name);
                if let Some(open) = self.open.last_mut() {
                    open.continues = true;
                }
            }
        }
    }

    fn is_open(&self, name: &str) -> bool {
        self.open.iter().any(|open| open.name == name)
    }

    /// Returns `true` within a title, which permits only what can be part of a line.
    fn in_title(&self) -> bool {
        self.open.iter().any(|open| open.written == "summary")
    }

    /// Returns what a header cell is the header of: in the first row, its column.
    fn implied_scope(&self) -> &'static str {
        let table = self.open.iter().rposition(|open| open.written == "table").unwrap_or(0);
        let inner = self.open.get(table..).unwrap_or_default();
        let has_row = inner.first().is_some_and(|table| table.has_row);
        let is_head = inner.iter().any(|open| open.written == "thead");
        if has_row && !is_head { "row" } else { "col" }
    }

    fn permits_no_heading(&self) -> bool {
        self.open.iter().any(|open| matches!(open.written, "address" | "caption" | "dt" | "th"))
    }

    /// Ends the inline elements around a block, which permit no blocks.
    fn leave_line(&mut self) {
        let blocks = self.open.iter().rposition(|open| open.role != Role::Inline);
        let line = blocks.map_or(0, |block| block + 1);
        let permits_blocks = |open: &OpenElement| matches!(open.name, "a" | "del" | "ins");
        let open = self.open.get_mut(line..).unwrap_or_default();
        let Some(first) = open.iter().position(|open| !permits_blocks(open)) else { return };
        for open in open.get_mut(first..).unwrap_or_default() {
            open.continues = open.is_plain();
        }
        self.close_to(line + first);
    }

    fn start(&mut self, tag: &OpenTag<'_>) {
        let Some(element) = find(tag.name) else { return };
        let in_title = self.in_title();
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
                if element.name == "caption" && self.open.get(parent).is_some_and(|t| t.has_title) {
                    return;
                }
                self.close_to(parent + 1);
                if element.name == "tr" && !in_title && self.last_is("table") {
                    self.open_plain("tbody");
                }
            }
            Role::Text | Role::Container if in_title => {}
            Role::Text | Role::Container => {
                if let Some(text) = self.open.iter().position(|open| open.role == Role::Text) {
                    self.close_to(text);
                }
                self.leave_line();
                self.open_implied();
            }
            // A link within a link ends the outer one.
            Role::Inline if element.name == "a" => {
                if let Some(link) = self.open.iter().position(|open| open.name == "a") {
                    self.close_to(link);
                }
                self.open_implied();
            }
            Role::Inline if matches!(element.name, "rt" | "rp") && !self.is_open("ruby") => return,
            Role::Inline => self.open_implied(),
        }
        if self.open.len() >= DEPTH_LIMIT {
            return;
        }
        let start = self.renderer.html.body.len();
        let written = match element.name {
            _ if in_title => name_in_line(element),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if self.permits_no_heading() => "strong",
            // Only the first one is the title.
            "summary" if self.open.last().is_some_and(|details| details.has_title) => "div",
            _ => output_name(element),
        };
        self.breaks |= in_title && element.role != Role::Inline;
        self.renderer.raw("<");
        self.renderer.raw(written);
        let href = self.attributes(written, element, tag);
        self.renderer.raw(">");
        if matches!(written, "summary" | "caption")
            && let Some(parent) = self.open.last_mut()
        {
            parent.has_title = true;
        }
        if written == "summary" {
            (self.breaks, self.title_has_content) = (false, false);
        }
        self.push(element, written, start);
        if let Some(link) = self.open.last_mut() {
            link.href = href;
        }
    }

    fn last_is(&self, name: &str) -> bool {
        self.open.last().is_some_and(|open| open.name == name)
    }

    /// Notes that an element is open, after its start tag was written at `start`.
    fn push(&mut self, element: &'static Element, written: &'static str, start: usize) {
        let content = self.renderer.html.body.len();
        self.open.push(OpenElement {
            element,
            written,
            start,
            content,
            has_title: false,
            has_row: false,
            href: None,
            continues: false,
        });
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
        self.formats.retain(|format| format.name != element.name);
    }

    /// Closes all elements from the depth `depth` on.
    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            let Some(closed) = self.open.pop() else { return };
            let mut name = closed.written;
            if closed.continues && self.formats.len() < MAX_FORMATS {
                self.formats.insert(0, closed.element);
            }
            if name == "a" && self.close_link(&closed) {
                continue;
            }
            let labels = self.renderer.labels();
            let body = &mut self.renderer.html.body;
            let is_empty = body.get(closed.content..).is_none_or(|text| text.trim().is_empty());
            match name {
                "details" if !closed.has_title => {
                    let title = format!("<summary>{}</summary>", labels.details);
                    body.insert_str(closed.content, &title);
                }
                // An empty cell is not the header of anything.
                "th" if is_empty => {
                    name = "td";
                    let cell = body.split_off(closed.start);
                    let length = closed.content - closed.start;
                    let (tag, content) = cell.split_at_checked(length).unwrap_or((&cell, ""));
                    let tag = tag.split_once(" scope=").map_or(tag, |(before, _)| before);
                    let tag = tag.trim_start_matches("<th").trim_end_matches('>');
                    let _ = write!(body, "<td{tag}>{content}");
                }
                // Links can still point to it.
                "h2" | "h3" | "h4" | "h5" | "h6" if is_empty => {
                    Self::replace_by_target(body, &closed);
                    continue;
                }
                "tr" => {
                    let table = self.open.iter_mut().rfind(|open| open.written == "table");
                    if let Some(table) = table {
                        table.has_row = true;
                    }
                }
                _ if closed.role == Role::Inline && closed.is_blank(body) => {
                    body.truncate(closed.start);
                    continue;
                }
                _ => {}
            }
            self.breaks = self.in_title() && (self.breaks || closed.role != Role::Inline);
            self.renderer.raw("</");
            self.renderer.raw(name);
            self.renderer.raw(">");
            if matches!(name, "summary" | "caption") {
                self.move_title(closed.start);
            }
        }
    }

    /// Gives a link without a text the name of its target. Returns `true` if there was nothing that
    /// a reader could follow, and the link was removed.
    fn close_link(&mut self, link: &OpenElement) -> bool {
        let Some(raw) = link.href.as_deref() else { return false };
        if self.renderer.is_named(link.content) {
            return false;
        }
        let body = &mut self.renderer.html.body;
        if body.get(link.content..).is_some_and(|content| content.contains("<img")) {
            let name = match (self.reference(raw), raw.trim().strip_prefix('#')) {
                (Some(reference), _) => Some(self.renderer.name(reference)),
                (None, Some(id)) => self.renderer.title_of(id),
                (None, None) => None,
            };
            self.renderer.name_link(link.start, name.as_deref().unwrap_or(raw));
            return false;
        }
        Self::replace_by_target(body, link);
        true
    }

    /// Replaces the start tag of an element by a link target, if the element has an id.
    fn replace_by_target(body: &mut String, open: &OpenElement) {
        let tag = body.get(open.start..open.content).unwrap_or_default();
        let id = tag.split_once(" id=\"").and_then(|(_, rest)| rest.split_once('"'));
        let target = id.map(|(id, _)| format!("{ANCHOR_START}{id}\"></span>")).unwrap_or_default();
        body.replace_range(open.start..open.content, &target);
    }

    /// Moves the title of the innermost element, which begins at this offset, to its beginning.
    fn move_title(&mut self, start: usize) {
        let Some(parent) = self.open.last() else { return };
        let body = &mut self.renderer.html.body;
        if body.get(parent.content..start).is_some_and(|before| !before.trim().is_empty()) {
            let title = body.split_off(start);
            body.insert_str(parent.content, &title);
        }
    }

    fn void(&mut self, element: &Element, tag: &OpenTag<'_>) {
        match element.name {
            // These alone need no row, cell or item.
            "br" | "wbr"
                if self.open.last().is_some_and(|open| implied(open.written).is_some()) => {}
            "br" => self.renderer.raw("<br>"),
            "wbr" => self.renderer.raw("<wbr>"),
            "hr" if self.in_title() => self.breaks = true,
            "hr" => {
                if let Some(text) = self.open.iter().position(|open| open.role == Role::Text) {
                    self.close_to(text);
                }
                self.leave_line();
                self.open_implied();
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
        self.open_implied();
        self.begin_text();
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
            self.open_implied();
            self.renderer.link_card(url);
            return true;
        }
        if let Some(reference) = self.reference(&source)
            && let ContentRef::File { .. } = reference.target
        {
            self.has_content = true;
            self.close_links();
            if self.in_title() {
                return self.renderer.file_link(reference);
            }
            self.open_implied();
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

    /// Writes the attributes of an element. Returns the target of a link, as written in the source.
    fn attributes(
        &mut self,
        written: &str,
        element: &Element,
        tag: &OpenTag<'_>,
    ) -> Option<String> {
        let mut target = None;
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
        match written {
            "a" => {
                let raw = tag.text("href");
                if let Some(href) = raw.as_deref().and_then(|raw| self.link(raw)) {
                    target = raw;
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
                if written == "th" {
                    let scope = tag.text("scope").unwrap_or_default().to_ascii_lowercase();
                    let known = ["col", "row", "colgroup", "rowgroup"];
                    let own = known.into_iter().find(|known| *known == scope);
                    let scope = own.unwrap_or_else(|| self.implied_scope());
                    self.renderer.attribute("scope", scope);
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
        target
    }
}

fn is_count(text: &str, most: u32) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
        && text.parse().is_ok_and(|number: u32| (1..=most).contains(&number))
}
