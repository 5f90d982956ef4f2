//! Spaces: deleting, restoring, permanent removal and duplicating.

use bindery_model::{Clock as _, SpaceId};
use bindery_store::spaces;
use serde_json::json;

use crate::support::content::publish;
use crate::support::{SystemClock, TestEnv, each_engine, until};

async fn insert(env: &TestEnv, space: &str, title: &str) -> bindery_testkit::Answer {
    let change = json!({
        "operation": "insert_page", "title": title, "emoji": "🚀",
        "document": { "markdown": "Text.\n" },
    });
    let call = env.client.call("updateSpaceContent").path("spaceId", space);
    call.json(&json!({ "changes": [change] })).send().await
}

#[test]
fn a_deleted_space_is_restored_or_removed() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Short").await;
        let member = env.person("member@example.com", Some("create")).await;
        for title in ["First", "Page"] {
            let _inserted = insert(env, &space, title).await.expect(200);
        }
        let proposal = env.client.call("createChangeRequest").path("spaceId", &space);
        let proposal = proposal.json(&json!({})).send().await.expect(201);
        let published = publish(env, "Site", &space).await;
        let address = format!("{}page", published.text_at("/urls/published"));
        let page = env.client.get(&address, &[]).await.expect(200);
        // In the title and in the navigation of both pages.
        assert!(page.text().matches('🚀').count() >= 3, "{page}");
        assert!(!page.text().contains("1f680"), "{page}");

        assert!(page.text().contains("lang=\"en\""), "{page}");
        let set = async || {
            let call = env.client.call("updateSpaceById").path("spaceId", &space);
            call.json(&json!({ "language": "de" })).send().await
        };
        let _set = set().await.expect(200);
        let page = env.client.get(&address, &[]).await.expect(200);
        assert!(page.text().contains("lang=\"de\""), "{page}");

        let early = env.of_space("restoreSpace", &space).await;
        let _nothing = early.expect(409);
        let _deleted = env.of_space("deleteSpaceById", &space).await.expect(205);
        let _again = env.of_space("deleteSpaceById", &space).await.expect(204);
        let shown = env.of_space("getSpaceById", &space).await.expect(200);
        assert!(shown.at("/deletedAt").is_string(), "{shown}");
        let _unseen = member.call("getSpaceById").path("spaceId", &space).send().await.expect(404);
        let gone = env.client.get(&address, &[]).await;
        assert_eq!(gone.status, 404, "{gone}");
        // Administrators can read it, but changes are rejected.
        let refused = insert(env, &space, "Late").await.expect(409);
        assert!(refused.message().contains("restore"), "{refused}");
        let refused = set().await.expect(409);
        assert!(refused.message().contains("restore"), "{refused}");
        let merge = env.client.call("mergeChangeRequest").path("spaceId", &space);
        let _refused =
            merge.path("changeRequestId", proposal.text_at("/id")).send().await.expect(409);

        let back = env.of_space("restoreSpace", &space).await.expect(200);
        assert_eq!(back.json.get("deletedAt"), None);
        assert_eq!(env.client.get(&address, &[]).await.status, 200);
        let _seen = member.call("getSpaceById").path("spaceId", &space).send().await.expect(200);

        a_space_is_removed_after_a_week(env, &space).await;
    });
}

/// Deletes a space, and moves its deletion into the past.
async fn a_space_is_removed_after_a_week(env: &mut TestEnv, space: &str) {
    // After a week it is removed with its change requests.
    let _deleted = env.of_space("deleteSpaceById", space).await.expect(205);
    let id = SpaceId::parse(space).unwrap();
    let week = 7 * 24 * 60 * 60 * 1000 + 1000;
    env.edit_store(move |tx| {
        let _back = spaces::set_deleted(tx, id, None)?;
        spaces::set_deleted(tx, id, Some(SystemClock.now().plus_millis(-week)))
    })
    .await;
    until(async || {
        let answer = env.of_space("getSpaceById", space).await;
        (answer.status == 404).then_some(())
    })
    .await;
    let _gone = env.of_space("restoreSpace", space).await.expect(404);
    let told = env.client.call("listOrganizationAuditEvents");
    let told = told.path("organizationId", &env.organization).query("target", space);
    let told = told.query("action", "space.removed").send().await.expect(200);
    assert_eq!((told.at("/count"), told.text_at("/items/0/actor/type")), (&json!(1), "system"));
    let _none = env.of_space("deleteSpaceById", space).await.expect(204);
    let list = env.client.call("listChangeRequestsForOrganization");
    let list = list.path("organizationId", &env.organization).query("status", "draft");
    assert_eq!(list.send().await.expect(200).at("/count"), &json!(0));
}

#[test]
fn a_copy_of_a_space_is_independent() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Original").await;
        let made = insert(env, &space, "Page").await.expect(200);
        let page = made.text_at("/changes/0/page/id").to_owned();
        let copy = env.of_space("duplicateSpace", &space).await.expect(201);
        assert_eq!(copy.text_at("/title"), "Copy of Original");
        assert!(copy.header("location").ends_with(copy.text_at("/id")));
        let copy = copy.text_at("/id").to_owned();
        let pages = env.of_space("listPages", &copy).await.expect(200);
        assert_eq!(pages.text_at("/pages/0/id"), page);
        let _changed = insert(env, &copy, "More").await.expect(200);
        let count = async |space: &str| {
            let pages = env.of_space("listPages", space).await.expect(200);
            pages.at("/pages").as_array().map(Vec::len)
        };
        assert_eq!((count(&space).await, count(&copy).await), (Some(1), Some(2)));
        let history = env.of_space("listSpaceHistory", &copy).await.expect(200);
        assert_eq!(history.at("/count"), &json!(2));
        // A revision of one space is not found in the other.
        let head = env.of_space("getSpaceById", &space).await.text_at("/revision").to_owned();
        let strange = env.client.call("getRevisionById").path("spaceId", &copy);
        let _missing = strange.path("revisionId", head).send().await.expect(404);
    });
}
