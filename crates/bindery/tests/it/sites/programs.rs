//! Published sites as programs read them: feeds, Markdown and descriptions of pages.

use bindery_testkit::Answer;
use bindery_testkit::archives::{file, tar};
use serde_json::{Value, json};

use crate::support::content::{change, insert, publish};
use crate::support::{TestEnv, each_engine};

/// A title that would end an element of XML and a script.
const HOSTILE: &str = "]]></title></script>&amp; \"quoted\" <b>";

async fn read(env: &TestEnv, path: &str, headers: &[(&str, &str)]) -> Answer {
    env.client.anonymous().get(&format!("/handbook/{path}"), headers).await
}

/// Returns the change that inserts a page.
fn page(title: &str, fields: &Value) -> Value {
    let mut page = json!({
        "operation": "insert_page", "title": title,
        "document": { "markdown": format!("Text of {title}.\n") },
    });
    page.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    page
}

/// Returns the values of all elements of XML with this name, without attributes.
fn elements(xml: &str, name: &str) -> Vec<String> {
    let tag = format!("<{name}>");
    let parts = xml.split(&tag).skip(1);
    parts.filter_map(|part| part.split_once("</").map(|(text, _)| text.to_owned())).collect()
}

#[test]
fn the_feed_lists_the_pages_that_changed_last() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Handbook").await;
        let pages = json!([
            page("Home", &json!({ "description": "The <first> page" })),
            page(HOSTILE, &json!({ "slug": "hostile" })),
            page("Internal", &json!({ "hidden": true })),
            page("Legal", &json!({ "noIndex": true })),
        ]);
        let _made = change(&env.client, &space, pages).await;
        let _site = publish(env, "Handbook", &space).await;

        let home = read(env, "", &[]).await.expect(200);
        let link = "rel=\"alternate\" type=\"application/atom+xml\" title=\"Handbook\" \
                    href=\"/handbook/atom.xml\"";
        assert!(home.text().contains(link), "{home}");
        let first = read(env, "atom.xml", &[]).await.expect(200);
        assert_eq!(first.header("content-type"), "application/atom+xml; charset=utf-8");
        let text = first.text();
        let hostile = "]]&gt;&lt;/title&gt;&lt;/script&gt;&amp;amp; &quot;quoted&quot; &lt;b&gt;";
        assert_eq!(elements(&text, "title"), ["Handbook", "Home", hostile]);
        assert_eq!(elements(&text, "summary")[0], "The &lt;first&gt; page");
        assert!(elements(&text, "summary")[1].starts_with("Text of ]]&gt;"), "{text}");
        for known in [
            [("if-none-match", first.header("etag"))],
            [("if-modified-since", first.header("last-modified"))],
        ] {
            let _known = read(env, "atom.xml", &known).await.expect(304);
        }

        let _later = insert(&env.client, &space, "Later", "New text.\n").await;
        let second = read(env, "atom.xml", &[("if-none-match", first.header("etag"))]).await;
        let second = second.expect(200).text();
        assert_eq!(elements(&second, "title")[..3], ["Handbook", "Later", "Home"]);
        let (before, after) = (elements(&text, "id"), elements(&second, "id"));
        assert_eq!((&before[0], &before[1..]), (&after[0], &after[2..]));
        assert!(elements(&second, "updated")[0] == elements(&second, "updated")[1], "{second}");
    });
}

#[test]
fn each_space_of_a_site_has_a_feed() {
    each_engine(async |env: &mut TestEnv| {
        let (one, two) = (env.space("One").await, env.space("Two").await);
        let _first = insert(&env.client, &one, "Here", "One text.\n").await;
        let _second = insert(&env.client, &two, "There", "Other text.\n").await;
        let site = publish(env, "Handbook", &one).await.text_at("/id").to_owned();
        let add = env.client.call("addSpaceToSite").path("organizationId", &env.organization);
        let add = add.path("siteId", &site).json(&json!({ "spaceId": two }));
        let _added = add.send().await.expect(201);

        let titles =
            async |path: &str| elements(&read(env, path, &[]).await.expect(200).text(), "title");
        assert_eq!(titles("atom.xml").await, ["Handbook", "There", "Here"]);
        assert_eq!(titles("two/atom.xml").await, ["Handbook – Two", "There"]);
        let other = read(env, "two/", &[]).await.expect(200);
        assert!(other.text().contains("href=\"/handbook/two/atom.xml\""), "{other}");
        let _none = read(env, "three/atom.xml", &[]).await.expect(404);
    });
}

#[test]
fn programs_that_ask_for_markdown_get_it() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Handbook").await;
        let pages = json!([page("Home", &json!({})), page("Below", &json!({}))]);
        let _made = change(&env.client, &space, pages).await;
        let _site = publish(env, "Handbook", &space).await;

        let accept = [("accept", "text/markdown, text/html;q=0.9, */*;q=0.1")];
        for (path, text) in
            [("", "# Home\n\nText of Home.\n"), ("below", "# Below\n\nText of Below.\n")]
        {
            let markdown = read(env, path, &accept).await.expect(200);
            assert_eq!(markdown.header("content-type"), "text/markdown; charset=utf-8");
            let sent = markdown.text();
            let (index, sent) = sent.split_once("\n\n").unwrap();
            assert!(index.starts_with("> Index of all pages: <http"), "{index}");
            assert!(index.ends_with("/handbook/llms.txt>"), "{index}");
            assert_eq!(sent, text);
            let html = read(env, path, &[("accept", "text/html, */*;q=0.8")]).await.expect(200);
            assert_eq!(html.header("content-type"), "text/html; charset=utf-8");
            for answer in [&markdown, &html] {
                assert_eq!(answer.header("vary"), "accept, accept-encoding");
            }
            let known = [accept[0], ("if-none-match", html.header("etag"))];
            let again = read(env, path, &known).await.expect(200);
            assert_eq!(again.text(), markdown.text());
        }
        let _missing = read(env, "nothing", &accept).await.expect(404);
        let feed = read(env, "atom.xml", &accept).await.expect(200);
        assert!(feed.header("content-type").starts_with("application/atom+xml"));
        let full = read(env, "llms-full.txt", &[]).await.expect(200).text();
        assert!(full.starts_with("# Handbook\n\n---\n\n# Home\n\nSource: http"), "{full}");
        assert!(full.ends_with("/handbook/below\n\nText of Below.\n"), "{full}");
        let list = read(env, "llms.txt", &[]).await.expect(200).text();
        assert!(list.contains("/handbook/llms-full.txt"), "{list}");
    });
}

#[test]
fn pages_describe_themselves_to_search_engines() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Handbook").await;
        let pages = json!([page(HOSTILE, &json!({})), page("Hidden", &json!({ "hidden": true }))]);
        let _made = change(&env.client, &space, pages).await;
        let _site = publish(env, "Handbook", &space).await;
        let home = read(env, "", &[]).await.expect(200).text();
        let data = home.split_once("<script type=\"application/ld+json\">").unwrap().1;
        let data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
        assert_eq!(data.pointer("/@graph/0/headline"), Some(&json!(HOSTILE)));
        assert!(data.pointer("/@graph/0/dateModified").is_some_and(Value::is_string), "{data}");
        let hidden = read(env, "hidden", &[]).await.expect(200).text();
        assert!(!hidden.contains("ld+json"), "{hidden}");
    });
}

#[test]
fn assistants_get_the_address_of_the_markdown() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Handbook").await;
        let _made = change(&env.client, &space, json!([page("Home", &json!({}))])).await;
        let site = publish(env, "Handbook", &space).await.text_at("/id").to_owned();
        let call = |operation: &str| {
            let call = env.client.call(operation).path("organizationId", &env.organization);
            call.path("siteId", &site)
        };
        let home = read(env, "", &[]).await.expect(200).text();
        assert!(!home.contains("claude.ai"), "{home}");
        let mut settings = call("getSiteCustomizationById").send().await.expect(200).json;
        settings["pageActions"]["externalAI"] = json!(true);
        let update = call("updateSiteCustomizationById").json(&settings);
        let _updated = update.send().await.expect(200);
        let home = read(env, "", &[]).await.expect(200).text();
        let link = home.split("https://claude.ai/new?q=").nth(1).unwrap();
        let question = link.split('"').next().unwrap();
        assert!(question.contains("%2Fhandbook%2Findex%2Emd"), "{question}");
    });
}

const LOG: &str = "# Log\n\n{% updates format=\"full\" %}\n\
    {% update date=\"2026-01-31\" tags=\"fix\" %}\n## Older & wiser\n\n[Home](README.md) & more\n{% endupdate %}\n\
    {% update date=\"2026-03-01\" tags=\"fix,new\" %}\nNewer\n{% endupdate %}\n\
    {% endupdates %}\n\n{% updates %}\n{% update date=\"2025-01-01\" %}\nOther\n{% endupdate %}\n{% endupdates %}\n";

#[test]
fn a_changelog_has_a_feed() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Handbook").await;
        let archive = |label: &str| {
            let tags = format!("- tag: fix\n  label: {label}\n");
            let page = |path: &str, text: &str| file(path, text);
            tar(&[
                page("README.md", "# Home\n"),
                page("log.md", LOG),
                page(".gitbook/tags.yaml", &tags),
            ])
        };
        let _job = env.import_archive(&space, "application/octet-stream", archive("Fixes")).await;
        let _site = publish(env, "Handbook", &space).await;
        let html = read(env, "log", &[]).await.expect(200).text();
        for part in [
            "title=\"Log\" href=\"/handbook/log.atom\"",
            "title=\"Log (2)\" href=\"/handbook/log.2.atom\"",
            "<article id=\"update-2026-03-01\" class=\"update with-1 with-2\">",
            "<span>Fixes</span>",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        let feed = read(env, "log.atom", &[]).await.expect(200);
        assert_eq!(feed.header("content-type"), "application/atom+xml; charset=utf-8");
        let feed = feed.text();
        assert_eq!(
            elements(&feed, "title"),
            ["Log – Handbook", "1 March 2026", "Older &amp; wiser"]
        );
        assert_eq!(elements(&feed, "updated")[1], "2026-03-01T00:00:00.000Z");
        assert!(feed.contains("/handbook/log#update-2026-01-31\"/>"), "{feed}");
        assert!(feed.contains("<category term=\"fix\" label=\"Fixes\"/>"), "{feed}");
        assert!(feed.contains("&lt;a href=\"http"), "links are absolute: {feed}");
        assert_eq!(
            elements(&read(env, "log.2.atom", &[]).await.expect(200).text(), "entry").len(),
            1
        );
        for missing in ["log.3.atom", "log.1.atom", "index.atom", "nothing.atom"] {
            let _missing = read(env, missing, &[]).await.expect(404);
        }
        let _job = env.import_archive(&space, "application/octet-stream", archive("Mended")).await;
        let html = read(env, "log", &[]).await.expect(200).text();
        assert!(html.contains("<span>Mended</span>"), "{html}");
    });
}
