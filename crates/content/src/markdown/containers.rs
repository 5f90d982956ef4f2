//! Pairs block tags within a container and builds blocks from the content between them.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::block::{or_empty_paragraph, unindented};
use super::{ParseState, SourceMap};
use crate::api_method;
use crate::document::{
    Block, BlockKind, Code, Column, Embed, Expandable, FileBlock, Hint, HintStyle, Image, Images,
    Inline, InlineKind, Integration, Leaf, Length, Node, Opaque, OpaqueKind, OpenApi, OpenApiPart,
    Step, Tab, plain_text,
};
use crate::reference::ContentRef;
use crate::source::Span;
use crate::syntax::tag::{self, Tag};
use crate::work;

/// A part of a container's content, before its tags are paired.
pub(super) enum Piece {
    /// A block.
    Block(Block),
    /// A tag that may open a container, or that stands alone.
    Open(Tag, Span),
    /// A tag that closes a container.
    Close(Tag, Span),
    /// The title of an expandable block.
    Summary(Vec<Inline>, Span),
    /// The possible start of an image group, without images yet.
    ImageGroup(Images, Span),
    /// The possible end of an image group.
    EndImageGroup(Span),
    /// A piece that has been consumed.
    Consumed,
}

/// Builds blocks from `pieces`, whose spans are relative to `source` at `place`.
pub(super) fn build(
    pieces: Vec<Piece>,
    source: &str,
    map: SourceMap<'_>,
    state: &ParseState<'_>,
) -> Vec<Block> {
    let pieces = image_groups(pieces, source, map, state);
    let is_plain = pieces.iter().all(|piece| matches!(piece, Piece::Block(_)));
    if is_plain {
        let blocks = pieces.into_iter().filter_map(|piece| match piece {
            Piece::Block(block) => Some(block),
            _ => None,
        });
        // Collected in place, where a piece is larger than a block.
        let mut blocks: Vec<Block> = blocks.collect();
        blocks.shrink_to_fit();
        return blocks;
    }
    let partners = pair(&pieces);
    let mut builder = BlockBuilder { pieces, partners, part: "", source, map, state };
    let end = builder.pieces.len();
    let parts = builder.build(0, end);
    builder.blocks(parts)
}

/// Builds one image block from the images between the tags of a group. Other such tags become
/// opaque.
fn image_groups(
    pieces: Vec<Piece>,
    source: &str,
    map: SourceMap<'_>,
    state: &ParseState<'_>,
) -> Vec<Piece> {
    if !pieces.iter().any(|piece| matches!(piece, Piece::ImageGroup(..) | Piece::EndImageGroup(_)))
    {
        return pieces;
    }
    let mut kept: Vec<Piece> = Vec::with_capacity(pieces.len());
    // The start of a group that contains only images so far.
    let mut open: Option<usize> = None;
    for piece in pieces {
        match piece {
            Piece::ImageGroup(..) => {
                open = Some(kept.len());
                kept.push(piece);
            }
            Piece::EndImageGroup(end) => {
                let start = open.take().filter(|start| start + 1 < kept.len());
                let Some(start) = start else {
                    kept.push(Piece::Block(opaque(end, source, map, state)));
                    continue;
                };
                let mut pieces = kept.split_off(start).into_iter();
                if let Some(Piece::ImageGroup(mut group, at)) = pieces.next() {
                    group.images = pieces.flat_map(images_of).collect();
                    let span = map.span(Span::new(at.start, end.end));
                    kept.push(Piece::Block(Node::new(span, BlockKind::Images(Box::new(group)))));
                }
            }
            piece => {
                if !matches!(&piece, Piece::Block(block) if is_ungrouped_images(block)) {
                    open = None;
                }
                kept.push(piece);
            }
        }
    }
    for piece in &mut kept {
        if let Piece::ImageGroup(_, span) = piece {
            *piece = Piece::Block(opaque(*span, source, map, state));
        }
    }
    kept
}

/// Returns `true` if a block consists of images without group attributes.
fn is_ungrouped_images(block: &Block) -> bool {
    match &block.kind {
        BlockKind::Images(images) => {
            images.align.is_none() && images.full_width.is_none() && images.with_frame.is_none()
        }
        _ => false,
    }
}

fn images_of(piece: Piece) -> Vec<Node<Image>> {
    match piece {
        Piece::Block(Node { kind: BlockKind::Images(images), .. }) => images.images,
        _ => Vec::new(),
    }
}

fn opaque(span: Span, source: &str, map: SourceMap<'_>, state: &ParseState<'_>) -> Block {
    work::spend(span.len());
    let whole = map.span(span);
    let opaque = state.opaque(unindented(source, span), whole);
    Node::new(whole, BlockKind::Opaque(Box::new(opaque)))
}

/// Returns the index of the closing tag for each opening tag. If tags cross, this is the closing
/// tag of another container.
fn pair(pieces: &[Piece]) -> Vec<Option<usize>> {
    let mut partners = vec![None; pieces.len()];
    let mut ends_ahead: HashMap<&str, usize> = HashMap::new();
    for piece in pieces {
        if let Piece::Close(tag, _) = piece {
            *ends_ahead.entry(&tag.name).or_default() += 1;
        }
    }
    let mut open: Vec<usize> = Vec::new();
    let mut open_by_name: HashMap<&str, usize> = HashMap::new();
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Open(tag, _)
                if is_container(tag)
                    && ends_ahead.get(tag.name.as_str()).is_some_and(|n| *n > 0) =>
            {
                open.push(index);
                *open_by_name.entry(&tag.name).or_default() += 1;
            }
            Piece::Close(tag, _) => {
                if let Some(ahead) = ends_ahead.get_mut(tag.name.as_str()) {
                    *ahead = ahead.saturating_sub(1);
                }
                if open_by_name.get(tag.name.as_str()).is_none_or(|n| *n == 0) {
                    continue;
                }
                while let Some(opened) = open.pop() {
                    work::spend(1);
                    let Some(Piece::Open(inner, _)) = pieces.get(opened) else {
                        continue;
                    };
                    if let Some(count) = open_by_name.get_mut(inner.name.as_str()) {
                        *count = count.saturating_sub(1);
                    }
                    let is_own = inner.name == tag.name;
                    let ends_later = ends_ahead.get(inner.name.as_str()).is_some_and(|n| *n > 0);
                    let captioned = is_captioned(inner);
                    let fits = !captioned || is_caption(pieces.get(opened + 1..index));
                    let is_closed = if is_own { fits } else { !captioned && ends_later };
                    if let Some(partner) = partners.get_mut(opened).filter(|_| is_closed) {
                        *partner = Some(index);
                    }
                    if is_own {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    partners
}

fn is_captioned(tag: &Tag) -> bool {
    matches!(tag.name.as_str(), "embed" | "file")
}

fn is_caption(pieces: Option<&[Piece]>) -> bool {
    match pieces {
        Some([] | [Piece::Consumed]) => true,
        Some([Piece::Block(block)]) => matches!(block.kind, BlockKind::Paragraph(_)),
        _ => false,
    }
}

/// Returns `true` if a tag opens or closes a container.
pub(super) fn is_container(tag: &Tag) -> bool {
    let is_block = matches!(
        tag.name.as_str(),
        "hint"
            | "code"
            | "tabs"
            | "tab"
            | "stepper"
            | "step"
            | "columns"
            | "column"
            | "embed"
            | "file"
            | "content-ref"
            | "if"
            | "openapi"
            | "swagger"
            | "openapi-operation"
            | "openapi-schemas"
            | "openapi-webhook"
            | "updates"
            | "update"
            | "prompt"
            | "details"
    );
    is_block || api_method::is_part(&tag.name)
}

/// Returns the number of JSON levels of a container. A container without blocks takes one, which
/// bounds its nesting. A container with parts includes the levels of a part, which it may have
/// without a tag.
fn levels_of(tag: &Tag, part: &str) -> usize {
    match tag.name.as_str() {
        name if name == part => 0,
        "details" | "tabs" | "stepper" | "columns" => 4,
        "hint" | "if" | "tab" | "step" | "column" => 2,
        _ => 1,
    }
}

/// Returns the name of the tags of a container's parts, or an empty string if it has none.
fn part_of(tag: &Tag) -> &'static str {
    match tag.name.as_str() {
        "tabs" => "tab",
        "stepper" => "step",
        "columns" => "column",
        _ => "",
    }
}

/// Returns `true` if tags of this name have a meaning in the dialect.
pub(super) fn is_known(name: &str) -> bool {
    let tag = Tag { name: name.to_owned(), is_end: false, rest: String::new(), length: 0 };
    is_container(&tag) || matches!(name, "include" | "page-ref")
}

/// A part of a container's content, after its tags have been paired.
enum Part {
    Block(Block),
    Summary(Vec<Inline>, Span),
    /// A part that is valid only within its parent: a tab, step, column or update.
    Item(Tag, Span, Vec<Block>),
    /// An `else` branch, which no block of the contract supports.
    Else(Block),
}

struct BlockBuilder<'f, 'c> {
    pieces: Vec<Piece>,
    partners: Vec<Option<usize>>,
    /// The tag name of the parts of the container that is being built.
    part: &'static str,
    source: &'f str,
    map: SourceMap<'f>,
    state: &'f ParseState<'c>,
}

impl BlockBuilder<'_, '_> {
    fn build(&mut self, from: usize, to: usize) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut index = from;
        while index < to {
            let piece = self.pieces.get_mut(index).map(|p| std::mem::replace(p, Piece::Consumed));
            match piece {
                Some(Piece::Block(block)) => parts.push(Part::Block(block)),
                Some(Piece::Summary(nodes, span)) => parts.push(Part::Summary(nodes, span)),
                Some(Piece::Open(tag, span)) => {
                    let partner = self.partners.get(index).copied().flatten();
                    if let Some(end) = partner.filter(|&end| end <= to) {
                        index = self.container(tag, span, index, end, &mut parts);
                        continue;
                    }
                    parts.push(self.standalone(tag, span));
                }
                Some(Piece::Close(_, span)) => parts.push(Part::Block(self.opaque(span))),
                Some(Piece::ImageGroup(..) | Piece::EndImageGroup(_) | Piece::Consumed) | None => {}
            }
            index += 1;
        }
        parts
    }

    /// Builds the container from `index` to `end`, and returns the index at which to continue.
    fn container(
        &mut self,
        tag: Tag,
        span: Span,
        index: usize,
        end: usize,
        parts: &mut Vec<Part>,
    ) -> usize {
        // A crossed container ends before the end of its parent.
        let (next, whole) = match self.pieces.get(end) {
            Some(Piece::Close(close, at)) if close.name == tag.name => {
                (end + 1, Span::new(span.start, at.end))
            }
            Some(Piece::Close(_, at)) => (end, Span::new(span.start, at.start)),
            _ => (end, span),
        };
        let state = self.state;
        let levels = levels_of(&tag, self.part);
        let outer = std::mem::replace(&mut self.part, part_of(&tag));
        let inner = state.nested(levels, || self.build(index + 1, end));
        self.part = outer;
        match inner {
            Some(inner) => parts.push(self.part(tag, span, whole, inner)),
            None => parts.push(Part::Block(self.opaque(whole))),
        }
        next
    }

    fn node(&self, span: Span, kind: BlockKind) -> Block {
        Node::new(self.map.span(span), kind)
    }

    fn opaque(&self, span: Span) -> Block {
        opaque(span, self.source, self.map, self.state)
    }

    fn opaque_of(&self, block: OpaqueKind, span: Span, nodes: Vec<Block>) -> Block {
        work::spend(span.len());
        let source = unindented(self.source, span);
        self.node(
            span,
            BlockKind::Opaque(Box::new(Opaque { block, source, nodes, references: Vec::new() })),
        )
    }

    /// Builds an opaque block whose parts can be read as blocks.
    fn readable(&self, span: Span, inner: Vec<Part>) -> Block {
        self.opaque_of(OpaqueKind::Unknown, span, self.blocks(inner))
    }

    /// Converts parts to blocks. A part outside its required parent becomes opaque.
    fn blocks(&self, parts: Vec<Part>) -> Vec<Block> {
        let mut blocks = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Part::Block(block) | Part::Else(block) => blocks.push(block),
                Part::Item(_, span, nodes) => {
                    blocks.push(self.opaque_of(OpaqueKind::Unknown, span, nodes));
                }
                Part::Summary(nodes, span) => {
                    let paragraph = crate::document::Paragraph { align: None, nodes };
                    blocks.push(self.node(span, BlockKind::Paragraph(paragraph)));
                }
            }
        }
        blocks
    }

    /// Builds a tag that stands alone, or whose closing tag is missing.
    fn standalone(&self, tag: Tag, span: Span) -> Part {
        let kind = match tag.name.as_str() {
            "include" => self.include(&tag, span),
            "embed" => self.embed(&tag, span, Vec::new()),
            "file" => self.file(&tag, span, Vec::new()),
            "page-ref" => tag.text("page").map(|page| self.content_ref(&page, span, &[])),
            "else" | "elseif" | "elif" => return Part::Else(self.opaque(span)),
            name if name.starts_with('@') => integration(&tag),
            _ => None,
        };
        Part::Block(match kind {
            Some(kind) => self.node(span, kind),
            None => self.opaque(span),
        })
    }

    fn content_ref(&self, raw: &str, span: Span, text: &[Inline]) -> BlockKind {
        let span = self.map.span(span);
        let reference = self.state.named_reference(raw, span, &plain_text(text));
        BlockKind::ContentRef(Box::new(reference))
    }

    fn include(&self, tag: &Tag, span: Span) -> Option<BlockKind> {
        let path = tag.rest.trim_matches(['"', '\'', ' ']);
        let is_quoted = tag.rest.starts_with(['"', '\'']);
        let path = if is_quoted { tag::unescape(path) } else { path.into() };
        let reference = self.state.reference(&path, self.map.span(span));
        let is_known = matches!(reference.target, ContentRef::ReusableContent { .. });
        is_known.then(|| BlockKind::ReusableContent(Box::new(reference)))
    }

    /// Returns a caption, or the one in an attribute, where older exporters write it.
    fn caption(&self, tag: &Tag, span: Span, mut caption: Vec<Inline>) -> Vec<Inline> {
        if caption.is_empty()
            && let Some(text) = tag.text("caption")
        {
            let leaf = Leaf { text, ..Leaf::default() };
            caption.push(Node::new(self.map.span(span), InlineKind::Text(vec![leaf])));
        }
        caption
    }

    fn embed(&self, tag: &Tag, span: Span, caption: Vec<Inline>) -> Option<BlockKind> {
        let url = tag.text("url")?;
        let caption = self.caption(tag, span, caption);
        let full_width = tag.flag("fullWidth");
        Some(BlockKind::Embed(Box::new(Embed { url, full_width, caption })))
    }

    fn file(&self, tag: &Tag, span: Span, caption: Vec<Inline>) -> Option<BlockKind> {
        let raw = tag.text("src")?;
        let caption = self.caption(tag, span, caption);
        let reference = self.state.reference(&raw, self.map.span(span));
        Some(match reference.target {
            ContentRef::File { .. } => BlockKind::File(Box::new(FileBlock { reference, caption })),
            _ => BlockKind::Embed(Box::new(Embed { url: raw, full_width: None, caption })),
        })
    }

    fn part(&self, tag: Tag, open: Span, whole: Span, inner: Vec<Part>) -> Part {
        let kind = match tag.name.as_str() {
            "tab" | "step" | "column" | "update" => {
                return Part::Item(tag, whole, or_empty_paragraph(self.blocks(inner)));
            }
            "hint" => Some(self.hint(&tag, inner)),
            "if" => self.condition(&tag, inner),
            "tabs" => self.tabs(&tag, inner),
            "stepper" => self.stepper(inner),
            "columns" => self.columns(&tag, inner),
            "details" => Some(self.details(&tag, inner)),
            "code" => self.code(&tag, inner),
            "embed" => self.embed(&tag, open, caption(inner)),
            "file" => self.file(&tag, open, caption(inner)),
            "content-ref" => {
                tag.text("url").map(|url| self.content_ref(&url, open, &caption(inner)))
            }
            "openapi" | "swagger" | "openapi-operation" | "openapi-schemas" | "openapi-webhook" => {
                let kind = self.open_api(&tag, open);
                if kind.is_none() && tag.name == "swagger" {
                    return Part::Block(self.readable(whole, inner));
                }
                kind
            }
            name if api_method::is_part(name) => {
                return Part::Block(self.readable(whole, inner));
            }
            "updates" | "prompt" => {
                let is_prompt = tag.name == "prompt";
                let kind = if is_prompt { OpaqueKind::Prompt } else { OpaqueKind::Updates };
                return Part::Block(self.opaque_of(kind, whole, self.blocks(inner)));
            }
            _ => None,
        };
        Part::Block(match kind {
            Some(kind) => self.node(whole, kind),
            None => self.opaque(whole),
        })
    }

    fn hint(&self, tag: &Tag, inner: Vec<Part>) -> BlockKind {
        let style = hint_style(tag.attribute("style").as_deref().unwrap_or_default());
        let hint =
            Hint { style, icon: tag.text("icon"), nodes: or_empty_paragraph(self.blocks(inner)) };
        BlockKind::Hint(Box::new(hint))
    }

    fn condition(&self, tag: &Tag, inner: Vec<Part>) -> Option<BlockKind> {
        if inner.iter().any(|part| matches!(part, Part::Else(_))) {
            return None;
        }
        Some(BlockKind::If {
            expression: tag.rest.clone(),
            nodes: or_empty_paragraph(self.blocks(inner)),
        })
    }

    /// Returns the items with this name. Other content is added to the preceding item, or to the
    /// first.
    fn items(&self, name: &str, inner: Vec<Part>) -> Vec<(Tag, Span, Vec<Block>)> {
        let mut items: Vec<(Tag, Span, Vec<Block>)> = Vec::new();
        let mut early = Vec::new();
        for part in inner {
            match part {
                Part::Item(tag, span, nodes) if tag.name == name => items.push((tag, span, nodes)),
                other => {
                    let blocks = self.blocks(vec![other]);
                    match items.last_mut() {
                        Some((_, _, nodes)) => nodes.extend(blocks),
                        None => early.extend(blocks),
                    }
                }
            }
        }
        if let Some((_, _, nodes)) = items.first_mut() {
            nodes.splice(0..0, early);
        } else if !early.is_empty() {
            let tag = Tag { name: name.to_owned(), is_end: false, rest: String::new(), length: 0 };
            let span = early.first().map(|block| block.span).unwrap_or_default();
            items.push((tag, span, early));
        }
        items
    }

    /// Builds tabs. Like the other containers with parts, returns `None` if there are no parts.
    fn tabs(&self, tag: &Tag, inner: Vec<Part>) -> Option<BlockKind> {
        let items = self.items("tab", inner).into_iter().map(|(tag, span, nodes)| {
            let tab = Tab {
                anchor: String::new(),
                title: tag.attribute("title"),
                icon: tag.text("icon"),
                nodes,
            };
            Node::new(self.map.span(span), tab)
        });
        let items: Vec<_> = items.collect();
        (!items.is_empty()).then(|| BlockKind::Tabs { full_width: tag.flag("fullWidth"), items })
    }

    fn stepper(&self, inner: Vec<Part>) -> Option<BlockKind> {
        let steps = self.items("step", inner).into_iter();
        let steps = steps.map(|(tag, span, nodes)| {
            Node::new(self.map.span(span), Step { icon: tag.text("icon"), nodes })
        });
        let steps: Vec<_> = steps.collect();
        (!steps.is_empty()).then_some(BlockKind::Stepper { steps })
    }

    fn columns(&self, tag: &Tag, inner: Vec<Part>) -> Option<BlockKind> {
        let columns = self.items("column", inner).into_iter().map(|(tag, span, nodes)| {
            let vertical =
                tag.text("valign").filter(|v| matches!(v.as_str(), "top" | "middle" | "bottom"));
            let width = tag.text("width").and_then(|width| Length::parse(&width));
            Node::new(self.map.span(span), Column { width, vertical_alignment: vertical, nodes })
        });
        let columns: Vec<_> = columns.collect();
        (!columns.is_empty())
            .then(|| BlockKind::Columns { full_width: tag.flag("fullWidth"), columns })
    }

    fn details(&self, tag: &Tag, inner: Vec<Part>) -> BlockKind {
        let mut title = None;
        let mut rest = Vec::with_capacity(inner.len());
        for part in inner {
            match part {
                Part::Summary(nodes, _) if title.is_none() => title = Some(nodes),
                other => rest.push(other),
            }
        }
        BlockKind::Expandable(Box::new(Expandable {
            anchor: String::new(),
            open: tag.rest == "open",
            title: title.unwrap_or_default(),
            nodes: or_empty_paragraph(self.blocks(rest)),
        }))
    }

    fn code(&self, tag: &Tag, inner: Vec<Part>) -> Option<BlockKind> {
        let mut inner = inner.into_iter();
        let (Some(Part::Block(block)), None) = (inner.next(), inner.next()) else {
            return None;
        };
        let BlockKind::Code(code) = block.kind else {
            return None;
        };
        Some(BlockKind::Code(Box::new(Code {
            title: tag.text("title"),
            wrap: tag.text("overflow").map(|overflow| overflow == "wrap"),
            line_numbers: tag.flag("lineNumbers"),
            full_width: tag.flag("fullWidth"),
            expandable: tag.flag("expandable"),
            collapsed_line_count: tag
                .text("collapsedLineCount")
                .and_then(|count| count.parse().ok()),
            ..*code
        })))
    }

    fn open_api(&self, tag: &Tag, span: Span) -> Option<BlockKind> {
        let text = |name: &str| tag.text(name).unwrap_or_default();
        let span = self.map.span(span);
        let part = match tag.name.as_str() {
            "openapi" | "swagger" => {
                let source = tag.text("src")?;
                let reference = self.state.reference(&source, span);
                let part = OpenApiPart::Swagger {
                    path: text("path"),
                    method: text("method"),
                    expanded: tag.flag("expanded"),
                    full_width: tag.flag("fullWidth"),
                };
                let block = OpenApi { part, reference, anchor: String::new() };
                return Some(BlockKind::OpenApi(Box::new(block)));
            }
            "openapi-operation" => {
                OpenApiPart::Operation { path: text("path"), method: text("method") }
            }
            "openapi-schemas" => {
                let names = text("schemas");
                let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
                let schemas = names.map(str::to_owned).collect();
                OpenApiPart::Schemas { schemas, grouped: tag.flag("grouped") }
            }
            _ => OpenApiPart::Webhook { name: text("name"), method: text("method") },
        };
        let spec = tag.text("spec")?;
        let target = ContentRef::OpenApi { spec: spec.clone() };
        let reference = crate::document::Reference { raw: spec, span, target, name: None };
        Some(BlockKind::OpenApi(Box::new(OpenApi { part, reference, anchor: String::new() })))
    }
}

/// Returns the hint style with this name, or `info` for an unknown name.
pub(super) fn hint_style(name: &str) -> HintStyle {
    match name {
        "warning" | "working" => HintStyle::Warning,
        "danger" => HintStyle::Danger,
        "success" | "tip" => HintStyle::Success,
        _ => HintStyle::Info,
    }
}

/// Returns the text of the paragraph that is a caption.
fn caption(inner: Vec<Part>) -> Vec<Inline> {
    inner
        .into_iter()
        .find_map(|part| match part {
            Part::Block(Node { kind: BlockKind::Paragraph(paragraph), .. }) => {
                Some(paragraph.nodes)
            }
            _ => None,
        })
        .unwrap_or_default()
}

/// Builds the block of an integration: `@name/block key="value"`.
fn integration(tag: &Tag) -> Option<BlockKind> {
    let (integration, block) = tag.name.strip_prefix('@')?.split_once('/')?;
    if tag.name.contains(['"', '\'']) {
        return None;
    }
    let full_width = tag.flag("fullWidth");
    let props: Map<String, Value> = tag::properties(&tag.rest)
        .into_iter()
        .filter(|(name, _)| full_width.is_none() || !name.eq_ignore_ascii_case("fullWidth"))
        .map(|(name, value)| (name, Value::String(value)))
        .collect();
    let url = props.get("url").and_then(Value::as_str).map(str::to_owned);
    let (integration, block) = (integration.to_owned(), block.to_owned());
    let block = Integration { integration, block, props, url, full_width };
    Some(BlockKind::Integration(Box::new(block)))
}
