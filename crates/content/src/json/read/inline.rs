//! Reading inlines and marks from JSON.

use std::sync::Arc;

use serde_json::Value;

use super::{At, Object, Reader, TEXT_LIMIT};
use crate::document::{
    Annotation, Button, Color, ColorMark, Icon, Inline, InlineImage, InlineKind, Leaf, Link, Marks,
    Node,
};
use crate::source::Span;

const TYPES: &str = "link, emoji, icon, expression, inline-math, inline-image, annotation, \
                     mention, button";

/// The inlines that a line can contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineContext {
    Anything,
    /// Text, annotations and expressions.
    InCode,
    /// Text and images.
    InLink,
    /// Only text.
    Text,
}

impl Reader<'_> {
    /// Reads the `nodes` of `object` as a line of inlines.
    pub(super) fn line(
        &mut self,
        object: &Object<'_>,
        allowed: LineContext,
    ) -> Option<Vec<Inline>> {
        let Some(at) = object.at("nodes") else {
            return self.missing(object, "nodes", "an array of texts and inlines");
        };
        let nodes = self.list(at, |reader, at| reader.inline(at, allowed))?;
        Some(join_texts(nodes))
    }

    fn inline(&mut self, at: At<'_>, allowed: LineContext) -> Option<Inline> {
        let object = self.object(at)?;
        self.count(&at)?;
        let key = self.key(&object);
        let kind = match object.get("object").and_then(Value::as_str) {
            Some("text") => InlineKind::Text(self.leaves(&object)?),
            Some("inline") => self.inline_kind(&object, allowed)?,
            Some("block") => {
                return self.fail(
                    &at,
                    "a block is not allowed within a line; put it beside the paragraph",
                );
            }
            _ => {
                let at = object.child("object");
                return self.fail(&at, "\"object\" is \"text\" or \"inline\" here");
            }
        };
        Some(Node { key, span: Span::default(), kind })
    }

    fn inline_kind(&mut self, object: &Object<'_>, allowed: LineContext) -> Option<InlineKind> {
        let name = self.name(object, "type")?;
        let (fits, what) = match allowed {
            LineContext::Anything => (true, ""),
            LineContext::InCode => (
                matches!(name.as_str(), "annotation" | "expression"),
                "text, annotation, expression",
            ),
            LineContext::InLink => (name == "inline-image", "text, inline-image"),
            LineContext::Text => (false, "text"),
        };
        if !fits {
            return self.fail(
                &object.at,
                format!("\"{name}\" is not allowed here; allowed types: {what}"),
            );
        }
        if name == "annotation" {
            return self.annotation(object);
        }
        let Some(data) = object.at("data") else {
            return self.missing(object, "data", "an object");
        };
        let data = self.object(data)?;
        Some(match name.as_str() {
            "link" => {
                let reference = self.reference(&data, "ref");
                let nodes = self.line(object, LineContext::InLink);
                InlineKind::Link(Box::new(Link { reference: reference?, nodes: nodes? }))
            }
            "emoji" => InlineKind::Emoji { code: self.name(&data, "code")? },
            "icon" => {
                let color = self.color(&data, "color");
                InlineKind::Icon(Box::new(Icon { icon: self.name(&data, "icon")?, color }))
            }
            "expression" => InlineKind::Expression { expression: self.expression(&data)? },
            "inline-math" => {
                InlineKind::Math { formula: self.long_text(&data, "formula", TEXT_LIMIT)? }
            }
            "inline-image" => {
                let dark = data.at("refDark").and_then(|at| self.reference_at(at));
                let sizes = [("original", true), ("line", false)];
                InlineKind::Image(Box::new(InlineImage {
                    reference: self.reference(&data, "ref")?,
                    dark,
                    caption: self.optional_name(&data, "caption"),
                    alt: self.optional_name(&data, "alt"),
                    original_size: self.choice(&data, "size", &sizes),
                    width: self.length(&data, "width"),
                    height: self.length(&data, "height"),
                }))
            }
            "mention" => InlineKind::Mention(Box::new(self.reference(&data, "ref")?)),
            "button" => {
                let kinds = [("primary", true), ("secondary", false)];
                let Some(primary) = self.choice(&data, "kind", &kinds) else {
                    if data.at("kind").is_some() {
                        return None;
                    }
                    return self.missing(&data, "kind", "primary or secondary");
                };
                let query = self.optional_name(&data, "query");
                let action = self.optional_name(&data, "action").map(|action| (action, query));
                InlineKind::Button(Box::new(Button {
                    label: self.name(&data, "label")?,
                    primary,
                    icon: self.optional_name(&data, "icon"),
                    reference: self.reference(&data, "ref")?,
                    action,
                }))
            }
            _ => return self.unknown(object, "type", TYPES),
        })
    }

    fn annotation(&mut self, object: &Object<'_>) -> Option<InlineKind> {
        if let Some(data) = object.at("data") {
            let data = self.object(data)?;
            self.reject_unknown_keys(&data, &[]);
        }
        let leaves = self
            .line(object, LineContext::Text)?
            .into_iter()
            .flat_map(|node| match node.kind {
                InlineKind::Text(leaves) => leaves,
                _ => Vec::new(),
            })
            .collect();
        let body = self.fragment_blocks(object, "annotation-body", 6)?;
        self.annotations += 1;
        let label = self.annotations.to_string();
        let annotation = Annotation { label, leaves, body: Arc::new(body) };
        Some(InlineKind::Annotation(Box::new(annotation)))
    }

    /// Reads the leaves of a text node. Skips empty leaves.
    pub(super) fn leaves(&mut self, object: &Object<'_>) -> Option<Vec<Leaf>> {
        let Some(at) = object.at("leaves") else {
            return self.missing(object, "leaves", "an array of leaves");
        };
        self.list(at, |reader, at| {
            let object = reader.object(at)?;
            reader.count(&at)?;
            if object.get("object").and_then(Value::as_str) != Some("leaf") {
                return reader.fail(&object.child("object"), "\"object\" is \"leaf\" here");
            }
            let text = super::normalized_text(&reader.long_text(&object, "text", TEXT_LIMIT)?);
            let marks = match object.at("marks") {
                Some(marks) => reader.marks(marks)?,
                None => return reader.missing(&object, "marks", "an array, empty without marks"),
            };
            let markup = match object.at("markup") {
                Some(markup) => reader.string(&markup, TEXT_LIMIT),
                None => None,
            };
            // Text that is not a tag would be parsed as something else.
            let markup = markup.filter(|source| crate::syntax::is_inline_markup(source));
            Some(match markup {
                Some(source) => Leaf { text: source, marks, is_markup: true },
                None => Leaf { text, marks, is_markup: false },
            })
        })
    }

    fn marks(&mut self, at: At<'_>) -> Option<Marks> {
        let mut marks = Marks::default();
        self.list(at, |reader, at| {
            let object = reader.object(at)?;
            if object.get("object").and_then(Value::as_str) != Some("mark") {
                return reader.fail(&object.child("object"), "\"object\" is \"mark\" here");
            }
            match reader.name(&object, "type")?.as_str() {
                "bold" => marks.bold = true,
                "italic" => marks.italic = true,
                "code" => marks.code = true,
                "keyboard" => marks.keyboard = true,
                "strikethrough" => marks.strikethrough = true,
                "superscript" => marks.superscript = true,
                "subscript" => marks.subscript = true,
                "color" => {
                    let Some(data) = object.at("data") else {
                        return reader.missing(&object, "data", "an object with the two colours");
                    };
                    let data = reader.object(data)?;
                    let text = reader.color_or_hex(&data, "text", "textHex");
                    let background = reader.color_or_hex(&data, "background", "backgroundHex");
                    marks.color = Some(ColorMark { text, background });
                }
                _ => {
                    return reader.unknown(
                        &object,
                        "type",
                        "bold, italic, code, keyboard, strikethrough, color, superscript, subscript",
                    );
                }
            }
            Some(())
        })?;
        Some(marks)
    }

    fn color(&mut self, object: &Object<'_>, name: &str) -> Option<Color> {
        let choices = Color::ALL.map(|color| (color.name(), color));
        self.choice(object, name, &choices)
    }

    /// Reads a colour from the property `name`, or from the hexadecimal digits in `hex` if the name
    /// gives the default colour.
    fn color_or_hex(&mut self, object: &Object<'_>, name: &str, hex: &str) -> Color {
        let named = self.color(object, name).unwrap_or_default();
        match self.optional_name(object, hex).filter(|_| named == Color::Default) {
            Some(digits) if digits.starts_with('#') => Color::from_css(&digits),
            _ => named,
        }
    }

    /// Reads a fragment that consists of one paragraph.
    pub(super) fn fragment_line(&mut self, fragment: &Object<'_>) -> Option<Vec<Inline>> {
        let Some(at) = fragment.at("nodes") else {
            return self.missing(fragment, "nodes", "an array with one paragraph");
        };
        let mut lines = self.list(at, |reader, at| {
            let object = reader.object(at)?;
            reader.count(&at)?;
            if object.get("type").and_then(Value::as_str) != Some("paragraph") {
                return reader.fail(&object.child("type"), "only a paragraph is allowed here");
            }
            reader.line(&object, LineContext::Anything)
        })?;
        if lines.len() > 1 {
            return self.fail(&at, "only one paragraph is allowed here");
        }
        Some(lines.pop().unwrap_or_default())
    }

    /// Reads an optional string. Treats an empty string as absent.
    pub(super) fn non_empty_name(&mut self, object: &Object<'_>, name: &str) -> Option<String> {
        let at = object.at(name)?;
        self.string(&at, TEXT_LIMIT).filter(|text| !text.is_empty())
    }
}

/// Removes empty texts and joins neighbouring leaves with equal marks.
fn join_texts(nodes: Vec<Inline>) -> Vec<Inline> {
    let mut joined: Vec<Inline> = Vec::with_capacity(nodes.len());
    for mut node in nodes {
        if let InlineKind::Text(leaves) = &mut node.kind {
            let mut kept: Vec<Leaf> = Vec::with_capacity(leaves.len());
            for leaf in std::mem::take(leaves).into_iter().filter(|leaf| !leaf.text.is_empty()) {
                match kept.last_mut() {
                    Some(last) if last.marks == leaf.marks && last.is_markup == leaf.is_markup => {
                        last.text.push_str(&leaf.text);
                    }
                    _ => kept.push(leaf),
                }
            }
            if kept.is_empty() {
                continue;
            }
            *leaves = kept;
        }
        joined.push(node);
    }
    joined
}
