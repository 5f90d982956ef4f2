//! Results contain only what the caller may read.

use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use super::{found, in_organization, in_space, of_items, on_site};
use crate::support::content::{change, insert, publish};
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
fn members_find_what_no_reader_sees() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Open").await;
        let part = "A carburettor.\n\n{% if 1 == 2 %}\nA *zeppelin*.\n{% endif %}\n";
        let _page = insert(&env.client, &space, "Part", part).await;
        let draft = insert(&env.client, &space, "Draft", "A zeppelin.\n").await;
        let condition = json!({
            "operation": "update_page", "page": draft, "condition": "space.vars.edition == 'second'",
        });
        let _changed = change(&env.client, &space, json!([condition])).await;
        let published = publish(env, "Site", &space).await;
        let anonymous = env.client.anonymous();
        let body = json!({ "url": published.text_at("/urls/published"), "visitor": {} });
        let resolved = anonymous.call("resolvePublishedContentByUrl").json(&body).send().await;
        let reader = anonymous.with_token(resolved.expect(200).text_at("/apiToken"));
        let _found = found(env, &space, "zeppelin", &["Draft", "Part"]).await;
        // The page is found until the index has its condition.
        until(async || {
            let found = in_space(&reader, &space, "draft").await;
            (*found.at("/count") == 0).then_some(())
        })
        .await;
        let answer = in_space(&reader, &space, "carburettor").await;
        assert_eq!(of_items(&answer, "title"), ["Part"]);
        let answer = in_space(&reader, &space, "zeppelin").await;
        assert_eq!(*answer.at("/count"), json!(0));
    });
}

/// A published site with two variants, beside a space that it does not show.
struct Published<'a> {
    env: &'a TestEnv,
    site: String,
    /// The spaces of the variants, then the other one.
    spaces: [String; 3],
    /// The site spaces of the variants.
    variants: [String; 2],
    /// A client with a token of the site.
    reader: Client,
}

impl<'a> Published<'a> {
    async fn create(env: &'a TestEnv) -> Self {
        let spaces =
            [env.space("First").await, env.space("Second").await, env.space("Other").await];
        for (space, title) in spaces.iter().zip(["One", "Two", "Three"]) {
            let _page = insert(&env.client, space, title, "A carburettor.\n").await;
            let _found = found(env, space, "carburettor", &[title]).await;
        }
        let published = publish(env, "Site", &spaces[0]).await;
        let site = published.text_at("/id").to_owned();
        let call = |operation: &str| {
            let call = env.client.call(operation).path("organizationId", &env.organization);
            call.path("siteId", &site)
        };
        let add = call("addSpaceToSite").json(&json!({ "spaceId": spaces[1] }));
        let added = add.send().await.expect(201).text_at("/id").to_owned();
        let listed = call("listSiteSpaces").send().await.expect(200);
        let variants = [listed.text_at("/items/0/id").to_owned(), added];
        let anonymous = env.client.anonymous();
        let body = json!({ "url": published.text_at("/urls/published"), "visitor": {} });
        let resolved = anonymous.call("resolvePublishedContentByUrl").json(&body).send().await;
        let reader = anonymous.with_token(resolved.expect(200).text_at("/apiToken"));
        Self { env, site, spaces, variants, reader }
    }

    /// Searches as a reader, with these fields in the body besides the query.
    async fn search(&self, fields: &Value) -> Answer {
        let mut body = json!({ "query": "carburettor" });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let call = self.reader.call("searchSiteContent").path("siteId", &self.site);
        call.path("organizationId", &self.env.organization).json(&body).send().await
    }
}

#[test]
fn readers_of_a_site_find_its_pages() {
    each_engine(async |env: &mut TestEnv| {
        let published = Published::create(env).await;
        let Published { site, spaces: [first, _, other], reader, .. } = &published;
        let answer = on_site(env, reader, site, "carburettor").await;
        assert_eq!(*answer.at("/count"), json!(2));
        let in_other = reader.call("searchSpaceContent").path("spaceId", other);
        let _hidden = in_other.query("query", "carburettor").send().await.expect(404);
        let of_organization = reader.call("searchOrganizationContent");
        let of_organization = of_organization.path("organizationId", &env.organization);
        let _hidden = of_organization.query("query", "carburettor").send().await.expect(404);
        let answer = in_space(reader, first, "carburettor").await;
        assert_eq!(of_items(&answer, "title"), ["One"]);
    });
}

#[test]
fn a_scope_limits_a_search_to_site_spaces() {
    each_engine(async |env: &mut TestEnv| {
        let published = Published::create(env).await;
        let [first, second, _] = &published.spaces;
        let [first_variant, second_variant] = &published.variants;
        let default_of_second = json!({ "mode": "default", "currentSiteSpace": second_variant });
        for (scope, expected) in [
            (json!({ "scope": { "mode": "default" } }), vec![first]),
            (json!({ "scope": default_of_second }), vec![second, first]),
            (
                json!({ "scope": { "mode": "specific", "siteSpaceIds": [second_variant] } }),
                vec![second],
            ),
            (json!({ "siteSpaceIds": [first_variant] }), vec![first]),
            (json!({ "mode": "specific", "siteSpaceIds": [second_variant] }), vec![second]),
            (json!({ "mode": "current", "siteSpaceId": first_variant }), vec![first]),
        ] {
            let answer = published.search(&scope).await.expect(200);
            let expected: Vec<_> = expected.into_iter().cloned().collect();
            assert_eq!(of_items(&answer, "id"), expected, "{scope}");
        }
        let everywhere = published.search(&json!({ "mode": "all" })).await.expect(200);
        assert_eq!(*everywhere.at("/count"), json!(2));
        for scope in [
            json!({ "siteSpaceIds": ["unknown"] }),
            json!({ "scope": { "mode": "default", "currentSiteSpace": published.site } }),
            json!({ "mode": "current", "siteSpaceId": "" }),
        ] {
            let answer = published.search(&scope).await;
            assert!([400, 404].contains(&answer.status), "{scope}: {answer}");
        }
        let _no_scope = published.search(&json!({})).await.expect(400);
    });
}
