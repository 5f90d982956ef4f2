//! Splits a page's source into front matter, title and body.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::anchor_index::html_ids;
use crate::document::{Document, Identity};
use crate::front_matter::{self, FrontMatter, line_end};
use crate::reference::ParseContext;
use crate::source::{Span, Warning, lines};
use crate::{markdown, slug, title_words};

/// Maximum number of lines of an underlined title, which bounds the text that is parsed to find it.
const MAX_TITLE_LINES: usize = 16;

/// Maximum number of ids in the HTML of a title that links find.
const MAX_TITLE_IDS: usize = 16;

/// Locations of the parts of a page's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The front matter, including its `---` lines.
    pub front_matter: Option<Span>,
    /// The YAML between the `---` lines of the front matter.
    pub yaml: Option<Span>,
    /// The page's title: a first-level heading that precedes all other content except comments.
    /// `None` if that heading belongs to the body.
    pub title: Option<Title>,
    /// Everything after the title, or after the front matter if the page has no title.
    pub body: Span,
}

/// The heading that is a page's title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title {
    /// The heading's text without markup. May be empty.
    pub text: String,
    /// The heading's lines, including their line endings.
    pub span: Span,
    /// `true` if the heading contains an image.
    has_image: bool,
}

impl Title {
    /// Returns `true` if a page with this `title` needs the heading in its body: if the title does
    /// not say every word of it, apart from letter case, punctuation, emoji and numbering.
    ///
    /// A heading that is only an image is needed, too.
    #[must_use]
    pub fn differs_from(&self, title: &str) -> bool {
        !title_words::says(title, &self.text) || self.has_image && self.text.is_empty()
    }

    /// Returns the anchors under which links find the heading: the one of its text, and the ids in
    /// its HTML. `source` must be the page's source.
    ///
    /// For example, `# Set up <a id="kept"></a>` has `set-up` and `kept`.
    fn anchors(&self, source: &str) -> Vec<String> {
        let ids = html_ids(self.span.of(source)).map(str::to_owned);
        let mut anchors = vec![slug::anchor(&self.text)];
        for id in ids.take(MAX_TITLE_IDS) {
            if !anchors.contains(&id) {
                anchors.push(id);
            }
        }
        anchors.retain(|anchor| !anchor.is_empty());
        anchors
    }
}

impl Page {
    /// Splits a page's source into its parts.
    #[must_use]
    pub fn split(source: &str) -> Self {
        Self::split_parts(source, true)
    }

    /// Splits a page's source like [`split`](Self::split), except that the body begins at the front
    /// matter's end if `identity` says that the first heading belongs to it.
    #[must_use]
    pub fn split_as(source: &str, identity: &Identity) -> Self {
        Self::split_parts(source, !identity.has_heading())
    }

    fn split_parts(source: &str, has_title: bool) -> Self {
        let fences = front_matter::locate(source);
        let start = match fences {
            Some((whole, _)) => whole.end,
            None if source.starts_with('\u{FEFF}') => '\u{FEFF}'.len_utf8(),
            None => 0,
        };
        let title = if has_title { find_title(source, start) } else { None };
        Self {
            front_matter: fences.map(|(whole, _)| whole),
            yaml: fences.map(|(_, yaml)| yaml),
            body: Span::new(title.as_ref().map_or(start, |title| title.span.end), source.len()),
            title,
        }
    }

    /// Parses `body`, the page's text or the start of it. Links find the title in the document, too.
    ///
    /// `source` must be the source that `self` was split from.
    #[must_use]
    pub fn parse(
        &self,
        source: &str,
        body: &str,
        context: &ParseContext<'_>,
        identity: &Identity,
    ) -> Document {
        let title_anchors = self.title.as_ref().map(|title| title.anchors(source));
        Document {
            title_anchors: title_anchors.unwrap_or_default(),
            ..markdown::parse_as(body, context, identity)
        }
    }

    /// Parses the page's front matter into metadata and warnings.
    ///
    /// `source` must be the source that `self` was split from. Returns empty metadata for a page
    /// without front matter.
    #[must_use]
    pub fn metadata(&self, source: &str) -> (FrontMatter, Vec<Warning>) {
        self.yaml.map(|yaml| front_matter::parse(yaml.of(source))).unwrap_or_default()
    }
}

/// Replaces the text of the page's title heading and returns the new source.
///
/// Keeps a leading emoji, the heading's style (ATX or setext) and a trailing anchor: `# 🎉 Old <a
/// href="#x" id="x"></a>` with the title `New` becomes `# 🎉 New <a href="#x" id="x"></a>`. A setext
/// heading becomes an ATX heading if the new text cannot be one. A source without a title heading
/// is returned unchanged, as is one whose first heading belongs to the body.
#[must_use]
pub fn set_title(source: &str, identity: &Identity, title: &str) -> String {
    let Some(old) = Page::split_as(source, identity).title else {
        return source.to_owned();
    };
    let one_line = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let emoji = match crate::emoji::split_leading(&old.text) {
        Some((_, rest)) if !rest.is_empty() => {
            old.text.get(..old.text.len() - rest.len()).unwrap_or_default()
        }
        _ => "",
    };
    let new_text = format!("{emoji}{one_line}");
    if new_text == old.text {
        return source.to_owned();
    }
    let heading = old.span.of(source);
    let first = heading.split(['\n', '\r']).next().unwrap_or_default();
    let is_atx = is_atx_title(first.trim_start_matches(' '));
    let (old_lines, rest) = heading.split_at(end_of_text(heading, is_atx));
    let old_lines = old_lines.trim_start_matches(' ');
    let anchor = old_lines.rfind("<a ").and_then(|at| old_lines.get(at..));
    let anchor = anchor.map(str::trim_end).filter(|anchor| anchor.ends_with("></a>"));
    let mut text = escape_heading(&new_text);
    if let Some(anchor) = anchor {
        text = format!("{text} {anchor}");
    }
    let replace_heading = |heading: String| {
        let mut written = source.to_owned();
        written.replace_range(old.span.start..old.span.end, &heading);
        written
    };
    if is_atx {
        let marks = old_lines.trim_start_matches('#').trim_start_matches([' ', '\t']);
        let marks = old_lines.len() - marks.len();
        let marks = old_lines.get(..marks).unwrap_or_default();
        let gap = if marks.len() == 1 { " " } else { "" };
        return replace_heading(format!("{marks}{gap}{text}{rest}"));
    }
    let written = replace_heading(format!("{text}{rest}"));
    if Page::split(&written).title.is_some_and(|title| title.text == new_text) {
        return written;
    }
    let end = line_end(rest, 0);
    let underline = rest.get(end..).unwrap_or_default();
    let end = underline.find(['\n', '\r']).and_then(|end| underline.get(end..));
    replace_heading(format!("# {text}{}", end.unwrap_or_default()))
}

/// Returns the offset of the line ending after the text of a heading.
fn end_of_text(heading: &str, is_atx: bool) -> usize {
    if is_atx {
        return heading.find(['\n', '\r']).unwrap_or(heading.len());
    }
    let all: Vec<_> = lines(heading).collect();
    let last = all.iter().rev().find(|(_, line)| !is_setext_underline(line));
    last.map_or(0, |(span, _)| span.end)
}

/// Escapes text for use in a heading.
fn escape_heading(text: &str) -> String {
    let has_entities = crate::syntax::markup::unescape(text) != text;
    let mut written = String::with_capacity(text.len() + 8);
    let last = text.len().saturating_sub(1);
    for (at, c) in text.char_indices() {
        let escapes = match c {
            '\\' | '`' | '*' | '_' | '[' | '<' | '~' => true,
            '&' => has_entities,
            '{' => text.get(at..).is_some_and(|rest| rest.starts_with("{%")),
            '#' => at == last,
            _ => false,
        };
        if escapes {
            written.push('\\');
        }
        written.push(c);
    }
    written
}

fn find_title(source: &str, start: usize) -> Option<Title> {
    let start = start + comments_length(source.get(start..)?);
    let text = source.get(start..)?;
    let mut rest = lines(text).skip_while(|(_, line)| line.trim().is_empty());
    let (first, line) = rest.next()?;
    let indent = line.len() - line.trim_start_matches(' ').len();
    if indent > 3 {
        return None;
    }
    let content = line.trim_start_matches(' ');
    let end = if is_atx_title(content) {
        first.end
    } else if content.starts_with(['#', '>', '`', '~', '|', '{']) {
        return None;
    } else {
        let within = rest.take(MAX_TITLE_LINES).take_while(|(_, line)| !line.trim().is_empty());
        let end = within.into_iter().find(|(_, line)| is_setext_underline(line))?.0.end;
        let heading = Span::new(first.start, end).of(text);
        markdown::is_underlined_title(heading).then_some(end)?
    };
    let span = Span::new(first.start, line_end(text, end)).shifted(start);
    let heading = span.of(source);
    let has_image = events(heading)
        .any(|(event, _)| matches!(event, Event::Start(Tag::Image { .. })))
        || heading.contains("<img");
    Some(Title { text: plain_text(heading), span, has_image })
}

/// Returns the length of the comments at the start of a text and of the blank lines before them. A
/// comment that other text follows on its line is not one of them.
fn comments_length(text: &str) -> usize {
    const COMMENT: &str = "<!--";
    let mut length = 0;
    loop {
        let rest = text.get(length..).unwrap_or_default();
        let comment = rest.trim_start_matches(['\n', '\r', ' ']);
        let indent = rest.len() - comment.len();
        let line = rest.get(..indent).unwrap_or_default();
        let is_indented = line.rsplit(['\n', '\r']).next().is_some_and(|line| line.len() > 3);
        let after = comment.strip_prefix(COMMENT).filter(|_| !is_indented);
        let Some(end) = after.and_then(|after| Some(COMMENT.len() + after.find("-->")? + 3)) else {
            return length;
        };
        let after = comment.get(end..).unwrap_or_default();
        let line = after.split(['\n', '\r']).next().unwrap_or_default();
        if !line.trim().is_empty() {
            return length;
        }
        length += indent + end + line.len();
    }
}

fn is_atx_title(line: &str) -> bool {
    line.strip_prefix('#').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

fn is_setext_underline(line: &str) -> bool {
    let line = line.trim_start_matches(' ').trim_end();
    !line.is_empty() && line.bytes().all(|b| b == b'=')
}

fn events(markdown: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    Parser::new_ext(markdown, Options::ENABLE_STRIKETHROUGH).into_offset_iter()
}

/// Returns the text of Markdown without markup, on one line.
#[must_use]
pub fn plain_text(source: &str) -> String {
    let seen = markdown::adapted(source);
    let mut text = String::with_capacity(source.len());
    for (event, range) in events(&seen) {
        match event {
            Event::Text(part) => text.push_str(markdown::original(source, &seen, range, &part)),
            Event::Code(part) => text.push_str(&part),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            Event::End(TagEnd::Paragraph | TagEnd::Item) => text.push(' '),
            _ => {}
        }
    }
    text.truncate(text.trim_end().len());
    let leading = text.len() - text.trim_start().len();
    text.drain(..leading);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnchorIndex;
    use crate::reference::NoLookup;

    #[test]
    fn a_leading_first_level_heading_is_the_title() {
        for (source, title, body) in [
            ("# T\n\nb", Some("T"), "\nb"),
            ("\u{FEFF}# T\nb", Some("T"), "b"),
            ("---\ndescription: x\n---\n\n# T\r\nb", Some("T"), "b"),
            ("T\n===\nb", Some("T"), "b"),
            ("# T\n\n# U", Some("T"), "\n# U"),
            ("# List<String> of `<b>`\n", Some("List<String> of <b>"), ""),
            ("# **标题：**文字\n", Some("标题：文字"), ""),
            ("# **A** `b` \\_c <a href=\"#x\" id=\"x\"></a>\n", Some("A b _c"), ""),
            ("#\nb", Some(""), "b"),
            ("#x\nb", None, "#x\nb"),
            ("## T\nb", None, "## T\nb"),
            ("b\n\n# T", None, "b\n\n# T"),
            ("    # T\n", None, "    # T\n"),
            ("- a\n===\n", None, "- a\n===\n"),
            ("*T* U\n===\nb", Some("T U"), "b"),
            ("__T__\n===\n\nb", Some("T"), "\nb"),
            ("`T`\n---\nb", None, "`T`\n---\nb"),
            ("T\nU\n=\nb", Some("T U"), "b"),
            ("T\n\nU\n===\n", None, "T\n\nU\n===\n"),
            ("* T\n===\nb", None, "* T\n===\nb"),
            ("<!-- c -->\n# T\nb", Some("T"), "b"),
            ("\n<!-- c\n\nd -->\n<!-- e -->\n\n*T*\n===\nb", Some("T"), "b"),
            ("<!-- c --> # T\nb", None, "<!-- c --> # T\nb"),
            ("<!-- c\n# T\nb", None, "<!-- c\n# T\nb"),
            ("    <!-- c -->\n# T\nb", None, "    <!-- c -->\n# T\nb"),
            ("{% if a %}\n===\n", None, "{% if a %}\n===\n"),
            ("", None, ""),
            (" \n\n", None, " \n\n"),
            ("---\na: b\n---\n", None, ""),
        ] {
            let page = Page::split(source);
            assert_eq!(page.title.map(|title| title.text).as_deref(), title, "{source:?}");
            assert_eq!(page.body.of(source), body, "{source:?}");
        }
    }

    #[test]
    fn a_heading_with_other_words_than_the_title_belongs_to_the_body() {
        let identity = Identity::default().with_heading(true);
        for (source, body) in [
            ("# T\n\nb", "# T\n\nb"),
            ("---\na: b\n---\n\n*T*\n===\nb", "\n*T*\n===\nb"),
            ("b", "b"),
        ] {
            let page = Page::split_as(source, &identity);
            assert_eq!((page.title.as_ref(), page.body.of(source)), (None, body));
            assert_eq!(set_title(source, &identity, "U"), source);
        }
        for (source, title, differs) in [
            ("# *Get* started!", "get started", false),
            ("# Get started", "Welcome", true),
            ("# ![](x.png)", "Welcome", true),
            ("# <img src=\"x.png\">", "Welcome", true),
            ("# ![](x.png) Welcome", "Welcome", false),
            ("#", "Welcome", false),
        ] {
            let heading = Page::split(source).title.unwrap();
            assert_eq!(heading.differs_from(title), differs, "{source}");
        }
    }

    #[test]
    fn links_find_the_title() {
        for (source, written, found) in [
            ("# Set up\n\nb", "set-up", Some("set-up")),
            ("# Set up\n\nb", "Set_Up.", Some("set-up")),
            ("# Set up <a href=\"#kept\" id=\"kept\"></a>\n", "kept", Some("kept")),
            ("# Set up <a href=\"#kept\" id=\"kept\"></a>\n", "set-up", Some("set-up")),
            ("# Set up\n\n## Set up\n", "set-up", Some("set-up")),
            ("# Set up\n\n## Other\n", "else", None),
            ("Set up", "set-up", None),
            ("# ![](x.png)\n", "", None),
        ] {
            let page = Page::split(source);
            let context = ParseContext { path: "a.md", lookup: &NoLookup };
            let document = page.parse(source, page.body.of(source), &context, &Identity::default());
            assert_eq!(AnchorIndex::of(&document).resolve(written), found, "{source}");
        }
    }

    #[test]
    fn titles_are_changed_in_their_heading() {
        for (source, title, expected) in [
            ("# T\n\nb", "U_v #", "# U\\_v \\#\n\nb"),
            (
                "\u{FEFF}---\na: b\n---\r\n\r\n#   T\r\nb",
                "U",
                "\u{FEFF}---\na: b\n---\r\n\r\n#   U\r\nb",
            ),
            ("# T <a href=\"#x\" id=\"x\"></a>\n", "U", "# U <a href=\"#x\" id=\"x\"></a>\n"),
            ("# 🎉 T ##\n", "U", "# 🎉 U\n"),
            ("#\n", "U", "# U\n"),
            ("T\n===\nb", "U", "U\n===\nb"),
            ("<!-- c -->\n*T*\nV\n===\nb", "U", "<!-- c -->\nU\n===\nb"),
            ("T\r\nV\r\n===\r\nb", "- U", "# - U\r\nb"),
            ("T\r\n===\r\nb", "- U", "# - U\r\nb"),
            ("# *T*\n", "T", "# *T*\n"),
            ("# T", "a\n&amp;  b", "# a \\&amp; b"),
            ("b\n\n# T", "U", "b\n\n# T"),
            ("", "U", ""),
        ] {
            assert_eq!(set_title(source, &Identity::default(), title), expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn titles_are_read_as_they_were_set(
            source in "(# T|#|T\n===|\\*T\\*\nV\n=|<!-- c -->\n# T|  #  🎉 \\*T\\* ##)(\n\n?[ -~]{0,9})?",
            title in "[ -~]{1,16}|\\PC{1,6}",
        ) {
            let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
            let written = set_title(&source, &Identity::default(), &title);
            let read = Page::split(&written).title.expect("has one").text;
            let emoji = if source.contains('🎉') { "🎉 " } else { "" };
            let expected = format!("{emoji}{title}");
            proptest::prop_assert_eq!(read, expected.trim_end(), "{}", written);
            proptest::prop_assert_eq!(
                Page::split(&source).body.of(&source),
                Page::split(&written).body.of(&written)
            );
        }
    }
}
