//! HTML: tokens with their locations, attributes and entities.

use std::borrow::Cow;

pub(crate) use super::names::{
    has_graphics, is_html_name, is_known, is_known_name, is_structure_name,
};
use crate::source::Span;
use crate::work;

/// Maximum length of a tag in bytes, which an image with its data can have. Longer tags are text,
/// which bounds the cost of unclosed tags.
const MAX_TAG_BYTES: usize = 512 * 1024;

/// A token of HTML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'s> {
    /// `<name …>`.
    Open(OpenTag<'s>),
    /// `</name>`.
    Close(&'s str),
    /// Text, with entities not yet decoded.
    Text(&'s str),
    /// A comment, declaration or processing instruction.
    Comment,
}

/// An opening tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OpenTag<'s> {
    /// The name as written.
    pub(crate) name: &'s str,
    attributes: &'s str,
    /// `true` if the tag ends in `/>`.
    pub(crate) is_self_closing: bool,
}

impl<'s> OpenTag<'s> {
    /// Returns `true` if the tag has this name.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Returns the value of an attribute with entities decoded. An attribute without a value is
    /// empty.
    pub(crate) fn attribute(&self, name: &str) -> Option<Cow<'s, str>> {
        attributes(self.attributes)
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| unescape(value))
    }

    /// Returns the value of an attribute if it is not empty.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.attribute(name).filter(|value| !value.is_empty()).map(Cow::into_owned)
    }

    /// Returns `true` if the tag has an attribute, with or without a value.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    /// Returns the value of a boolean attribute: any value except `false` is true.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.attribute(name).map(|value| value != "false")
    }

    /// Returns `true` if the tag has no attributes.
    pub(crate) fn is_bare(&self) -> bool {
        self.attributes.trim().is_empty()
    }

    /// Returns `true` if an attribute has a value.
    pub(super) fn has_values(&self) -> bool {
        self.attributes.contains('=')
    }

    /// Returns `true` if the tag has this class.
    pub(crate) fn has_class(&self, class: &str) -> bool {
        self.attribute("class").is_some_and(|all| all.split_whitespace().any(|one| one == class))
    }

    /// Returns `true` if the element embeds external content.
    pub(crate) fn is_frame(&self) -> bool {
        ["iframe", "video", "audio", "embed"].iter().any(|name| self.is(name))
    }

    /// Returns `true` if the element may contain fallback content for browsers that cannot show it.
    pub(crate) fn has_fallback(&self) -> bool {
        self.is_frame() && !self.is("embed") && !self.is_self_closing
    }

    /// Returns `true` if the element never has content.
    pub(crate) fn is_void(&self) -> bool {
        const VOID: [&str; 8] = ["br", "img", "hr", "source", "input", "col", "wbr", "meta"];
        self.is_self_closing || VOID.iter().any(|name| self.is(name))
    }
}

/// Decodes entities.
pub(crate) fn unescape(text: &str) -> Cow<'_, str> {
    if text.contains('&') { htmlize::unescape(text) } else { Cow::Borrowed(text) }
}

/// Escapes text for use in content and in double-quoted attributes.
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

/// Returns the tokens of HTML, each with its location in `text`. A tag with an unknown name is
/// text.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = (Token<'_>, Span)> {
    let mut at = 0;
    let mut absent = AbsentDelimiters::default();
    let mut has_graphics = None;
    let mut is_text = move |token: &Token<'_>| {
        let mut graphics = || *has_graphics.get_or_insert_with(|| self::has_graphics(text));
        match token {
            Token::Open(tag) => !is_html_name(tag.name) && !is_known(tag, graphics()),
            // The end of an element whose start may be in another part of the text.
            Token::Close(name) => !is_known_name(name, true),
            Token::Text(_) | Token::Comment => false,
        }
    };
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let (token, length) = match token(rest, &mut absent) {
            Some((token, length)) if is_text(&token) => {
                (Token::Text(rest.get(..length).unwrap_or_default()), length)
            }
            Some(found) => found,
            None => {
                let skip = usize::from(rest.starts_with('<'));
                let next = rest.get(skip..).unwrap_or_default().find('<').map(|at| at + skip);
                let length = next.unwrap_or(rest.len());
                (Token::Text(rest.get(..length).unwrap_or_default()), length)
            }
        };
        work::spend(length);
        let span = Span::new(at, at + length);
        at += length;
        Some((token, span))
    })
}

/// Delimiters that are known to be absent from the rest of the text, so that they are not searched
/// again.
#[derive(Default)]
struct AbsentDelimiters {
    comment: bool,
    instruction: bool,
}

/// Returns the length of `text` through `end`, or `None` if `end` is absent.
fn length_to(text: &str, end: &str, is_absent: &mut bool) -> Option<usize> {
    if *is_absent {
        return None;
    }
    let found = text.find(end);
    *is_absent = found.is_none();
    work::spend(found.unwrap_or(text.len()));
    found.map(|at| at + end.len())
}

/// Returns the tag or comment at the start of `text`, with its length.
fn token<'s>(text: &'s str, absent: &mut AbsentDelimiters) -> Option<(Token<'s>, usize)> {
    let after = text.strip_prefix('<')?;
    if let Some(comment) = after.strip_prefix("!--") {
        let shortest = [">", "->"].into_iter().find(|end| comment.starts_with(end));
        let length = match shortest {
            Some(end) => Some(end.len()),
            None => length_to(comment, "-->", &mut absent.comment),
        };
        return length.map(|length| (Token::Comment, length + 4));
    }
    if let Some(instruction) = after.strip_prefix('?')
        && let Some(length) = length_to(instruction, "?>", &mut absent.instruction)
    {
        return Some((Token::Comment, length + 2));
    }
    if let Some(name) = after.strip_prefix('/') {
        let length = name_length(name);
        let name_end = name.get(length..)?;
        let close = name_end.len() - name_end.trim_start().len();
        if length == 0 || name_end.as_bytes().get(close) != Some(&b'>') {
            return None;
        }
        return Some((Token::Close(name.get(..length)?), 2 + length + close + 1));
    }
    if after.starts_with(['!', '?']) {
        let end = after.get(..after.len().min(256)).unwrap_or_default().find('>')?;
        return Some((Token::Comment, end + 2));
    }
    let length = name_length(after);
    let rest = after.get(length..)?;
    if length == 0 || !rest.starts_with(|c: char| c.is_whitespace() || c == '>' || c == '/') {
        return None;
    }
    let end = tag_end(rest);
    work::spend(end.unwrap_or(rest.len().min(MAX_TAG_BYTES)));
    let end = end?;
    let attributes = rest.get(..end)?;
    let is_self_closing = attributes.ends_with('/');
    let attributes = attributes.strip_suffix('/').unwrap_or(attributes);
    let tag = OpenTag { name: after.get(..length)?, attributes, is_self_closing };
    Some((Token::Open(tag), 1 + length + end + 1))
}

/// Returns the tag at the start of a text, with its length.
pub(crate) fn tag_at(text: &str) -> Option<(Token<'_>, usize)> {
    let (token, length) = token(text, &mut AbsentDelimiters::default())?;
    matches!(token, Token::Open(_) | Token::Close(_)).then_some((token, length))
}

/// Returns the name of a tag at the start of a text; empty if there is none.
pub(crate) fn name(text: &str) -> &str {
    text.get(..name_length(text)).unwrap_or_default()
}

fn name_length(text: &str) -> usize {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return 0;
    }
    text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'-').count()
}

/// Returns the offset of the `>` that ends a tag. Skips quoted values.
fn tag_end(rest: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in rest.bytes().enumerate().take(MAX_TAG_BYTES) {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'<') => return None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
    }
    None
}

/// Returns the attributes of a tag, with values as written.
fn attributes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len());
        let end = if end == 0 { 1 } else { end };
        let (name, after) = rest.split_at_checked(end)?;
        let Some(value) = after.trim_start().strip_prefix('=').map(str::trim_start) else {
            rest = after;
            return Some((name, ""));
        };
        let (value, after) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let body = value.get(1..)?;
                body.split_once(quote).unwrap_or((body, ""))
            }
            _ => {
                let end = value.find(char::is_whitespace).unwrap_or(value.len());
                value.split_at_checked(end)?
            }
        };
        rest = after;
        Some((name, value))
    })
}

/// Returns the value of a property of a `style` attribute.
pub(crate) fn style_property<'s>(style: &'s str, name: &str) -> Option<&'s str> {
    style.split(';').find_map(|declaration| {
        let (found, value) = declaration.split_once(':')?;
        found.trim().eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

/// Elements whose content is not text for readers.
const UNREADABLE: [&str; 17] = [
    "script", "style", "template", "head", "title", "textarea", "select", "svg", "math", "canvas",
    "xmp", "noembed", "noframes", "object", "video", "audio", "iframe",
];

/// Returns `true` if the content of an element is not text for readers.
pub(crate) fn is_unreadable(tag: &OpenTag<'_>) -> bool {
    UNREADABLE.iter().any(|name| tag.is(name))
}

/// Returns the text of HTML and of lines with block tags for readers. Omits tags, comments and the
/// content of scripts and styles, and decodes entities.
pub(crate) fn readable_text(source: &str) -> String {
    let mut text = String::new();
    let mut skipping: Option<&str> = None;
    for (token, _) in tokens(source) {
        match token {
            Token::Open(tag) if skipping.is_none() && is_unreadable(&tag) => {
                skipping = (!tag.is_self_closing).then_some(tag.name);
            }
            Token::Close(name) if skipping.is_some_and(|open| open.eq_ignore_ascii_case(name)) => {
                skipping = None;
            }
            _ if skipping.is_some() => {}
            Token::Open(tag) if tag.is("img") => {
                text.push_str(&tag.text("alt").unwrap_or_default())
            }
            Token::Open(tag) if breaks_line(tag.name) => text.push('\n'),
            Token::Close(name) if breaks_line(name) => text.push('\n'),
            Token::Text(part) => push_without_block_tags(&unescape(part), &mut text),
            Token::Open(_) | Token::Close(_) | Token::Comment => {}
        }
    }
    text
}

fn breaks_line(name: &str) -> bool {
    const NAMES: [&str; 30] = [
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "caption",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "figcaption",
        "figure",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "ul",
    ];
    const CELLS: [&str; 4] = ["table", "td", "th", "tr"];
    NAMES.iter().chain(&CELLS).any(|known| known.eq_ignore_ascii_case(name))
}

/// Removes the block tags from a text. Keeps those in code and after a tag `raw`, which are text.
pub(crate) fn without_block_tags(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    push_without_block_tags(text, &mut kept);
    kept
}

fn push_without_block_tags(text: &str, to: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['`', '{']) {
        let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        to.push_str(before);
        let (kept, next) = match after.strip_prefix("{%").and_then(|tag| tag.split_once("%}")) {
            Some((tag, after)) if tag.trim_matches(['-', ' ', '\t']) == "raw" => {
                after.split_at_checked(raw_length(after)).unwrap_or((after, ""))
            }
            Some((_, after)) => ("", after),
            None if after.starts_with("{%") => (after, ""),
            None => after.split_at_checked(code_length(after)).unwrap_or((after, "")),
        };
        to.push_str(kept);
        rest = next;
    }
    to.push_str(rest);
}

/// Returns the length of the text before the next tag `endraw`, or of the whole text.
fn raw_length(text: &str) -> usize {
    let ends = text.match_indices("{%").find(|(at, _)| {
        let tag = text.get(at + 2..).unwrap_or_default().trim_start_matches(['-', ' ', '\t']);
        let after = tag.strip_prefix("endraw").map(|after| after.trim_start_matches([' ', '\t']));
        after.is_some_and(|after| after.starts_with("%}") || after.starts_with("-%}"))
    });
    ends.map_or(text.len(), |(at, _)| at)
}

/// Returns the length of the code span at the start of `text`, otherwise that of its run of
/// backticks, otherwise 1.
fn code_length(text: &str) -> usize {
    /// Maximum distance to the end of a span, which bounds the cost of a text of backticks.
    const WINDOW: usize = 1024;
    let bytes = text.as_bytes();
    let bytes = bytes.get(..WINDOW.min(bytes.len())).unwrap_or_default();
    let run = |from: usize| bytes.iter().skip(from).take_while(|byte| **byte == b'`').count();
    let length = run(0);
    let mut at = length;
    while length > 0 && at < bytes.len() {
        let found = run(at);
        work::spend(found.max(1));
        if found == length {
            return at + length;
        }
        at += found.max(1);
    }
    length.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_tokenised() {
        let source = "a<b c=\"d>\" e>f &amp; g</b ><br/><!-- x --> < h <3";
        let kinds: Vec<String> = tokens(source)
            .map(|(token, span)| match token {
                Token::Open(tag) => {
                    format!("<{}{}", tag.name, if tag.is_void() { "/" } else { "" })
                }
                Token::Close(name) => format!("/{name}"),
                Token::Text(_) => format!("'{}", span.of(source)),
                Token::Comment => "!".to_owned(),
            })
            .collect();
        assert_eq!(kinds, ["'a", "<b", "'f &amp; g", "/b", "<br/", "!", "' ", "'< h ", "'<3"]);
    }

    #[test]
    fn attributes_are_read() {
        let (token, _) = tokens("<a href='x&amp;y' data-mention class=\"b c\" width=5>")
            .next()
            .expect("a token");
        let Token::Open(tag) = token else { panic!("no tag") };
        assert_eq!(tag.attribute("HREF").as_deref(), Some("x&y"));
        assert!(tag.has("data-mention") && tag.has_class("c") && !tag.has_class("b c"));
        assert_eq!(tag.text("width").as_deref(), Some("5"));
        assert_eq!(
            style_property("color:red; background-color : blue", "background-color"),
            Some("blue")
        );
    }

    #[test]
    fn readable_text_has_no_tags_and_no_scripts() {
        for (source, expected) in [
            ("<p>a &lt;b&gt;</p><script>alert(1)</script>c", "\na <b>\nc"),
            ("{% filename %}a.py{% endfilename %}", "a.py"),
            ("{% a %}b `{% c %}` ``{% d %}`` {% e", "b `{% c %}` ``{% d %}`` {% e"),
            ("{%- raw -%}{% c %}{% endraw %}{% d %} {e", "{% c %} {e"),
            ("` {% a %}b", "` b"),
            ("<!-- x -->", ""),
            ("<style>a{}</style>", ""),
        ] {
            assert_eq!(readable_text(source), expected, "{source}");
        }
    }
}
