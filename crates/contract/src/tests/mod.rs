//! Tests of the contract.

mod agreement;
mod answers;
mod files;
mod requests;

use serde_json::{Value, json};

use crate::Contract;

fn contract() -> &'static Contract {
    Contract::embedded()
}

fn text(words: &str) -> Value {
    json!({ "object": "text", "leaves": [{ "object": "leaf", "text": words, "marks": [] }] })
}

fn block(kind: &str, nodes: &[Value]) -> Value {
    let data = match kind {
        "hint" => json!({ "style": "info" }),
        "if" => json!({ "expression": "true" }),
        _ => json!({}),
    };
    json!({ "object": "block", "type": kind, "data": data, "nodes": nodes })
}
