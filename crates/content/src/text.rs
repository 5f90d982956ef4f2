//! Documents as plain text: for search, for counting, for a page's description.

use crate::document::{Block, BlockKind, Document, Inline, InlineKind, Leaf, OpaqueKind, Visit};
use crate::emoji;
use crate::markdown::markup;

/// The text of a document: a line for each block, words of code and tables included.
#[must_use]
pub fn plain(document: &Document) -> String {
    let mut text = Text { out: String::new() };
    document.walk(&mut text);
    text.out.truncate(text.out.trim_end().len());
    text.out
}

/// A part of a document: a heading and the text up to the next one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Section {
    /// The id of the heading; none for what comes before the first.
    pub id: Option<String>,
    /// The text of the heading.
    pub title: String,
    /// The text below it.
    pub text: String,
}

/// The sections of a document, in order. Headings within tabs and the like count too.
#[must_use]
pub fn sections(document: &Document) -> Vec<Section> {
    let mut reader =
        Sections { done: Vec::new(), id: None, title: String::new(), text: Text::default() };
    document.walk(&mut reader);
    reader.end();
    reader.done
}

/// How many words a text has. Each character of a script without spaces counts as one.
#[must_use]
pub fn word_count(text: &str) -> usize {
    let mut count = 0;
    let mut in_word = false;
    for c in text.chars() {
        if is_ideograph(c) {
            count += 1;
            in_word = false;
        } else if c.is_alphanumeric() {
            count += usize::from(!in_word);
            in_word = true;
        } else if !matches!(c, '\'' | '’' | '-' | '_' | '.') {
            in_word = false;
        }
    }
    count
}

fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

/// A sentence or two that say what a page is about: the start of its first paragraph, at most
/// `limit` characters, ended after a sentence or a word.
#[must_use]
pub fn description(document: &Document, limit: usize) -> Option<String> {
    struct First(Option<String>);
    impl<'d> Visit<'d> for First {
        fn block(&mut self, block: &'d Block) {
            if let BlockKind::Paragraph(paragraph) = &block.kind
                && self.0.is_none()
            {
                let text = crate::document::plain_text(&paragraph.nodes);
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                self.0 = Some(text).filter(|text| !text.is_empty());
            }
        }
    }
    let mut first = First(None);
    document.walk(&mut first);
    first.0.map(|text| shorten(&text, limit))
}

/// A text of at most `limit` characters, ended after a sentence or a word.
#[must_use]
pub fn shorten(text: &str, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else {
        return text.to_owned();
    };
    let head = text.get(..end).unwrap_or_default();
    let sentence = [". ", "! ", "? ", "。"]
        .iter()
        .filter_map(|mark| head.rfind(mark).map(|at| at + mark.trim_end().len()))
        .max()
        .filter(|at| *at * 2 > head.len());
    if let Some(at) = sentence {
        return head.get(..at).unwrap_or_default().to_owned();
    }
    // Room for the ellipsis.
    let cut = head.char_indices().next_back().map_or(0, |(at, _)| at);
    let head = head.get(..cut).unwrap_or_default();
    let at = head.rfind(' ').filter(|at| *at * 2 > head.len()).unwrap_or(head.len());
    format!("{}…", head.get(..at).unwrap_or_default().trim_end_matches([',', ';', ':', ' ']))
}

#[derive(Default)]
struct Text {
    out: String,
}

impl Text {
    fn end_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with([' ', '\n']) {
            self.out.push(' ');
        }
    }
}

impl<'d> Visit<'d> for Text {
    fn block(&mut self, block: &'d Block) {
        self.end_line();
        match &block.kind {
            BlockKind::Math { formula } => self.out.push_str(formula),
            BlockKind::Embed(embed) => self.out.push_str(&embed.url),
            BlockKind::Opaque(opaque)
                if opaque.nodes.is_empty() && opaque.block != OpaqueKind::Comment =>
            {
                self.out.push_str(markup::readable_text(&opaque.source).trim());
            }
            _ => {}
        }
    }

    fn end_block(&mut self, _block: &'d Block) {
        self.end_line();
    }

    fn inline(&mut self, inline: &'d Inline) {
        match &inline.kind {
            InlineKind::Emoji { code } => {
                self.out.extend(emoji::characters(code));
            }
            InlineKind::Math { formula } => self.out.push_str(formula),
            _ => {}
        }
    }

    fn leaf(&mut self, leaf: &'d Leaf) {
        if !leaf.is_markup {
            self.out.push_str(&leaf.text);
        }
    }

    fn plain(&mut self, text: &'d str) {
        self.gap();
        self.out.push_str(text);
        self.out.push('\n');
    }
}

struct Sections {
    done: Vec<Section>,
    id: Option<String>,
    title: String,
    text: Text,
}

impl Sections {
    fn end(&mut self) {
        let text = std::mem::take(&mut self.text.out).trim().to_owned();
        let (id, title) = (self.id.take(), std::mem::take(&mut self.title));
        if id.is_some() || !text.is_empty() {
            self.done.push(Section { id, title, text });
        }
    }
}

impl<'d> Visit<'d> for Sections {
    fn block(&mut self, block: &'d Block) {
        if matches!(block.kind, BlockKind::Heading(_)) {
            self.end();
        }
        self.text.block(block);
    }

    fn end_block(&mut self, block: &'d Block) {
        if let BlockKind::Heading(heading) = &block.kind {
            self.id = Some(heading.anchor.clone());
            self.title = std::mem::take(&mut self.text.out).trim().to_owned();
        }
        self.text.end_block(block);
    }

    fn inline(&mut self, inline: &'d Inline) {
        self.text.inline(inline);
    }

    fn leaf(&mut self, leaf: &'d Leaf) {
        self.text.leaf(leaf);
    }

    fn plain(&mut self, text: &'d str) {
        self.text.plain(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::NoLookup;
    use crate::{ParseContext, markdown};

    fn parse(source: &str) -> Document {
        markdown::parse(source, &ParseContext { path: "page.md", lookup: &NoLookup })
    }

    #[test]
    fn documents_have_a_text() {
        let source = "a **b** :tada:\n\n## H\n\n* x\n* y\n\n```\nc\n```\n\n| t | u |\n|---|---|\n| 1 | 2 |\n\n<!-- z -->\n";
        assert_eq!(plain(&parse(source)), "a b 🎉\nH\nx\ny\nc\nt\nu\n1\n2");
    }

    #[test]
    fn sections_follow_headings() {
        let read = sections(&parse("a\n\n## H *i*\n\nb\n\n## J\n"));
        let read: Vec<_> =
            read.iter().map(|s| (s.id.as_deref(), s.title.as_str(), s.text.as_str())).collect();
        assert_eq!(read, [(None, "", "a"), (Some("h-i"), "H i", "b"), (Some("j"), "J", "")]);
    }

    #[test]
    fn words_are_counted() {
        for (text, count) in
            [("", 0), ("a b", 2), ("it's well-known v1.2", 3), ("日本語 x", 4), ("— …", 0)]
        {
            assert_eq!(word_count(text), count, "{text}");
        }
    }

    #[test]
    fn descriptions_end_well() {
        assert_eq!(
            description(&parse("## H\n\n![x](y.png)\n\nFirst *one*. Second.\n"), 160).as_deref(),
            Some("First one. Second.")
        );
        assert_eq!(description(&parse("## H\n"), 160), None);
        assert_eq!(shorten("One sentence. Another one follows", 20), "One sentence.");
        assert_eq!(shorten("one two three four", 13), "one two…");
        assert_eq!(shorten("äöü", 3), "äöü");
    }
}
