use std::collections::{BTreeMap, HashMap, HashSet};

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::arbitrary::{self, PAGE_PATH, World};
use crate::html;
use crate::print::random_edit::{EditKind, Rng, edit};
use crate::print::{PrintContext, print, print_edited};

const CONTEXT: ParseContext<'_> = ParseContext { path: PAGE_PATH, lookup: &World };
const PRINT: PrintContext<'_> = PrintContext { path: PAGE_PATH, lookup: &World, names: &World };

/// Returns every node with a key, in document order: its type and text, and the key.
fn named(document: &Document) -> Vec<(String, String)> {
    fn texts(value: &Value, to: &mut String) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| texts(value, to)),
            Value::Object(object) => {
                to.extend(object.get("text").and_then(Value::as_str));
                object.iter().filter(|(name, _)| *name != "marks").for_each(|(_, v)| texts(v, to));
            }
            _ => {}
        }
    }
    fn collect(value: &Value, to: &mut Vec<(String, String)>) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| collect(value, to)),
            Value::Object(object) => {
                if let Some(key) = object.get("key").and_then(Value::as_str) {
                    let kind = object.get("type").or(object.get("object")).and_then(Value::as_str);
                    let mut name = format!("{}: ", kind.unwrap_or("fragment"));
                    texts(value, &mut name);
                    to.push((name, key.to_owned()));
                }
                object.values().for_each(|value| collect(value, to));
            }
            _ => {}
        }
    }
    let mut named = Vec::new();
    collect(&serde_json::to_value(document).expect("JSON"), &mut named);
    named
}

/// A text and its successive versions.
struct History {
    source: String,
    identity: Vec<u8>,
}

impl History {
    fn new(source: &str) -> Self {
        Self { source: source.to_owned(), identity: Vec::new() }
    }

    fn document(&self) -> Document {
        parse_as(&self.source, &CONTEXT, &Identity::decode(&self.identity))
    }

    fn edit(&mut self, source: &str) {
        let known = Identity::decode(&self.identity);
        self.identity = transfer(&self.document(), &known, &parse(source, &CONTEXT)).encode();
        source.clone_into(&mut self.source);
    }
}

/// Checks which old node each new node is matched to. An empty name stands for a new node.
fn check(before: &str, after: &str, expect: &[(&str, &str)]) {
    let mut history = History::new(before);
    let old: HashMap<String, String> =
        named(&history.document()).into_iter().map(|(name, key)| (key, name)).collect();
    history.edit(after);
    let new = named(&history.document());
    for (name, former) in expect {
        let (_, key) = new.iter().find(|(found, _)| found == name).unwrap_or_else(|| {
            panic!("no {name} in {new:#?}");
        });
        assert_eq!(old.get(key).map_or("", String::as_str), *former, "{name} of {after:?}");
    }
}

/// A text before and after an edit, and the new nodes with the old ones whose keys they have.
type Edit = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const EDITS: &[Edit] = &[
    (
        "a b c\n",
        "a b d\n",
        &[("paragraph: a b d", "paragraph: a b c"), ("text: a b d", "text: a b c")],
    ),
    (
        "one\n\ntwo\n",
        "zero\n\none\n\ntwo\n",
        &[
            ("paragraph: zero", ""),
            ("paragraph: one", "paragraph: one"),
            ("paragraph: two", "paragraph: two"),
        ],
    ),
    (
        "one two three\n\nfour\n",
        "four\n\none two tree\n",
        &[
            ("paragraph: one two tree", "paragraph: one two three"),
            ("paragraph: four", "paragraph: four"),
        ],
    ),
    // Repeated content is told apart by its surroundings.
    (
        "x\n\na\n\nx\n\nb\n\nx\n\nc\n",
        "a\n\nx\n\nb\n\nx!\n\nc\n",
        &[("paragraph: x!", "paragraph: x")],
    ),
    (
        "> one\n>\n> two\n",
        "> one\n>\n> two!\n>\n> three\n",
        &[
            ("blockquote: onetwo!three", "blockquote: onetwo"),
            ("paragraph: two!", "paragraph: two"),
            ("paragraph: three", ""),
        ],
    ),
    (
        "* one\n* two\n",
        "* one\n* new\n* two\n",
        &[
            ("list-unordered: onenewtwo", "list-unordered: onetwo"),
            ("list-item: new", ""),
            ("list-item: two", "list-item: two"),
        ],
    ),
    (
        "* one\n* two\n",
        "1. one\n2. two\n",
        &[("list-ordered: onetwo", "list-unordered: onetwo"), ("list-item: two", "list-item: two")],
    ),
    // Moves into a container and out of one.
    (
        "one\n\ntwo\n",
        "one\n\n{% hint style=\"info\" %}\ntwo\n{% endhint %}\n",
        &[("hint: two", ""), ("paragraph: two", "paragraph: two")],
    ),
    (
        "{% hint style=\"info\" %}\ntwo\n{% endhint %}\n",
        "two\n",
        &[("paragraph: two", "paragraph: two")],
    ),
    (
        "```js\na\nb\n```\n",
        "```js\na\nnew\nb\n```\n",
        &[("code: anewb", "code: ab"), ("code-line: new", ""), ("code-line: b", "code-line: b")],
    ),
    (
        "see [a](https://a.org) now\n",
        "please see [a](https://a.org) now, [b](https://b.org)\n",
        &[("link: a", "link: a"), ("link: b", ""), ("text: please see ", "text: see ")],
    ),
    (
        "|A|B|\n|-|-|\n|a|b|\n|c|d|\n",
        "|A|B|\n|-|-|\n|new|row|\n|a|b|\n|c|dd|\n",
        &[
            ("table: newrowabcdd", "table: abcd"),
            ("paragraph: dd", "paragraph: d"),
            ("paragraph: new", ""),
            ("fragment: a", "fragment: a"),
            ("fragment: dd", "fragment: d"),
            ("fragment: new", ""),
        ],
    ),
    (
        "{% tabs %}\n{% tab title=\"A\" %}\none\n{% endtab %}\n{% endtabs %}\n",
        "{% tabs %}\n{% tab title=\"B\" %}\ntwo\n{% endtab %}\n\n{% tab title=\"A\" %}\none more\n{% endtab %}\n{% endtabs %}\n",
        &[
            ("tabs-item: one more", "tabs-item: one"),
            ("tabs-item: two", ""),
            ("tabs: twoone more", "tabs: one"),
        ],
    ),
    (
        "<details>\n\n<summary>T</summary>\n\nbody\n\n</details>\n",
        "<details>\n\n<summary>T</summary>\n\nmore body\n\n</details>\n",
        &[
            ("text: T", "text: T"),
            ("expandable: Tmore body", "expandable: Tbody"),
            ("expandable-title: T", "expandable-title: T"),
        ],
    ),
    (
        "word[^1]\n\n[^1]: a note\n",
        "a word[^1]\n\n[^1]: a new note\n",
        &[("paragraph: a new note", "paragraph: a note")],
    ),
];

#[test]
fn edited_nodes_keep_their_keys() {
    for (before, after, expect) in EDITS {
        check(before, after, expect);
    }
}

/// Among two equal headings, the one whose following content is similar keeps its identity, even if
/// that content was edited too.
#[test]
fn a_heading_stays_with_its_content() {
    for (open, close) in [("", ""), ("{% hint style=\"info\" %}\n", "{% endhint %}\n")] {
        let text = |body: &str| format!("{open}a b c d e f\n\n{body}\n{close}");
        let mut history = History::new(&text("## E\n\n* one\n* two\n"));
        let find = |history: &History| -> Vec<String> {
            let found = named(&history.document()).into_iter();
            found.filter(|(name, _)| name == "heading-1: E").map(|(_, key)| key).collect()
        };
        let old = find(&history);
        history.edit(&text("## E\n\nnew\n\n## E\n\n* zero\n* one\n* two!\n"));
        assert_eq!(find(&history)[1], old[0]);
    }
}

#[test]
fn a_key_is_used_once_when_its_text_reappears() {
    let mut history = History::new("alpha beta\n\nlast\n");
    let first = named(&history.document())[0].1.clone();
    history.edit("alpha beta gamma\n\nlast\n");
    assert_eq!(named(&history.document())[0].1, first);
    history.edit("alpha beta gamma\n\nlast\n\nalpha beta\n");
    let named = named(&history.document());
    assert_eq!(named[0].1, first);
    let keys: HashSet<&str> = named.iter().map(|(_, key)| key.as_str()).collect();
    assert_eq!(keys.len(), named.len(), "{named:#?}");
}

#[test]
fn a_note_with_two_references_has_two_identities() {
    let named = named(&parse("a[^1] b[^1]\n\n[^1]: n\n", &CONTEXT));
    let keys: HashSet<&str> = named.iter().map(|(_, key)| key.as_str()).collect();
    assert_eq!(keys.len(), named.len(), "{named:#?}");
}

#[test]
fn an_unedited_text_has_an_empty_identity() {
    let mut history = History::new("one\n\ntwo\n");
    history.edit("one\n\nthree\n\ntwo\n");
    assert_eq!(history.identity, Vec::<u8>::new());
    history.edit("one\n\nthree\n\ntwo more\n");
    assert!((1..60).contains(&history.identity.len()), "{}", history.identity.len());
    // Invalid bytes give an empty identity.
    for bytes in [&b"\xFF\x01\x02"[..], b"\x01\xFF\xFF\xFF", b"\x01"] {
        assert!(Identity::decode(bytes).is_empty());
    }
    let identity = Identity::decode(&history.identity);
    assert_eq!(identity.encode(), history.identity);
}

/// Returns the anchors in order, with aliases in brackets.
fn ids(document: &Document) -> String {
    let flat_document = flat_document::FlatDocument::of(document);
    let mut ids = Vec::new();
    for entry in &flat_document.entries {
        let anchor = match entry.content {
            flat_document::NodeRef::Block(crate::document::BlockKind::Heading(heading)) => {
                &heading.anchor
            }
            flat_document::NodeRef::Tab(tab) => &tab.anchor,
            _ => continue,
        };
        let more = entry.key.and_then(|key| document.aliases.get(&key));
        ids.push(format!(
            "{anchor}{}",
            more.map_or(String::new(), |m| format!("[{}]", m.join(" ")))
        ));
    }
    ids.join(" ")
}

#[test]
fn anchors_stay_with_their_titles() {
    for (versions, expect) in [
        // The second of two equal headings keeps its number when a third is inserted before it.
        (&["## A\n\nx\n\n## A\n\ny\n", "## A\n\nz\n\n## A\n\nx\n\n## A\n\ny\n"][..], "a-2 a a-1"),
        // A corrected title.
        (&["## Instalation\n", "## Installation\n"], "instalation[installation]"),
        (
            &[
                "## Getting started\n",
                "## Getting started quickly\n",
                "## Getting started, quickly\n",
            ],
            "getting-started[getting-started-quickly]",
        ),
        // A replaced title.
        (&["## Old words\n", "## Nothing in common\n"], "nothing-in-common[old-words]"),
        (
            &["## Old words\n", "## Nothing in common\n", "## Quite\n"],
            "quite[nothing-in-common old-words]",
        ),
        // A new title takes over its derived anchor.
        (
            &[
                "## Step 1\n\nx\n\nlong text here\n",
                "## Step 1b\n\nx\n\nlong text here\n\n## Step 1\n",
            ],
            "step-1b step-1",
        ),
        (&["## Step one\n\nx y z\n", "## Step one!\n\nx y z\n\n## Other\n"], "step-one other"),
        // An anchor specified in the source stays, regardless of the title.
        (
            &["## A <a href=\"#old\" id=\"old\"></a>\n", "## B <a href=\"#old\" id=\"old\"></a>\n"],
            "old",
        ),
        (&["## A title\n", "## A title <a href=\"#own\" id=\"own\"></a>\n"], "own[a-title]"),
        (
            &[
                "{% tabs %}\n{% tab title=\"First tab\" %}\na\n{% endtab %}\n{% endtabs %}\n",
                "{% tabs %}\n{% tab title=\"First tabs\" %}\na\n{% endtab %}\n{% endtabs %}\n",
            ],
            "first-tab[first-tabs]",
        ),
    ] {
        let mut history = History::new(versions[0]);
        versions[1..].iter().for_each(|version| history.edit(version));
        assert_eq!(ids(&history.document()), expect, "{versions:?}");
    }
}

#[test]
fn links_find_nodes_by_all_their_ids() {
    let mut history = History::new(
        "## Instalation\n\nx\n\n<details>\n\n<summary>One</summary>\n\ny\n\n</details>\n",
    );
    history
        .edit("## Installation\n\nx\n\n<details>\n\n<summary>Two</summary>\n\ny\n\n</details>\n");
    let context = html::RenderContext { links: &html::NoLinks, highlight: false };
    let html = html::render(&history.document(), &context).body;
    assert!(
        html.starts_with("<h2 id=\"instalation\"><span class=\"alias\" id=\"installation\"></span>Installation <a"),
        "{html}"
    );
    assert!(html.contains("id=\"two\">\n<span class=\"alias\" id=\"one\"></span><p>"), "{html}");
}

#[test]
fn rewritten_links_do_not_change_identity() {
    let before = Text { source: b"See [a](../a.md) and more words.\n\nx\n", path: "x/p.md" };
    let after =
        Text { source: b"new\n\nSee [a](../../a.md) and more words.\n\nx\n", path: "y/z/p.md" };
    let identity = Identity::decode(&transfer_text(before, &[], after, false));
    let parsed = |text: Text<'_>, identity: &Identity| {
        let source = std::str::from_utf8(text.source).unwrap();
        named(&parse_as(source, &ParseContext { path: text.path, lookup: &PathLookup }, identity))
    };
    let (old, new) = (parsed(before, &Identity::default()), parsed(after, &identity));
    assert_eq!(old, new[2..], "{new:#?}");
}

/// Maps the digests of all blocks and their parts to their keys.
fn by_digest(document: &Document) -> BTreeMap<u64, HashSet<Key>> {
    let mut map = BTreeMap::<u64, HashSet<Key>>::new();
    for entry in
        flat_document::FlatDocument::of(document).entries.iter().filter(|entry| entry.can_move)
    {
        map.entry(entry.digest).or_default().extend(entry.key);
    }
    map
}

/// Checks the invariants of any edit.
fn check_invariants(before: &Document, after: &Document, pure: &Document) {
    let (named_before, named) = (named(before), named(after));
    let mut seen = HashMap::new();
    for (name, key) in &named {
        let other = seen.insert(key, name);
        assert_eq!(other, None, "{key} is {name} too: {named_before:#?} {named:#?}");
    }
    let new = by_digest(after);
    for (digest, old) in by_digest(before) {
        let Some(new) = new.get(&digest) else { continue };
        let unchanged = old.intersection(new).count();
        assert_eq!(unchanged, old.len().min(new.len()), "{:#?} {:#?}", named_before, named);
    }
    let anchors: Vec<String> = ids(after).split([' ', '[', ']']).map(str::to_owned).collect();
    let anchors: Vec<&String> = anchors.iter().filter(|id| !id.is_empty()).collect();
    assert_eq!(anchors.iter().collect::<HashSet<_>>().len(), anchors.len(), "{anchors:?}");
    assert!(after.has_same_content_as(pure));
}

proptest! {
    #[test]
    fn edits_keep_the_keys_of_unchanged_nodes(
        document in arbitrary::document(),
        edits in prop::collection::vec((0..EditKind::ALL.len(), any::<u64>()), 1..6),
    ) {
        let mut history = History::new(&print(&document, &PRINT));
        for (kind, seed) in edits {
            let before = history.document();
            let mut random = Rng::new(seed, "");
            let trial = edit(&history.source, &before, EditKind::ALL[kind], &mut random);
            let Some(trial) = trial else { continue };
            let source = print_edited(&history.source, &before, &trial.document, &PRINT);
            history.edit(&source);
            check_invariants(&before, &history.document(), &parse(&source, &CONTEXT));
        }
    }

    #[test]
    fn any_text_can_replace_any_other(
        blocks in prop::collection::vec(arbitrary::block(), 1..8),
        orders in prop::collection::vec(prop::collection::vec(0..8_usize, 0..9), 1..5),
    ) {
        let made = |order: &[usize]| {
            let nodes = order.iter().filter_map(|n| blocks.get(*n).cloned()).collect();
            let mut document = Document { nodes, ..Document::default() };
            document.complete();
            print(&document, &PRINT)
        };
        let mut history = History::new(&made(&[0, 1, 2, 3, 4, 5, 6, 7]));
        for order in orders {
            let before = history.document();
            history.edit(&made(&order));
            check_invariants(&before, &history.document(), &parse(&history.source, &CONTEXT));
        }
    }
}
