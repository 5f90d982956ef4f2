//! Imports into spaces that have changed since the last import.

mod branches;
mod conflicts;
mod texts;
mod tree;

use serde_json::{Value, json};

use crate::exports::Synced;
use crate::support::TestEnv;
use crate::support::change_requests::Proposal;

/// The text of the guide in the space.
const GUIDE: &str = "* one\n* two\n\nLast __words__.\n";

/// Changes a page with a title.
async fn edit(env: &TestEnv, synced: &Synced, title: &str, change: Value) {
    let mut operation =
        json!({ "operation": "update_page", "page": synced.page(env, title).await });
    for (name, value) in change.as_object().into_iter().flatten() {
        operation[name] = value.clone();
    }
    synced.change(env, json!([operation])).await;
}

/// Replaces a part of the guide in the space.
async fn edit_guide(env: &TestEnv, synced: &Synced, from: &str, to: &str) {
    let text = GUIDE.replace(from, to);
    edit(env, synced, "Guide", json!({ "document": { "markdown": text } })).await;
}

/// Replaces a part of a file in the repository and returns the commit.
fn commit(synced: &Synced, path: &str, from: &str, to: &str) -> String {
    let before = synced.repository.git(&["show", &format!("main:{path}")]) + "\n";
    assert!(before.contains(from), "{before}");
    synced.commit(path, &before.replace(from, to))
}

/// Returns a file of the repository.
fn file(synced: &Synced, path: &str) -> String {
    synced.repository.git(&["show", &format!("main:{path}")])
}

/// Returns the titles of pages with their depth, in order.
async fn titles(env: &TestEnv, synced: &Synced) -> Vec<String> {
    pages(env, synced).await.into_iter().map(|(title, _)| title).collect()
}

/// Returns the titles of pages with their depth, and their files with the ids of the blobs.
async fn pages(env: &TestEnv, synced: &Synced) -> Vec<(String, Value)> {
    fn add(pages: &Value, depth: usize, found: &mut Vec<(String, Value)>) {
        for page in pages.as_array().into_iter().flatten() {
            let title = page["title"].as_str().unwrap_or_default();
            found.push((format!("{}{title}", " ".repeat(depth)), page["git"].clone()));
            add(&page["pages"], depth + 1, found);
        }
    }
    let pages = env.of_space("listPages", &synced.space).await.expect(200);
    let mut found = Vec::new();
    add(pages.at("/pages"), 0, &mut found);
    found
}

/// Asserts that the space and the branch have the same content: neither an import nor an export has
/// anything to do, and a new space that is imported from the branch has the same pages.
async fn assert_equal(env: &TestEnv, synced: &Synced) {
    let tip = synced.repository.find("main").unwrap();
    let imported = synced.imported(env, &json!({})).await;
    assert!(imported.contains("nothing to do"), "{imported}");
    let exported = synced.export(env, &json!({})).await;
    assert!(exported.text_at("/progress/message").contains("nothing to do"), "{exported}");
    assert_eq!(synced.repository.find("main").unwrap(), tip);
    let again = synced.again(env).await;
    assert_eq!(pages(env, synced).await, pages(env, &again).await);
}

/// Returns the only change request of the space with a status.
async fn change_request<'e>(env: &'e TestEnv, synced: &Synced, status: &str) -> Proposal<'e> {
    let call = env.client.call("listChangeRequestsForSpace").path("spaceId", &synced.space);
    let listed = call.query("status", status).send().await.expect(200);
    assert_eq!(listed.at("/items").as_array().map(Vec::len), Some(1), "{listed}");
    let id = listed.text_at("/items/0/id").to_owned();
    Proposal { client: &env.client, space: synced.space.clone(), id }
}

/// Imports a commit that changes the same words as the space, and returns the change request.
async fn conflicting<'e>(env: &'e TestEnv, synced: &Synced) -> Proposal<'e> {
    edit_guide(env, synced, "Last __words__", "Inside").await;
    commit(synced, "docs/guide.md", "Last __words__", "Outside");
    let message = synced.imported(env, &json!({})).await;
    assert_eq!(message, "conflicts in 1 page: change request 1");
    change_request(env, synced, "open").await
}
