//! Serialization of documents to the contract's JSON.
//!
//! Every node has its key, text leaves always have `marks`, and `data` is present wherever clients
//! read it, even if it is empty.

mod inline;
mod table;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use self::inline::{PlainLeaf, Text};
use self::table::serialize_table;
use super::OWN_INTEGRATION;
use crate::document::{
    Align, Block, BlockKind, Code, CodeLine, Column, Document, Embed, Expandable, Heading, Hint,
    Image, Images, Inline, Integration, Key, Length, ListItem, Node, Opaque, OpaqueKind, OpenApi,
    OpenApiPart, Step, Tab,
};
use crate::reference::ContentRef;

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("object", "document")?;
        map.serialize_entry("data", &Data(&[("schemaVersion", Datum::Count(8))]))?;
        map.serialize_entry("nodes", &self.nodes)?;
        map.end()
    }
}

/// A value of a `data` object. `Absent` values are omitted.
enum Datum<'a> {
    Absent,
    Text(&'a str),
    Flag(bool),
    Count(u64),
    Number(f64),
    Length(&'a Length),
    Reference(&'a ContentRef),
    Texts(&'a [String]),
    Map(&'a Map<String, Value>),
}

impl<'a> Datum<'a> {
    fn text(text: Option<&'a String>) -> Self {
        text.map_or(Self::Absent, |text| Self::Text(text))
    }

    fn flag(flag: Option<bool>) -> Self {
        flag.map_or(Self::Absent, Self::Flag)
    }

    fn length(length: Option<&'a Length>) -> Self {
        length.map_or(Self::Absent, Self::Length)
    }

    fn align(align: Option<Align>) -> Self {
        align.map_or(Self::Absent, |align| Self::Text(align.name()))
    }
}

impl Serialize for Datum<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent => serializer.serialize_none(),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Count(count) => serializer.serialize_u64(*count),
            Self::Number(number) => serialize_number(*number, serializer),
            Self::Length(length) => length.serialize(serializer),
            Self::Reference(reference) => reference.serialize(serializer),
            Self::Texts(texts) => texts.serialize(serializer),
            Self::Map(map) => map.serialize(serializer),
        }
    }
}

/// Writes whole numbers without a fraction.
fn serialize_number<S: Serializer>(number: f64, serializer: S) -> Result<S::Ok, S::Error> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "whole and in the exact range")]
        let whole = number as i64;
        serializer.serialize_i64(whole)
    } else {
        serializer.serialize_f64(number)
    }
}

struct Data<'a>(&'a [(&'static str, Datum<'a>)]);

impl Serialize for Data<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.0.iter().filter(|(_, value)| !matches!(value, Datum::Absent)) {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Serialize for Length {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.unit {
            None => serialize_number(self.value, serializer),
            Some(unit) => {
                Data(&[("value", Datum::Number(self.value)), ("unit", Datum::Text(unit))])
                    .serialize(serializer)
            }
        }
    }
}

fn head<M: SerializeMap>(
    map: &mut M,
    object: &str,
    name: &str,
    key: Key,
    is_void: bool,
) -> Result<(), M::Error> {
    map.serialize_entry("object", object)?;
    map.serialize_entry("type", name)?;
    map.serialize_entry("key", &key)?;
    map.serialize_entry("isVoid", &is_void)
}

/// The properties of a block's JSON that depend on its type.
struct Shape<'a> {
    name: &'static str,
    is_void: bool,
    data: &'a [(&'static str, Datum<'a>)],
}

impl<'a> Shape<'a> {
    fn container(name: &'static str, data: &'a [(&'static str, Datum<'a>)]) -> Self {
        Self { name, is_void: false, data }
    }

    fn void(name: &'static str, data: &'a [(&'static str, Datum<'a>)]) -> Self {
        Self { name, is_void: true, data }
    }

    fn write<S: Serializer>(self, to: S, key: Key) -> Result<S::Ok, S::Error> {
        self.open(to, key)?.end()
    }

    fn write_with<S: Serializer, T: Serialize>(
        self,
        to: S,
        key: Key,
        entry: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let mut map = self.open(to, key)?;
        map.serialize_entry(entry, value)?;
        map.end()
    }

    fn open<S: Serializer>(self, to: S, key: Key) -> Result<S::SerializeMap, S::Error> {
        let mut map = to.serialize_map(None)?;
        head(&mut map, "block", self.name, key, self.is_void)?;
        map.serialize_entry("data", &Data(self.data))?;
        Ok(map)
    }
}

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let key = self.key;
        let full_width = |flag: &Option<bool>| [("fullWidth", Datum::flag(*flag))];
        match &self.kind {
            BlockKind::Paragraph(paragraph) => {
                let data = [("align", Datum::align(paragraph.align))];
                let text = Text(key, &paragraph.nodes);
                Shape::container("paragraph", &data).write_with(to, key, "nodes", &text)
            }
            BlockKind::Heading(heading) => serialize_heading(heading, key, to),
            BlockKind::OrderedList { start, items } => {
                let data = [("start", Datum::Count(*start))];
                let data = if *start == 1 { &[][..] } else { &data[..] };
                Shape::container("list-ordered", data).write_with(to, key, "nodes", items)
            }
            BlockKind::UnorderedList { items } => {
                Shape::container("list-unordered", &[]).write_with(to, key, "nodes", items)
            }
            BlockKind::TaskList { items } => {
                Shape::container("list-tasks", &[]).write_with(to, key, "nodes", items)
            }
            BlockKind::Quote { nodes } => {
                Shape::container("blockquote", &[]).write_with(to, key, "nodes", nodes)
            }
            BlockKind::Hint(hint) => serialize_hint(hint, key, to),
            BlockKind::Code(code) => serialize_code(code, key, to),
            BlockKind::Math { formula } => {
                Shape::void("math", &[("formula", Datum::Text(formula))]).write(to, key)
            }
            BlockKind::Divider => Shape::void("divider", &[]).write(to, key),
            BlockKind::Images(images) => serialize_images(images, key, to),
            BlockKind::File(file) => {
                let data = [("ref", Datum::Reference(&file.reference.target))];
                write_captioned(Shape::void("file", &data), &file.caption, key, to)
            }
            BlockKind::Drawing(reference) => {
                // In the contract, a drawing refers only to a file.
                let file = matches!(reference.target, ContentRef::File { .. });
                let target = if file { Datum::Reference(&reference.target) } else { Datum::Absent };
                let raw = if file { Datum::Absent } else { Datum::Text(&reference.raw) };
                let data = [("ref", target), ("src", raw)];
                Shape::void("drawing", &data).write(to, key)
            }
            BlockKind::Embed(embed) => serialize_embed(embed, key, to),
            BlockKind::Table(table) => serialize_table(table, key, to),
            BlockKind::Expandable(expandable) => serialize_expandable(expandable, key, to),
            BlockKind::Tabs { full_width: flag, items } => {
                let data = full_width(flag);
                Shape::container("tabs", &data).write_with(to, key, "nodes", items)
            }
            BlockKind::Stepper { steps } => {
                Shape::container("stepper", &[]).write_with(to, key, "nodes", steps)
            }
            BlockKind::Columns { full_width: flag, columns } => {
                let data = full_width(flag);
                Shape::container("columns", &data).write_with(to, key, "nodes", columns)
            }
            BlockKind::ContentRef(reference) => {
                let data = [("ref", Datum::Reference(&reference.target))];
                Shape::void("content-ref", &data).write(to, key)
            }
            BlockKind::ReusableContent(reference) => {
                let data = [("ref", Datum::Reference(&reference.target))];
                Shape::void("reusable-content", &data).write(to, key)
            }
            BlockKind::If { expression, nodes } => {
                let data = [("expression", Datum::Text(expression))];
                Shape::container("if", &data).write_with(to, key, "nodes", nodes)
            }
            BlockKind::OpenApi(part) => serialize_open_api(part, key, to),
            BlockKind::Integration(block) => serialize_integration(block, key, to),
            BlockKind::Opaque(opaque) => serialize_opaque(opaque, key, to),
        }
    }
}

fn serialize_heading<S: Serializer>(heading: &Heading, key: Key, to: S) -> Result<S::Ok, S::Error> {
    let Heading { level, id, anchor, align, nodes } = heading;
    let name = match level {
        1 => "heading-1",
        2 => "heading-2",
        _ => "heading-3",
    };
    let valid = |id: &&String| {
        !id.is_empty()
            && id
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-.+_".contains(&b))
    };
    let slug = id.as_ref().filter(|id| !valid(id)).map(|id| crate::slug::anchor(id));
    let id = slug.as_ref().filter(|slug| !slug.is_empty()).or(id.as_ref().filter(valid));
    let data = [("id", Datum::text(id)), ("align", Datum::align(*align))];
    let mut map = Shape::container(name, &data).open(to, key)?;
    map.serialize_entry("meta", &Data(&[("id", Datum::Text(anchor))]))?;
    map.serialize_entry("nodes", &Text(key, nodes))?;
    map.end()
}

fn serialize_hint<S: Serializer>(hint: &Hint, key: Key, to: S) -> Result<S::Ok, S::Error> {
    let Hint { style, icon, nodes } = hint;
    let data = [("style", Datum::Text(style.name())), ("icon", Datum::text(icon.as_ref()))];
    Shape::container("hint", &data).write_with(to, key, "nodes", nodes)
}

fn serialize_code<S: Serializer>(code: &Code, key: Key, to: S) -> Result<S::Ok, S::Error> {
    let overflow = code.wrap.map(|wrap| if wrap { "wrap" } else { "scroll" });
    let data = [
        ("syntax", Datum::text(code.syntax.as_ref())),
        ("title", Datum::text(code.title.as_ref())),
        ("overflow", overflow.map_or(Datum::Absent, Datum::Text)),
        ("lineNumbers", Datum::flag(code.line_numbers)),
        ("fullWidth", Datum::flag(code.full_width)),
        ("expandable", Datum::flag(code.expandable)),
        ("collapsedLineCount", code.collapsed_line_count.map_or(Datum::Absent, Datum::Count)),
    ];
    Shape::container("code", &data).write_with(to, key, "nodes", &code.lines)
}

impl Serialize for Node<CodeLine> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        struct Line<'a>(Key, &'a str);
        impl Serialize for Line<'_> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let mut map = to.serialize_map(Some(3))?;
                map.serialize_entry("object", "text")?;
                map.serialize_entry("key", &self.0)?;
                map.serialize_entry("leaves", &[PlainLeaf(self.1)])?;
                map.end()
            }
        }
        let CodeLine { highlighted, text, rich } = &self.kind;
        let data = [("highlighted", if *highlighted { Datum::Flag(true) } else { Datum::Absent })];
        let shape = Shape::container("code-line", &data);
        if rich.is_empty() {
            let line = [Line(self.key.part(0), text)];
            return shape.write_with(to, self.key, "nodes", &line);
        }
        shape.write_with(to, self.key, "nodes", rich)
    }
}

impl Serialize for Node<ListItem> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let ListItem { checked, nodes } = &self.kind;
        let data = [("checked", Datum::flag(*checked))];
        Shape::container("list-item", &data).write_with(to, self.key, "nodes", nodes)
    }
}

impl Serialize for Node<Tab> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Tab { anchor, title, icon, nodes } = &self.kind;
        let data = [("title", Datum::text(title.as_ref())), ("icon", Datum::text(icon.as_ref()))];
        let mut map = Shape::container("tabs-item", &data).open(to, self.key)?;
        map.serialize_entry("meta", &Data(&[("id", Datum::Text(anchor))]))?;
        map.serialize_entry("nodes", nodes)?;
        map.end()
    }
}

impl Serialize for Node<Step> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Step { icon, nodes } = &self.kind;
        let data = [("icon", Datum::text(icon.as_ref()))];
        Shape::container("stepper-step", &data).write_with(to, self.key, "nodes", nodes)
    }
}

impl Serialize for Node<Column> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Column { width, vertical_alignment, nodes } = &self.kind;
        let data = [
            ("width", Datum::length(width.as_ref())),
            ("verticalAlignment", Datum::text(vertical_alignment.as_ref())),
        ];
        Shape::container("column", &data).write_with(to, self.key, "nodes", nodes)
    }
}

/// A fragment that holds a paragraph of text or blocks.
struct Fragment<'a> {
    key: Key,
    name: &'a str,
    /// `true` if `type` repeats the name.
    has_type: bool,
    content: FragmentContent<'a>,
}

enum FragmentContent<'a> {
    Line(&'a [Inline]),
    Blocks(&'a [Block]),
}

impl Serialize for Fragment<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        struct Line<'a>(Key, &'a [Inline]);
        impl Serialize for Line<'_> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let key = self.0.part(1);
                let text = Text(key, self.1);
                Shape::container("paragraph", &[]).write_with(to, key, "nodes", &text)
            }
        }
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("object", "fragment")?;
        map.serialize_entry("key", &self.key)?;
        map.serialize_entry("fragment", self.name)?;
        if self.has_type {
            map.serialize_entry("type", self.name)?;
        }
        match &self.content {
            FragmentContent::Line(nodes) => {
                map.serialize_entry("nodes", &[Line(self.key, nodes)])?
            }
            FragmentContent::Blocks(nodes) => map.serialize_entry("nodes", nodes)?,
        }
        map.end()
    }
}

fn caption(key: Key, nodes: &[Inline]) -> Vec<Fragment<'_>> {
    let content = FragmentContent::Line(nodes);
    let fragment = Fragment { key: key.part(2), name: "caption", has_type: false, content };
    if nodes.is_empty() { Vec::new() } else { vec![fragment] }
}

fn write_captioned<S: Serializer>(
    shape: Shape<'_>,
    nodes: &[Inline],
    key: Key,
    to: S,
) -> Result<S::Ok, S::Error> {
    if nodes.is_empty() {
        return shape.write(to, key);
    }
    shape.write_with(to, key, "fragments", &caption(key, nodes))
}

fn serialize_images<S: Serializer>(images: &Images, key: Key, to: S) -> Result<S::Ok, S::Error> {
    let Images { align, full_width, with_frame, images } = images;
    let align = match align {
        None => Datum::Absent,
        Some(Align::Start) => Datum::Text("left"),
        Some(Align::Center) => Datum::Text("center"),
        Some(Align::End) => Datum::Text("right"),
    };
    let data = [
        ("align", align),
        ("fullWidth", Datum::flag(*full_width)),
        ("withFrame", Datum::flag(*with_frame)),
    ];
    Shape::container("images", &data).write_with(to, key, "nodes", images)
}

impl Serialize for Node<Image> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Image { reference, dark, alt, width, height, caption: text } = &self.kind;
        let dark = dark.as_ref().map_or(Datum::Absent, |dark| Datum::Reference(&dark.target));
        let data = [
            ("ref", Datum::Reference(&reference.target)),
            ("refDark", dark),
            ("width", Datum::length(width.as_ref())),
            ("height", Datum::length(height.as_ref())),
            ("alt", Datum::text(alt.as_ref())),
        ];
        let fragments = caption(self.key, text);
        Shape::void("image", &data).write_with(to, self.key, "fragments", &fragments)
    }
}

fn serialize_embed<S: Serializer>(embed: &Embed, key: Key, to: S) -> Result<S::Ok, S::Error> {
    let Embed { url, full_width, caption } = embed;
    let data = [("url", Datum::Text(url)), ("fullWidth", Datum::flag(*full_width))];
    write_captioned(Shape::void("embed", &data), caption, key, to)
}

fn serialize_expandable<S: Serializer>(
    expandable: &Expandable,
    key: Key,
    to: S,
) -> Result<S::Ok, S::Error> {
    let Expandable { anchor, open, title, nodes } = expandable;
    let mut map = Shape::void("expandable", &[]).open(to, key)?;
    let open = if *open { Datum::Flag(true) } else { Datum::Absent };
    map.serialize_entry("meta", &Data(&[("id", Datum::Text(anchor)), ("defaultExpanded", open)]))?;
    let fragment =
        |n: u64, name, content| Fragment { key: key.part(n), name, has_type: true, content };
    map.serialize_entry(
        "fragments",
        &[
            fragment(2, "expandable-title", FragmentContent::Line(title)),
            fragment(3, "expandable-body", FragmentContent::Blocks(nodes)),
        ],
    )?;
    map.end()
}

fn serialize_open_api<S: Serializer>(block: &OpenApi, key: Key, to: S) -> Result<S::Ok, S::Error> {
    let OpenApi { part, reference, anchor } = block;
    let reference = ("ref", Datum::Reference(&reference.target));
    let (name, data) = match part {
        OpenApiPart::Swagger { path, method, expanded, full_width } => (
            "swagger",
            vec![
                reference,
                ("path", Datum::Text(path)),
                ("method", Datum::Text(method)),
                ("expanded", Datum::flag(*expanded)),
                ("fullWidth", Datum::flag(*full_width)),
            ],
        ),
        OpenApiPart::Operation { path, method } => (
            "openapi-operation",
            vec![reference, ("path", Datum::Text(path)), ("method", Datum::Text(method))],
        ),
        OpenApiPart::Schemas { schemas, grouped } => (
            "openapi-schemas",
            vec![reference, ("schemas", Datum::Texts(schemas)), ("grouped", Datum::flag(*grouped))],
        ),
        OpenApiPart::Webhook { name, method } => (
            "openapi-webhook",
            vec![reference, ("name", Datum::Text(name)), ("method", Datum::Text(method))],
        ),
    };
    let meta = [("id", Datum::Text(anchor))];
    Shape::void(name, &data).write_with(to, key, "meta", &Data(&meta))
}

fn serialize_integration<S: Serializer>(
    block: &Integration,
    key: Key,
    to: S,
) -> Result<S::Ok, S::Error> {
    let Integration { integration, block, props, url, full_width } = block;
    let data = [
        ("integration", Datum::Text(integration)),
        ("block", Datum::Text(block)),
        ("props", Datum::Map(props)),
        ("url", Datum::text(url.as_ref())),
        ("fullWidth", Datum::flag(*full_width)),
    ];
    Shape::void("integration", &data).write(to, key)
}

fn serialize_opaque<S: Serializer>(opaque: &Opaque, key: Key, to: S) -> Result<S::Ok, S::Error> {
    let Opaque { block, source, nodes: _, references: _ } = opaque;
    let is_hidden = *block == OpaqueKind::Comment;
    let block = match block {
        OpaqueKind::Unknown | OpaqueKind::Comment => "opaque",
        OpaqueKind::Updates => "updates",
        OpaqueKind::Prompt => "prompt",
    };
    let mut props = Map::from_iter([("markdown".to_owned(), Value::from(source.as_str()))]);
    if is_hidden {
        props.insert("hidden".to_owned(), Value::Bool(true));
    }
    let data = [
        ("integration", Datum::Text(OWN_INTEGRATION)),
        ("block", Datum::Text(block)),
        ("props", Datum::Map(&props)),
    ];
    Shape::void("integration", &data).write(to, key)
}
