//! The language of a space: tags in requests and answers, published pages, and imports.

use bindery_testkit::Answer;
use bindery_testkit::archives::{file, tar};
use bindery_testkit::git_server::{Change, GitServer};
use serde_json::{Value, json};

use crate::support::content::{insert, publish};
use crate::support::{TestEnv, each_engine, on_sqlite};

async fn update(env: &TestEnv, space: &str, body: Value) -> Answer {
    env.client.call("updateSpaceById").path("spaceId", space).json(&body).send().await
}

/// Returns the page of a published site at a path.
async fn html(env: &TestEnv, path: &str) -> String {
    env.client.anonymous().get(path, &[]).await.expect(200).text()
}

#[test]
fn every_tag_is_accepted_and_kept_in_its_canonical_form() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Languages").await;
        for (field, tag, kept, listed) in [
            ("language", "fa", "fa", Value::Null),
            ("language", "zh-tw", "zh-TW", json!("zh")),
            ("languageTag", "PT-br", "pt-BR", json!("pt-br")),
            ("languageTag", "sr-latn-rs", "sr-Latn-RS", Value::Null),
            ("language", "de", "de", json!("de")),
            ("languageTag", "x-house", "x-house", Value::Null),
        ] {
            let changed = update(env, &space, json!({ field: tag })).await.expect(200);
            let read = env.of_space("getSpaceById", &space).await.expect(200);
            for answer in [changed, read] {
                assert_eq!(answer.text_at("/languageTag"), kept, "{answer}");
                assert_eq!(answer.json["language"], listed, "{answer}");
            }
        }
        let removed = update(env, &space, json!({ "languageTag": null })).await.expect(200);
        assert!(removed.json.get("languageTag").is_none(), "{removed}");
        for (field, tag) in
            [("language", "zh_TW"), ("language", "english"), ("languageTag", "de-AT-CH")]
        {
            let refused = update(env, &space, json!({ field: tag })).await.expect(400);
            let message = refused.message();
            assert!(message.starts_with(&format!("body at /{field}: found ")), "{message}");
            assert!(message.contains("BCP 47"), "{message}");
        }
        let create = env.client.call("createSpace").path("organizationId", &env.organization);
        let made = create.json(&json!({ "title": "Persian", "language": "FA" })).send().await;
        assert_eq!(made.expect(201).text_at("/languageTag"), "fa");
    });
}

#[test]
fn pages_state_the_language_and_its_direction() {
    on_sqlite(async |env: &mut TestEnv| {
        let space = env.space("Docs").await;
        let _page = insert(&env.client, &space, "One", "Text.\n").await;
        let site = publish(env, "Docs", &space).await;
        assert!(html(env, "/docs/").await.contains("<html lang=\"en\" dir=\"ltr\""));
        let _set = update(env, &space, json!({ "language": "fa" })).await.expect(200);
        let page = html(env, "/docs/").await;
        assert!(page.contains("<html lang=\"fa\" dir=\"rtl\""), "{page}");
        assert!(page.contains("<meta property=\"og:locale\" content=\"fa_IR\">"), "{page}");

        // A site can state another language for its readers.
        let path = |call: bindery_testkit::Call| {
            call.path("organizationId", &env.organization).path("siteId", site.text_at("/id"))
        };
        let placed = path(env.client.call("listSiteSpaces")).send().await.expect(200);
        let change = async |tag: Value| {
            let call = path(env.client.call("updateSiteSpaceById"));
            let call = call.path("siteSpaceId", placed.text_at("/items/0/id"));
            call.json(&json!({ "languageTag": tag })).send().await
        };
        let changed = change(json!("AZ-arab")).await.expect(200);
        assert_eq!(changed.text_at("/languageTag"), "az-Arab");
        assert!(html(env, "/docs/").await.contains("<html lang=\"az-Arab\" dir=\"rtl\""));
        let refused = change(json!("no language")).await.expect(400);
        assert!(refused.message().contains("/languageTag"), "{refused}");
        let changed = change(Value::Null).await.expect(200);
        assert!(changed.json.get("languageTag").is_none(), "{changed}");
        assert!(html(env, "/docs/").await.contains("<html lang=\"fa\" dir=\"rtl\""));
    });
}

const GERMAN: &str = "# Anfang\n\nDieses Kapitel erklärt, wie das Programm installiert und gestartet \
    wird. Sie brauchen ein Konto und einen Schlüssel, bevor Sie fortfahren. Die Einstellungen sind \
    in der Referenz beschrieben, wo es zu jeder von ihnen ein Beispiel gibt. Wenn etwas nicht \
    funktioniert, lesen Sie das Protokoll des Servers.\n\n```sh\nls\n```\n";

#[test]
fn imports_state_or_detect_the_language() {
    each_engine(async |env: &mut TestEnv| {
        let language = async |space: &str| {
            let space = env.of_space("getSpaceById", space).await.expect(200);
            space.json["languageTag"].clone()
        };
        let import = async |space: &str, text: &str, tag: Option<&str>| {
            let mut call = env.client.call("importSpaceArchive").path("spaceId", space);
            if let Some(tag) = tag {
                call = call.query("language", tag);
            }
            let archive = tar(&[file("README.md", text), file("LICENSE", "x")]);
            call.body("application/octet-stream", archive).send().await
        };
        let imported = async |space: &str, text: &str, tag: Option<&str>| {
            let started = import(space, text, tag).await.expect(202);
            let job = env.ended(started.text_at("/id")).await;
            assert_eq!(job.text_at("/status"), "done", "{job}");
            language(space).await
        };
        let space = env.space("Imported").await;
        assert_eq!(imported(&space, "# Short\n", None).await, Value::Null);
        assert_eq!(imported(&space, GERMAN, None).await, "de");
        assert_eq!(imported(&space, GERMAN, Some("DE-at")).await, "de-AT");
        // A language that the space has is not detected again.
        assert_eq!(imported(&space, &GERMAN.replace("Dieses", "Das"), None).await, "de-AT");
        let refused = import(&space, GERMAN, Some("german")).await.expect(400);
        assert!(refused.message().starts_with("query parameter \"language\""), "{refused}");

        let git = GitServer::start();
        let files = [Change::file("README.md", GERMAN)];
        let _commit = git.repository("docs.git").commit("main", "Start", files);
        let space = env.space("From Git").await;
        let body = json!({ "url": git.url("docs.git"), "ref": "main", "language": "gsw" });
        assert_eq!(env.import(&space, &body).await.text_at("/status"), "done");
        assert_eq!(language(&space).await, "gsw");
        // The same commit again changes the language only.
        let body = json!({ "url": git.url("docs.git"), "ref": "main", "language": "de" });
        assert_eq!(env.import(&space, &body).await.text_at("/status"), "done");
        assert_eq!(language(&space).await, "de");
    });
}
