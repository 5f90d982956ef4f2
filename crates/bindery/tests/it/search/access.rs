//! Results contain only what the caller may read.

use serde_json::json;

use super::{found, in_organization, in_space, of_items, on_site};
use crate::support::content::{insert, publish};
use crate::support::{TestEnv, each_engine, until};

#[test]
fn members_find_the_pages_of_the_spaces_that_they_read() {
    each_engine(async |env: &mut TestEnv| {
        let (open, closed) = (env.space("Open").await, env.space("Closed").await);
        for space in [&open, &closed] {
            let _page = insert(&env.client, space, "Pump", "A carburettor.\n").await;
            let _found = found(env, space, "carburettor", &["Pump"]).await;
        }
        let all = in_organization(env, &env.client, "carburettor").await;
        assert_eq!(*all.at("/count"), json!(2));
        let level = env.client.call("updateSpaceById").path("spaceId", &closed);
        let level = level.json(&json!({ "defaultLevel": null }));
        let _closed = level.send().await.expect(200);
        let member = env.person("member@example.com", Some("read")).await;
        let answer = in_organization(env, &member, "carburettor").await;
        assert_eq!(of_items(&answer, "id"), [open.as_str()]);
        assert_eq!(*answer.at("/count"), json!(1));
        let search = member.call("searchSpaceContent").path("spaceId", &closed);
        let _hidden = search.query("query", "carburettor").send().await.expect(404);
        let guest = env.person("guest@example.com", None).await;
        let answer = in_organization(env, &guest, "carburettor").await;
        assert_eq!(*answer.at("/count"), json!(0));
        // The access to a space takes effect at once.
        let level = env.client.call("updateSpaceById").path("spaceId", &closed);
        let level = level.json(&json!({ "defaultLevel": "read" }));
        let _opened = level.send().await.expect(200);
        let answer = in_organization(env, &member, "carburettor").await;
        assert_eq!(*answer.at("/count"), json!(2));
    });
}

#[test]
fn readers_of_a_site_find_its_pages() {
    each_engine(async |env: &mut TestEnv| {
        let (first, second) = (env.space("First").await, env.space("Second").await);
        let other = env.space("Other").await;
        for (space, title) in [(&first, "One"), (&second, "Two"), (&other, "Three")] {
            let _page = insert(&env.client, space, title, "A carburettor.\n").await;
            let _found = found(env, space, "carburettor", &[title]).await;
        }
        let site = publish(env, "Site", &first).await;
        let id = site.text_at("/id");
        let call = |operation: &str| {
            let call = env.client.call(operation).path("organizationId", &env.organization);
            call.path("siteId", id)
        };
        let add = call("addSpaceToSite").json(&json!({ "spaceId": second }));
        let added = add.send().await.expect(201);
        let variants = call("listSiteSpaces").send().await.expect(200);
        let first_variant = variants.text_at("/items/0/id");
        let body = json!({ "url": site.text_at("/urls/published"), "visitor": {} });
        let anonymous = env.client.anonymous();
        let resolved = until(async || {
            let answer = anonymous.call("resolvePublishedContentByUrl").json(&body).send().await;
            (answer.status == 200).then_some(answer)
        })
        .await;
        let reader = anonymous.with_token(resolved.text_at("/apiToken"));
        let answer = on_site(env, &reader, id, "carburettor").await;
        assert_eq!(*answer.at("/count"), json!(2));
        let search = async |fields: serde_json::Value| {
            let mut body = json!({ "query": "carburettor" });
            body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            let call = reader.call("searchSiteContent").path("siteId", id);
            call.path("organizationId", &env.organization).json(&body).send().await
        };
        let added = added.text_at("/id");
        for (scope, expected) in [
            (json!({ "scope": { "mode": "default" } }), vec![&first]),
            (
                json!({ "scope": { "mode": "default", "currentSiteSpace": added } }),
                vec![&second, &first],
            ),
            (json!({ "scope": { "mode": "specific", "siteSpaceIds": [added] } }), vec![&second]),
            (json!({ "siteSpaceIds": [first_variant] }), vec![&first]),
            (json!({ "mode": "specific", "siteSpaceIds": [added] }), vec![&second]),
            (json!({ "mode": "current", "siteSpaceId": first_variant }), vec![&first]),
        ] {
            let answer = search(scope.clone()).await.expect(200);
            assert_eq!(
                of_items(&answer, "id"),
                expected.into_iter().cloned().collect::<Vec<_>>(),
                "{scope}"
            );
        }
        let everywhere = search(json!({ "mode": "all" })).await.expect(200);
        assert_eq!(*everywhere.at("/count"), json!(2));
        for scope in [
            json!({ "siteSpaceIds": ["sitesp_unknown"] }),
            json!({ "scope": { "mode": "default", "currentSiteSpace": id } }),
        ] {
            let answer = search(scope.clone()).await;
            assert!([400, 404].contains(&answer.status), "{scope}: {answer}");
        }
        let _no_scope = search(json!({})).await.expect(400);
        let in_other = reader.call("searchSpaceContent").path("spaceId", &other);
        let _hidden = in_other.query("query", "carburettor").send().await.expect(404);
        let of_organization = reader.call("searchOrganizationContent");
        let of_organization = of_organization.path("organizationId", &env.organization);
        let _hidden = of_organization.query("query", "carburettor").send().await.expect(404);
        let answer = in_space(&reader, &first, "carburettor").await;
        assert_eq!(of_items(&answer, "title"), ["One"]);
    });
}
