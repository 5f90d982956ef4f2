use proptest::prelude::*;

use super::plain::inline_text;
use super::{Change, Counts, Difference, Entry, Part, Run, diff, text};
use crate::arbitrary;
use crate::document::Identity;
use crate::document::{Document, Inline};
use crate::identity;
use crate::links::NoLinks;
use crate::markdown;
use crate::reference::{NoLookup, ParseContext};
use crate::work;

/// Parses both texts, the new one as an edit of the old one, so that unchanged blocks keep their
/// keys.
fn edited(before: &str, after: &str) -> [Document; 2] {
    let known = Identity::default();
    let [old, new] = [before, after].map(arbitrary::parse);
    let carried = identity::transfer(&old, &known, &new);
    let context = ParseContext { path: arbitrary::PAGE_PATH, lookup: &arbitrary::World };
    [old, markdown::parse_as(after, &context, &carried)]
}

/// Old text, new text, and the expected difference as text.
fn check(cases: &[(&str, &str, &str)]) {
    for &(before, after, expect) in cases {
        let [old, new] = edited(before, after);
        let found = text(&diff(&old, &new), &NoLinks);
        assert_eq!(found.trim_end(), expect.trim_end(), "{before:?} {after:?}");
    }
}

#[test]
fn words_and_their_marks() {
    check(&[
        ("One two three.", "One 2 three.", "~ One [-two-]{+2+} three."),
        ("One two three.", "One two three.", "  … 1 unchanged"),
        ("One two three.", "One **two** three.", "~ One two three.\n~   bold: [-no-] {+yes+}"),
        (
            "A [link](https://a.example) here.",
            "A [fine link](https://b.example) here.",
            "~ A {+fine +}link here.\n~   ref: [-https://a.example-] {+https://b.example+}",
        ),
        ("文档很好看。", "文档真好看。", "~ 文档[-很-]{+真+}好看。"),
        (
            "Text[^1] with a note.\n\n[^1]: One two.",
            "Text[^1] with a note.\n\n[^1]: One 2.",
            "~ Text with a note.\n~   One [-two-]{+2+}.",
        ),
    ]);
}

#[test]
fn blocks() {
    check(&[
        (
            "One a b.\n\nTwo a b.\n\nThree a b.\n\nFour a b.",
            "One a b.\n\nTwo a b.\n\nThree c b.\n\nFour a b.",
            "  … 1 unchanged\n  Two a b.\n~ Three [-a-]{+c+} b.\n  Four a b.",
        ),
        ("One.\n\nThree.", "One.\n\nTwo.\n\nThree.", "  One.\n+ Two.\n  Three."),
        ("One.\n\nTwo.\n\nThree.", "One.\n\nThree.", "  One.\n- Two.\n  Three."),
        ("## One two", "### One two", "~ ### One two\n~   type: [-heading-1-] {+heading-2+}"),
        (
            "First of all words.\n\nSecond of all words.\n\nThird of all words.",
            "Third of all words.\n\nFirst of all words.\n\nSecond of all words.",
            "> Third of all words. (moved)\n  First of all words.\n  Second of all words.\n\
             < Third of all words. (moved away)",
        ),
        (
            "```js\none();\ntwo();\n```",
            "```ts\none();\n2();\n```",
            "~ [code ts]\n~   syntax: [-js-] {+ts+}\n    | one();\n~   | [-two-]{+2+}();",
        ),
        ("---", "***", "  … 1 unchanged"),
    ]);
}

#[test]
fn containers() {
    check(&[
        (
            "* one a b\n* two a b\n* three a b",
            "* one a b\n* two c b\n* three a b\n* four a b",
            "~ [list-unordered]\n    * one a b\n~   *\n~     two [-a-]{+c+} b\n    * three a b\n\
             +   *\n+     four a b",
        ),
        (
            "* [ ] one a b",
            "* [x] one a b",
            "~ [list-tasks]\n~   * [x]\n~     checked: [-no-] {+yes+}\n      … 1 unchanged",
        ),
        (
            "{% hint style=\"info\" %}\nTake care.\n{% endhint %}",
            "{% hint style=\"danger\" %}\nTake much care.\n{% endhint %}",
            "~ [hint danger]\n~   style: [-info-] {+danger+}\n~   Take {+much +}care.",
        ),
        (
            "{% tabs %}\n{% tab title=\"One tab\" %}\nSome words.\n{% endtab %}\n{% endtabs %}",
            "{% tabs %}\n{% tab title=\"A tab\" %}\nSome words.\n{% endtab %}\n{% endtabs %}",
            "~ [tabs]\n~   [tab] [-One-]{+A+} tab\n      … 1 unchanged",
        ),
        (
            "Words that stay here.\n\nWords that are wrapped later.",
            "Words that stay here.\n\n> Words that are wrapped later.",
            "  Words that stay here.\n< Words that are wrapped later. (moved away)\n\
             + [blockquote]\n>   Words that are wrapped later. (moved)",
        ),
    ]);
}

#[test]
fn tables_by_row_and_cell() {
    check(&[
        (
            "| a | b |\n|---|---|\n| one | two |\n| three | four |",
            "| a | b |\n|---|---|\n| one | 2 |\n| three | four |\n| five | six |",
            "~ [table]\n    … 1 unchanged\n    [table-column] b\n~   | one | [-two-]{+2+} |\n\
             \x20   [table-row] three four\n+   | five | six |",
        ),
        (
            "| a | b |\n|---|---|\n| one | two |",
            "| a | b | c |\n|---|---|---|\n| one | two | three |",
            "~ [table]\n    … 1 unchanged\n    [table-column] b\n+   [table-column] c\n\
             ~   | one | two | {+three+} |",
        ),
    ]);
}

#[test]
fn control_characters_are_replaced() {
    let [old, new] = edited("One.", "One \u{1b}[2J\u{202e}two.");
    let found = text(&diff(&old, &new), &NoLinks);
    assert_eq!(found.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count(), 2, "{found}");
    assert!(!found.contains('\u{1b}'), "{found}");
}

#[test]
fn blocks_are_counted() {
    let [old, new] = edited(
        "One a b.\n\nTwo a b.\n\n* three a b\n* four a b",
        "One c b.\n\nNew one here.\n\n* three a b\n* four c b",
    );
    let found = diff(&old, &new).counts();
    assert_eq!(found, Counts { inserted: 0, deleted: 0, edited: 3, moved: 0 });
}

/// Reconstructs the texts of one side, part by part.
#[derive(Default)]
struct Side {
    texts: Vec<String>,
}

impl Side {
    fn of(document: &Document) -> Vec<String> {
        let mut side = Self::default();
        for block in &document.nodes {
            side.part(Part::Block(block));
        }
        side.texts.retain(|text| !text.is_empty());
        side.texts.sort();
        side.texts
    }

    fn part(&mut self, part: Part<'_>) {
        self.entry(&Entry::whole(part, Change::Same), true);
    }

    fn reported(entries: &[Entry<'_>], is_after: bool) -> Vec<String> {
        let mut side = Self::default();
        entries.iter().for_each(|entry| side.entry(entry, is_after));
        side.texts.retain(|text| !text.is_empty());
        side.texts.sort();
        side.texts
    }

    fn entry(&mut self, entry: &Entry<'_>, is_after: bool) {
        match entry.change {
            // Inserted content can contain moved parts.
            Change::Inserted if !is_after => {
                return entry.parts.iter().for_each(|part| self.entry(part, is_after));
            }
            Change::Deleted if is_after => return,
            Change::MovedAway => return,
            _ => {}
        }
        let entry = entry.expanded();
        self.runs(&entry.text(), is_after);
        entry.parts.iter().for_each(|part| self.entry(part, is_after));
    }

    fn runs(&mut self, runs: &[Run<'_>], is_after: bool) {
        let nodes = |run: &Run<'_>| -> Vec<Inline> {
            match run.change {
                Change::Inserted if !is_after => Vec::new(),
                Change::Edited if !is_after => run.before.clone(),
                Change::Deleted if is_after => Vec::new(),
                Change::Deleted => run.before.clone(),
                _ => run.after.clone(),
            }
        };
        self.texts.push(runs.iter().map(|run| inline_text(&nodes(run))).collect());
    }
}

fn check_both_sides(before: &Document, after: &Document) -> Result<(), TestCaseError> {
    let found = diff(before, after);
    prop_assert_eq!(Side::reported(&found.entries, false), Side::of(before));
    prop_assert_eq!(Side::reported(&found.entries, true), Side::of(after));
    prop_assert_eq!(text(&found, &NoLinks), text(&diff(before, after), &NoLinks));
    all(&found.entries)
}

/// Checks that everything reported as edited has a difference.
fn all(entries: &[Entry<'_>]) -> Result<(), TestCaseError> {
    for entry in entries {
        if entry.change == Change::Edited {
            prop_assert!(entry.is_edited(), "{entry:?}");
        }
        all(&entry.parts)?;
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_document_equals_itself(document in arbitrary::document()) {
        let found = diff(&document, &document);
        prop_assert!(found.is_empty());
        prop_assert_eq!(found.counts(), Counts::default());
        prop_assert!(found.entries.iter().all(|entry| !entry.is_edited()));
    }

    #[test]
    fn both_sides_can_be_reconstructed(before in arbitrary::document(), after in arbitrary::document()) {
        check_both_sides(&before, &after)?;
    }

    #[test]
    fn edits_are_reported(
        before in arbitrary::document(),
        new in arbitrary::blocks(0..3),
        places in prop::collection::vec(any::<prop::sample::Index>(), 4),
    ) {
        let mut after = before.clone();
        let mut places = places.iter();
        let mut at = |len: usize| places.next().map_or(0, |place| place.index(len.max(1)));
        if !after.nodes.is_empty() {
            let gone = after.nodes.remove(at(after.nodes.len()));
            let to = at(after.nodes.len() + 1);
            after.nodes.insert(to, gone);
            after.nodes.remove(at(after.nodes.len()));
        }
        let to = at(after.nodes.len() + 1).min(after.nodes.len());
        after.nodes.splice(to..to, new);
        after.complete();
        check_both_sides(&before, &after)?;
        if !diff(&before, &after).is_empty() {
            prop_assert!(!before.has_same_content_as(&after));
        }
    }

    #[test]
    fn changed_words_are_reported(
        before in "([ab] |c\\*\\*d\\*\\*|e\\. ){0,30}",
        after in "([ab] |c\\*\\*d\\*\\*|e\\. ){0,30}",
    ) {
        let [before, after] = edited(&before, &after);
        check_both_sides(&before, &after)?;
    }
}

/// Pairs of texts of about `long` bytes each that are expensive to compare.
fn hostile(long: usize) -> Vec<(&'static str, String, String)> {
    let many = |one: &str| one.repeat(long / one.len());
    let numbered = |start: usize, step: usize, between: &str| -> String {
        (0..long / 8).map(|n| format!("w{}{between}", start + n * step)).collect()
    };
    let shuffled = |between: &str| -> String {
        let count = long / 8;
        (0..count).map(|n| format!("w{}{between}", n * 7919 % count)).collect()
    };
    let code = |lines: String| format!("```\n{lines}\n```");
    vec![
        ("one word", many("a "), many("a b ")),
        ("two words", many("a b "), many("b a a ")),
        ("few words", many("a b c d "), many("d c a b b ")),
        ("other words", numbered(0, 2, " "), numbered(1, 2, " ")),
        ("words turned round", numbered(0, 1, " "), shuffled(" ")),
        ("blocks turned round", numbered(0, 1, " a b c\n\n"), shuffled(" a b c\n\n")),
        ("equal blocks", many("a b c\n\n"), many("a b c\n\n---\n\n")),
        ("other blocks", numbered(0, 2, " a\n\n"), numbered(1, 2, " b\n\n")),
        ("lines of code", code(numbered(0, 1, "\n")), code(shuffled("\n"))),
        ("quotes", many("> "), many("> > a\n")),
        ("items", many("* a b c\n"), many("* c b a\n")),
        (
            "rows",
            format!("| a | b |\n|---|---|\n{}", many("| c | d |\n")),
            format!("| b | a |\n|---|---|\n{}", many("| d | c |\n")),
        ),
        (
            "columns",
            format!("|{}\n|{}\n", many("a|"), many("-|")),
            format!("|{}\n|{}\n", many("b|"), many("-|")),
        ),
        ("links", many("[a](b) "), many("[b](a) ")),
        ("marks", many("**a** b "), many("a **b** ")),
    ]
}

#[test]
fn hostile_texts_take_linear_work() {
    let parse = |source: &str| {
        markdown::parse(source, &ParseContext { path: "page.md", lookup: &NoLookup })
    };
    let cost = |before: &str, after: &str| {
        let (before, after) = (parse(before), parse(after));
        work::measure(|| {
            let found: Difference<'_> = diff(&before, &after);
            let shown = text(&found, &NoLinks);
            let json = serde_json::to_string(&found).expect("JSON");
            work::spend(shown.len() + json.len());
        })
    };
    let size = 40_000;
    for ((name, before, after), (_, old, new)) in hostile(size).into_iter().zip(hostile(2 * size)) {
        let (once, twice) = (cost(&before, &after), cost(&old, &new));
        assert!(twice as f64 <= 2.6 * once as f64 + 20_000.0, "{name}: {once} {twice}");
        assert!(twice <= 400 * (old.len() + new.len()) as u64, "{name}: {twice}");
    }
}
