//! Code blocks: highlighted as on pages, wrapped, and divided at the ends of pages.

use super::Writer;
use crate::html::{Element, Node};

/// Maximum number of lines that one paragraph of the source holds.
const LINES_AT_ONCE: usize = 60;
/// Number of characters of an unbroken piece of code after which a line may break anywhere.
const LONG_PIECE: usize = 24;

/// A line of code that is being collected.
#[derive(Default)]
struct Line {
    /// The pieces with their classes of highlighting.
    pieces: Vec<(String, &'static str)>,
    is_highlighted: bool,
}

impl Writer<'_> {
    /// Writes a figure with code and its title.
    pub(super) fn code_figure(&mut self, figure: &Element) {
        let caption = figure.elements().find(|child| child.name == "figcaption");
        let title = caption.into_iter().flat_map(Element::elements);
        if let Some(title) = title.filter(|part| part.has_class("code-title")).last() {
            self.to.code("code-name({");
            self.to.words(&title.text());
            self.to.code("});");
        }
        for pre in figure.elements().filter(|child| child.name == "pre") {
            self.code_lines(pre, figure.has_class("numbered"));
        }
    }

    /// Writes an element whose white space is kept.
    pub(super) fn code_block(&mut self, pre: &Element) {
        self.code_lines(pre, false);
    }

    fn code_lines(&mut self, pre: &Element, is_numbered: bool) {
        let mut lines = vec![Line::default()];
        collect(&pre.children, "", false, &mut lines);
        while lines.len() > 1 && lines.last().is_some_and(|line| line.pieces.is_empty()) {
            lines.pop();
        }
        self.container("code-block({", "});", |to| {
            let width = lines.len().to_string().len();
            for (at, part) in lines.chunks(LINES_AT_ONCE).enumerate() {
                to.to.code("par({");
                for (below, line) in part.iter().enumerate() {
                    if below > 0 {
                        to.to.code("linebreak();");
                    }
                    if is_numbered {
                        let number = at * LINES_AT_ONCE + below + 1;
                        to.to.code("N(");
                        to.to.string(&format!("{number:>width$}  "));
                        to.to.code(");");
                    }
                    to.code_line(line);
                }
                to.to.code("});");
            }
        });
    }

    fn code_line(&mut self, line: &Line) {
        if line.is_highlighted {
            self.to.code("highlight({");
        }
        if line.pieces.is_empty() {
            // An empty line keeps its height.
            self.to.code("\"\\u{200b}\";");
        }
        for (text, class) in &line.pieces {
            if !class.is_empty() {
                self.to.code(class);
                self.to.code("({");
            }
            let mut piece = String::new();
            let mut unbroken = 0;
            for char in text.chars() {
                unbroken = if char.is_whitespace() { 0 } else { unbroken + 1 };
                if unbroken > LONG_PIECE {
                    self.to.string(&piece);
                    self.to.code(";z;");
                    piece.clear();
                    unbroken = 1;
                }
                piece.push(char);
            }
            self.to.string(&piece);
            self.to.code(";");
            if !class.is_empty() {
                self.to.code("});");
            }
        }
        if line.is_highlighted {
            self.to.code("});");
        }
    }
}

/// Returns the function for a class of highlighting.
fn class_of(element: &Element) -> Option<&'static str> {
    Some(match element.attribute("class")? {
        "c" => "cc",
        "s" => "cs",
        "n" => "cn",
        "k" => "ck",
        "f" => "cf",
        "t" => "ct",
        "v" => "cv",
        "g" => "cg",
        "d" => "cd",
        _ => return None,
    })
}

/// Collects the lines of nodes whose white space is kept.
fn collect(nodes: &[Node], class: &'static str, is_highlighted: bool, lines: &mut Vec<Line>) {
    for node in nodes {
        match node {
            Node::Text(text) => {
                for (at, part) in text.split('\n').enumerate() {
                    if at > 0 {
                        lines.push(Line::default());
                    }
                    let part = part.trim_end_matches('\r');
                    if let Some(line) = lines.last_mut().filter(|_| !part.is_empty()) {
                        line.is_highlighted |= is_highlighted;
                        line.pieces.push((part.to_owned(), class));
                    }
                }
            }
            Node::Element(element) if element.name == "br" => lines.push(Line::default()),
            Node::Element(element) => {
                let class = class_of(element).unwrap_or(class);
                let is_highlighted = is_highlighted || element.has_class("hl");
                collect(&element.children, class, is_highlighted, lines);
            }
        }
    }
}
