//! The lines of code.

use serde_json::Value;

use super::{list_of, text_of};

/// Returns the text of a line of code. `None` if it has more than text.
pub(super) fn line_text(line: &Value) -> Option<String> {
    let mut text = String::new();
    for node in list_of(line, "nodes") {
        if text_of(node, "object") != "text" {
            return None;
        }
        for leaf in list_of(node, "leaves") {
            if !list_of(leaf, "marks").is_empty() {
                return None;
            }
            text.push_str(text_of(leaf, "text"));
        }
    }
    Some(text)
}

/// Returns the lines of a text. The lines around the change are those that were read; as many lines
/// as before keep what they are besides their texts, such as highlighted.
pub(super) fn lines_of(
    text: &str,
    before: &[Value],
    mut make: impl FnMut(&str) -> Value,
) -> Vec<Value> {
    let texts: Vec<_> = text.split('\n').collect();
    let is_same = |line: &Value, text: &str| line_text(line).as_deref() == Some(text);
    let start = texts.iter().zip(before).take_while(|(text, line)| is_same(line, text)).count();
    let most = texts.len().min(before.len()) - start;
    let ends = texts.iter().rev().zip(before.iter().rev()).take(most);
    let end = ends.take_while(|(text, line)| is_same(line, text)).count();
    let is_same_count = texts.len() == before.len();
    let mut lines = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        let from_end = texts.len() - index;
        let known = match index < start {
            true => before.get(index),
            false if from_end <= end => before.get(before.len() - from_end),
            false => None,
        };
        lines.push(match (known, before.get(index).filter(|_| is_same_count)) {
            (Some(line), _) => line.clone(),
            (None, Some(old)) => {
                let mut line = old.clone();
                if let (Some(line), Some(nodes)) = (line.as_object_mut(), make(text).get("nodes")) {
                    line.insert("nodes".to_owned(), nodes.clone());
                }
                line
            }
            (None, None) => make(text),
        });
    }
    lines
}
