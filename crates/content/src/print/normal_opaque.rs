//! Opaque source that affects the text after it: an unpaired tag, or a construct that extends to
//! the end of the text.

use std::collections::HashSet;

use crate::document::equality::digest;
use crate::document::{
    Block, BlockKind, Document, InlineKind, Leaf, Node, Opaque, Paragraph, Visit,
};
use crate::markdown;
use crate::reference::ParseContext;
use crate::source::Span;

/// Returns a replacement for opaque source that would affect the text after it, or `None` if the
/// source can stay.
pub(super) fn contained(opaque: &Opaque, reader: &ParseContext<'_>) -> Option<BlockKind> {
    if opaque.source.len() > markdown::PARSE_LIMIT {
        return None;
    }
    if markdown::is_unpaired_tag(&opaque.source) {
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

/// Returns `true` if a block extends over all text after it.
pub(super) fn extends_to_end(block: &Block) -> bool {
    matches!(&block.kind, BlockKind::Opaque(opaque) if missing_end(&opaque.source).is_some())
}

/// Returns the digests of the blocks that consist of an unpaired tag.
pub(super) fn unpaired_tags(document: &Document) -> HashSet<u64> {
    struct UnpairedTags(HashSet<u64>);
    impl<'d> Visit<'d> for UnpairedTags {
        fn block(&mut self, block: &'d Block) {
            if let BlockKind::Opaque(opaque) = &block.kind
                && markdown::is_unpaired_tag(&opaque.source)
            {
                self.0.insert(digest(&block.kind));
            }
        }
    }
    let mut unpaired = UnpairedTags(HashSet::new());
    document.walk(&mut unpaired);
    unpaired.0
}

/// Returns a paragraph with the text of opaque source.
pub(super) fn text(source: &str) -> BlockKind {
    let leaf = Leaf { text: source.to_owned(), ..Leaf::default() };
    let nodes = vec![Node::new(Span::default(), InlineKind::Text(vec![leaf]))];
    BlockKind::Paragraph(Paragraph { align: None, nodes })
}

/// Returns the missing end of an HTML block that continues over blank lines, or `None` if nothing
/// is missing.
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
    use crate::arbitrary;

    #[test]
    fn open_opaque_source_is_closed_or_becomes_text() {
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
            let reader = ParseContext { path: arbitrary::PAGE_PATH, lookup: &arbitrary::World };
            match contained(opaque, &reader) {
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
    fn open_opaque_source_does_not_affect_later_text() {
        let context = crate::print::PrintContext {
            path: arbitrary::PAGE_PATH,
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
            assert!(read(&printed).has_same_content_as(&read(source)), "{source:?}: {printed:?}");
        }
        // An unpaired tag without effect stays unchanged.
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
