//! The differences of two versions of a document.

use bindery_steps::Node;
use serde_json::{Value, json};

mod cases;

fn doc(blocks: &[(&str, &str, &str)]) -> Node {
    let block = |(key, kind, text): &(&str, &str, &str)| {
        let mut attrs = json!({ "key": key });
        if *kind == "heading" {
            attrs["level"] = 2.into();
        }
        json!({ "type": kind, "attrs": attrs, "content": [{ "type": "text", "text": text }] })
    };
    let content: Vec<Value> = blocks.iter().map(block).collect();
    cases::node(&json!({ "type": "doc", "content": content }))
}

#[test]
fn differences_are_words_blocks_and_types() {
    let base = doc(&[
        ("a", "paragraph", "The quick brown fox jumps."),
        ("b", "paragraph", "A title"),
        ("c", "paragraph", "The end"),
    ]);
    let other = doc(&[
        ("a", "paragraph", "The slow brown fox really jumps."),
        ("b", "heading", "A title"),
        ("d", "paragraph", "New"),
        ("c", "paragraph", "The end"),
    ]);
    let found: Vec<_> = base.differences(&other);
    let texts: Vec<_> =
        found.iter().map(|found| (found.before.as_str(), found.after.as_str())).collect();
    assert_eq!(texts, [("quick", "slow"), ("", " really"), ("A title", "A title"), ("", "New")]);
    let ranges: Vec<_> = found.iter().map(|found| (found.from, found.to)).collect();
    assert_eq!(ranges, [(5, 10), (20, 20), (28, 37), (37, 37)]);
    let others: Vec<_> = found.iter().map(|found| (found.other_from, found.other_to)).collect();
    assert_eq!(others, [(5, 9), (19, 26), (34, 43), (43, 48)]);
    let one = base.with_differences(found.iter().take(1)).unwrap();
    assert_eq!(one.differences(&other).len(), 3);
    assert_eq!(base.differences(&one)[0].content(), found[0].content());
}

/// Over random documents, all differences together are the other version, and those that were
/// taken over one by one are gone.
#[test]
fn differences_lead_to_the_other_version() {
    let mut refused = 0;
    cases::each(|case| {
        let (base, other) = (cases::node(&case["doc"]), cases::node(&case["ownDoc"]));
        let seed = &case["seed"];
        let found = base.differences(&other);
        assert_eq!(base.with_differences(found.iter()).unwrap(), other, "seed {seed}");
        assert_eq!(found.is_empty(), base == other, "seed {seed}");
        let mut doc = base;
        for _ in 0..=found.len() {
            let rest = doc.differences(&other);
            // Some are valid only together with others, such as a moved item of a list.
            let next = rest.iter().find_map(|one| doc.with_differences([one].into_iter()).ok());
            match next {
                Some(next) => doc = next,
                None if rest.is_empty() => break,
                None => {
                    refused += 1;
                    doc = doc.with_differences(rest.iter()).unwrap();
                }
            }
        }
        assert_eq!(doc, other, "seed {seed}");
    });
    assert!(refused < 5, "{refused}");
}
