//! Reading the parts of blocks from JSON: fragments, lengths, images, lines of code.

use serde_json::Value;

use super::inline::LineContext;
use super::{At, Object, Reader};
use crate::document::{Align, Block, CodeLine, Image, Inline, InlineKind, Length, Node};
use crate::source::Span;

impl Reader<'_> {
    /// Calls `read` with the fragment called `name`, if it exists.
    pub(super) fn fragment<T>(
        &mut self,
        object: &Object<'_>,
        name: &str,
        read: impl FnOnce(&mut Self, Object<'_>) -> Option<T>,
    ) -> Option<Option<T>> {
        let Some(at) = object.at("fragments") else { return Some(None) };
        let Value::Array(fragments) = at.value else {
            return self.fail(&at, "an array of fragments is needed here");
        };
        if let Some(index) = fragments.iter().position(|fragment| !fragment.is_object()) {
            let value = fragments.get(index).unwrap_or(at.value);
            let at = At { value, parent: Some((&at, super::Step::Index(index))) };
            return self.fail(&at, "a fragment is an object");
        }
        let is_named = |value: &Value| {
            ["fragment", "type"]
                .iter()
                .any(|key| value.get(key).and_then(Value::as_str) == Some(name))
        };
        let Some(index) = fragments.iter().position(is_named) else { return Some(None) };
        let Some(value) = fragments.get(index) else { return Some(None) };
        let at = At { value, parent: Some((&at, super::Step::Index(index))) };
        self.count(&at)?;
        let object = self.object(at)?;
        read(self, object).map(Some)
    }

    /// Reads the blocks of the fragment called `name`. `levels` is the depth that the fragment
    /// adds.
    pub(super) fn fragment_blocks(
        &mut self,
        object: &Object<'_>,
        name: &str,
        levels: usize,
    ) -> Option<Vec<Block>> {
        let at = object.at;
        let blocks = self.nested(&at, levels, |reader| {
            reader.fragment(object, name, |reader, fragment| reader.non_empty_blocks(&fragment))
        })?;
        match blocks {
            Some(blocks) => Some(blocks),
            None => {
                self.fail(&object.child("fragments"), format!("the fragment \"{name}\" is missing"))
            }
        }
    }

    pub(super) fn caption(&mut self, object: &Object<'_>) -> Option<Vec<Inline>> {
        let caption =
            self.fragment(object, "caption", |reader, fragment| reader.fragment_line(&fragment))?;
        Some(caption.unwrap_or_default())
    }

    pub(super) fn align(&mut self, data: &Object<'_>) -> Option<Align> {
        let names = [("start", Align::Start), ("center", Align::Center), ("end", Align::End)];
        self.choice(data, "align", &names)
    }

    pub(super) fn length(&mut self, data: &Object<'_>, name: &str) -> Option<Length> {
        let at = data.at(name)?;
        if !at.value.is_object() {
            return Some(Length { value: self.number(&at)?, unit: None });
        }
        let object = self.object(at)?;
        let Some(value) = object.at("value") else {
            return self.missing(&object, "value", "a number");
        };
        let value = self.number(&value)?;
        let unit = self.name(&object, "unit")?;
        let unit = Some(unit).filter(|unit| !matches!(unit.as_str(), "" | "px"));
        Some(Length { value, unit })
    }

    pub(super) fn image(&mut self, at: At<'_>) -> Option<Node<Image>> {
        self.item(at, "image", |reader, object, data| {
            let dark = data.at("refDark").and_then(|at| reader.reference_at(at));
            Some(Image {
                reference: reader.reference(data, "ref")?,
                dark,
                alt: reader.non_empty_name(data, "alt"),
                width: reader.length(data, "width"),
                height: reader.length(data, "height"),
                caption: reader.caption(object)?,
            })
        })
    }

    pub(super) fn code_line(&mut self, at: At<'_>) -> Option<Node<CodeLine>> {
        self.item(at, "code-line", |reader, object, data| {
            let highlighted = reader.flag(data, "highlighted").unwrap_or(false);
            let line = CodeLine::of(highlighted, reader.line(object, LineContext::InCode)?);
            if line.text.contains('\n') {
                return reader.fail(
                    &object.at,
                    "a code line cannot contain a line feed; split it into two lines",
                );
            }
            Some(line)
        })
    }

    /// Reads a child node of the type `name`, with its key and data.
    pub(super) fn item<T>(
        &mut self,
        at: At<'_>,
        name: &str,
        read: impl FnOnce(&mut Self, &Object<'_>, &Object<'_>) -> Option<T>,
    ) -> Option<Node<T>> {
        let object = self.object(at)?;
        self.count(&at)?;
        let key = self.key(&object);
        if object.get("type").and_then(Value::as_str) != Some(name) {
            let found = object.get("type").and_then(Value::as_str).unwrap_or("none");
            let message = format!("\"type\" is \"{name}\" here, not \"{found:.100}\"");
            return self.fail(&object.child("type"), message);
        }
        let none = Value::Object(serde_json::Map::new());
        let data = match object.at("data") {
            Some(data) => self.object(data)?,
            None => self.object(At { value: &none, ..object.child("data") })?,
        };
        let kind = read(self, &object, &data)?;
        Some(Node { key, span: Span::default(), kind })
    }
}

impl CodeLine {
    /// Creates a line from inlines. If they are only plain text, `rich` is empty.
    #[must_use]
    pub fn of(highlighted: bool, pieces: Vec<Inline>) -> Self {
        let mut text = String::new();
        let mut is_plain = true;
        for piece in &pieces {
            let leaves = match &piece.kind {
                InlineKind::Text(leaves) => {
                    is_plain &= leaves
                        .iter()
                        .all(|leaf| leaf.marks == Default::default() && !leaf.is_markup);
                    leaves.as_slice()
                }
                InlineKind::Annotation(annotation) => {
                    is_plain = false;
                    annotation.leaves.as_slice()
                }
                _ => {
                    is_plain = false;
                    &[]
                }
            };
            leaves.iter().filter(|leaf| !leaf.is_markup).for_each(|leaf| text.push_str(&leaf.text));
        }
        let rich = if is_plain { Vec::new() } else { pieces };
        Self { highlighted, text, rich }
    }
}
