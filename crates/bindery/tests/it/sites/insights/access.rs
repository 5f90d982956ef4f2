//! Permissions: who sends events and who reads them, and the claims of visitors.

use bindery_testkit::Client;
use serde_json::{Value, json};

use crate::sites::audience::signed_token;
use crate::support::insights::{SiteWithEvents, event};
use crate::support::{TestEnv, each_engine};

async fn set(site: &SiteWithEvents<'_>, visibility: &str) {
    let body = json!({ "visibility": visibility });
    let call = site.call_as(&site.env.client, "updateSiteById").json(&body);
    let _updated = call.send().await.expect(200);
}

async fn count(site: &SiteWithEvents<'_>) -> Value {
    site.values(&json!({})).await[0][0].clone()
}

#[test]
fn nobody_learns_which_restricted_sites_exist() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        let absent =
            SiteWithEvents { id: "0".repeat(20), ..SiteWithEvents::published(env, "Other").await };
        let unknown = absent.send(&[event("page_view", &[])]).await.expect(404);
        for visibility in ["visitor-auth", "share-link"] {
            set(&site, visibility).await;
            let refused = site.send(&[event("page_view", &[])]).await.expect(404);
            assert_eq!(refused.json, unknown.json, "{visibility}");
            let _refused = site.send(&[]).await.expect(404);
        }
        set(&site, "unlisted").await;
        let _sent = site.send(&[event("page_view", &[])]).await.expect(204);
        let _unpublished = site.call_as(&env.client, "unpublishSite").send().await.expect(200);
        let refused = site.send(&[event("page_view", &[])]).await.expect(404);
        assert_eq!(refused.json, unknown.json);
        let stranger = env.person("stranger@example.com", None).await;
        let track = site.call_as(&stranger, "trackEventsInSiteById");
        let refused = track.json(&json!({ "events": [] })).send().await.expect(404);
        assert_eq!(refused.json, unknown.json);
        assert_eq!(count(&site).await, 1);
    });
}

#[test]
fn readers_of_restricted_sites_prove_who_they_are() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        set(&site, "share-link").await;
        let link = site.call_as(&env.client, "createSiteShareLink").json(&json!({ "name": "One" }));
        let link = link.send().await.expect(201);
        let address = link.text_at("/urls/published").trim_end_matches('/').to_owned();
        let key = json!(address.rsplit('/').next().unwrap());
        let with_key = event("page_view", &[("/location/siteShareKey", key.clone())]);
        let _sent = site.send(std::slice::from_ref(&with_key)).await.expect(204);
        let _refused = site.send(&[with_key, event("page_view", &[])]).await.expect(404);
        // The key is a secret, so the link is named by its id.
        let filter = json!({ "column": "siteShareKey", "values": [key] });
        let query = json!({ "select": [{ "column": "siteShareKey" }], "where": [filter] });
        assert_eq!(site.values(&query).await, [json!([link.text_at("/id")])]);

        set(&site, "visitor-auth").await;
        let auth = site.call_as(&env.client, "getSitePublishingAuthById").send().await.expect(200);
        let token = signed_token(&json!({ "plan": "pro" }), auth.text_at("/privateKey"));
        let wrong = signed_token(&json!({ "plan": "pro" }), "other");
        let with = |token: &str| event("page_view", &[("/session/visitorAuthToken", json!(token))]);
        let _refused = site.send(&[with(&wrong)]).await.expect(404);
        let _sent = site.send(&[with(&token)]).await.expect(204);
        assert_eq!(count(&site).await, 2);
    });
}

#[test]
fn claims_are_verified_by_the_key_of_the_site() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        let auth = site.call_as(&env.client, "getSitePublishingAuthById").send().await.expect(200);
        let stated = json!({ "plan": "stated" });
        let with = |claims: &Value, key: &str| {
            let token = json!(signed_token(claims, key));
            event(
                "page_view",
                &[
                    ("/session/visitorAuthToken", token),
                    ("/session/visitorAuthClaims", stated.clone()),
                ],
            )
        };
        let pro = json!({ "plan": "pro", "sub": "1" });
        let events = [with(&pro, auth.text_at("/privateKey")), with(&pro, "other")];
        let _sent = site.send(&events).await.expect(204);
        let claim = json!({ "column": "visitorClaim", "claim": "plan" });
        let verified = json!({ "column": "visitorClaimsVerified" });
        let found = site.values(&json!({ "select": [claim, verified] })).await;
        assert_eq!(found, [json!(["pro", "stated"]), json!([true, false])]);

        let list = site.call_as(&env.client, "listSiteVisitorSegments").send().await.expect(200);
        let segment = |plan: &str| {
            json!({
                "title": format!("plan: {plan}"), "claims": { "plan": plan },
                "events": 1, "visitors": 1, "sessions": 1,
            })
        };
        assert_eq!(list.json["items"], json!([segment("pro"), segment("stated")]));
        assert_eq!(list.json["count"], 2);
    });
}

#[test]
fn members_need_the_role_to_read_insights() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        let member = env.person("member@example.com", Some("read")).await;
        let editor = env.person("editor@example.com", Some("edit")).await;
        let status = async |client: &Client, operation: &str| {
            let call = site.call_as(client, operation);
            let call = match operation {
                "aggregateSiteEvents" => call.json(&json!({ "range": "last7Days" })),
                _ => call,
            };
            call.send().await.status
        };
        let nobody = env.client.anonymous();
        for operation in ["aggregateSiteEvents", "listSiteVisitorSegments"] {
            assert_eq!(status(&nobody, operation).await, 401);
            assert_eq!(status(&member, operation).await, 403);
            assert_eq!(status(&editor, operation).await, 200);
        }
    });
}

#[test]
fn members_test_a_site_before_it_is_published() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        let _unpublished = site.call_as(&env.client, "unpublishSite").send().await.expect(200);
        let track = site.call_as(&env.client, "trackEventsInSiteById");
        let body = json!({ "events": [event("page_view", &[])] });
        let _sent = track.json(&body).send().await.expect(204);
        assert_eq!(count(&site).await, 1);
    });
}
