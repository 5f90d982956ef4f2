//! Text and inline elements.

use super::{Flow, Writer, flow_of};
use crate::html::{Element, Node};

impl Writer<'_> {
    /// Writes inline nodes. White space between words is one space, as in HTML.
    pub(super) fn inlines(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Text(text) => self.text(text),
                Node::Element(element) => self.inline(element),
            }
        }
    }

    /// Writes nodes as text, or in the flow of the page if they contain blocks.
    pub(super) fn inlines_or_flow(&mut self, nodes: &[Node]) {
        let is_block =
            |node: &Node| node.element().is_some_and(|element| flow_of(element) == Flow::Block);
        if nodes.iter().any(is_block) { self.flow(nodes) } else { self.inlines(nodes) }
    }

    fn text(&mut self, text: &str) {
        let mut collapsed = String::with_capacity(text.len());
        let mut after_space = self.to.ends_with_space();
        for char in text.chars() {
            let is_space = matches!(char, ' ' | '\n' | '\t' | '\r' | '\u{c}');
            if !is_space {
                collapsed.push(char);
            } else if !after_space {
                collapsed.push(' ');
            }
            after_space = is_space;
        }
        self.to.words(&collapsed);
    }

    fn enclosed(&mut self, open: &str, element: &Element) {
        let start = self.to.len();
        self.to.code(open);
        let inner = self.to.len();
        self.inlines(&element.children);
        if self.to.len() == inner {
            return self.to.truncate(start);
        }
        self.to.code("});");
    }

    fn inline(&mut self, element: &Element) {
        match flow_of(element) {
            Flow::Hidden => return,
            // Blocks within text, such as a list in a cell of another system.
            Flow::Block => return self.block(element),
            Flow::Inline => {}
        }
        if element.name != "a" && element.name != "button" {
            self.anchor(element);
        }
        match element.name.as_str() {
            "br" => self.to.code("linebreak();"),
            "wbr" => self.to.code("z;"),
            "strong" | "b" | "summary" => self.enclosed("strong({", element),
            "em" | "i" | "cite" | "dfn" | "var" => self.enclosed("emph({", element),
            "del" | "s" => self.enclosed("strike({", element),
            "u" | "ins" => self.enclosed("underline({", element),
            "sup" => self.enclosed("super({", element),
            "sub" => self.enclosed("sub({", element),
            "small" => self.enclosed("text(size:0.85em,{", element),
            "code" | "tt" | "samp" => self.enclosed("ic({", element),
            "kbd" => self.enclosed("key({", element),
            "mark" => self.marked(element),
            "q" => {
                self.to.code("\"“\";");
                self.inlines(&element.children);
                self.to.code("\"”\";");
            }
            "rt" => {
                self.to.code("\" (\";");
                self.inlines(&element.children);
                self.to.code("\")\";");
            }
            "rp" => {}
            "a" if element.has_class("anchor") => {}
            "a" => self.link(element),
            "img" | "picture" => self.inline_image(element),
            "input" => {
                let is_checked = element.attribute("checked").is_some();
                self.to.code(if is_checked { "checkbox(true);" } else { "checkbox(false);" });
            }
            "button" => self.note(element),
            "math" => super::math::write(element, false, &mut self.to),
            "span" => self.span(element),
            _ => self.inlines(&element.children),
        }
    }

    fn span(&mut self, span: &Element) {
        let class = span.attribute("class").unwrap_or_default();
        match class.split_ascii_whitespace().next().unwrap_or_default() {
            "icon" => {}
            "emoji" => {
                self.to.code("emoji-or(");
                self.to.string(&span.text());
                self.to.code(",");
                self.to.string(span.attribute("aria-label").unwrap_or_default());
                self.to.code(");");
            }
            "option" | "openapi-method" => self.enclosed("tagged({", span),
            "button" | "card-title" | "code-title" => self.enclosed("strong({", span),
            "file-size" | "embed-url" | "code-lang" => self.enclosed("quiet({", span),
            _ => self.inlines(&span.children),
        }
    }

    fn marked(&mut self, mark: &Element) {
        let class = mark.attribute("class").unwrap_or_default();
        let named = |prefix: &str| {
            class.split_ascii_whitespace().find_map(|class| class.strip_prefix(prefix))
        };
        let (color, background) = (named("color-"), named("bg-"));
        if color.is_none() && background.is_none() {
            return self.enclosed("highlight({", mark);
        }
        self.to.code("marked(");
        self.to.string(color.unwrap_or_default());
        self.to.code(",");
        self.to.string(background.unwrap_or_default());
        self.to.code(",{");
        self.inlines(&mark.children);
        self.to.code("});");
    }

    /// Writes a link, or only its content if it leads nowhere.
    pub(super) fn link(&mut self, link: &Element) {
        let Some(address) = link.attribute("href").and_then(|href| self.address(href)) else {
            return self.inlines(&link.children);
        };
        let start = self.to.len();
        self.to.code("link(");
        self.to.string(&address);
        self.to.code(",{");
        let inner = self.to.len();
        self.inlines_or_flow(&link.children);
        if self.to.len() == inner {
            return self.to.truncate(start);
        }
        self.to.code("});");
    }

    /// Writes the note that a mark refers to as a footnote. A further mark of the same note shows
    /// its number.
    fn note(&mut self, mark: &Element) {
        let id = mark.attribute("popovertarget").unwrap_or_default();
        let Some(at) = self.notes.iter().position(|(known, _)| known == id) else { return };
        let is_first = self.written_notes.insert(id.to_owned());
        if self.in_note || !is_first {
            self.to.code("super({");
            self.to.words(&mark.text());
            return self.to.code("});");
        }
        let body = self.notes.get_mut(at).map(|(_, body)| std::mem::take(body));
        self.to.code("note({");
        self.to.words(&mark.text());
        self.to.code("},{");
        self.in_note = true;
        match body.unwrap_or_default().as_slice() {
            nodes if paragraphs(nodes) == 1 => {
                for node in nodes.iter().filter_map(Node::element) {
                    self.inlines(&node.children);
                }
            }
            nodes => self.flow(nodes),
        }
        self.in_note = false;
        self.to.code("});");
    }
}

/// Returns the number of paragraphs if all blocks are paragraphs, otherwise zero.
fn paragraphs(nodes: &[Node]) -> usize {
    let mut elements = nodes.iter().filter_map(Node::element);
    if elements.all(|element| element.name == "p") {
        nodes.iter().filter_map(Node::element).count()
    } else {
        0
    }
}
