//! A page's metadata: the YAML front matter between `---` lines at the top of its file.

mod write;

use bindery_model::{CoverSize, Layout, LayoutWidth};
use serde_json::{Map, Value};

use crate::source::{Span, Warning, lines};
use crate::yaml;

pub use write::{edit, update};

/// The parsed metadata of a page. Unknown keys and unusable values are omitted here and remain in
/// the source.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FrontMatter {
    /// The title. Used for reusable contents only: a page's title is its first-level heading.
    pub title: Option<String>,
    /// A description, shown under the title.
    pub description: Option<String>,
    /// `true` if the table of contents omits the page.
    pub hidden: bool,
    /// `true` if the site's own search omits the page.
    pub no_index: bool,
    /// `true` if search engines must not index the page.
    pub no_robots_index: bool,
    /// The name of the page's icon.
    pub icon: Option<String>,
    /// The expression that must be true for the page to be shown (key `if`).
    pub condition: Option<String>,
    /// The page's variables, in order (key `vars`).
    pub variables: Map<String, Value>,
    /// The cover image above the page.
    pub cover: Option<Cover>,
    /// The visibility and size of the page's parts.
    pub layout: Layout,
    /// The page's tags, in order.
    pub tags: Vec<Tag>,
    /// The canonical and alternate addresses that the page announces to search engines.
    pub meta_links: MetaLinks,
}

/// The cover image above a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Cover {
    /// The image as written: a path relative to the page, or a URL.
    pub light: String,
    /// The image for dark mode.
    pub dark: Option<String>,
    /// The vertical offset of the image.
    pub y_position: f64,
    /// The height in pixels, from 10 to 700, if specified.
    pub height: Option<f64>,
}

/// A tag of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The tag's slug.
    pub tag: String,
    /// `true` if this is the page's primary tag, if specified.
    pub primary: Option<bool>,
}

/// The addresses that a page announces to search engines, as written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MetaLinks {
    /// The address of the original that this page duplicates.
    pub canonical: Option<String>,
    /// The addresses of the page in other languages or versions.
    pub alternates: Vec<String>,
}

/// Locates the front matter at the start of a source.
///
/// Returns the span of the front matter (from the first `---` through the line ending after the
/// last) and the span of its YAML. Skips a leading byte-order mark.
#[must_use]
pub fn locate(source: &str) -> Option<(Span, Span)> {
    let start = if source.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
    let text = source.get(start..)?;
    if !text.starts_with("---") {
        return None;
    }
    let mut all = lines(text);
    all.next().filter(|(_, line)| is_fence(line))?;
    let mut yaml_start = None;
    for (span, line) in all {
        let first = *yaml_start.get_or_insert(span.start);
        if is_fence(line) {
            let end = line_end(text, span.end);
            let whole = Span::new(0, end).shifted(start);
            return Some((whole, Span::new(first, span.start).shifted(start)));
        }
    }
    None
}

fn is_fence(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| rest.trim().is_empty())
}

/// Returns the offset after the line ending at `offset`, or `offset` if there is none.
pub(crate) fn line_end(text: &str, offset: usize) -> usize {
    match text.as_bytes().get(offset..) {
        Some([b'\r', b'\n', ..]) => offset + 2,
        Some([b'\r' | b'\n', ..]) => offset + 1,
        _ => offset,
    }
}

/// Parses the YAML of a front matter. Invalid YAML yields a warning and empty metadata.
#[must_use]
pub fn parse(text: &str) -> (FrontMatter, Vec<Warning>) {
    let map = match yaml::parse(text) {
        Ok(Value::Object(map)) => map,
        Ok(Value::Null) => return Default::default(),
        Ok(_) => {
            let warning = Warning::at(1, "The front matter is not a list of keys and values.");
            return (FrontMatter::default(), vec![warning]);
        }
        Err(message) => {
            let warning = Warning::at(1, format!("The front matter is not valid YAML: {message}"));
            return (FrontMatter::default(), vec![warning]);
        }
    };
    (FrontMatter::from_map(&map), Vec::new())
}

impl FrontMatter {
    fn from_map(map: &Map<String, Value>) -> Self {
        let flag = |key: &str| map.get(key).and_then(Value::as_bool).unwrap_or(false);
        let text = |key: &str| map.get(key).and_then(yaml::text).filter(|text| !text.is_empty());
        Self {
            title: text("title"),
            description: text("description"),
            hidden: flag("hidden"),
            no_index: flag("noIndex"),
            no_robots_index: flag("noRobotsIndex"),
            icon: text("icon"),
            condition: text("if"),
            variables: crate::config::variables(map.get("vars")),
            cover: cover(map),
            layout: map.get("layout").map(layout).unwrap_or_default(),
            tags: list(map.get("tags")).filter_map(tag).collect(),
            meta_links: meta_links(map.get("metaLinks")),
        }
    }
}

fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

fn cover(map: &Map<String, Value>) -> Option<Cover> {
    let usable = |value: &Value| {
        value
            .as_str()
            .filter(|text| !text.is_empty() && *text != "broken-reference")
            .map(str::to_owned)
    };
    let (light, dark) = match map.get("cover")? {
        Value::Object(variants) => {
            (variants.get("light").and_then(usable), variants.get("dark").and_then(usable))
        }
        single => (usable(single), None),
    };
    let number = |key: &str| map.get(key).and_then(Value::as_f64).filter(|n| n.is_finite());
    Some(Cover {
        light: light?,
        dark,
        y_position: number("coverY").unwrap_or(0.0),
        height: number("coverHeight").map(|height| height.clamp(10.0, 700.0)),
    })
}

fn layout(value: &Value) -> Layout {
    let default = Layout::default();
    let Some(map) = value.as_object() else {
        return default;
    };
    let part = |key: &str, name: &str| map.get(key).and_then(|part| part.get(name));
    let visible = |key: &str| part(key, "visible").and_then(Value::as_bool).unwrap_or(true);
    Layout {
        width: match map.get("width").and_then(Value::as_str) {
            Some("wide") => LayoutWidth::Wide,
            _ => LayoutWidth::Default,
        },
        cover: visible("cover"),
        cover_size: match part("cover", "size").and_then(Value::as_str) {
            Some("full") => CoverSize::Full,
            Some("background") => CoverSize::Background,
            _ => CoverSize::Hero,
        },
        cover_mask: part("cover", "mask").and_then(Value::as_bool),
        title: visible("title"),
        description: visible("description"),
        table_of_contents: visible("tableOfContents"),
        outline: visible("outline"),
        pagination: visible("pagination"),
        metadata: visible("metadata"),
        tags: visible("tags"),
        actions: visible("actions"),
        anchors: visible("anchors"),
    }
}

fn tag(value: &Value) -> Option<Tag> {
    match value {
        Value::Object(map) => Some(Tag {
            tag: map.get("tag").and_then(yaml::text)?,
            primary: map.get("primary").and_then(Value::as_bool),
        }),
        scalar => yaml::text(scalar).map(|tag| Tag { tag, primary: None }),
    }
}

fn meta_links(value: Option<&Value>) -> MetaLinks {
    let Some(map) = value.and_then(Value::as_object) else {
        return MetaLinks::default();
    };
    MetaLinks {
        canonical: map.get("canonical").and_then(Value::as_str).map(str::to_owned),
        alternates: list(map.get("alternates"))
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fences_are_found() {
        for (source, expected) in [
            ("---\na: b\n---\n# T", Some("a: b\n")),
            ("---\r\na: b\r\n---\r\nx", Some("a: b\r\n")),
            ("\u{FEFF}---\na: b\n---\n", Some("a: b\n")),
            ("---\n---\n", Some("")),
            ("---\na: b\n---", Some("a: b\n")),
            ("---\na: b\n", None),
            ("\n---\na: b\n---\n", None),
            ("--- x\na: b\n---\n", None),
            ("", None),
        ] {
            let found = locate(source).map(|(_, yaml)| yaml.of(source));
            assert_eq!(found, expected, "{source:?}");
        }
    }

    #[test]
    fn every_key_is_read() {
        let (read, warnings) = parse(concat!(
            "description: \"x\\_y\"\nhidden: true\nnoIndex: true\nicon: key\nif: '!x'\n",
            "vars:\n  a: '5.8'\n  b: 5.8\ncover: .gitbook/assets/a b.png\ncoverY: -12.5\n",
            "coverHeight: 9\nlayout:\n  width: wide\n  cover:\n    visible: true\n",
            "    size: background\n  title:\n    visible: false\n",
            "tags:\n  - a\n  - tag: b\n    primary: true\n",
            "metaLinks:\n  canonical: /x\n  alternates: [/y]\nunknown: 1\n",
        ));
        assert_eq!(warnings, []);
        assert_eq!(read.description.as_deref(), Some("x\u{A0}y"));
        assert!(read.hidden && read.no_index && !read.no_robots_index);
        assert_eq!(read.icon.as_deref(), Some("key"));
        assert_eq!(read.condition.as_deref(), Some("!x"));
        assert_eq!(read.variables.get("a"), Some(&Value::from("5.8")));
        assert_eq!(read.variables.get("b"), Some(&Value::from(5.8)));
        let cover = read.cover.expect("a cover");
        assert_eq!(
            (cover.light.as_str(), cover.y_position, cover.height),
            (".gitbook/assets/a b.png", -12.5, Some(10.0))
        );
        assert!(
            read.layout.width == LayoutWidth::Wide && !read.layout.title && read.layout.outline
        );
        assert_eq!(read.layout.cover_size, CoverSize::Background);
        assert_eq!(read.tags.len(), 2);
        assert_eq!(read.meta_links.alternates, ["/y"]);
    }

    #[test]
    fn bad_yaml_is_a_warning() {
        for source in ["description: a: b", "- a\n", "a: [", "*x", "a: &a [*a]"] {
            let (read, warnings) = parse(source);
            assert_eq!(read, FrontMatter::default(), "{source}");
            assert_eq!(warnings.len(), 1, "{source}");
        }
        assert_eq!(parse(" \n").1, []);
        assert_eq!(parse("layout: post\ncover: broken-reference\n"), Default::default());
    }

    #[test]
    fn yaml_bombs_and_nesting_are_bounded() {
        let mut bomb = String::from("a0: &a0 [x, x]\n");
        for level in 1..60 {
            bomb.push_str(&format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1));
        }
        assert_eq!(parse(&bomb).1.len(), 1);
        assert_eq!(parse(&format!("a: {}", "[".repeat(100_000))).1.len(), 1);
    }
}
