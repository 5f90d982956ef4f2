//! Completes Markdown source for readers: writes the texts of reusable contents into what includes
//! them, and the words of links in place of links that lead nowhere.

use crate::document::{Block, BlockKind, Document, Inline, InlineKind, Link, Reference, Visit};
use crate::reference::ContentRef;
use crate::source::Span;
use crate::syntax::tag::Tag;

/// Returns the source of a document in which the texts that `text_of` returns replace the tags that
/// include reusable contents: `{% include "note.md" %}` becomes the text of the note. Inside lists
/// and quotations, each line of the text gets the indentation and the marks of the line of its tag.
///
/// A Markdown link for which `is_broken` is true becomes its words: `[here](gone.md)` becomes
/// `here`.
#[must_use]
pub fn complete(
    source: &str,
    document: &Document,
    is_broken: &dyn Fn(&Reference) -> bool,
    text_of: &mut dyn FnMut(&ContentRef) -> String,
) -> String {
    let mut places = Places { source, is_broken, places: Vec::new() };
    document.walk(&mut places);
    let mut places = places.places;
    places.sort_by_key(|(span, _)| span.start);
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    for (span, included) in places {
        if span.start < at {
            continue;
        }
        out.push_str(Span::new(at, span.start).of(source));
        if let Some(target) = included {
            push_lines(&mut out, source, span, text_of(target).trim_matches(['\n', '\r']));
        }
        at = span.end;
    }
    out.push_str(source.get(at..).unwrap_or_default());
    out
}

/// The spans to replace: those of tags, with the contents that they include, and those of the marks
/// of broken links, which are removed.
struct Places<'d> {
    source: &'d str,
    is_broken: &'d dyn Fn(&Reference) -> bool,
    places: Vec<(Span, Option<&'d ContentRef>)>,
}

impl<'d> Visit<'d> for Places<'d> {
    fn block(&mut self, block: &'d Block) {
        if let BlockKind::ReusableContent(reference) = &block.kind {
            let span = tag_at(self.source, block.span);
            self.places.extend(span.map(|span| (span, Some(&reference.target))));
        }
    }

    fn inline(&mut self, inline: &'d Inline) {
        if let InlineKind::Link(link) = &inline.kind
            && (self.is_broken)(&link.reference)
            && let Some(marks) = marks_of(self.source, inline.span, link)
        {
            self.places.extend(marks.map(|span| (span, None)));
        }
    }
}

/// Returns the spans of `[` and of `](target)` of a link; `None` if it is written in another way.
fn marks_of(source: &str, span: Span, link: &Link) -> Option<[Span; 2]> {
    let open = Span::new(span.start, span.start + 1);
    // The marks of bold words are outside of the spans of the words.
    let words = link.nodes.last()?.span.end;
    let rest = source.get(words..span.end)?;
    let marks = rest.find("](")?;
    let is_link = open.of(source) == "["
        && rest.ends_with(')')
        && rest.get(..marks)?.chars().all(|c| "*_~ ".contains(c));
    is_link.then(|| [open, Span::new(words + marks, span.end)])
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
        let is_broken = |link: &Reference| link.raw.ends_with("gone.md");
        complete(source, &document, &is_broken, &mut |_| "one\n\n* two\n".to_owned())
    }

    #[test]
    fn broken_links_become_their_words() {
        for (source, expected) in [
            ("a [b](gone.md) c [d](e.md)\n", "a b c [d](e.md)\n"),
            ("* [**b** c](<../gone.md>)\n", "* **b** c\n"),
            ("> [b](gone.md)\n> c\n", "> b\n> c\n"),
            ("[![b](c.png)](gone.md)\n", "![b](c.png)\n"),
            ("`[b](gone.md)`\n", "`[b](gone.md)`\n"),
            ("[b]: gone.md\n\nsee [b]\n", "[b]: gone.md\n\nsee [b]\n"),
        ] {
            assert_eq!(expand(source), expected, "{source}");
        }
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
