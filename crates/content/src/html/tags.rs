//! Rendering of inline HTML tags that the dialect does not define. Harmless ones are written anew;
//! of the others only the text is kept.

use super::ids::is_usable;
use super::{Renderer, safe_web_url};
use crate::document::Color;
use crate::reference::ContentRef;
use crate::syntax::markup::{self, OpenTag, Token};

/// The allowed elements: the name in the source, the name written, and a class.
const ELEMENTS: [(&str, &str, &str); 27] = [
    ("abbr", "abbr", ""),
    ("acronym", "abbr", ""),
    ("bdi", "bdi", ""),
    ("bdo", "bdo", ""),
    ("big", "span", "big"),
    ("center", "span", "center"),
    ("cite", "cite", ""),
    ("dfn", "dfn", ""),
    ("font", "span", ""),
    ("ins", "ins", ""),
    ("pre", "code", ""),
    ("q", "q", ""),
    ("rp", "rp", ""),
    ("rt", "rt", ""),
    ("ruby", "ruby", ""),
    ("samp", "samp", ""),
    ("small", "small", ""),
    ("time", "time", ""),
    ("tt", "code", ""),
    ("u", "u", ""),
    ("var", "var", ""),
    // Headings where only a line is permitted, such as in cells, become strong text.
    ("h1", "strong", ""),
    ("h2", "strong", ""),
    ("h3", "strong", ""),
    ("h4", "strong", ""),
    ("h5", "strong", ""),
    ("h6", "strong", ""),
];
/// Maximum number of open elements in a line.
const DEPTH_LIMIT: usize = 16;

/// The elements opened by tags in a line: the name in the source and the name written.
#[derive(Default)]
pub(super) struct OpenTags(Vec<(&'static str, &'static str)>);

impl Renderer<'_> {
    /// Renders a source that consists of inline tags.
    pub(super) fn tag(&mut self, source: &str, open: &mut OpenTags) {
        // The open frame whose content is skipped, and `true` if the frame is shown.
        let mut frame: Option<(&str, bool)> = None;
        let mut ends: Option<LastEndTags> = None;
        for (token, span) in markup::tokens(source) {
            match (token, &mut frame) {
                (Token::Close(name), Some((open, _))) if open.eq_ignore_ascii_case(name) => {
                    frame = None;
                }
                (Token::Open(tag), Some((_, is_shown @ false))) if tag.is("source") => {
                    *is_shown = self.inline_frame(&tag);
                }
                (_, Some(_)) => {}
                (Token::Open(tag), None) if tag.is_frame() => {
                    let is_shown = self.inline_frame(&tag);
                    let ends = ends.get_or_insert_with(|| LastEndTags::of(source));
                    if tag.has_fallback() && ends.after(tag.name) > span.end {
                        frame = Some((tag.name, is_shown));
                    }
                }
                (Token::Open(tag), None) => self.open_tag(&tag, open),
                (Token::Close(name), None) => {
                    let at = open.0.iter().rposition(|(known, _)| known.eq_ignore_ascii_case(name));
                    if let Some(at) = at {
                        self.close_tags(open, at);
                    }
                }
                (Token::Text(_) | Token::Comment, None) => {}
            }
        }
    }

    /// Closes all elements from the depth `depth` on.
    pub(super) fn close_tags(&mut self, open: &mut OpenTags, depth: usize) {
        while open.0.len() > depth {
            let Some((_, element)) = open.0.pop() else { return };
            self.raw("</");
            self.raw(element);
            self.raw(">");
        }
    }

    pub(super) fn close_all_tags(&mut self, mut open: OpenTags) {
        self.close_tags(&mut open, 0);
    }

    /// Writes a link to the target of a frame. Returns `true` if it has one.
    fn inline_frame(&mut self, tag: &OpenTag<'_>) -> bool {
        let Some(source) = tag.text("src") else { return false };
        // Links cannot be nested.
        if self.in_link {
            return true;
        }
        if let Some(url) = safe_web_url(&source) {
            self.link_card(url);
            return true;
        }
        match self.frame_reference(&source) {
            Some(reference) if matches!(reference.target, ContentRef::File { .. }) => {
                self.file_link(&reference);
                true
            }
            _ => false,
        }
    }

    fn open_tag(&mut self, tag: &OpenTag<'_>, open: &mut OpenTags) {
        if tag.is("wbr") {
            return self.raw("<wbr>");
        }
        // A link without a target marks a position that links can point to.
        if let Some(id) = anchor_id(tag)
            && self.reserve_id(&id)
        {
            self.write_anchor(&id);
        }
        // Readings are valid only beside the text that they explain.
        let is_reading = tag.is("rt") || tag.is("rp");
        if is_reading && !open.0.iter().any(|(name, _)| *name == "ruby") {
            return;
        }
        let known = ELEMENTS.iter().find(|(name, ..)| tag.is(name));
        let Some((name, element, class)) = known.filter(|_| open.0.len() < DEPTH_LIMIT) else {
            return;
        };
        self.raw("<");
        self.raw(element);
        if !class.is_empty() {
            self.attribute("class", class);
        }
        match *element {
            "abbr" | "dfn" => {
                if let Some(title) = tag.text("title") {
                    self.attribute("title", &title);
                }
            }
            "bdo" => match tag.text("dir").as_deref() {
                Some("rtl") => self.attribute("dir", "rtl"),
                _ => self.attribute("dir", "ltr"),
            },
            "time" => {
                if let Some(moment) = tag.text("datetime").filter(|moment| is_date_time(moment)) {
                    self.attribute("datetime", &moment);
                }
            }
            "span" if tag.is("font") => {
                let color = tag.text("color").map(|color| Color::from_css(&color).nearest());
                if let Some(color) = color.filter(|color| *color != Color::Default) {
                    let name = color.name().trim_start_matches('$');
                    self.attribute("class", &format!("color-{name}"));
                }
            }
            _ => {}
        }
        self.raw(">");
        open.0.push((name, element));
    }
}

/// The offsets of the last end tags of frames, so that a frame without an end tag does not swallow
/// the following text.
pub(super) struct LastEndTags([(&'static str, usize); 3]);

impl LastEndTags {
    pub(super) fn of(source: &str) -> Self {
        let mut ends = [("iframe", 0), ("video", 0), ("audio", 0)];
        for (token, span) in markup::tokens(source) {
            if let Token::Close(name) = token
                && let Some(end) = ends.iter_mut().find(|end| end.0.eq_ignore_ascii_case(name))
            {
                end.1 = span.end;
            }
        }
        Self(ends)
    }

    /// Returns the offset after the last end tag with this name, or 0.
    pub(super) fn after(&self, name: &str) -> usize {
        let found = self.0.iter().find(|end| end.0.eq_ignore_ascii_case(name));
        found.map_or(0, |(_, end)| *end)
    }
}

/// Returns `true` if a text can be a date, a time or both.
fn is_date_time(text: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_digit() || b"-:.+TZPWYMDHS ".contains(&byte);
    text.len() <= 40 && text.bytes().all(known) && text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Returns the id of an element to which links can point.
pub(super) fn anchor_id(tag: &OpenTag<'_>) -> Option<String> {
    let id = tag.text("id").or_else(|| tag.text("name").filter(|_| tag.is("a")))?;
    let is_known = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '+');
    (id.len() <= 256 && is_usable(&id) && id.chars().all(is_known)).then_some(id)
}
