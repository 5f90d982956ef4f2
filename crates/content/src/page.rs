//! A page's source taken apart: front matter, title, body.

use pulldown_cmark::{Event, Options, Parser, TagEnd};

use crate::front_matter::{self, FrontMatter, line_end};
use crate::source::{Span, Warning, lines};

/// Where the parts of a page's source are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The front matter with its `---` lines.
    pub front_matter: Option<Span>,
    /// The YAML within the front matter.
    pub yaml: Option<Span>,
    /// The heading that is the page's title: a first-level heading before anything else.
    pub title: Option<Title>,
    /// Everything after the title, or after the front matter where there is none.
    pub body: Span,
}

/// The heading that is a page's title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title {
    /// The text without marks. May be empty.
    pub text: String,
    /// The heading's lines.
    pub span: Span,
}

impl Page {
    /// Takes a page's source apart.
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

    /// The page's metadata.
    #[must_use]
    pub fn metadata(&self, source: &str) -> (FrontMatter, Vec<Warning>) {
        self.yaml.map(|yaml| front_matter::parse(yaml.of(source))).unwrap_or_default()
    }
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

/// The text of Markdown without its marks, on one line.
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
}
