//! Locates the keys of block mappings in YAML source.

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle};

use crate::source::Span;

/// A block mapping, whose keys are on separate lines.
pub(super) struct Mapping {
    /// The entries, in order.
    pub(super) entries: Vec<Entry>,
}

/// A key and its value.
pub(super) struct Entry {
    /// The key, with quotes and escapes resolved.
    pub(super) key: String,
    /// The key's location.
    pub(super) key_span: Span,
    /// The value.
    pub(super) value: Node,
}

/// A value, classified by its layout in the source.
pub(super) enum Node {
    /// An empty value, a plain or quoted scalar, or a flow collection, with its location.
    Inline(Span),
    /// A block scalar or a block sequence.
    Block,
    /// A block mapping.
    Mapping(Mapping),
    /// A value that cannot be edited by lines: an alias, or a value with an anchor or a tag.
    Other,
}

/// Returns the block mapping that is the root of the document, or `None` if the root is something
/// else or cannot be split into lines.
pub(super) fn read(text: &str) -> Option<Mapping> {
    let mut reader = Reader { events: Parser::new_from_str(text) };
    loop {
        match reader.next()? {
            (Event::StreamStart | Event::DocumentStart(..), _) => {}
            first => {
                return match reader.node(first)? {
                    Node::Mapping(mapping) => Some(mapping),
                    _ => None,
                };
            }
        }
    }
}

struct Reader<'t> {
    events: Parser<'t, granit_parser::StrInput<'t>>,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Option<(Event<'t>, Span)> {
        let (event, span) = self.events.next()?.ok()?;
        let offset = |marker: granit_parser::Marker| marker.byte_offset();
        Some((event, Span::new(offset(span.start)?, offset(span.end)?)))
    }

    /// Returns the node that an event begins. The parser bounds the nesting.
    fn node(&mut self, (event, span): (Event<'t>, Span)) -> Option<Node> {
        Some(match event {
            Event::Scalar(_, style, anchor, tag) => match style {
                _ if anchor != 0 || tag.is_some() => Node::Other,
                ScalarStyle::Literal | ScalarStyle::Folded => Node::Block,
                _ => Node::Inline(span),
            },
            Event::SequenceStart(style, anchor, tag) => {
                let end = self.skip(1)?;
                match style {
                    _ if anchor != 0 || tag.is_some() => Node::Other,
                    StructureStyle::Block => Node::Block,
                    StructureStyle::Flow => Node::Inline(Span::new(span.start, end)),
                }
            }
            Event::MappingStart(style, anchor, tag) => {
                if anchor != 0 || tag.is_some() {
                    self.skip(1)?;
                    return Some(Node::Other);
                }
                if style == StructureStyle::Flow {
                    return Some(Node::Inline(Span::new(span.start, self.skip(1)?)));
                }
                Node::Mapping(self.mapping()?)
            }
            _ => Node::Other,
        })
    }

    fn mapping(&mut self) -> Option<Mapping> {
        let mut entries = Vec::new();
        loop {
            let (event, key_span) = self.next()?;
            let key = match event {
                Event::MappingEnd => return Some(Mapping { entries }),
                Event::Scalar(key, ScalarStyle::Literal | ScalarStyle::Folded, ..) => {
                    drop(key);
                    return None;
                }
                Event::Scalar(key, _, 0, None) => key.into_owned(),
                _ => return None,
            };
            let first = self.next()?;
            let value = self.node(first)?;
            entries.push(Entry { key, key_span, value });
        }
    }

    /// Skips to the end of `open` open collections and returns the end of the last.
    fn skip(&mut self, mut open: usize) -> Option<usize> {
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::SequenceStart(..) | Event::MappingStart(..) => open += 1,
                Event::SequenceEnd | Event::MappingEnd => open -= 1,
                _ => {}
            }
            if open == 0 {
                return Some(span.end);
            }
        }
    }
}
