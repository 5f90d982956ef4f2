//! Rendering of inlines: text with its marks, links and others.

use std::fmt::Write as _;
use std::sync::Arc;

use super::media::{ImageStyle, Size};
use super::table::is_long_code;
use super::tags::OpenTags;
use super::{Destination, Renderer, escape, fill, is_web, math};
use crate::document::equality::{ContentEq as _, digest};
use crate::document::{
    Annotation, Block, Button, Color, Icon, Inline, InlineImage, InlineKind, Leaf, Link, Marks,
    Reference,
};
use crate::emoji;
use crate::reference::ContentRef;

/// Returns `true` if the nodes contain nothing but spaces.
fn is_blank(nodes: &[Inline]) -> bool {
    nodes.iter().all(|node| match &node.kind {
        InlineKind::Text(leaves) => leaves.iter().all(|leaf| leaf.text.trim().is_empty()),
        _ => false,
    })
}

impl Renderer<'_> {
    pub(super) fn inlines(&mut self, nodes: &[Inline]) {
        let mut tags = OpenTags::default();
        for node in nodes {
            if !self.begin_node() {
                break;
            }
            match &node.kind {
                InlineKind::Text(leaves) => self.leaves(leaves, &mut tags),
                InlineKind::Link(link) => self.link(link),
                InlineKind::Emoji { code } => self.emoji(code),
                InlineKind::Icon(icon) => self.icon(icon),
                InlineKind::Expression { expression } => {
                    self.note_expression(expression);
                    if let Some(value) = self.context.links.expression(expression) {
                        self.text(&value);
                    }
                }
                InlineKind::Math { formula } => {
                    self.raw("<span class=\"math\">");
                    math::push(formula, false, &mut self.html.body);
                    self.raw("</span>");
                }
                InlineKind::Image(image) => self.inline_image(image),
                InlineKind::Annotation(annotation) => self.annotation(annotation),
                InlineKind::Mention(reference) => self.mention(reference),
                InlineKind::Button(button) => self.button(button),
            }
        }
        self.close_all_tags(tags);
    }

    fn leaves(&mut self, leaves: &[Leaf], tags: &mut OpenTags) {
        for leaf in leaves {
            if !self.begin_node() {
                break;
            }
            if leaf.is_markup {
                self.tag(&leaf.text, tags);
                continue;
            }
            let closing = self.open_marks(leaf.marks);
            let breaks = self.in_cell && leaf.marks.code && is_long_code(&leaf.text);
            for (at, line) in leaf.text.split('\n').enumerate() {
                if at > 0 {
                    self.raw("<br>");
                }
                match breaks {
                    true => self.text_with_breaks(line),
                    false => self.text(line),
                }
            }
            closing.iter().rev().for_each(|tag| self.raw(tag));
        }
    }

    /// Writes a text that can continue on the next line after each separator.
    fn text_with_breaks(&mut self, text: &str) {
        let separators = ['_', '-', '/', '.', ':', ',', ';', '=', '&', '?'];
        for (at, part) in text.split_inclusive(separators).enumerate() {
            if self.is_full() {
                break;
            }
            if at > 0 {
                self.raw("<wbr>");
            }
            self.text(part);
        }
    }

    /// Opens the elements of marks. Returns the matching end tags, outermost first.
    fn open_marks(&mut self, marks: Marks) -> Vec<&'static str> {
        let Marks { bold, italic, code, keyboard, strikethrough, superscript, subscript, color } =
            marks;
        let mut closing = Vec::new();
        let elements = [
            (strikethrough, "<del>", "</del>"),
            (bold, "<strong>", "</strong>"),
            (italic, "<em>", "</em>"),
            (superscript, "<sup>", "</sup>"),
            (subscript, "<sub>", "</sub>"),
            (keyboard, "<kbd>", "</kbd>"),
        ];
        for (_, open, close) in elements.into_iter().filter(|(set, ..)| *set) {
            self.raw(open);
            closing.push(close);
        }
        if let Some(color) = color {
            // Pages have no style attributes, so the nearest named colour stands in for a colour
            // without a name.
            let class = |prefix: &str, color: Color| match color.nearest() {
                Color::Default => String::new(),
                named => format!("{prefix}-{}", named.name().trim_start_matches('$')),
            };
            let classes = [class("color", color.text), class("bg", color.background)];
            let classes: Vec<&str> =
                classes.iter().map(String::as_str).filter(|c| !c.is_empty()).collect();
            self.raw("<mark");
            if !classes.is_empty() {
                self.attribute("class", &classes.join(" "));
            }
            self.raw(">");
            closing.push("</mark>");
        }
        if code {
            self.raw("<code>");
            closing.push("</code>");
        }
        closing
    }

    fn link(&mut self, link: &Link) {
        // People have no pages to link to, and a link without a text cannot be seen.
        if matches!(link.reference.target, ContentRef::User { .. }) || is_blank(&link.nodes) {
            return self.inlines(&link.nodes);
        }
        let start = self.html.body.len();
        self.open_titled_link(&link.reference, None, link.reference.name.as_deref());
        let content = self.html.body.len();
        let outer = std::mem::replace(&mut self.in_link, true);
        self.inlines(&link.nodes);
        self.in_link = outer;
        self.name_by_target(&link.reference, start, content);
        self.close_link(&link.reference);
    }

    /// Names the link that begins at `start` after its target, if its content has no text.
    fn name_by_target(&mut self, reference: &Reference, start: usize, content: usize) {
        if !self.is_named(content) && self.href(reference).is_some() {
            let name = self.name(reference);
            self.name_link(start, &name);
        }
    }

    /// Returns `true` if the HTML from this offset on has a text that can be read aloud.
    pub(super) fn is_named(&self, from: usize) -> bool {
        let mut rest = self.html.body.get(from..).unwrap_or_default();
        while let Some((text, after)) = rest.split_once('<') {
            let Some((tag, after)) = after.split_once('>') else { break };
            let has = |name: &str| {
                tag.split_once(name).is_some_and(|(_, value)| !value.trim_start().starts_with('"'))
            };
            if !text.trim().is_empty() || has(" alt=\"") || has(" aria-label=\"") {
                return true;
            }
            rest = after;
        }
        !rest.trim().is_empty()
    }

    /// Gives the link that begins at this offset a name: that of its target. Addresses are named
    /// without the parts that nobody reads.
    pub(super) fn name_link(&mut self, start: usize, name: &str) {
        let name = match name.split_once("://") {
            Some((_, address)) if is_web(name) => address.split(['?', '#']).next(),
            _ => Some(name),
        };
        let name = name.unwrap_or_default().trim().trim_end_matches('/');
        if name.is_empty() || name.len() > self.remaining_bytes() {
            return;
        }
        let mut label = " aria-label=\"".to_owned();
        escape(name, &mut label);
        label.push('"');
        self.html.body.insert_str(start + "<a".len(), &label);
    }

    /// Opens a link, or the element for a broken one.
    pub(super) fn open_link(&mut self, reference: &Reference, class: Option<&str>) {
        self.open_titled_link(reference, class, None);
    }

    fn open_titled_link(
        &mut self,
        reference: &Reference,
        class: Option<&str>,
        title: Option<&str>,
    ) {
        let href = self.href(reference);
        self.raw(if href.is_some() { "<a" } else { "<span class=\"broken-link\"" });
        if let Some(href) = href {
            if let Some(class) = class {
                self.attribute("class", class);
            }
            self.attribute("href", &href);
            if is_web(&href) {
                self.attribute("rel", "noopener nofollow");
            }
        }
        if let Some(title) = title {
            self.attribute("title", title);
        }
        self.raw(">");
    }

    pub(super) fn close_link(&mut self, reference: &Reference) {
        match self.destination(reference) {
            Destination::Address { .. } => self.raw("</a>"),
            Destination::Broken => self.raw("</span>"),
        }
    }

    fn mention(&mut self, reference: &Reference) {
        let name = self.name(reference);
        if let ContentRef::User { .. } = reference.target {
            self.raw("<span class=\"mention user\">");
            self.text(&name);
            return self.raw("</span>");
        }
        self.open_link(reference, Some("mention"));
        self.text(&name);
        self.close_link(reference);
    }

    fn button(&mut self, button: &Button) {
        let kind = if button.primary { "button button-primary" } else { "button button-secondary" };
        // A button that needs a script is shown as its label only.
        if button.action.is_some() || button.reference.raw == "#" {
            self.raw("<span");
            self.attribute("class", kind);
            self.raw(">");
            self.button_label(button);
            return self.raw("</span>");
        }
        let start = self.html.body.len();
        self.open_link(&button.reference, Some(kind));
        let content = self.html.body.len();
        self.button_label(button);
        self.name_by_target(&button.reference, start, content);
        self.close_link(&button.reference);
    }

    fn button_label(&mut self, button: &Button) {
        if let Some(icon) = &button.icon {
            self.icon(&Icon { icon: icon.clone(), color: None });
        }
        self.text(&button.label);
    }

    fn emoji(&mut self, code: &str) {
        let Some(characters) = emoji::characters(code) else {
            return;
        };
        self.raw("<span class=\"emoji\" role=\"img\"");
        self.attribute("aria-label", emoji::name(code).unwrap_or("emoji"));
        self.raw(">");
        self.text(&characters);
        self.raw("</span>");
    }

    pub(super) fn icon(&mut self, icon: &Icon) {
        self.raw("<span");
        match icon.color {
            Some(color) if color != Color::Default => {
                let name = color.name().trim_start_matches('$');
                self.attribute("class", &format!("icon color-{name}"));
            }
            _ => self.attribute("class", "icon"),
        }
        self.attribute("data-icon", &icon.icon);
        self.raw(" aria-hidden=\"true\"></span>");
    }

    fn inline_image(&mut self, image: &InlineImage) {
        let is_small = image.original_size == Some(false);
        let class = if is_small { "inline" } else { "inline original" };
        let alt = image.alt.as_deref().or(image.caption.as_deref()).unwrap_or_default();
        let size = Size::of(image.width.as_ref(), image.height.as_ref());
        let style = ImageStyle { class: Some(class), size, ..ImageStyle::default() };
        self.image_element(&image.reference, image.dark.as_ref(), alt, style);
    }

    /// Renders annotated text, followed by a mark that opens its note. The notes are at the end of
    /// the page, as blocks cannot be part of a line.
    fn annotation(&mut self, annotation: &Annotation) {
        let number = self.notes_before + self.number_of(&annotation.body) + 1;
        self.raw("<span class=\"annotation\">");
        let mut tags = OpenTags::default();
        self.leaves(&annotation.leaves, &mut tags);
        self.close_all_tags(tags);
        let _ = write!(
            self.html.body,
            "</span><button type=\"button\" class=\"note-mark\" popovertarget=\"B--note-{number}\""
        );
        self.attribute("aria-label", &fill(self.labels().note, number));
        let _ = write!(self.html.body, ">{number}</button>");
    }

    /// Returns the index of a note among those of the page. A repeated note has other keys but the
    /// same content.
    fn number_of(&mut self, body: &Arc<Vec<Block>>) -> usize {
        let alike = self.notes_by_digest.entry(digest(body)).or_default();
        let notes = &self.notes;
        let mut known = alike
            .iter()
            .copied()
            .filter(|at| notes.get(*at).is_some_and(|note| note.content_eq(body)));
        if let Some(at) = known.next() {
            return at;
        }
        alike.push(notes.len());
        self.notes.push(Arc::clone(body));
        self.notes.len() - 1
    }

    /// Writes each note of the page once. Notes can refer to further notes.
    pub(super) fn write_notes(&mut self) {
        let mut at = 0;
        while let Some(note) = self.notes.get(at).map(Arc::clone) {
            if self.is_full() {
                break;
            }
            at += 1;
            let number = self.notes_before + at;
            let _ = write!(self.html.body, "<aside class=\"note\" id=\"B--note-{number}\" popover");
            self.attribute("aria-label", &fill(self.labels().note, number));
            self.raw(">\n");
            self.blocks(&note);
            self.raw("</aside>\n");
        }
    }
}
