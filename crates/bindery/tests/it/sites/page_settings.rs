//! Settings of pages: what is listed, what search engines may index, and the parts that are shown.

use bindery_testkit::Answer;
use serde_json::{Value, json};

use crate::support::content::{change, publish};
use crate::support::{TestEnv, each_engine};

/// Returns the change that inserts a page.
fn page(title: &str, fields: Value) -> Value {
    let text = format!("Text of {title}.\n");
    let mut page = json!({
        "operation": "insert_page", "title": title, "document": { "markdown": text },
    });
    let fields = fields.as_object().unwrap().clone();
    page.as_object_mut().unwrap().extend(fields);
    page
}

async fn read(env: &TestEnv, path: &str) -> Answer {
    env.client.anonymous().get(&format!("/handbook/{path}"), &[]).await
}

fn is_indexed(answer: &Answer) -> bool {
    let html = answer.text();
    let named = answer.headers.contains_key("x-robots-tag");
    assert_eq!(named, html.contains(r#"<meta name="robots" content="noindex">"#), "{answer}");
    !named
}

#[test]
fn hidden_pages_are_read_but_not_listed() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Handbook").await;
        let changes = json!([
            page("Home", json!({})),
            page("Internal", json!({ "hidden": true })),
            page("Last", json!({})),
        ]);
        let made = change(&env.client, &space, changes).await;
        let internal = made.text_at("/changes/1/page/id").to_owned();
        let below = json!([page("Below", json!({ "into": internal }))]);
        let _below = change(&env.client, &space, below).await;
        let _site = publish(env, "Handbook", &space).await;

        let home = read(env, "").await.expect(200);
        assert!(is_indexed(&home));
        assert!(!home.text().contains("/handbook/internal"), "{home}");
        assert!(home.text().contains("href=\"/handbook/last\""), "{home}");
        for path in ["internal", "internal/below"] {
            assert!(!is_indexed(&read(env, path).await.expect(200)), "{path}");
        }
        for feed in ["sitemap.xml", "llms.txt"] {
            let listed = read(env, feed).await.expect(200);
            assert!(listed.text().contains("/handbook/last"), "{listed}");
            assert!(!listed.text().contains("internal"), "{listed}");
        }
        let missing = read(env, "internals").await.expect(404);
        assert!(!missing.text().contains("/handbook/internal\""), "{missing}");
    });
}

#[test]
fn pages_that_search_engines_omit_are_listed_for_readers() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Handbook").await;
        let changes =
            json!([page("Home", json!({})), page("Legal", json!({ "noRobotsIndex": true })),]);
        let _made = change(&env.client, &space, changes).await;
        let _site = publish(env, "Handbook", &space).await;
        let home = read(env, "").await.expect(200);
        assert!(home.text().contains("/handbook/legal"), "{home}");
        assert!(!is_indexed(&read(env, "legal").await.expect(200)));
        let sitemap = read(env, "sitemap.xml").await.expect(200);
        assert!(!sitemap.text().contains("/handbook/legal"), "{sitemap}");
    });
}
