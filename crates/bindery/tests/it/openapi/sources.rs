//! Sources at addresses: fetching, conditional requests, files, failures, and the schedule.

use bindery_store::Tx;
use bindery_testkit::Answer;
use serde_json::{Value, json};

use crate::support::foreign_host::{ForeignHost, Reply};
use crate::support::openapi::{PETSTORE, of_spec, put_source};
use crate::support::{TestEnv, each_engine, on_sqlite, until};

fn at(host: &ForeignHost, path: &str) -> Value {
    json!({ "url": format!("{}{path}", host.address) })
}

fn yaml(text: &str) -> Reply {
    Reply::Page(200, "application/yaml", text.as_bytes().to_vec())
}

/// Returns the code and the first message of a failed run.
fn failure(spec: &Answer) -> (&str, &str) {
    let message = spec.text_at("/lastProcessedErrors/0/message");
    (spec.text_at("/lastProcessErrorCode"), message)
}

#[test]
fn files_are_fetched_only_if_they_have_changed() {
    each_engine(async |env: &mut TestEnv| {
        let host = ForeignHost::start();
        let root = PETSTORE.replace("#/components/schemas/Pet'}\ncomp", "./parts/pet.yaml'}\ncomp");
        host.set("/api/openapi.yaml", Reply::Tagged("\"one\"", root.clone().into_bytes()));
        let pet = "type: object\nproperties: {owner: {$ref: 'owner.json#/Owner'}}\n";
        host.set("/api/parts/pet.yaml", yaml(pet));
        let owner = "{\"Owner\": {\"type\": \"string\"}}";
        host.set("/api/parts/owner.json", yaml(owner));
        let first = put_source(env, "pets", at(&host, "/api/openapi.yaml")).await;
        assert_eq!(first.at("/lastProcessedErrors"), &json!([]), "{first}");
        assert_eq!(first.text_at("/sourceURL"), format!("{}/api/openapi.yaml", host.address));
        let content = of_spec(env, "getLatestOpenAPISpecVersionContent", "pets");
        let content = content.send().await.expect(200);
        let files = json!({
            "openapi.yaml": root, "parts/pet.yaml": pet, "parts/owner.json": owner,
        });
        assert_eq!(content.at("/filesystem"), &files);
        assert_eq!(content.text_at("/url"), first.text_at("/sourceURL"));

        // The same address is read again, and the file that has a tag is not sent again.
        let second = put_source(env, "pets", at(&host, "/api/openapi.yaml")).await;
        assert_eq!(second.text_at("/lastVersion"), first.text_at("/lastVersion"));
        assert!(second.text_at("/lastProcessedAt") > first.text_at("/lastProcessedAt"));
        assert_eq!(host.requests("/api/openapi.yaml"), 2);
        assert_eq!(host.not_modified(), 1);
        host.set("/api/parts/owner.json", yaml("{\"Owner\": {\"type\": \"integer\"}}"));
        let third = put_source(env, "pets", at(&host, "/api/openapi.yaml")).await;
        assert_ne!(third.text_at("/lastVersion"), first.text_at("/lastVersion"));
        assert_eq!(host.not_modified(), 2);
    });
}

#[test]
fn failures_name_the_file_and_the_place() {
    on_sqlite(async |env: &mut TestEnv| {
        let host = ForeignHost::start();
        let source = at(&host, "/openapi.yaml");
        let absent = put_source(env, "pets", source.clone()).await;
        let (code, message) = failure(&absent);
        assert_eq!(code, "FETCH_ERROR");
        assert!(message.contains("/openapi.yaml answered with the status 404"), "{message}");
        assert!(absent.json.get("lastVersion").is_none(), "{absent}");
        let latest = of_spec(env, "getLatestOpenAPISpecVersion", "pets").send().await;
        let _none = latest.expect(404);

        host.set("/openapi.yaml", yaml(PETSTORE));
        let good = put_source(env, "pets", source.clone()).await;
        let lost = PETSTORE.replace("'#/components/schemas/Pet'}\n", "'./lost.yaml'}\n");
        for (reply, code, part) in [
            (yaml(&lost), "FETCH_ERROR", "openapi.yaml:"),
            (Reply::html("<html><body>Sign in</body></html>"), "PARSE_ERROR", "openapi.yaml"),
            (yaml("swagger: '1.2'\n"), "PARSE_ERROR", "1.2"),
            (Reply::Page(200, "text/plain", vec![0xff; 9]), "PARSE_ERROR", "not UTF-8"),
            (Reply::Redirect("http://169.254.169.254/".to_owned()), "FETCH_ERROR", "169.254"),
        ] {
            host.set("/openapi.yaml", reply);
            let failed = put_source(env, "pets", source.clone()).await;
            let (found, message) = failure(&failed);
            assert_eq!(found, code, "{failed}");
            assert!(message.contains(part), "{part}: {message}");
            assert_eq!(failed.text_at("/lastVersion"), good.text_at("/lastVersion"));
        }
    });
}

#[test]
fn what_a_conversion_loses_is_reported() {
    on_sqlite(async |env: &mut TestEnv| {
        let text = "swagger: '2.0'\ninfo: {title: Old, version: '1'}\npaths: {}\n\
                    definitions: {A: {$ref: '#/definitions/B'}}\n";
        let spec = put_source(env, "old", json!({ "text": text })).await;
        assert!(spec.json.get("lastProcessErrorCode").is_none(), "{spec}");
        assert_eq!(spec.text_at("/lastProcessedErrors/0/code"), "WARNING");
        let raw = of_spec(env, "getLatestOpenAPISpecVersionContentRaw", "old").send().await;
        assert_eq!(raw.expect(200).text_at("/text"), text);
    });
}

#[test]
fn sources_at_addresses_are_read_again_when_they_are_due() {
    each_engine(async |env: &mut TestEnv| {
        let host = ForeignHost::start();
        host.set("/openapi.yaml", yaml(PETSTORE));
        let first = put_source(env, "pets", at(&host, "/openapi.yaml")).await;
        host.set("/openapi.yaml", yaml(&PETSTORE.replace("Returns", "Finds")));
        let due = |tx: &Tx<'_>| tx.execute("UPDATE openapi_specs SET next_at = 0", &[]);
        let _count = env.edit_store(due).await;
        let later = until(async || {
            let spec = of_spec(env, "getOpenAPISpecBySlug", "pets").send().await.expect(200);
            let is_later = spec.text_at("/lastProcessedAt") > first.text_at("/lastProcessedAt");
            is_later.then_some(spec)
        })
        .await;
        assert_ne!(later.text_at("/lastVersion"), first.text_at("/lastVersion"));
    });
}
