//! API access to published sites: content that a signed-in user without membership can read, and
//! protection of sites that are not public.

use bindery_testkit::{Call, Client};
use serde_json::{Value, json};

use crate::support::people::stranger;
use crate::support::{TestEnv, each_engine};

async fn site(env: &TestEnv, visibility: &str, space: &str) -> String {
    let call = env.client.call("createSite").path("organizationId", &env.organization);
    let body = json!({ "title": "Shown", "visibility": visibility, "spaces": [space] });
    let made = call.json(&body).send().await.expect(201);
    assert_eq!(made.text_at("/closed/reason"), "unpublished");
    made.text_at("/id").to_owned()
}

fn on_site(env: &TestEnv, client: &Client, operation: &str, site: &str) -> Call {
    client.call(operation).path("organizationId", &env.organization).path("siteId", site)
}

async fn written(env: &TestEnv, space: &str) -> Value {
    let call = env.client.call("updateSpaceContent").path("spaceId", space);
    let text = "Shown.\n\n{% if visitor.claims.plan == 'pro' %}\nSecret.\n{% endif %}\n";
    let changes = json!([
        { "operation": "insert_page", "title": "Open", "document": { "markdown": text } },
        {
            "operation": "insert_page", "title": "Plans", "condition": "visitor.claims.plan == 'pro'",
            "document": { "markdown": "For some.\n" },
        },
        {
            "operation": "insert_page", "title": "Unlisted", "hidden": true,
            "document": { "markdown": "For who knows it.\n" },
        },
    ]);
    let made = call.json(&json!({ "changes": changes })).send().await.expect(200);
    made.at("/changes").clone()
}

const READS: [&str; 13] = [
    "getSpaceById",
    "getCurrentRevision",
    "listPages",
    "listFiles",
    "getPageById",
    "getPageByPath",
    "listSpacePageMetaLinks",
    "getRevisionById",
    "listPagesInRevisionById",
    "listFilesInRevisionById",
    "getPageInRevisionById",
    "getPageInRevisionByPath",
    "getPageDocumentInRevisionById",
];

#[test]
fn strangers_read_content_of_public_sites() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Public").await;
        let changes = written(env, &space).await;
        let id = |at: usize| changes[at]["page"]["id"].as_str().unwrap().to_owned();
        let (open, plans, unlisted) = (id(0), id(1), id(2));
        let stranger = stranger(env, "stranger@example.com").await;
        let head = env.of_space("getSpaceById", &space).await.text_at("/revision").to_owned();
        let read = async |client: &Client, operation: &str, page: &str, path: &str| {
            let mut call = client.call(operation).path("spaceId", &space);
            let name = operation.to_lowercase();
            if name.contains("revisionby") {
                call = call.path("revisionId", &head);
            }
            if name.contains("bypath") {
                call = call.path("pagePath", path);
            } else if name.contains("page") && !name.contains("pages") {
                call = call.path("pageId", page);
            }
            call.send().await
        };
        let site = site(env, "public", &space).await;
        for operation in READS {
            let _unpublished = read(&stranger, operation, &open, "open").await.expect(404);
        }
        for operation in ["getSiteById", "listSiteSpaces"] {
            let _none = on_site(env, &stranger, operation, &site).send().await.expect(404);
        }
        let published = on_site(env, &env.client, "publishSite", &site).send().await;
        assert_eq!(published.expect(200).json.get("closed"), None);

        for operation in READS {
            let seen = read(&stranger, operation, &open, "open").await.expect(200);
            for hidden in ["Secret.", "Plans", "Unlisted", "setup@", "visitor.claims"] {
                assert!(!seen.text().contains(hidden), "{operation} tells {hidden}: {seen}");
            }
        }
        for operation in ["getPageById", "getPageInRevisionById", "getPageDocumentInRevisionById"] {
            let _condition = read(&stranger, operation, &plans, "plans").await.expect(404);
            let _known = read(&stranger, operation, &unlisted, "unlisted").await.expect(200);
        }
        let _condition = read(&stranger, "getPageByPath", &plans, "plans").await.expect(404);
        let shown = on_site(env, &stranger, "getSiteById", &site).send().await.expect(200);
        assert_eq!(shown.text_at("/id"), site);
        let spaces = on_site(env, &stranger, "listSiteSpaces", &site).send().await.expect(200);
        assert_eq!(spaces.text_at("/items/0/space/id"), space);

        strangers_see_only_published_content(env, &space, &site, &stranger, &head, &open).await;

        // The limits of a token apply to public content too.
        let _unpublished =
            on_site(env, &env.client, "unpublishSite", &site).send().await.expect(200);
        let _gone = read(&stranger, "listPages", &open, "open").await.expect(404);
    });
}

/// Requests history, comments, links and changes of a published space.
async fn strangers_see_only_published_content(
    env: &TestEnv,
    space: &str,
    site: &str,
    stranger: &Client,
    head: &str,
    open: &str,
) {
    // Only the published content is visible: no history, no comments, no changes.
    let older = written(env, space).await;
    assert!(older.is_array());
    let call = stranger.call("getRevisionById").path("spaceId", space);
    let _older = call.path("revisionId", head).send().await.expect(404);
    for operation in
        ["listChangeRequestsForSpace", "listSpaceHistory", "listCommentsInSpace", "listSpaceLinks"]
    {
        let call = stranger.call(operation).path("spaceId", space);
        let _none = call.send().await.expect(404);
    }
    let change = json!({ "changes": [{ "operation": "delete_page", "page": open }] });
    let call = stranger.call("updateSpaceContent").path("spaceId", space);
    let _refused = call.json(&change).send().await.expect(404);
    let _refused = on_site(env, stranger, "unpublishSite", site).send().await.expect(404);
    let nobody = env.client.anonymous();
    let call = nobody.call("getSpaceById").path("spaceId", space);
    let _unsigned = call.send().await.expect(401);
}

#[test]
fn restricted_sites_do_not_exist_for_strangers() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Closed").await;
        let _changes = written(env, &space).await;
        let stranger = stranger(env, "stranger@example.com").await;
        for visibility in ["share-link", "visitor-auth"] {
            let site = {
                let call = env.client.call("createSite");
                let call = call.path("organizationId", &env.organization);
                let body = json!({ "title": visibility, "visibility": visibility });
                call.json(&body).send().await.expect(201).text_at("/id").to_owned()
            };
            let call = on_site(env, &env.client, "addSpaceToSite", &site);
            let _added = call.json(&json!({ "spaceId": space })).send().await;
            let published = on_site(env, &env.client, "publishSite", &site).send().await;
            let published = published.expect(200);
            assert!(published.json.get("closed").is_none(), "{published}");
            let _none = on_site(env, &stranger, "getSiteById", &site).send().await.expect(404);
            let nobody = env.client.anonymous();
            let _none = nobody.get(&format!("/{visibility}/"), &[]).await.expect(404);
        }
    });
}
