//! Writes documents in the form of the HTML in CommonMark's specification.

use std::fmt::Write as _;

use bindery_content::document::{
    Block, BlockKind, Cell, Code, ColumnKind, Document, Inline, InlineKind, Leaf, ListItem, Node,
    Table, View,
};

/// Returns the HTML of a document. Constructs outside CommonMark become unknown elements.
pub(crate) fn html(document: &Document) -> String {
    let mut html = String::new();
    blocks(&document.nodes, &mut html);
    html
}

fn blocks(nodes: &[Block], html: &mut String) {
    for node in nodes {
        match &node.kind {
            BlockKind::Paragraph(paragraph) => {
                element("p", html, |html| inlines(&paragraph.nodes, html));
            }
            BlockKind::Heading(heading) => {
                let name = ["h1", "h3", "h5"][usize::from(heading.level) - 1];
                element(name, html, |html| inlines(&heading.nodes, html));
            }
            BlockKind::Quote { nodes } => element("blockquote", html, |html| blocks(nodes, html)),
            BlockKind::OrderedList { start, items } => {
                let _ = write!(html, "<ol start=\"{start}\">");
                items.iter().for_each(|item| list_item(item, html));
                html.push_str("</ol>");
            }
            BlockKind::UnorderedList { items } | BlockKind::TaskList { items } => {
                element("ul", html, |html| items.iter().for_each(|item| list_item(item, html)));
            }
            BlockKind::Divider => html.push_str("<hr>"),
            BlockKind::Code(code) => code_block(code, html),
            BlockKind::Images(images) => element("p", html, |html| {
                for image in &images.images {
                    let alt = image.kind.alt.as_deref();
                    picture(&image.kind.reference.raw, alt, html);
                }
            }),
            BlockKind::Table(block) => table(block, html),
            BlockKind::Opaque(opaque) => html.push_str(&opaque.source),
            other => {
                let kind = format!("{other:?}");
                let _ = write!(html, "<p>{}</p>", escaped(&kind));
            }
        }
        html.push('\n');
    }
}

fn list_item(item: &Node<ListItem>, html: &mut String) {
    element("li", html, |html| {
        html.push_str(match item.kind.checked {
            Some(true) => "<input type=\"checkbox\" checked>",
            Some(false) => "<input type=\"checkbox\">",
            None => "",
        });
        blocks(&item.kind.nodes, html);
    });
}

fn code_block(code: &Code, html: &mut String) {
    html.push_str("<pre><code");
    if let Some(syntax) = &code.syntax {
        let _ = write!(html, " class=\"language-{}\"", escaped(syntax));
    }
    html.push('>');
    let is_empty = code.lines.iter().all(|line| line.kind.text.is_empty()) && code.lines.len() == 1;
    for line in code.lines.iter().filter(|_| !is_empty) {
        html.push_str(&escaped(&line.kind.text));
        html.push('\n');
    }
    html.push_str("</code></pre>");
}

fn table(table: &Table, html: &mut String) {
    let row = |name: &str, cells: &mut dyn Iterator<Item = String>, html: &mut String| {
        element("tr", html, |html| {
            for (cell, column) in cells.zip(&table.columns) {
                let align = match column.kind {
                    ColumnKind::Text { align, .. } => align,
                    _ => "left",
                };
                let _ = write!(html, "<{name} align=\"{align}\">{cell}</{name}>");
            }
        });
    };
    element("table", html, |html| {
        let hides_titles = matches!(table.view, View::Grid { hide_header: true });
        if !hides_titles {
            row("th", &mut table.columns.iter().map(|column| escaped(&column.title)), html);
        }
        for record in &table.rows {
            let mut cells = record.cells.iter().map(|cell| {
                let mut content = String::new();
                if let Cell::Text { nodes, .. } = cell {
                    blocks(nodes, &mut content);
                }
                content
            });
            row("td", &mut cells, html);
        }
    });
}

fn inlines(nodes: &[Inline], html: &mut String) {
    for node in nodes {
        match &node.kind {
            InlineKind::Text(leaves) => leaves.iter().for_each(|leaf| text(leaf, html)),
            InlineKind::Link(link) => {
                let _ = write!(html, "<a href=\"{}\">", escaped(&link.reference.raw));
                inlines(&link.nodes, html);
                html.push_str("</a>");
            }
            InlineKind::Image(image) => {
                picture(&image.reference.raw, image.alt.as_deref(), html);
            }
            other => html.push_str(&escaped(&format!("{other:?}"))),
        }
    }
}

fn picture(source: &str, alt: Option<&str>, html: &mut String) {
    let alt = escaped(alt.unwrap_or_default());
    let _ = write!(html, "<img src=\"{}\" alt=\"{alt}\">", escaped(source));
}

fn text(leaf: &Leaf, html: &mut String) {
    if leaf.is_markup {
        return html.push_str(&leaf.text);
    }
    let marks = [
        (leaf.marks.bold, "strong"),
        (leaf.marks.italic, "em"),
        (leaf.marks.strikethrough, "del"),
        (leaf.marks.code, "code"),
    ];
    let set = || marks.iter().filter(|(is_set, _)| *is_set);
    set().for_each(|(_, name)| html.push_str(&format!("<{name}>")));
    html.push_str(&escaped(&leaf.text).replace('\n', "<br>"));
    set().rev().for_each(|(_, name)| html.push_str(&format!("</{name}>")));
}

fn element(name: &str, html: &mut String, content: impl FnOnce(&mut String)) {
    let _ = write!(html, "<{name}>");
    content(html);
    let _ = write!(html, "</{name}>");
}

fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    bindery_content::html::escape(text, &mut html);
    html
}
