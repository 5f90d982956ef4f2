//! Rendering of containers, included contents, and blocks of integrations and specifications.

use std::sync::Arc;

use super::{INCLUDE_DEPTH, INCLUDE_LIMIT, OpenApiView, Renderer, fill, is_web, safe_web_url};
use crate::document::{
    BlockKind, Column, Expandable, Icon, Inline, InlineKind, Integration, Key, Length, Node,
    Opaque, OpenApi, OpenApiPart, Reference, Tab, plain_text,
};
use crate::reference::ContentRef;
use crate::syntax::tag::Tag;

/// The number of parts into which a row of columns is divided.
const GRID_COLUMNS: f64 = 24.0;

impl Renderer<'_> {
    // The id is on `<details>`, so that following a link to it opens the section.
    pub(super) fn expandable(&mut self, expandable: &Expandable, key: Key) {
        self.raw("<details class=\"expandable\"");
        self.raw(if expandable.open { " open><summary><span>" } else { "><summary><span>" });
        match plain_text(&expandable.title).trim().is_empty() && is_only_text(&expandable.title) {
            true => self.text(self.labels().details),
            false => self.inlines(&expandable.title),
        }
        self.raw("</span></summary><div class=\"expandable-body\"");
        let id = self.unique_id(&expandable.anchor);
        self.attribute("id", &id);
        self.raw(">\n");
        self.write_aliases(key);
        self.blocks(&expandable.nodes);
        self.raw("</div></details>\n");
    }

    pub(super) fn tabs(&mut self, items: &[Node<Tab>], full_width: bool) {
        self.tabs += 1;
        let group = format!("tabs-{}", self.tabs);
        self.raw(if full_width {
            "<div class=\"tabs full-width\">\n"
        } else {
            "<div class=\"tabs\">\n"
        });
        for (index, item) in items.iter().enumerate() {
            let Tab { anchor, title, icon, nodes } = &item.kind;
            self.raw("<details");
            self.attribute("name", &group);
            self.raw(if index == 0 { " open><summary>" } else { "><summary>" });
            if let Some(icon) = icon {
                self.icon(&Icon { icon: icon.clone(), color: None });
            }
            match title.as_deref().filter(|title| !title.trim().is_empty()) {
                Some(title) => self.text(title),
                None => self.text(&fill(self.labels().tab, index + 1)),
            }
            self.raw("</summary><div class=\"tab-body\"");
            let id = self.unique_id(anchor);
            self.attribute("id", &id);
            self.raw(">\n");
            self.write_aliases(item.key);
            self.blocks(nodes);
            self.raw("</div></details>\n");
        }
        self.raw("</div>\n");
    }

    pub(super) fn columns(&mut self, columns: &[Node<Column>], full_width: bool) {
        self.raw(if full_width {
            "<div class=\"columns full-width\">\n"
        } else {
            "<div class=\"columns\">\n"
        });
        for column in columns {
            self.raw("<div class=\"column\"");
            if let Some(span) = column.kind.width.as_ref().and_then(span) {
                self.attribute("data-span", &span);
            }
            if let Some(vertical) = &column.kind.vertical_alignment {
                self.attribute("data-valign", vertical);
            }
            self.raw(">\n");
            self.blocks(&column.kind.nodes);
            self.raw("</div>\n");
        }
        self.raw("</div>\n");
    }

    pub(super) fn reusable_content(&mut self, reference: &Reference) {
        let ContentRef::ReusableContent { reusable_content, space } = &reference.target else {
            return;
        };
        if self.included.len() >= INCLUDE_DEPTH {
            return;
        }
        if self.html.includes.len() >= INCLUDE_LIMIT {
            return self.truncate();
        }
        let found = self.context.links.reusable_content(reusable_content, space.as_deref());
        if self.context.links.is_exhausted() {
            return self.truncate();
        }
        let Some(document) = found else { return };
        self.html.includes.push(reusable_content.clone());
        self.included.push(Arc::clone(&document));
        self.blocks(&document.nodes);
        self.blocks(&document.unused_notes);
        self.included.pop();
    }

    /// Writes the method of an operation, if it is known.
    pub(super) fn http_method(&mut self, method: &str) {
        if !method.is_empty() {
            self.raw("<span class=\"openapi-method\"");
            self.attribute("data-method", method);
            self.raw(">");
            self.text(method);
            self.raw("</span> ");
        }
    }

    /// Writes the methods and names of the operations, and a link to the specification.
    pub(super) fn open_api(&mut self, block: &OpenApi, key: Key) {
        if let Some(view) = self.context.links.open_api(&block.reference.target, &block.part) {
            return self.open_api_view(&view, block, key);
        }
        self.raw("<div class=\"openapi\"");
        let id = self.unique_id(&block.anchor);
        self.attribute("id", &id);
        self.raw(">");
        self.write_aliases(key);
        let (method, names) = match &block.part {
            OpenApiPart::Swagger { path, method, .. } | OpenApiPart::Operation { path, method } => {
                (method.to_uppercase(), vec![path.clone()])
            }
            OpenApiPart::Schemas { schemas, .. } => (String::new(), schemas.clone()),
            OpenApiPart::Webhook { name, method } => (method.to_uppercase(), vec![name.clone()]),
        };
        self.http_method(&method);
        for (index, name) in names.iter().enumerate() {
            self.raw(if index > 0 { " <code>" } else { "<code>" });
            self.text(name);
            self.raw("</code>");
        }
        if let Some(href) = self.href(&block.reference) {
            self.raw(" <a class=\"openapi-spec\"");
            self.attribute("href", &href);
            if is_web(&href) {
                self.attribute("rel", "noopener nofollow");
            }
            self.raw(">");
            self.text(self.labels().specification);
            self.raw("</a>");
        }
        self.raw("</div>\n");
    }

    fn open_api_view(&mut self, view: &OpenApiView, block: &OpenApi, key: Key) {
        let OpenApiView { title, lead, description, details, samples } = view;
        if lead.len() + details.len() > self.remaining_bytes() {
            return self.truncate();
        }
        let id = self.unique_id(&block.anchor).into_owned();
        self.raw("<section class=\"api\">\n");
        if title.is_empty() {
            self.write_aliases(key);
            self.write_anchor(&id);
        } else {
            self.titled(2, title, &id, key);
        }
        self.raw("<div class=\"api-columns\">\n<div class=\"api-main\">\n");
        self.raw(lead);
        if let Some(description) = description {
            self.raw("<div class=\"api-description\">\n");
            self.blocks(&description.nodes);
            self.raw("</div>\n");
        }
        self.raw(details);
        self.raw("</div>\n");
        if let Some(samples) = samples {
            self.raw("<div class=\"api-side\">\n");
            self.blocks(&samples.nodes);
            self.raw("</div>\n");
        }
        self.raw("</div>\n</section>\n");
    }

    pub(super) fn integration(&mut self, block: &Integration) {
        let url = block.url.as_deref().and_then(safe_web_url);
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

    /// Writes a prompt for an AI assistant: its description, and its text in one selectable
    /// element.
    pub(super) fn prompt(&mut self, prompt: &Opaque) {
        let tag = Tag::parse(&prompt.source);
        self.raw("<section class=\"prompt\"><div class=\"prompt-head\">");
        let icon = tag.as_ref().and_then(|tag| tag.text("icon"));
        self.icon(&Icon { icon: icon.unwrap_or_else(|| "sparkles".to_owned()), color: None });
        self.raw("<span>");
        let description = tag.as_ref().and_then(|tag| tag.text("description"));
        self.text(description.as_deref().unwrap_or(self.labels().prompt));
        self.raw("</span></div>\n");
        for block in &prompt.nodes {
            let BlockKind::Code(code) = &block.kind else {
                self.blocks(std::slice::from_ref(block));
                continue;
            };
            self.raw("<pre class=\"prompt-text\" tabindex=\"0\">");
            for (index, line) in code.lines.iter().enumerate() {
                // HTML drops a line break directly after the start tag.
                self.raw(if index > 0 || line.kind.text.is_empty() { "\n" } else { "" });
                self.text(&line.kind.text);
            }
            self.raw("</pre>\n");
        }
        self.raw("</section>\n");
    }
}

/// Returns `true` if there is nothing but text.
fn is_only_text(nodes: &[Inline]) -> bool {
    nodes.iter().all(|node| matches!(node.kind, InlineKind::Text(_)))
}

/// Returns the number of parts of the row that a column occupies.
fn span(width: &Length) -> Option<String> {
    let percent = (width.unit.as_deref() == Some("%")).then_some(width.value)?;
    let parts = (percent / 100.0 * GRID_COLUMNS).round();
    (1.0..GRID_COLUMNS).contains(&parts).then(|| format!("{parts:.0}"))
}
