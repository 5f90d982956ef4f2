//! Real repositories from the directory in `BINDERY_CORPUS`: every page is printed.

#[path = "../../src/corpus.rs"]
mod corpus;
mod editors;
mod edits;
mod repository;

use bindery_content::print::{normal, print};
use bindery_content::{Document, Page, markdown, source};

use self::repository::repositories;

/// Returns the first line in which two texts differ, with a few lines of context.
fn difference(left: &str, right: &str) -> String {
    let left: Vec<&str> = left.lines().collect();
    let right: Vec<&str> = right.lines().collect();
    let at = left.iter().zip(&right).take_while(|(l, r)| l == r).count();
    let around = |lines: &[&str]| {
        lines.iter().skip(at.saturating_sub(6)).take(12).copied().collect::<Vec<_>>().join("\n")
    };
    format!("--- expected\n{}\n--- found\n{}\n", around(&left), around(&right))
}

fn json(document: &Document) -> String {
    let text = serde_json::to_string_pretty(document).unwrap_or_default();
    let is_key = |line: &str| line.trim_start().starts_with("\"key\":");
    text.lines().filter(|line| !is_key(line)).collect::<Vec<_>>().join("\n")
}

/// Returns the JSON of a document without keys and without marks that are written as delimiters.
fn unmarked(document: &Document) -> serde_json::Value {
    use serde_json::Value;
    fn strip(value: &mut Value) {
        match value {
            Value::Array(values) => values.iter_mut().for_each(strip),
            Value::Object(object) => {
                object.remove("key");
                object.values_mut().for_each(strip);
                if let Some(Value::Array(leaves)) = object.get_mut("leaves") {
                    join(leaves);
                }
            }
            _ => {}
        }
    }
    fn join(leaves: &mut Vec<Value>) {
        let mut joined: Vec<Value> = Vec::new();
        for mut leaf in std::mem::take(leaves) {
            if let Some(marks) = leaf["marks"].as_array_mut() {
                let dropped = ["bold", "italic", "strikethrough"];
                marks.retain(|mark| !dropped.iter().any(|name| mark["type"] == *name));
            }
            match joined.last_mut().filter(|last| last["marks"] == leaf["marks"]) {
                Some(last) => {
                    let text = [&last["text"], &leaf["text"]].map(|t| t.as_str().unwrap_or(""));
                    last["text"] = Value::String(text.concat());
                }
                None => joined.push(leaf),
            }
        }
        *leaves = joined;
    }
    let mut value = serde_json::to_value(document).unwrap_or_default();
    strip(&mut value);
    value
}

/// Returns the reason why a document cannot be printed so that it is parsed as the same document,
/// or `None` if it can.
fn reason(document: &Document, read: &Document) -> Option<&'static str> {
    let opaque = |document: &Document| json(document).matches("\"opaque\"").count();
    if unmarked(document) == unmarked(read) {
        Some("marks neither begin nor end at a space")
    } else if opaque(read) < opaque(document) {
        Some("text that was left over within HTML is a paragraph where it stands alone")
    } else {
        None
    }
}

#[test]
fn every_page_prints_canonically() {
    let (mut pages, mut failed, mut restless) = (0, 0, 0);
    let mut reasons = std::collections::BTreeMap::<&str, usize>::new();
    for repository in repositories() {
        for (path, bytes) in repository.pages() {
            let text = source::decode(&bytes);
            let body = Page::split(&text).body;
            let context = repository.context(&path);
            let document = markdown::parse(body.of(&text), &context.reader());
            let printed = print(&document, &context);
            let read = markdown::parse(&printed, &context.reader());
            let again = print(&read, &context);
            pages += 1;
            let name = repository.folder.join(&path).display().to_string();
            if !read.has_same_content_as(&document) {
                let expected = normal(&document, &context.reader());
                let is_normal = normal(&read, &context.reader()).has_same_content_as(&expected);
                match reason(&document, &read).filter(|_| is_normal) {
                    Some(reason) => *reasons.entry(reason).or_default() += 1,
                    None => {
                        failed += 1;
                        println!("{name}\n{}", difference(&json(&document), &json(&read)));
                    }
                }
            }
            if again != printed {
                restless += 1;
                println!("{name}\n{}", difference(&printed, &again));
            }
        }
    }
    println!("{pages} pages, {failed} failed, {restless} printed otherwise again, {reasons:?}");
    assert_eq!((failed, restless), (0, 0));
}
