//! Blocks whose tags show readers the name of a target, emoji and icons.

use super::{Edits, Writer, markdown_link};
use crate::document::{
    Block, BlockKind, Document, Embed, FileBlock, Inline, InlineKind, OpenApi, OpenApiPart, Visit,
};
use crate::emoji;
use crate::html::media::readable_size;
use crate::html::{EmbedCard, safe_web_url};
use crate::markdown::next_shortcode;
use crate::rebase::escape_label;
use crate::reference::{ContentRef, Syntax};
use crate::source::Span;
use crate::syntax::tag::Tag;

impl Writer<'_> {
    /// Returns the edits for the blocks and inlines that are written anew.
    pub(super) fn blocks(&self, document: &Document) -> Edits {
        let mut collect = Collect { writer: self, edits: Vec::new(), with_emoji: None };
        document.walk(&mut collect);
        document.walk_unused_notes(&mut collect);
        collect.edits
    }

    /// Returns the link to a file with its size, as the page shows it.
    fn file_line(&self, file: &FileBlock) -> String {
        let link = match &file.reference.target {
            ContentRef::File { file } => self.shown.links.file(file),
            _ => None,
        };
        let Some(link) = link else { return markdown_link(None, &self.see(&file.reference).name) };
        let mut line = markdown_link(Some(&link.href), &link.name);
        if let Some(size) = link.size {
            line.push(' ');
            line.push_str(&readable_size(size, self.shown.links.labels()));
        }
        line
    }

    /// Returns the link to embedded content with its description.
    fn embed_line(&self, embed: &Embed) -> String {
        let Some(href) = safe_web_url(&embed.url) else { return markdown_link(None, &embed.url) };
        match self.shown.links.embed(href) {
            Some(EmbedCard { title, description, .. }) if !title.is_empty() => {
                let mut line = markdown_link(Some(href), &title);
                if !description.is_empty() {
                    line.push(' ');
                    line.push_str(&plain(&description));
                }
                line
            }
            _ => markdown_link(Some(href), href),
        }
    }

    /// Returns the operations and the link to their specification.
    fn open_api_line(&self, block: &OpenApi) -> String {
        let target = &block.reference.target;
        if let Some(whole) = self.shown.links.open_api_markdown(target, &block.part) {
            return whole.trim_end().to_owned();
        }
        let (method, names) = match &block.part {
            OpenApiPart::Swagger { path, method, .. } | OpenApiPart::Operation { path, method } => {
                (method.as_str(), std::slice::from_ref(path))
            }
            OpenApiPart::Schemas { schemas, .. } => ("", schemas.as_slice()),
            OpenApiPart::Webhook { name, method } => (method.as_str(), std::slice::from_ref(name)),
        };
        let method = (!method.is_empty()).then(|| plain(&method.to_uppercase()));
        let names = names
            .iter()
            .filter(|name| !name.is_empty())
            .map(|name| if name.contains('`') { plain(name) } else { format!("`{name}`") });
        let specification = self.shown.links.labels().specification;
        let link = self.see(&block.reference).href;
        let link = link.map(|href| markdown_link(Some(&href), specification));
        method.into_iter().chain(names).chain(link).collect::<Vec<_>>().join(" ")
    }
}

/// Escapes a text of one line for Markdown.
fn plain(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    escape_label(&line, Syntax::Link { enclosed: false })
}

struct Collect<'w> {
    writer: &'w Writer<'w>,
    edits: Edits,
    /// The last text with emoji, whose emoji all have the span of the text.
    with_emoji: Option<Span>,
}

impl Collect<'_> {
    /// Replaces a block: its tag, or the tag, the end tag and all between them.
    fn replace(&mut self, block: Span, new: String) {
        if let Some(tags) = Tags::of(self.writer.source, block) {
            let end = tags.close.map_or(tags.open.end, |close| close.end);
            self.edits.push((Span::new(tags.open.start, end), new));
        }
    }

    /// Replaces the shortcodes in a text.
    fn emoji(&mut self, text: Span) {
        let (mut rest, mut at) = (text.of(self.writer.source), text.start);
        while let Some((before, code, after)) = next_shortcode(rest) {
            let end = at + rest.len() - after.len();
            let characters = emoji::characters(&code);
            let span = Span::new(at + before.len(), end);
            self.edits.extend(characters.map(|characters| (span, characters)));
            (rest, at) = (after, end);
        }
    }

    /// Replaces the tag of a block and keeps the caption after it.
    fn replace_tag(&mut self, block: Span, new: String) {
        let source = self.writer.source;
        let Some(tags) = Tags::of(source, block) else { return };
        let Some(close) = tags.close else { return self.edits.push((tags.open, new)) };
        // The caption is a paragraph of its own. Within quotations, the end of the line suffices.
        let line = source.get(..tags.open.start).unwrap_or_default();
        let line = line.rsplit('\n').next().unwrap_or_default();
        let is_plain = line.trim().is_empty();
        self.edits.push((tags.open, if is_plain { format!("{new}\n") } else { new }));
        self.edits.push((close, String::new()));
    }
}

impl<'d> Visit<'d> for Collect<'_> {
    fn block(&mut self, block: &'d Block) {
        let writer = self.writer;
        match &block.kind {
            BlockKind::ContentRef(reference) => self.replace(block.span, writer.named(reference)),
            BlockKind::OpenApi(part) => self.replace(block.span, writer.open_api_line(part)),
            BlockKind::File(file) => self.replace_tag(block.span, writer.file_line(file)),
            BlockKind::Embed(embed) => self.replace_tag(block.span, writer.embed_line(embed)),
            _ => {}
        }
    }

    fn inline(&mut self, inline: &'d Inline) {
        let text = inline.span.of(self.writer.source);
        if matches!(inline.kind, InlineKind::Emoji { .. }) && self.with_emoji != Some(inline.span) {
            self.with_emoji = Some(inline.span);
            // The span of a text in HTML is not exact.
            if !text.contains(['<', '`']) {
                self.emoji(inline.span);
            }
        }
    }
}

/// The tags of a block in the source.
struct Tags {
    open: Span,
    close: Option<Span>,
}

impl Tags {
    /// Returns the tags at the ends of a span; `None` if the span is not exact.
    fn of(source: &str, span: Span) -> Option<Self> {
        let text = span.of(source);
        let start = text.len() - text.trim_start().len();
        let open = Tag::parse(text.get(start..)?).filter(|tag| !tag.is_end)?;
        let end = text.trim_end().len();
        let from = span.start + start;
        let open_span = Span::new(from, from + open.length);
        let rest = text.get(start + open.length..end)?;
        if rest.trim().is_empty() {
            return Some(Self { open: open_span, close: None });
        }
        let at = rest.rfind("{%")?;
        let close =
            Tag::parse(rest.get(at..)?).filter(|tag| tag.is_end && tag.name == open.name)?;
        let at = open_span.end + at;
        Some(Self { open: open_span, close: Some(Span::new(at, at + close.length)) })
    }
}
