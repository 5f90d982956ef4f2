//! Markdown files that are no pages, shown outside of the navigation.

use bindery_testkit::Answer;
use bindery_testkit::archives::{file, tar};
use serde_json::json;

use crate::support::content::publish;
use crate::support::{TestEnv, each_engine};

const HOME: &str = "# Home

[rules](style.md#two) [page](guide.md) [moved](taken.md) [members](members.md)

{% file src=\"style.md\" %}
";
const STYLE: &str = "# Style rules

[deep](more/)

{% if false %}
never shown
{% endif %}

## Two

<script>alert(1)</script>";

async fn read(env: &TestEnv, path: &str) -> Answer {
    env.client.anonymous().get(&format!("/handbook/{path}"), &[]).await
}

/// Publishes a space with such files, and returns the id of the site.
async fn published(env: &TestEnv) -> String {
    let space = env.space("Handbook").await;
    let archive = tar(&[
        file("SUMMARY.md", "* [Home](README.md)\n* [Guide](guide.md)\n* [Taken](other.md)\n"),
        file("README.md", HOME),
        file("guide.md", "# Guide\n"),
        file("other.md", "# Taken\n"),
        file("style.md", STYLE),
        file("taken.md", "not shown, because a page has the path"),
        file("members.md", "---\nif: visitor.claims.member == true\n---\n\nsecret"),
        file("more/README.md", "deep text"),
        file(".gitbook.yaml", "redirects:\n  taken: other.md\n"),
    ]);
    let _job = env.import_archive(&space, "application/octet-stream", archive).await;
    publish(env, "Handbook", &space).await.text_at("/id").to_owned()
}

#[test]
fn markdown_files_are_shown_outside_of_the_navigation() {
    each_engine(async |env: &mut TestEnv| {
        let _site = published(env).await;
        let home = read(env, "").await.expect(200).text();
        assert!(home.contains("<a href=\"/handbook/style#two\">rules</a>"), "{home}");
        let download = home.split("class=\"file\" href=\"").nth(1).unwrap();
        assert!(download.starts_with("/~files/"), "{home}");
        assert!(!home.contains("<a href=\"/handbook/taken\">moved</a>"), "{home}");

        let page = read(env, "style").await.expect(200);
        let html = page.text();
        for part in [
            "<span class=\"alias\" id=\"style-rules\"></span><h1 class=\"page-title\"",
            "Style rules</h1><p class=\"unlisted\">",
            "<h2 id=\"two\">",
            "<a href=\"/handbook/more\">deep</a>",
            "<meta name=\"robots\" content=\"noindex\">",
            "href=\"/handbook/guide\"",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(!html.contains("<script>alert"), "{html}");
        assert_eq!(page.headers["x-robots-tag"], "noindex");
        assert!(read(env, "more").await.expect(200).text().contains("deep text"));
        let markdown = read(env, "style.md").await.expect(200).text();
        assert!(markdown.starts_with("# Style rules\n"), "{markdown}");
        assert!(!markdown.contains("never shown"), "{markdown}");
        for list in ["sitemap.xml", "llms.txt"] {
            assert!(!read(env, list).await.expect(200).text().contains("/style"), "{list}");
        }
        let moved = read(env, "taken").await;
        assert!(!moved.text().contains("not shown"), "{moved}");
        let _absent = read(env, "members").await.expect(404);
        let _absent = read(env, "nothing").await.expect(404);
    });
}

#[test]
fn a_site_can_offer_such_files_for_download_only() {
    each_engine(async |env: &mut TestEnv| {
        let site = published(env).await;
        let _shown = read(env, "style").await.expect(200);
        let call = |operation: &str| {
            let call = env.client.call(operation);
            call.path("organizationId", &env.organization).path("siteId", &site)
        };
        let mut settings = call("getSiteCustomizationById").send().await.expect(200).json;
        assert_eq!(settings.get("unlistedPages"), None);
        settings["unlistedPages"] = json!({ "enabled": false });
        let update = call("updateSiteCustomizationById").json(&settings);
        let _changed = update.send().await.expect(200);
        let _absent = read(env, "style").await.expect(404);
        let home = read(env, "").await.expect(200).text();
        assert!(!home.contains("/handbook/style"), "{home}");
        assert!(home.contains("#two\">rules</a>"), "{home}");
    });
}
