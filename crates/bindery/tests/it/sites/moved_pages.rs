//! Redirects from the old addresses of moved and renamed pages.

use bindery_testkit::Answer;
use serde_json::{Value, json};

use crate::support::content::{change, publish};
use crate::support::{TestEnv, each_engine};

/// Returns the path that a redirect of the published site leads to; its status must be 308.
fn target(answer: &Answer) -> &str {
    assert_eq!(answer.status, 308, "{answer}");
    answer.header("location").split_once("/moved/").unwrap().1
}

fn page(title: &str, into: Option<&str>) -> Value {
    let mut page = json!({
        "operation": "insert_page", "title": title, "document": { "markdown": title },
    });
    if let Some(into) = into {
        page["into"] = json!(into);
    }
    page
}

/// Adds a page and returns its id.
async fn insert(env: &TestEnv, space: &str, title: &str, into: Option<&str>) -> String {
    let made = change(&env.client, space, json!([page(title, into)])).await;
    made.text_at("/changes/0/page/id").to_owned()
}

/// Publishes a site with five pages, and returns the ids of `guide`, `guide/part` and `other`.
async fn published_pages(env: &TestEnv, space: &str) -> [String; 3] {
    let _home = insert(env, space, "Home", None).await;
    let guide = insert(env, space, "Guide", None).await;
    let part = insert(env, space, "Part", Some(&guide)).await;
    let _leaf = insert(env, space, "Leaf", Some(&part)).await;
    let other = insert(env, space, "Other", None).await;
    let _site = publish(env, "Moved", space).await;
    [guide, part, other]
}

/// Requests a path of the site.
async fn get(env: &TestEnv, path: &str) -> Answer {
    env.client.anonymous().get(&format!("/moved/{path}"), &[]).await
}

#[test]
fn old_addresses_redirect_to_moved_pages() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Moved").await;
        let [guide, part, other] = published_pages(env, &space).await;
        let _there = get(env, "guide/part/leaf").await.expect(200);
        let _nothing = get(env, "handbook/part/leaf").await.expect(404);

        let rename = json!({ "operation": "update_page", "page": guide, "slug": "handbook" });
        let _renamed = change(&env.client, &space, json!([rename])).await;
        assert_eq!(target(&get(env, "guide").await), "handbook");
        assert_eq!(target(&get(env, "guide/part").await), "handbook/part");
        assert_eq!(target(&get(env, "guide/part/leaf").await), "handbook/part/leaf");
        let _nothing = get(env, "guide/no").await.expect(404);

        // Pages below are moved again by a change request.
        let made = env.client.call("createChangeRequest").path("spaceId", &space);
        let made = made.json(&json!({ "subject": "Move" })).send().await.expect(201);
        let of = |operation: &str| {
            let call = env.client.call(operation).path("spaceId", &space);
            call.path("changeRequestId", made.text_at("/id"))
        };
        let propose = async |changes: Value| {
            let call = of("updateChangeRequestContent").query("compat", "false");
            let _made = call.json(&json!({ "changes": changes })).send().await.expect(200);
        };
        let under =
            |parent: &str| json!([{ "operation": "update_page", "page": part, "into": parent }]);
        propose(under(&other)).await;
        propose(json!([{ "operation": "update_page", "page": part, "slug": "piece" }])).await;
        let _still = get(env, "handbook/part").await.expect(200);
        let _merged = of("mergeChangeRequest").send().await.expect(200);
        for old in ["guide/part", "handbook/part"] {
            assert_eq!(target(&get(env, old).await), "other/piece", "{old}");
            assert_eq!(
                target(&get(env, &format!("{old}/leaf")).await),
                "other/piece/leaf",
                "{old}"
            );
        }
        // Addresses that existed only in the change request have no redirect.
        let _never = get(env, "other/part").await.expect(404);

        // A new page with the address of a moved page takes precedence over the redirect.
        let mut again = page("New guide", None);
        again["slug"] = json!("guide");
        let _new = change(&env.client, &space, json!([again])).await;
        let _there = get(env, "guide").await.expect(200);
        assert_eq!(target(&get(env, "guide/part/leaf").await), "other/piece/leaf");
    });
}

#[test]
fn programs_find_moved_pages_at_earlier_paths() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Moved").await;
        let [guide, part, _other] = published_pages(env, &space).await;
        let rename = json!({ "operation": "update_page", "page": guide, "slug": "handbook" });
        let _renamed = change(&env.client, &space, json!([rename])).await;
        let head = env.of_space("getSpaceById", &space).await.expect(200);
        let find = async |path: &str| {
            let call = env.client.call("getPageInRevisionByPath").path("spaceId", &space);
            let call = call.path("revisionId", head.text_at("/revision"));
            call.path("pagePath", path).send().await
        };
        for (path, id, now) in [
            ("handbook", &guide, "handbook"),
            ("guide", &guide, "handbook"),
            ("guide/part", &part, "handbook/part"),
        ] {
            let found = find(path).await.expect(200);
            assert_eq!(found.text_at("/id"), id, "{path}");
            assert_eq!(found.text_at("/path"), now, "{path}");
        }
        let _none = find("guide/no").await.expect(404);
        let hide = json!({
            "operation": "update_page", "page": guide, "condition": "visitor.claims.staff",
        });
        let _hidden = change(&env.client, &space, json!([hide])).await;
        let site = env.of_space("getSpaceById", &space).await.expect(200);
        let body = json!({ "url": site.text_at("/urls/published") });
        let nobody = env.client.anonymous();
        let token = nobody.call("resolvePublishedContentByUrl").json(&body).send().await;
        let reader = nobody.with_token(token.expect(200).text_at("/apiToken"));
        let call = reader.call("getPageByPath").path("spaceId", &space).path("pagePath", "guide");
        let _absent = call.send().await.expect(404);
    });
}

#[test]
fn addresses_redirect_after_a_revert() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Reverted").await;
        let [guide, part, other] = published_pages(env, &space).await;
        let revision = async || {
            env.of_space("getSpaceById", &space).await.expect(200).text_at("/revision").to_owned()
        };
        let revert = async |to: &str| {
            let call = env.client.call("revertSpace").path("spaceId", &space);
            call.json(&json!({ "revision": to })).send().await
        };
        let update = async |page: &str, what: (&str, &str)| {
            let mut update = json!({ "operation": "update_page", "page": page });
            update[what.0] = json!(what.1);
            let _updated = change(&env.client, &space, json!([update])).await;
        };

        let first = revision().await;
        update(&guide, ("slug", "manual")).await;
        update(&guide, ("slug", "handbook")).await;
        update(&part, ("into", &other)).await;
        let _young = insert(env, &space, "Young", None).await;
        let second = revision().await;
        let _back = revert(&first).await.expect(200);
        let _again = revert(&first).await.expect(409);
        for there in ["guide", "guide/part", "guide/part/leaf"] {
            let _there = get(env, there).await.expect(200);
        }
        // Redirects exist for the last and for intermediate addresses.
        for (old, now) in [
            ("handbook", "guide"),
            ("manual", "guide"),
            ("handbook/part", "guide/part"),
            ("other/part", "guide/part"),
            ("other/part/leaf", "guide/part/leaf"),
        ] {
            assert_eq!(target(&get(env, old).await), now, "{old}");
        }
        // The address of a page that no longer exists is not found.
        let _gone = get(env, "young").await.expect(404);

        let _forth = revert(&second).await.expect(200);
        addresses_of_the_later_revision_work(env).await;
    });
}

/// Requests the addresses of the later revision, and those of the earlier one.
async fn addresses_of_the_later_revision_work(env: &TestEnv) {
    for there in ["handbook", "other/part/leaf", "young"] {
        let _there = get(env, there).await.expect(200);
    }
    for (old, now) in
        [("guide", "handbook"), ("manual", "handbook"), ("guide/part/leaf", "other/part/leaf")]
    {
        assert_eq!(target(&get(env, old).await), now, "{old}");
    }
}
