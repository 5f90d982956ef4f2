//! Blocks other than code, tables and images.

use super::{Flow, Writer, flow_of};
use crate::html::{Element, Node};

impl Writer<'_> {
    pub(super) fn block(&mut self, element: &Element) {
        let name = element.name.as_str();
        if !matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "details") {
            self.anchor(element);
        }
        match name {
            // The title is written with the frame of the hint.
            "p" if element.has_class("hint-title") => {}
            "p" if element.has_class("caption") => {
                self.container("caption({", "});", |to| to.inlines(&element.children));
            }
            "p" => self.paragraph_or_flow(element),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.heading(element),
            "ul" if element.has_class("cards") => self.cards(element),
            "ul" => self.list(element),
            "ol" if element.has_class("stepper") => self.stepper(element),
            "ol" => self.list(element),
            "table" => self.table(element),
            "figure" if element.has_class("code") => self.code_figure(element),
            "figure" => self.figure(element),
            "pre" => self.code_block(element),
            "blockquote" => self.container("quoted({", "});", |to| to.flow(&element.children)),
            "details" => self.details(element),
            "hr" => self.to.code("rule;"),
            "dt" => self.container("term({", "});", |to| to.inlines_or_flow(&element.children)),
            "dd" => self.container("indented({", "});", |to| to.flow(&element.children)),
            "a" => self.card_link(element),
            "article" if element.has_class("update") => {
                self.container("boxed-block({", "});", |to| to.flow(&element.children));
            }
            "section" if element.has_class("prompt") => {
                self.container("boxed-block({", "});", |to| to.flow(&element.children));
            }
            "div" => self.division(element),
            "center" => self.container("align(center,{", "});", |to| to.flow(&element.children)),
            _ => self.aligned(element),
        }
    }

    /// Writes a division by its class.
    fn division(&mut self, element: &Element) {
        let class = element.attribute("class").unwrap_or_default();
        let first = class.split_ascii_whitespace().next().unwrap_or_default();
        match first {
            "hint" => self.hint(element),
            "hint-icon" => {}
            "columns" => self.columns(element),
            "gallery" => self.gallery(element),
            "math" => {
                for math in element.elements().filter(|child| child.name == "math") {
                    super::math::write(math, true, &mut self.to);
                }
                if element.elements().all(|child| child.name != "math") {
                    self.paragraph_of(&element.children);
                }
            }
            "prompt-head" | "update-head" => {
                self.container("strong({", "});", |to| to.inlines_or_flow(&element.children));
                self.to.code("parbreak();");
            }
            _ => self.aligned(element),
        }
    }

    /// Writes the content of an element with its alignment.
    fn aligned(&mut self, element: &Element) {
        match element.attribute("data-align") {
            Some("center") => {
                self.container("align(center,{", "});", |to| to.flow(&element.children));
            }
            Some("end") => self.container("align(end,{", "});", |to| to.flow(&element.children)),
            _ => self.flow(&element.children),
        }
    }

    fn paragraph_or_flow(&mut self, element: &Element) {
        if element.elements().any(|child| flow_of(child) == Flow::Block) {
            return self.flow(&element.children);
        }
        self.paragraph(&element.children, element.attribute("data-align"));
    }

    fn heading(&mut self, element: &Element) {
        // The headings of a page are one level below its title, which is `h1` on the site.
        let own: u8 = element.name.get(1..).and_then(|level| level.parse().ok()).unwrap_or(2);
        let level = self.level.saturating_add(own.saturating_sub(1).max(1));
        let text = heading_text(&element.children);
        let is_rtl = self.direction_of(&text);
        self.to.code("H(");
        self.to.number(level);
        self.to.code(",");
        self.to.number(own);
        self.to.code(",{");
        self.inlines(&text);
        self.to.code("},{");
        self.anchor(element);
        self.to.code(match is_rtl {
            Some(true) => "},dir:std.rtl);",
            Some(false) => "},dir:std.ltr);",
            None => "});",
        });
    }

    fn list(&mut self, list: &Element) {
        let items: Vec<&Element> = list.elements().filter(|item| item.name == "li").collect();
        let is_tight = items.iter().all(|item| {
            item.elements().all(|child| {
                flow_of(child) != Flow::Block || matches!(child.name.as_str(), "ul" | "ol")
            })
        });
        let open = match (list.name.as_str(), list.has_class("tasks")) {
            ("ol", _) => {
                let start = list.attribute("start").and_then(|start| start.parse::<u32>().ok());
                format!("enum(start:{},", start.unwrap_or(1))
            }
            (_, true) => "list(marker:none,body-indent:0pt,".to_owned(),
            (_, false) => "list(".to_owned(),
        };
        let open = format!("{open}tight:{is_tight},");
        self.container(&open, ");", |to| {
            let is_list = to.depth <= super::CONTAINER_LIMIT;
            for item in items {
                to.to.code("{");
                to.anchor(item);
                if is_tight {
                    to.tight_item(item);
                } else {
                    to.flow(&item.children);
                }
                to.to.code(if is_list { "}," } else { "parbreak()};" });
            }
        });
    }

    /// Writes the text of an item without a paragraph around it, and the lists below it.
    fn tight_item(&mut self, item: &Element) {
        let at = item.children.iter().position(
            |node| matches!(node, Node::Element(child) if matches!(child.name.as_str(), "ul" | "ol")),
        );
        let (text, lists) = item.children.split_at(at.unwrap_or(item.children.len()));
        let direction = self.direction_of(text);
        self.to.code(match direction {
            None => "",
            Some(true) => "set text(dir:std.rtl);",
            Some(false) => "set text(dir:std.ltr);",
        });
        self.inlines(text);
        self.flow(lists);
    }

    fn stepper(&mut self, stepper: &Element) {
        let steps = stepper.elements().filter(|step| step.name == "li");
        for (at, step) in steps.enumerate() {
            let open = format!("step({},{{", at + 1);
            self.container(&open, "});", |to| to.flow(&step.children));
        }
    }

    fn hint(&mut self, hint: &Element) {
        let style = ["success", "warning", "danger"]
            .into_iter()
            .find(|style| hint.has_class(&format!("hint-{style}")))
            .unwrap_or("info");
        let body = hint.elements().find(|child| child.has_class("hint-body"));
        let is_title = |child: &&Element| child.has_class("hint-title");
        let has_title = body.is_some_and(|body| body.elements().any(|child| is_title(&child)));
        let label = hint.attribute("aria-label").filter(|_| has_title).unwrap_or_default();
        self.container("hint(\"", "});", |to| {
            if to.depth <= super::CONTAINER_LIMIT {
                to.to.code(style);
                to.to.code("\",");
                to.to.string(label);
                to.to.code(",{");
            }
            to.flow(body.map_or(&hint.children, |body| &body.children));
        });
    }

    /// Writes a section with its title and its whole content.
    fn details(&mut self, details: &Element) {
        self.anchor(details);
        self.container("section({", "});", |to| {
            let is_shown = to.depth <= super::CONTAINER_LIMIT;
            for summary in details.elements().filter(|child| child.name == "summary") {
                to.anchor(summary);
                to.inlines_or_flow(&summary.children);
            }
            to.to.code(if is_shown { "},{" } else { "parbreak();" });
            let is_body = |node: &&Node| node.element().is_none_or(|child| child.name != "summary");
            let body: Vec<Node> = details.children.iter().filter(is_body).cloned().collect();
            to.flow(&body);
        });
    }

    fn columns(&mut self, columns: &Element) {
        let columns: Vec<&Element> =
            columns.elements().filter(|column| column.has_class("column")).collect();
        if self.depth >= super::CONTAINER_LIMIT || columns.is_empty() || columns.len() > 4 {
            return columns.iter().for_each(|column| self.flow(&column.children));
        }
        self.to.code("grid(column-gutter:14pt,columns:(");
        for column in &columns {
            let span = column.attribute("data-span").and_then(|span| span.parse::<u8>().ok());
            self.to.number(span.unwrap_or(24 / u8::try_from(columns.len()).unwrap_or(1)).max(1));
            self.to.code("fr,");
        }
        self.to.code("),");
        self.container("", ");", |to| {
            for column in columns {
                to.to.code("{");
                to.flow(&column.children);
                to.to.code("},");
            }
        });
    }

    fn cards(&mut self, cards: &Element) {
        if self.depth >= super::CONTAINER_LIMIT {
            return cards.elements().for_each(|card| self.flow(&card.children));
        }
        self.container("cards(", ");", |to| {
            for card in cards.elements().filter(|card| card.name == "li") {
                to.card(card);
            }
        });
    }

    fn card(&mut self, card: &Element) {
        let link = card.elements().find(|child| child.has_class("card-link"));
        let href = link.and_then(|link| self.address(link.attribute("href")?));
        self.to.code("{");
        self.anchor(card);
        let is_cover = |child: &&Element| matches!(child.name.as_str(), "img" | "picture");
        for cover in card.elements().filter(is_cover) {
            self.cover(cover);
        }
        let start_of_text = self.to.len();
        let cells = card.elements().filter(|child| child.has_class("card-body"));
        for cell in cells.flat_map(Element::elements) {
            let start = self.to.len();
            self.flow(std::slice::from_ref(&Node::Element(cell.clone())));
            if self.to.len() > start {
                self.to.code("parbreak();");
            }
        }
        if let Some(href) = href {
            self.to.code("card-link(");
            self.to.string(&href);
            self.to.code(",");
            // The name of the link is the text of the card, if it has any.
            let has_text = self.to.since(start_of_text).contains('"');
            let name = link.and_then(|link| link.attribute("aria-label")).filter(|_| !has_text);
            self.to.string(name.unwrap_or_default());
            self.to.code(");");
        }
        self.to.code("},");
    }

    /// Writes a link that stands as a block: to a page, a file or an embedded address.
    fn card_link(&mut self, link: &Element) {
        self.to.code("link-box({");
        self.link(link);
        self.to.code("});");
    }
}

/// Returns the content of a heading without the sign that links to it, and without the space before
/// the sign, which bookmarks would show.
fn heading_text(children: &[Node]) -> Vec<Node> {
    let is_sign = |node: &Node| match node {
        Node::Element(element) => element.has_class("anchor"),
        Node::Text(text) => text.trim().is_empty(),
    };
    let end = children.iter().rposition(|node| !is_sign(node)).map_or(0, |last| last + 1);
    let mut text = children.get(..end).unwrap_or_default().to_vec();
    if let Some(Node::Text(last)) = text.last_mut() {
        last.truncate(last.trim_end().len());
    }
    text
}
