//! Tests of edited tables of contents: changed lines, and lines that must stay.

use proptest::prelude::*;

use super::*;

fn page(title: &str, path: &str) -> Item {
    item(EntryKind::Page { path: path.to_owned() }, title)
}

fn group(title: &str, children: Vec<Item>) -> Item {
    Item { children, ..item(EntryKind::Group { slug: None }, title) }
}

fn item(kind: EntryKind, title: &str) -> Item {
    Item { kind, title: title.to_owned(), link_title: None, emoji: None, children: Vec::new() }
}

/// Edits the items of a source.
type Change = fn(&mut Vec<Item>);

/// Sources, changes, and the printed edits.
const EDITS: &[(&str, Change, &str)] = &[
    // Renamed entries keep their bullet and indentation.
    (
        "# T\n\n- [a](a.md)\n    - [b](b.md)\n",
        |items| items[0].children[0].title = "c_d".into(),
        "# T\n\n- [a](a.md)\n    - [c\\_d](b.md)\n",
    ),
    // A different file.
    (
        "* [a](x/a.md \"A\")\n",
        |items| items[0].kind = EntryKind::Page { path: "y z.md".into() },
        "* [a](<y z.md> \"A\")\n",
    ),
    // Entries added at the end, in the middle and below another.
    (
        "+ [a](a.md)\n+ [b](b.md)",
        |items| items.push(page("c", "c.md")),
        "+ [a](a.md)\n+ [b](b.md)\n+ [c](c.md)",
    ),
    (
        "* [a](a.md)\r\n* [b](b.md)\r\n",
        |items| items.insert(1, page("c", "c.md")),
        "* [a](a.md)\r\n* [c](c.md)\r\n* [b](b.md)\r\n",
    ),
    (
        "* [a](a.md)\n\t* [b](b.md)\n* [c](c.md)\n",
        |items| items[1].children.push(page("d", "d.md")),
        "* [a](a.md)\n\t* [b](b.md)\n* [c](c.md)\n\t* [d](d.md)\n",
    ),
    (
        "*   [a](a.md)\n",
        |items| items[0].children.push(page("d", "d.md")),
        "*   [a](a.md)\n    *   [d](d.md)\n",
    ),
    (
        "1. [a](a.md)\n",
        |items| items[0].children.push(page("d", "d.md")),
        "1. [a](a.md)\n   1. [d](d.md)\n",
    ),
    // Removed entries, with the lines around them.
    (
        "# T\n\n* [a](a.md)\n* [b](b.md)\n\n## G\n\n* [c](c.md)\n",
        |items| {
            items.remove(1);
        },
        "# T\n\n* [a](a.md)\n\n## G\n\n* [c](c.md)\n",
    ),
    (
        "* [a](a.md)\n\n## G\n\n* [c](c.md)\n\n## H\n\n* [d](d.md)\n",
        |items| {
            items.remove(1);
        },
        "* [a](a.md)\n\n## H\n\n* [d](d.md)\n",
    ),
    // Text between entries stays.
    (
        "* [a](a.md)\n\n<!-- why -->\n\n* [b](b.md)\n* [c](c.md)\n",
        |items| {
            items.remove(1);
        },
        "* [a](a.md)\n\n<!-- why -->\n\n* [c](c.md)\n",
    ),
    // Moved and nested entries keep their escapes.
    (
        "* [a](a.md)\n* [b-\\(1\\)](b.md)\n* [c](c.md)\n",
        |items| items.swap(1, 2),
        "* [a](a.md)\n* [c](c.md)\n* [b-\\(1\\)](b.md)\n",
    ),
    (
        "* [a](a.md)\n* [b-\\(1\\)](b.md)\n  * [c](c.md)\n",
        |items| {
            let moved = items.remove(1);
            items[0].children.push(moved);
        },
        "* [a](a.md)\n  * [b-\\(1\\)](b.md)\n    * [c](c.md)\n",
    ),
    // Groups.
    (
        "* [a](a.md)\n",
        |items| items.push(group("G", vec![page("b", "b.md")])),
        "* [a](a.md)\n\n## G\n\n* [b](b.md)\n",
    ),
    (
        "## G\n\n* [a](a.md)\n",
        |items| items.push(page("b", "b.md")),
        "## G\n\n* [a](a.md)\n\n***\n\n* [b](b.md)\n",
    ),
    (
        "## G\n* [a](a.md)\n\n---\n\n* [b](b.md)\n",
        |items| items[0].title = "C #".into(),
        "## C \\#\n* [a](a.md)\n\n---\n\n* [b](b.md)\n",
    ),
    (
        "## G\n\n* [a](a.md)\n",
        |items| items[0].kind = EntryKind::Group { slug: Some("s".into()) },
        "## G <a href=\"#s\" id=\"s\"></a>\n\n* [a](a.md)\n",
    ),
    (
        "# T\n\n* [a](a.md)\n\n# Part\n\n* [b](b.md)\n",
        |items| items[1].title = "P".into(),
        "# T\n\n* [a](a.md)\n\n# P\n\n* [b](b.md)\n",
    ),
    // Emoji, link titles, links and texts.
    (
        "* [a](a.md)\n",
        |items| {
            items[0].emoji = Some("2764".into());
            items[0].link_title = Some("\"x\"".into());
        },
        "* [❤\u{FE0F} a](a.md \"\\\"x\\\"\")\n",
    ),
    (
        "* [a](a.md)\n",
        |items| items.push(item(EntryKind::Link { target: "https://x.y/a_b".into() }, "u")),
        "* [a](a.md)\n* [u](https://x.y/a_b)\n",
    ),
    (
        "* [a](a.md)\n",
        |items| items.push(item(EntryKind::Text, "1. - x")),
        "* [a](a.md)\n* 1\\. - x\n",
    ),
    (
        "* [a](a.md)\n",
        |items| {
            let source = serde_json::json!({"type": "builtin:openapi", "props": {"models": true}});
            items[0].children.push(item(EntryKind::Computed { source }, ""));
        },
        "* [a](a.md)\n  * ```yaml\n    type: builtin:openapi\n    props:\n      models: true\n    ```\n",
    ),
    (
        "* [a](a.md)\n  * ```yaml\n    type:   x\n    ```\n* [b](b.md)\n",
        |items| {
            let moved = items[0].children.remove(0);
            items[1].children.push(moved);
        },
        "* [a](a.md)\n* [b](b.md)\n  * ```yaml\n    type:   x\n    ```\n",
    ),
    // Printed as a whole.
    (
        "",
        |items| {
            items.push(page("a", "README.md"));
            items.push(group("G", vec![page("b", "b.md")]));
        },
        "# Table of contents\n\n* [a](README.md)\n\n## G\n\n* [b](b.md)\n",
    ),
    ("# Contents\n", |items| items.push(page("a", "a.md")), "# Contents\n\n* [a](a.md)\n"),
    ("* [a](a.md)\n", |items| items.clear(), ""),
    // Two entries on one line cannot be edited by lines.
    (
        "* * [a](a.md)\n",
        |items| items[0].title = "b".into(),
        "# Table of contents\n\n* b\n  * [a](a.md)\n",
    ),
];

#[test]
fn only_the_lines_of_entries_change() {
    for (source, change, expected) in EDITS {
        let mut items = parse(source, "SUMMARY.md").items();
        change(&mut items);
        let written = edit(source, "SUMMARY.md", &items);
        assert_eq!(&written, expected);
        assert_eq!(parse(&written, "SUMMARY.md").items(), items, "{written}");
    }
}

#[test]
fn titles_are_changed_where_a_page_is_listed() {
    let source = "* [🎉 a](a.md)\n  * [b](x/b.md \"B\")\n* [c](a.md)\n";
    let set = |page: &str| set_title(source, "SUMMARY.md", page, "N*");
    assert_eq!(set("x/b.md"), source.replace("[b]", "[N\\*]"));
    assert_eq!(set("a.md"), source.replace("🎉 a", "🎉 N\\*"));
    assert_eq!(set("none.md"), source);
}

/// Titles, links and YAML that a table of contents can represent.
fn kind() -> impl Strategy<Value = (EntryKind, String)> {
    let title =
        "[a-zA-Z0-9 *_()<>&#`~!.+=|\\[\\]\\\\-]{0,8}".prop_map(|text| text.trim().to_owned());
    let kind = prop_oneof![
        6 => (0..99_u32, "[a-c _(]{0,3}").prop_map(|(number, name)| EntryKind::Page {
            path: format!("{name}{number}.md").trim().to_owned(),
        }),
        1 => "https://x\\.y/[a-z_*&()]{0,5}".prop_map(|target| EntryKind::Link { target }),
        1 => Just(EntryKind::Text),
        1 => Just(EntryKind::Computed { source: serde_json::json!({"type": "x", "a": ["```", 1]}) }),
    ];
    (kind, title)
}

fn items() -> impl Strategy<Value = Vec<Item>> {
    let text = || proptest::option::weighted(0.2, "[a-c\"&;\\\\]{1,4}");
    let emoji = || proptest::option::weighted(0.2, Just("1f389".to_owned()));
    let leaf = (kind(), text(), emoji()).prop_map(|((kind, title), link_title, emoji)| {
        let is_computed = matches!(kind, EntryKind::Computed { .. });
        let is_linked = matches!(kind, EntryKind::Page { .. } | EntryKind::Link { .. });
        Item {
            link_title: link_title.filter(|_| is_linked),
            emoji: emoji.filter(|_| !title.is_empty() && !is_computed),
            title: if is_computed { String::new() } else { title },
            kind,
            children: Vec::new(),
        }
    });
    let tree = leaf.prop_recursive(3, 10, 3, |inner| {
        (inner.clone(), prop::collection::vec(inner, 0..4)).prop_map(|(mut item, children)| {
            if !matches!(item.kind, EntryKind::Computed { .. }) {
                item.children = children;
            }
            item
        })
    });
    let slug = proptest::option::of("[a-z]{1,3}");
    let group = (slug, "[a-z# ]{1,5}", prop::collection::vec(tree.clone(), 0..4)).prop_map(
        |(slug, title, children)| Item {
            children,
            ..item(EntryKind::Group { slug }, title.trim())
        },
    );
    prop::collection::vec(prop_oneof![2 => tree, 1 => group], 0..6).prop_map(|mut items| {
        list_once(&mut items, &mut std::collections::HashSet::new());
        items
    })
}

/// A page that is already listed becomes a link to it.
fn list_once(items: &mut [Item], listed: &mut std::collections::HashSet<String>) {
    for item in items {
        if let EntryKind::Page { path } = &item.kind
            && !listed.insert(path.clone())
        {
            item.kind = EntryKind::Text;
            item.link_title = None;
        }
        list_once(&mut item.children, listed);
    }
}

/// Generates a table of contents with its own style.
fn source() -> impl Strategy<Value = String> {
    let style = (any::<bool>(), 0..3_usize, 0..4_usize, any::<bool>(), any::<bool>());
    (items(), style).prop_map(|(items, (crlf, bullet, indent, open, comment))| {
        let mut text = edit("", "SUMMARY.md", &items);
        let computed = text.contains("```");
        if !computed {
            let bullet = ["*", "-", "+"][bullet];
            let step = ["  ", "   ", "    ", "\t"][indent];
            let line = |line: &str| {
                let rest = line.trim_start();
                let depth = (line.len() - rest.len()) / 2;
                let rest = rest.strip_prefix("* ").map(|rest| format!("{bullet} {rest}"));
                format!("{}{}\n", step.repeat(depth), rest.as_deref().unwrap_or(line.trim_start()))
            };
            text = text.lines().map(line).collect();
        }
        if comment {
            text = text.replace("\n\n##", "\n\n<!-- group -->\n\n##");
        }
        if open {
            text.truncate(text.trim_end().len());
        }
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

#[derive(Debug, Clone)]
enum Step {
    Rename(usize, String),
    Remove(usize),
    Insert(usize, Item),
    Move(usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    let at = || 0..20_usize;
    let new =
        kind().prop_filter("no duplicate", |(kind, _)| !matches!(kind, EntryKind::Page { .. }));
    prop_oneof![
        (at(), "[a-z*&]{1,5}").prop_map(|(at, title)| Step::Rename(at, title)),
        at().prop_map(Step::Remove),
        (at(), new).prop_map(|(at, (kind, title))| {
            let is_computed = matches!(kind, EntryKind::Computed { .. });
            Step::Insert(at, item(kind, if is_computed { "" } else { &title }))
        }),
        (at(), at()).prop_map(|(from, to)| Step::Move(from, to)),
    ]
}

/// Returns the list that holds the entry with this number, and its index there.
fn find(items: &mut Vec<Item>, at: usize) -> Option<(&mut Vec<Item>, usize)> {
    fn size(item: &Item) -> usize {
        1 + item.children.iter().map(size).sum::<usize>()
    }
    let mut left = at;
    let mut place = 0;
    for item in items.iter() {
        if left < size(item) {
            break;
        }
        left -= size(item);
        place += 1;
    }
    match left {
        _ if place == items.len() => None,
        0 => Some((items, place)),
        _ => find(&mut items[place].children, left - 1),
    }
}

fn apply(items: &mut Vec<Item>, step: &Step) {
    match step {
        Step::Rename(at, title) => {
            if let Some((list, place)) = find(items, *at)
                && !matches!(list[place].kind, EntryKind::Computed { .. })
            {
                list[place].title.clone_from(title);
            }
        }
        Step::Remove(at) => {
            if let Some((list, place)) = find(items, *at) {
                list.remove(place);
            }
        }
        Step::Insert(at, item) => {
            if let Some((list, place)) = find(items, *at) {
                list.insert(place, item.clone());
            }
        }
        Step::Move(from, to) => {
            let Some((list, place)) = find(items, *from) else { return };
            if matches!(list[place].kind, EntryKind::Group { .. }) {
                return;
            }
            let moved = list.remove(place);
            match find(items, *to) {
                Some((list, place)) => list.insert(place, moved),
                None => items.push(moved),
            }
        }
    }
}

/// Returns the lines of entries that are equal in both trees, without their indentation.
fn unchanged<'s>(source: &'s str, items: &[Item]) -> Vec<&'s str> {
    let summary = parse(source, "SUMMARY.md");
    let (old, new) = (flatten(&summary.entries), flatten(items));
    let lines: Vec<&str> = source.lines().collect();
    let same = |entry: &Entry| {
        let others = old.iter().filter(|flat| is_same(flat.node, &Item::from(entry)));
        others.count() == 1 && new.iter().any(|flat| is_same(entry, flat.node))
    };
    let kept = old.iter().filter(|flat| same(flat.node));
    kept.map(|flat| lines[flat.node.lines.start].trim_start()).collect()
}

/// Returns `true` if the common entries are in the same order. An entry that is renamed while
/// another takes its old title counts as moved.
fn in_order(source: &str, items: &[Item]) -> bool {
    let summary = parse(source, "SUMMARY.md");
    let (old, new) = (flatten(&summary.entries), flatten(items));
    let is_single = |entry: &Entry| {
        old.iter().filter(|flat| is_same(flat.node, &Item::from(entry))).count() == 1
    };
    let place = |entry: &Entry| new.iter().position(|flat| is_same(entry, flat.node));
    let single = old.iter().filter(|flat| is_single(flat.node));
    single.filter_map(|flat| place(flat.node)).is_sorted()
}

proptest! {
    #[test]
    fn reprinted_tables_are_read_back(items in items()) {
        let written = edit("", "a/SUMMARY.md", &items);
        prop_assert_eq!(parse(&written, "a/SUMMARY.md").items(), items, "{}", written);
    }

    #[test]
    fn edits_are_read_and_leave_the_rest(source in source(), steps in prop::collection::vec(step(), 1..4)) {
        let mut items = parse(&source, "SUMMARY.md").items();
        steps.iter().for_each(|step| apply(&mut items, step));
        let written = edit(&source, "SUMMARY.md", &items);
        prop_assert_eq!(parse(&written, "SUMMARY.md").items(), items.clone(), "{}\n{}", source, written);
        let lines: Vec<&str> = written.lines().map(str::trim_start).collect();
        for line in unchanged(&source, &items) {
            prop_assert!(lines.contains(&line), "{}\n{}\n{}", line, source, written);
        }
        prop_assert_eq!(source.matches("<!--").count(), written.matches("<!--").count(), "{}\n{}", source, written);
        // If nothing is moved, lines stay in place byte for byte.
        let moves = steps.iter().any(|step| matches!(step, Step::Move(..) | Step::Remove(_)));
        if !moves && in_order(&source, &items) {
            let mut lines = written.lines();
            for line in source.lines() {
                let is_kept = unchanged(&source, &items).contains(&line.trim_start());
                prop_assert!(!is_kept || lines.any(|other| other == line), "{}\n{}\n{}", line, source, written);
            }
        }
    }

    #[test]
    fn any_source_is_edited(source in "[a-c*\\-#\\[\\]()<`\" \n\t]{0,60}", items in items()) {
        let written = edit(&source, "SUMMARY.md", &items);
        prop_assert_eq!(parse(&written, "SUMMARY.md").items(), items, "{}", written);
    }
}
