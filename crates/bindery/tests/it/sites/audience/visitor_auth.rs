//! Visitor authentication with tokens.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bindery_model::Clock as _;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{Site, cookies, expect_private, location};
use crate::support::SystemClock;
use crate::support::{TestEnv, each_engine};

/// Returns a token with this header and these claims, signed with HMAC-SHA256.
fn token(header: &Value, claims: &Value, key: &str) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(header), part(claims));
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).unwrap();
    mac.update(signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}

/// Returns a token with these claims that expires in an hour.
pub(crate) fn signed_token(claims: &Value, key: &str) -> String {
    let mut claims = claims.clone();
    claims["exp"] = json!(now() + 3_600);
    token(&hs256(), &claims, key)
}

/// Returns the time in seconds.
fn now() -> u64 {
    u64::try_from(SystemClock.now().millis() / 1_000).unwrap()
}

async fn key(site: &Site<'_>, operation: &str) -> String {
    let auth = site.call(operation).send().await.expect(200);
    assert_eq!(auth.text_at("/object"), "publishing-auth");
    auth.text_at("/privateKey").to_owned()
}

fn hs256() -> Value {
    json!({ "alg": "HS256", "typ": "JWT" })
}

#[test]
fn a_token_opens_the_site_until_the_key_is_replaced() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "visitor-auth").await;
        site.expect_absent("/visitor-auth/", "").await;
        let first = key(&site, "getSitePublishingAuthById").await;
        assert_eq!(key(&site, "getSitePublishingAuthById").await, first);
        let signed = token(&hs256(), &json!({ "exp": now() + 3600, "plan": "pro" }), &first);
        let entered = site.get(&format!("/visitor-auth/page?jwt_token={signed}&a=b"), "").await;
        assert_eq!(location(&entered), "/visitor-auth/page?a=b");
        let cookie = cookies(&entered, "/visitor-auth/");
        for path in ["", "page", "page.md", "llms.txt"] {
            let read = site.get(&format!("/visitor-auth/{path}"), &cookie).await;
            expect_private(&read.expect(200));
        }
        // A wrong token in an address does not sign a visitor out.
        let wrong = site.get("/visitor-auth/page?jwt_token=x", &cookie).await;
        assert_eq!(location(&wrong), "/visitor-auth/page");
        assert!(wrong.headers.get("set-cookie").is_none(), "{wrong}");

        let second = key(&site, "regenerateSitePublishingAuthById").await;
        assert_ne!(second, first);
        assert_eq!(key(&site, "getSitePublishingAuthById").await, second);
        site.expect_absent("/visitor-auth/", &cookie).await;

        // A long token is kept in several cookies.
        let long = json!({ "exp": now() + 3600, "groups": "x".repeat(5_000) });
        let signed = token(&hs256(), &long, &second);
        let entered = site.get(&format!("/visitor-auth/?jwt_token={signed}"), "").await;
        let cookie = cookies(&entered, "/visitor-auth/");
        assert_eq!(cookie.matches("bindery-visitor").count(), 2);
        let _read = site.get("/visitor-auth/page", &cookie).await.expect(200);
    });
}

#[test]
fn other_tokens_open_nothing() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "visitor-auth").await;
        let key = key(&site, "getSitePublishingAuthById").await;
        let good = json!({ "exp": now() + 3600 });
        let unsigned = token(&json!({ "alg": "none" }), &good, &key);
        let unsigned = unsigned.rsplit_once('.').unwrap().0;
        for wrong in [
            token(&hs256(), &good, "another key"),
            token(&hs256(), &good, ""),
            token(&hs256(), &json!({ "exp": now() - 120 }), &key),
            token(&hs256(), &json!({ "sub": "somebody" }), &key),
            token(&hs256(), &json!({ "exp": now() + 3600, "aud": "elsewhere" }), &key),
            token(&hs256(), &json!({ "exp": now() + 3600, "nbf": now() + 1800 }), &key),
            token(&hs256(), &json!({ "exp": now() + 3600, "a": "x".repeat(9_000) }), &key),
            token(&json!({ "alg": "none" }), &good, &key),
            token(&json!({ "alg": "HS512" }), &good, &key),
            format!("{unsigned}."),
            "x".to_owned(),
        ] {
            let query = site.get(&format!("/visitor-auth/page?jwt_token={wrong}"), "").await;
            assert!(query.expect(404).headers.get("set-cookie").is_none());
            let cookie = format!("bindery-visitor=1.{wrong}");
            let _absent = site.get("/visitor-auth/page", &cookie).await.expect(404);
        }
        let for_site = json!({ "exp": now() + 3600, "aud": ["elsewhere", site.id] });
        let signed = token(&hs256(), &for_site, &key);
        let entered = site.get(&format!("/visitor-auth/page?jwt_token={signed}"), "").await;
        assert_eq!(location(&entered), "/visitor-auth/page");
        // The key of one site opens no other.
        let other = Site::published(env, "visitor-auth").await;
        let signed = token(&hs256(), &good, &key);
        let refused = other.get(&format!("/visitor-auth-1/?jwt_token={signed}"), "").await;
        let _absent = refused.expect(404);
    });
}

#[test]
fn visitors_without_a_token_are_sent_to_the_fallback_address() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "visitor-auth").await;
        let update = |fallback: Value| {
            let body = json!({ "backend": "custom", "fallbackURL": fallback });
            site.call("updateSitePublishingAuthById").json(&body)
        };
        let set = update(json!("https://login.example.com/in?to=docs")).send().await.expect(200);
        assert_eq!(set.text_at("/fallbackURL"), "https://login.example.com/in?to=docs");
        let sign_in = "https://login.example.com/in?to=docs&location=";
        let asked = site.get("/visitor-auth/guides/page?x=1", "").await;
        assert_eq!(location(&asked), format!("{sign_in}%2Fguides%2Fpage"));
        let asked = site.get("/visitor-auth", "").await;
        assert_eq!(location(&asked), format!("{sign_in}%2F"));
        let refused = site.get("/visitor-auth/page?jwt_token=x", "").await;
        assert_eq!(location(&refused), format!("{sign_in}%2Fpage&error=malformed_token"));
        for feed in ["sitemap.xml", "robots.txt", "llms.txt", "page.md", "~files/a/b"] {
            let _absent = site.get(&format!("/visitor-auth/{feed}"), "").await.expect(404);
        }
        for wrong in ["javascript:alert(1)", "//evil.example", "https://a@b.example", "https://"] {
            let refused = update(json!(wrong)).send().await.expect(400);
            assert!(refused.message().contains("fallbackURL"), "{refused}");
        }
        let removed = update(Value::Null).send().await.expect(200);
        assert!(removed.json.get("fallbackURL").is_none(), "{removed}");
        site.expect_absent("/visitor-auth/", "").await;
        let _set = update(json!("https://login.example.com/")).send().await.expect(200);
        let _closed = site.call("unpublishSite").send().await.expect(200);
        site.expect_absent("/visitor-auth/", "").await;
    });
}

#[test]
fn only_administrators_see_the_key() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "visitor-auth").await;
        let creator = env.person("creator@example.com", Some("create")).await;
        let body = json!({ "backend": "integration" });
        for operation in ["getSitePublishingAuthById", "regenerateSitePublishingAuthById"] {
            let refused = site.call_as(&creator, operation).send().await.expect(403);
            assert!(refused.message().contains("admin"), "{refused}");
        }
        let update = site.call_as(&creator, "updateSitePublishingAuthById").json(&body);
        let _refused = update.send().await.expect(403);
        let changed = site.call("updateSitePublishingAuthById").json(&body).send().await;
        assert_eq!(changed.expect(200).text_at("/backend"), "integration");
        let shown = site.call("getSitePublishingAuthById").send().await.expect(200);
        assert_eq!(shown.header("cache-control"), "no-store");
    });
}
