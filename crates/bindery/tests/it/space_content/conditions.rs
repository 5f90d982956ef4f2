//! Conditions and expressions in documents of the API and on published sites, reusable contents and
//! computed content.

use bindery_testkit::Answer;
use bindery_testkit::git_server::{Change, GitServer};
use serde_json::{Value, json};

use crate::support::content::publish;
use crate::support::{TestEnv, each_engine};

const SUMMARY: &str = "# Table of contents

* [Draft](draft.md)
* [Welcome](README.md)
* [For five](five.md)
* [For six](six.md)
  * [Below six](six/below.md)
* [For professionals](pro.md)
* [Last](last.md)
";

const WELCOME: &str = "# Welcome

Version <code class=\"expression\">space.vars.version</code>, \
plan <code class=\"expression\">visitor.claims.plan</code>.

{% if space.vars.major == 5 %}
Said for five.
{% endif %}

{% if space.vars.major == 6 %}
Said for six.
{% endif %}

{% if visitor.claims.plan == \"pro\" %}
Said for professionals.
{% endif %}

See [six](six.md) and [five](five.md).

{% include \".gitbook/includes/note.md\" %}
";

const NOTE: &str = "---
title: Note
---

Noted for <code class=\"expression\">space.vars.version</code>.

{% if space.vars.major == 6 %}
Noted for six.
{% endif %}
";

fn changes() -> Vec<Change> {
    let page = |condition: &str, title: &str| {
        format!("---\nif: {condition}\n---\n\n# {title}\n\nText of {title}.\n")
    };
    vec![
        Change::file("SUMMARY.md", SUMMARY),
        Change::file("README.md", WELCOME),
        Change::file("draft.md", page("page.vars.shown", "Draft")),
        Change::file("five.md", page("space.vars.major == 5", "For five")),
        Change::file("six.md", page("space.vars.major == 6", "For six")),
        Change::file("six/below.md", "# Below six\n\nText below six.\n"),
        Change::file("pro.md", page("visitor.claims.plan == 'pro'", "For professionals")),
        Change::file("last.md", "# Last\n\nThe last text.\n"),
        Change::file(".gitbook/includes/note.md", NOTE),
        Change::file(".gitbook/vars.yaml", "version: '5.8'\nmajor: 5\n"),
    ]
}

/// Returns the texts of a document's leaves and the number of unevaluated conditions and
/// expressions.
fn read(document: &Value) -> (String, usize) {
    fn walk(value: &Value, text: &mut String, left: &mut usize) {
        match value {
            Value::Object(map) => {
                let raw = ["if", "expression"].map(Value::from);
                *left += usize::from(map.get("type").is_some_and(|of| raw.contains(of)));
                text.extend(map.get("text").and_then(Value::as_str));
                map.values().for_each(|value| walk(value, text, left));
            }
            Value::Array(items) => items.iter().for_each(|value| walk(value, text, left)),
            _ => {}
        }
    }
    let (mut text, mut left) = (String::new(), 0);
    walk(document, &mut text, &mut left);
    (text, left)
}

async fn space(env: &TestEnv, git: &GitServer) -> (String, String) {
    git.repository("evaluated.git").commit("main", "one", changes());
    let space = env.space("Evaluated").await;
    let request = json!({ "url": git.url("evaluated.git"), "ref": "refs/heads/main" });
    let job = env.import(&space, &request).await;
    assert_eq!(job.text_at("/status"), "done", "{job}");
    (space, job.text_at("/revision").to_owned())
}

#[test]
fn documents_are_evaluated_in_three_modes() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let (space, revision) = space(env, &git).await;
        let page = env.client.call("getPageByPath").path("spaceId", &space);
        let page = page.path("pagePath", "readme").send().await.expect(200);
        let id = page.text_at("/id").to_owned();
        // The second request uses cached results.
        for _ in 0..2 {
            for (mode, left, said, unsaid) in [
                ("false", 5, "Said for six.", "5.8"),
                ("true", 0, "Version 5.8, plan .", "Said for six."),
                ("true", 0, "Said for five.", "Said for professionals."),
                ("deterministic-only", 2, "Said for professionals.", "Said for six."),
            ] {
                for operation in [
                    "getPageById",
                    "getPageByPath",
                    "getPageInRevisionById",
                    "getPageInRevisionByPath",
                    "getPageDocumentInRevisionById",
                ] {
                    let call = env.client.call(operation).path("spaceId", &space);
                    let call = if operation.contains("Revision") {
                        call.path("revisionId", &revision)
                    } else {
                        call
                    };
                    let call = if operation.ends_with("Path") {
                        call.path("pagePath", "readme")
                    } else {
                        call.path("pageId", &id)
                    };
                    let answer = call.query("evaluated", mode).send().await.expect(200);
                    let document = answer.json.pointer("/document").unwrap_or(&answer.json);
                    let (text, conditions) = read(document);
                    assert_eq!(conditions, left, "{operation} {mode}: {text}");
                    assert!(text.contains(said), "{operation} {mode}: {text}");
                    assert!(!text.contains(unsaid), "{operation} {mode}: {text}");
                }
            }
        }
        let call = env.client.call("getPageById").path("spaceId", &space).path("pageId", &id);
        let _wrong = call.query("evaluated", "sometimes").send().await.expect(400);
    });
}

#[test]
fn reusable_contents_and_their_documents() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let (space, revision) = space(env, &git).await;
        let whole = env.of_space("getCurrentRevision", &space).await.expect(200);
        let note = whole.at("/reusableContents/0").clone();
        assert_eq!(note["title"], "Note");
        let id = note["id"].as_str().unwrap().to_owned();
        let ask = |operation: &str, space: &str, revision: &str, id: &str| {
            let call = env.client.call(operation).path("spaceId", space);
            let call = if operation.contains("Revision") {
                call.path("revisionId", revision)
            } else {
                call
            };
            call.path("reusableContentId", id)
        };
        let one = ask("getReusableContentById", &space, "", &id).send().await.expect(200);
        assert_eq!(one.json, note);
        let one = ask("getReusableContentInRevisionById", &space, &revision, &id);
        assert_eq!(one.send().await.expect(200).json, note);

        let document = "getReusableContentDocumentInRevisionById";
        for (mode, left, said, unsaid) in [
            ("false", 2, "Noted for six.", "5.8"),
            ("true", 0, "Noted for 5.8.", "Noted for six."),
            ("deterministic-only", 0, "Noted for 5.8.", "Noted for six."),
        ] {
            let answer = ask(document, &space, &revision, &id).query("evaluated", mode);
            let (text, conditions) = read(&answer.send().await.expect(200).json);
            assert_eq!(conditions, left, "{mode}: {text}");
            assert!(text.contains(said) && !text.contains(unsaid), "{mode}: {text}");
        }

        let other = env.space("Another").await;
        let stranger = env.person("guest@example.com", None).await;
        for operation in ["getReusableContentById", "getReusableContentInRevisionById", document] {
            for odd in ["x", "~", "00000000000000000000"] {
                let _missing = ask(operation, &space, &revision, odd).send().await.expect(404);
            }
            let _elsewhere = ask(operation, &other, &revision, &id).send().await.expect(404);
            let call = stranger.call(operation).path("spaceId", &space);
            let call = if operation.contains("Revision") {
                call.path("revisionId", &revision)
            } else {
                call
            };
            let _refused = call.path("reusableContentId", &id).send().await.expect(404);
        }
    });
}

#[test]
fn computed_contents_name_missing_values() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Computed").await;
        let ask = async |operation: &str, source: Value| -> Answer {
            let call = env.client.call(operation).path("spaceId", &space);
            call.json(&json!({ "source": source, "seed": "s" })).send().await
        };
        let specification = json!({ "spec": { "ref": { "kind": "openapi", "spec": "pets" } } });
        let integration = json!({ "type": "integration:some:source", "props": {} });
        for (operation, props) in [
            ("getComputedDocument", json!({ "doc": "operations", "page": "pets" })),
            ("getComputedRevision", json!({ "models": true })),
        ] {
            let source = json!({
                "type": "builtin:openapi", "props": props, "dependencies": specification,
            });
            let missing = ask(operation, source).await.expect(404);
            assert!(missing.message().contains("OpenAPI specification"), "{missing}");
            let missing = ask(operation, integration.clone()).await.expect(404);
            assert!(missing.message().contains("integration"), "{missing}");
            for wrong in [json!({}), json!({ "type": "builtin:other", "props": {} }), json!("x")] {
                let _refused = ask(operation, wrong).await.expect(400);
            }
        }
    });
}

#[test]
fn sites_show_what_conditions_allow() {
    each_engine(async |env: &mut TestEnv| {
        let git = GitServer::start();
        let (space, _) = space(env, &git).await;
        let _site = publish(env, "Shown", &space).await;
        let nobody = env.client.anonymous();
        let get = async |path: &str| nobody.get(&format!("/shown/{path}"), &[]).await;

        // The first visible page is at the root.
        let first = get("").await.expect(200).text().to_owned();
        for said in
            ["Version 5.8, plan .", "Said for five.", "Noted for 5.8.", "/shown/five", "Last"]
        {
            assert!(first.contains(said), "{said} is missing: {first}");
        }
        for unsaid in [
            "Said for six",
            "professionals",
            "Noted for six",
            "/shown/six",
            "For six",
            "Below six",
            "Draft",
        ] {
            assert!(!first.contains(unsaid), "{unsaid} is shown: {first}");
        }
        other_formats_hide_the_same(&get).await;
        let five = get("five").await.expect(200).text().to_owned();
        assert!(five.contains("Text of For five.") && five.contains("/shown/last"), "{five}");
        assert!(!five.contains("/shown/six"), "{five}");
        for path in ["sitemap.xml", "llms.txt"] {
            let listed = get(path).await.expect(200).text().to_owned();
            assert!(listed.contains("/shown/five") && listed.contains("/shown/last"), "{listed}");
            for unsaid in ["six", "pro", "draft"] {
                assert!(!listed.contains(&format!("/shown/{unsaid}")), "{path}: {listed}");
            }
        }

        // Another value of a variable makes other pages visible.
        let six = [Change::file(".gitbook/vars.yaml", "version: '6.0'\nmajor: 6\n")];
        git.repository("evaluated.git").commit("main", "six", six);
        let request = json!({ "url": git.url("evaluated.git"), "ref": "refs/heads/main" });
        assert_eq!(env.import(&space, &request).await.text_at("/status"), "done");
        let first = get("").await.expect(200).text().to_owned();
        assert!(first.contains("Version 6.0") && first.contains("/shown/six"), "{first}");
        assert!(!first.contains("Said for five.") && !first.contains("/shown/five"), "{first}");
        assert!(get("six/below").await.expect(200).text().contains("Text below six."));
        let _missing = get("five").await.expect(404);
    });
}

/// Reads pages as Markdown, and the addresses of hidden pages.
async fn other_formats_hide_the_same(get: impl AsyncFn(&str) -> Answer) {
    // The Markdown of a page has no more content than its HTML.
    let markdown = get("index.md").await.expect(200).text().to_owned();
    assert!(markdown.contains("Version 5.8, plan ."), "{markdown}");
    assert!(markdown.contains("Said for five."), "{markdown}");
    for unsaid in ["Said for six", "professionals", "{% if", "<code"] {
        assert!(!markdown.contains(unsaid), "{unsaid} is shown: {markdown}");
    }
    for path in ["six", "six/below", "pro", "draft", "six.md", "pro.md"] {
        let missing = get(path).await.expect(404);
        assert!(!missing.text().contains("Text of"), "{missing}");
    }
}
