//! Runs the compliance test suite of JSONPath, or measures a path.
//!
//! `cargo run --release -p bindery-openapi --example jsonpath -- cts.json` tells how many cases of the
//! suite pass, and which ones do not. With a second argument, the first file is a document, and the
//! example tells the time that the path of the argument takes in it.

use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::time::Instant;

use bindery_openapi::{Budget, JsonPath};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("expected a file")?;
    let document: Value = serde_json::from_str(&fs::read_to_string(file)?)?;
    let report = match arguments.next() {
        Some(path) => measure(&document, &path)?,
        None => run_suite(&document)?,
    };
    Ok(writeln!(std::io::stdout(), "{report}")?)
}

fn measure(document: &Value, path: &str) -> Result<String, Box<dyn Error>> {
    let path = JsonPath::parse(path)?;
    let start = Instant::now();
    let found = match path.select(document, &mut Budget::default()) {
        Ok(nodes) => format!("selected {} values", nodes.len()),
        Err(error) => error.to_string(),
    };
    Ok(format!("{found}: {:?}", start.elapsed()))
}

fn run_suite(suite: &Value) -> Result<String, Box<dyn Error>> {
    let cases = suite["tests"].as_array().ok_or("found no list of tests")?;
    let failed: Vec<_> =
        cases.iter().filter(|case| !passes(case)).map(|case| &case["name"]).collect();
    let names = failed.iter().map(|name| format!("\nfailed: {name}")).collect::<String>();
    Ok(format!("passed: {} of {}{names}", cases.len() - failed.len(), cases.len()))
}

fn passes(case: &Value) -> bool {
    let is_invalid = case["invalid_selector"] == true;
    let Ok(path) = JsonPath::parse(case["selector"].as_str().unwrap_or_default()) else {
        return is_invalid;
    };
    let Ok(nodes) = path.select(&case["document"], &mut Budget::default()) else { return false };
    let found: Value = nodes.iter().map(|node| node.value.clone()).collect();
    let is_one_of = |results: &Vec<Value>| results.contains(&found);
    !is_invalid && (case["result"] == found || case["results"].as_array().is_some_and(is_one_of))
}
