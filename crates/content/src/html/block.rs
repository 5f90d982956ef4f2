//! Blocks.

use std::fmt::Write as _;

use super::{
    Destination, INCLUDE_DEPTH, INCLUDE_LIMIT, OutlineEntry, Renderer, is_web, math, safe_url,
};
use crate::document::{
    Align, Block, BlockKind, Column, Embed, Expandable, FileBlock, Heading, Hint, Image, Images,
    Inline, Integration, Length, ListItem, Node, Opaque, OpaqueKind, OpenApi, OpenApiPart,
    Reference, Tab, plain_text,
};
use crate::markdown::markup;
use crate::reference::ContentRef;

impl Renderer<'_> {
    pub(super) fn blocks(&mut self, nodes: &[Block]) {
        nodes.iter().for_each(|block| self.block(block));
    }

    fn block(&mut self, block: &Block) {
        match &block.kind {
            BlockKind::Paragraph(paragraph) => {
                self.raw("<p");
                self.align(paragraph.align);
                self.raw(">");
                self.inlines(&paragraph.nodes);
                self.raw("</p>\n");
            }
            BlockKind::Heading(heading) => self.heading(heading),
            BlockKind::OrderedList { start, items } => {
                self.raw("<ol");
                if *start != 1 {
                    self.attribute("start", &start.to_string());
                }
                self.raw(">\n");
                self.items(items, "</ol>\n");
            }
            BlockKind::UnorderedList { items } => {
                self.raw("<ul>\n");
                self.items(items, "</ul>\n");
            }
            BlockKind::TaskList { items } => {
                self.raw("<ul class=\"tasks\">\n");
                self.items(items, "</ul>\n");
            }
            BlockKind::Quote { nodes } => {
                self.raw("<blockquote>\n");
                self.blocks(nodes);
                self.raw("</blockquote>\n");
            }
            BlockKind::Hint(hint) => self.hint(hint),
            BlockKind::Code(code) => self.code(code),
            BlockKind::Math { formula } => {
                self.raw("<div class=\"math\">");
                math::push(formula, true, &mut self.html.body);
                self.raw("</div>\n");
            }
            BlockKind::Divider => self.raw("<hr>\n"),
            BlockKind::Images(images) => self.images(images),
            BlockKind::File(file) => self.file(file),
            BlockKind::Drawing(reference) => {
                self.raw("<figure class=\"image\">");
                self.image_element(reference, None, "Drawing", None, (None, None));
                self.raw("</figure>\n");
            }
            BlockKind::Embed(embed) => self.embed(embed),
            BlockKind::Table(table) => self.table(table),
            BlockKind::Expandable(expandable) => self.expandable(expandable),
            BlockKind::Tabs { items, .. } => self.tabs(items),
            BlockKind::Stepper { steps } => {
                self.raw("<ol class=\"stepper\">\n");
                for step in steps {
                    self.raw("<li class=\"step\">\n");
                    self.blocks(&step.kind.nodes);
                    self.raw("</li>\n");
                }
                self.raw("</ol>\n");
            }
            BlockKind::Columns { columns, .. } => self.columns(columns),
            BlockKind::ContentRef(reference) => {
                let name = self.name(reference);
                self.open_link(reference, Some("content-ref"));
                self.text(&name);
                self.close_link(reference);
                self.raw("\n");
            }
            BlockKind::ReusableContent(reference) => self.reusable_content(reference),
            BlockKind::If { expression, nodes } => {
                self.html.is_adaptive = true;
                if self.context.links.condition(expression) {
                    self.blocks(nodes);
                }
            }
            BlockKind::OpenApi(block) => self.open_api(block),
            BlockKind::Integration(block) => self.integration(block),
            BlockKind::Opaque(opaque) => self.opaque(opaque),
        }
    }

    fn align(&mut self, align: Option<Align>) {
        if let Some(align @ (Align::Center | Align::End)) = align {
            self.attribute("data-align", align.name());
        }
    }

    fn heading(&mut self, heading: &Heading) {
        let Heading { level, anchor, align, nodes, .. } = heading;
        let text = plain_text(nodes);
        let level = (*level).clamp(1, 3);
        let tag = level + 1;
        let _ = write!(self.html.body, "<h{tag}");
        self.attribute("id", anchor);
        self.align(*align);
        self.raw(">");
        self.inlines(nodes);
        self.raw(" <a class=\"anchor\"");
        self.attribute("href", &format!("#{anchor}"));
        self.raw(" aria-label=\"Link to this heading\">#</a>");
        let _ = writeln!(self.html.body, "</h{tag}>");
        let text = text.trim().to_owned();
        if !text.is_empty() {
            self.html.outline.push(OutlineEntry { level, id: anchor.clone(), text });
        }
    }

    fn items(&mut self, items: &[Node<ListItem>], end: &str) {
        for item in items {
            self.raw("<li>");
            if let Some(checked) = item.kind.checked {
                self.raw("<input type=\"checkbox\" disabled aria-label=\"Done\"");
                self.raw(if checked { " checked> " } else { "> " });
            }
            match item.kind.nodes.as_slice() {
                [Node { kind: BlockKind::Paragraph(paragraph), .. }, rest @ ..]
                    if rest.is_empty() || rest.iter().all(is_list) =>
                {
                    self.inlines(&paragraph.nodes);
                    if !rest.is_empty() {
                        self.raw("\n");
                    }
                    self.blocks(rest);
                }
                nodes => {
                    self.raw("\n");
                    self.blocks(nodes);
                }
            }
            self.raw("</li>\n");
        }
        self.raw(end);
    }

    fn hint(&mut self, hint: &Hint) {
        let _ = writeln!(
            self.html.body,
            "<div class=\"hint hint-{}\" role=\"note\"><div class=\"hint-icon\" \
             aria-hidden=\"true\"></div><div class=\"hint-body\">",
            hint.style.name()
        );
        self.blocks(&hint.nodes);
        self.raw("</div></div>\n");
    }

    fn images(&mut self, images: &Images) {
        let is_gallery = images.images.len() > 1;
        if is_gallery {
            self.raw("<div class=\"gallery\">\n");
        }
        for image in &images.images {
            self.figure(&image.kind, images);
        }
        if is_gallery {
            self.raw("</div>\n");
        }
    }

    fn figure(&mut self, image: &Image, images: &Images) {
        let framed = images.with_frame == Some(true);
        let full = images.full_width == Some(true);
        self.raw("<figure class=\"image");
        self.raw(if framed { " framed" } else { "" });
        self.raw(if full { " full-width\"" } else { "\"" });
        self.align(images.align);
        self.raw(">");
        let pixels = |length: &Option<Length>| {
            length.as_ref().filter(|length| length.unit.is_none()).map(|length| length.value)
        };
        let size = (pixels(&image.width), pixels(&image.height));
        let alt = image.alt.clone().unwrap_or_else(|| plain_text(&image.caption));
        self.image_element(&image.reference, image.dark.as_ref(), &alt, None, size);
        if !image.caption.is_empty() {
            self.raw("<figcaption>");
            self.inlines(&image.caption);
            self.raw("</figcaption>");
        }
        self.raw("</figure>\n");
    }

    /// A picture, with its variant for dark surroundings. Where it cannot be shown, its text.
    pub(super) fn image_element(
        &mut self,
        reference: &Reference,
        dark: Option<&Reference>,
        alt: &str,
        class: Option<&str>,
        size: (Option<f64>, Option<f64>),
    ) {
        let Some(file) = self.picture(reference) else {
            self.raw("<span class=\"broken-link\">");
            let name = if alt.is_empty() { self.name(reference) } else { alt.to_owned() };
            self.text(&name);
            return self.raw("</span>");
        };
        let dark = dark.and_then(|dark| self.picture(dark));
        if let Some(dark) = &dark {
            self.raw("<picture><source");
            self.attribute("srcset", &dark.href.replace(' ', "%20"));
            self.raw(" media=\"(prefers-color-scheme: dark)\">");
        }
        self.raw("<img");
        if let Some(class) = class {
            self.attribute("class", class);
        }
        self.attribute("src", &file.href);
        self.attribute("alt", alt);
        if let Some((width, height)) = dimensions(size, file.dimensions) {
            self.attribute("width", &width.to_string());
            self.attribute("height", &height.to_string());
        } else if let Some(width) = size.0 {
            self.attribute("width", &format!("{:.0}", width.clamp(1.0, 10_000.0)));
        }
        self.raw(" loading=\"lazy\" decoding=\"async\">");
        if dark.is_some() {
            self.raw("</picture>");
        }
    }

    fn file(&mut self, file: &FileBlock) {
        let FileBlock { reference, caption } = file;
        let link = match &reference.target {
            ContentRef::File { file } => self.context.links.file(file),
            _ => None,
        };
        let Some(link) = link else {
            self.raw("<p><span class=\"broken-link\">");
            let name = self.name(reference);
            self.text(&name);
            return self.raw("</span></p>\n");
        };
        self.raw("<a class=\"file\"");
        self.attribute("href", &link.href);
        self.raw(" download>");
        self.text(&link.name);
        if let Some(size) = link.size {
            self.raw(" <span class=\"file-size\">");
            self.text(&readable_size(size));
            self.raw("</span>");
        }
        self.raw("</a>\n");
        self.caption(caption);
    }

    fn caption(&mut self, caption: &[Inline]) {
        if !caption.is_empty() {
            self.raw("<p class=\"caption\">");
            self.inlines(caption);
            self.raw("</p>\n");
        }
    }

    fn embed(&mut self, embed: &Embed) {
        let Embed { url, caption, .. } = embed;
        match safe_url(url).filter(|url| is_web(url)) {
            Some(href) => self.link_card(href),
            None => {
                self.raw("<p><span class=\"broken-link\">");
                self.text(url);
                self.raw("</span></p>\n");
            }
        }
        self.caption(caption);
    }

    fn link_card(&mut self, url: &str) {
        let host = url.split_once("://").map_or(url, |(_, rest)| rest);
        let host = host.split(['/', '?', '#']).next().unwrap_or(host);
        let host = host.rsplit('@').next().unwrap_or(host);
        self.raw("<a class=\"embed\"");
        self.attribute("href", url);
        self.raw(" rel=\"noopener nofollow\"><span class=\"embed-host\">");
        self.text(host.strip_prefix("www.").unwrap_or(host));
        self.raw("</span> <span class=\"embed-url\">");
        self.text(url);
        self.raw("</span></a>\n");
    }

    fn expandable(&mut self, expandable: &Expandable) {
        self.raw("<details class=\"expandable\"");
        self.raw(if expandable.open { " open><summary" } else { "><summary" });
        self.attribute("id", &expandable.anchor);
        self.raw(">");
        self.inlines(&expandable.title);
        self.raw("</summary><div class=\"expandable-body\">\n");
        self.blocks(&expandable.nodes);
        self.raw("</div></details>\n");
    }

    fn tabs(&mut self, items: &[Node<Tab>]) {
        self.tabs += 1;
        let group = format!("tabs-{}", self.tabs);
        self.raw("<div class=\"tabs\">\n");
        for (index, item) in items.iter().enumerate() {
            let Tab { anchor, title, nodes, .. } = &item.kind;
            self.raw("<details");
            self.attribute("name", &group);
            self.raw(if index == 0 { " open><summary" } else { "><summary" });
            self.attribute("id", anchor);
            self.raw(">");
            match title.as_deref().filter(|title| !title.trim().is_empty()) {
                Some(title) => self.text(title),
                None => self.text(&format!("Tab {}", index + 1)),
            }
            self.raw("</summary><div class=\"tab-body\">\n");
            self.blocks(nodes);
            self.raw("</div></details>\n");
        }
        self.raw("</div>\n");
    }

    fn columns(&mut self, columns: &[Node<Column>]) {
        self.raw("<div class=\"columns\">\n");
        for column in columns {
            self.raw("<div class=\"column\"");
            if let Some(vertical) = &column.kind.vertical_alignment {
                self.attribute("data-valign", vertical);
            }
            self.raw(">\n");
            self.blocks(&column.kind.nodes);
            self.raw("</div>\n");
        }
        self.raw("</div>\n");
    }

    fn reusable_content(&mut self, reference: &Reference) {
        let ContentRef::ReusableContent { reusable_content, space } = &reference.target else {
            return;
        };
        if self.include_depth >= INCLUDE_DEPTH || self.html.includes.len() >= INCLUDE_LIMIT {
            return;
        }
        let found = self.context.links.reusable_content(reusable_content, space.as_deref());
        let Some(document) = found else { return };
        self.html.includes.push(reusable_content.clone());
        self.include_depth += 1;
        self.blocks(&document.nodes);
        self.include_depth -= 1;
    }

    fn open_api(&mut self, block: &OpenApi) {
        self.raw("<div class=\"openapi\"");
        self.attribute("id", &block.anchor);
        self.raw(">");
        let (method, name) = match &block.part {
            OpenApiPart::Swagger { path, method, .. } | OpenApiPart::Operation { path, method } => {
                (method.to_uppercase(), path.clone())
            }
            OpenApiPart::Schemas { schemas, .. } => (String::new(), schemas.join(", ")),
            OpenApiPart::Webhook { name, method } => (method.to_uppercase(), name.clone()),
        };
        if !method.is_empty() {
            self.raw("<span class=\"openapi-method\">");
            self.text(&method);
            self.raw("</span> ");
        }
        self.raw("<code>");
        self.text(&name);
        self.raw("</code></div>\n");
    }

    fn integration(&mut self, block: &Integration) {
        let url = block.url.as_deref().and_then(safe_url).filter(|url| is_web(url));
        if let Some(url) = url {
            return self.link_card(url);
        }
        let content =
            ["content", "text", "code"].iter().find_map(|name| block.props.get(*name)?.as_str());
        self.raw("<div class=\"opaque\">");
        match content {
            Some(content) => {
                self.raw("<pre tabindex=\"0\"><code>");
                self.text(content);
                self.raw("</code></pre>");
            }
            None => {
                self.raw("<p>");
                self.text(&format!("{} {}", block.integration, block.block));
                self.raw("</p>");
            }
        }
        self.raw("</div>\n");
    }

    fn opaque(&mut self, opaque: &Opaque) {
        if opaque.block == OpaqueKind::Comment {
            return;
        }
        if !opaque.nodes.is_empty() {
            self.raw("<div class=\"opaque\">\n");
            self.blocks(&opaque.nodes);
            return self.raw("</div>\n");
        }
        let text = markup::readable_text(&opaque.source);
        let paragraphs: Vec<&str> =
            text.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect();
        if paragraphs.is_empty() {
            return;
        }
        self.raw("<div class=\"opaque\">");
        for paragraph in paragraphs {
            self.raw("<p>");
            self.text(paragraph);
            self.raw("</p>");
        }
        self.raw("</div>\n");
    }

    /// The text of blocks, their paragraphs kept apart, where only a line may stand.
    pub(super) fn note_text(&mut self, nodes: &[Block]) {
        for (index, block) in nodes.iter().enumerate() {
            if index > 0 {
                self.raw("<br>");
            }
            match &block.kind {
                BlockKind::Paragraph(paragraph) => self.line(&paragraph.nodes),
                BlockKind::Heading(heading) => self.line(&heading.nodes),
                BlockKind::Code(code) => {
                    for line in &code.lines {
                        self.raw("<code>");
                        self.text(&line.kind.text);
                        self.raw("</code><br>");
                    }
                }
                BlockKind::OrderedList { items, .. }
                | BlockKind::UnorderedList { items }
                | BlockKind::TaskList { items } => {
                    items.iter().for_each(|item| self.note_text(&item.kind.nodes));
                }
                _ => {}
            }
        }
    }

    fn line(&mut self, nodes: &[Inline]) {
        self.inlines(nodes);
    }

    /// Where a block as a whole leads.
    pub(super) fn href(&self, reference: &Reference) -> Option<String> {
        match self.destination(reference) {
            Destination::Address { href, .. } => Some(href),
            Destination::Broken => None,
        }
    }
}

fn is_list(block: &Block) -> bool {
    matches!(
        block.kind,
        BlockKind::OrderedList { .. }
            | BlockKind::UnorderedList { .. }
            | BlockKind::TaskList { .. }
    )
}

/// Width and height to show, from those that are asked for and those of the picture.
fn dimensions(asked: (Option<f64>, Option<f64>), own: Option<(u32, u32)>) -> Option<(u32, u32)> {
    let whole = |number: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to the range"
        )]
        let whole = number.round().clamp(1.0, 100_000.0) as u32;
        whole
    };
    let ratio = own.filter(|(width, height)| *width > 0 && *height > 0);
    let ratio = ratio.map(|(width, height)| f64::from(width) / f64::from(height));
    match (asked.0, asked.1, ratio) {
        (Some(width), Some(height), _) => Some((whole(width), whole(height))),
        (Some(width), None, Some(ratio)) => Some((whole(width), whole(width / ratio))),
        (None, Some(height), Some(ratio)) => Some((whole(height * ratio), whole(height))),
        (None, None, Some(_)) => own,
        _ => None,
    }
}

fn readable_size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "KB")];
    match UNITS.iter().find(|(size, _)| bytes >= *size) {
        Some((size, unit)) => format!("{} {unit}", bytes.saturating_add(size / 2) / size),
        None => format!("{bytes} bytes"),
    }
}
