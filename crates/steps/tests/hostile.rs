//! Steps that somebody made by hand are refused, or leave a document that the schema permits.

use bindery_steps::{Error, Node, Step, rebase};
use serde_json::{Value, json};

type Result = std::result::Result<(), Error>;

fn paragraph(text: &str) -> Value {
    json!({ "type": "paragraph", "content": [{ "type": "text", "text": text }] })
}

fn document(blocks: &[Value]) -> std::result::Result<Node, Error> {
    Node::from_json(&json!({ "type": "doc", "content": blocks }))
}

fn insertion(at: usize, content: &Value, open: (usize, usize)) -> Value {
    let slice = json!({ "content": [content], "openStart": open.0, "openEnd": open.1 });
    json!({ "stepType": "replace", "from": at, "to": at, "slice": slice })
}

#[test]
fn steps_that_fit_no_schema_are_refused() {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let marked = |marks: Value| json!({ "type": "text", "text": "a", "marks": marks });
    let bold = json!({ "type": "bold" });
    for (step, reason) in [
        (json!(null), "there is no step"),
        (json!({ "stepType": "script" }), "there is no step"),
        (json!({ "stepType": "addNodeMark", "pos": 0, "mark": bold }), "there is no step"),
        (json!({ "stepType": "replace", "from": -1, "to": 2 }), "from: found no number"),
        (json!({ "stepType": "replace", "from": 3, "to": 1 }), "not in order"),
        (json!({ "stepType": "replace", "from": 1e300, "to": 1e300 }), "from: found no number"),
        (insertion(1, &json!({ "type": "script" }), (0, 0)), "there is no node \"script\""),
        (insertion(1, &text(""), (0, 0)), "a text has no characters"),
        (insertion(1, &marked(json!([bold, bold])), (0, 0)), "do not go together"),
        (insertion(1, &marked(json!([{ "type": "link" }])), (0, 0)), "a required attribute"),
        (insertion(1, &json!({ "type": "atom" }), (0, 0)), "a required attribute"),
        (insertion(0, &json!({ "type": "table" }), (0, 0)), "cannot have these children"),
        (insertion(0, &paragraph("a"), (2, 0)), "more nodes are open"),
        (insertion(0, &paragraph("a"), (0, 1 << 40)), "openEnd: found no number"),
        (json!({ "stepType": "attr", "pos": 0, "attr": "level" }), "value: found none"),
        (
            json!({ "stepType": "markSet", "steps": [{ "stepType": "markSet", "steps": [] }] }),
            "there is no step \"markSet\"",
        ),
    ] {
        let error = Step::from_json(&step).err().map(|error| error.to_string());
        assert!(error.as_ref().is_some_and(|error| error.contains(reason)), "{step}: {error:?}");
    }
}

#[test]
fn steps_that_do_not_fit_the_document_are_refused() -> Result {
    let doc = document(&[paragraph("a😀b"), json!({ "type": "code" })])?;
    let bold = json!([{ "type": "bold" }]);
    for (step, expected) in [
        (json!({ "stepType": "replace", "from": 3, "to": 4 }), Error::InsideCharacter(3)),
        (json!({ "stepType": "replace", "from": 8, "to": 90 }), Error::Position(90)),
        (json!({ "stepType": "replace", "from": 0, "to": 8 }), Error::Content("doc")),
        (json!({ "stepType": "replace", "from": 0, "to": 1 }), Error::Fit),
        (insertion(2, &paragraph("a"), (0, 0)), Error::Content("paragraph")),
        (
            insertion(7, &json!({ "type": "text", "text": "a", "marks": bold }), (0, 0)),
            Error::Content("code"),
        ),
        (json!({ "stepType": "attr", "pos": 1, "attr": "level", "value": 1 }), Error::NoNode(1)),
        (
            json!({
                "stepType": "replaceAround", "from": 0, "to": 6, "gapFrom": 1, "gapTo": 6,
                "insert": 0,
            }),
            Error::Gap,
        ),
        (
            json!({
                "stepType": "replaceAround", "from": 0, "to": 6, "gapFrom": 0, "gapTo": 6,
                "insert": 3, "slice": { "content": [
                    { "type": "blockquote", "content": [{ "type": "blockquote" }] },
                ] },
            }),
            Error::Content("blockquote"),
        ),
        (json!({ "stepType": "replace", "from": 1, "to": 5, "structure": true }), Error::Overwrite),
    ] {
        let applied = Step::from_json(&step)?.apply(&doc);
        assert_eq!(applied.err(), Some(expected), "{step}");
    }
    Ok(())
}

/// Returns random numbers below a limit, the same ones each time.
fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |limit| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    }
}

#[test]
fn accepted_steps_leave_a_valid_document() -> Result {
    let list = json!({
        "type": "bullet_list",
        "content": [{ "type": "list_item", "content": [paragraph("item 😀")] }],
    });
    let row = |kind: &str| {
        let cell = json!({ "type": kind, "content": [paragraph("cell")] });
        json!({ "type": "table_row", "content": [cell, cell] })
    };
    let table = json!({ "type": "table", "content": [row("table_header"), row("table_cell")] });
    let empty = |kind: &str| json!({ "type": kind });
    let parts = [
        paragraph("text"),
        list.clone(),
        table.clone(),
        json!({ "type": "list_item", "content": [paragraph("item")] }),
        json!({ "type": "blockquote", "content": [list.clone(), empty("blockquote")] }),
        json!({ "type": "text", "text": "marked", "marks": [{ "type": "bold" }] }),
        row("table_cell"),
        empty("divider"),
        empty("expandable"),
        empty("paragraph"),
    ];
    let doc = document(&[paragraph("first"), list, table, empty("code"), paragraph("last")])?;
    let size = doc.content_size();
    let mut random = random(7);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..60_000 {
        let mut at: Vec<_> = (0..4).map(|_| random(size + 2)).collect();
        at.sort_unstable();
        let content: Vec<_> = (0..random(3)).map(|_| &parts[random(parts.len())]).collect();
        let slice = json!({
            "content": content, "openStart": random(4), "openEnd": random(4),
        });
        let step = match random(3) {
            0 => json!({ "stepType": "replace", "from": at[0], "to": at[1], "slice": slice }),
            1 => json!({ "stepType": "replace", "from": at[0], "to": at[0], "slice": slice }),
            _ => json!({
                "stepType": "replaceAround", "from": at[0], "gapFrom": at[1], "gapTo": at[2],
                "to": at[3], "insert": random(12), "slice": slice,
            }),
        };
        match Step::from_json(&step).and_then(|step| step.apply(&doc)) {
            Ok(after) => {
                let read = Node::from_json(&after.to_json());
                assert_eq!(read.as_ref(), Ok(&after), "{step}");
                accepted += 1;
            }
            Err(_) => refused += 1,
        }
    }
    assert!(accepted > 500 && refused > 500, "{accepted} accepted, {refused} refused");
    Ok(())
}

#[test]
fn documents_do_not_grow_without_end() -> Result {
    let mut doc = document(&[paragraph("a")])?;
    let wrap = Step::from_json(&json!({
        "stepType": "replaceAround", "from": 0, "to": 3, "gapFrom": 0, "gapTo": 3, "insert": 1,
        "slice": { "content": [{ "type": "blockquote" }] }, "structure": true,
    }))?;
    let mut depth = 0;
    let refused = loop {
        let size = doc.content_size();
        let mut step = wrap.to_json();
        step["to"] = size.into();
        step["gapTo"] = size.into();
        match Step::from_json(&step)?.apply(&doc) {
            Ok(next) => doc = next,
            Err(error) => break error,
        }
        depth += 1;
    };
    assert_eq!((depth, refused), (58, Error::Limit("60 nodes within each other")));

    let mut nested = paragraph("a");
    for _ in 0..100 {
        nested = json!({ "type": "blockquote", "content": [nested] });
    }
    assert!(matches!(Step::from_json(&insertion(0, &nested, (0, 0))), Err(Error::Limit(_))));
    let long = Step::from_json(&insertion(0, &paragraph(&"x".repeat(5 << 20)), (0, 0)))?;
    let once = long.apply(&doc)?;
    assert!(matches!(long.apply(&once), Err(Error::Limit(_))));
    Ok(())
}

#[test]
fn late_steps_keep_what_others_wrote() -> Result {
    let doc = document(&[paragraph("one two")])?;
    let replace = |from: usize, to: usize| {
        Step::from_json(&json!({ "stepType": "replace", "from": from, "to": to }))
    };
    // One deletes the words that the other writes into.
    let deletion = replace(1, 8)?;
    let inside = Step::from_json(&insertion(4, &json!({ "type": "text", "text": "!" }), (0, 0)))?;
    let (rebased, after) = rebase(
        std::slice::from_ref(&inside),
        std::slice::from_ref(&deletion),
        &deletion.apply(&doc)?,
    );
    let moved = Step::from_json(&insertion(1, &json!({ "type": "text", "text": "!" }), (0, 0)))?;
    assert_eq!(rebased, [moved]);
    assert_eq!(after.text_content(), "!");
    let (_, after) = rebase(&[deletion], std::slice::from_ref(&inside), &inside.apply(&doc)?);
    assert_eq!(after.text_content(), "!");
    Ok(())
}
