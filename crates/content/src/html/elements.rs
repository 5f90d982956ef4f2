//! The elements that HTML in the source can contain, and the names under which they are written.

/// An element that may be written.
pub(super) struct Element {
    pub(super) name: &'static str,
    pub(super) role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// An inline element.
    Inline,
    /// A block of text, which ends when another block begins.
    Text,
    /// An element that contains blocks.
    Container,
    /// An element without content.
    Void,
    /// An element that is valid only within one of these.
    Within(&'static [&'static str]),
}

const fn element(name: &'static str, role: Role) -> Element {
    Element { name, role }
}

const ELEMENTS: [Element; 70] = [
    element("a", Role::Inline),
    element("abbr", Role::Inline),
    element("b", Role::Inline),
    element("bdi", Role::Inline),
    element("big", Role::Inline),
    element("cite", Role::Inline),
    element("code", Role::Inline),
    element("del", Role::Inline),
    element("dfn", Role::Inline),
    element("em", Role::Inline),
    element("i", Role::Inline),
    element("ins", Role::Inline),
    element("kbd", Role::Inline),
    element("mark", Role::Inline),
    element("q", Role::Inline),
    element("rp", Role::Inline),
    element("rt", Role::Inline),
    element("ruby", Role::Inline),
    element("s", Role::Inline),
    element("samp", Role::Inline),
    element("small", Role::Inline),
    element("strong", Role::Inline),
    element("sub", Role::Inline),
    element("sup", Role::Inline),
    element("time", Role::Inline),
    element("tt", Role::Inline),
    element("u", Role::Inline),
    element("var", Role::Inline),
    element("p", Role::Text),
    element("h1", Role::Text),
    element("h2", Role::Text),
    element("h3", Role::Text),
    element("h4", Role::Text),
    element("h5", Role::Text),
    element("h6", Role::Text),
    element("pre", Role::Text),
    element("address", Role::Container),
    element("article", Role::Container),
    element("aside", Role::Container),
    element("blockquote", Role::Container),
    element("center", Role::Container),
    element("details", Role::Container),
    element("div", Role::Container),
    element("dl", Role::Container),
    element("figure", Role::Container),
    element("footer", Role::Container),
    element("header", Role::Container),
    element("main", Role::Container),
    element("nav", Role::Container),
    element("ol", Role::Container),
    element("section", Role::Container),
    element("table", Role::Container),
    element("ul", Role::Container),
    element("br", Role::Void),
    element("hr", Role::Void),
    element("img", Role::Void),
    element("source", Role::Void),
    element("wbr", Role::Void),
    element("caption", Role::Within(&["table"])),
    element("dd", Role::Within(&["dl"])),
    element("dt", Role::Within(&["dl"])),
    element("figcaption", Role::Within(&["figure"])),
    element("li", Role::Within(&["ul", "ol"])),
    element("summary", Role::Within(&["details"])),
    element("tbody", Role::Within(&["table"])),
    element("td", Role::Within(&["tr"])),
    element("tfoot", Role::Within(&["table"])),
    element("th", Role::Within(&["tr"])),
    element("thead", Role::Within(&["table"])),
    element("tr", Role::Within(&["table", "thead", "tbody", "tfoot"])),
];

/// Returns the element with this name, if it may be written.
pub(super) fn find(name: &str) -> Option<&'static Element> {
    ELEMENTS.iter().find(|element| element.name.eq_ignore_ascii_case(name))
}

/// Returns the element that content needs directly within an element that permits only those.
pub(super) fn implied(written: &str) -> Option<&'static str> {
    match written {
        "table" => Some("tbody"),
        "thead" | "tbody" | "tfoot" => Some("tr"),
        "tr" => Some("td"),
        "ul" | "ol" => Some("li"),
        "dl" => Some("dd"),
        _ => None,
    }
}

/// Returns the name under which an element is written where only a line is permitted.
pub(super) fn name_in_line(element: &Element) -> &'static str {
    match (element.name, element.role) {
        ("pre", _) => "code",
        ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", _) => "strong",
        (_, Role::Inline) => output_name(element),
        _ => "span",
    }
}

/// Returns the name under which an element is written. `h1` becomes `h2`, as the page's title is
/// its only `h1`.
pub(super) fn output_name(element: &Element) -> &'static str {
    match element.name {
        "h1" => "h2",
        "center" => "div",
        "big" => "span",
        "tt" => "code",
        // Landmarks are reserved for the page's layout.
        "article" | "aside" | "footer" | "header" | "main" | "nav" | "section" => "div",
        name => name,
    }
}
