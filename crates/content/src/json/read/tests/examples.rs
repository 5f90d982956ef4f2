//! Reads an example of each document schema of the contract and checks that it round-trips. Then
//! mutates each value in turn and checks that the mutant is valid or is rejected at the right
//! location.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::{Document, DocumentError, JsonContext};
use crate::arbitrary::{self, PAGE_PATH, World};
use crate::markdown;

/// A schema, Markdown whose JSON contains an example of it, and the name of the example: its
/// `type`, else its `object` or `kind`.
const EXAMPLES: [(&str, &str, &str); 58] = [
    ("DocumentText", "a", "text"),
    ("DocumentTextLeaf", "a", "leaf"),
    ("DocumentMarkBold", "**a**", "bold"),
    ("DocumentMarkItalic", "*a*", "italic"),
    ("DocumentMarkCode", "`a`", "code"),
    ("DocumentMarkKeyboard", "<kbd>a</kbd>", "keyboard"),
    ("DocumentMarkStrikethrough", "~~a~~", "strikethrough"),
    ("DocumentMarkSuperscript", "a<sup>2</sup>", "superscript"),
    ("DocumentMarkSubscript", "a<sub>2</sub>", "subscript"),
    ("DocumentMarkColor", "<mark style=\"color:red;background-color:blue;\">a</mark>", "color"),
    ("DocumentInlineLink", "[a](README.md)", "link"),
    ("DocumentInlineLink", "[a](start_here.md#b)", "anchor"),
    ("DocumentInlineLink", "[a](https://x.y)", "url"),
    ("DocumentInlineEmoji", "a :tada:", "emoji"),
    ("DocumentInlineIcon", "a <i class=\"fa-key\" style=\"color:$primary;\">:key:</i>", "icon"),
    ("DocumentInlineExpression", "<code class=\"expression\">space.vars.a</code>", "expression"),
    ("DocumentInlineMath", "a $$b$$", "inline-math"),
    (
        "DocumentInlineImage",
        "a <picture><source srcset=\"../.gitbook/assets/a.png\" media=\"(prefers-color-scheme: dark)\">\
         <img src=\"../.gitbook/assets/a.png\" alt=\"b\" data-size=\"line\"></picture>",
        "inline-image",
    ),
    ("DocumentInlineAnnotation", "a word[^1]\n\n[^1]: note", "annotation"),
    ("DocumentInlineMention", "[start_here.md](start_here.md \"mention\")", "mention"),
    ("DocumentInlineMention", "[Ann](https://app.gitbook.com/u/ann \"mention\")", "user"),
    (
        "DocumentInlineButton",
        "<a href=\"https://x.y\" class=\"button primary\" data-icon=\"key\">a</a>",
        "button",
    ),
    ("DocumentBlockParagraph", "<p align=\"center\">a</p>", "paragraph"),
    ("DocumentBlockHeading", "## a <a href=\"#b\" id=\"b\"></a>", "heading-1"),
    ("DocumentBlockHeading", "### a", "heading-2"),
    ("DocumentBlockHeading", "#### a", "heading-3"),
    ("DocumentBlockListOrdered", "3. a", "list-ordered"),
    ("DocumentBlockListUnordered", "* a", "list-unordered"),
    ("DocumentBlockListTasks", "* [x] a", "list-tasks"),
    ("DocumentBlockListItem", "* a\n  * b", "list-item"),
    ("DocumentBlockQuote", "> a", "blockquote"),
    ("DocumentBlockHint", "{% hint style=\"danger\" icon=\"key\" %}\na\n{% endhint %}", "hint"),
    (
        "DocumentBlockCode",
        "{% code title=\"t\" overflow=\"wrap\" lineNumbers=\"true\" fullWidth=\"false\" \
         expandable=\"true\" collapsedLineCount=\"5\" %}\n```rust\na\n```\n{% endcode %}",
        "code",
    ),
    (
        "DocumentBlockCodeLine",
        "<pre><code>a\n<strong>b\n</strong>c <code class=\"expression\">d</code>\n</code></pre>",
        "code-line",
    ),
    ("DocumentBlockMath", "$$\na\n$$", "math"),
    ("DocumentBlockDivider", "***", "divider"),
    (
        "DocumentBlockImages",
        "<div align=\"left\" data-full-width=\"true\" data-with-frame=\"true\"><figure>\
         <img src=\"../.gitbook/assets/a.png\" alt=\"b\" width=\"50%\" height=\"20\">\
         <figcaption><p>c</p></figcaption></figure></div>",
        "images",
    ),
    (
        "DocumentBlockImage",
        "<figure><picture><source srcset=\"https://x.y/d.png\" media=\"(prefers-color-scheme: dark)\">\
         <img src=\"https://x.y/a.png\" alt=\"b\"></picture></figure>",
        "image",
    ),
    ("DocumentBlockFile", "{% file src=\"../spec/api.yaml\" %}\na\n{% endfile %}", "file"),
    (
        "DocumentBlockDrawing",
        "<img src=\"../.gitbook/assets/a.png\" alt=\"\" class=\"gitbook-drawing\">",
        "drawing",
    ),
    (
        "DocumentBlockEmbed",
        "{% embed url=\"https://x.y\" fullWidth=\"true\" %}\na\n{% endembed %}",
        "embed",
    ),
    ("DocumentBlockTable", "| a | b |\n| :-: | - |\n| c | |", "table"),
    ("DocumentFragment", "| a |\n| - |\n| c |", "fragment"),
    ("DocumentTableViewGrid", "| a |\n| - |\n| c |", "grid"),
    ("DocumentTableDefinitionText", "| a |\n| - |\n| c |", "text"),
    ("DocumentTableViewCards", TYPED_TABLE, "cards"),
    ("DocumentTableDefinitionNumber", TYPED_TABLE, "number"),
    ("DocumentTableDefinitionCheckbox", TYPED_TABLE, "checkbox"),
    ("DocumentTableDefinitionFiles", TYPED_TABLE, "files"),
    ("DocumentTableDefinitionUsers", TYPED_TABLE, "users"),
    ("DocumentTableDefinitionRating", TYPED_TABLE, "rating"),
    ("DocumentTableDefinitionSelect", TYPED_TABLE, "select"),
    ("DocumentTableDefinitionContentRef", TYPED_TABLE, "content-ref"),
    ("DocumentTableDefinitionImage", TYPED_TABLE, "image"),
    (
        "DocumentBlockTabs",
        "{% tabs fullWidth=\"true\" %}\n{% tab title=\"A\" icon=\"key\" %}\na\n{% endtab %}\n{% endtabs %}",
        "tabs",
    ),
    (
        "DocumentBlockExpandable",
        "<details open>\n\n<summary>a</summary>\n\nb\n\n</details>",
        "expandable",
    ),
    (
        "DocumentBlockStepper",
        "{% stepper %}\n{% step %}\na\n{% endstep %}\n{% endstepper %}",
        "stepper",
    ),
    (
        "DocumentBlockColumns",
        "{% columns fullWidth=\"true\" %}\n{% column width=\"41.6%\" valign=\"middle\" %}\na\n\
         {% endcolumn %}\n{% endcolumns %}",
        "columns",
    ),
];

/// Blocks that only contain a reference.
const REFERENCE_BLOCKS: [(&str, &str, &str); 9] = [
    (
        "DocumentBlockContentRef",
        "{% content-ref url=\"start_here.md\" %}\n[a](start_here.md)\n{% endcontent-ref %}",
        "content-ref",
    ),
    (
        "DocumentBlockReusableContent",
        "{% include \"../.gitbook/includes/note.md\" %}",
        "reusable-content",
    ),
    ("DocumentBlockIf", "{% if visitor.claims.a %}\na\n{% endif %}", "if"),
    ("DocumentBlockIntegration", "{% @name/block a=\"b\" url=\"https://x.y\" %}", "integration"),
    (
        "DocumentBlockIntegration",
        "{% updates format=\"full\" %}\n{% update date=\"2026-01-31\" %}\na\n{% endupdate %}\n{% endupdates %}",
        "integration",
    ),
    (
        "DocumentBlockOpenAPI",
        "{% swagger src=\"../spec/api.yaml\" path=\"/a\" method=\"get\" expanded=\"true\" %}\n[a](../spec/api.yaml)\n{% endswagger %}",
        "swagger",
    ),
    (
        "DocumentBlockOpenAPIOperation",
        "{% openapi-operation spec=\"a\" path=\"/a\" method=\"get\" %}\n[a](https://x.y)\n{% endopenapi-operation %}",
        "openapi-operation",
    ),
    (
        "DocumentBlockOpenAPISchemas",
        "{% openapi-schemas spec=\"a\" schemas=\"A,B\" grouped=\"true\" %}\n[a](https://x.y)\n{% endopenapi-schemas %}",
        "openapi-schemas",
    ),
    (
        "DocumentBlockOpenAPIWebhook",
        "{% openapi-webhook spec=\"a\" name=\"w\" method=\"post\" %}\n[a](https://x.y)\n{% endopenapi-webhook %}",
        "openapi-webhook",
    ),
];

/// A table with a column of each type.
const TYPED_TABLE: &str = "<table data-view=\"cards\" data-card-size=\"large\" data-full-width=\"true\"><thead><tr><th width=\"88.5\">T</th>\
    <th data-type=\"number\">N</th><th data-type=\"checkbox\">C</th><th data-type=\"files\">F</th>\
    <th data-type=\"users\" data-multiple>U</th><th data-type=\"rating\" data-max=\"5\">R</th>\
    <th data-type=\"select\">S<select multiple><option value=\"k\" label=\"L\" color=\"blue\"></option></select></th>\
    <th data-hidden data-card-target data-type=\"content-ref\"></th>\
    <th data-hidden data-card-cover data-type=\"image\"></th></tr></thead><tbody><tr><td>a</td><td>1.5</td>\
    <td>true</td><td><a href=\"../spec/api.yaml\">api.yaml</a></td><td><a href=\"https://app.gitbook.com/u/ann\">Ann</a></td>\
    <td>3</td><td><span data-option=\"k\">L</span></td><td><a href=\"start_here.md\">b</a></td>\
    <td data-object-fit=\"cover\"><a href=\"../.gitbook/assets/a.png\">a.png</a></td></tr></tbody></table>";

/// Keys that can be missing or changed without an error: they have a default or are assigned by the
/// server.
const OPTIONAL_KEYS: [&str; 6] = ["key", "isVoid", "meta", "schemaVersion", "data", "fragments"];

/// Keys that determine the kind of an object. A mistake in one may be reported for its content or
/// its parent.
const KIND_KEYS: [&str; 7] =
    ["object", "type", "kind", "file", "page", "reusableContent", "integration"];

fn read(value: &Value) -> Result<Document, Vec<DocumentError>> {
    Document::from_json(
        value,
        &JsonContext { path: PAGE_PATH, lookup: &World, names: &World, parse: markdown::parse },
    )
}

fn json_of(document: &Document) -> Value {
    serde_json::to_value(document).expect("JSON")
}

/// Collects the pointers of all values, outer ones first.
fn pointers(value: &Value, pointer: &str, found: &mut Vec<String>) {
    found.push(pointer.to_owned());
    match value {
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                pointers(value, &format!("{pointer}/{index}"), found);
            }
        }
        Value::Object(object) => {
            for (key, value) in object {
                pointers(value, &format!("{pointer}/{}", escaped(key)), found);
            }
        }
        _ => {}
    }
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Returns every document that differs in one value, with the location of the difference.
fn mutations(value: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    pointers(value, "", &mut found);
    let mut mutated = Vec::new();
    for pointer in &found {
        let wrong = [
            Value::Null,
            json!(true),
            json!(-1.5),
            json!("no such thing"),
            json!([]),
            json!({}),
            json!({"object": "block", "type": "paragraph", "nodes": []}),
            json!({"object": "text", "leaves": []}),
        ];
        for wrong in wrong {
            let mut other = value.clone();
            if let Some(place) = other.pointer_mut(pointer).filter(|place| **place != wrong) {
                *place = wrong;
                mutated.push((pointer.clone(), other));
            }
        }
        let mut other = value.clone();
        match other.pointer_mut(pointer) {
            Some(Value::Object(object)) => {
                object.insert("surprise".to_owned(), json!(1));
                mutated.push((format!("{pointer}/surprise"), other));
                let keys = value.pointer(pointer).and_then(Value::as_object);
                for key in keys.into_iter().flat_map(serde_json::Map::keys) {
                    let mut other = value.clone();
                    if let Some(Value::Object(object)) = other.pointer_mut(pointer) {
                        object.shift_remove(key);
                    }
                    mutated.push((format!("{pointer}/{}", escaped(key)), other));
                }
            }
            Some(Value::Array(values)) => {
                values.push(json!(1));
                mutated.push((format!("{pointer}/{}", values.len() - 1), other));
            }
            _ => {}
        }
    }
    mutated
}

fn all() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    EXAMPLES.into_iter().chain(REFERENCE_BLOCKS)
}

#[test]
fn every_schema_has_an_example_that_round_trips() {
    for (schema, source, name) in all() {
        let value = json_of(&arbitrary::parse(source));
        let mut found = Vec::new();
        pointers(&value, "", &mut found);
        let is_there = found.iter().any(|pointer| {
            let keys = ["type", "object", "kind"];
            let part = value.pointer(pointer);
            keys.iter().any(|key| part.and_then(|part| part.get(key)) == Some(&json!(name)))
        });
        assert!(is_there, "{schema}: {value:#}");
        assert_eq!(read(&value).map(|document| json_of(&document)), Ok(value), "{schema}");
    }
}

#[test]
fn each_mutation_is_valid_or_rejected_at_its_location() {
    let mut wrong = BTreeSet::new();
    for (schema, source, _) in all() {
        let value = json_of(&arbitrary::parse(source));
        for (pointer, mutated) in mutations(&value) {
            let key = pointer.rsplit('/').next().unwrap_or_default();
            match read(&mutated) {
                Ok(document) => {
                    let again = json_of(&document);
                    let is_optional = pointer.split('/').any(|key| OPTIONAL_KEYS.contains(&key));
                    let is_kept =
                        again == value || is_completed(&normalized(&mutated), &normalized(&again));
                    if !is_optional && !is_kept {
                        wrong.insert(format!("{schema}{pointer}: accepted as another document"));
                    }
                }
                Err(mistakes) => {
                    let Some(first) = mistakes.first() else { panic!("{schema}{pointer}: why?") };
                    // The kind of a node determines its valid content and parents, and a missing
                    // item of several is reported for their list.
                    let (outer, _) = pointer.rsplit_once('/').unwrap_or_default();
                    let is_list = key.parse::<usize>().is_ok() || outer.ends_with("/definition");
                    let fits = first.pointer == pointer
                        || first.pointer.starts_with(&format!("{pointer}/"))
                        || KIND_KEYS.contains(&key) && first.pointer.starts_with(outer)
                        || is_list && first.pointer == outer
                        || first.message.contains("contain different addresses")
                        || first.message.contains("no column has this id")
                        || first.message.contains("no fragment of the table has this name");
                    if !fits {
                        let DocumentError { pointer: at, message } = first;
                        wrong.insert(format!("{schema}{pointer}: refused at {at}: {message}"));
                    }
                }
            }
        }
    }
    let list: Vec<_> = wrong.iter().take(80).cloned().collect();
    assert!(wrong.is_empty(), "{} in all:\n{}", wrong.len(), list.join("\n"));
}

/// Returns `true` if `again` contains everything in `sent`, apart from keys that clients can omit.
fn is_completed(sent: &Value, again: &Value) -> bool {
    match (sent, again) {
        (Value::Object(sent), Value::Object(again)) => sent.iter().all(|(key, value)| {
            OPTIONAL_KEYS.contains(&key.as_str())
                || again.get(key).is_some_and(|other| is_completed(value, other))
        }),
        (Value::Array(sent), Value::Array(again)) => {
            sent.is_empty()
                || sent.len() == again.len()
                    && sent.iter().zip(again).all(|(sent, again)| is_completed(sent, again))
        }
        (sent, again) => sent == again,
    }
}

/// Normalizes the texts of a document: drops empty ones and joins neighbours with equal marks.
fn normalized(value: &Value) -> Value {
    match value {
        Value::Object(object) => Value::Object(
            object.iter().map(|(key, value)| (key.clone(), normalized(value))).collect(),
        ),
        Value::Array(values) => {
            let mut kept: Vec<Value> = Vec::new();
            for value in values.iter().map(normalized) {
                let is = |name: &str| value["object"] == name;
                let (list, is_empty) = match &value {
                    _ if is("text") => ("leaves", value["leaves"] == json!([])),
                    _ if is("leaf") => ("text", value["text"] == ""),
                    _ => {
                        kept.push(value);
                        continue;
                    }
                };
                let joins = |last: &&mut Value| {
                    last["object"] == value["object"] && last["marks"] == value["marks"]
                };
                match kept.last_mut().filter(joins) {
                    _ if is_empty => {}
                    Some(last) if list == "text" => {
                        let text = |value: &Value| value["text"].as_str().unwrap_or("").to_owned();
                        last["text"] = Value::from(text(last) + &text(&value));
                    }
                    Some(last) => {
                        let leaves = |value: &Value| value["leaves"].as_array().cloned();
                        let all = [leaves(last), leaves(&value)].into_iter().flatten().flatten();
                        last["leaves"] = normalized(&Value::Array(all.collect()));
                    }
                    None => kept.push(value),
                }
            }
            Value::Array(kept)
        }
        other => other.clone(),
    }
}
