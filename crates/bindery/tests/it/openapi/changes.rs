//! Changes between versions, overlays, and hooks.

use bindery_testkit::Answer;
use serde_json::{Value, json};

use crate::support::change_requests::Proposal;
use crate::support::foreign_host::{ForeignHost, Reply};
use crate::support::openapi::{PETSTORE, of_spec, processed, put_source};
use crate::support::{TestEnv, each_engine, on_sqlite, until};

/// Returns the changes of a version once it was compared.
async fn changes(env: &TestEnv, version: &str) -> Answer {
    until(async || {
        let call = of_spec(env, "getOpenAPISpecVersionChanges", "pets");
        let answer = call.path("versionId", version).send().await.expect(200);
        (answer.at("/state") != "pending").then_some(answer)
    })
    .await
}

async fn with_query(env: &TestEnv, version: &str, query: &[(&str, &str)]) -> Answer {
    let call = of_spec(env, "getOpenAPISpecVersionChanges", "pets").path("versionId", version);
    query.iter().fold(call, |call, (name, value)| call.query(name, value)).send().await.expect(200)
}

#[test]
fn versions_are_compared_with_the_one_before() {
    each_engine(async |env: &mut TestEnv| {
        let first = put_source(env, "pets", json!({ "text": PETSTORE })).await;
        let answer = changes(env, "latest").await;
        assert_eq!((answer.text_at("/state"), answer.at("/count")), ("first", &json!(0)));
        let changed = PETSTORE
            .replace("schema: {type: string}", "schema: {type: integer}")
            .replace("Returns a pet", "Finds a pet");
        let second = put_source(env, "pets", json!({ "text": changed })).await;
        let second = second.text_at("/lastVersion");
        let answer = changes(env, second).await;
        assert_eq!(answer.text_at("/state"), "complete", "{answer}");
        assert_eq!(answer.at("/from"), first.at("/lastVersion"));
        assert_eq!(answer.at("/breaking"), 1, "{answer}");
        let change = answer.at("/items/0");
        assert_eq!(change["rule"], "request-parameter-type-changed");
        assert_eq!((&change["level"], &change["method"]), (&json!("breaking"), &json!("get")));
        assert_eq!(
            (&change["path"], &change["operationId"]),
            (&json!("/pets/{petId}"), &json!("getPet"))
        );

        // Filters and pages.
        let all = answer.at("/count").as_u64().unwrap();
        let breaking = with_query(env, second, &[("level", "breaking")]).await;
        assert_eq!(breaking.at("/count"), 1);
        let none = with_query(env, second, &[("query", "PETID nothing")]).await;
        assert_eq!(none.at("/count"), 0);
        let found = with_query(env, second, &[("query", "PETID type")]).await;
        assert_eq!(found.at("/count"), 1);
        let page = with_query(env, second, &[("limit", "1")]).await;
        assert_eq!(page.at("/items").as_array().unwrap().len(), 1);
        if all > 1 {
            let next = page.text_at("/next/page");
            let rest = with_query(env, second, &[("page", next)]).await;
            assert_eq!(rest.at("/items").as_array().unwrap().len() as u64, all - 1);
        }
        let event = env
            .client
            .call("listOrganizationAuditEvents")
            .path("organizationId", &env.organization);
        let events = event.query("action", "openapi.version.compared").send().await.expect(200);
        assert_eq!(events.at("/count"), 1, "{events}");
        let missing = of_spec(env, "getOpenAPISpecVersionChanges", "pets");
        let _none = missing.path("versionId", "absent").send().await.expect(404);
    });
}

#[test]
fn changes_have_a_page_and_feeds() {
    each_engine(async |env: &mut TestEnv| {
        let first = put_source(env, "pets", json!({ "text": PETSTORE })).await;
        let source = json!({
            "type": "builtin:openapi",
            "props": { "models": false, "changes": true },
            "dependencies": { "spec": { "ref": { "kind": "openapi", "spec": "pets" } } },
        });
        let create = env.client.call("createSpace").path("organizationId", &env.organization);
        let body = json!({ "title": "API", "computedSource": source });
        let space = create.json(&body).send().await.expect(201).text_at("/id").to_owned();
        let _site = crate::support::content::publish(env, "API", &space).await;
        let reader = env.client.anonymous();
        let page = reader.get("/api/changes", &[]).await.expect(200).text();
        assert!(page.contains("There is no change yet."), "{page}");
        let changed = PETSTORE
            .replace("schema: {type: string}", "schema: {type: integer}")
            .replace("getPet", "'{% include \"x\" %}'");
        let _second = put_source(env, "pets", json!({ "text": changed })).await;
        let page = until(async || {
            let page = reader.get("/api/changes", &[]).await.expect(200).text();
            page.contains("1 breaking change").then_some(page)
        })
        .await;
        assert!(page.contains("GET /pets/{petId}"), "{page}");
        let feed = reader.get("/api/changes.atom", &[]).await.expect(200).text();
        assert!(feed.contains("<title>1 breaking change"), "{feed}");

        let id = first.text_at("/id");
        let address = format!("/~openapi/{id}/changes.atom");
        let _hidden = reader.get(&address, &[]).await.expect(404);
        let public = of_spec(env, "updateOpenAPISpecBySlug", "pets");
        let public = public.json(&json!({ "visibility": "public" })).send().await;
        let _public = public.expect(200);
        let feed = reader.get(&address, &[]).await.expect(200).text();
        assert!(feed.contains("<title>1 breaking change") && feed.contains("Breaking"), "{feed}");
    });
}

#[test]
fn overlays_change_what_is_read() {
    each_engine(async |env: &mut TestEnv| {
        let first = put_source(env, "pets", json!({ "text": PETSTORE })).await;
        let host = ForeignHost::start();
        let overlay = |title: &str| {
            format!(
                "overlay: 1.0.0\ninfo: {{title: One, version: '1'}}\nactions:\n  - target: \
                 $.paths['/pets/{{petId}}'].get\n    update: {{summary: {title}}}\n"
            )
        };
        host.set("/overlay.yaml", Reply::Page(200, "application/yaml", overlay("Far").into()));
        let set = async |overlays: Value| {
            let set = of_spec(env, "setOpenAPISpecOverlays", "pets");
            set.json(&json!({ "overlays": overlays })).send().await
        };
        let far = json!({ "source": { "url": format!("{}/overlay.yaml", host.address) } });
        let near = json!({ "source": { "text": overlay("Near") } });
        let answer = set(json!([near, far])).await.expect(200);
        assert_eq!(answer.at("/items"), &json!([near, far]));
        let second = processed(env, "pets").await;
        assert_ne!(second.at("/lastVersion"), first.at("/lastVersion"));
        let parts = of_spec(env, "listOpenAPISpecOperations", "pets").send().await.expect(200);
        assert_eq!(parts.text_at("/items/0/title"), "Far");
        // The raw content stays what was read.
        let raw = of_spec(env, "getLatestOpenAPISpecVersionContentRaw", "pets").send().await;
        assert_eq!(raw.expect(200).text_at("/text"), PETSTORE);
        let listed = of_spec(env, "listOpenAPISpecOverlays", "pets").send().await.expect(200);
        assert_eq!(listed.at("/items"), &json!([near, far]));

        // A source that cannot be read leaves the last good version.
        host.set("/overlay.yaml", Reply::Page(200, "text/plain", b"overlay: 9".to_vec()));
        let _set = set(json!([far])).await.expect(200);
        let failed = processed(env, "pets").await;
        assert_eq!(failed.text_at("/lastProcessErrorCode"), "PARSE_ERROR", "{failed}");
        assert!(failed.text_at("/lastProcessedErrors/0/message").contains("/overlay.yaml"));
        assert_eq!(failed.at("/lastVersion"), second.at("/lastVersion"));
        let _set = set(json!([])).await.expect(200);
        assert_eq!(processed(env, "pets").await.at("/lastVersion"), first.at("/lastVersion"));
    });
}

#[test]
fn overlays_that_are_wrong_change_nothing() {
    on_sqlite(async |env: &mut TestEnv| {
        let _first = put_source(env, "pets", json!({ "text": PETSTORE })).await;
        let one = json!({ "source": { "text": "overlay: 1.0.0\ninfo: {title: A, version: '1'}\nactions: [{target: $.info, update: {title: X}}]\n" } });
        let long = json!({ "source": { "text": "# ".repeat(3 << 19) } });
        for (overlays, part) in [
            (json!([one, { "source": { "text": "x: 1" } }]), "/overlays/1/source/text"),
            (
                json!([{ "source": { "url": "http://169.254.169.254/x" } }]),
                "/overlays/0/source/url",
            ),
            (json!([{ "source": {} }]), "/overlays/0/source"),
            (json!(vec![one.clone(); 11]), "at most 10"),
            (json!(vec![long; 3]), "at most 8 MiB"),
        ] {
            let set = of_spec(env, "setOpenAPISpecOverlays", "pets");
            let refused = set.json(&json!({ "overlays": overlays })).send().await.expect(400);
            assert!(refused.text_at("/error/message").contains(part), "{part}: {refused}");
        }
        let listed = of_spec(env, "listOpenAPISpecOverlays", "pets").send().await.expect(200);
        assert_eq!(listed.at("/items"), &json!([]));
    });
}

#[test]
fn a_hook_reads_the_source_again() {
    each_engine(async |env: &mut TestEnv| {
        let host = ForeignHost::start();
        host.set("/a.yaml", Reply::Page(200, "application/yaml", PETSTORE.into()));
        let source = json!({ "url": format!("{}/a.yaml", host.address) });
        let spec = put_source(env, "pets", source).await;
        let hook = async |operation: &str| of_spec(env, operation, "pets").send().await;
        assert_eq!(hook("getOpenAPISpecHook").await.expect(200).at("/enabled"), false);
        let made = hook("createOpenAPISpecHook").await.expect(200);
        let token = made.text_at("/token");
        assert!(made.text_at("/url").ends_with(spec.text_at("/id")), "{made}");
        let known = hook("getOpenAPISpecHook").await.expect(200);
        assert!(known.json.get("token").is_none() && known.at("/enabled") == true, "{known}");
        let receive = async |token: &str| {
            let call = env.client.anonymous().call("receiveOpenAPIHook");
            let call = call.path("specId", spec.text_at("/id"));
            call.header("x-bindery-token", token).send().await
        };
        let _wrong = receive("bnh_wrong").await.expect(401);
        let _read = receive(token).await.expect(204);
        let _again = until(async || {
            let again = of_spec(env, "getOpenAPISpecBySlug", "pets").send().await.expect(200);
            (again.text_at("/lastProcessedAt") > spec.text_at("/lastProcessedAt")).then_some(again)
        })
        .await;
        let replaced = hook("createOpenAPISpecHook").await.expect(200);
        let _former = receive(token).await.expect(401);
        let _gone = hook("deleteOpenAPISpecHook").await.expect(205);
        let _none = receive(replaced.text_at("/token")).await.expect(401);
        let _none = hook("deleteOpenAPISpecHook").await.expect(204);
    });
}

#[test]
fn change_requests_are_checked_against_specifications() {
    each_engine(async |env: &mut TestEnv| {
        let _first = put_source(env, "pets", json!({ "text": PETSTORE })).await;
        let space = env.space("Docs").await;
        let proposal = Proposal::new(&env.client, &space).await;
        let block = |spec: &str, path: &str| {
            format!(
                "{{% openapi-operation spec=\"{spec}\" path=\"{path}\" method=\"get\" \
                 %}}\n[OpenAPI {spec}](https://example.com)\n{{% endopenapi-operation %}}\n\n"
            )
        };
        let text = [block("pets", "/pets/{petId}"), block("pets", "/gone"), block("none", "/x")];
        let _page = proposal.page("API", &text.concat()).await;
        let found = async || {
            let answer = proposal.get("listChangeRequestProblems").await;
            let items = answer.at("/items").as_array().unwrap().iter();
            let text = |item: &Value, name: &str| item[name].as_str().unwrap().to_owned();
            let kinds = items.map(|item| (text(item, "kind"), text(item, "source")));
            kinds.collect::<Vec<_>>()
        };
        let pair = |kind: &str, source: &str| (kind.to_owned(), source.to_owned());
        let missing =
            [pair("missing-api-part", "pets get /gone"), pair("missing-api-part", "none get /x")];
        assert_eq!(found().await, missing);
        let changed = PETSTORE.replace("schema: {type: string}", "schema: {type: integer}");
        let second = put_source(env, "pets", json!({ "text": changed })).await;
        let _compared = changes(env, second.text_at("/lastVersion")).await;
        let all = found().await;
        assert_eq!(all[0], pair("breaking-api-change", "pets get /pets/{petId}"));
        assert_eq!(all[1..], missing);
    });
}

#[test]
fn parts_are_listed_for_blocks() {
    on_sqlite(async |env: &mut TestEnv| {
        let text = PETSTORE.replace(
            "components:",
            "webhooks: {sold: {post: {summary: A pet was sold, deprecated: true}}}\ncomponents:",
        );
        let _spec = put_source(env, "pets", json!({ "text": text })).await;
        let parts = async |query: &[(&str, &str)]| {
            let call = of_spec(env, "listOpenAPISpecOperations", "pets");
            let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
            call.send().await.expect(200).at("/items").clone()
        };
        let all = json!([
            {
                "kind": "operation", "path": "/pets/{petId}", "method": "get",
                "operationId": "getPet", "title": "Returns a pet", "tags": ["Pets"],
                "deprecated": false,
            },
            {
                "kind": "webhook", "name": "sold", "method": "post",
                "title": "A pet was sold", "deprecated": true,
            },
            { "kind": "model", "name": "Pet" },
        ]);
        assert_eq!(parts(&[]).await, all);
        assert_eq!(parts(&[("kind", "model")]).await, json!([all[2]]));
        assert_eq!(parts(&[("query", "RETURNS pets/")]).await, json!([all[0]]));
        assert_eq!(parts(&[("query", "nothing")]).await, json!([]));
    });
}
