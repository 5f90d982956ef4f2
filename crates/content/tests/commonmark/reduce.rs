//! Reduces HTML to the content that the document model can express.
//!
//! Ignores the titles of links and images, looseness of lists, the order of marks, marks of images,
//! and the difference between the first two and the last three levels of headings.

use html5ever::tendril::TendrilSink as _;
use html5ever::{Attribute, ParseOpts, QualName, local_name, ns, parse_fragment};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use percent_encoding::percent_decode_str;

const BLOCKS: [&str; 27] = [
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "ul",
    "ol",
    "li",
    "pre",
    "hr",
    "table",
    "thead",
    "tbody",
    "tr",
    "td",
    "th",
    "div",
    "section",
    "article",
    "details",
    "style",
    "script",
    "textarea",
    "iframe",
];

/// Returns the HTML in one line: `name(content)`, with texts in quotes and their marks.
pub(crate) fn reduce(html: &str) -> String {
    let context = QualName::new(None, ns!(html), local_name!("body"));
    let dom = parse_fragment(RcDom::default(), ParseOpts::default(), context, Vec::new(), false);
    // The line break would reopen an element that is still open.
    let dom = dom.one(html.trim_end());
    let root = dom.document.children.borrow().first().cloned();
    let mut reducer = Reducer::default();
    if let Some(root) = root {
        reducer.children(&root);
    }
    reducer.end_text();
    reducer.out
}

#[derive(Default)]
struct Reducer {
    out: String,
    marks: Vec<&'static str>,
    target: Option<String>,
    /// The current text, in pieces with uniform marks.
    text: Vec<(String, String)>,
    in_code: bool,
}

impl Reducer {
    fn children(&mut self, node: &Handle) {
        for child in node.children.borrow().iter() {
            self.node(child);
        }
    }

    fn node(&mut self, node: &Handle) {
        match &node.data {
            NodeData::Text { contents } => {
                let contents = contents.borrow();
                if self.in_code || self.marks.contains(&"code") {
                    self.push(&contents);
                } else {
                    self.push(&contents.replace('\n', " "));
                }
            }
            NodeData::Comment { contents } => self.push(&format!("<!--{contents}-->")),
            NodeData::Element { name, attrs, .. } => {
                self.element(node, name.local.as_ref(), &attrs.borrow());
            }
            _ => {}
        }
    }

    fn element(&mut self, node: &Handle, name: &str, attributes: &[Attribute]) {
        let attribute = |name: &str| {
            let found = attributes.iter().find(|found| &*found.name.local == name);
            found.map(|found| found.value.to_string())
        };
        let mark = match name {
            "strong" | "b" => "bold",
            "em" | "i" => "italic",
            "del" | "s" => "strikethrough",
            "code" if !self.in_code => "code",
            _ => "",
        };
        match name {
            _ if !mark.is_empty() => {
                self.marks.push(mark);
                self.children(node);
                self.marks.pop();
            }
            "a" if attribute("href").is_some() => {
                let before = self.target.replace(decoded(&attribute("href").unwrap_or_default()));
                let is_space = |child: &Handle| match &child.data {
                    NodeData::Text { contents } => contents.borrow().trim().is_empty(),
                    _ => false,
                };
                if node.children.borrow().iter().all(is_space) {
                    self.push("<nothing>");
                }
                self.children(node);
                self.target = before;
            }
            "img" => {
                let (source, alt) = (attribute("src"), attribute("alt"));
                let (source, alt) = (source.unwrap_or_default(), alt.unwrap_or_default());
                let marks = std::mem::take(&mut self.marks);
                self.push(&format!("<img {} {alt:?}>", decoded(&source)));
                self.marks = marks;
            }
            "br" => self.push("\n"),
            "input" => {
                let checked = attribute("checked").is_some();
                self.out.push_str(if checked { "checked " } else { "unchecked " });
            }
            "code" => {
                let class = attribute("class").unwrap_or_default();
                self.push(&class);
                self.push("\n");
                self.children(node);
            }
            // The sections of a table add nothing, nor does the paragraph in a cell.
            "thead" | "tbody" => self.children(node),
            name if BLOCKS.contains(&name) => {
                self.end_text();
                let name = match name {
                    "h1" | "h2" => "heading-1",
                    "h3" => "heading-2",
                    "h4" | "h5" | "h6" => "heading-3",
                    name => name,
                };
                self.open(name);
                if name == "ol" {
                    let start = attribute("start").unwrap_or_else(|| "1".to_owned());
                    self.out.push_str(&start);
                }
                if matches!(name, "td" | "th") {
                    let style = attribute("style").unwrap_or_default();
                    let style = style.strip_prefix("text-align: ").map(str::to_owned);
                    let align = attribute("align").or(style);
                    self.out.push_str(align.as_deref().unwrap_or("left"));
                }
                let was_code = std::mem::replace(&mut self.in_code, name == "pre");
                // Cells and items contain their text with or without a paragraph.
                if name == "p" {
                    self.children(node);
                    self.end_text();
                    return;
                }
                self.children(node);
                self.end_text();
                self.in_code = was_code;
                self.out.push(')');
            }
            name => {
                if name != "a" && name != "span" {
                    self.push(&format!("<{name}>"));
                }
                self.children(node);
            }
        }
    }

    /// Begins a block. A paragraph is written as its text only.
    fn open(&mut self, name: &str) {
        if name != "p" {
            self.out.push_str(&format!("{name}("));
        }
    }

    fn push(&mut self, text: &str) {
        let mut marks = self.marks.clone();
        marks.sort_unstable();
        marks.dedup();
        let target = self.target.iter().map(|target| format!("link {target}"));
        let marks: Vec<String> = marks.into_iter().map(str::to_owned).chain(target).collect();
        let marks = marks.join(" ");
        match self.text.last_mut() {
            Some((before, last)) if *before == marks => last.push_str(text),
            _ => self.text.push((marks, text.to_owned())),
        }
    }

    /// Ends a paragraph. Drops one without text.
    fn end_text(&mut self) {
        let mut text = std::mem::take(&mut self.text);
        if !self.in_code {
            trim(&mut text);
        }
        let pieces = text.iter().map(|(marks, text)| format!("{marks}{text:?} "));
        let line: String = pieces.collect();
        if !line.is_empty() {
            self.out.push_str(&line);
            self.out.push_str("| ");
        }
    }
}

/// Trims spaces at the ends of the text and of its lines.
fn trim(text: &mut Vec<(String, String)>) {
    let mut at_start = true;
    for (_, piece) in text.iter_mut() {
        let mut lines: Vec<String> = Vec::new();
        for (n, line) in piece.split('\n').enumerate() {
            let line = if at_start || n > 0 { line.trim_start_matches(' ') } else { line };
            lines.push(line.to_owned());
        }
        let whole = lines.join("\n");
        at_start = whole.ends_with('\n') || (at_start && whole.is_empty());
        *piece = whole;
    }
    while let Some((_, last)) = text.last_mut() {
        last.truncate(last.trim_end_matches([' ', '\n']).len());
        if !last.is_empty() {
            break;
        }
        text.pop();
    }
    text.retain(|(_, piece)| !piece.is_empty());
}

fn decoded(target: &str) -> String {
    percent_decode_str(target).decode_utf8_lossy().into_owned()
}
