//! Merges of documents that two sides changed.

use bindery_steps::{Merged, Node, Step};
use serde_json::{Value, json};

mod cases;

/// Returns a document of paragraphs, each with its key before its text: `a:one | b:two`.
fn doc(text: &str) -> Node {
    let paragraph = |block: &str| {
        let (key, text) = block.split_once(':').unwrap_or_default();
        let text: Vec<Value> = Some(text)
            .filter(|text| !text.is_empty())
            .map(|text| json!({ "type": "text", "text": text }))
            .into_iter()
            .collect();
        json!({ "type": "paragraph", "attrs": { "key": key }, "content": text })
    };
    let content: Vec<Value> = text.split(" | ").map(paragraph).collect();
    cases::node(&json!({ "type": "doc", "content": content }))
}

/// Returns the text of a document in the same form.
fn text_of(doc: &Node) -> String {
    let json = doc.to_json();
    let blocks = json["content"].as_array().into_iter().flatten().map(|block| {
        let key = block["attrs"]["key"].as_str().unwrap_or_default();
        format!("{key}:{}", block["content"][0]["text"].as_str().unwrap_or_default())
    });
    blocks.collect::<Vec<_>>().join(" | ")
}

#[test]
fn changes_of_both_sides_come_together() {
    let base = "a:one two three | b:four | c:five";
    for (mine, theirs, expected) in [
        // In different blocks, in one block, and the same on both sides.
        (
            "a:one two | b:four | c:five",
            "a:one two three | b:4 | c:five",
            "a:one two | b:4 | c:five",
        ),
        (
            "a:One two three | b:four | c:five",
            "a:one two THREE | b:four | c:five",
            "a:One two THREE | b:four | c:five",
        ),
        (
            "a:one two three! | b:four | c:five",
            "a:one two three! | b:four | c:five",
            "a:one two three! | b:four | c:five",
        ),
        // Blocks that one side added, removed or moved.
        (
            "a:one two three | x:new | b:four | c:five",
            "a:one two three | b:four",
            "a:one two three | x:new | b:four",
        ),
        (
            "a:one two three! | b:four | c:five",
            "c:five | a:one two three | b:four",
            "c:five | a:one two three! | b:four",
        ),
        (
            "a:one two three | b:four | c:five | x:new",
            "a:one two three | b:four | c:five | y:newer",
            "a:one two three | b:four | c:five | y:newer | x:new",
        ),
        (base, "z:", "z:"),
    ] {
        let Merged { doc: found, conflicts, .. } = doc(mine).merged(&doc(base), &doc(theirs));
        assert_eq!((text_of(&found).as_str(), conflicts), (expected, 0), "{mine}; {theirs}");
    }
}

#[test]
fn nothing_that_this_side_wrote_is_removed() {
    let base = "a:one two three | b:four | c:five";
    for (mine, theirs, expected) in [
        // A removed block that the other side changed stays, on either side.
        (
            "a:one two three | b:four! | c:five",
            "a:one two three | c:five",
            "a:one two three | b:four! | c:five",
        ),
        (
            "a:one two three | c:five",
            "a:one two three | b:four! | c:five",
            "a:one two three | b:four! | c:five",
        ),
        // If one side writes in a word that the other one replaces, both words stay.
        (
            "a:one twXo three | b:four | c:five",
            "a:one 2 three | b:four | c:five",
            "a:one 2twXo three | b:four | c:five",
        ),
    ] {
        let Merged { doc: found, conflicts, .. } = doc(mine).merged(&doc(base), &doc(theirs));
        assert_eq!((text_of(&found).as_str(), conflicts), (expected, 1), "{mine}; {theirs}");
    }
}

#[test]
fn insertions_of_both_sides_come_together() {
    for (base, mine, theirs, expected) in [
        // The same block with more text on one side, and with other text on each.
        ("a:one", "a:one | x:new", "a:one | x:new words", "a:one | x:new words"),
        ("a:one", "a:one | x:new words", "a:one | x:new", "a:one | x:new words"),
        ("a:one", "a:one | x:new cat", "a:one | x:new dog", "a:one | x:new dogcat"),
        // Both parts of a block that was divided have its key.
        ("a:one two", "a:one | a:two", "a:one | a:two three", "a:one | a:two three"),
        ("a:one two", "a:one two", "a:one | a:two three", "a:one | a:two three"),
    ] {
        let Merged { doc: found, .. } = doc(mine).merged(&doc(base), &doc(theirs));
        assert_eq!(text_of(&found), expected, "{base}; {mine}; {theirs}");
    }
}

#[test]
fn sentences_that_both_sides_wrote_anew_stay_whole() {
    let base = "a:Values from the environment win over the file.";
    let program = "a:A program wrote something else.";
    let person = "a:Values from the shell come before those in the file.";
    for (mine, theirs) in [(program, person), (person, program)] {
        let Merged { doc: found, conflicts, .. } = doc(mine).merged(&doc(base), &doc(theirs));
        let text = text_of(&found);
        assert!(conflicts > 0, "{text}");
        for part in ["A program wrote something else", "shell come before those in"] {
            assert!(text.contains(part), "{text}");
        }
    }
}

#[test]
fn a_type_changes_while_its_text_is_written() {
    let node = |kind: &str, level: Option<u8>, text: &str| {
        let mut attrs = json!({ "key": "a" });
        if let Some(level) = level {
            attrs["level"] = level.into();
        }
        let content = json!([{ "type": "text", "text": text }]);
        let block = json!({ "type": kind, "attrs": attrs, "content": content });
        cases::node(&json!({ "type": "doc", "content": [block] }))
    };
    let base = node("paragraph", None, "one");
    let merged =
        node("paragraph", None, "one more").merged(&base, &node("heading", Some(2), "One"));
    assert_eq!(merged.doc, node("heading", Some(2), "One more"));
    assert_eq!(merged.conflicts, 0);
    let base = node("heading", Some(1), "one");
    let merged =
        node("heading", Some(1), "one more").merged(&base, &node("heading", Some(3), "one"));
    assert_eq!(merged.doc, node("heading", Some(3), "one more"));
}

/// A sequence of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit
    }

    /// Returns words with others between them.
    fn with_words(&mut self, words: &[String], name: &str, count: usize) -> Vec<String> {
        let mut found = words.to_vec();
        for number in 0..count {
            let word = format!("<{name}.{number}.{}>", self.below(100_000));
            let at = self.below(found.len() + 1);
            found.insert(at, word);
        }
        found
    }
}

/// Words that both sides wrote stay whole, in texts of any length.
#[test]
fn words_stay_whole() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let base = random.with_words(&[], "base", usize::try_from(seed).unwrap_or_default() * 20);
        let (mine, theirs) =
            (random.with_words(&base, "mine", 200), random.with_words(&base, "theirs", 200));
        let text = |words: &[String]| doc(&format!("a:{}", words.concat()));
        let merged = text(&mine).merged(&text(&base), &text(&theirs));
        let all = merged.doc.text_content();
        for word in mine.iter().chain(&theirs) {
            assert_eq!(all.matches(word.as_str()).count(), 1, "seed {seed}: {word} in {all}");
        }
    }
}

/// A word that both sides replaced by another one is replaced as a whole.
#[test]
fn replaced_words_are_not_mixed() {
    for (mine, theirs) in [
        ("a:one p1x22x9e three", "a:one p2x22x7e three"),
        ("a:one three", "a:one p2x22x7e three"),
        ("a:one p1x22x9e three", "a:one three"),
    ] {
        let merged = doc(mine).merged(&doc("a:one p1x11x9e three"), &doc(theirs));
        let text = text_of(&merged.doc);
        for word in [mine, theirs].iter().flat_map(|side| side[2..].split(' ')) {
            assert!(text.contains(word), "{mine}; {theirs}: {text}");
        }
    }
}

/// Over random documents and edits, the merge leaves a valid document, brings all changes of a
/// side to one without changes, and makes no steps if there is nothing to bring.
#[test]
fn random_changes_are_merged() {
    cases::each(|case| {
        let base = cases::node(&case["doc"]);
        let (mine, theirs) = (cases::node(&case["ownDoc"]), cases::node(&case["overDoc"]));
        let seed = &case["seed"];
        let taken = base.merged(&base, &theirs);
        assert_eq!((taken.doc.to_json(), taken.conflicts), (theirs.to_json(), 0), "seed {seed}");
        assert!(mine.merged(&base, &base).steps.is_empty(), "seed {seed}");
        assert!(mine.merged(&base, &mine).steps.is_empty(), "seed {seed}");
        let both = mine.merged(&base, &theirs);
        assert_eq!(cases::node(&both.doc.to_json()), both.doc, "seed {seed}");
        let applied =
            both.steps.iter().fold(mine, |doc: Node, step: &Step| step.apply(&doc).unwrap());
        assert_eq!(applied, both.doc, "seed {seed}");
    });
}
