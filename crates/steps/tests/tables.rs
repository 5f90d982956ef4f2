//! Tables whose rows differ in length, as after two people changed the columns at the same time.

use bindery_steps::{Node, Result};
use serde_json::{Value, json};

fn text_cell(kind: &str, text: &str) -> Value {
    let content = match text {
        "" => json!([]),
        _ => json!([{ "type": "text", "text": text }]),
    };
    json!({ "type": kind, "content": [{ "type": "paragraph", "content": content }] })
}

fn value_cell(value: i64) -> Value {
    let attrs = json!({ "value": value, "definition": { "type": "number" } });
    json!({ "type": "table_cell", "content": [{ "type": "cell_value", "attrs": attrs }] })
}

/// Returns the table that is written for rows of cells.
fn written(rows: &[Vec<Value>]) -> Result<Value> {
    let rows = rows.iter().map(|cells| json!({ "type": "table_row", "content": cells }));
    let table = json!({ "type": "table", "content": rows.collect::<Vec<_>>() });
    let doc = Node::from_json(&json!({ "type": "doc", "content": [table] }))?;
    let mut count = 0;
    let mut new_key = || {
        count += 1;
        format!("k{count:02}")
    };
    let mut found = doc.to_document(&json!({}), &mut new_key);
    // What is written can be read again with all its columns.
    let read = Node::from_document(&found).to_json();
    let first = &read["content"][0]["content"][0]["content"];
    let columns = found["nodes"][0]["data"]["definition"].as_object().map(serde_json::Map::len);
    assert_eq!(first.as_array().map(Vec::len), columns);
    Ok(found["nodes"][0].take())
}

/// Returns the title and the type of each column that is shown, and the cells of each record.
fn described(table: &Value) -> (Vec<String>, Vec<Vec<String>>) {
    let data = &table["data"];
    let names: Vec<_> = data["view"]["columns"].as_array().into_iter().flatten().collect();
    let of = |column: &Value| data["definition"][column.as_str().unwrap_or_default()].clone();
    let columns = names.iter().map(|name| of(name)).map(|own| {
        format!(
            "{}:{}",
            own["title"].as_str().unwrap_or_default(),
            own["type"].as_str().unwrap_or_default()
        )
    });
    let text = |value: &Value| {
        let parts = table["fragments"].as_array().into_iter().flatten();
        let part = parts.into_iter().find(|part| part["fragment"] == *value);
        part.map_or_else(
            || value.to_string(),
            |part| part["nodes"][0]["nodes"][0]["leaves"][0]["text"].to_string(),
        )
    };
    let records = data["records"].as_object().into_iter().flatten().map(|(_, record)| {
        names
            .iter()
            .map(|name| text(&record["values"][name.as_str().unwrap_or_default()]))
            .collect()
    });
    (columns.collect(), records.collect())
}

#[test]
fn cells_without_a_column_get_one() -> Result<()> {
    let header = vec![text_cell("table_header", "One"), text_cell("table_header", "Two")];
    let cells = |texts: &[&str]| texts.iter().map(|text| text_cell("table_cell", text)).collect();
    let rows = [
        header,
        cells(&["a", "b", "c"]),
        vec![text_cell("table_cell", "d"), value_cell(7)],
        cells(&["e", "f", "", "g"]),
    ];
    let (columns, records) = described(&written(&rows)?);
    assert_eq!(columns, ["One:text", "Two:text", ":text", ":number"]);
    let expected = [
        ["\"a\"", "\"b\"", "\"c\"", "null"],
        ["\"d\"", "null", "null", "7"],
        ["\"e\"", "\"f\"", "\"g\"", "null"],
    ];
    assert_eq!(records, expected);
    Ok(())
}

#[test]
fn a_table_without_cells_has_one_column() -> Result<()> {
    let (columns, records) = described(&written(&[vec![], vec![]])?);
    assert_eq!(columns, [":text"]);
    assert_eq!(records, [["null"]]);
    Ok(())
}
