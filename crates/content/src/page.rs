//! Splits a page's source into front matter, title and body.

use pulldown_cmark::{Event, Options, Parser, TagEnd};

use crate::front_matter::{self, FrontMatter, line_end};
use crate::source::{Span, Warning, lines};

/// Locations of the parts of a page's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The front matter, including its `---` lines.
    pub front_matter: Option<Span>,
    /// The YAML between the `---` lines of the front matter.
    pub yaml: Option<Span>,
    /// The page's title: a first-level heading that precedes all other content.
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
}

impl Page {
    /// Splits a page's source into its parts.
    #[must_use]
    pub fn split(source: &str) -> Self {
        let fences = front_matter::locate(source);
        let start = match fences {
            Some((whole, _)) => whole.end,
            None if source.starts_with('\u{FEFF}') => '\u{FEFF}'.len_utf8(),
            None => 0,
        };
        let title = find_title(source, start);
        Self {
            front_matter: fences.map(|(whole, _)| whole),
            yaml: fences.map(|(_, yaml)| yaml),
            body: Span::new(title.as_ref().map_or(start, |title| title.span.end), source.len()),
            title,
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
/// is returned unchanged.
#[must_use]
pub fn set_title(source: &str, title: &str) -> String {
    let Some(old) = Page::split(source).title else {
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
    let (first, rest) = match heading.find(['\n', '\r']) {
        Some(end) => heading.split_at(end),
        None => (heading, ""),
    };
    let line = first.trim_start_matches(' ');
    let anchor = line.rfind("<a ").and_then(|at| line.get(at..));
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
    if is_atx_title(line) {
        let marks = line.len() - line.trim_start_matches('#').trim_start_matches([' ', '\t']).len();
        let marks = line.get(..marks).unwrap_or_default();
        let gap = if marks.len() == 1 { " " } else { "" };
        return replace_heading(format!("{marks}{gap}{text}{rest}"));
    }
    let written = replace_heading(format!("{text}{rest}"));
    if Page::split(&written).title.is_some_and(|title| title.text == new_text) {
        return written;
    }
    let end = line_end(heading, first.len());
    let underline = heading.get(end..).unwrap_or_default();
    let end = underline.find(['\n', '\r']).and_then(|end| underline.get(end..));
    replace_heading(format!("# {text}{}", end.unwrap_or_default()))
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
    } else if is_setext_text(content) {
        rest.next().filter(|(_, line)| is_setext_underline(line))?.0.end
    } else {
        return None;
    };
    let span = Span::new(first.start, line_end(text, end)).shifted(start);
    Some(Title { text: plain_text(span.of(source)), span })
}

fn is_atx_title(line: &str) -> bool {
    line.strip_prefix('#').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

fn is_setext_text(line: &str) -> bool {
    !line.starts_with(['#', '>', '<', '`', '~', '|', '-', '*', '+', '{'])
}

fn is_setext_underline(line: &str) -> bool {
    let line = line.trim_start_matches(' ').trim_end();
    !line.is_empty() && line.bytes().all(|b| b == b'=')
}

/// Returns the text of Markdown without markup, on one line.
#[must_use]
pub fn plain_text(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    for event in Parser::new_ext(markdown, Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(&part),
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

    #[test]
    fn a_leading_first_level_heading_is_the_title() {
        for (source, title, body) in [
            ("# T\n\nb", Some("T"), "\nb"),
            ("\u{FEFF}# T\nb", Some("T"), "b"),
            ("---\ndescription: x\n---\n\n# T\r\nb", Some("T"), "b"),
            ("T\n===\nb", Some("T"), "b"),
            ("# T\n\n# U", Some("T"), "\n# U"),
            ("# **A** `b` \\_c <a href=\"#x\" id=\"x\"></a>\n", Some("A b _c"), ""),
            ("#\nb", Some(""), "b"),
            ("#x\nb", None, "#x\nb"),
            ("## T\nb", None, "## T\nb"),
            ("b\n\n# T", None, "b\n\n# T"),
            ("    # T\n", None, "    # T\n"),
            ("- a\n===\n", None, "- a\n===\n"),
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
            ("T\r\n===\r\nb", "- U", "# - U\r\nb"),
            ("# *T*\n", "T", "# *T*\n"),
            ("# T", "a\n&amp;  b", "# a \\&amp; b"),
            ("b\n\n# T", "U", "b\n\n# T"),
            ("", "U", ""),
        ] {
            assert_eq!(set_title(source, title), expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn titles_are_read_as_they_were_set(
            source in "(# T|#|T\n===|  #  🎉 \\*T\\* ##)(\n\n?[ -~]{0,9})?",
            title in "[ -~]{1,16}|\\PC{1,6}",
        ) {
            let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
            let written = set_title(&source, &title);
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
