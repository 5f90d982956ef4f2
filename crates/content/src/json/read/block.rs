//! Reading blocks from JSON.

use serde_json::{Map, Value};

use super::inline::LineContext;
use super::{At, Object, Reader, TEXT_LIMIT, kind_of};
use crate::document::{
    Align, Block, BlockKind, Code, Column, Embed, Expandable, FileBlock, Heading, Hint, HintStyle,
    Images, Integration, ListItem, Node, Opaque, OpaqueKind, OpenApi, OpenApiPart, Paragraph,
    Reference, Step, Tab,
};
use crate::json::OWN_INTEGRATION;
use crate::reference::{self, ContentRef};
use crate::source::Span;

const TYPES: &str = "paragraph, heading-1, heading-2, heading-3, list-ordered, list-unordered, \
    list-tasks, divider, blockquote, hint, if, images, file, drawing, embed, code, math, \
    expandable, tabs, table, swagger, openapi-operation, openapi-schemas, openapi-webhook, \
    content-ref, integration, reusable-content, stepper, columns";

impl Reader<'_> {
    /// Reads a list of blocks.
    pub(super) fn blocks(&mut self, at: At<'_>) -> Option<Vec<Block>> {
        self.list(at, Self::block)
    }

    /// Reads the `nodes` of `object` as a list of at least one block.
    pub(super) fn non_empty_blocks(&mut self, object: &Object<'_>) -> Option<Vec<Block>> {
        let Some(at) = object.at("nodes") else {
            return self.missing(object, "nodes", "an array of blocks");
        };
        let failures = self.errors.len();
        let mut nodes = self.blocks(at)?;
        if nodes.is_empty() && self.errors.len() == failures {
            nodes.push(Node::new(Span::default(), BlockKind::Paragraph(Paragraph::default())));
        }
        Some(nodes)
    }

    fn block(&mut self, at: At<'_>) -> Option<Block> {
        let object = self.object(at)?;
        self.count(&at)?;
        match object.get("object").and_then(Value::as_str) {
            Some("block") => {}
            Some("text" | "inline") => {
                return self.fail(
                    &at,
                    "an inline node is not allowed among blocks; put it in the nodes of a paragraph",
                );
            }
            _ => return self.fail(&object.child("object"), "\"object\" is \"block\" here"),
        }
        let name = self.name(&object, "type")?;
        let key = self.key(&object);
        let none = Value::Object(Map::new());
        let data = match object.at("data") {
            Some(data) => self.object(data)?,
            None => self.object(At { value: &none, ..object.child("data") })?,
        };
        if let Some(meta) = object.at("meta") {
            self.object(meta)?;
        }
        let kind = self.kind(&name, &object, &data)?;
        Some(Node { key, span: Span::default(), kind })
    }

    fn kind(&mut self, name: &str, object: &Object<'_>, data: &Object<'_>) -> Option<BlockKind> {
        Some(match name {
            "paragraph" => {
                self.reject_unknown_keys(data, &["align"]);
                let align = self.align(data);
                let nodes = self.line(object, LineContext::Anything)?;
                BlockKind::Paragraph(Paragraph { align, nodes })
            }
            "heading-1" => self.heading(1, object, data)?,
            "heading-2" => self.heading(2, object, data)?,
            "heading-3" => self.heading(3, object, data)?,
            "list-ordered" => {
                let start = self.count_of(data, "start", [0, 999_999_999]).unwrap_or(1);
                BlockKind::OrderedList { start, items: self.list_items(object, false)? }
            }
            "list-unordered" => {
                self.reject_unknown_keys(data, &[]);
                BlockKind::UnorderedList { items: self.list_items(object, false)? }
            }
            "list-tasks" => {
                self.reject_unknown_keys(data, &[]);
                BlockKind::TaskList { items: self.list_items(object, true)? }
            }
            "divider" => {
                self.reject_unknown_keys(data, &[]);
                BlockKind::Divider
            }
            "blockquote" => {
                self.reject_unknown_keys(data, &[]);
                let nodes = self.nested(&object.at, 2, |reader| reader.non_empty_blocks(object))?;
                BlockKind::Quote { nodes }
            }
            "hint" => self.hint(object, data)?,
            "if" => {
                let expression = self.expression(data);
                let nodes = self.nested(&object.at, 2, |reader| reader.non_empty_blocks(object));
                BlockKind::If { expression: expression?, nodes: nodes? }
            }
            "images" => self.images(object, data)?,
            "file" => self.file(object, data)?,
            "drawing" => BlockKind::Drawing(Box::new(self.drawing(data)?)),
            "embed" => BlockKind::Embed(Box::new(Embed {
                url: self.name(data, "url")?,
                full_width: self.flag(data, "fullWidth"),
                caption: self.caption(object)?,
            })),
            "code" => self.code(object, data)?,
            "math" => BlockKind::Math { formula: self.long_text(data, "formula", TEXT_LIMIT)? },
            "expandable" => self.expandable(object, data)?,
            "tabs" => {
                self.reject_unknown_keys(data, &["fullWidth"]);
                let full_width = self.flag(data, "fullWidth");
                BlockKind::Tabs { full_width, items: self.items(object, Self::tab)? }
            }
            "stepper" => {
                self.reject_unknown_keys(data, &[]);
                BlockKind::Stepper { steps: self.items(object, Self::step)? }
            }
            "columns" => {
                let full_width = self.flag(data, "fullWidth");
                BlockKind::Columns { full_width, columns: self.items(object, Self::column)? }
            }
            "table" => BlockKind::Table(Box::new(self.table(object, data)?)),
            "content-ref" => BlockKind::ContentRef(Box::new(self.reference(data, "ref")?)),
            "reusable-content" => self.reusable(data)?,
            "swagger" | "openapi-operation" | "openapi-schemas" | "openapi-webhook" => {
                self.open_api(name, object, data)?
            }
            "integration" => self.integration(data)?,
            _ => return self.orphan_part(name, object),
        })
    }

    /// Reads a node that needs a parent, such as a list item, and wraps it in one.
    fn orphan_part(&mut self, name: &str, object: &Object<'_>) -> Option<BlockKind> {
        let at = object.at;
        Some(match name {
            "list-item" => {
                let items = vec![self.nested(&at, 4, |reader| reader.list_item(at))?];
                match items.iter().any(|item| item.kind.checked.is_some()) {
                    true => BlockKind::TaskList { items },
                    false => BlockKind::UnorderedList { items },
                }
            }
            "tabs-item" => {
                let items = vec![self.nested(&at, 4, |reader| reader.tab(at))?];
                BlockKind::Tabs { full_width: None, items }
            }
            "stepper-step" => {
                BlockKind::Stepper { steps: vec![self.nested(&at, 4, |reader| reader.step(at))?] }
            }
            "column" => {
                let columns = vec![self.nested(&at, 4, |reader| reader.column(at))?];
                BlockKind::Columns { full_width: None, columns }
            }
            "image" => {
                let images = vec![self.image(at)?];
                BlockKind::Images(Box::new(Images { images, ..Images::default() }))
            }
            "code-line" => {
                let lines = vec![self.code_line(at)?];
                BlockKind::Code(Box::new(Code { lines, ..Code::default() }))
            }
            _ => return self.unknown(object, "type", TYPES),
        })
    }

    /// Reads the `nodes` of a container such as a list; at least one.
    fn items<T>(
        &mut self,
        object: &Object<'_>,
        read: fn(&mut Self, At<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Some(at) = object.at("nodes") else {
            return self.missing(object, "nodes", "an array");
        };
        let failures = self.errors.len();
        let items = self.nested(&at, 4, |reader| reader.list(at, read))?;
        if items.is_empty() && self.errors.len() == failures {
            return self.fail(&at, "at least one node is needed here");
        }
        Some(items)
    }

    fn list_items(&mut self, object: &Object<'_>, is_task: bool) -> Option<Vec<Node<ListItem>>> {
        let mut items = self.items(object, Self::list_item)?;
        for item in &mut items {
            let checked = item.kind.checked.unwrap_or(false);
            item.kind.checked = is_task.then_some(checked);
        }
        Some(items)
    }

    fn list_item(&mut self, at: At<'_>) -> Option<Node<ListItem>> {
        self.item(at, "list-item", |reader, object, data| {
            let checked = reader.flag(data, "checked");
            Some(ListItem { checked, nodes: reader.non_empty_blocks(object)? })
        })
    }

    fn tab(&mut self, at: At<'_>) -> Option<Node<Tab>> {
        self.item(at, "tabs-item", |reader, object, data| {
            let anchor = reader.anchor(object);
            let title = reader.optional_name(data, "title");
            let icon = reader.non_empty_name(data, "icon");
            Some(Tab { anchor, title, icon, nodes: reader.non_empty_blocks(object)? })
        })
    }

    fn step(&mut self, at: At<'_>) -> Option<Node<Step>> {
        self.item(at, "stepper-step", |reader, object, data| {
            let icon = reader.non_empty_name(data, "icon");
            Some(Step { icon, nodes: reader.non_empty_blocks(object)? })
        })
    }

    fn column(&mut self, at: At<'_>) -> Option<Node<Column>> {
        self.item(at, "column", |reader, object, data| {
            reader.reject_unknown_keys(data, &["width", "verticalAlignment"]);
            let width = reader.length(data, "width");
            let places = [("top", "top"), ("middle", "middle"), ("bottom", "bottom")];
            let vertical = reader.choice(data, "verticalAlignment", &places);
            let vertical_alignment = vertical.map(str::to_owned);
            Some(Column { width, vertical_alignment, nodes: reader.non_empty_blocks(object)? })
        })
    }

    /// Reads the anchor in `meta`, or returns an empty string if there is none.
    fn anchor(&mut self, object: &Object<'_>) -> String {
        let id = object.at("meta").and_then(|meta| {
            let meta = self.object(meta)?;
            self.optional_name(&meta, "id")
        });
        id.unwrap_or_default()
    }

    fn heading(&mut self, level: u8, object: &Object<'_>, data: &Object<'_>) -> Option<BlockKind> {
        let id = self.non_empty_name(data, "id");
        if let Some(id) = &id
            && !crate::document::complete::is_anchor(id)
        {
            let at = data.at("id").unwrap_or(data.at);
            return self.fail(&at, "an id can contain only a to z, 0 to 9, and . + _ -");
        }
        let (anchor, align) = (self.anchor(object), self.align(data));
        let nodes = self.line(object, LineContext::Anything)?;
        Some(BlockKind::Heading(Box::new(Heading { level, id, anchor, align, nodes })))
    }

    fn hint(&mut self, object: &Object<'_>, data: &Object<'_>) -> Option<BlockKind> {
        let styles = [HintStyle::Info, HintStyle::Warning, HintStyle::Danger, HintStyle::Success];
        let style = match data.at("style") {
            Some(_) => self.choice(data, "style", &styles.map(|style| (style.name(), style))),
            None => self.missing(data, "style", "info, warning, danger or success"),
        };
        let icon = self.non_empty_name(data, "icon");
        let nodes = self.nested(&object.at, 2, |reader| reader.non_empty_blocks(object));
        Some(BlockKind::Hint(Box::new(Hint { style: style?, icon, nodes: nodes? })))
    }

    fn images(&mut self, object: &Object<'_>, data: &Object<'_>) -> Option<BlockKind> {
        let names = [("left", Align::Start), ("center", Align::Center), ("right", Align::End)];
        Some(BlockKind::Images(Box::new(Images {
            align: self.choice(data, "align", &names),
            full_width: self.flag(data, "fullWidth"),
            with_frame: self.flag(data, "withFrame"),
            images: self.items(object, Self::image)?,
        })))
    }

    fn file(&mut self, object: &Object<'_>, data: &Object<'_>) -> Option<BlockKind> {
        let reference = self.reference(data, "ref")?;
        if !matches!(reference.target, ContentRef::File { .. }) {
            let at = data.at("ref").unwrap_or(data.at);
            return self
                .fail(&at, "a file block must refer to a file; use an embed for other addresses");
        }
        let caption = self.caption(object)?;
        Some(BlockKind::File(Box::new(FileBlock { reference, caption })))
    }

    /// Reads a drawing: a reference to its file, or the raw target of an unknown file.
    fn drawing(&mut self, data: &Object<'_>) -> Option<Reference> {
        if data.at("ref").is_some() {
            return self.reference(data, "ref");
        }
        let Some(raw) = self.non_empty_name(data, "src") else {
            return self.missing(data, "ref", "a reference to a file");
        };
        let target = reference::resolve(&raw, self.context.path, self.context.lookup);
        Some(Reference { raw, span: Span::default(), target, name: None })
    }

    fn code(&mut self, object: &Object<'_>, data: &Object<'_>) -> Option<BlockKind> {
        Some(BlockKind::Code(Box::new(Code {
            syntax: self.non_empty_name(data, "syntax"),
            title: self.non_empty_name(data, "title"),
            wrap: self.choice(data, "overflow", &[("wrap", true), ("scroll", false)]),
            line_numbers: self.flag(data, "lineNumbers"),
            full_width: self.flag(data, "fullWidth"),
            expandable: self.flag(data, "expandable"),
            collapsed_line_count: self.count_of(data, "collapsedLineCount", [1, 1_000_000]),
            lines: self.items(object, Self::code_line)?,
        })))
    }

    fn expandable(&mut self, object: &Object<'_>, data: &Object<'_>) -> Option<BlockKind> {
        self.reject_unknown_keys(data, &[]);
        let anchor = self.anchor(object);
        let meta = object.at("meta").and_then(|meta| self.object(meta));
        let open = meta.and_then(|meta| self.flag(&meta, "defaultExpanded")).unwrap_or(false);
        let title = self.fragment(object, "expandable-title", |reader, fragment| {
            reader.fragment_line(&fragment)
        })?;
        let Some(title) = title else {
            let at = object.child("fragments");
            return self.fail(&at, "the fragment \"expandable-title\" is missing");
        };
        let nodes = self.fragment_blocks(object, "expandable-body", 4)?;
        Some(BlockKind::Expandable(Box::new(Expandable { anchor, open, title, nodes })))
    }

    fn reusable(&mut self, data: &Object<'_>) -> Option<BlockKind> {
        let reference = self.reference(data, "ref")?;
        if !matches!(reference.target, ContentRef::ReusableContent { .. }) {
            let at = data.at("ref").unwrap_or(data.at);
            return self.fail(&at, "the kind \"reusable-content\" is needed here");
        }
        Some(BlockKind::ReusableContent(Box::new(reference)))
    }

    fn open_api(
        &mut self,
        name: &str,
        object: &Object<'_>,
        data: &Object<'_>,
    ) -> Option<BlockKind> {
        let mut reference = self.reference(data, "ref")?;
        if let ContentRef::OpenApi { spec } = &reference.target {
            // The block's tag names the specification without an address.
            reference.raw.clone_from(spec);
        }
        let is_spec = matches!(reference.target, ContentRef::OpenApi { .. });
        if is_spec == (name == "swagger") {
            let needed = if is_spec { "\"file\" or \"url\"" } else { "\"openapi\"" };
            let at = data.at("ref").unwrap_or(data.at);
            return self.fail(&at, format!("the kind {needed} is needed here"));
        }
        let part = match name {
            "swagger" => OpenApiPart::Swagger {
                path: self.name(data, "path")?,
                method: self.name(data, "method")?,
                expanded: self.flag(data, "expanded"),
                full_width: self.flag(data, "fullWidth"),
            },
            "openapi-operation" => OpenApiPart::Operation {
                path: self.name(data, "path")?,
                method: self.name(data, "method")?,
            },
            "openapi-schemas" => {
                let Some(at) = data.at("schemas") else {
                    return self.missing(data, "schemas", "an array of names");
                };
                let schemas = self.list(at, |reader, at| reader.string(&at, TEXT_LIMIT))?;
                OpenApiPart::Schemas { schemas, grouped: self.flag(data, "grouped") }
            }
            _ => OpenApiPart::Webhook {
                name: self.name(data, "name")?,
                method: self.name(data, "method")?,
            },
        };
        let anchor = self.anchor(object);
        Some(BlockKind::OpenApi(Box::new(OpenApi { part, reference, anchor })))
    }

    fn integration(&mut self, data: &Object<'_>) -> Option<BlockKind> {
        let integration = self.name(data, "integration")?;
        let block = self.name(data, "block")?;
        let Some(props) = data.at("props") else {
            return self.missing(data, "props", "an object");
        };
        let props = self.object(props)?;
        if integration == OWN_INTEGRATION {
            return self.opaque(data, &block, &props);
        }
        let url = self.optional_name(data, "url");
        let full_width = self.flag(data, "fullWidth");
        if !self.allows_unknown_data {
            self.check_props(&props);
        }
        let mut props = props.map.clone();
        if let Some(url) = &url {
            // In the source, a tag has the address among its properties.
            let known = props.entry("url").or_insert_with(|| Value::from(url.as_str()));
            if known.as_str() != Some(url.as_str()) {
                let message = "\"url\" and \"props\" contain different addresses; use the same one";
                return self.fail(&data.child("url"), message);
            }
        }
        let block = Integration { integration, block, props, url, full_width };
        Some(BlockKind::Integration(Box::new(block)))
    }

    /// Rejects properties that the tag of an integration block cannot hold.
    fn check_props(&mut self, props: &Object<'_>) {
        for (name, value) in props.map {
            let at = props.child(name);
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
            if name.is_empty() || !name.chars().all(is_name) {
                let message = "a property of a page's block has a name of letters, digits, \
                               `_`, `-`, `.` and `:`";
                let _: Option<()> = self.fail(&at, message);
            } else if !value.is_string() {
                let found = kind_of(value);
                let message = format!(
                    "a property of a page's block is a string, not {found}; send it as one"
                );
                let _: Option<()> = self.fail(&at, message);
            }
        }
    }

    /// Reads content without a type in the contract from its Markdown source.
    fn opaque(&mut self, data: &Object<'_>, block: &str, props: &Object<'_>) -> Option<BlockKind> {
        let kind = match block {
            "opaque" if self.flag(props, "hidden") == Some(true) => OpaqueKind::Comment,
            "opaque" => OpaqueKind::Unknown,
            "updates" => OpaqueKind::Updates,
            "prompt" => OpaqueKind::Prompt,
            _ => {
                let message = format!("{OWN_INTEGRATION} has the blocks opaque, updates, prompt");
                return self.fail(&data.child("block"), message);
            }
        };
        let source = self.long_text(props, "markdown", TEXT_LIMIT)?;
        let mut parsed = self.parse(&source).nodes;
        let single = if parsed.len() == 1 { parsed.pop().map(|block| block.kind) } else { None };
        let opaque = match single {
            Some(BlockKind::Opaque(found)) if found.source == source => {
                let Opaque { nodes, mut references, .. } = *found;
                references.iter_mut().for_each(|found| found.span = Span::default());
                Opaque { block: kind, source, nodes: without_positions(nodes), references }
            }
            _ => Opaque { block: kind, source, nodes: Vec::new(), references: Vec::new() },
        };
        Some(BlockKind::Opaque(Box::new(opaque)))
    }
}

/// Resets the spans and keys of blocks that were parsed from a separate source.
fn without_positions(nodes: Vec<Block>) -> Vec<Block> {
    let mut nodes = nodes;
    crate::document::complete::clear_positions(&mut nodes);
    nodes
}
