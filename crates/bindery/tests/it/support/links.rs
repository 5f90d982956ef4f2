//! Summaries of links and backlinks.

use bindery_testkit::Answer;
use serde_json::Value;

/// Summarizes the items of a list of targets.
pub(crate) fn told(answer: &Answer) -> Vec<String> {
    let items = answer.at("/items").as_array().unwrap();
    let mut told: Vec<String> = items
        .iter()
        .map(|item| {
            let target = item.get("targetReference").map_or_else(|| "?".to_owned(), words);
            let places = item["locationReferences"].as_array().unwrap();
            let mut places: Vec<String> = places.iter().map(words).collect();
            places.sort();
            let (status, relation) = (&item["status"], &item["relation"]);
            let needs = if relation == "dependsOn" { "shows" } else { "to" };
            format!("{} {needs} {target}: {}", status.as_str().unwrap(), places.join(", "))
        })
        .collect();
    told.sort();
    told
}

/// Summarizes the items of a list of backlinks.
pub(crate) fn locations(answer: &Answer) -> Vec<String> {
    answer.at("/items").as_array().unwrap().iter().map(words).collect()
}

/// Summarizes a location.
fn words(location: &Value) -> String {
    let text = |pointer: &str| location.pointer(pointer).and_then(Value::as_str);
    let place = match (text("/internalLocation/anchor"), text("/internalLocation/node")) {
        (Some(anchor), _) => format!("#{anchor}"),
        (None, Some(_)) => " in a block".to_owned(),
        (None, None) => String::new(),
    };
    match text("/kind").unwrap_or_default() {
        "page" => format!("page {}{place}", text("/page/title").unwrap()),
        "file" => format!("file {}", text("/file/name").unwrap()),
        "url" => format!("url {}", text("/url").unwrap()),
        "reusable-content" => format!("reusable {}", text("/reusableContent/title").unwrap()),
        "space" => format!("space {}", text("/space/title").unwrap()),
        "openapi" => format!("openapi {}", text("/openAPISpec/slug").unwrap()),
        "collection" => format!("collection {}", text("/collection/title").unwrap()),
        "user" => format!("user {}", text("/user/displayName").unwrap()),
        other => other.to_owned(),
    }
}
