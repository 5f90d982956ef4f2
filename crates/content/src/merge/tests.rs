use proptest::prelude::*;

use super::{MergeResult, merge};
use crate::arbitrary::{self, PAGE_PATH, World};
use crate::document::{Block, BlockKind, Document, Hint, HintStyle, Key, Paragraph, complete};
use crate::print::{PrintContext, print};
use crate::source::Span;

fn text(document: &Document) -> String {
    print(document, &PrintContext { path: PAGE_PATH, lookup: &World, names: &World })
}

fn merged(base: &str, ours: &str, theirs: &str) -> MergeResult {
    let [base, ours, theirs] = [base, ours, theirs].map(arbitrary::parse);
    merge(&base, &ours, &theirs)
}

/// Base, ours, theirs, the expected result, and the number of conflicts.
type Case = (&'static str, &'static str, &'static str, &'static str, usize);

fn check(cases: &[Case]) {
    for &(base, ours, theirs, expect, conflicts) in cases {
        let found = merged(base, ours, theirs);
        assert_eq!(text(&found.document).trim_end(), expect, "{base:?} {ours:?} {theirs:?}");
        assert_eq!(found.conflicts.len(), conflicts, "{:?}", found.conflicts);
        if conflicts == 0 {
            let other = merged(base, theirs, ours);
            assert_eq!(other.conflicts.len(), 0, "{base:?} the other way round");
        }
    }
}

#[test]
fn words_of_one_paragraph() {
    check(&[
        ("One two three.", "One 2 three.", "One two 3.", "One 2 3.", 0),
        (
            "One two three.",
            "Zero. One two three.",
            "One two three. Four.",
            "Zero. One two three. Four.",
            0,
        ),
        (
            "The quick fox runs.",
            "**The quick fox runs.**",
            "The slow fox runs.",
            "**The slow fox runs.**",
            0,
        ),
        ("A word here.", "A _word_ here.", "A **word** here.", "A _**word**_ here.", 0),
        ("One two three.", "One 2 three.", "One zwei three.", "One 2 three.", 1),
        ("One two three.", "One 2 three.", "One 2 three.", "One 2 three.", 0),
        ("One two three.", "One three.", "One two three four.", "One three four.", 0),
        // A rewritten sentence is not mixed with a correction of one word.
        ("It is a cat.", "We have seen many dogs.", "It is a bat.", "We have seen many dogs.", 1),
        ("文档很好看。", "文档真好看。", "文档很好吃。", "文档真好吃。", 0),
        (
            "A [link](https://a.example) here.",
            "A [link](https://b.example) here.",
            "A [fine link](https://a.example) here.",
            "A [fine link](https://b.example) here.",
            0,
        ),
        ("Naïve café.", "Naïve bar.", "Clever café.", "Clever bar.", 0),
    ]);
}

#[test]
fn blocks_of_a_page() {
    check(&[
        ("a\n\nb\n\nc", "a\n\nx\n\nb\n\nc", "a\n\nb\n\ny\n\nc", "a\n\nx\n\nb\n\ny\n\nc", 0),
        ("a\n\nb", "a\n\nx\n\nb", "a\n\ny\n\nb", "a\n\nx\n\ny\n\nb", 0),
        ("a\n\nb", "a\n\nx\n\nb", "a\n\nx\n\nb", "a\n\nx\n\nb", 0),
        ("a\n\nb\n\nc", "a\n\nc", "a\n\nb\n\nc\n\nd", "a\n\nc\n\nd", 0),
        (
            "one a\n\ntwo b\n\nthree c",
            "one a\n\nthree c",
            "one a\n\ntwo b b\n\nthree c",
            "one a\n\ntwo b b\n\nthree c",
            1,
        ),
        (
            "one a\n\ntwo b\n\nthree c",
            "three c\n\none a\n\ntwo b",
            "one a\n\ntwo bees\n\nthree c",
            "three c\n\none a\n\ntwo bees",
            0,
        ),
        ("# One\n\ntext", "## One\n\ntext", "# One and two\n\ntext", "## One and two\n\ntext", 0),
    ]);
}

#[test]
fn parts_of_blocks() {
    check(&[
        (
            "* [ ] one a\n* [ ] two b",
            "* [x] one a\n* [ ] two b",
            "* [ ] one a\n* [ ] two bees",
            "* [x] one a\n* [ ] two bees",
            0,
        ),
        (
            "* one a\n* two b",
            "* one a\n* two b\n  * deep",
            "* one an a\n* two b",
            "* one an a\n* two b\n  * deep",
            0,
        ),
        (
            "```js\na\nb\nc\n```",
            "```js\nA\nb\nc\n```",
            "```ts\na\nb\nC\n```",
            "```ts\nA\nb\nC\n```",
            0,
        ),
        ("```js\na\n```", "```js\nb\n```", "```js\nc\n```", "```js\nb\n```", 1),
        (
            "{% hint style=\"info\" %}\none a\n{% endhint %}",
            "{% hint style=\"danger\" %}\none a\n{% endhint %}",
            "{% hint style=\"info\" %}\none b\n{% endhint %}",
            "{% hint style=\"danger\" %}\none b\n{% endhint %}",
            0,
        ),
        (
            "| h | i |\n| - | - |\n| a | b |\n| c | d |",
            "| h | i | j |\n| - | - | - |\n| a | b | x |\n| c | d | y |",
            "| h | i |\n| - | - |\n| a | B |\n| c | d |\n| e | f |",
            "| h | i | j |\n| - | - | - |\n| a | B | x |\n| c | d | y |\n| e | f |   |",
            0,
        ),
        (
            "| h | i |\n| - | - |\n| a | b |",
            "| h | i |\n| - | - |\n| x | b |",
            "| h | i |\n| - | - |\n| y | b |",
            "| h | i |\n| - | - |\n| x | b |",
            1,
        ),
    ]);
}

#[test]
fn blocks_that_change_their_type() {
    for (base, ours, theirs, expect) in [
        (
            "One title\n\ntext",
            "# One title\n\ntext",
            "One fine title\n\ntext",
            "## One fine title\n\ntext",
        ),
        ("* a\n* b", "1. a\n2. b", "* a\n* b\n* c", "1. a\n2. b\n3. c"),
        ("* a\n* b", "* [ ] a\n* [x] b", "* a\n* c\n* b", "* [ ] a\n* [ ] c\n* [x] b"),
    ] {
        let [base, mut ours, mut theirs] = [base, ours, theirs].map(arbitrary::parse);
        for side in [&mut ours, &mut theirs] {
            for (block, before) in side.nodes.iter_mut().zip(&base.nodes) {
                block.key = before.key;
            }
        }
        for (ours, theirs) in [(&ours, &theirs), (&theirs, &ours)] {
            let found = merge(&base, ours, theirs);
            assert_eq!(text(&found.document).trim_end(), expect);
            assert_eq!(found.conflicts, []);
        }
    }
}

fn paragraph(document: &Document, at: usize) -> Block {
    document.nodes[at].clone()
}

#[test]
fn a_wrapped_block_takes_the_edits_of_the_other_side() {
    let base = arbitrary::parse("one a\n\ntwo b\n\nthree c");
    let hint = |nodes| {
        let hint = Hint { style: HintStyle::Warning, icon: None, nodes };
        Block { key: Key(77), span: Span::default(), kind: BlockKind::Hint(Box::new(hint)) }
    };
    let mut ours = base.clone();
    ours.nodes[1] = hint(vec![paragraph(&base, 1)]);
    let mut theirs = base.clone();
    theirs.nodes[1].kind = paragraph(&arbitrary::parse("two bees"), 0).kind;
    let expect = "one a\n\n{% hint style=\"warning\" %}\ntwo bees\n{% endhint %}\n\nthree c";
    for (ours, theirs) in [(&ours, &theirs), (&theirs, &ours)] {
        let found = merge(&base, ours, theirs);
        assert_eq!(text(&found.document).trim_end(), expect);
        assert_eq!(found.conflicts, []);
    }
    // Both sides wrap the block: it is where ours has it, and their hint is kept too.
    let mut other = base.clone();
    other.nodes[1] = hint(vec![paragraph(&base, 1), paragraph(&arbitrary::parse("new"), 0)]);
    other.nodes[1].key = Key(78);
    let found = text(&merge(&base, &ours, &other).document);
    assert_eq!(found.matches("two b").count(), 1, "{found}");
    assert!(found.contains("new"), "{found}");
}

#[test]
fn containers_in_each_other_lose_nothing() {
    let quote = |key, nodes| Block {
        key: Key(key),
        span: Span::default(),
        kind: BlockKind::Quote { nodes },
    };
    let line = |word: &str| paragraph(&arbitrary::parse(word), 0);
    let base = Document {
        nodes: vec![quote(1, vec![line("a")]), quote(2, vec![line("b")])],
        ..Document::default()
    };
    let ours = Document {
        nodes: vec![quote(1, vec![line("a"), base.nodes[1].clone()])],
        ..Document::default()
    };
    let theirs = Document {
        nodes: vec![quote(2, vec![line("b"), base.nodes[0].clone()])],
        ..Document::default()
    };
    let found = text(&merge(&base, &ours, &theirs).document);
    assert!(found.contains('a') && found.contains('b'), "{found}");
}

#[test]
fn keys_distinguish_equal_blocks() {
    let mut base = arbitrary::parse("***\n\n***\n\na\n\n***\n\n***");
    for (key, node) in (1..).zip(&mut base.nodes) {
        node.key = Key(key);
    }
    for at in [0, 1, 3, 4] {
        for other in (0..5).filter(|other| *other != at) {
            let mut ours = base.clone();
            ours.nodes.remove(at);
            let mut theirs = base.clone();
            theirs.nodes[other].kind = paragraph(&arbitrary::parse("b"), 0).kind;
            let mut expected = theirs.clone();
            expected.nodes.remove(at);
            let found = merge(&base, &ours, &theirs);
            assert_eq!(found.conflicts, [], "{at} {other}");
            assert!(found.document.has_same_content_as(&expected), "{at} {other}");
        }
    }
}

/// An edit of a block.
#[derive(Debug, Clone)]
enum Edit {
    Nothing,
    Replace(Block),
    Delete,
}

fn edits() -> impl Strategy<Value = (Document, Vec<(bool, Edit)>)> {
    let edit = prop_oneof![
        2 => Just(Edit::Nothing),
        3 => (arbitrary::block(), any::<u64>()).prop_map(|(block, seed)| {
            // New content gets keys that no other block has.
            let (mut block, mut next) = ([block], seed);
            complete::keys(&mut block, &mut |key| {
                next = next.wrapping_add(1).max(1);
                *key = Key(next);
            });
            let [block] = block;
            Edit::Replace(block)
        }),
        1 => Just(Edit::Delete),
    ];
    arbitrary::document().prop_flat_map(move |document| {
        let count = document.nodes.len();
        let edits = prop::collection::vec((any::<bool>(), edit.clone()), count);
        (Just(document), edits)
    })
}

fn apply(base: &Document, edits: &[(bool, Edit)], who: impl Fn(bool) -> bool) -> Document {
    let mut nodes = Vec::new();
    for (block, (side, edit)) in base.nodes.iter().zip(edits) {
        match edit {
            Edit::Delete if who(*side) => {}
            Edit::Replace(by) if who(*side) => nodes.push(Block { key: block.key, ..by.clone() }),
            _ => nodes.push(block.clone()),
        }
    }
    let mut document = Document { nodes, ..Document::default() };
    document.complete();
    document
}

proptest! {
    #[test]
    fn disjoint_edits_are_a_replay((base, edits) in edits()) {
        let ours = apply(&base, &edits, |side| side);
        let theirs = apply(&base, &edits, |side| !side);
        let expect = apply(&base, &edits, |_| true);
        let found = merge(&base, &ours, &theirs);
        prop_assert_eq!(&found.conflicts, &[]);
        prop_assert!(found.document.has_same_content_as(&expect), "{:#?}", found.document);
        let other = merge(&base, &theirs, &ours);
        prop_assert!(other.document.has_same_content_as(&expect), "{:#?}", other.document);
    }

    #[test]
    fn a_change_of_one_side_is_applied((base, edits) in edits()) {
        let edited = apply(&base, &edits, |_| true);
        for (ours, theirs) in [(&edited, &base), (&base, &edited), (&edited, &edited)] {
            let found = merge(&base, ours, theirs);
            prop_assert_eq!(&found.conflicts, &[]);
            prop_assert!(found.document.has_same_content_as(&edited), "{:#?}", found.document);
        }
    }

    #[test]
    fn no_insertion_is_lost(
        (base, edits) in edits(), news in prop::collection::vec((any::<bool>(), 0..7_usize), 0..6)
    ) {
        let mut sides = [true, false].map(|who| apply(&base, &edits, |side| side == who));
        // Marked, so that each is unique.
        for (number, (side, at)) in news.iter().enumerate() {
            let side = &mut sides[usize::from(*side)];
            let word = format!("inserted{number}");
            let new = arbitrary::parse(&word).nodes.remove(0);
            let new = Block { key: Key(u64::MAX - number as u64), ..new };
            side.nodes.insert((*at).min(side.nodes.len()), new);
        }
        let [ours, theirs] = sides;
        let found = merge(&base, &ours, &theirs);
        let all = format!("{:?}", found.document);
        for number in 0..news.len() {
            let word = format!("\"inserted{number}\"");
            prop_assert_eq!(all.matches(&word).count(), 1, "{}", word);
        }
        let again = merge(&base, &ours, &theirs);
        prop_assert_eq!(again, found);
    }

    #[test]
    fn any_three_documents_merge(
        base in arbitrary::document(), ours in arbitrary::document(), theirs in arbitrary::document()
    ) {
        let found = merge(&base, &ours, &theirs);
        let mut keys = std::collections::HashSet::new();
        for block in &found.document.nodes {
            prop_assert!(keys.insert(block.key));
        }
        for conflict in &found.conflicts {
            prop_assert!(conflict.ours.is_some() || conflict.theirs.is_some());
            prop_assert!(conflict.ours != conflict.theirs);
        }
        // The result can be printed and parsed.
        let _text = text(&found.document);
    }
}

#[test]
fn an_emptied_text_is_still_a_paragraph() {
    let base = Document {
        nodes: vec![Block::new(Span::default(), BlockKind::Paragraph(Paragraph::default()))],
        ..Document::default()
    };
    assert_eq!(merge(&base, &base, &Document::default()).document.nodes, []);
}
