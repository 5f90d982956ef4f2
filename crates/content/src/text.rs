//! Documents as plain text, for search, word counts and page descriptions.

use crate::alert::{self, Alert};
use crate::api_method;
use crate::document::{
    Block, BlockKind, Document, Inline, InlineKind, Leaf, Opaque, OpaqueKind, OpenApiPart,
    Reference, ReferenceRole, TableColumn, Visit,
};
use crate::emoji;
use crate::syntax::markup;

/// Returns the text of a document, one line for each block. Includes code and tables.
///
/// The text includes all conditional blocks and omits expressions. To get the text for one reader,
/// evaluate conditions and expressions first. Comments, unknown tags and hidden columns are
/// omitted.
#[must_use]
pub fn plain(document: &Document) -> String {
    let mut text = Text::default();
    document.walk(&mut text);
    document.walk_unused_notes(&mut text);
    text.out.truncate(text.out.trim_end().len());
    text.out
}

/// Returns the attributes of a tag that describes a method of an API, as one line; `None` for other
/// blocks.
#[must_use]
pub fn method_line(opaque: &Opaque) -> Option<String> {
    api_method::head(&opaque.source).map(|head| head.line())
}

/// A section of a document: a heading and the text up to the next heading.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Section {
    /// The anchor of the heading; `None` for the text before the first heading.
    pub id: Option<String>,
    /// The level of the heading, 1 to 3; 0 for the text before the first heading.
    pub level: u8,
    /// The text of the heading.
    pub title: String,
    /// The index of the enclosing section.
    pub parent: Option<usize>,
    /// The text below the heading.
    pub text: String,
    /// The number of words in the heading and the text.
    pub words: usize,
}

/// Returns the sections of a document, in order. Includes headings within tabs and other
/// containers.
#[must_use]
pub fn sections(document: &Document) -> Vec<Section> {
    let mut reader = Sections { done: Vec::new(), next: Section::default(), text: Text::default() };
    document.walk(&mut reader);
    reader.end();
    reader.done
}

/// Returns the titles of the enclosing sections, outermost first, followed by the section's own
/// title.
#[must_use]
pub fn path(sections: &[Section], at: usize) -> Vec<&str> {
    let mut titles = Vec::new();
    let mut next = sections.get(at);
    while let Some(section) = next {
        titles.push(section.title.as_str());
        next = section.parent.and_then(|parent| sections.get(parent));
    }
    titles.reverse();
    titles
}

/// Counts the words of a text. In scripts without spaces, each Chinese or Japanese character counts
/// as a word, and so do four letters of Thai, Lao, Burmese or Khmer.
#[must_use]
pub fn word_count(text: &str) -> usize {
    const LETTERS_PER_WORD: usize = 4;
    let (mut count, mut letters) = (0, 0);
    let mut in_word = false;
    for c in text.chars() {
        if is_unspaced(c) {
            // Signs above and below a letter belong to it.
            letters += usize::from(c.is_alphabetic());
            in_word = false;
            continue;
        }
        count += std::mem::take(&mut letters).div_ceil(LETTERS_PER_WORD);
        if is_ideograph(c) {
            count += 1;
            in_word = false;
        } else if c.is_alphanumeric() && !is_voicing(c) {
            count += usize::from(!in_word);
            in_word = true;
        } else if !is_within_words(c) {
            in_word = false;
        }
    }
    count + letters.div_ceil(LETTERS_PER_WORD)
}

/// Returns `true` for a Chinese or Japanese character other than punctuation; each counts as a
/// word.
pub(crate) fn is_ideograph(c: char) -> bool {
    let is_among_them = matches!(
        u32::from(c),
        0x3005..=0x3007
            | 0x3040..=0x30FF
            | 0x3400..=0x4DBF
            | 0x4E00..=0x9FFF
            | 0xF900..=0xFAFF
            | 0xFF66..=0xFF9D
            | 0x2_0000..=0x3_FFFF
    );
    is_among_them && c.is_alphanumeric()
}

/// Returns `true` for a mark that modifies the sound of the preceding letter.
fn is_voicing(c: char) -> bool {
    matches!(c, '\u{FF9E}' | '\u{FF9F}')
}

/// Returns `true` for a letter of Thai, Lao, Burmese or Khmer, which do not separate words by
/// spaces.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c), 0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF) && !c.is_numeric()
}

/// Returns `true` for characters within words that are not letters: punctuation, combining accents,
/// signs of Indic scripts, joiners and soft hyphens.
fn is_within_words(c: char) -> bool {
    matches!(c, '\'' | '’' | '-' | '_' | '.' | '\u{AD}' | '\u{200C}' | '\u{200D}')
        || unicode_ident::is_xid_continue(c)
}

/// Returns a description of a page: the start of its first non-empty paragraph, else of its other
/// text, cut after a sentence or a word to at most `limit` characters. `None` for a page without
/// text.
#[must_use]
pub fn description(document: &Document, limit: usize) -> Option<String> {
    struct First(Option<String>);
    impl<'d> Visit<'d> for First {
        fn block(&mut self, block: &'d Block) {
            if let BlockKind::Paragraph(paragraph) = &block.kind
                && self.0.is_none()
            {
                let text = crate::document::plain_text(&paragraph.nodes);
                self.0 = one_line(alert::without_marker(&text));
            }
        }
    }
    let mut first = First(None);
    document.walk(&mut first);
    first.0.or_else(|| one_line(&plain(document))).map(|text| shorten(&text, limit))
}

/// Returns a text with single spaces between its words; `None` if it has no words.
fn one_line(text: &str) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(text).filter(|text| !text.is_empty())
}

/// Returns the text of the paragraphs and headings of a document, one line for each. Leaves out
/// code, formulas in blocks and the addresses of links.
#[must_use]
pub fn prose(document: &Document) -> String {
    struct Prose(String);
    impl<'d> Visit<'d> for Prose {
        fn block(&mut self, block: &'d Block) {
            let nodes = match &block.kind {
                BlockKind::Paragraph(paragraph) => &paragraph.nodes,
                BlockKind::Heading(heading) => &heading.nodes,
                _ => return,
            };
            self.0.push_str(&crate::document::plain_text(nodes));
            self.0.push('\n');
        }
    }
    let mut prose = Prose(String::new());
    document.walk(&mut prose);
    prose.0
}

/// Cuts a text to at most `limit` characters, after a sentence or a word.
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
    // Leave room for the ellipsis.
    let cut = head.char_indices().next_back().map_or(0, |(at, _)| at);
    let head = head.get(..cut).unwrap_or_default();
    let at = head.rfind(' ').filter(|at| *at * 2 > head.len()).unwrap_or(head.len());
    format!("{}…", head.get(..at).unwrap_or_default().trim_end_matches([',', ';', ':', ' ']))
}

#[derive(Default)]
struct Text {
    out: String,
    /// `true` within a hidden column of a table.
    is_hidden: bool,
    /// `true` if the next text begins with the marker of an alert.
    is_alert: bool,
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
        if self.is_hidden {
            return;
        }
        match &block.kind {
            BlockKind::Math { formula } => self.out.push_str(formula),
            BlockKind::Quote { nodes } => self.is_alert = Alert::of(nodes).is_some(),
            BlockKind::Embed(embed) => self.plain(&embed.url),
            BlockKind::Images(images) => {
                let bare = images.images.iter().filter(|image| image.kind.caption.is_empty());
                for alt in bare.filter_map(|image| image.kind.alt.as_deref()) {
                    self.out.push_str(alt);
                    self.end_line();
                }
            }
            BlockKind::Drawing(reference) => {
                self.out.push_str(reference.name.as_deref().unwrap_or_default());
            }
            BlockKind::OpenApi(part) => match &part.part {
                OpenApiPart::Swagger { path: name, method, .. }
                | OpenApiPart::Operation { path: name, method }
                | OpenApiPart::Webhook { name, method } => {
                    self.out.push_str(&method.to_uppercase());
                    self.gap();
                    self.out.push_str(name);
                }
                OpenApiPart::Schemas { schemas, .. } => self.out.push_str(&schemas.join(", ")),
            },
            BlockKind::Opaque(opaque) if let Some(head) = api_method::head(&opaque.source) => {
                self.out.push_str(&head.line());
            }
            BlockKind::Opaque(opaque)
                if opaque.nodes.is_empty() && opaque.block != OpaqueKind::Comment =>
            {
                let text = markup::readable_text(&opaque.source);
                for line in text.lines().filter(|line| !line.trim().is_empty()) {
                    self.out.push_str(line.trim_end());
                    self.end_line();
                }
            }
            _ => {}
        }
    }

    fn end_block(&mut self, _block: &'d Block) {
        self.end_line();
    }

    fn inline(&mut self, inline: &'d Inline) {
        match &inline.kind {
            _ if self.is_hidden => {}
            InlineKind::Emoji { code } => {
                self.out.extend(emoji::characters(code));
            }
            InlineKind::Math { formula } => self.out.push_str(formula),
            InlineKind::Image(image) => {
                let text = image.alt.as_deref().or(image.caption.as_deref());
                self.out.push_str(text.unwrap_or_default());
            }
            _ => {}
        }
    }

    fn leaf(&mut self, leaf: &'d Leaf) {
        let is_alert = std::mem::take(&mut self.is_alert);
        if !leaf.is_markup && !self.is_hidden {
            let text = if is_alert { alert::without_marker(&leaf.text) } else { &leaf.text };
            self.out.push_str(text);
        }
    }

    fn plain(&mut self, text: &'d str) {
        if self.is_hidden {
            return;
        }
        self.gap();
        self.out.push_str(text);
        self.end_line();
    }

    fn label(&mut self, text: &'d str) {
        if !self.is_hidden {
            self.gap();
            self.out.push_str(text);
        }
    }

    fn number(&mut self, number: f64) {
        if !self.is_hidden {
            self.end_line();
            self.out.push_str(&number.to_string());
            self.end_line();
        }
    }

    fn reference(&mut self, _: &'d Reference, role: ReferenceRole) {
        // Each image's caption is a line of its own.
        if role == ReferenceRole::Image {
            self.end_line();
        }
    }

    fn column(&mut self, column: Option<&'d TableColumn>) {
        self.end_line();
        self.is_hidden = column.is_some_and(|column| column.hidden);
    }
}

struct Sections {
    done: Vec<Section>,
    next: Section,
    text: Text,
}

impl Sections {
    fn end(&mut self) {
        let section = Section {
            text: std::mem::take(&mut self.text.out).trim().to_owned(),
            ..std::mem::take(&mut self.next)
        };
        if section.id.is_none() && section.text.is_empty() {
            return;
        }
        let words = word_count(&section.title) + word_count(&section.text);
        // Levels go up to three, so this takes at most two steps.
        let mut parent = self.done.len().checked_sub(1);
        while let Some(above) = parent.and_then(|at| self.done.get(at)) {
            if above.level > 0 && above.level < section.level {
                break;
            }
            parent = above.parent;
        }
        self.done.push(Section { words, parent, ..section });
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
            self.next.id = Some(heading.anchor.clone());
            self.next.level = heading.level;
            self.next.title = std::mem::take(&mut self.text.out).trim().to_owned();
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

    fn label(&mut self, text: &'d str) {
        self.text.label(text);
    }

    fn number(&mut self, number: f64) {
        self.text.number(number);
    }

    fn reference(&mut self, reference: &'d Reference, role: ReferenceRole) {
        self.text.reference(reference, role);
    }

    fn column(&mut self, column: Option<&'d TableColumn>) {
        self.text.column(column);
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
    fn prose_is_paragraphs_and_headings() {
        let source = "## A *b*\n\nc [d](https://example.org/)\n\n* e\n\n```\nf\n```\n";
        assert_eq!(prose(&parse(source)), "A b\nc d\ne\n");
    }

    #[test]
    fn sections_follow_headings() {
        let source = "a\n\n## H *i*\n\nb c\n\n#### J\n\n### K\n\nd\n\n#### L\n\n{% hint style=\"info\" %}\n## M\n\ne\n{% endhint %}\n";
        let read = sections(&parse(source));
        let shown: Vec<_> = (0..read.len())
            .map(|at| {
                let section = &read[at];
                let id = section.id.as_deref();
                (id, section.level, path(&read, at).join(" > "), &*section.text, section.words)
            })
            .collect();
        let expected = [
            (None, 0, "", "a", 1),
            (Some("h-i"), 1, "H i", "b c", 4),
            (Some("j"), 3, "H i > J", "", 1),
            (Some("k"), 2, "H i > K", "d", 2),
            (Some("l"), 3, "H i > K > L", "", 1),
            (Some("m"), 1, "M", "e", 2),
        ];
        let expected = expected
            .map(|(id, level, path, text, words)| (id, level, path.to_owned(), text, words));
        assert_eq!(shown, expected);
    }

    #[test]
    fn text_of_blocks_matches_the_rendering() {
        for (source, text) in [
            ("{% embed url=\"https://x.y\" %}\nCaption\n{% endembed %}\n", "https://x.y\nCaption"),
            ("Click <a href=\"u\" class=\"button\">Start</a> now.\n", "Click Start now."),
            (
                "{% tabs %}\n{% tab title=\"A\" %}\na\n{% endtab %}\n\n{% tab title=\"B\" %}\nb\n{% endtab %}\n{% endtabs %}\n",
                "A\na\nB\nb",
            ),
            ("<details>\n\n<summary>T **b**</summary>\n\nbody\n\n</details>\n", "T b\nbody"),
            (
                "{% if visitor.claims.a %}\nx <code class=\"expression\">space.vars.b</code>y\n{% endif %}\n",
                "x y",
            ),
            ("a<!-- c -->b <x-y>d</x-y>\n", "ab <x-y>d</x-y>"),
            ("`a` http://<host>:<port>/x", "a http://<host>:<port>/x"),
            (
                "<host>\n\n* List<String>\n\n| <k> |\n|---|\n| <v> |",
                "<host>\nList<String>\n<k>\n<v>",
            ),
            (
                "<div><figure><img src=\"a.png\"><figcaption>A</figcaption></figure> <figure><img src=\"b.png\"><figcaption>B</figcaption></figure></div>\n",
                "A\nB",
            ),
            ("a <u>b</u> <video src=\"x\">no</video><ruby>c<rt>d</rt></ruby>", "a b cd"),
            ("> [!NOTE]\n> Take *care*.\n", "Take care."),
            ("> [!TIP]\n>\n> Take care.\n", "Take care."),
            ("see ![a chart](x.png) there", "see a chart there"),
            ("<dl><dt>T</dt><dd>D</dd></dl>", "T\nD"),
            ("<div>a<svg><text>b</text></svg><iframe src=\"x\">c</iframe></div>", "a"),
            ("<center><b>a</b> b<br>c</center>", "a b\nc"),
            (
                "<table><tbody><tr><td><pre><code>a\n  b\n</code></pre></td><td>c</td></tr></tbody></table>",
                "a\n  b\nc",
            ),
            (
                "{% code title=\"f.rs\" %}\n```rust\nlet a;\n\nb\n```\n{% endcode %}\n",
                "f.rs\nlet a;\nb",
            ),
        ] {
            let document = parse(source);
            assert_eq!(plain(&document), text, "{source}");
            let sections = sections(&document);
            assert_eq!(sections.first().map(|section| section.text.as_str()), Some(text));
        }
    }

    #[test]
    fn text_of_cells_matches_the_rendering() {
        let source = "<table data-view=\"cards\"><thead><tr><th>T</th>\
            <th data-type=\"select\">S<select><option value=\"k\" label=\"Label\" color=\"#f00\"></option></select></th>\
            <th data-type=\"number\">N</th><th data-hidden>H</th></tr></thead><tbody><tr><td>x</td>\
            <td><span data-option=\"k\">Label</span></td><td>1.5</td><td>secret</td></tr></tbody></table>\n\nafter\n";
        assert_eq!(plain(&parse(source)), "T\nS\nN\nx\nLabel\n1.5\nafter");
    }

    #[test]
    fn elements_without_text_are_named() {
        let source = "<figure><img src=\"x.png\" alt=\"A cat\"></figure>\n\n\
            {% openapi-operation spec=\"pets\" path=\"/pets\" method=\"get\" %}\n\
            [Pets](https://x.y)\n{% endopenapi-operation %}\n";
        assert_eq!(plain(&parse(source)), "A cat\nGET /pets");
    }

    #[test]
    fn sections_together_are_no_longer_than_the_text() {
        let long = "x".repeat(10_000);
        let source = format!("## {long}\n\n{}", "### b\n\nc\n\n".repeat(2_000));
        let read = sections(&parse(&source));
        assert_eq!(read.len(), 2_001);
        let size: usize = read.iter().map(|section| section.title.len() + section.text.len()).sum();
        assert!(size < source.len(), "{size}");
        assert_eq!(path(&read, 2_000), [long.as_str(), "b"]);
    }

    #[test]
    fn words_are_counted() {
        for (text, count) in [
            ("", 0),
            ("a b", 2),
            ("it's well-known v1.2", 3),
            ("日本語 x", 4),
            ("人々", 2),
            ("— …", 0),
            // Combining accents and signs.
            ("re\u{301}sume\u{301} b", 2),
            ("नमस्ते दुनिया", 2),
            ("می\u{200C}خواهم", 1),
            ("한국어 문서", 2),
            // Words without spaces, followed by words with spaces.
            ("สวัสดีชาวโลก ok", 4),
            ("ភាសាខ្មែរ", 2),
            ("你好，世界。", 4),
            ("第3章 Bindery 入門", 6),
            ("データ・ベース", 6),
            ("か\u{3099}っこう", 4),
            ("ｶﾞｯｺｳ", 4),
            ("ＡＢＣ　ｄｅｆ", 2),
            ("한국어 문서입니다", 2),
            ("a\u{E50}b ๑๒", 2),
        ] {
            assert_eq!(word_count(text), count, "{text}");
        }
    }

    #[test]
    fn descriptions_end_at_a_boundary() {
        assert_eq!(
            description(&parse("## H\n\n![x](y.png)\n\nFirst *one*. Second.\n"), 160).as_deref(),
            Some("First one. Second.")
        );
        assert_eq!(description(&parse("## H\n\n$$a + b$$\n"), 160).as_deref(), Some("H a + b"));
        assert_eq!(description(&parse("![](y.png)\n"), 160), None);
        assert_eq!(shorten("One sentence. Another one follows", 20), "One sentence.");
        assert_eq!(shorten("one two three four", 13), "one two…");
        assert_eq!(shorten("äöü", 3), "äöü");
    }
}
