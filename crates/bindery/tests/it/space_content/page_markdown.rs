//! Links of pages that are read as Markdown: they are relative to the page's path, regardless of
//! its file, and sending the text back unchanged has no effect.

use std::collections::HashSet;

use bindery_testkit::archives::zip;
use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::support::change_requests::Proposal;
use crate::support::content::publish;
use crate::support::{TestEnv, each_engine};

const SUMMARY: &str = "# Table of contents\n\n* [Home](README.md)\n\n## Guides\n\n\
    * [Start](docs/start/README.md)\n  * [Next steps](docs/deep/next.md)\n* [Other](other.md)\n";
const START: &str = "# Start\n\n[next](../deep/next.md#part) [home](../../README.md) \
    [other](../../other.md) [self](README.md) [gone](../gone.md) [out](https://example.com/x)\n\n\
    ![a picture](../../.gitbook/assets/p.png)\n\n\
    {% file src=\"../../.gitbook/assets/p.png\" %}\n\n{% content-ref url=\"../deep/next.md\" %}\n\
    [next.md](../deep/next.md)\n{% endcontent-ref %}\n\n`[code](../deep/next.md)`\n\n[there][1] \
    [down](#part)\n\n<a href=\"../../other.md\">other</a>\n\n[1]: ../deep/next.md\n\n## Part\n";

async fn imported(env: &TestEnv) -> String {
    let space = env.space("Linked").await;
    let files = [
        ("SUMMARY.md", SUMMARY),
        ("README.md", "# Home\n\n[start](docs/start/README.md)\n"),
        ("docs/start/README.md", START),
        ("docs/deep/next.md", "# Next\n\n[up](../start/) [other](../../other.md)\n\n## Part\n"),
        ("other.md", "# Other\n\n[next](docs/deep/next.md)\n"),
        (".gitbook/assets/p.png", "\u{0}not really"),
    ];
    let job = env.import_archive(&space, "application/zip", zip(&files)).await;
    assert_eq!(job.text_at("/status"), "done", "{job}");
    space
}

fn all_pages(pages: &Value, found: &mut Vec<(String, String)>) {
    for page in pages.as_array().into_iter().flatten() {
        if page["type"] == "document" {
            let text = |field: &str| page[field].as_str().unwrap().to_owned();
            found.push((text("id"), text("path")));
        }
        all_pages(&page["pages"], found);
    }
}

async fn markdown(client: &Client, space: &str, page: &str) -> Answer {
    let call = client.call("getPageById").path("spaceId", space).path("pageId", page);
    call.query("format", "markdown").send().await.expect(200)
}

/// Resolves a relative link against the path of a page.
fn resolved(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('#').next().unwrap().split('/') {
        match part {
            "." => {}
            ".." => assert!(parts.pop().is_some(), "{link} leaves the space"),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[test]
fn links_are_relative_to_the_page() {
    each_engine(async |env: &mut TestEnv| {
        let space = imported(env).await;
        let listed = env.of_space("listPages", &space).await.expect(200);
        let mut pages = Vec::new();
        all_pages(listed.at("/pages"), &mut pages);
        let paths: HashSet<&str> = pages.iter().map(|(_, path)| path.as_str()).collect();
        let (start, path) = pages.iter().find(|(_, path)| path.ends_with("start")).unwrap();
        assert_eq!(path, "guides/start");
        let answer = markdown(&env.client, &space, start).await;
        let text = answer.text_at("/markdown");
        for expected in [
            "[next](start/next#part)",
            "[other](other)",
            "[self](start)",
            "[gone](../gone.md)",
            "[out](https://example.com/x)",
            "{% content-ref url=\"start/next\" %}",
            "`[code](../deep/next.md)`",
            "[1]: start/next",
            "[down](#part)",
            "<a href=\"other\">",
        ] {
            assert!(text.contains(expected), "{expected} is missing: {text}");
        }
        let at = text.find("![a picture](").unwrap() + "![a picture](".len();
        let file = &text[at..at + text[at..].find(')').unwrap()];
        let bytes = env.client.anonymous().get(file, &[]).await.expect(200).body;
        assert!(bytes.ends_with(b"not really"));

        for (id, path) in &pages {
            let by_path = env.client.call("getPageByPath").path("spaceId", &space);
            let by_path = by_path.path("pagePath", path).query("format", "markdown");
            let one = markdown(&env.client, &space, id).await;
            assert_eq!(by_path.send().await.expect(200).at("/markdown"), one.at("/markdown"));
            let text = one.text_at("/markdown");
            for (at, _) in text.match_indices("](") {
                let link = text[at + 2..].split(')').next().unwrap();
                let is_code = text[..at].ends_with("`[code");
                if is_code || link == "../gone.md" || link.starts_with('#') {
                    continue;
                }
                let leads =
                    link.starts_with("http") || paths.contains(resolved(path, link).as_str());
                assert!(leads, "{link} on {path} leads nowhere");
            }
        }
    });
}

#[test]
fn sending_a_text_back_changes_nothing() {
    each_engine(async |env: &mut TestEnv| {
        let space = imported(env).await;
        let before = env.of_space("getSpaceById", &space).await.text_at("/revision").to_owned();
        let listed = env.of_space("listPages", &space).await.expect(200);
        let mut pages = Vec::new();
        all_pages(listed.at("/pages"), &mut pages);
        for (page, path) in &pages {
            let read = markdown(&env.client, &space, page).await;
            let body = json!({ "changes": [{
                "operation": "update_page", "page": page,
                "document": { "markdown": read.text_at("/markdown") },
            }] });
            let call = env.client.call("updateSpaceContent").path("spaceId", &space);
            let sent = call.json(&body).send().await.expect(200);
            assert_eq!(sent.text_at("/revision"), before, "{path}: {}", read.text_at("/markdown"));
        }
        // Also in a change request, whose files have other addresses.
        let proposal = Proposal::new(&env.client, &space).await;
        let _page = proposal.page("New", "x\n").await;
        for (page, path) in &pages {
            let revision = proposal.get("getChangeRequestById").await;
            let read = proposal.markdown(page).await;
            proposal.set(page, &read).await;
            let after = proposal.get("getChangeRequestById").await;
            assert_eq!(after.at("/revision"), revision.at("/revision"), "{path}: {read}");
        }
    });
}

#[test]
fn published_markdown_links_to_the_site() {
    each_engine(async |env: &mut TestEnv| {
        let space = imported(env).await;
        let _site = publish(env, "Shown", &space).await;
        let nobody = env.client.anonymous();
        let text = nobody.get("/shown/guides/start.md", &[]).await.expect(200).text().to_owned();
        let mut links = 0;
        for (at, _) in text.match_indices("](") {
            let link = text[at + 2..].split(')').next().unwrap();
            let is_code = text[..at].ends_with("`[code");
            if is_code
                || link == "../gone.md"
                || link.contains("example.com")
                || link.starts_with('#')
            {
                continue;
            }
            links += 1;
            assert!(link.starts_with("http"), "{link}");
            let _there = nobody.get(link, &[]).await.expect(200);
        }
        assert!(links >= 6, "{text}");
    });
}
