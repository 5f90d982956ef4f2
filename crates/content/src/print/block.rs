//! Prints blocks in the canonical style.

use std::borrow::Cow;

use super::escape::{attribute, tag_attribute, tag_property};
use super::escaping_levels::EscapingLevels;
use super::inline::{Escaping, LineKind, line};
use super::normal::{Stable, normal_with};
use super::notes::Notes;
use super::writer::Writer;
use super::{PrintContext, check, reference_text, table};
use crate::document::equality::ContentEq;
use crate::document::{
    Align, Block, BlockKind, Code, Column, Document, Embed, Expandable, FileBlock, Heading, Images,
    Inline, Length, ListItem, Node, OpenApi, OpenApiPart, Paragraph, Reference, Step, Tab,
};
use crate::reference::ContentRef;
use crate::syntax::tag;
use crate::{markdown, reference};

/// Prints blocks.
pub(super) struct Printer<'p> {
    pub(super) context: &'p PrintContext<'p>,
    pub(super) notes: &'p Notes,
    pub(super) escaping_levels: &'p EscapingLevels,
    /// The escaping of all texts, which are then not parsed to verify them. `None` for the least
    /// escaping with which each text parses correctly.
    pub(super) escaping: Option<Escaping>,
}

/// The marker characters. Adjacent lists use different ones, so that they do not merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Markers {
    pub(super) bullet: char,
    pub(super) number: char,
    pub(super) rule: &'static str,
}

pub(super) const MARKERS: Markers = Markers { bullet: '*', number: '.', rule: "***" };

/// Prints a document in its normal form, with its notes at the end.
///
/// Parses the result. Blocks that parse differently are printed again with stricter escaping, step
/// by step.
pub(super) fn document(document: &Document, context: &PrintContext<'_>, stable: &Stable) -> String {
    let reader = context.reader();
    let mut escaping_levels = EscapingLevels::default();
    loop {
        let text = print_once(document, &escaping_levels, context);
        let read = normal_with(&markdown::parse(&text, &reader), &reader, stable);
        if read.nodes.content_eq(&document.nodes)
            || !escaping_levels.raise(&document.nodes, &read.nodes)
        {
            return text;
        }
    }
}

fn print_once(
    document: &Document,
    escaping_levels: &EscapingLevels,
    context: &PrintContext<'_>,
) -> String {
    let notes = Notes::default();
    let printer = Printer { context, notes: &notes, escaping_levels, escaping: None };
    let mut writer = Writer::default();
    printer.sequence(&document.nodes, &mut writer);
    printer.pending_notes(&mut writer, !document.nodes.is_empty());
    writer.out
}

/// Maximum length in bytes of a text that is tried with every escaping level. A longer text that is
/// misread with plain escaping is printed literally, because each attempt parses it again.
const MAX_ESCAPED_BYTES: usize = 64 << 10;

impl Printer<'_> {
    /// Writes the notes that were referred to and are not written yet.
    pub(super) fn pending_notes(&self, writer: &mut Writer, mut is_after: bool) {
        while let Some(note) = self.notes.next() {
            if is_after {
                writer.blank();
            }
            is_after = true;
            self.note(&note.label, &note.body, writer);
        }
    }

    /// Writes a note with its label.
    pub(super) fn note(&self, label: &str, body: &[Block], writer: &mut Writer) {
        writer.within(&format!("[^{label}]: "), "    ", |writer| self.blocks(body, writer));
    }

    /// Writes the blocks of a container, or nothing if they are empty.
    pub(super) fn blocks(&self, blocks: &[Block], writer: &mut Writer) {
        if !is_blank_content(blocks) {
            self.sequence(blocks, writer);
        }
    }

    /// Writes blocks, separated by blank lines.
    pub(super) fn sequence(&self, blocks: &[Block], writer: &mut Writer) {
        let mut before: Option<(&Block, Markers)> = None;
        for block in blocks {
            let markers = match before {
                Some((previous, markers)) => {
                    writer.blank();
                    next_markers(previous, markers, block)
                }
                None => MARKERS,
            };
            self.block(block, markers, writer);
            before = Some((block, markers));
        }
    }

    /// Writes one block.
    pub(super) fn block(&self, block: &Block, markers: Markers, writer: &mut Writer) {
        match &block.kind {
            BlockKind::Paragraph(paragraph) => {
                writer.lines(&self.paragraph(block, paragraph, self.escaping_levels.of(block)));
            }
            BlockKind::Heading(heading) => writer.lines(&self.heading(block, heading)),
            BlockKind::UnorderedList { items } | BlockKind::TaskList { items } => {
                for item in items {
                    self.item(item, &markers.bullet.to_string(), writer);
                }
            }
            BlockKind::OrderedList { start, items } => {
                for (number, item) in (*start..).zip(items) {
                    self.item(item, &format!("{number}{}", markers.number), writer);
                }
            }
            BlockKind::Quote { nodes } => {
                writer.within("> ", "> ", |writer| self.blocks(nodes, writer));
            }
            BlockKind::Hint(hint) => {
                let mut tag = "hint".to_owned();
                tag_attribute("style", hint.style.name(), &mut tag);
                some_attribute("icon", hint.icon.as_deref(), &mut tag);
                self.tagged(&tag, "hint", &hint.nodes, writer);
            }
            BlockKind::If { expression, nodes } => {
                self.tagged(format!("if {expression}").trim_end(), "if", nodes, writer);
            }
            BlockKind::Code(code) => writer.lines(&self.code(code, self.escaping_levels.of(block))),
            BlockKind::Math { formula } => writer.lines(&format!("$$\n{formula}\n$$")),
            BlockKind::Divider => writer.lines(markers.rule),
            BlockKind::Images(images) => {
                writer.lines(&self.images(images, self.escaping_levels.of(block)))
            }
            BlockKind::File(file) => self.file(file, self.escaping_levels.of(block), writer),
            BlockKind::Drawing(reference) => {
                let mut element = "<img".to_owned();
                attribute("src", &reference_text(reference, self.context), &mut element);
                attribute("alt", reference.name.as_deref().unwrap_or_default(), &mut element);
                element.push_str(" class=\"gitbook-drawing\">");
                writer.lines(&element);
            }
            BlockKind::Embed(embed) => self.embed(embed, self.escaping_levels.of(block), writer),
            BlockKind::Table(table) => writer.lines(&table::print(block, table, self)),
            BlockKind::Expandable(expandable) => {
                self.expandable(expandable, self.escaping_levels.of(block), writer);
            }
            BlockKind::Tabs { full_width, items } => {
                let mut tag = "tabs".to_owned();
                flag_attribute("fullWidth", *full_width, &mut tag);
                tagged_items(&tag, "tabs", items, writer, |tab, writer| self.tab(tab, writer));
            }
            BlockKind::Stepper { steps } => {
                tagged_items("stepper", "stepper", steps, writer, |step, writer| {
                    self.step(step, writer);
                });
            }
            BlockKind::Columns { full_width, columns } => {
                let mut tag = "columns".to_owned();
                flag_attribute("fullWidth", *full_width, &mut tag);
                tagged_items(&tag, "columns", columns, writer, |column, writer| {
                    self.column(column, writer);
                });
            }
            BlockKind::ContentRef(reference) => self.content_ref(reference, writer),
            BlockKind::ReusableContent(reference) => {
                let mut include = "{% include \"".to_owned();
                include.push_str(&tag::escape(&reference_text(reference, self.context)));
                include.push_str("\" %}");
                writer.lines(&include);
            }
            BlockKind::OpenApi(block) => self.open_api(block, writer),
            BlockKind::Integration(block) => {
                let mut tag = format!("@{}/{}", block.integration, block.block);
                for (name, value) in &block.props {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    tag_property(name, &text, &mut tag);
                }
                flag_attribute("fullWidth", block.full_width, &mut tag);
                writer.lines(&format!("{{% {tag} %}}"));
            }
            BlockKind::Opaque(opaque) => writer.lines(&opaque.source),
        }
    }

    /// Writes one tab of a tabs block.
    pub(super) fn tab(&self, tab: &Tab, writer: &mut Writer) {
        let mut tag = "tab".to_owned();
        some_attribute("title", tab.title.as_deref(), &mut tag);
        some_attribute("icon", tab.icon.as_deref(), &mut tag);
        self.tagged(&tag, "tab", &tab.nodes, writer);
    }

    /// Writes one step of a stepper.
    pub(super) fn step(&self, step: &Step, writer: &mut Writer) {
        let mut tag = "step".to_owned();
        some_attribute("icon", step.icon.as_deref(), &mut tag);
        self.tagged(&tag, "step", &step.nodes, writer);
    }

    /// Writes one column of a columns block.
    pub(super) fn column(&self, column: &Column, writer: &mut Writer) {
        let mut tag = "column".to_owned();
        let width = column.width.as_ref().map(length_text);
        some_attribute("width", width.as_deref(), &mut tag);
        some_attribute("valign", column.vertical_alignment.as_deref(), &mut tag);
        self.tagged(&tag, "column", &column.nodes, writer);
    }

    /// Writes blocks between an opening and a closing tag.
    fn tagged(&self, tag: &str, name: &str, nodes: &[Block], writer: &mut Writer) {
        writer.lines(&format!("{{% {tag} %}}"));
        if is_blank_content(nodes) {
            writer.blank();
        }
        self.blocks(nodes, writer);
        writer.lines(&format!("{{% end{name} %}}"));
    }

    pub(super) fn item(&self, item: &Node<ListItem>, marker: &str, writer: &mut Writer) {
        let nodes = &item.kind.nodes;
        let is_tight = is_tight(nodes);
        let width = if is_tight { marker.len() + 1 } else { (marker.len() + 1).max(4) };
        let mut first = format!("{marker:width$}");
        match item.kind.checked {
            Some(true) => first.push_str("[x] "),
            Some(false) => first.push_str("[ ] "),
            None => {}
        }
        writer.within(&first, &" ".repeat(width), |writer| {
            let mut before = None;
            for (index, block) in nodes.iter().enumerate() {
                let is_empty = is_blank_content(std::slice::from_ref(block));
                let mut markers = match before {
                    Some((previous, markers)) => {
                        if !is_tight {
                            writer.blank();
                        }
                        next_markers(previous, markers, block)
                    }
                    None => MARKERS,
                };
                if index == 0 && marker == "*" {
                    // Three of the same characters in a line would be a rule outside the list.
                    markers.rule = "---";
                }
                if is_empty && nodes.len() == 1 {
                    if item.kind.checked.is_some() {
                        writer.lines("&#x20;");
                    }
                } else {
                    self.block(block, markers, writer);
                }
                before = Some((block, markers));
            }
        });
    }

    fn paragraph(&self, block: &Block, paragraph: &Paragraph, minimum: Escaping) -> String {
        if let Some(align) = paragraph.align {
            let text = self.html(&paragraph.nodes, self.escaping_levels.of(block));
            return format!("<p align=\"{}\">{text}</p>", align_name(align));
        }
        if paragraph.nodes.is_empty() {
            return "\\".to_owned();
        }
        self.with_least_escaping(block, minimum, |escaping| {
            line(&paragraph.nodes, LineKind::Paragraph, escaping, self.context, self.notes)
        })
    }

    fn heading(&self, block: &Block, heading: &Heading) -> String {
        let anchor = heading.id.as_ref().map(|id| {
            let mut anchor = "<a".to_owned();
            attribute("href", &format!("#{id}"), &mut anchor);
            attribute("id", id, &mut anchor);
            anchor + "></a>"
        });
        if let Some(align) = heading.align {
            let name = ["h2", "h2", "h3", "h4"].get(usize::from(heading.level)).unwrap_or(&"h4");
            let text = self.html(&heading.nodes, self.escaping_levels.of(block));
            let space = if anchor.is_some() && !text.is_empty() { " " } else { "" };
            let anchor = anchor.unwrap_or_default();
            let align = align_name(align);
            return format!("<{name} align=\"{align}\">{text}{space}{anchor}</{name}>");
        }
        let marks = "#".repeat(usize::from(heading.level) + 1);
        self.with_least_escaping(block, self.escaping_levels.of(block), |escaping| {
            let text = line(&heading.nodes, LineKind::Heading, escaping, self.context, self.notes);
            let parts = [marks.clone(), text, anchor.clone().unwrap_or_default()];
            let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            parts.join(" ")
        })
    }

    /// Prints a text with the least escaping, from `least` on, with which it parses correctly.
    fn with_least_escaping(
        &self,
        block: &Block,
        minimum: Escaping,
        print: impl Fn(Escaping) -> String,
    ) -> String {
        if let Some(escaping) = self.escaping {
            return print(escaping);
        }
        let mut escaping = minimum;
        loop {
            let text = print(escaping);
            let is_last = escaping.stricter().is_none() && !text.starts_with('<');
            if is_last || check::is_literal(block) || check::parses_to(&text, block, self.context) {
                return text;
            }
            if text.starts_with('<') {
                // A line that begins with a tag or a comment would be an HTML block.
                let within = format!("<span></span>{text}");
                if check::parses_to(&within, block, self.context) {
                    return within;
                }
            }
            match escaping.stricter() {
                Some(_) if text.len() > MAX_ESCAPED_BYTES => escaping = Escaping::Literal,
                Some(more) => escaping = more,
                None => return text,
            }
        }
    }

    /// Prints inlines as HTML.
    pub(super) fn html(&self, nodes: &[Inline], escaping: Escaping) -> String {
        let escaping = if escaping == Escaping::Literal { escaping } else { Escaping::Plain };
        line(nodes, LineKind::Html, escaping, self.context, self.notes)
    }

    fn code(&self, code: &Code, escaping: Escaping) -> String {
        super::code::print(code, &|nodes| self.html(nodes, escaping))
    }

    fn images(&self, images: &Images, escaping: Escaping) -> String {
        let figures = images.images.iter().map(|image| {
            let mut figure = "<figure>".to_owned();
            let image = &image.kind;
            if let Some(dark) = &image.dark {
                figure.push_str("<picture><source");
                attribute("srcset", &reference_text(dark, self.context), &mut figure);
                figure.push_str(" media=\"(prefers-color-scheme: dark)\">");
            }
            figure.push_str("<img");
            attribute("src", &reference_text(&image.reference, self.context), &mut figure);
            attribute("alt", image.alt.as_deref().unwrap_or_default(), &mut figure);
            for (name, length) in [("width", &image.width), ("height", &image.height)] {
                if let Some(length) = length {
                    attribute(name, &length_text(length), &mut figure);
                }
            }
            figure.push('>');
            if image.dark.is_some() {
                figure.push_str("</picture>");
            }
            figure.push_str("<figcaption>");
            if !image.caption.is_empty() {
                figure.push_str(&format!("<p>{}</p>", self.html(&image.caption, escaping)));
            }
            figure.push_str("</figcaption></figure>");
            figure
        });
        let figures: Vec<String> = figures.collect();
        let mut div = String::new();
        if let Some(align) = images.align {
            attribute("align", align_name(align), &mut div);
        }
        for (name, flag) in
            [("data-full-width", images.full_width), ("data-with-frame", images.with_frame)]
        {
            if let Some(flag) = flag {
                attribute(name, if flag { "true" } else { "false" }, &mut div);
            }
        }
        if div.is_empty() && figures.len() == 1 {
            return figures.concat();
        }
        format!("<div{div}>{}</div>", figures.join(" "))
    }

    fn file(&self, file: &FileBlock, escaping: Escaping, writer: &mut Writer) {
        let mut tag = "file".to_owned();
        tag_attribute("src", &reference_text(&file.reference, self.context), &mut tag);
        self.captioned((&tag, "file"), &file.caption, escaping, writer);
    }

    fn embed(&self, embed: &Embed, escaping: Escaping, writer: &mut Writer) {
        let mut tag = "embed".to_owned();
        tag_attribute("url", &embed.url, &mut tag);
        flag_attribute("fullWidth", embed.full_width, &mut tag);
        self.captioned((&tag, "embed"), &embed.caption, escaping, writer);
    }

    fn captioned(
        &self,
        (tag, name): (&str, &str),
        caption: &[Inline],
        escaping: Escaping,
        writer: &mut Writer,
    ) {
        writer.lines(&format!("{{% {tag} %}}"));
        if !caption.is_empty() {
            let paragraph = Paragraph { align: None, nodes: caption.to_vec() };
            let block = Node::new(crate::Span::default(), BlockKind::Paragraph(paragraph.clone()));
            writer.lines(&self.paragraph(&block, &paragraph, escaping));
            writer.lines(&format!("{{% end{name} %}}"));
        }
    }

    fn expandable(&self, expandable: &Expandable, escaping: Escaping, writer: &mut Writer) {
        writer.lines(if expandable.open { "<details open>" } else { "<details>" });
        writer.blank();
        writer.lines(&format!("<summary>{}</summary>", self.summary(&expandable.title, escaping)));
        writer.blank();
        if !is_blank_content(&expandable.nodes) {
            self.blocks(&expandable.nodes, writer);
            writer.blank();
        }
        writer.lines("</details>");
    }

    /// Prints the title of an expandable block. A title that looks like Markdown is parsed as
    /// Markdown, any other as HTML.
    fn summary(&self, title: &[Inline], escaping: Escaping) -> String {
        let html = self.html(title, escaping);
        if !html.contains(['*', '_', '`', '[', '~', '\\']) {
            return html;
        }
        let block = BlockKind::Expandable(Box::new(Expandable {
            anchor: String::new(),
            open: false,
            title: title.to_vec(),
            nodes: vec![Node::new(
                crate::Span::default(),
                BlockKind::Paragraph(Paragraph::default()),
            )],
        }));
        let block = Node::new(crate::Span::default(), block);
        let is_read = |text: &str| {
            let whole = format!("<details>\n\n<summary>{text}</summary>\n\n</details>");
            text.trim() == text && check::parses_to(&whole, &block, self.context)
        };
        let text = line(title, LineKind::Heading, Escaping::Plain, self.context, self.notes);
        if let Some(text) = [text, html.clone()].into_iter().find(|text| is_read(text)) {
            return text;
        }
        let special = |c| matches!(c, '*' | '_' | '`' | '[' | '~' | '\\');
        let mut written = String::with_capacity(html.len());
        for c in html.chars() {
            if special(c) { super::escape::entity(c, &mut written) } else { written.push(c) }
        }
        written
    }

    fn content_ref(&self, reference: &Reference, writer: &mut Writer) {
        let raw = reference_text(reference, self.context);
        let mut tag = "content-ref".to_owned();
        tag_attribute("url", &raw, &mut tag);
        writer.lines(&format!("{{% {tag} %}}"));
        writer.lines(&link_line(reference::label(&raw), &raw));
        writer.lines("{% endcontent-ref %}");
    }

    fn open_api(&self, block: &OpenApi, writer: &mut Writer) {
        let raw = match &block.reference.target {
            ContentRef::OpenApi { spec } => Cow::Borrowed(spec.as_str()),
            _ => reference_text(&block.reference, self.context),
        };
        let (tag, name) = open_api_tag(&block.part, &raw);
        writer.lines(&format!("{{% {tag} %}}"));
        if matches!(block.part, OpenApiPart::Swagger { .. }) {
            writer.lines(&link_line(reference::label(&raw), &raw));
        } else {
            writer.lines(&super::escape::plain(&format!("OpenAPI {raw}")));
        }
        writer.lines(&format!("{{% end{name} %}}"));
    }
}

/// Returns the tag of a part of a specification, with its name.
pub(super) fn open_api_tag(part: &OpenApiPart, raw: &str) -> (String, &'static str) {
    let name = match part {
        OpenApiPart::Swagger { .. } => "openapi",
        OpenApiPart::Operation { .. } => "openapi-operation",
        OpenApiPart::Schemas { .. } => "openapi-schemas",
        OpenApiPart::Webhook { .. } => "openapi-webhook",
    };
    let mut tag = name.to_owned();
    let is_swagger = matches!(part, OpenApiPart::Swagger { .. });
    tag_attribute(if is_swagger { "src" } else { "spec" }, raw, &mut tag);
    match part {
        OpenApiPart::Swagger { path, method, expanded, full_width } => {
            tag_attribute("path", path, &mut tag);
            tag_attribute("method", method, &mut tag);
            flag_attribute("expanded", *expanded, &mut tag);
            flag_attribute("fullWidth", *full_width, &mut tag);
        }
        OpenApiPart::Operation { path, method } => {
            tag_attribute("path", path, &mut tag);
            tag_attribute("method", method, &mut tag);
        }
        OpenApiPart::Schemas { schemas, grouped } => {
            tag_attribute("schemas", &schemas.join(","), &mut tag);
            flag_attribute("grouped", *grouped, &mut tag);
        }
        OpenApiPart::Webhook { name: webhook, method } => {
            tag_attribute("name", webhook, &mut tag);
            tag_attribute("method", method, &mut tag);
        }
    }
    (tag, name)
}

/// Prints a line that consists of a link. Its text is decoration.
fn link_line(label: &str, raw: &str) -> String {
    format!("[{}]({})", super::escape::plain(label), super::escape::destination(raw))
}

/// Writes the items of a container, separated by blank lines.
fn tagged_items<T>(
    tag: &str,
    name: &str,
    items: &[Node<T>],
    writer: &mut Writer,
    print: impl Fn(&T, &mut Writer),
) {
    writer.lines(&format!("{{% {tag} %}}"));
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            writer.blank();
        }
        print(&item.kind, writer);
    }
    writer.lines(&format!("{{% end{name} %}}"));
}

/// Returns `true` if the blocks consist of at most an empty paragraph, for which nothing is
/// written.
pub(super) fn is_blank_content(blocks: &[Block]) -> bool {
    let is_empty = |block: &Block| match &block.kind {
        BlockKind::Paragraph(paragraph) => paragraph.align.is_none() && paragraph.nodes.is_empty(),
        _ => false,
    };
    matches!(blocks, [] | [_]) && blocks.iter().all(is_empty)
}

/// Returns `true` if the blocks of an item follow each other without blank lines.
pub(super) fn is_tight(nodes: &[Block]) -> bool {
    match nodes {
        [_] => true,
        [first, second] => can_follow_directly(first, second),
        _ => false,
    }
}

/// Returns `true` if the second block can follow the first in a list item without a blank line.
pub(super) fn can_follow_directly(first: &Block, second: &Block) -> bool {
    let BlockKind::Paragraph(paragraph) = &first.kind else {
        return false;
    };
    let starts = match &second.kind {
        BlockKind::OrderedList { start: 1, items }
        | BlockKind::UnorderedList { items }
        | BlockKind::TaskList { items } => items.first(),
        _ => None,
    };
    // An empty item cannot follow text directly.
    paragraph.align.is_none()
        && !paragraph.nodes.is_empty()
        && starts
            .is_some_and(|item| item.kind.checked.is_some() || !is_blank_content(&item.kind.nodes))
}

/// Returns the markers for a block that follows another one.
pub(super) fn next_markers(previous: &Block, markers: Markers, block: &Block) -> Markers {
    let is_bullets = |kind: &BlockKind| {
        matches!(kind, BlockKind::UnorderedList { .. } | BlockKind::TaskList { .. })
    };
    let is_numbers = |kind: &BlockKind| matches!(kind, BlockKind::OrderedList { .. });
    let mut next = MARKERS;
    if is_bullets(&previous.kind) && is_bullets(&block.kind) && markers.bullet == '*' {
        next.bullet = '-';
    }
    if is_numbers(&previous.kind) && is_numbers(&block.kind) && markers.number == '.' {
        next.number = ')';
    }
    next
}

fn align_name(align: Align) -> &'static str {
    match align {
        Align::Start => "left",
        Align::Center => "center",
        Align::End => "right",
    }
}

/// Formats a length as the value of an attribute.
pub(super) fn length_text(length: &Length) -> String {
    format!("{}{}", length.value, length.unit.as_deref().unwrap_or_default())
}

pub(super) fn some_attribute(name: &str, value: Option<&str>, tag: &mut String) {
    if let Some(value) = value {
        tag_attribute(name, value, tag);
    }
}

pub(super) fn flag_attribute(name: &str, flag: Option<bool>, tag: &mut String) {
    some_attribute(name, flag.map(|flag| if flag { "true" } else { "false" }), tag);
}
