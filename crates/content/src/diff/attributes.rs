//! Attributes of parts, by the names of the contract.

use serde_json::{Map, Value, json};

use super::{Attribute, Part};
use crate::document::{
    Align, Block, BlockKind, Cell, Code, CodeLine, ColorMark, Column, ColumnKind, ColumnRole,
    Embed, Expandable, FileBlock, Heading, Hint, Image, Images, Integration, Length, ListItem,
    Marks, OpenApi, OpenApiPart, Reference, Step, Tab, Table, TableColumn, View,
};

/// Values by name. Unspecified values are null.
type Values = Vec<(&'static str, Value)>;

/// Returns the attributes in which two parts differ.
pub(super) fn compare(before: Part<'_>, after: Part<'_>) -> Vec<Attribute> {
    let mut found = Vec::new();
    if before.name() != after.name() {
        let (before, after) = (Value::from(before.name()), Value::from(after.name()));
        found.push(Attribute { name: "type".into(), before, after });
    }
    found.extend(differing(of(before), of(after)));
    found
}

/// Returns the differences in marks of two texts with the same words.
pub(super) fn compare_marks(before: Marks, after: Marks) -> Vec<Attribute> {
    differing(marks(before), marks(after))
}

/// Returns the difference of two references.
pub(super) fn compare_references(before: &Reference, after: &Reference) -> Vec<Attribute> {
    differing(vec![("ref", reference(before))], vec![("ref", reference(after))])
}

fn differing(before: Values, after: Values) -> Vec<Attribute> {
    let value = |values: &Values, name: &str| {
        values.iter().find(|(known, _)| *known == name).map_or(Value::Null, |(_, v)| v.clone())
    };
    let new = after.iter().filter(|(name, _)| !before.iter().any(|(known, _)| known == name));
    let names = before.iter().chain(new).map(|(name, _)| *name);
    let attributes = names.map(|name| Attribute {
        name: name.into(),
        before: value(&before, name),
        after: value(&after, name),
    });
    attributes.filter(|attribute| attribute.before != attribute.after).collect()
}

fn marks(marks: Marks) -> Values {
    let Marks { bold, italic, code, keyboard, strikethrough, superscript, subscript, color } =
        marks;
    let ColorMark { text, background } = color.unwrap_or_default();
    vec![
        ("bold", bold.into()),
        ("italic", italic.into()),
        ("code", code.into()),
        ("keyboard", keyboard.into()),
        ("strikethrough", strikethrough.into()),
        ("superscript", superscript.into()),
        ("subscript", subscript.into()),
        ("color", text.name().into()),
        ("backgroundColor", background.name().into()),
    ]
}

fn reference(reference: &Reference) -> Value {
    serde_json::to_value(&reference.target).unwrap_or_default()
}

fn references(found: &[Reference]) -> Value {
    Value::Array(found.iter().map(reference).collect())
}

fn align(align: Option<Align>) -> Value {
    align.map(Align::name).into()
}

fn length(length: Option<&Length>) -> Value {
    length.map_or(Value::Null, |length| match &length.unit {
        None => length.value.into(),
        Some(unit) => format!("{}{unit}", length.value).into(),
    })
}

fn text(text: Option<&String>) -> Value {
    text.map(String::as_str).into()
}

fn of(part: Part<'_>) -> Values {
    match part {
        Part::Block(block) => of_block(block),
        Part::Item(item) => {
            let ListItem { checked, nodes: _ } = &item.kind;
            vec![("checked", (*checked).into())]
        }
        Part::Tab(tab) => {
            let Tab { anchor: _, title: _, icon, nodes: _ } = &tab.kind;
            vec![("icon", text(icon.as_ref()))]
        }
        Part::Step(step) => {
            let Step { icon, nodes: _ } = &step.kind;
            vec![("icon", text(icon.as_ref()))]
        }
        Part::Column(column) => {
            let Column { width, vertical_alignment, nodes: _ } = &column.kind;
            vec![
                ("width", length(width.as_ref())),
                ("verticalAlignment", text(vertical_alignment.as_ref())),
            ]
        }
        Part::Line(line) => {
            let CodeLine { highlighted, text: _, rich: _ } = &line.kind;
            vec![("highlighted", (*highlighted).into())]
        }
        Part::Source(_) | Part::Row(..) => Vec::new(),
        Part::Image(image) => {
            let Image { reference: shown, dark, alt, width, height, caption: _ } = &image.kind;
            vec![
                ("ref", reference(shown)),
                ("refDark", dark.as_ref().map_or(Value::Null, reference)),
                ("alt", text(alt.as_ref())),
                ("width", length(width.as_ref())),
                ("height", length(height.as_ref())),
            ]
        }
        Part::TableColumn(column) => of_column(column),
        Part::Cell(cell, _) => of_cell(cell),
    }
}

fn of_block(block: &Block) -> Values {
    match &block.kind {
        BlockKind::Paragraph(paragraph) => vec![("align", align(paragraph.align))],
        BlockKind::Heading(heading) => {
            let Heading { level: _, id, anchor: _, align: aligned, nodes: _ } = heading.as_ref();
            vec![("id", text(id.as_ref())), ("align", align(*aligned))]
        }
        BlockKind::OrderedList { start, items: _ } => vec![("start", (*start).into())],
        BlockKind::Hint(hint) => {
            let Hint { style, icon, nodes: _ } = hint.as_ref();
            vec![("style", style.name().into()), ("icon", text(icon.as_ref()))]
        }
        BlockKind::Code(code) => of_code(code),
        BlockKind::Images(images) => {
            let Images { align: aligned, full_width, with_frame, images: _ } = images.as_ref();
            vec![
                ("align", align(*aligned)),
                ("fullWidth", (*full_width).into()),
                ("withFrame", (*with_frame).into()),
            ]
        }
        BlockKind::File(file) => {
            let FileBlock { reference: shown, caption: _ } = file.as_ref();
            vec![("ref", reference(shown))]
        }
        BlockKind::Drawing(shown)
        | BlockKind::ContentRef(shown)
        | BlockKind::ReusableContent(shown) => vec![("ref", reference(shown))],
        BlockKind::Embed(embed) => {
            let Embed { url, full_width, caption: _ } = embed.as_ref();
            vec![("url", url.as_str().into()), ("fullWidth", (*full_width).into())]
        }
        BlockKind::Table(table) => of_table(table),
        BlockKind::Expandable(expandable) => {
            let Expandable { anchor: _, open, title: _, nodes: _ } = expandable.as_ref();
            vec![("defaultExpanded", (*open).into())]
        }
        BlockKind::Tabs { full_width, items: _ }
        | BlockKind::Columns { full_width, columns: _ } => {
            vec![("fullWidth", (*full_width).into())]
        }
        BlockKind::If { expression, nodes: _ } => vec![("expression", expression.as_str().into())],
        BlockKind::OpenApi(open_api) => of_open_api(open_api),
        BlockKind::Integration(block) => {
            let Integration { integration, block, props, url, full_width } = block.as_ref();
            vec![
                ("integration", integration.as_str().into()),
                ("block", block.as_str().into()),
                ("props", Value::Object(props.clone())),
                ("url", text(url.as_ref())),
                ("fullWidth", (*full_width).into()),
            ]
        }
        BlockKind::UnorderedList { .. }
        | BlockKind::TaskList { .. }
        | BlockKind::Quote { .. }
        | BlockKind::Math { .. }
        | BlockKind::Divider
        | BlockKind::Stepper { .. }
        | BlockKind::Opaque(_) => Vec::new(),
    }
}

fn of_code(code: &Code) -> Values {
    let Code {
        syntax,
        title,
        wrap,
        line_numbers,
        full_width,
        expandable,
        collapsed_line_count,
        lines: _,
    } = code;
    vec![
        ("syntax", text(syntax.as_ref())),
        ("title", text(title.as_ref())),
        ("overflow", wrap.map(|wrap| if wrap { "wrap" } else { "scroll" }).into()),
        ("lineNumbers", (*line_numbers).into()),
        ("fullWidth", (*full_width).into()),
        ("expandable", (*expandable).into()),
        ("collapsedLineCount", (*collapsed_line_count).into()),
    ]
}

fn of_table(table: &Table) -> Values {
    let Table { view, columns: _, rows: _, full_width, search } = table;
    let mut values = vec![("fullWidth", (*full_width).into()), ("search", (*search).into())];
    match *view {
        View::Grid { hide_header } => {
            values.extend([("view", "grid".into()), ("hideHeader", hide_header.into())]);
        }
        View::Cards { large, hide_column_title, wrap } => values.extend([
            ("view", "cards".into()),
            ("cardSize", if large { "large" } else { "medium" }.into()),
            ("hideColumnTitle", hide_column_title.into()),
            ("wrap", wrap.into()),
        ]),
    }
    values
}

fn of_column(column: &TableColumn) -> Values {
    let TableColumn { id: _, title: _, kind, width, hidden, role } = column;
    let role = role.map(|role| match role {
        ColumnRole::Target => "target",
        ColumnRole::Cover => "cover",
        ColumnRole::CoverDark => "cover-dark",
    });
    let mut values =
        vec![("width", (*width).into()), ("hidden", (*hidden).into()), ("role", role.into())];
    let name = match kind {
        ColumnKind::Text { align, vertical } => {
            values.push(("textAlignment", (*align).into()));
            values.push(("verticalAlignment", (*vertical).into()));
            "text"
        }
        ColumnKind::Number => "number",
        ColumnKind::Checkbox => "checkbox",
        ColumnKind::Rating { max } => {
            values.push(("max", (*max).into()));
            "rating"
        }
        ColumnKind::Files => "files",
        ColumnKind::Image => "image",
        ColumnKind::ContentRef => "content-ref",
        ColumnKind::Users { multiple } => {
            values.push(("multiple", (*multiple).into()));
            "users"
        }
        ColumnKind::Select { multiple, options } => {
            values.push(("multiple", (*multiple).into()));
            let options = options.iter().map(|option| {
                json!({ "value": option.value, "label": option.label, "color": option.color })
            });
            values.push(("options", Value::Array(options.collect())));
            "select"
        }
    };
    values.push(("kind", name.into()));
    values
}

fn of_cell(cell: &Cell) -> Values {
    let value = match cell {
        Cell::Empty | Cell::Unusable(_) | Cell::Text { .. } => Value::Null,
        Cell::Number(number) => (*number).into(),
        Cell::Checkbox(checked) => (*checked).into(),
        Cell::Values(values) => values.clone().into(),
        Cell::References(found) => references(found),
        Cell::Reference(found) => reference(found),
        Cell::Image { reference: shown, object_fit, alt } => {
            let values = [("objectFit", text(object_fit.as_ref())), ("alt", text(alt.as_ref()))];
            let said = values.into_iter().filter(|(_, value)| !value.is_null());
            let said = said.map(|(name, value)| (name.to_owned(), value));
            Value::Object(
                [("ref".to_owned(), reference(shown))]
                    .into_iter()
                    .chain(said)
                    .collect::<Map<_, _>>(),
            )
        }
    };
    vec![("value", value)]
}

fn of_open_api(block: &OpenApi) -> Values {
    let OpenApi { part, reference: shown, anchor: _ } = block;
    let mut values = vec![("ref", reference(shown))];
    match part {
        OpenApiPart::Swagger { path, method, expanded, full_width } => values.extend([
            ("path", path.as_str().into()),
            ("method", method.as_str().into()),
            ("expanded", (*expanded).into()),
            ("fullWidth", (*full_width).into()),
        ]),
        OpenApiPart::Operation { path, method } => {
            values.extend([("path", path.as_str().into()), ("method", method.as_str().into())]);
        }
        OpenApiPart::Schemas { schemas, grouped } => {
            values.extend([("schemas", schemas.clone().into()), ("grouped", (*grouped).into())]);
        }
        OpenApiPart::Webhook { name, method } => {
            values.extend([("name", name.as_str().into()), ("method", method.as_str().into())]);
        }
    }
    values
}
