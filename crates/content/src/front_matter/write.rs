//! Edits a page's front matter key by key and preserves the lines of all other keys.

use bindery_model::{CoverSize, Layout, LayoutWidth};
use serde_json::{Map, Value};

use super::{Cover, FrontMatter, MetaLinks, Tag, line_end, locate, parse};
use crate::yaml::{self, Change, YamlError};

/// The exporter's key order, in which new keys are inserted.
const ORDER: [&str; 31] = [
    "title",
    "description",
    "icon",
    "hidden",
    "noIndex",
    "noRobotsIndex",
    "if",
    "vars",
    "cover",
    "cover.light",
    "cover.dark",
    "coverY",
    "coverHeight",
    "layout",
    "layout.width",
    "layout.cover",
    "layout.cover.visible",
    "layout.cover.size",
    "layout.cover.mask",
    "layout.title",
    "layout.description",
    "layout.tableOfContents",
    "layout.outline",
    "layout.pagination",
    "layout.metadata",
    "layout.tags",
    "layout.actions",
    "layout.anchors",
    "tags",
    "metaLinks",
    "metaLinks.canonical",
];

/// Changes keys of the front matter of `source`. Adds a front matter if `source` has none, and
/// removes it if no key remains.
///
/// # Errors
/// Returns an error if the front matter cannot be parsed.
pub fn edit(source: &str, changes: &[Change]) -> Result<String, YamlError> {
    let Some((whole, yaml)) = locate(source) else {
        let bom = if source.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
        let (before, rest) = source.split_at_checked(bom).unwrap_or(("", source));
        let end = yaml::line_end(source);
        let written = yaml::edit("", changes, &ORDER, end)?;
        if written.is_empty() {
            return Ok(source.to_owned());
        }
        let gap = if rest.is_empty() { "" } else { end };
        return Ok(format!("{before}---{end}{written}---{end}{gap}{rest}"));
    };
    let old = yaml.of(source);
    let end = yaml::line_end(whole.of(source));
    let mut written = yaml::edit(old, changes, &ORDER, end)?;
    if !written.is_empty() && !written.ends_with(['\n', '\r']) {
        written.push_str(end);
    }
    let before = |end: usize| source.get(..end).unwrap_or_default();
    let after = |start: usize| source.get(start..).unwrap_or_default();
    if written.trim().is_empty() && !old.trim().is_empty() {
        // The blank line after the front matter is removed with it.
        let rest = line_end(source, whole.end);
        return Ok(format!("{}{}", before(whole.start), after(rest)));
    }
    Ok(format!("{}{written}{}", before(yaml.start), after(yaml.end)))
}

/// Updates the front matter of `source` to hold the values of `new`. Leaves keys that already have
/// their value, and unknown keys, untouched.
///
/// # Errors
/// Returns an error if the front matter cannot be parsed.
pub fn update(source: &str, new: &FrontMatter) -> Result<String, YamlError> {
    let yaml = locate(source).map_or("", |(_, yaml)| yaml.of(source));
    let (old, _) = parse(yaml);
    edit(source, &changes(&old, new))
}

/// Returns the changes that turn `old` into `new`.
fn changes(old: &FrontMatter, new: &FrontMatter) -> Vec<Change> {
    let FrontMatter {
        title,
        description,
        hidden,
        no_index,
        no_robots_index,
        icon,
        condition,
        variables,
        cover,
        layout,
        tags,
        meta_links,
    } = new;
    let mut changes = Changes(Vec::new());
    changes.text(&["title"], &old.title, title);
    changes.text(&["description"], &old.description, description);
    changes.text(&["icon"], &old.icon, icon);
    changes.flag("hidden", old.hidden, *hidden);
    changes.flag("noIndex", old.no_index, *no_index);
    changes.flag("noRobotsIndex", old.no_robots_index, *no_robots_index);
    changes.text(&["if"], &old.condition, condition);
    changes.variables(&old.variables, variables);
    changes.cover(old.cover.as_ref(), cover.as_ref());
    changes.layout(&old.layout, layout);
    if old.tags != *tags {
        changes.list(&["tags"], tags.iter().map(tag));
    }
    let MetaLinks { canonical, alternates } = meta_links;
    changes.text(&["metaLinks", "canonical"], &old.meta_links.canonical, canonical);
    if old.meta_links.alternates != *alternates {
        let alternates = alternates.iter().map(|one| Value::from(one.as_str()));
        changes.list(&["metaLinks", "alternates"], alternates);
    }
    changes.0
}

struct Changes(Vec<Change>);

impl Changes {
    fn set(&mut self, path: &[&str], value: impl Into<Value>) {
        self.0.push(Change::set(path, value));
    }

    fn remove(&mut self, path: &[&str]) {
        self.0.push(Change::remove(path));
    }

    fn text(&mut self, path: &[&str], old: &Option<String>, new: &Option<String>) {
        match new.as_deref().filter(|text| !text.is_empty()) {
            new if old.as_deref() == new => {}
            Some(text) => self.set(path, text),
            None => self.remove(path),
        }
    }

    fn flag(&mut self, key: &str, old: bool, new: bool) {
        match (old, new) {
            (false, true) => self.set(&[key], true),
            (true, false) => self.remove(&[key]),
            _ => {}
        }
    }

    fn list(&mut self, path: &[&str], items: impl Iterator<Item = Value>) {
        let items: Vec<Value> = items.collect();
        if items.is_empty() { self.remove(path) } else { self.set(path, items) }
    }

    fn variables(&mut self, old: &Map<String, Value>, new: &Map<String, Value>) {
        for name in old.keys().filter(|name| !new.contains_key(*name)) {
            self.remove(&["vars", name]);
        }
        for (name, value) in new.iter().filter(|(name, value)| old.get(*name) != Some(value)) {
            self.set(&["vars", name], value.clone());
        }
    }

    fn cover(&mut self, old: Option<&Cover>, new: Option<&Cover>) {
        let Some(Cover { light, dark, y_position, height }) = new else {
            if old.is_some() {
                ["cover", "coverY", "coverHeight"].iter().for_each(|key| self.remove(&[key]));
            }
            return;
        };
        let same_light = old.is_some_and(|old| old.light == *light);
        let old_dark = old.and_then(|old| old.dark.as_ref());
        match dark {
            Some(dark) => {
                if !same_light || old_dark.is_none() {
                    self.set(&["cover", "light"], light.as_str());
                }
                if old_dark != Some(dark) {
                    self.set(&["cover", "dark"], dark.as_str());
                }
            }
            None if !same_light || old_dark.is_some() => self.set(&["cover"], light.as_str()),
            None => {}
        }
        // The comparison is bitwise, as files hold exact numbers.
        if old.is_none_or(|old| old.y_position.to_bits() != y_position.to_bits()) {
            self.set(&["coverY"], number(*y_position));
        }
        match height {
            _ if old.is_some_and(|old| old.height == *height) => {}
            Some(height) => self.set(&["coverHeight"], number(*height)),
            None => self.remove(&["coverHeight"]),
        }
    }

    fn layout(&mut self, old: &Layout, new: &Layout) {
        let Layout {
            width,
            cover,
            cover_size,
            cover_mask,
            title,
            description,
            table_of_contents,
            outline,
            pagination,
            metadata,
            tags,
            actions,
            anchors,
        } = *new;
        if old.width != width {
            let named = match width {
                LayoutWidth::Wide => "wide",
                LayoutWidth::Default => "default",
            };
            self.set(&["layout", "width"], named);
        }
        for (key, old, new) in [
            ("cover", old.cover, cover),
            ("title", old.title, title),
            ("description", old.description, description),
            ("tableOfContents", old.table_of_contents, table_of_contents),
            ("outline", old.outline, outline),
            ("pagination", old.pagination, pagination),
            ("metadata", old.metadata, metadata),
            ("tags", old.tags, tags),
            ("actions", old.actions, actions),
            ("anchors", old.anchors, anchors),
        ] {
            if old != new {
                self.set(&["layout", key, "visible"], new);
            }
        }
        if old.cover_size != cover_size {
            let size = match cover_size {
                CoverSize::Hero => "hero",
                CoverSize::Full => "full",
                CoverSize::Background => "background",
            };
            self.set(&["layout", "cover", "size"], size);
        }
        match cover_mask {
            _ if old.cover_mask == cover_mask => {}
            Some(mask) => self.set(&["layout", "cover", "mask"], mask),
            None => self.remove(&["layout", "cover", "mask"]),
        }
    }
}

fn tag(Tag { tag, primary }: &Tag) -> Value {
    let mut map = Map::new();
    map.insert("tag".to_owned(), Value::from(tag.as_str()));
    if let Some(primary) = primary {
        map.insert("primary".to_owned(), Value::from(*primary));
    }
    Value::Object(map)
}

/// Converts a number to JSON: a whole number becomes an integer.
fn number(number: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        return format!("{number:.0}").parse::<i64>().map_or(Value::Null, Value::from);
    }
    Value::from(number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_front_matter_comes_and_goes() {
        let (add, remove) = ([Change::set(&["a"], 1)], [Change::remove(&["a"])]);
        for (without, with) in [
            ("# T\n", "---\na: 1\n---\n\n# T\n"),
            ("\u{FEFF}# T\r\nx\r\n", "\u{FEFF}---\r\na: 1\r\n---\r\n\r\n# T\r\nx\r\n"),
            ("", "---\na: 1\n---\n"),
            ("\n\nx", "---\na: 1\n---\n\n\n\nx"),
            ("---\nx", "---\na: 1\n---\n\n---\nx"),
        ] {
            assert_eq!(edit(without, &add).as_deref(), Ok(with));
            assert_eq!(edit(with, &remove).as_deref(), Ok(without));
            assert_eq!(edit(without, &remove).as_deref(), Ok(without));
        }
        assert_eq!(edit("---\n\r---\nx", &add).as_deref(), Ok("---\n\r\na: 1\n---\nx"));
        let commented = "---\n# c\na: 1\n---\nx";
        assert_eq!(edit(commented, &remove).as_deref(), Ok("---\n# c\n---\nx"));
    }

    #[test]
    fn a_broken_front_matter_is_left_alone() {
        for source in ["---\ndescription: a: b\n---\n# T", "---\n- a\n---\n", "---\na: [\n---\n"] {
            assert!(edit(source, &[Change::set(&["a"], 1)]).is_err(), "{source}");
            assert!(update(source, &FrontMatter { hidden: true, ..Default::default() }).is_err());
            // Even an edit without changes fails.
            assert!(edit(source, &[]).is_err_and(|error| !error.to_string().is_empty()));
        }
    }

    #[test]
    fn only_what_differs_is_written() {
        let source = concat!(
            "---\nicon:   'key' # mine\nunknown: [1, 2]\ncover: a.png\ncoverY: -12.50\n",
            "layout:\n  width: wide\n  title:\n    visible: false\n---\n\n# T\n"
        );
        let read = |source: &str| parse(locate(source).expect("is there").1.of(source)).0;
        assert_eq!(update(source, &read(source)).as_deref(), Ok(source));
        let mut new = read(source);
        new.description = Some("d".to_owned());
        new.cover = Some(Cover {
            light: "a.png".to_owned(),
            dark: Some("b.png".to_owned()),
            y_position: -12.5,
            height: Some(300.0),
        });
        new.layout.title = true;
        new.layout.outline = false;
        new.tags = vec![Tag { tag: "x".to_owned(), primary: Some(true) }];
        let written = update(source, &new).expect("is valid");
        assert_eq!(
            written,
            concat!(
                "---\ndescription: d\nicon:   'key' # mine\nunknown: [1, 2]\n",
                "cover:\n  light: a.png\n  dark: b.png\ncoverY: -12.50\ncoverHeight: 300\n",
                "layout:\n  width: wide\n  title:\n    visible: true\n",
                "  outline:\n    visible: false\ntags:\n  - tag: x\n    primary: true\n",
                "---\n\n# T\n"
            )
        );
        assert_eq!(read(&written), new);
    }

    fn text() -> impl Strategy<Value = Option<String>> {
        proptest::option::of(prop_oneof!["[ -~]{1,12}", "[a-zé: ]{70,120}", "\\PC{1,5}"])
    }

    fn front_matter() -> impl Strategy<Value = FrontMatter> {
        let texts = prop::collection::vec(text(), 7);
        let flags = prop::collection::vec(any::<bool>(), 14);
        let mask = proptest::option::of(any::<bool>());
        let list = prop::collection::vec("[a-z/]{1,5}", 0..3);
        let variable = prop_oneof![Just(json!("5.8")), Just(json!(5.8)), Just(json!(true))];
        let variables = prop::collection::vec(("[a-z]{1,2}", variable), 0..3);
        let numbers = (-100..100_i32, proptest::option::of(10..700_i32), 0..3_usize);
        (texts, flags, mask, list, variables, numbers).prop_map(
            |(texts, flags, mask, list, variables, (y, height, size))| {
                let text = |at: usize| texts[at].clone();
                let usable = |at: usize| text(at).filter(|text| text != "broken-reference");
                FrontMatter {
                    title: text(0),
                    description: text(1),
                    hidden: flags[0],
                    no_index: flags[1],
                    no_robots_index: flags[2],
                    icon: text(2),
                    condition: text(3),
                    variables: variables.into_iter().collect(),
                    cover: usable(4).map(|light| Cover {
                        light,
                        dark: usable(5),
                        y_position: f64::from(y) / 4.0,
                        height: height.map(f64::from),
                    }),
                    layout: Layout {
                        width: if flags[3] { LayoutWidth::Wide } else { LayoutWidth::Default },
                        cover: flags[4],
                        cover_size: [CoverSize::Hero, CoverSize::Full, CoverSize::Background][size],
                        cover_mask: mask,
                        title: flags[5],
                        description: flags[6],
                        table_of_contents: flags[7],
                        outline: flags[8],
                        pagination: flags[9],
                        metadata: flags[10],
                        tags: flags[11],
                        actions: flags[12],
                        anchors: flags[13],
                    },
                    tags: list.iter().map(|tag| Tag { tag: tag.clone(), primary: mask }).collect(),
                    meta_links: MetaLinks { canonical: text(6), alternates: list },
                }
            },
        )
    }

    proptest! {
        #[test]
        fn written_front_matter_is_read_back(first in front_matter(), second in front_matter()) {
            let mut source = "# T\r\n\r\nx".to_owned();
            for new in [&first, &second, &second, &FrontMatter::default()] {
                source = update(&source, new).expect("is valid");
                let yaml = locate(&source).map_or("", |(_, yaml)| yaml.of(&source));
                let (read, warnings) = parse(yaml);
                prop_assert_eq!(&read, new, "{}", source);
                prop_assert_eq!(warnings, []);
                prop_assert!(source.ends_with("# T\r\n\r\nx"));
            }
        }
    }
}
