//! Specifications and their versions in the API.

use serde_json::{Value, json};

use crate::support::content::{insert, publish};
use crate::support::openapi::{PETSTORE, of_spec, processed, put_source};
use crate::support::{TestEnv, each_engine, items, pages, raw};

fn text(text: &str) -> Value {
    json!({ "text": text })
}

#[test]
fn a_specification_is_created_read_and_deleted() {
    each_engine(async |env: &mut TestEnv| {
        let create = || {
            let create = env.client.call("createOpenAPISpec");
            create.path("organizationId", &env.organization)
        };
        let body = json!({ "slug": "pets", "source": text(PETSTORE) });
        let made = create().json(&body).send().await.expect(201);
        assert_eq!(made.text_at("/processingState"), "pending");
        assert_eq!(made.text_at("/visibility"), "private");
        assert_eq!(made.header("location"), made.text_at("/urls/location"));
        assert_eq!(made.at("/permissions"), &json!({ "view": true, "edit": true }));
        assert!(made.json.get("lastProcessedAt").is_none(), "{made}");
        let taken = create().json(&body).send().await.expect(409);
        assert!(taken.message().contains("\"pets\""), "{taken}");

        let spec = processed(env, "pets").await;
        assert!(spec.json.get("lastProcessErrorCode").is_none(), "{spec}");
        assert!(spec.json.get("sourceURL").is_none(), "{spec}");
        assert_eq!(spec.at("/lastProcessedErrors"), &json!([]));
        let latest = of_spec(env, "getLatestOpenAPISpecVersion", "pets").send().await.expect(200);
        assert_eq!(latest.text_at("/id"), spec.text_at("/lastVersion"));
        let by_id = of_spec(env, "getOpenAPISpecVersionById", "pets");
        let by_id = by_id.path("versionId", latest.text_at("/id")).send().await.expect(200);
        assert_eq!(by_id.json, latest.json);
        let content = of_spec(env, "getLatestOpenAPISpecVersionContent", "pets");
        let content = content.send().await.expect(200);
        assert_eq!(content.at("/filesystem"), &json!({ "openapi": PETSTORE }));
        let of_version = of_spec(env, "getOpenAPISpecVersionContentById", "pets");
        let of_version = of_version.path("versionId", latest.text_at("/id")).send().await;
        assert_eq!(of_version.expect(200).json, content.json);
        let raw = of_spec(env, "getLatestOpenAPISpecVersionContentRaw", "pets");
        let raw = raw.send().await.expect(200);
        assert_eq!(raw.json, json!({ "text": PETSTORE, "format": "yaml" }));

        for status in [205, 204] {
            let delete = of_spec(env, "deleteOpenAPISpecBySlug", "pets");
            let _gone = delete.send().await.expect(status);
        }
        let _gone = of_spec(env, "getOpenAPISpecBySlug", "pets").send().await.expect(404);
        let _gone = of_spec(env, "getLatestOpenAPISpecVersion", "pets").send().await.expect(404);
    });
}

#[test]
fn distinct_versions_are_kept_once_and_failures_keep_the_last_one() {
    each_engine(async |env: &mut TestEnv| {
        let first = put_source(env, "pets", text(PETSTORE)).await;
        let changed = PETSTORE.replace("Returns a pet", "Finds a pet");
        let second = put_source(env, "pets", text(&changed)).await;
        assert_ne!(first.text_at("/lastVersion"), second.text_at("/lastVersion"));
        let broken = put_source(env, "pets", text("openapi: 3.1.0\ninfo:\n  title: {x\n")).await;
        assert_eq!(broken.text_at("/lastProcessErrorCode"), "PARSE_ERROR");
        assert_eq!(broken.text_at("/lastProcessedErrors/0/code"), "PARSE_ERROR");
        let message = broken.text_at("/lastProcessedErrors/0/message");
        assert!(message.starts_with("line "), "{message}");
        assert_eq!(broken.text_at("/lastVersion"), second.text_at("/lastVersion"));
        let times: Vec<_> =
            [&first, &second, &broken].map(|spec| spec.text_at("/lastProcessedAt")).into();
        assert!(times.is_sorted() && times[0] != times[1] && times[1] != times[2], "{times:?}");

        let again = put_source(env, "pets", text(PETSTORE)).await;
        assert_eq!(again.text_at("/lastVersion"), first.text_at("/lastVersion"));
        assert!(again.json.get("lastProcessErrorCode").is_none(), "{again}");
        let list = || of_spec(env, "listOpenAPISpecVersions", "pets").query("limit", "1");
        let listed = pages(list).await;
        let ids: Vec<_> = listed.iter().flat_map(items).map(|item| item["id"].clone()).collect();
        assert_eq!(ids, [second.at("/lastVersion").clone(), first.at("/lastVersion").clone()]);
    });
}

#[test]
fn sources_and_slugs_that_are_wrong_change_nothing() {
    each_engine(async |env: &mut TestEnv| {
        for (slug, source, names) in [
            ("Pets", text(PETSTORE), "/slug"),
            ("pets", json!({}), "/source"),
            ("pets", json!({ "url": "https://a.invalid/x", "text": "x" }), "/source"),
            ("pets", text(""), "/source"),
            ("pets", json!({ "url": "ftp://a.invalid/x" }), "/source/url"),
            ("pets", json!({ "url": "https://a:b@a.invalid/x" }), "/source/url"),
        ] {
            let create = env.client.call("createOpenAPISpec");
            let create = create.path("organizationId", &env.organization);
            let body = json!({ "slug": slug, "source": source });
            let refused = create.json(&body).send().await.expect(400);
            assert!(refused.message().contains(names), "{source}: {refused}");
        }
        let put = of_spec(env, "createOrUpdateOpenAPISpecBySlug", "a_b");
        let refused = put.json(&json!({ "source": text(PETSTORE) })).send().await.expect(400);
        assert!(refused.message().contains("specSlug"), "{refused}");
        let specs = env.client.call("listOpenAPISpecs").path("organizationId", &env.organization);
        assert_eq!(specs.send().await.expect(200).at("/count"), 0);
    });
}

#[test]
fn members_see_what_they_may_change() {
    each_engine(async |env: &mut TestEnv| {
        let _spec = put_source(env, "pets", text(PETSTORE)).await;
        for (role, edits) in [("read", false), ("comment", false), ("create", true)] {
            let client = env.person(&format!("{role}@example.com"), Some(role)).await;
            let call = |operation: &str| {
                let call = client.call(operation).path("organizationId", &env.organization);
                call.path("specSlug", "pets")
            };
            let spec = call("getOpenAPISpecBySlug").send().await.expect(200);
            assert_eq!(spec.at("/permissions"), &json!({ "view": true, "edit": edits }), "{role}");
            let content = call("getLatestOpenAPISpecVersionContent");
            let _content = content.send().await.expect(200);
            let update = call("updateOpenAPISpecBySlug").json(&json!({ "visibility": "private" }));
            let _answer = update.send().await.expect(if edits { 200 } else { 403 });
        }
        let guest = env.person("guest@example.com", None).await;
        let call = |operation: &str| {
            let call = guest.call(operation).path("organizationId", &env.organization);
            call.path("specSlug", "pets")
        };
        let _refused = call("getOpenAPISpecBySlug").send().await.expect(403);
        let content = || call("getLatestOpenAPISpecVersionContent");
        let _hidden = content().send().await.expect(404);
        let publish = of_spec(env, "updateOpenAPISpecBySlug", "pets");
        let public = publish.json(&json!({ "visibility": "public" })).send().await.expect(200);
        let _shown = content().send().await.expect(200);
        let address = public.text_at("/urls/published");
        let path = address.strip_prefix(env.server().address()).unwrap();
        let file = raw(env.server(), "GET", path, "", b"");
        assert_eq!((file.status, &*file.text()), (200, PETSTORE));
        assert_eq!(file.header("content-type"), "application/yaml");
        assert_eq!(file.header("access-control-allow-origin"), "*");
        let hide = of_spec(env, "updateOpenAPISpecBySlug", "pets");
        let _private = hide.json(&json!({ "visibility": "private" })).send().await.expect(200);
        assert_eq!(raw(env.server(), "GET", path, "", b"").status, 404);
    });
}

#[test]
fn visitors_of_a_site_read_the_specifications_on_its_pages() {
    each_engine(async |env: &mut TestEnv| {
        for slug in ["pets", "other"] {
            let _spec = put_source(env, slug, text(PETSTORE)).await;
        }
        let space = env.space("Guide").await;
        let block = "{% openapi-operation spec=\"pets\" path=\"/pets/{petId}\" method=\"get\" %}\n\
                     OpenAPI pets\n{% endopenapi-operation %}\n";
        let _page = insert(&env.client, &space, "Home", block).await;
        let site = publish(env, "Docs", &space).await;
        let anonymous = env.client.anonymous();
        let resolve = anonymous.call("resolvePublishedContentByUrl");
        let resolve = resolve.json(&json!({ "url": site.text_at("/urls/published") }));
        let resolved = resolve.send().await.expect(200);
        let visitor = anonymous.with_token(resolved.text_at("/apiToken"));
        for (slug, status) in [("pets", 200), ("other", 404), ("absent", 404)] {
            let call = visitor.call("getLatestOpenAPISpecVersionContent").path("specSlug", slug);
            let call = call.path("organizationId", &env.organization);
            let _answer = call.send().await.expect(status);
        }
        let call = visitor.call("getOpenAPISpecBySlug").path("specSlug", "pets");
        let call = call.path("organizationId", &env.organization).send().await;
        assert!([401, 403, 404].contains(&call.status), "{call}");
    });
}

#[test]
fn large_texts_are_returned_as_they_are() {
    each_engine(async |env: &mut TestEnv| {
        let notes = vec!["\"quoted\" \\ \u{1} 日本語"; 60_000];
        let info = json!({ "title": "Large", "version": "1" });
        let large = json!({ "openapi": "3.1.0", "info": info, "paths": {}, "x-notes": notes });
        let large = format!("\u{feff} {large:#}");
        let flow = "{openapi: 3.1.0, info: {title: Flow, version: '1'}, paths: {}}".to_owned();
        for (source, format) in [(large, "json"), (flow, "yaml")] {
            let spec = put_source(env, "large", text(&source)).await;
            assert!(spec.json.get("lastProcessErrorCode").is_none(), "{spec}");
            let raw_content = of_spec(env, "getLatestOpenAPISpecVersionContentRaw", "large");
            let raw_content = raw_content.send().await.expect(200);
            assert!(raw_content.at("/text") == &json!(source));
            assert_eq!(raw_content.at("/format"), format);
            let content = || of_spec(env, "getLatestOpenAPISpecVersionContent", "large");
            let whole = content().send().await.expect(200);
            assert!(whole.at("/filesystem") == &json!({ "openapi": source }));
            assert!(whole.text_at("/url").ends_with("/openapi/large/versions/latest/content/raw"));
            let known = content().header("if-none-match", whole.header("etag"));
            let _unchanged = known.send().await.expect(304);

            let publish = of_spec(env, "updateOpenAPISpecBySlug", "large");
            let public = publish.json(&json!({ "visibility": "public" })).send().await.expect(200);
            let path = public.text_at("/urls/published");
            let path = path.strip_prefix(env.server().address()).unwrap();
            let file = raw(env.server(), "GET", path, "", b"");
            assert!(file.body == source.as_bytes());
            assert_eq!(file.header("content-type"), format!("application/{format}"));
            let head = raw(env.server(), "HEAD", path, "", b"");
            assert_eq!((head.status, head.body.len()), (200, 0));
            assert_eq!(head.header("etag"), file.header("etag"));
            let known = format!("If-None-Match: {}\r\n", file.header("etag"));
            assert_eq!(raw(env.server(), "GET", path, &known, b"").status, 304);
            let packed = raw(env.server(), "GET", path, "Accept-Encoding: gzip\r\n", b"");
            assert_eq!(packed.header("content-encoding"), "gzip");
            assert!(packed.body.len() < source.len().max(1_000) / 2);
        }
    });
}
