//! Tags of HTML within a line that the dialect does not know: a few harmless ones are written anew,
//! the others leave their text.

use super::{Renderer, foreign, is_web, safe_url};
use crate::markdown::markup::{self, OpenTag, Token};

/// Elements by the names that authors use, with those that are written.
const ELEMENTS: [(&str, &str); 14] = [
    ("abbr", "abbr"),
    ("bdi", "bdi"),
    ("cite", "cite"),
    ("dfn", "dfn"),
    ("ins", "ins"),
    ("q", "q"),
    ("samp", "samp"),
    ("var", "var"),
    // Where only a line may stand, as in cells: what is a title there stands out.
    ("h1", "strong"),
    ("h2", "strong"),
    ("h3", "strong"),
    ("h4", "strong"),
    ("h5", "strong"),
    ("h6", "strong"),
];
/// So many may be open in a line.
const DEPTH_LIMIT: usize = 16;

/// The elements that tags of a line have opened: the name that closes each, and what is written.
#[derive(Default)]
pub(super) struct OpenTags(Vec<(&'static str, &'static str)>);

impl Renderer<'_> {
    /// What the source of a tag within a line becomes.
    pub(super) fn tag(&mut self, source: &str, open: &mut OpenTags) {
        for (token, _) in markup::tokens(source) {
            match token {
                Token::Open(tag) => self.open_tag(&tag, open),
                Token::Close(name) => {
                    let at = open.0.iter().rposition(|(known, _)| known.eq_ignore_ascii_case(name));
                    if let Some(at) = at {
                        self.close_tags(open, at);
                    }
                }
                Token::Text(_) | Token::Comment => {}
            }
        }
    }

    /// Closes what is open from this depth on.
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

    fn open_tag(&mut self, tag: &OpenTag<'_>, open: &mut OpenTags) {
        if foreign::is_frame(tag) {
            let source = tag.text("src");
            if let Some(url) = source.as_deref().and_then(safe_url).filter(|url| is_web(url)) {
                self.link_card(url);
            }
            return;
        }
        let known = ELEMENTS.iter().find(|(name, _)| tag.is(name));
        let Some((name, element)) = known.filter(|_| open.0.len() < DEPTH_LIMIT) else { return };
        self.raw("<");
        self.raw(element);
        if let (Some(title), "abbr" | "dfn") = (tag.text("title"), *element) {
            self.attribute("title", &title);
        }
        self.raw(">");
        open.0.push((name, element));
    }
}
