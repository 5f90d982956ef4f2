//! Links to the headings that are the titles of their pages.

use bindery_testkit::archives::{file, tar};
use serde_json::json;

use crate::support::content::publish;
use crate::support::{TestEnv, each_engine};

const HOME: &str =
    "# Home\n\n[own](#home) [one](guide.md#Set_up) [two](guide.md#kept) [rules](style.md#rules)\n";

#[test]
fn links_to_a_title_lead_to_it() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Handbook").await;
        let archive = tar(&[
            file("SUMMARY.md", "* [Home](README.md)\n* [1. Set up](guide.md)\n* [Same](same.md)\n"),
            file("README.md", HOME),
            file("guide.md", "# Set up <a href=\"#kept\" id=\"kept\"></a>\n\ntext\n"),
            file("same.md", "# Same\n\n## Same\n\n[here](#same)\n"),
            file("style.md", "# Rules\n"),
        ]);
        let _job = env.import_archive(&space, "application/octet-stream", archive).await;
        let links = env.of_space("listSpaceLinks", &space).await.expect(200);
        assert_eq!(links.at("/stats/broken/total"), &json!(0), "{links}");

        let _site = publish(env, "Handbook", &space).await;
        for (path, parts) in [
            (
                "",
                [
                    "<a href=\"#home\">own</a> <a href=\"/handbook/guide#set-up\">one</a> \
                     <a href=\"/handbook/guide#kept\">two</a> <a href=\"/handbook/style#rules\">",
                    "<span class=\"alias\" id=\"home\"></span><h1",
                ],
            ),
            (
                "guide",
                [
                    "<span class=\"alias\" id=\"set-up\"></span>",
                    "<span class=\"alias\" id=\"kept\"></span><h1",
                ],
            ),
            // The heading of the text has the anchor.
            ("same", ["Same</h1>", "<h2 id=\"same\">"]),
        ] {
            let html = env.client.anonymous().get(&format!("/handbook/{path}"), &[]).await;
            let html = html.expect(200).text();
            for part in parts {
                assert!(html.contains(part), "{part}: {html}");
            }
        }
    });
}
