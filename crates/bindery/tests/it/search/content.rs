//! The index follows the main content of spaces.

use bindery_testkit::archives::{file, gzip, tar};
use serde_json::json;

use super::{found, in_organization, of_items};
use crate::support::content::{change, insert};
use crate::support::{TestEnv, each_engine};

#[test]
fn edits_are_found() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Edited").await;
        let page = insert(&env.client, &space, "Pump", "Check the carburettor.\n").await;
        let _found = found(env, &space, "carburettor", &["Pump"]).await;
        let edit = json!({
            "operation": "update_page", "page": page, "title": "Engine",
            "document": { "markdown": "Check the distributor.\n" },
        });
        let _changed = change(&env.client, &space, json!([edit])).await;
        let _found = found(env, &space, "distributor", &["Engine"]).await;
        let _gone = found(env, &space, "carburettor", &[]).await;
        let deletion = json!({ "operation": "delete_page", "page": page });
        let _changed = change(&env.client, &space, json!([deletion])).await;
        let _gone = found(env, &space, "distributor", &[]).await;
    });
}

#[test]
fn pages_below_a_changed_page_are_updated() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Tree").await;
        let above = insert(&env.client, &space, "Above", "A flange.\n").await;
        let child = json!({
            "operation": "insert_page", "title": "Child", "into": above,
            "document": { "markdown": "A turbine.\n" },
        });
        let _made = change(&env.client, &space, json!([child])).await;
        let answer = found(env, &space, "turbine", &["Child"]).await;
        assert_eq!(answer.text_at("/items/0/path"), "above/child");
        assert_eq!(answer.text_at("/items/0/ancestors/0/title"), "Above");
        let update = |fields: serde_json::Value| {
            let mut update = json!({ "operation": "update_page", "page": above });
            update.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            json!([update])
        };
        let renamed = update(json!({ "title": "Top", "slug": "top" }));
        let _changed = change(&env.client, &space, renamed).await;
        let _top = found(env, &space, "flange", &["Top"]).await;
        let answer = found(env, &space, "turbine", &["Child"]).await;
        assert_eq!(answer.text_at("/items/0/path"), "top/child");
        assert_eq!(answer.text_at("/items/0/ancestors/0/title"), "Top");
        let _changed = change(&env.client, &space, update(json!({ "hidden": true }))).await;
        let _hidden = found(env, &space, "turbine", &[]).await;
        let _hidden = found(env, &space, "flange", &[]).await;
        let _changed = change(&env.client, &space, update(json!({ "hidden": false }))).await;
        let _shown = found(env, &space, "turbine", &["Child"]).await;
        let _changed = change(&env.client, &space, update(json!({ "noIndex": true }))).await;
        let _left_out = found(env, &space, "flange", &[]).await;
        let _shown = found(env, &space, "turbine", &["Child"]).await;
    });
}

#[test]
fn text_of_reusable_contents_is_found() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Included").await;
        let include = "{% include \".gitbook/includes/note.md\" %}\n";
        let import = async |note: &str| {
            let archive = gzip(&tar(&[
                file("README.md", "# Home\n"),
                file("a.md", &format!("# A\n\n{include}")),
                file(".gitbook/includes/note.md", "{% include \"inner.md\" %}\n"),
                file(".gitbook/includes/inner.md", note),
            ]));
            let job = env.import_archive(&space, "application/gzip", archive).await;
            assert_eq!(job.text_at("/status"), "done", "{job}");
        };
        import("Mind the gearbox.\n").await;
        let _found = found(env, &space, "gearbox", &["A"]).await;
        import("Mind the flywheel.\n").await;
        let _found = found(env, &space, "flywheel", &["A"]).await;
        let _gone = found(env, &space, "gearbox", &[]).await;
    });
}

#[test]
fn deleted_spaces_are_not_found() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Deleted").await;
        let _page = insert(&env.client, &space, "Pump", "A carburettor.\n").await;
        let _found = found(env, &space, "carburettor", &["Pump"]).await;
        let _deleted = env.of_space("deleteSpaceById", &space).await.expect(205);
        let answer = in_organization(env, &env.client, "carburettor").await;
        assert_eq!(*answer.at("/count"), json!(0));
        let restore = env.client.call("restoreSpace").path("spaceId", &space);
        let _restored = restore.send().await.expect(200);
        let _found = found(env, &space, "carburettor", &["Pump"]).await;
    });
}

#[test]
fn change_requests_are_found_when_they_are_merged() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Reviewed").await;
        let _page = insert(&env.client, &space, "Pump", "A carburettor.\n").await;
        let made = env.client.call("createChangeRequest").path("spaceId", &space);
        let made = made.json(&json!({ "subject": "More" })).send().await.expect(201);
        let call = |operation| {
            let call = env.client.call(operation).path("spaceId", &space);
            call.path("changeRequestId", made.text_at("/id"))
        };
        let page = json!({
            "operation": "insert_page", "title": "Draft",
            "document": { "markdown": "Another carburettor.\n" },
        });
        let edit = call("updateChangeRequestContent").json(&json!({ "changes": [page] }));
        let _edited = edit.send().await.expect(200);
        // A later change of the main content is found, and the draft is not.
        let _marker = insert(&env.client, &space, "Marker", "A dynamo.\n").await;
        let _marked = found(env, &space, "dynamo", &["Marker"]).await;
        let _found = found(env, &space, "carburettor", &["Pump"]).await;
        let _merged = call("mergeChangeRequest").send().await.expect(200);
        let _found = found(env, &space, "carburettor", &["Draft", "Pump"]).await;
    });
}

#[test]
fn pages_are_boosted_by_their_settings() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Boosted").await;
        let _page = insert(&env.client, &space, "One", "A carburettor.\n").await;
        let text = "Words before it: one, two, three, four, five. A carburettor.\n";
        let front = "---\nvars:\n  searchBoost: 4\n---\n\n";
        let _page = insert(&env.client, &space, "Two", &format!("{front}{text}")).await;
        let answer = found(env, &space, "carburettor", &["One", "Two"]).await;
        assert_eq!(of_items(&answer, "title"), ["Two", "One"]);
    });
}
