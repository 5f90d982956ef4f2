//! Opaque source that reaches beyond its place: a tag that ends or begins something else, and
//! what runs on to the end of the text.

use std::collections::HashSet;

use crate::document::same::digest;
use crate::document::{
    Block, BlockKind, Document, InlineKind, Leaf, Node, Opaque, Paragraph, Visit,
};
use crate::markdown::{self, ParseContext};
use crate::source::Span;

/// What is written in place of opaque source that reaches beyond its place; `None` where it does
/// not, or where it stays as it is.
pub(super) fn settled(opaque: &Opaque, reader: &ParseContext<'_>) -> Option<BlockKind> {
    if opaque.source.len() > markdown::PARSE_LIMIT {
        return None;
    }
    if markdown::is_half(&opaque.source) {
        return Some(text(&opaque.source));
    }
    let end = missing_end(&opaque.source)?;
    let source = format!("{}\n{end}", opaque.source);
    let read = markdown::parse(&source, reader);
    let is_opaque = matches!(
        read.nodes.as_slice(),
        [Block { kind: BlockKind::Opaque(read), .. }] if read.source == source
    );
    Some(match is_opaque {
        true => BlockKind::Opaque(Box::new(Opaque { source, ..opaque.clone() })),
        false => text(&opaque.source),
    })
}

/// Whether a block swallows what comes after it.
pub(super) fn is_open(block: &Block) -> bool {
    matches!(&block.kind, BlockKind::Opaque(opaque) if missing_end(&opaque.source).is_some())
}

/// Digests of the blocks that are one tag of what takes two.
pub(super) fn halves(document: &Document) -> HashSet<u64> {
    struct Halves(HashSet<u64>);
    impl<'d> Visit<'d> for Halves {
        fn block(&mut self, block: &'d Block) {
            if let BlockKind::Opaque(opaque) = &block.kind
                && markdown::is_half(&opaque.source)
            {
                self.0.insert(digest(&block.kind));
            }
        }
    }
    let mut halves = Halves(HashSet::new());
    document.walk(&mut halves);
    halves.0
}

/// A paragraph that says what opaque source is.
pub(super) fn text(source: &str) -> BlockKind {
    let leaf = Leaf { text: source.to_owned(), ..Leaf::default() };
    let nodes = vec![Node::new(Span::default(), InlineKind::Text(vec![leaf]))];
    BlockKind::Paragraph(Paragraph { align: None, nodes })
}

/// What ends a block of HTML that a blank line does not end, where it has no end.
fn missing_end(source: &str) -> Option<&'static str> {
    const NAMES: [(&str, &str); 4] = [
        ("<pre", "</pre>"),
        ("<script", "</script>"),
        ("<style", "</style>"),
        ("<textarea", "</textarea>"),
    ];
    let source = source.trim_start().to_ascii_lowercase();
    for (name, end) in NAMES {
        let is_name = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t', '\n', '>']);
        if source.strip_prefix(name).is_some_and(is_name) {
            let has_end = NAMES.iter().any(|(_, end)| source.contains(end));
            return (!has_end).then_some(end);
        }
    }
    let end = match source.get(..2)? {
        "<!" if source.starts_with("<!--") => "-->",
        "<!" if source.starts_with("<![cdata[") => "]]>",
        "<!" if source.as_bytes().get(2).is_some_and(u8::is_ascii_alphabetic) => ">",
        "<?" => "?>",
        _ => return None,
    };
    (!source.contains(end)).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::arbitrary;

    #[test]
    fn what_reaches_beyond_its_place_is_closed_or_text() {
        for (source, expected) in [
            ("<!-- a", Some("<!-- a\n-->")),
            ("<!-- a -->", None),
            ("<!--->", None),
            ("<?a", Some("<?a\n?>")),
            ("<![CDATA[a", Some("<![CDATA[a\n]]>")),
            ("<script>a", Some("<script>a\n</script>")),
            ("<pre", Some("<pre\n</pre>")),
            ("{% endhint %}", None),
            ("{% tab %}", None),
            ("</details>", None),
            ("{% set a=b %}", None),
            ("<form>", None),
        ] {
            let document = arbitrary::parse(source);
            let [Block { kind: BlockKind::Opaque(opaque), .. }] = document.nodes.as_slice() else {
                panic!("{source} is opaque");
            };
            let reader = ParseContext { path: arbitrary::HOLDER, lookup: &arbitrary::World };
            match settled(opaque, &reader) {
                Some(BlockKind::Opaque(opaque)) => {
                    assert_eq!(Some(opaque.source.as_str()), expected);
                }
                Some(_) => assert!(
                    matches!(source, "{% endhint %}" | "{% tab %}" | "</details>"),
                    "{source} is no text"
                ),
                None => assert!(
                    expected.is_none() && (source.contains("%}") || source.contains('>')),
                    "{source}"
                ),
            }
        }
    }

    #[test]
    fn what_would_reach_beyond_its_place_is_printed_so_that_it_does_not() {
        let context = crate::print::PrintContext {
            path: arbitrary::HOLDER,
            lookup: &arbitrary::World,
            names: &arbitrary::World,
        };
        let read = |text: &str| {
            let document = markdown::parse(text, &context.reader());
            crate::print::normal(&document, &context.reader())
        };
        for source in [
            "{%tabs%}{%tab%}{%endtabs%}",
            "{%stepper%}{%endstep%}{%endstepper%}",
            "{%columns%}{%column%}{%endcolumns%}",
            "{% endhint %}",
            "<x\ry>\n-",
            "{%@/\" D *%}",
            "{%columns%}\n{%column width=\"4\n%}\n#\"%}{%endcolumn%}\n{%endcolumns%}",
        ] {
            let printed =
                crate::print::print(&markdown::parse(source, &context.reader()), &context);
            assert!(read(&printed).says_the_same_as(&read(source)), "{source:?}: {printed:?}");
        }
        // What can stay as it is does.
        let half = "a\n\n{% endhint %}\n\nb\n";
        assert_eq!(crate::print::print(&markdown::parse(half, &context.reader()), &context), half);
        for (source, expected) in [
            ("a\n\n<!-- b", "a\n\n<!-- b\n-->\n\nnew"),
            ("a\n\n<script>b", "a\n\n<script>b\n</script>\n\nnew"),
        ] {
            let before = markdown::parse(source, &context.reader());
            let mut after = before.clone();
            after.nodes.extend(arbitrary::parse("new").nodes);
            let printed = crate::print::print_edited(source, &before, &after, &context);
            assert_eq!(printed.trim_end(), expected, "{source:?}");
        }
    }
}
