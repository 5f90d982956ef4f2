//! Reads the head of an HTML page of another host: its title and the tags that describe the page.
//!
//! The reader looks at tags only and never copies markup. The time is linear in the length of the
//! page: the content of scripts and styles is skipped to its end tag, whose absence is remembered,
//! and reading stops after a few tags without an end.

use crate::syntax::markup::{self, Token};
use crate::work;

/// Maximum number of `<meta>` and of `<link>` elements that are kept.
const MAX_ELEMENTS: usize = 200;
/// Maximum number of tags without an end, each of which is searched far ahead.
const MAX_BROKEN_TAGS: usize = 7;
/// Maximum length in bytes of a text that is kept.
const MAX_TEXT: usize = 4 << 10;
/// Elements whose content has no tags.
const RAW_TEXT: [&str; 6] = ["script", "style", "noscript", "template", "textarea", "svg"];

/// The parts of the head of a page that describe it, in the order of the page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// The text of the first `<title>`.
    pub title: Option<String>,
    /// The address that relative addresses refer to, from `<base>`.
    pub base: Option<String>,
    /// The names of `<meta>` elements in lower case (`property`, `name` or `itemprop`), with their
    /// content.
    pub meta: Vec<(String, String)>,
    /// The `<link>` elements with an address.
    pub links: Vec<HeadLink>,
}

/// A `<link>` element.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeadLink {
    /// The relations in lower case, separated by spaces.
    pub rel: String,
    /// The media type in lower case.
    pub media_type: String,
    /// The address as written.
    pub href: String,
}

impl Head {
    /// Reads a page up to the beginning of its body.
    #[must_use]
    pub fn read(page: &str) -> Self {
        let mut head = Self::default();
        let mut absent = Absent::default();
        let mut broken_tags = 0;
        let mut rest = page;
        while let Some(at) = memchr::memchr(b'<', rest.as_bytes()) {
            work::spend(at);
            rest = rest.get(at..).unwrap_or_default();
            if let Some(comment) = rest.strip_prefix("<!--") {
                rest = absent.after(comment, "-->").unwrap_or(comment);
                continue;
            }
            let Some((token, length)) = markup::tag_at(rest) else {
                rest = rest.get(1..).unwrap_or_default();
                broken_tags += usize::from(rest.starts_with(|c: char| c.is_ascii_alphabetic()));
                if broken_tags > MAX_BROKEN_TAGS {
                    break;
                }
                continue;
            };
            let after = rest.get(length..).unwrap_or_default();
            rest = after;
            let Token::Open(tag) = token else { continue };
            if tag.is("body") {
                break;
            } else if tag.is("title") {
                // Without an end tag, as in a page that was cut, the title is all of the rest.
                let end = absent.find(after, "</title").unwrap_or(after.len());
                let (text, after) = after.split_at_checked(end).unwrap_or((after, ""));
                head.title = head.title.or_else(|| kept(markup::unescape(start(text)).trim()));
                rest = after;
            } else if tag.is("meta") && head.meta.len() < MAX_ELEMENTS {
                let name = ["property", "name", "itemprop"].iter().find_map(|name| tag.text(name));
                let content = tag.text("content").and_then(|content| kept(content.trim()));
                head.meta.extend(name.map(|name| name.trim().to_ascii_lowercase()).zip(content));
            } else if tag.is("link") && head.links.len() < MAX_ELEMENTS {
                let lower = |name| tag.text(name).unwrap_or_default().trim().to_ascii_lowercase();
                let href = tag.text("href").and_then(|href| kept(href.trim()));
                head.links.extend(href.map(|href| HeadLink {
                    rel: lower("rel"),
                    media_type: lower("type"),
                    href,
                }));
            } else if tag.is("base") && head.base.is_none() {
                head.base = tag.text("href").and_then(|href| kept(href.trim()));
            } else if let Some(name) = RAW_TEXT.iter().find(|name| tag.is(name))
                && !tag.is_self_closing
            {
                rest = absent.after(after, &format!("</{name}")).unwrap_or_default();
            }
        }
        head
    }

    /// Returns the content of the first `<meta>` element with one of these names, in the order of
    /// the names.
    #[must_use]
    pub fn first(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| {
            self.meta.iter().find(|(known, _)| known == name).map(|(_, content)| content.as_str())
        })
    }

    /// Returns the address of the first link with this relation and, unless it is empty, this media
    /// type.
    #[must_use]
    pub fn link(&self, rel: &str, media_type: &str) -> Option<&str> {
        self.links
            .iter()
            .find(|link| {
                link.rel.split_ascii_whitespace().any(|one| one == rel)
                    && (media_type.is_empty() || link.media_type == media_type)
            })
            .map(|link| link.href.as_str())
    }
}

/// Returns the beginning of a text.
fn start(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or(text)
}

/// Returns the beginning of a text; `None` if the text is empty.
fn kept(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| start(text).to_owned())
}

/// End tags and delimiters that the rest of the page does not contain.
#[derive(Default)]
struct Absent(Vec<String>);

impl Absent {
    /// Returns the offset of `end`, ignoring the case of ASCII letters.
    fn find(&mut self, text: &str, end: &str) -> Option<usize> {
        if self.0.iter().any(|absent| absent == end) {
            return None;
        }
        let first = end.as_bytes().first().copied()?;
        let found = memchr::memchr_iter(first, text.as_bytes()).find(|at| {
            let found = text.as_bytes().get(*at..*at + end.len());
            found.is_some_and(|found| found.eq_ignore_ascii_case(end.as_bytes()))
        });
        work::spend(found.unwrap_or(text.len()));
        if found.is_none() {
            self.0.push(end.to_owned());
        }
        found
    }

    /// Returns the text after `end`.
    fn after<'s>(&mut self, text: &'s str, end: &str) -> Option<&'s str> {
        let at = self.find(text, end)?;
        text.get(at + end.len()..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_page_is_read() {
        let head = Head::read(
            "<!doctype html><HTML><head><!-- <title>no</title> --><script>'<title>no</title>'\
             </script><TITLE>\n A &amp; <b>B</b> </TITLE><base href='/x/'>\
             <meta property='OG:Title' content=\"T &#x53;\"><meta name=empty content=''>\
             <meta content=c itemprop=image><link REL=\"Alternate other\" \
             type=Application/JSON+oembed href=/o?a=1&amp;b=2><link rel=icon>\
             </head><body><title>no</title><meta name=late content=x>",
        );
        assert_eq!(head.title.as_deref(), Some("A & <b>B</b>"));
        assert_eq!(head.base.as_deref(), Some("/x/"));
        assert_eq!(head.first(&["twitter:title", "og:title"]), Some("T S"));
        assert_eq!(head.first(&["image"]), Some("c"));
        assert_eq!(head.first(&["late", "empty"]), None);
        assert_eq!(head.link("alternate", "application/json+oembed"), Some("/o?a=1&b=2"));
        assert_eq!(head.link("icon", ""), None);
        assert_eq!(head.links.len(), 1);
    }

    #[test]
    fn broken_pages_have_no_head() {
        for page in ["", "<", "<title", "<meta content=", "<link href='", "<!-- <title>"] {
            assert_eq!(Head::read(page), Head::default(), "{page}");
        }
    }

    #[test]
    fn hostile_pages_cost_linear_time_and_bounded_memory() {
        const LENGTH: usize = 512 << 10;
        for part in [
            "<title>",
            "<script>",
            "<style><!--",
            "<!--",
            "<meta name=a content=b>",
            "<a '",
            "<a \"",
            "<meta content=\"",
            "</title",
            "<svg/>",
            "<link rel=a href=b>",
            "<b>",
            "&lt;",
            "<meta a ",
        ] {
            let page = part.repeat(LENGTH / part.len());
            let mut head = Head::default();
            let work = work::measure(|| head = Head::read(&page));
            assert!(work < 10 * LENGTH as u64, "{part}: {work}");
            assert!(head.meta.len() <= MAX_ELEMENTS && head.links.len() <= MAX_ELEMENTS, "{part}");
        }
        assert_eq!(Head::read("<title>a").title.as_deref(), Some("a"));
        let title = format!("<title>{}</title>", "é".repeat(1 << 20));
        assert!(Head::read(&title).title.unwrap().len() <= MAX_TEXT);
        let attributes: String = (0..100_000).map(|number| format!(" a{number}=b")).collect();
        let head = Head::read(&format!("<meta{attributes} name=x content=y><title>t</title>"));
        assert_eq!(head.first(&["x"]), None, "a tag has a maximum length");
    }
}
