//! Writes the texts of reusable contents into Markdown source, in place of what includes them.

use crate::document::{Block, BlockKind, Document, Visit};
use crate::reference::ContentRef;
use crate::source::Span;
use crate::syntax::tag::Tag;

/// Returns the source of a document in which the texts that `text_of` returns replace the tags that
/// include reusable contents: `{% include "note.md" %}` becomes the text of the note. Inside lists
/// and quotations, each line of the text gets the indentation and the marks of the line of its tag.
#[must_use]
pub fn include(
    source: &str,
    document: &Document,
    text_of: &mut dyn FnMut(&ContentRef) -> String,
) -> String {
    let mut places = Places { source, places: Vec::new() };
    document.walk(&mut places);
    let mut places = places.places;
    places.sort_by_key(|(span, _)| span.start);
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    for (span, target) in places {
        if span.start < at {
            continue;
        }
        out.push_str(Span::new(at, span.start).of(source));
        push_lines(&mut out, source, span, text_of(target).trim_matches(['\n', '\r']));
        at = span.end;
    }
    out.push_str(source.get(at..).unwrap_or_default());
    out
}

/// The spans of tags, with the contents that they include.
struct Places<'d> {
    source: &'d str,
    places: Vec<(Span, &'d ContentRef)>,
}

impl<'d> Visit<'d> for Places<'d> {
    fn block(&mut self, block: &'d Block) {
        if let BlockKind::ReusableContent(reference) = &block.kind {
            let span = tag_at(self.source, block.span);
            self.places.extend(span.map(|span| (span, &reference.target)));
        }
    }
}

/// Returns the span of the tag in the span of its block; `None` if the block begins with something
/// else, because its span is not exact.
fn tag_at(source: &str, span: Span) -> Option<Span> {
    let text = span.of(source);
    let start = text.len() - text.trim_start().len();
    let tag = Tag::parse(text.get(start..)?).filter(|tag| tag.name == "include")?;
    let start = span.start + start;
    Some(Span::new(start, start + tag.length))
}

/// Writes a text in place of the tag at `span`, separated from the lines around it.
fn push_lines(out: &mut String, source: &str, span: Span, text: &str) {
    let line = source.get(..span.start).unwrap_or_default();
    let (before, line) = line.rsplit_once('\n').unwrap_or(("", line));
    let prefix = continuation(line);
    let is_blank = |line: &str| line.trim_matches(['>', ' ', '\t', '\r']).is_empty();
    // A paragraph of the text must not continue that above it.
    if is_blank(line) && !is_blank(before.rsplit('\n').next().unwrap_or_default()) {
        out.push('\n');
        out.push_str(&prefix);
    }
    for (number, line) in text.lines().enumerate() {
        if number > 0 {
            out.push('\n');
            out.push_str(if line.is_empty() { prefix.trim_end() } else { &prefix });
        }
        out.push_str(line);
    }
    let after = source.get(span.end..).unwrap_or_default();
    if after.split('\n').nth(1).is_some_and(|next| !is_blank(next)) {
        out.push('\n');
        out.push_str(prefix.trim_end());
    }
}

/// Returns the beginning of the lines that continue the block at the end of a line: marks of
/// quotations stay, those of lists become spaces.
fn continuation(line: &str) -> String {
    let is_mark = |c: char| c.is_ascii_whitespace() || c.is_ascii_digit() || ">*+-.)".contains(c);
    match line.chars().all(is_mark) {
        true => line.chars().map(|c| if matches!(c, '>' | '\t') { c } else { ' ' }).collect(),
        false => line.chars().take_while(char::is_ascii_whitespace).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::Lookup;
    use crate::{ParseContext, markdown};

    struct Notes;

    impl Lookup for Notes {
        fn page(&self, _: &str) -> Option<String> {
            None
        }
        fn file(&self, _: &str) -> Option<String> {
            None
        }
        fn reusable_content(&self, path: &str) -> Option<String> {
            Some(path.to_owned())
        }
    }

    fn expand(source: &str) -> String {
        let document = markdown::parse(source, &ParseContext { path: "page.md", lookup: &Notes });
        include(source, &document, &mut |_| "one\n\n* two\n".to_owned())
    }

    #[test]
    fn included_texts_replace_their_tags() {
        let tag = "{% include \"note.md\" %}";
        for (source, expected) in [
            ("a\n\n@\n\nb\n", "a\n\none\n\n* two\n\nb\n"),
            ("@", "one\n\n* two"),
            ("a\n@\nb\n", "a\n\none\n\n* two\n\nb\n"),
            ("* a\n\n  @\n* b\n", "* a\n\n  one\n\n  * two\n\n* b\n"),
            ("1. @\n", "1. one\n\n   * two\n"),
            ("> @\n>\n> b\n", "> one\n>\n> * two\n>\n> b\n"),
            (
                "{% tabs %}\n{% tab title=\"x\" %}\n@\n{% endtab %}\n{% endtabs %}\n",
                "{% tabs %}\n{% tab title=\"x\" %}\n\none\n\n* two\n\n{% endtab %}\n{% endtabs %}\n",
            ),
            ("```\n@\n```\n", "```\n@\n```\n"),
            ("a `@` b\n", "a `@` b\n"),
        ] {
            let (source, expected) = (source.replace('@', tag), expected.replace('@', tag));
            assert_eq!(expand(&source), expected, "{source}");
        }
    }
}
