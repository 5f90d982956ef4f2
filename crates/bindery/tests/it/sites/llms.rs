//! The lists of the pages of a site for language models, which are divided if they are long.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::support::content::{change, insert, publish};
use crate::support::{TestEnv, each_engine};

/// Adds pages whose descriptions make a list of them long, and a hidden one.
async fn fill(env: &TestEnv, space: &str, count: usize) {
    let page = |number: usize| {
        json!({
            "operation": "insert_page", "title": format!("Page {number}"),
            "description": format!("About {number}. {}", "Long. ".repeat(40)),
            "hidden": number == 7, "document": { "markdown": "Text.\n" },
        })
    };
    for first in (0..count).step_by(50) {
        let pages: Vec<Value> = (first..first + 50).map(page).collect();
        let _made = change(&env.client, space, json!(pages)).await;
    }
}

/// Returns the addresses that the list at `path` links to.
async fn links(env: &TestEnv, path: &str) -> Vec<String> {
    let text = env.client.anonymous().get(path, &[]).await.expect(200).text();
    assert!(text.starts_with("# Handbook") && text.chars().count() <= 50_000, "{path}: {text}");
    assert!(text.contains("\n> ") && text.contains("\n## "), "{path}: {text}");
    let lines = text.lines().filter_map(|line| line.strip_prefix("- [")?.split_once("](http"));
    let paths = lines.filter_map(|(_, line)| line.split_once("/handbook/")?.1.split(')').next());
    paths.map(|path| format!("/handbook/{path}")).collect()
}

#[test]
fn a_long_list_of_pages_is_divided() {
    each_engine(async |env: &mut TestEnv| {
        let (one, two) = (env.space("One").await, env.space("Two").await);
        fill(env, &one, 400).await;
        let _other = insert(&env.client, &two, "Other", "Other text.\n").await;
        let site = publish(env, "Handbook", &one).await.text_at("/id").to_owned();
        let add = env.client.call("addSpaceToSite").path("organizationId", &env.organization);
        let add = add.path("siteId", &site).json(&json!({ "spaceId": two }));
        let _added = add.send().await.expect(201);

        let files = links(env, "/handbook/llms.txt").await;
        assert!(files.len() > 3 && files[0] == "/handbook/llms-1.txt", "{files:?}");
        assert_eq!(files.last().unwrap(), "/handbook/two/llms.txt");
        let mut pages = HashSet::new();
        for file in &files {
            pages.extend(links(env, file).await);
        }
        assert_eq!(pages.len(), 400, "399 listed pages of one space, and one of the other");
        assert!(pages.contains("/handbook/page-399.md") && !pages.contains("/handbook/page-7.md"));
        assert!(pages.contains("/handbook/two/index.md"), "{pages:?}");
        let nobody = env.client.anonymous();
        for absent in ["llms-99.txt", "llms-101-200.txt", "two/llms-2.txt", "page-1/llms.txt"] {
            let _absent = nobody.get(&format!("/handbook/{absent}"), &[]).await.expect(404);
        }
        let range = links(env, "/handbook/llms-1-100.txt").await;
        assert_eq!(range, files[..files.len() - 1]);
    });
}
