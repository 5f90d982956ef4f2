//! Compares documents, steps and rebased steps with those of ProseMirror itself, over random
//! documents and edits. `BINDERY_STEP_CASES` names a file with other cases.
//! `web/src/editor/steps.test.ts` makes both.

use bindery_steps::{Node, Step, rebase};
use serde_json::{Map, Value};

use cases::node;

mod cases;

fn steps(json: &Value) -> Vec<Step> {
    let read = |step| Step::from_json(step).unwrap_or_else(|error| panic!("{error}: {step}"));
    json.as_array().into_iter().flatten().map(read).collect()
}

fn after(doc: &Node, steps: &[Step]) -> Node {
    let apply = |doc: Node, step: &Step| {
        step.apply(&doc).unwrap_or_else(|error| panic!("{error}: {}", step.to_json()))
    };
    steps.iter().fold(doc.clone(), apply)
}

fn json_of(steps: &[Step]) -> Value {
    steps.iter().map(Step::to_json).collect()
}

/// The beginning of keys that a writer has made.
const NEW: &str = "feedfeed";

/// Returns a value without the keys that a writer has made. An object with such names becomes the
/// list of its values.
fn without_new_keys(value: &Value) -> Value {
    match value {
        Value::String(text) if text.starts_with(NEW) => NEW.into(),
        Value::Array(list) => list.iter().map(without_new_keys).collect(),
        Value::Object(fields) if fields.keys().any(|name| name.starts_with(NEW)) => {
            let mut values: Vec<_> = fields.values().map(without_new_keys).collect();
            values.sort_by_key(Value::to_string);
            values.into()
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> =
                fields.iter().map(|(name, value)| (name, without_new_keys(value))).collect();
            fields.sort_by_key(|(name, _)| *name);
            Value::Object(fields.into_iter().map(|(name, value)| (name.clone(), value)).collect())
        }
        value => value.clone(),
    }
}

/// Returns the first part of a value that is another one.
fn first_difference(at: &str, found: &Value, expected: &Value) -> Option<String> {
    let parts: Vec<(String, &Value, &Value)> = match (found, expected) {
        _ if found == expected => return None,
        (Value::Object(one), Value::Object(other)) if one.keys().eq(other.keys()) => {
            one.iter().map(|(name, value)| (name.clone(), value, &other[name])).collect()
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let pairs = one.iter().zip(other).enumerate();
            pairs.map(|(index, (one, other))| (index.to_string(), one, other)).collect()
        }
        _ => return Some(format!("{at}: {found}\nexpected: {expected}")),
    };
    let inner = |(name, one, other): &(String, &Value, &Value)| {
        first_difference(&format!("{at}/{name}"), one, other)
    };
    parts.iter().find_map(inner)
}

/// Returns how documents of the API are read or written differently.
fn difference_of_documents(case: &Value) -> Option<String> {
    let doc = Node::from_document(&case["document"]);
    if doc.to_json() != case["read"] {
        return first_difference("read", &doc.to_json(), &case["read"]);
    }
    // The keys in the document begin in the same way.
    let mut count = 0xf000_0000_u32;
    let mut new_key = || {
        count += 1;
        format!("{NEW}{count:08x}")
    };
    let data = case["document"].get("data").cloned().unwrap_or(Value::Object(Map::new()));
    let same = doc.to_document(&data, &mut new_key);
    if same["nodes"] != case["document"]["nodes"] {
        return first_difference("unchanged", &same["nodes"], &case["document"]["nodes"]);
    }
    let written = after(&doc, &steps(&case["steps"])).to_document(&data, &mut new_key);
    let (found, expected) = (without_new_keys(&written), without_new_keys(&case["written"]));
    first_difference("written", &found, &expected)
}

/// Returns how a case differs from ProseMirror.
fn difference(case: &Value) -> Option<String> {
    let doc = node(&case["doc"]);
    if doc.to_json() != case["doc"] {
        return Some("the document is read as another one".to_owned());
    }
    let (over, own) = (steps(&case["over"]), steps(&case["own"]));
    for (name, steps, expected) in [("over", &over, "overDoc"), ("own", &own, "ownDoc")] {
        if json_of(steps) != case[name] {
            return Some(format!("{name}: the steps are read as others"));
        }
        if after(&doc, steps).to_json() != case[expected] {
            return Some(format!("{name}: the document differs"));
        }
    }
    let (rebased, result) = rebase(&own, &over, &after(&doc, &over));
    if json_of(&rebased) != case["rebased"] {
        return Some(format!("rebased: {}\nexpected: {}", json_of(&rebased), case["rebased"]));
    }
    if result.to_json() != case["doc2"] {
        return Some("the document after the rebased steps differs".to_owned());
    }
    for stray in case["strays"].as_array().into_iter().flatten() {
        let applied = Step::from_json(&stray["step"]).and_then(|step| step.apply(&doc));
        let found = applied.as_ref().map_or(Value::Null, Node::to_json);
        if found != stray["doc"] {
            return Some(format!("{}: {applied:?}\nexpected: {}", stray["step"], stray["doc"]));
        }
    }
    difference_of_documents(&case["api"])
}

#[test]
fn documents_agree_with_prosemirror() {
    cases::each(|case| {
        if let Some(difference) = difference(case) {
            panic!("seed {}: {difference}", case["seed"]);
        }
    });
}
