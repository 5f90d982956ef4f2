//! The ads of sites: submission, review and lists.

use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::people::stranger;
use crate::support::{TestEnv, each_engine, items, pages};

async fn site(env: &TestEnv, title: &str, is_published: bool) -> String {
    let create = env.client.call("createSite").path("organizationId", &env.organization);
    let made = create.json(&json!({ "title": title })).send().await.expect(201);
    let id = made.text_at("/id").to_owned();
    if is_published {
        let publish = env.client.call("publishSite").path("organizationId", &env.organization);
        let _published = publish.path("siteId", &id).send().await.expect(200);
    }
    id
}

async fn update(env: &TestEnv, site: &str, body: Value) -> Answer {
    let call = env.client.call("updateSiteAdsById").path("organizationId", &env.organization);
    call.path("siteId", site).json(&body).send().await
}

async fn review(client: &Client, site: &str, body: Value) -> Answer {
    let call = client.call("adsUpdateSite").path("siteId", site);
    call.header("x-gitbook-partner-key", "partner").json(&body).send().await
}

async fn ads(env: &TestEnv, site: &str) -> Value {
    let get = env.client.call("getSiteById").path("organizationId", &env.organization);
    get.path("siteId", site).send().await.expect(200).at("/ads").clone()
}

async fn listed(client: &Client, status: &str) -> Vec<Value> {
    let list = || {
        let list = client.call("adsListSites").query("status", status).query("limit", 1);
        list.header("x-gitbook-partner-key", "partner")
    };
    pages(list).await.iter().flat_map(items).cloned().collect()
}

#[test]
fn ads_are_submitted_reviewed_and_stopped() {
    each_engine(async |env: &mut TestEnv| {
        let site = site(env, "Sponsored", true).await;
        assert_eq!(ads(env, &site).await, json!({ "status": "pending", "submittable": true }));
        let submit = json!({ "status": "in-review", "topic": "webdev" });
        let _submitted = update(env, &site, submit.clone()).await.expect(204);
        assert_eq!(ads(env, &site).await, json!({ "status": "in-review", "topic": "webdev" }));
        let again = update(env, &site, submit.clone()).await.expect(409);
        assert!(again.message().contains("their status is in-review"), "{again}");
        let _topic = update(env, &site, json!({ "topic": "crypto" })).await.expect(204);
        let live = json!({ "status": "live", "zoneId": "zone", "reportingId": "report" });
        let _live = review(&env.client, &site, live.clone()).await.expect(204);
        let shown = json!({ "status": "live", "topic": "crypto", "zoneId": "zone" });
        assert_eq!(ads(env, &site).await, shown);
        let _refused = update(env, &site, json!({ "topic": "webdev" })).await.expect(409);
        let _stopped = update(env, &site, json!({ "status": "disabled" })).await.expect(204);
        let stopped = json!({ "status": "disabled", "topic": "crypto", "zoneId": "zone" });
        assert_eq!(ads(env, &site).await, stopped);
        let _twice = update(env, &site, json!({ "status": "disabled" })).await.expect(409);
        let _submitted = update(env, &site, submit).await.expect(204);
        let reject = json!({ "status": "rejected", "reason": "Too short" });
        let _rejected = review(&env.client, &site, reject).await.expect(204);
        let rejected = json!({ "status": "rejected", "reason": "Too short" });
        assert_eq!(ads(env, &site).await, rejected);
        let _refused = review(&env.client, &site, live).await.expect(409);
        let _again = review(&env.client, &site, json!({ "status": "pending" })).await.expect(204);
        assert_eq!(ads(env, &site).await, json!({ "status": "pending", "submittable": true }));
        let _withdrawn = update(env, &site, json!({ "status": "in-review" })).await.expect(204);
        let _withdrawn = update(env, &site, json!({ "status": "disabled" })).await.expect(204);
        assert_eq!(ads(env, &site).await, json!({ "status": "pending", "submittable": true }));
    });
}

#[test]
fn invalid_changes_of_ads_are_refused() {
    each_engine(async |env: &mut TestEnv| {
        let draft = site(env, "Draft", false).await;
        assert_eq!(ads(env, &draft).await, json!({ "status": "pending", "submittable": false }));
        let published = site(env, "Published", true).await;
        for (site, body, status, words) in [
            (&draft, json!({ "status": "in-review", "topic": "webdev" }), 409, "published"),
            (&published, json!({ "status": "in-review" }), 400, "/topic"),
            (&published, json!({ "status": "disabled" }), 409, "their status is pending"),
            (&published, json!({ "topic": "webdev" }), 400, "status"),
            (&published, json!({}), 400, "status"),
            (&published, json!({ "status": "live" }), 400, "status"),
            (&published, json!({ "status": "in-review", "topic": "cars" }), 400, "topic"),
        ] {
            let refused = update(env, site, body.clone()).await.expect(status);
            assert!(refused.message().contains(words), "{body}: {refused}");
        }
        let reject = json!({ "status": "rejected" });
        let _refused = review(&env.client, &published, reject.clone()).await.expect(409);
        let without_key = env.client.call("adsUpdateSite").path("siteId", &published);
        let _refused = without_key.json(&reject).send().await.expect(400);
        let _refused = env.client.call("adsListSites").send().await.expect(400);
        let long = json!({ "status": "rejected", "reason": "x".repeat(513) });
        let _refused = review(&env.client, &published, long).await.expect(400);
    });
}

#[test]
fn reviewers_see_the_sites_that_they_administer() {
    each_engine(async |env: &mut TestEnv| {
        let mut sites = Vec::new();
        for title in ["First", "Second", "Third"] {
            let site = site(env, title, true).await;
            let body = json!({ "status": "in-review", "topic": "webdev" });
            let _submitted = update(env, &site, body).await.expect(204);
            sites.push(site);
        }
        let found = listed(&env.client, "in-review").await;
        let ids: Vec<_> = found.iter().map(|site| site["id"].as_str().unwrap()).collect();
        assert_eq!(ids, sites);
        assert_eq!(found[0]["topic"], "webdev");
        assert!(found[0]["url"].as_str().unwrap().ends_with("/first/"), "{}", found[0]);
        assert!(found[0]["email"].as_str().unwrap().contains('@'), "{}", found[0]);
        let live = json!({ "status": "live", "zoneId": "zone", "reportingId": "report" });
        let _live = review(&env.client, &sites[0], live.clone()).await.expect(204);
        let found = listed(&env.client, "live").await;
        assert_eq!((found.len(), &found[0]["zoneId"]), (1, &json!("zone")));
        assert_eq!(listed(&env.client, "in-review").await.len(), 2);
        assert!(listed(&env.client, "rejected").await.is_empty());

        let stranger = stranger(env, "stranger@example.com").await;
        assert!(listed(&stranger, "in-review").await.is_empty());
        let _hidden = review(&stranger, &sites[1], live.clone()).await.expect(404);
        let creator = env.person("creator@example.com", Some("create")).await;
        assert!(listed(&creator, "in-review").await.is_empty());
        let _refused = review(&creator, &sites[1], live.clone()).await.expect(403);
        let grant = env.client.call("updateUserPermissionInSite");
        let grant = grant.path("organizationId", &env.organization).path("siteId", &sites[1]);
        let creator_id = crate::support::people::id_of(&creator).await;
        let grant = grant.path("userId", creator_id).json(&json!({ "role": "admin" }));
        let _granted = grant.send().await.expect(204);
        assert_eq!(listed(&creator, "in-review").await.len(), 1);
        let _live = review(&creator, &sites[1], live).await.expect(204);
    });
}
