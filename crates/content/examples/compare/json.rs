//! Time and memory of reading documents from JSON: valid and invalid bodies of ten megabytes.

use std::hint::black_box;
use std::time::Instant;

use bindery_content::Document;
use bindery_content::json::{JsonContext, NODE_LIMIT};
use bindery_content::markdown;
use serde_json::Value;

use crate::memory::{measure, over};
use crate::{CONTEXT, NoNames, word};

/// Size of a body in bytes.
const BODY: usize = 10_000_000;
/// Maximum memory of a document as a multiple of the size of its body, excluding the JSON value.
const MOST: f64 = 10.0;

pub(super) fn bodies() -> bool {
    let text = |length: usize| {
        let words = "word ".repeat(length / 5);
        format!(
            "{{\"object\":\"block\",\"type\":\"paragraph\",\"nodes\":[{{\"object\":\"text\",\
             \"leaves\":[{{\"object\":\"leaf\",\"text\":\"{words}\",\"marks\":[]}}]}}]}}"
        )
    };
    let document = |node: &str| {
        let nodes = vec![node; BODY / (node.len() + 1)].join(",");
        format!("{{\"object\":\"document\",\"nodes\":[{nodes}]}}")
    };
    let columns: Vec<String> = (0..BODY / 100)
        .map(|n| format!("\"c{n}\":{{\"id\":\"c{n}\",\"title\":\"\",\"type\":\"number\"}}"))
        .collect();
    let shown: Vec<String> = (0..BODY / 100).map(|n| format!("\"c{n}\"")).collect();
    let records: Vec<String> = (0..BODY / 100)
        .map(|n| format!("\"r{n}\":{{\"orderIndex\":\"\",\"values\":{{}}}}"))
        .collect();
    let table = format!(
        "{{\"object\":\"document\",\"nodes\":[{{\"object\":\"block\",\"type\":\"table\",\
         \"fragments\":[],\"data\":{{\"view\":{{\"type\":\"grid\",\"columns\":[{}]}},\
         \"definition\":{{{}}},\"records\":{{{}}}}}}}]}}",
        shown.join(","),
        columns.join(","),
        records.join(",")
    );
    // Each paragraph is three nodes: first as many as are permitted, then far too many.
    let most = BODY * 3 / NODE_LIMIT;
    let bodies = [
        ("paragraphs, as many as fit", document(&text(most)), true),
        ("long texts", document(&text(900_000)), true),
        ("too many paragraphs", document(&text(5)), false),
        ("a table of empty cells", table, false),
        ("numbers for blocks", document("1"), false),
        ("objects for blocks", document("{}"), false),
    ];
    let context = JsonContext {
        path: CONTEXT.path,
        lookup: CONTEXT.lookup,
        names: &NoNames,
        parse: markdown::parse,
    };
    println!("documents as JSON, {} MB: ms, at most over body, beside its JSON", BODY / 1_000_000);
    let mut fine = true;
    for (name, body, is_good) in &bodies {
        let mut value = Value::Null;
        let started = Instant::now();
        let json = measure(|| value = serde_json::from_str(body).unwrap_or_default());
        let json_time = started.elapsed().as_millis();
        let mut outcome = (String::new(), false);
        let started = Instant::now();
        let used = measure(|| {
            let document = black_box(Document::from_json(&value, &context));
            outcome = match &document {
                Ok(document) => (format!("{} blocks", document.nodes.len()), true),
                Err(mistakes) => (format!("refused, {} mistakes", mistakes.len()), false),
            };
            document
        });
        let time = started.elapsed().as_millis();
        let (share, json) = (over(used.peak, body.len()), over(json.peak, body.len()));
        let is_fine = share <= MOST && outcome.1 == *is_good;
        println!(
            "  {name:28} {time:>5} {share:>6.1} {json_time:>6} {json:>6.1}  {}  {}",
            outcome.0,
            word(is_fine)
        );
        fine &= is_fine;
    }
    fine
}
