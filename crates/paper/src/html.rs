//! A parser for the HTML that `bindery_content::html` writes.
//!
//! That HTML is balanced and consists of known elements, so the parser needs none of the repairs
//! of browsers. It accepts any text nevertheless: an end tag without a start tag is ignored, and
//! elements that are still open at the end are closed there.

/// Maximum depth of elements. The content of deeper elements belongs to the last element above.
const DEPTH_LIMIT: usize = 128;

/// A piece of text or an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// Text with character references resolved.
    Text(String),
    /// An element.
    Element(Element),
}

/// An element with its attributes and its content.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Node>,
}

impl Element {
    /// Returns the value of an attribute. An attribute without a value has an empty one.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns `true` if the element has this class.
    pub(crate) fn has_class(&self, class: &str) -> bool {
        self.attribute("class")
            .is_some_and(|classes| classes.split_ascii_whitespace().any(|one| one == class))
    }

    /// Returns the elements directly below.
    pub(crate) fn elements(&self) -> impl Iterator<Item = &Self> {
        self.children.iter().filter_map(Node::element)
    }

    /// Returns the text of the element and of everything below.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        collect_text(&self.children, &mut text);
        text
    }
}

impl Node {
    /// Returns the element; `None` for text.
    pub(crate) fn element(&self) -> Option<&Element> {
        match self {
            Self::Text(_) => None,
            Self::Element(element) => Some(element),
        }
    }
}

/// Appends the text of nodes and of everything below to `text`.
pub(crate) fn collect_text(nodes: &[Node], text: &mut String) {
    for node in nodes {
        match node {
            Node::Text(own) => text.push_str(own),
            Node::Element(element) => collect_text(&element.children, text),
        }
    }
}

/// Parses HTML into its nodes.
pub(crate) fn parse(html: &str) -> Vec<Node> {
    let mut parser = Parser { open: Vec::new(), roots: Vec::new(), unopened: 0 };
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (text, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        parser.text(text);
        rest = match tag(after) {
            Some((tag, rest)) => {
                parser.tag(tag);
                rest
            }
            None => {
                parser.text("<");
                after.strip_prefix('<').unwrap_or_default()
            }
        };
    }
    parser.text(rest);
    while !parser.open.is_empty() {
        parser.close();
    }
    parser.roots
}

struct Parser {
    /// The open elements, outermost first.
    open: Vec<Element>,
    roots: Vec<Node>,
    /// The number of open elements below the deepest one that is kept.
    unopened: usize,
}

impl Parser {
    fn add(&mut self, node: Node) {
        match self.open.last_mut() {
            Some(parent) => parent.children.push(node),
            None => self.roots.push(node),
        }
    }

    fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.add(Node::Text(unescape(text)));
        }
    }

    fn close(&mut self) {
        if let Some(element) = self.open.pop() {
            self.add(Node::Element(element));
        }
    }

    fn tag(&mut self, tag: Tag) {
        match tag {
            Tag::Open(element, is_closed) => {
                if is_closed || is_void(&element.name) {
                    self.add(Node::Element(element));
                } else if self.open.len() >= DEPTH_LIMIT {
                    self.unopened += 1;
                } else {
                    self.open.push(element);
                }
            }
            Tag::Close(_) if self.unopened > 0 => self.unopened -= 1,
            Tag::Close(name) => {
                if self.open.iter().any(|open| open.name == name) {
                    while self.open.last().is_some_and(|last| last.name != name) {
                        self.close();
                    }
                    self.close();
                }
            }
        }
    }
}

fn is_void(name: &str) -> bool {
    matches!(name, "br" | "hr" | "img" | "input" | "source" | "wbr" | "col" | "meta" | "link")
}

enum Tag {
    /// A start tag, with `true` if the element ends there.
    Open(Element, bool),
    Close(String),
}

/// Parses a tag at the start of a text. Returns it with the text after it.
fn tag(text: &str) -> Option<(Tag, &str)> {
    let inner = text.strip_prefix('<')?;
    let (inner, is_end) = inner.strip_prefix('/').map_or((inner, false), |inner| (inner, true));
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '-')?;
    let (name, mut rest) = inner.split_at_checked(end)?;
    let mut element = Element { name: name.to_ascii_lowercase(), ..Element::default() };
    loop {
        rest = rest.trim_ascii_start();
        if let Some(after) = rest.strip_prefix("/>") {
            return Some((Tag::Open(element, true), after));
        }
        if let Some(after) = rest.strip_prefix('>') {
            let tag = if is_end { Tag::Close(element.name) } else { Tag::Open(element, false) };
            return Some((tag, after));
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, '=' | '>' | '/'))?;
        let (key, after) = rest.split_at_checked(end).filter(|(key, _)| !key.is_empty())?;
        let (value, after) = match after.strip_prefix("=\"") {
            Some(value) => {
                let (value, after) = value.split_once('"')?;
                (unescape(value), after)
            }
            None => (String::new(), after.strip_prefix('=').unwrap_or(after)),
        };
        element.attributes.push((key.to_owned(), value));
        rest = after;
    }
}

/// Resolves the character references that occur in rendered pages.
fn unescape(text: &str) -> String {
    const REFERENCES: [(&str, &str); 7] = [
        ("&amp;", "&"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&nbsp;", "\u{a0}"),
    ];
    let mut resolved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        resolved.push_str(before);
        let found =
            REFERENCES.iter().find_map(|(name, value)| Some((after.strip_prefix(name)?, value)));
        let (after, value) = found.unwrap_or((after.strip_prefix('&').unwrap_or_default(), &"&"));
        resolved.push_str(value);
        rest = after;
    }
    resolved.push_str(rest);
    resolved
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(nodes: &[Node]) -> String {
        let mut text = String::new();
        for node in nodes {
            match node {
                Node::Text(own) => text.push_str(own),
                Node::Element(Element { name, attributes, children }) => {
                    text.push_str(&format!("[{name}"));
                    for (key, value) in attributes {
                        text.push_str(&format!(" {key}={value}"));
                    }
                    text.push_str(&format!(":{}]", print(children)));
                }
            }
        }
        text
    }

    #[test]
    fn elements_nest_and_references_are_resolved() {
        for (html, expect) in [
            ("<p>a &lt;b&gt; &amp;c</p>", "[p:a <b> &c]"),
            ("<ul><li>x<br>y</li></ul>z", "[ul:[li:x[br:]y]]z"),
            (
                "<a class=\"x y\" href=\"#&quot;\" download>t</a>",
                "[a class=x y href=#\" download=:t]",
            ),
            ("<details open><summary>s</summary></details>", "[details open=:[summary:s]]"),
            ("<mspace width=\"1em\"/>x", "[mspace width=1em:]x"),
            ("</p>x<b>y", "x[b:y]"),
            ("<b><i>x</b>y", "[b:[i:x]]y"),
            ("1 < 2 &x; <", "1 < 2 &x; <"),
            ("<h2 id=\"a\">b</h2>", "[h2 id=a:b]"),
        ] {
            assert_eq!(print(&parse(html)), expect, "{html}");
        }
    }

    #[test]
    fn deep_nesting_keeps_the_text() {
        let html = format!("{}x{}y", "<div>".repeat(100_000), "</div>".repeat(100_000));
        let mut text = String::new();
        collect_text(&parse(&html), &mut text);
        assert_eq!(text, "xy");
    }
}
