//! Serialization of inlines to the contract's JSON.

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::{Data, Datum, Fragment, FragmentContent, head};
use crate::document::{Annotation, ColorMark, Inline, InlineKind, Key, Leaf, Marks};

/// A list of inlines. An empty list is written as one empty text node, which clients expect.
pub(super) struct Text<'a>(pub(super) Key, pub(super) &'a [Inline]);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.1.is_empty() {
            return [TextNode { key: self.0.part(0), leaves: &[] }].serialize(serializer);
        }
        self.1.serialize(serializer)
    }
}

struct TextNode<'a> {
    key: Key,
    leaves: &'a [Leaf],
}

impl Serialize for TextNode<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("object", "text")?;
        map.serialize_entry("key", &self.key)?;
        if self.leaves.is_empty() {
            map.serialize_entry("leaves", &[PlainLeaf("")])?;
        } else {
            map.serialize_entry("leaves", self.leaves)?;
        }
        map.end()
    }
}

pub(super) struct PlainLeaf<'a>(pub(super) &'a str);

impl Serialize for PlainLeaf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_leaf(self.0, &Marks::default(), None, serializer)
    }
}

impl Serialize for Leaf {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let markup = self.is_markup.then_some(self.text.as_str());
        // Comments are shown as empty text, unknown tags as their source.
        let is_comment = markup.is_some_and(|source| source.starts_with("<!"));
        let text = if is_comment { "" } else { &self.text };
        serialize_leaf(text, &self.marks, markup, serializer)
    }
}

fn serialize_leaf<S: Serializer>(
    text: &str,
    marks: &Marks,
    markup: Option<&str>,
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    map.serialize_entry("object", "leaf")?;
    map.serialize_entry("text", text)?;
    map.serialize_entry("marks", marks)?;
    if let Some(markup) = markup {
        map.serialize_entry("markup", markup)?;
    }
    map.end()
}

impl Serialize for Marks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { bold, italic, code, keyboard, strikethrough, superscript, subscript, color } =
            *self;
        let mut seq = serializer.serialize_seq(None)?;
        let simple = [
            (bold, "bold"),
            (italic, "italic"),
            (strikethrough, "strikethrough"),
            (keyboard, "keyboard"),
            (superscript, "superscript"),
            (subscript, "subscript"),
            (code, "code"),
        ];
        for (_, name) in simple.into_iter().filter(|(set, _)| *set) {
            let mark = [("object", Datum::Text("mark")), ("type", Datum::Text(name))];
            seq.serialize_element(&Data(&mark))?;
        }
        if let Some(color) = color {
            seq.serialize_element(&ColorData(color))?;
        }
        seq.end()
    }
}

struct ColorData(ColorMark);

impl Serialize for ColorData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("object", "mark")?;
        map.serialize_entry("type", "color")?;
        let ColorMark { text, background } = self.0;
        // Colours without a name in the contract are added as hexadecimal digits.
        let [text_hex, background_hex] = [text.hex(), background.hex()];
        let data = [
            ("text", Datum::Text(text.name())),
            ("background", Datum::Text(background.name())),
            ("textHex", Datum::text(text_hex.as_ref())),
            ("backgroundHex", Datum::text(background_hex.as_ref())),
        ];
        map.serialize_entry("data", &Data(&data))?;
        map.end()
    }
}

impl Serialize for Inline {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let key = self.key;
        let color;
        let (name, data): (&str, Vec<(&'static str, Datum<'_>)>) = match &self.kind {
            InlineKind::Text(leaves) => return TextNode { key, leaves }.serialize(to),
            InlineKind::Annotation(annotation) => return serialize_annotation(annotation, key, to),
            InlineKind::Link(link) => {
                let mut map = to.serialize_map(None)?;
                head(&mut map, "inline", "link", key, false)?;
                let data = [("ref", Datum::Reference(&link.reference.target))];
                map.serialize_entry("data", &Data(&data))?;
                map.serialize_entry("nodes", &Text(key, &link.nodes))?;
                return map.end();
            }
            InlineKind::Emoji { code } => ("emoji", vec![("code", Datum::Text(code))]),
            InlineKind::Icon(icon) => {
                color = icon.color.map_or(Datum::Absent, |color| Datum::Text(color.name()));
                ("icon", vec![("icon", Datum::Text(&icon.icon)), ("color", color)])
            }
            InlineKind::Expression { expression } => {
                ("expression", vec![("expression", Datum::Text(expression))])
            }
            InlineKind::Math { formula } => {
                ("inline-math", vec![("formula", Datum::Text(formula))])
            }
            InlineKind::Image(image) => {
                let dark = image.dark.as_ref();
                let size = image.original_size.map(|own| if own { "original" } else { "line" });
                let data = vec![
                    ("ref", Datum::Reference(&image.reference.target)),
                    ("refDark", dark.map_or(Datum::Absent, |dark| Datum::Reference(&dark.target))),
                    ("caption", Datum::text(image.caption.as_ref())),
                    ("alt", Datum::text(image.alt.as_ref())),
                    ("size", size.map_or(Datum::Absent, Datum::Text)),
                    ("width", Datum::length(image.width.as_ref())),
                    ("height", Datum::length(image.height.as_ref())),
                ];
                ("inline-image", data)
            }
            InlineKind::Mention(reference) => {
                ("mention", vec![("ref", Datum::Reference(&reference.target))])
            }
            InlineKind::Button(button) => {
                let kind = if button.primary { "primary" } else { "secondary" };
                let action = button.action.as_ref().map(|(action, _)| action);
                let query = button.action.as_ref().and_then(|(_, query)| query.as_ref());
                let data = vec![
                    ("label", Datum::Text(&button.label)),
                    ("kind", Datum::Text(kind)),
                    ("icon", Datum::text(button.icon.as_ref())),
                    ("ref", Datum::Reference(&button.reference.target)),
                    ("action", Datum::text(action)),
                    ("query", Datum::text(query)),
                ];
                ("button", data)
            }
        };
        let mut map = to.serialize_map(None)?;
        head(&mut map, "inline", name, key, true)?;
        map.serialize_entry("data", &Data(&data))?;
        map.end()
    }
}

fn serialize_annotation<S: Serializer>(
    annotation: &Annotation,
    key: Key,
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    head(&mut map, "inline", "annotation", key, false)?;
    map.serialize_entry("data", &Data(&[]))?;
    let leaves = &annotation.leaves;
    map.serialize_entry("nodes", &[TextNode { key: key.part(0), leaves }])?;
    let content = FragmentContent::Blocks(&annotation.body);
    let body = Fragment { key: key.part(1), name: "annotation-body", has_type: true, content };
    map.serialize_entry("fragments", &[body])?;
    map.end()
}
